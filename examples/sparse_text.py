# %% [markdown]
# # Reviews: sparse text
# A vocabulary would be learned from the texts and stand in the model, word by word. Hashed words
# are not: `dp.make_pipeline` takes HashingVectorizer and refuses TfidfVectorizer.

# %%
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

import sotto_dp as dp
from sets import reviews

# %%
texts, good = reviews()
train, test = slice(0, None, 2), slice(1, None, 2)
budget = dp.Ledger("reviews.db").dataset("reviews", epsilon=3, delta=1e-6)
model = dp.LogisticRegression(epsilon=1, delta=1e-6, ledger=budget)

# %% A step that learns from data is refused, with what to use instead
try:
    dp.make_pipeline(TfidfVectorizer(), model)
except dp.PrivacyError as error:
    print(error)

# %%
pipe = dp.make_pipeline(HashingVectorizer(n_features=1024), model)
pipe.fit(texts[train], good[train])
print("accuracy", pipe.score(texts[test], good[test]))

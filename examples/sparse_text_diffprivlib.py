# %% [markdown]
# # Reviews with diffprivlib
# Its models take no sparse tables, and a step that learns from data goes through unseen.
# It needs scikit-learn 1.5: diffprivlib 0.6.6 cannot be imported with 1.9.

# %%
import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import LogisticRegression
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sets import reviews


# %%
def dense(X):
    return np.asarray(X.todense())


texts, good = reviews()
train, test = slice(0, None, 2), slice(1, None, 2)
budget = BudgetAccountant(epsilon=3, delta=1e-6)
model = LogisticRegression(epsilon=1, data_norm=1, max_iter=1000, accountant=budget)

# %%
pipe = make_pipeline(HashingVectorizer(n_features=1024, norm="l2"),
                     FunctionTransformer(dense, accept_sparse=True), model)
pipe.fit(texts[train], good[train])
print("accuracy", pipe.score(texts[test], good[test]))

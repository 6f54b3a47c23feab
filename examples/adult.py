# %% [markdown]
# # Adult: from the raw file to a report
# Who earns more than 50,000 dollars? The model is private: it says hardly anything about one row.

# %%
import pandas as pd

import sotto_dp as dp
from sets import BOUNDS, LEVELS, adult_csv

# %% What is known without looking at a record: the codebook of the census
columns = {name: dp.Number(low, high) for name, (low, high) in BOUNDS.items()}
columns.update({name: dp.Category(levels, missing="none") for name, levels in LEVELS.items()})
schema = dp.Schema(columns, missing_values=["?"], others=dp.Drop())

# %% The raw file, as it is: words, numbers, question marks
table = pd.read_csv(adult_csv())
train, test = table.iloc[::2], table.iloc[1::2]

# %% One budget for all that will ever be learned from these people
budget = dp.Ledger("adult.db").dataset("adult", epsilon=3, delta=1e-6)

# %%
model = dp.LogisticRegression(epsilon=1, delta=1e-6, schema=schema, ledger=budget,
                              classes=[-1, 1])
model.fit(train, target="target")
model  # in a notebook: a card with the promise, the weights, and what is left

# %%
print("accuracy", model.score(test, target="target"))
model.save("adult.json")
with open("adult.html", "w") as page:
    page.write(model.report())

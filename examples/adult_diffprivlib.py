# %% [markdown]
# # Adult with diffprivlib
# Levels become columns, numbers are scaled and the norm of a row is bounded by hand; there is no
# report, and no budget that outlives the process.
# It needs scikit-learn 1.5: diffprivlib 0.6.6 cannot be imported with 1.9.

# %%
import joblib
import numpy as np
import pandas as pd
from diffprivlib import BudgetAccountant
from diffprivlib.models import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

from sets import BOUNDS, LEVELS, adult_csv

# %% What is known without looking at a record: the codebook of the census
low, high = np.array(list(BOUNDS.values()), dtype=float).T
encoder = OneHotEncoder(categories=list(LEVELS.values()), handle_unknown="ignore",
                        sparse_output=False)
norm = np.sqrt(len(BOUNDS) + len(LEVELS))


def prepare(table):
    numbers = (table[list(BOUNDS)].clip(low, high, axis=1) - low) / (high - low)
    return np.hstack([numbers, encoder.fit_transform(table[list(LEVELS)])])


# %%
table = pd.read_csv(adult_csv())
train, test = table.iloc[::2], table.iloc[1::2]

# %%
budget = BudgetAccountant(epsilon=3, delta=1e-6)

# %%
model = LogisticRegression(epsilon=1, data_norm=norm, max_iter=1000, accountant=budget)
model.fit(prepare(train), train["target"])

# %%
print("accuracy", model.score(prepare(test), test["target"]))
joblib.dump(model, "adult.joblib")

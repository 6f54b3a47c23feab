# %% [markdown]
# # A team's budget with diffprivlib
# Its accountant lives in one process: what was spent is kept in a file by hand, and nothing stops
# two people from reading it at the same time.
# It needs scikit-learn 1.5: diffprivlib 0.6.6 cannot be imported with 1.9.

# %%
import json
import os

import numpy as np
import pandas as pd
from diffprivlib import BudgetAccountant
from diffprivlib.models import LogisticRegression
from diffprivlib.utils import BudgetError
from sklearn.preprocessing import OneHotEncoder

from sets import patients_csv

# %% The owner of the data, once
bounds = {"age": (0, 120), "visits": (0, 20), "systolic": (60, 250)}
levels = {"sex": ["f", "m"], "ward": ["surgery", "medicine", "maternity"]}
low, high = np.array(list(bounds.values()), dtype=float).T
encoder = OneHotEncoder(categories=list(levels.values()), handle_unknown="ignore",
                        sparse_output=False)


def prepare(table):
    numbers = table[list(bounds)].fillna({"systolic": 120}).clip(low, high, axis=1)
    return np.hstack([(numbers - low) / (high - low), encoder.fit_transform(table[list(levels)])])


def fit(train):
    spent = json.load(open("quarter.json")) if os.path.exists("quarter.json") else []
    budget = BudgetAccountant(epsilon=3, delta=1e-6, slack=1e-6, spent_budget=spent)
    model = LogisticRegression(epsilon=1, data_norm=np.sqrt(5), accountant=budget)
    model.fit(prepare(train), train["readmitted"])
    json.dump(budget.spent_budget, open("quarter.json", "w"))
    return model, budget


table = pd.read_csv(patients_csv()).drop_duplicates("patient")  # one row of each person
train, test = table.iloc[::2], table.iloc[1::2]

# %% The weeks
for week in range(1, 14):
    try:
        model, budget = fit(train)
    except BudgetError as error:
        print(f"week {week}: {error}")
        break
    print(f"week {week}: epsilon left {budget.remaining(1)[0]:.3f}")

# %%
print("accuracy", model.score(prepare(test), test["readmitted"]))

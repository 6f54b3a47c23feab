# %% [markdown]
# # California with diffprivlib
# Columns are scaled to [0, 1] by hand: in their own units the noise buries everything.
# It needs scikit-learn 1.5: diffprivlib 0.6.6 cannot be imported with 1.9.

# %%
import numpy as np
import pandas as pd
from diffprivlib import BudgetAccountant
from diffprivlib.models import LinearRegression

from sets import california_csv

# %% What is known without looking at a record
bounds = {"MedInc": (0, 15), "HouseAge": (0, 52), "AveRooms": (0, 20), "AveBedrms": (0, 5),
          "Population": (0, 10000), "AveOccup": (0, 10), "Latitude": (32, 42.5),
          "Longitude": (-125, -114)}
low, high = np.array(list(bounds.values()), dtype=float).T

# %%
table = pd.read_csv(california_csv())
train, test = table.iloc[::2], table.iloc[1::2]
budget = BudgetAccountant(epsilon=3, delta=1e-6)

# %%
def scaled(table):
    return (table[list(bounds)].clip(low, high, axis=1) - low) / (high - low)


model = LinearRegression(epsilon=1, bounds_X=(0, 1), bounds_y=(0, 5), accountant=budget)
model.fit(scaled(train), train["target"])
print("R2", model.score(scaled(test), test["target"]))

# %% [markdown]
# # California: what do houses cost?
# Least squares; bounds come from geography and from the census, not from the records.

# %%
import pandas as pd

import sotto_dp as dp
from sets import california_csv

# %% What is known without looking at a record
schema = dp.Schema(MedInc=dp.Number(0, 15), HouseAge=dp.Number(0, 52), AveRooms=dp.Number(0, 20),
                   AveBedrms=dp.Number(0, 5), Population=dp.Number(0, 10000),
                   AveOccup=dp.Number(0, 10), Latitude=dp.Number(32, 42.5),
                   Longitude=dp.Number(-125, -114), target=dp.Target(0, 5))

# %%
table = pd.read_csv(california_csv())
train, test = table.iloc[::2], table.iloc[1::2]
budget = dp.Ledger("california.db").dataset("california", epsilon=3, delta=1e-6)

# %%
model = dp.LinearRegression(epsilon=1, delta=1e-6, schema=schema, ledger=budget)
model.fit(train, target="target")
print("R2", model.score(test, target="target"))

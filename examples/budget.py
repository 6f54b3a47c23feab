# %% [markdown]
# # A team's budget over a quarter
# Thirteen weeks, a model each week, by whoever needs one, in whichever process. The ledger is a
# file: it adds up what was spent, and refuses what the cap does not allow.

# %%
import pandas as pd

import sotto_dp as dp
from sets import patients_csv

# %% The owner of the data, once
schema = dp.Schema(
    age=dp.Number(0, 120), sex=dp.Category(["f", "m"], missing="none"),
    ward=dp.Category(["surgery", "medicine", "maternity"]), visits=dp.Number(0, 20),
    systolic=dp.Number(60, 250, missing=120), patient=dp.Person(rows=1))
budget = dp.Ledger("quarter.db").dataset("patients", unit="patient", rows=1, epsilon=3, delta=1e-6)
table = pd.read_csv(patients_csv())
train, test = table.iloc[::2], table.iloc[1::2]
same = {"epsilon": 1, "delta": 1e-7, "schema": schema, "ledger": budget, "classes": ["no", "yes"]}

# %% Before: what would it cost? No record is read.
print("fits of this kind:", budget.quote(dp.LogisticRegression(**same).plan(rows=10000)).how_many)

# %% The weeks
for week in range(1, 14):
    try:
        weekly = dp.LogisticRegression(**same, purpose=f"week {week}").fit(
            train, target="readmitted")
    except dp.BudgetError as error:
        print(f"week {week}: {error}")
        break
    print(f"week {week}: epsilon left {budget.left():.3f}")

# %%
print("accuracy", weekly.score(test, target="readmitted"))
with open("quarter.html", "w") as page:
    page.write(budget.page())

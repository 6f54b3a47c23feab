"""The data of the examples: the real sets where they are at hand, invented ones otherwise.

Real sets are looked for in SOTTO_DATA, or in ../shared/data beside the repository.
"""
import atexit
import csv
import os
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get("SOTTO_DATA", os.path.join(os.path.dirname(ROOT), "shared", "data"))

LEVELS = {  # the codebook of the census (adult.names)
    "workClass": "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov "
                 "Without-pay Never-worked".split(),
    "marital-status": "Married-civ-spouse Divorced Never-married Separated Widowed "
                      "Married-spouse-absent Married-AF-spouse".split(),
    "occupation": "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty "
                  "Handlers-cleaners Machine-op-inspct Adm-clerical Farming-fishing "
                  "Transport-moving Priv-house-serv Protective-serv Armed-Forces".split(),
    "relationship": "Wife Own-child Husband Not-in-family Other-relative Unmarried".split(),
    "sex": "Female Male".split(),
}
BOUNDS = {"age": (17, 90), "education-num": (1, 16), "capital-gain": (0, 20000),
          "capital-loss": (0, 5000), "hours-per-week": (1, 99)}


def _folder():
    """A folder that goes when the example ends."""
    folder = tempfile.mkdtemp(prefix="sotto-example-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _invented(name, header, rows):
    path = os.path.join(_folder(), name)
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(header)
        out.writerows(rows)
    return path


def adult_csv(rows=6000):
    """People and whether they earn more than 50,000 dollars (target 1, else -1)."""
    path = os.path.join(DATA, "adult", "adult_raw.train.csv")
    if os.path.exists(path):
        return path
    rng = random.Random(1)
    table = []
    for _ in range(rows):
        row = {name: rng.randint(low, min(high, 4 * low + 60)) for name, (low, high)
               in BOUNDS.items()}
        row.update({name: rng.choice(levels + ["?"]) for name, levels in LEVELS.items()})
        score = (row["education-num"] - 9) / 3 + 2 * (row["relationship"] == "Husband") - 1
        table.append([*row.values(), rng.randint(10000, 900000),
                      1 if score + rng.gauss(0, 1) > 0 else -1])
    return _invented("adult.csv", [*BOUNDS, *LEVELS, "fnlwgt", "target"], table)


def california_csv(rows=6000):
    """Districts of California and what houses cost there, in 100,000 dollars (target)."""
    path = os.path.join(DATA, "california", "california.csv")
    if os.path.exists(path):
        return path
    rng = random.Random(1)
    names = "MedInc HouseAge AveRooms AveBedrms Population AveOccup Latitude Longitude target"
    table = []
    for _ in range(rows):
        income, age = min(15, rng.lognormvariate(1.2, 0.45)), rng.randint(1, 52)
        price = 0.42 * income + 0.008 * age + 0.2 + rng.gauss(0, 0.6)
        table.append([income, age, rng.gauss(5.4, 1), rng.gauss(1.1, 0.1), rng.randint(100, 4000),
                      rng.gauss(3, 0.6), rng.uniform(32.5, 42), rng.uniform(-124, -114.3),
                      max(0.15, min(5, price))])
    return _invented("california.csv", names.split(), table)


def reviews(rows=8000):
    """Invented reviews, and whether they are good ones."""
    rng = random.Random(1)
    words = ["word%d" % k for k in range(400)]
    good, bad = "fine lovely great warm quick".split(), "cold slow rude dirty dull".split()
    texts, labels = [], []
    for _ in range(rows):
        label = rng.random() < 0.5
        mood = rng.choices(good if label else bad, k=2) + rng.choices(good + bad, k=1)
        texts.append(" ".join(rng.sample(rng.choices(words, k=rng.randint(5, 20)) + mood, k=7)))
        labels.append(label)
    return texts, labels


def patients_csv():
    """20,000 invented patients, those of the demo."""
    folder = _folder()
    subprocess.run([sys.executable, os.path.join(ROOT, "tools", "patients.py"), folder], check=True)
    return os.path.join(folder, "patients.csv")

#!/usr/bin/env python3
"""patients.py FOLDER: invented people to try things on, nobody's records.

Writes the files that the demo and the documents use, the same everywhere:
patients.csv (20,000 patients), schema.json (their columns, declared), new.csv
(three patients without an outcome), and for two parties that hold different
columns people.csv (100,000 people) and parties.json (what they agreed upon).
"""
import math
import os
import random
import sys

SCHEMA = """\
{
  "sotto_schema": 1,
  "missing_values": ["NA"],
  "columns": {
    "patient": {"type": "unit"},
    "age": {"type": "number", "bounds": [0, 120]},
    "sex": {"type": "category", "levels": ["f", "m"], "missing": "none"},
    "ward": {"type": "category", "levels": ["surgery", "medicine", "maternity"]},
    "systolic": {"type": "number", "bounds": [60, 250], "missing": 120},
    "visits": {"type": "number", "bounds": [0, 20]},
    "readmitted": {"type": "target", "classes": ["no", "yes"]}
  }
}
"""

NEW = """\
visits,age,sex,ward,systolic
0,34,f,maternity,118
7,81,m,medicine,NA
2,57,f,surgery,141
"""

PARTIES = """\
{
  "sotto_parties": 1,
  "target": {"name": "income", "bounds": [0, 100000], "party": "bank"},
  "labels": "private",
  "rounds": 120, "buckets": 3000, "seed": 7, "schedule": "uniform",
  "split": [0.20, 0.35, 0.45],
  "missing_values": ["NA"],
  "parties": [
    {"name": "bank", "radius": 1, "cap": 3, "constant": 0.5,
     "columns": {"debt": {"type": "number", "bounds": [0, 50000], "missing": 0},
                 "age": {"type": "number", "bounds": [18, 90]}}},
    {"name": "clinic", "radius": 0.5, "cap": 2,
     "columns": {"ward": {"type": "category", "levels": ["surgery", "medicine"]}}}
  ]
}
"""


def person(draw):
    debt = int(50000 * draw() ** 2)
    age = int(18 + 72 * draw())
    ward = ("surgery", "medicine")[draw() < .5]
    income = 30000 + debt / 2 + 300 * age - 8000 * (ward == "surgery")
    return f"{debt},{age},{ward},{int(income + 10000 * (draw() - .5))}"


def patient(i, draw):
    age = int(18 + 75 * (draw() + draw()) / 2)
    visits = int(-2 * math.log(1 - draw()))
    pressure = "NA" if draw() < .02 else int(95 + age / 3 + 30 * draw())
    sex = "fm"[draw() < .5]
    ward = ("surgery", "medicine", "maternity")[int(3 * draw())]
    risk = -4 + age / 30 + visits / 2
    again = draw() < 1 / (1 + math.exp(-risk))
    return f"p{i:05d},{age},{sex},{ward},{pressure},{visits},{'yes' if again else 'no'}"


def main():
    folder = sys.argv[1]
    draw = random.Random(7).random
    lines = ["patient,age,sex,ward,systolic,visits,readmitted"]
    lines += (patient(i, draw) for i in range(1, 20001))
    people = ["debt,age,ward,income"]
    people += (person(draw) for _ in range(100000))
    for name, text in (("patients.csv", "\n".join(lines) + "\n"),
                       ("schema.json", SCHEMA), ("new.csv", NEW),
                       ("people.csv", "\n".join(people) + "\n"),
                       ("parties.json", PARTIES)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()

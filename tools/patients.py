#!/usr/bin/env python3
"""patients.py FOLDER: invented patients to try things on, nobody's records.

Writes patients.csv (20,000 of them), schema.json and new.csv (three, without
an outcome). The same files everywhere.
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
    for name, text in (("patients.csv", "\n".join(lines) + "\n"),
                       ("schema.json", SCHEMA), ("new.csv", NEW)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()

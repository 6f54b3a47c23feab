#!/usr/bin/env python3
"""make_golden.py SOTTO FOLDER: one file of each format that must stay readable.

Run once for a release whose formats are new, into a new folder of tests/golden; what is there is
never written again. tests/cli/test_golden.py reads it. The records are invented. The key that signs
is made for it; its secret half is removed again.
"""
import json
import os
import subprocess
import sys

SCHEMA = {"sotto_schema": 1, "missing_values": ["NA"], "columns": {
    "person": {"type": "unit"},
    "age": {"type": "number", "bounds": [0, 120], "missing": 40},
    "ward": {"type": "category", "levels": ["a", "b"], "other": True, "missing": "none"},
    "seen": {"type": "date", "bounds": ["2020-01-01", "2024-12-31"], "format": "%Y-%m-%d"},
    "smokes": {"type": "boolean", "missing": False},
    "back": {"type": "target", "classes": ["no", "yes"]}}}


def records():
    yield "person,age,ward,seen,smokes,back"
    for i in range(400):
        age = "NA" if i % 37 == 0 else str(20 + i * 7 % 70)
        ward = "abc"[i * 5 % 3]
        yes = (i * 7 % 70 > 35) ^ (i % 9 == 0)
        yield (f"p{i // 2},{age},{ward},202{i % 5}-0{1 + i % 9}-1{i % 9},"
               f"{'yes' if i % 4 else 'no'},{'yes' if yes else 'no'}")


def main(sotto, folder):
    sotto = os.path.realpath(sotto)
    os.makedirs(folder)
    os.chdir(folder)
    with open("schema.json", "w") as file:
        json.dump(SCHEMA, file, indent=1)
    with open("records.csv", "w") as file:
        file.write("\n".join(records()) + "\n")

    def run(*words):
        subprocess.run([sotto, *words], check=True, stdout=subprocess.DEVNULL)

    data = ("records.csv", "--schema", "schema.json", "--loss", "logistic")
    budget = ("--ledger", "budget.ledger", "--dataset", "golden", "--epsilon", "1",
              "--delta", "1e-6", "--rows-per-person", "2")
    run("ledger", "create", "--ledger", "budget.ledger", "--dataset", "golden", "--unit-column", "person",
        "--rows-per-person", "2", "--epsilon", "3", "--delta", "1e-6")
    run("key", "new", "signer")
    run("train", *data, *budget, "--sign", "signer", "-o", "model.json")
    run("evaluate", "model.json", "records.csv", *budget, "-o", "evaluation.json")
    run("convert", *data, "--dataset", "golden", "-o", "table.sotto")
    run("train", "table.sotto", "--loss", "logistic", "--epsilon", "1", "--delta", "1e-6",
        "--rows-per-person", "2", "--solver", "gd", "--insecure-seed", "1", "--ledger", "none",
        "-o", "seeded.json")
    with open("predicted.txt", "w") as file:
        subprocess.run([sotto, "predict", "model.json", "records.csv", "--proba"], check=True,
                       stdout=file)
    os.remove("signer")


if __name__ == "__main__":
    main(*sys.argv[1:])

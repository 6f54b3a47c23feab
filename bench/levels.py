#!/usr/bin/python3
"""levels.py [--runs N] [--data FOLDER]: private levels against declared ones, on credit-g-raw.

The file as it comes (1,000 rows, 13 columns of words, 7 of numbers, two classes) is split 80/20 and
trained three ways with `sotto train` at each epsilon: with "levels": "private", with the levels
declared (those of the whole file, which the documentation of the set lists), and with the columns
of words left out. Printed: accuracy on the test rows (median and quartiles), levels in the model,
and the seconds of a run. Numbers for docs/notes/levels.md.
"""

import argparse
import csv
import gzip
import json
import os
import random
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOTTO = os.environ.get("SOTTO") or os.path.join(HERE, "..", "build", "sotto")
BOUNDS = {"duration": [0, 128], "credit_amount": [0, 32768], "installment_commitment": [0, 8],
          "residence_since": [0, 8], "age": [0, 128], "existing_credits": [0, 8],
          "num_dependents": [0, 4]}


def schema(rows, header, how):
    columns = {"class": {"type": "target", "classes": ["bad", "good"]}}
    for i, name in enumerate(header[:-1]):
        if name in BOUNDS:
            columns[name] = {"type": "number", "bounds": BOUNDS[name]}
        elif how == "none":
            columns[name] = {"type": "drop"}
        elif how == "private":
            columns[name] = {"type": "category", "levels": "private"}
        else:
            columns[name] = {"type": "category", "levels": sorted({row[i] for row in rows})}
    return {"sotto_schema": 1, "columns": columns}


def run(*args):
    return subprocess.run([SOTTO, *args], check=True, capture_output=True, text=True).stdout


def one(folder, how, epsilon, train, test):
    begin = time.perf_counter()
    run("train", train, "--schema", f"{folder}/{how}.json", "--loss", "logistic", "--l2", "0.001",
        "--rows", "800", "--epsilon", epsilon, "--delta", "1e-6", "--ledger", "none", "--quiet",
        "-o", f"{folder}/m.json")
    seconds = time.perf_counter() - begin
    score = json.loads(run("evaluate", f"{folder}/m.json", test, "--json"))["accuracy"]
    with open(f"{folder}/m.json", encoding="utf-8") as file:
        model = json.load(file)
    os.remove(f"{folder}/m.json")
    levels = sum(len(c.get("levels", ())) for c in model["schema"]["columns"].values())
    return score, levels, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--data", default=os.path.join(
        os.environ.get("SOTTO_DATA") or os.path.join(HERE, "..", "..", "shared", "data"), "more"))
    given = parser.parse_args()
    with gzip.open(os.path.join(given.data, "credit-g-raw.csv.gz"), "rt", newline="") as file:
        header, *rows = csv.reader(file)
    print("| levels | epsilon | accuracy | in the model | seconds |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for how in ("private", "declared", "none"):
            with open(f"{folder}/{how}.json", "w", encoding="utf-8") as file:
                json.dump(schema(rows, header, how), file)
        for epsilon in ("1", "3"):
            for how in ("private", "declared", "none"):
                results = []
                for k in range(given.runs):
                    draw = random.Random(k)
                    mixed = draw.sample(rows, len(rows))
                    for name, part in (("train", mixed[:800]), ("test", mixed[800:])):
                        with open(f"{folder}/{name}.csv", "w", newline="",
                                  encoding="utf-8") as file:
                            csv.writer(file).writerows([header, *part])
                    results.append(one(folder, how, epsilon, f"{folder}/train.csv",
                                       f"{folder}/test.csv"))
                score, levels, seconds = zip(*results)
                low, middle, high = statistics.quantiles(score, n=4)
                print(f"| {how} | {epsilon} | {middle:.3f} ({low:.3f} to {high:.3f}) | "
                      f"{statistics.median(levels):g} | {statistics.median(seconds):.2f} |",
                      flush=True)
    zero = max(sum(r[-1] == c for r in rows) for c in ("bad", "good")) / len(rows)
    print(f"\nthe larger class is {zero:.3f} of the rows")


if __name__ == "__main__":
    main()

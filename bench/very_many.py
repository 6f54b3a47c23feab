#!/usr/bin/python3
"""A million features: all weights of `auto --path wide`, or those that can be told from noise.

    bench/very_many.py [--build build] [--runs 3] [--write]

Generated words: a row has about 40 of p words, drawn so that the logarithm of a word's rank is uniform,
and the commonest ones decide about two classes. epsilon 1, delta 1e-6; log-loss on as many rows that
were not learned from, means of runs with the seeds 1, 2, ... With --write the table goes into
docs/notes/auto.md.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np

from classes import ROOT, write_table

# rows, features, words that matter
CASES = ((20000, 200000, 100), (20000, 1000000, 100), (20000, 1000000, 5000), (100000, 1000000, 5000))
WORDS = 40


def words(rows, features, matter):
    random = np.random.default_rng(1)
    row = [np.unique(np.minimum(features - 1, (features ** random.random(WORDS)).astype(int)))
           for _ in range(rows)]
    weight = np.zeros(features)
    share = np.log(matter) / np.log(features)          # of a row's words
    weight[:matter] = random.standard_normal(matter) * 2 / np.sqrt(WORDS * share)
    margin = np.array([weight[r].sum() for r in row])
    return row, np.where(random.random(rows) < 1 / (1 + np.exp(-margin)), 1, -1)


def write(path, rows, labels):
    with open(path, "w", encoding="ascii") as file:
        for row, label in zip(rows, labels):
            file.write(f"{label} {' '.join(f'{j + 1}:1' for j in row)}\n")


def fit(build, folder, features, seed, more):
    """Weights, intercept, and the bytes of the file."""
    path = os.path.join(folder, "model.json")
    subprocess.run([os.path.join(build, "sotto"), "train", os.path.join(folder, "d.svm"), "--features",
                    str(features), "--loss", "logistic", "--epsilon", "1", "--delta", "1e-6", "--ledger",
                    "none", "--quiet", "--insecure-seed", str(seed), "-o", path, *more], check=True)
    with open(path, encoding="utf-8") as file:
        model = json.load(file)
    told, weight = model["weights"], np.zeros(features)
    if isinstance(told, list):
        weight[:] = told
    else:
        weight[[int(name) - 1 for name in told]] = list(told.values())
    return weight, model["intercept"], os.path.getsize(path)


def loss(rows, labels, weight, intercept):
    margin = np.array([weight[r].sum() for r in rows]) + intercept
    return np.logaddexp(0, -labels * margin).mean()


def case(build, folder, runs, rows, features, matter):
    x, y = words(2 * rows, features, matter)
    write(os.path.join(folder, "d.svm"), x[:rows], y[:rows])
    rate = (y[:rows] > 0).mean()
    cells = [f"{rows:,} x {features:,}, {matter:,}",
             f"{loss(x[rows:], y[rows:], np.zeros(features), np.log(rate / (1 - rate))):.4f}"]
    for more in (["--path", "wide"], []):
        found = [fit(build, folder, features, seed, more) for seed in range(1, runs + 1)]
        losses = [loss(x[rows:], y[rows:], w, b) for w, b, _ in found]
        count = np.mean([(w != 0).sum() for w, _, _ in found])
        cells += [f"{np.mean(losses):.4f}", f"{count:,.0f}",
                  f"{np.mean([size for _, _, size in found]) / 1e6:.2f}"]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    lines = ["| rows x features, words that matter | constant | all weights | of them not 0 | MB | "
             "visible weights | not 0 | MB |", "|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for which in CASES:
            lines.append(case(os.path.abspath(args.build), folder, args.runs, *which))
            print(lines[-1], flush=True)
    if args.write:
        write_table("very many", lines)


if __name__ == "__main__":
    main()

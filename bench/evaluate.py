#!/usr/bin/python3
"""evaluate.py [--runs N] [--data FOLDER] [--keep FILE] [--write]: private evaluation against truth.

Half of each set trains one model (`auto`, epsilon 1, delta 1e-6). The other half is the population.
A run draws 5,000 of its rows with replacement, and evaluates the model on them privately (epsilon
1, delta 1e-6) and exactly. The error is against the exact number of the same rows. An interval
covers if the number of the whole population is in it.

Results are kept in FILE after each set of ten runs; run again, it goes on. --write puts the tables
into docs/notes/evaluation.md.
"""

import argparse
import gzip
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
SOTTO = os.environ.get("SOTTO") or os.path.join(HERE, "..", "build", "sotto")
PAGE = os.path.join(HERE, "..", "docs", "notes", "evaluation.md")
ROWS = 5000
BUDGET = ["--epsilon", "1", "--delta", "1e-6", "--ledger", "none", "--quiet"]
CLASSES = ["--loss", "logistic", "--l2", "1e-4", "--classes=-1,1"]
NUMBER = ["--loss", "squared", "--l2", "1e-4"]

# name: file, options, declared bounds of the target or None
SETS = {
    "electricity": ("electricity/electricity.csv", CLASSES, None),
    "adult": ("adult/adult81.train.csv.gz", CLASSES, None),
    "a9a": ("a9a/a9a.svm", [*CLASSES, "--features", "123"], None),
    "california": ("california/california.csv", NUMBER, [0, 5.5]),
    "house8L": ("more/house8L.csv.gz", NUMBER, [0, 500001]),
    "elevators": ("more/elevators.csv.gz", NUMBER, [0, 0.1]),
    "california, bought": ("california/california.csv", NUMBER, None),
    "house8L, bought": ("more/house8L.csv.gz", NUMBER, None),
    "elevators, bought": ("more/elevators.csv.gz", NUMBER, None),
}
SHOWN = {"accuracy": "accuracy", "auc": "AUC", "log_loss": "log-loss", "r2": "R2", "mse": "MSE",
         "mae": "MAE", "recall": "recall", "precision": "precision"}


def sotto(*args):
    return subprocess.run([SOTTO, *args], check=True, capture_output=True, text=True).stdout


def read(path):
    """The header, or none, and the records, in a fixed random order."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    header = [] if ".svm" in path else [lines.pop(0)]
    random.Random(1).shuffle(lines)
    return header, lines


def write(path, header, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*header, *lines]) + "\n")


def target(line, svm):
    return float(line.split()[0] if svm else line.rsplit(",", 1)[1])


def exact(model, path, y):
    """The exact numbers, with those that `sotto evaluate` does not print."""
    told = json.loads(sotto("evaluate", model, path, "--json", "--quiet"))
    answers = [float(x) for x in sotto("predict", model, path, "--quiet").split()]
    if "mse" in told:
        mae = statistics.fmean(abs(a - b) for a, b in zip(answers, y))
        return {"r2": told["r2"], "mse": told["mse"], "mae": mae}
    out = {k: told[k] for k in ("accuracy", "auc", "log_loss")}
    for k, name in enumerate((-1, 1)):
        own = sum(a == b == name for a, b in zip(answers, y))
        out[f"recall {k}"] = own / y.count(name)
        out[f"precision {k}"] = own / max(answers.count(name), 1)
    return out


def private(model, path, folder):
    file = os.path.join(folder, "evaluation.json")
    sotto("evaluate", model, path, *BUDGET, "-o", file)
    with open(file, encoding="utf-8") as opened:
        told = json.load(opened)
    os.remove(file)  # a private evaluation is never replaced
    out = dict(told["numbers"])
    for k, one in enumerate(told.get("by_class", ())):
        out[f"recall {k}"] = one["recall"]
        out[f"precision {k}"] = one["precision"]
    return out


class Set:
    """A set's model, its population, and one run after the other."""

    def __init__(self, name, data, folder):
        file, options, bounds = SETS[name]
        self.svm = file.endswith(".svm")
        self.header, lines = read(os.path.join(data, file))
        self.pool = lines[len(lines) // 2:]
        self.folder = folder
        ending = "svm" if self.svm else "csv"
        self.file = os.path.join(folder, f"rows.{ending}")
        self.model = os.path.join(folder, "model.json")
        write(self.file, self.header, lines[:len(lines) // 2])
        if not self.svm and bounds:
            schema = os.path.join(folder, "schema.json")
            with open(schema, "w", encoding="utf-8") as opened:
                json.dump({"sotto_schema": 1, "default": {"type": "number"},
                           "columns": {"target": {"type": "target", "bounds": bounds}}}, opened)
            options = [*options, "--schema", schema]
        elif not self.svm:
            options = [*options, "--target", "target"]
        sotto("train", self.file, *options, *BUDGET, "-o", self.model)
        write(self.file, self.header, self.pool)
        self.truth = exact(self.model, self.file, [target(x, self.svm) for x in self.pool])

    def run(self, seed):
        chosen = random.Random(seed).choices(self.pool, k=ROWS)
        write(self.file, self.header, chosen)
        sample = exact(self.model, self.file, [target(x, self.svm) for x in chosen])
        told = private(self.model, self.file, self.folder)
        return {name: {"exact": sample[name], "truth": self.truth[name], **one}
                for name, one in told.items()}


def measure(name, runs, data, kept, keep):
    done = kept.setdefault(name, [])
    if len(done) >= runs:
        return
    del done[:]  # a set has one model: it is begun anew
    with tempfile.TemporaryDirectory() as folder:
        one = Set(name, data, folder)
        for seed in range(runs):
            done.append(one.run(seed))
    with open(keep + ".new", "w", encoding="utf-8") as file:
        json.dump(kept, file)
    os.replace(keep + ".new", keep)


def summary(runs):
    """Of each number: mean absolute error, its exact mean, coverage at 90 and 95 %, not told."""
    rows = {}
    for key in sorted({key for run in runs for key in run}, key=list(runs[0]).index):
        told = [run[key] for run in runs if run[key]["value"] is not None]
        inside = [[one[f"interval_{p}"][0] <= one["truth"] <= one[f"interval_{p}"][1]
                   for one in told] for p in (90, 95)]
        rows[key] = {
            "exact": statistics.fmean(run[key]["exact"] for run in runs),
            "told": len(told),
            "error": statistics.fmean(abs(o["value"] - o["exact"]) for o in told) if told else None,
            "bias": statistics.fmean(o["value"] - o["exact"] for o in told) if told else None,
            "cover": [statistics.fmean(x) if x else None for x in inside],
            "width": statistics.fmean(o["interval_90"][1] - o["interval_90"][0]
                                      for o in told) if told else None}
    return rows


def digits(x, count=3):
    return "–" if x is None else f"{x:.{count}g}"


def tables(kept):
    lines = ["| set | number | exact | mean absolute error | bias | 90 % interval: width | covers "
             "| 95 %: covers |", "|---|---|---|---|---|---|---|---|"]
    cover, least = [], []
    for name, runs in kept.items():
        for key, row in summary(runs).items():
            word, _, which = key.partition(" ")
            label = SHOWN[word] + (f" of class {which}" if which else "")
            share = [f"{100 * c:.0f} %" if c is not None else "–" for c in row["cover"]]
            told = "" if row["told"] == len(runs) else f" ({row['told']} told)"
            lines.append(f"| {name} | {label}{told} | {digits(row['exact'], 4)} | "
                         f"{digits(row['error'], 2)} | {digits(row['bias'], 1)} | "
                         f"{digits(row['width'], 2)} | {share[0]} | {share[1]} |")
            if row["cover"][0] is not None and "bought" not in name:
                cover.append(row["cover"][0])
                least.append((row["cover"][0], name, label))
    runs = len(next(iter(kept.values())))
    worst = min(least)
    words = (f"{runs} runs of each set. Over the numbers of the first six sets, intervals of 90 % "
             f"cover {100 * statistics.fmean(cover):.1f} % in the mean, and {100 * worst[0]:.0f} % "
             f"at the least ({worst[2]}, {worst[1]}).")
    return "\n".join([*lines, "", *textwrap.wrap(words, 100)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--data", default=os.environ.get("SOTTO_DATA") or
                        os.path.join(HERE, "..", "..", "shared", "data"))
    parser.add_argument("--keep", default=os.path.join(HERE, "..", "build", "evaluate.json"))
    parser.add_argument("--only", action="append", help="a set")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    kept = {}
    if os.path.exists(args.keep):
        with open(args.keep, encoding="utf-8") as file:
            kept = json.load(file)
    for name in args.only or SETS:
        measure(name, args.runs, args.data, kept, args.keep)
    kept = {name: kept[name] for name in SETS if name in kept}
    text = tables(kept)
    print(text)
    if args.write:
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        page = re.sub(r"(<!-- numbers -->\n).*?(<!-- end of numbers -->)",
                      lambda m: m[1] + text + "\n" + m[2], page, flags=re.DOTALL)
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
"""intervals.py [--runs N] [--case CASE] [--only SET] [--write]: do intervals of weights cover?

Each set is a population: made up, or a set of ../shared/data/more. The truth is the minimiser of
the penalised loss on all of it, by the exact solver. A run draws rows from it with replacement and
trains on them privately (delta 1e-6). An interval covers if the truth is in it. Bounds are those of
the population.

A case is a solver and a loss. With squared loss the target of a set of classes is their number.
With logistic loss the classes of a made-up set are drawn, by a logistic law of its target; those of
a file are what is above the median, or the two that it has.

Results are kept in a file (--keep) after each cell of a set and an epsilon, whose runs go on where
they ended. --write puts the tables into docs/notes/intervals.md. Needs numpy.
"""

import argparse
import csv
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import textwrap

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SOTTO = os.environ.get("SOTTO") or os.path.join(HERE, "..", "build", "sotto")
PAGE = os.path.join(HERE, "..", "docs", "notes", "intervals.md")
EPSILONS = ("0.3", "1", "3")
USUAL = ["--l2", "1e-5", "--ledger", "none", "--quiet"]
UNITS = ["--penalty-units", "fit"]  # ssp has no others, and refuses the option
CASES = {"ssp": ("ssp", "squared"), "auto squared": ("auto", "squared"),
         "auto logistic": ("auto", "logistic")}
POPULATION = 50000
Z90, Z95 = 1.6448536269514722, 1.959963984540054

# name: rows that a run draws; the four last ones were looked at once, when the rules stood
MADE = {"well": 5000, "well, many rows": 50000, "ill": 5000, "heavy tails": 5000,
        "separated classes": 5000, "uneven residuals": 20000, "skewed residuals": 5000,
        "levels": 5000, "very heavy tails": 10000, "a count": 15000, "patients": 15000,
        "categories": 5000, "a rare level": 10000, "many categories": 20000}
NOT_OF = {"ssp": ("skewed residuals", "levels", "very heavy tails", "adult, six columns", "adult"),
          "auto squared": (),
          "auto logistic": ()}
FILES = ("kin8nm", "elevators", "mammography", "pendigits", "house8L", "puma32H", "waveform",
         "credit-g")
LAST = FILES[4:]
RAW = {"adult, six columns": ("age", "education-num", "hours-per-week", "relationship", "race",
                              "sex"),
       "adult": None}
MIXED = ("categories", "a rare level", "many categories", *RAW)  # these have tables of their own


def skewed(rng, p):
    x = rng.standard_normal((POPULATION, p))
    weight = rng.standard_normal(p)
    residual = (rng.lognormal(0, 1, POPULATION) - np.exp(.5)) * np.exp(.5 * x[:, 0])
    return x, x @ weight + 1.5 * np.clip(residual, -20, 20)


def levels(rng, p):
    """Six numbers, and a category of 60, 30, 8 and 2 % without its first level."""
    x = rng.standard_normal((POPULATION, p - 4))
    level = np.eye(4)[rng.choice(4, POPULATION, p=[.6, .3, .08, .02])]
    y = x @ rng.standard_normal(p - 4) + level @ np.array([0, 1, -1, 2])
    return np.c_[x, level[:, 1:]], y + 1.5 * rng.standard_normal(POPULATION)


def very_heavy(rng, p):
    x = np.clip(rng.standard_t(2.5, (POPULATION, p)), -20, 20)
    weight = rng.standard_normal(p)
    return x, x @ weight + 1.5 * np.clip(rng.standard_t(2.5, POPULATION), -30, 30)


def a_count(rng, p):
    """Numbers, and how often something has happened: mostly never or once, seldom very often. The
    longest rows point along it."""
    x = rng.standard_normal((POPULATION, p))
    x[:, 1] = np.clip(rng.geometric(.4, POPULATION) - 1, 0, 20)
    y = x @ np.r_[.5, .5, .3 * rng.standard_normal(p - 2)]
    return x, y + 1.5 * rng.standard_normal(POPULATION)


def patients(_, __):
    """Age and visits of the demo's patients, and who is readmitted. Visits are counted, and seldom
    many; those who have come often are nearly sure to come again."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(HERE, "..", "tools", "patients.py"), folder],
                       check=True, capture_output=True)
        with open(os.path.join(folder, "patients.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    x = np.array([[float(row["age"]), float(row["visits"])] for row in rows])
    return x, np.array([1 if row["readmitted"] == "yes" else -1 for row in rows])


def mixed(rng, numbers, parts):
    """Numbers, and a category for each list of the parts that its levels have. The first number is
    larger where a category is at its first level."""
    x = rng.standard_normal((POPULATION, numbers))
    y = x @ rng.standard_normal(numbers)
    columns = list(x.T)
    for part in parts:
        level = rng.choice(len(part), POPULATION, p=part)
        y = y + rng.standard_normal(len(part))[level]
        columns[0] = columns[0] + .5 * (level == 0)
        columns.append(np.array([f"v{one}" for one in range(len(part))])[level])
    return columns, y + 1.5 * rng.standard_normal(POPULATION)


MORE = {"skewed residuals": skewed, "levels": levels, "very heavy tails": very_heavy,
        "a count": a_count, "patients": patients,
        "categories": lambda rng, p: mixed(rng, 4, [[.3, .25, .2, .15, .1], [.5, .3, .2]]),
        "a rare level": lambda rng, p: mixed(rng, 4, [[.5, .3, .15, .04, .01], [.6, .3, .1]]),
        "many categories": lambda rng, p: mixed(rng, 3, [[.4, .3, .2, .1], [.5, .3, .2], [.7, .3],
                                                         [.25] * 4])}


def make(name):
    """Rows and targets of a made-up population."""
    rng = np.random.default_rng(5)
    p = 10
    if name in MORE:
        return MORE[name](np.random.default_rng(7), p)
    x, noise = rng.standard_normal((2, POPULATION, p))
    noise = noise[:, 0]
    weight = rng.standard_normal(p)
    if name == "ill":
        turn = np.linalg.qr(rng.standard_normal((p, p)))[0]
        x = x * np.logspace(0, -2, p) @ turn.T
    if name == "heavy tails":
        x = np.clip(rng.standard_t(3, x.shape), -8, 8)
    if name == "separated classes":
        y = rng.integers(0, 2, POPULATION) * 2 - 1
        x[:, 0] += 3 * y
        x[:, 1] += 2 * y
        return np.clip(x, -6, 6), y
    if name == "uneven residuals":
        x = rng.uniform(-1, 1, x.shape)
        noise *= 3 * abs(x[:, 0])
    return x, x @ weight + 1.5 * noise


def read(name, data):
    with gzip.open(os.path.join(data, "more", f"{name}.csv.gz"), "rt", encoding="utf-8") as file:
        rows = np.array([line.split(",") for line in file.read().splitlines()[1:]], dtype=float)
    return rows[:, :-1], rows[:, -1]


def read_raw(name, data):
    """Columns of texts are categories."""
    path = os.path.join(data, "adult", "adult_raw.train.csv")
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    y = np.array([float(row["target"]) for row in rows])
    columns = {one: np.array([row[one] for row in rows]) for one in RAW[name] or rows[0]
               if one != "target"}
    for one, values in columns.items():
        if all(value.lstrip("-").isdigit() for value in values):
            columns[one] = values.astype(float)
    return list(columns.values()), y


def classes(name, y):
    """Two of them, -1 and 1."""
    if len(set(y)) == 2:
        return np.where(y == max(y), 1, -1)
    if name in FILES:
        return np.where(y > np.median(y), 1, -1)
    chance = 1 / (1 + np.exp(-1.5 * (y - y.mean()) / y.std()))
    return np.where(np.random.default_rng(3).random(len(y)) < chance, 1, -1)


def bounds(column):
    low, high = float(column.min()), float(column.max())
    return [low, high if high > low else low + 1]


def declared(values):
    if values.dtype.kind == "U":
        return {"type": "category", "levels": sorted(set(values))}
    return {"type": "number", "bounds": bounds(values)}


def level_sums(columns, weights):
    """The minimiser's levels of a category add up to 0. The exact solver ends where the objective is
    close enough, and the penalty alone holds them."""
    at = 0
    for column in columns.values():
        if column["type"] == "category":
            mean = np.mean(weights[at:at + len(column["levels"])])
            weights[-1] += mean
            for j in range(at, at + len(column["levels"])):
                weights[j] -= mean
        at += len(column.get("levels", (0,)))
    return [float(weight) for weight in weights]


def train(path, schema, out, *args):
    """The model's file. A private model is never replaced, so it is removed."""
    subprocess.run([SOTTO, "train", path, "--schema", schema, *USUAL, *args, "-o", out], check=True,
                   capture_output=True)
    with open(out, encoding="utf-8") as file:
        model = json.load(file)
    for name in (out, out + ".spent"):
        if os.path.exists(name):
            os.remove(name)
    return model


class Set:
    """A population with its truth, and one run after the other."""

    def __init__(self, name, case, data, folder):
        self.solver, self.loss = CASES[case]
        x, y = (make(name) if name in MADE else read_raw(name, data) if name in RAW else
                read(name, data))
        if self.loss == "logistic":
            y = classes(name, y)
        x = list(x) if isinstance(x, list) else list(x.T)
        names = [f"x{j}" for j in range(len(x))]
        self.header = ",".join([*names, "y"])
        texts = [one if one.dtype.kind == "U" else [f"{value:.9g}" for value in one]
                 for one in [*x, y]]
        self.lines = [",".join(row) for row in zip(*texts)]
        self.rows = MADE.get(name) or int(.8 * len(y))
        self.file, self.schema = os.path.join(folder, "rows.csv"), os.path.join(folder, "s.json")
        self.model = os.path.join(folder, "m.json")
        columns = {one: declared(values) for one, values in zip(names, x)}
        columns["y"] = {"type": "target"} | (
            {"classes": ["-1", "1"]} if self.loss == "logistic" else {"bounds": bounds(y)})
        with open(self.schema, "w", encoding="utf-8") as file:
            json.dump({"sotto_schema": 1, "columns": columns}, file)
        self.write(self.lines)
        told = train(self.file, self.schema, self.model, "--loss", self.loss, "--solver", "exact",
                     "--epsilon", "inf", *UNITS)
        self.truth = level_sums(columns, [*told["weights"], told["intercept"]])

    def write(self, lines):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("\n".join([self.header, *lines]) + "\n")

    def run(self, seed, epsilon):
        self.write(random.Random(seed).choices(self.lines, k=self.rows))
        told = train(self.file, self.schema, self.model, "--loss", self.loss, "--solver",
                     self.solver, "--epsilon", epsilon, "--delta", "1e-6",
                     *(UNITS if self.solver == "auto" else ()))
        part = told.get("intervals", {})  # a constant alone has none
        errors = [*part["errors"], part["intercept"]] if "errors" in part else [0] * len(self.truth)
        middles = [*told["weights"], told["intercept"]]
        for j, by in part.get("moved", {}).items():
            middles[-1 if j == "intercept" else int(j) - 1] += by
        return [middles, errors]


def save(kept, path):
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(kept, file)
    os.replace(path + ".new", path)


def measure(name, case, runs, data, kept, keep):
    cells = kept.setdefault(case, {}).setdefault(name, {"truth": [], "rows": 0, "runs": {}})
    if all(len(cells["runs"].get(epsilon, ())) >= runs for epsilon in EPSILONS):
        return
    with tempfile.TemporaryDirectory() as folder:
        one = Set(name, case, data, folder)
        cells["truth"], cells["rows"] = one.truth, one.rows
        for epsilon in EPSILONS:
            done = cells["runs"].setdefault(epsilon, [])
            while len(done) < runs:
                done.append(one.run(f"{name} {epsilon} {len(done)}", epsilon))
                if len(done) % 20 == 0:
                    save(kept, keep)
    save(kept, keep)


def cell(truth, runs):
    """Coverage at 90 and 95 %, the least of a weight, the share kept, the width over the spread."""
    weight, error = np.array(runs)[:, 0], np.array(runs)[:, 1]
    given, off = error > 0, abs(weight - np.array(truth))
    often = [j for j in range(len(truth)) if given[:, j].sum() >= max(20, len(runs) / 4)]
    out = {"kept": given.mean(), "count": int(given.sum()), "inside": int((off < Z90 * error).sum()),
           "inside95": int((off < Z95 * error).sum()), "least": None, "width": None}
    if often:
        out["least"] = min((off < Z90 * error)[given[:, j], j].mean() for j in often)
        out["width"] = float(np.median([error[given[:, j], j].mean() / weight[given[:, j], j].std()
                                        for j in often]))
    return out


def shown(one):
    if one["count"] == 0:
        return "none"
    words = f"{100 * one['inside'] / one['count']:.0f}"
    if one["least"] is not None:
        words += f" ({100 * one['least']:.0f})"
    words += f", {100 * one['inside95'] / one['count']:.0f}"
    if one["width"] is not None:
        words += f"; {one['width']:.2f}"
    return words + f"; {100 * (1 - one['kept']):.0f}"


def tables(kept):
    lines = ["| set | rows | weights | " + " | ".join(f"epsilon {e}" for e in EPSILONS) + " |",
             "|---|---|---|" + "---|" * len(EPSILONS)]
    cover, least = [], []
    for name, cells in kept.items():
        row = [cell(cells["truth"], cells["runs"][epsilon]) for epsilon in EPSILONS]
        lines.append(f"| {name}{' *' if name in LAST else ''} | {cells['rows']} | "
                     f"{len(cells['truth'])} | " + " | ".join(shown(one) for one in row) + " |")
        count = sum(one["count"] for one in row)
        if count:
            cover.append(sum(one["inside"] for one in row) / count)
            least.append((cover[-1], name))
    runs = min(len(runs) for cells in kept.values() for runs in cells["runs"].values())
    words = (f"{runs} runs of each cell. Intervals of 90 % cover {100 * np.mean(cover):.1f} % in the "
             f"mean over the {len(cover)} sets that have some, each over its weights and epsilons, "
             f"and {100 * min(least)[0]:.1f} % at the least ({min(least)[1]}).")
    return "\n".join([*lines, "", *textwrap.wrap(words, 100)])


def put(case, text):
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    page, found = re.subn(rf"(<!-- intervals of {case} -->\n).*?(<!-- end of intervals -->)",
                          lambda m: m[1] + text + "\n" + m[2], page, flags=re.DOTALL)
    if found != 1:
        raise SystemExit(f"{PAGE}: no place for {case}")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--data", default=os.environ.get("SOTTO_DATA") or
                        os.path.join(HERE, "..", "..", "shared", "data"))
    parser.add_argument("--keep", default=os.path.join(HERE, "..", "build", "bench-intervals.json"))
    parser.add_argument("--case", action="append", choices=CASES)
    parser.add_argument("--only", action="append", help="a set")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    kept = {}
    if os.path.exists(args.keep):
        with open(args.keep, encoding="utf-8") as file:
            kept = json.load(file)
    names = [*MADE, *FILES, *RAW]
    os.makedirs(os.path.dirname(os.path.abspath(args.keep)), exist_ok=True)
    for case in args.case or CASES:
        for name in args.only or [one for one in names if one not in NOT_OF[case]]:
            measure(name, case, args.runs, args.data, kept, args.keep)
    for case in args.case or CASES:
        for title, some in ((case, [name for name in names if name not in MIXED]),
                            (f"{case}, categories", MIXED)):
            cells = {name: kept[case][name] for name in some if name in kept[case]}
            if cells:
                text = tables(cells)
                print(f"{title}\n{text}")
                if args.write:
                    put(title, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

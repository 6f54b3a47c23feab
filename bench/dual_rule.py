#!/usr/bin/python3
"""How far the defaults of `scd` are from settings that were tuned: named sets, and generated tables.

    dual_rule.py [--build build] [--out FILE] grid|default|table [NAME...] [--epsilon E...] [--runs N]
                 [--seed N]

`grid` finds the best batch rate, passes and clip, and judges it by fresh runs; `default` runs the defaults; `table` prints both. FILE (BUILD/dual_rule.json) keeps what was
found: run again after an interruption, it goes on; another seed of the runs that judge needs another
FILE. A name is SET or SET:LOSS; the loss is the hinge.

Rows are of norm at most 1, there is no intercept, neighbours differ in a replaced record, n is
declared, delta = 1/n^2. An error is (F - F*)/F* on the rows of the training, with F* of the exact
solver. Runs have fixed seeds, so none of it is private. Sets have l2 = 1/n; `l2=V` is a generated
table of 10,000 rows with that l2, `n=V` one of that many rows with l2 = 1e-4.
"""
import argparse
import itertools
import json
import os
import subprocess
import tempfile
import time

import numpy as np

import families
import hinge

GRID = (.002, .01, .05), (15, 40, 150, 400), (.01, .03, .1, .3, 1.)  # rates, passes, clip x passes
SETS = ("elec_std", "elec_raw", "pendigits", "waveform")
KNOBS = tuple(f"l2={v}" for v in ("1e-2", "1e-3", "1e-4", "1e-5", "1e-6")) + tuple(
    f"n={v}" for v in ("1000", "3000", "10000", "30000", "100000"))
GRID_RUNS, GRID_SEED, TUNED_SEED, DEFAULT_SEED = 3, 1, 1001, 2001


def made(name):
    """The rows, before they are shortened, and l2."""
    knob, _, value = name.partition("=")
    if not value:
        x, y = hinge.rows_of(name)
        return x, y, 1 / len(y)
    rows, l2 = (10000, float(value)) if knob == "l2" else (int(value), 1e-4)
    x, y = families.generated("logistic", n=rows)
    return (x - x.mean(0)) / x.std(0), y, l2


class Problem:
    """A table in a folder, and its objective."""

    def __init__(self, folder, build, name):
        self.folder, self.build = folder, build
        set_name, _, loss = name.partition(":")
        self.loss = loss or "hinge"
        x, self.y, self.l2 = made(set_name)
        self.x = x / np.maximum(1, np.linalg.norm(x, axis=1))[:, None] * (1 - 1e-9)
        self.rows, self.features = self.x.shape
        np.save(os.path.join(folder, "rows.npy"), np.column_stack([self.x, self.y]))
        self.least = self.objective(self.exact())

    def objective(self, w):
        m = self.y * (self.x @ w)
        values = {"hinge": lambda: np.maximum(0, 1 - m), "squared": lambda: (1 - m)**2 / 2,
                  "logistic": lambda: np.logaddexp(0, -m)}[self.loss]()
        return values.mean() + self.l2 / 2 * (w @ w)

    def exact(self):
        subprocess.run([os.path.join(self.build, "sotto"), "train", "rows.npy", "--target",
                        str(self.features + 1), "--loss", self.loss, "--l2", repr(self.l2),
                        "--no-intercept", "--epsilon", "inf", "--quiet", "-o", "m.json"],
                       cwd=self.folder, check=True)
        with open(os.path.join(self.folder, "m.json"), encoding="utf-8") as file:
            return np.array(json.load(file)["weights"])

    def errors(self, runs, seed, epsilon, **settings):
        options = {"target": self.features + 1, "loss": self.loss, "l2": repr(self.l2),
                   "intercept": "no", "epsilon": repr(epsilon), "delta": repr(1 / self.rows**2),
                   "adjacency": "replace-one", "rows": self.rows, "solver": "scd", "threads": 1,
                   "insecure-seed": seed} | settings
        out = subprocess.run([os.path.join(self.build, "bench", "bench_repeat"), str(runs), "rows.npy",
                              *(f"{k}={v}" for k, v in options.items())], cwd=self.folder, check=True,
                             stdout=subprocess.PIPE).stdout
        return [self.objective(w[:-1]) / self.least - 1 for w in np.frombuffer(out).reshape(runs, -1)]


class Found:
    """What was found so far, in a file."""

    def __init__(self, path):
        self.path, self.entries = path, {}
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                self.entries = json.load(file)

    def get(self, key, make, **more):
        if key not in self.entries:
            start = time.perf_counter()
            errors = make()
            self.entries[key] = {"mean": np.mean(errors), "se": np.std(errors) / len(errors)**.5,
                                 "seconds": (time.perf_counter() - start) / len(errors)} | more
            with open(self.path + ".new", "w", encoding="ascii") as file:
                json.dump(self.entries, file, indent=0)
            os.replace(self.path + ".new", self.path)
        return self.entries[key]


def settings_at(place):
    rate, passes, travel = (axis[k] for axis, k in zip(GRID, place))
    return {"batch-rate": rate, "passes": passes, "clip": travel / passes}


def neighbours(place):
    for axis, step in itertools.product(range(len(GRID)), (-1, 1)):
        if 0 <= place[axis] + step < len(GRID[axis]):
            yield tuple(k + step * (i == axis) for i, k in enumerate(place))


def words(settings):
    return " ".join(f"{k}={v:g}" for k, v in settings.items())


def tuned(found, problem, name, epsilon, runs, seed):
    """The best of the grid by 3 runs each, judged by fresh ones. From its middle on, the neighbours of
    the best so far are tried, until none is better."""
    def mean(place):
        settings = settings_at(place)
        return found.get(f"{name} {epsilon:g} grid {words(settings)}", lambda: problem.errors(
            GRID_RUNS, GRID_SEED, epsilon, **settings))["mean"]

    here, before = (1, 2, 2), None
    while here != before:
        before = here
        here = min((here, *neighbours(here)), key=mean)
    settings = settings_at(here)
    return found.get(f"{name} {epsilon:g} tuned", lambda: problem.errors(
        runs, seed or TUNED_SEED, epsilon, **settings), settings=words(settings))


def default(found, problem, name, epsilon, runs, seed):
    return found.get(f"{name} {epsilon:g} default", lambda: problem.errors(
        runs, seed or DEFAULT_SEED, epsilon))


def table(found, names, epsilons):
    for name, epsilon in itertools.product(names, epsilons):
        best, ours = (found.entries.get(f"{name} {epsilon:g} {kind}") for kind in ("tuned", "default"))
        if best and ours:
            print(f"| {name} | {epsilon:g} | {ours['mean']:.5f} ({ours['se']:.5f}) | {best['mean']:.5f} "
                  f"({best['se']:.5f}) | {ours['mean'] / best['mean']:.2f} | {ours['seconds']:.1f} "
                  f"| {best['settings']} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(families.ROOT, "build"))
    parser.add_argument("--out")
    parser.add_argument("what", choices=("grid", "default", "table"))
    parser.add_argument("names", nargs="*", default=SETS + KNOBS)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[.3, 1., 3.])
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    found = Found(args.out or os.path.join(build, "dual_rule.json"))
    if args.what == "table":
        return table(found, args.names, args.epsilon)
    for name in args.names:
        with tempfile.TemporaryDirectory() as folder:
            problem = Problem(folder, build, name)
            for epsilon in args.epsilon:
                run = tuned if args.what == "grid" else default
                print(name, epsilon, run(found, problem, name, epsilon, args.runs, args.seed),
                      flush=True)
    return None


if __name__ == "__main__":
    main()

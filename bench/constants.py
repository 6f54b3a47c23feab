#!/usr/bin/python3
"""What private smoothness constants cost `--solver cd`, on columns as they stand in the file.

Each set is solved with constants that are given (the exact mean squares, as the papers have it) and
with constants that are bought, the same objective, the same schema: it declares, for each column,
--loose times its largest size. california and electricity are the named problems, with their
penalty in the file's units; the others have an L2 penalty of 1/n in the units of the bounds. No
intercept, replace-one, delta = 1/n^2. Clip, step size, averaging and the number of passes (10 or
50) are tuned without privacy, for each entry by itself. An error is (F - F*)/F*.

    constants.py --build build [NAME...] [--runs N] [--epsilon E...] [--loose L...]
                 [--smoothness private|private:SHARE] [--solver cd|gcd]

writes a table: mean and standard error with given constants, the same with bought ones, the ratio.
Sets that are not in the data directory are left out.
"""
import argparse
import gzip
import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from experiments.data import CURVATURE, ROOT, Maker, named, write_schema  # noqa: E402
from experiments.engine import Engine, Log  # noqa: E402
from experiments.solvers import cd_axes, gcd_axes  # noqa: E402
from experiments.tuning import Axis, Effort, Study  # noqa: E402

NAMED = ("cal_imb", "elec_imb", "cal_std", "elec_std")
MORE = {"house8L": ("more/house8L.csv.gz", "squared"),
        "elevators": ("more/elevators.csv.gz", "squared"),
        "kin8nm": ("more/kin8nm.csv.gz", "squared"),
        "puma32H": ("more/puma32H.csv.gz", "squared"),
        "diabetes": ("diabetes/diabetes_raw.csv", "squared"),
        "mammography": ("more/mammography.csv.gz", "logistic"),
        "pendigits": ("more/pendigits.csv.gz", "logistic"),
        "breast": ("breast_cancer/breast_cancer.csv", "logistic")}
PASSES = {"cd": (10, 50), "gcd": (4, 20)}


def read(data, name):
    """Features, and a target that is at most 1 in size, or two classes."""
    file, loss = MORE[name]
    path = os.path.join(data, file)
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as text:
        table = np.loadtxt(text, delimiter=",", skiprows=1)
    x, y = table[:, :-1], table[:, -1]
    if loss == "squared":
        return x, y / abs(y).max(), loss
    return x, np.where(y % 2 == 1 if name == "pendigits" else y == y.max(), 1., -1.), loss


class Set:
    """A problem with its schemas, and the words that are common to all its runs."""

    def __init__(self, maker, data, name):
        if name in MORE:
            x, y, loss = read(data, name)
            self.problem = maker.problem(name, name, x, y, loss, 0., 1 / len(y))
        else:
            self.problem = maker.make(name)
            x = np.load(maker.path(self.problem.file))[:, :-1]
        self.name, self.maker, self.largest = name, maker, abs(x).max(0)
        self.squares = CURVATURE[self.problem.loss] * (x**2).mean(0)
        self.clip = self.problem.clip["bounds"]

    def declare(self, loose):
        """The words of runs, and of the exact solver, with such bounds."""
        bound, stem = loose * self.largest, f"{self.name}.{loose:g}"
        write_schema(self.maker.path(stem + ".schema"), bound)
        np.savetxt(self.maker.path(stem + ".M"), self.squares / bound**2, fmt="%.17g")
        self.problem.clip["bounds"] = self.clip * 2 / loose
        words = {**self.problem.words(), "intercept": "no"}
        if self.name in MORE:
            words["schema"] = stem + ".schema"
            return words, words
        return {**words, "schema": stem + ".schema", "penalty-units": "file"}, words

    def study(self, a, words, judge, smoothness, passes, epsilon):
        p = self.problem
        steps = passes * p.features if a.solver == "cd" else passes
        axes = ({**cd_axes(p, False, "bounds"), "average": Axis.of(0, .5, coarse=[1])}
                if a.solver == "cd" else gcd_axes(p, False))
        words = words | {"threads": 1, "adjacency": "replace-one", "rows": p.rows,
                         "solver": a.solver, "epsilon": f"{epsilon:g}", "delta": repr(p.delta),
                         "steps": steps, "smoothness": smoothness}
        return Study(judge, smoothness, judge, p.file, words, axes, "constants", passes, epsilon)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--data")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[.3, 1, 3])
    parser.add_argument("--loose", type=float, nargs="+", default=[2, 20])
    parser.add_argument("--smoothness", default="private")
    parser.add_argument("--solver", choices=PASSES, default="cd")
    a = parser.parse_args()
    a.data = named.find_data_dir(a.data)
    for name in a.names:
        if name not in (*NAMED, *MORE):
            parser.error(f"no such set: {name}; there are {', '.join((*NAMED, *MORE))}")
    if not a.data:
        sys.exit("constants: no data directory: expected --data DIR")
    return a


def studies_of(a, maker, engine):
    for name in a.names or (*NAMED, *MORE):
        if name in MORE and not os.path.exists(os.path.join(a.data, MORE[name][0])):
            print(f"{name} is left out: {MORE[name][0]} is not there", file=sys.stderr)
            continue
        one = Set(maker, a.data, name)
        if name in NAMED and a.solver == "gcd":
            continue              # its penalty is in the units of the fit
        for loose in a.loose:
            words, exact = one.declare(loose)
            judge = f"{name}, {loose:g} x"
            engine.problem(judge, one.problem.file, "", exact | {"epsilon": "inf"})
            for epsilon in a.epsilon:
                for passes in PASSES[a.solver]:
                    for smoothness in (f"{name}.{loose:g}.M", a.smoothness):
                        yield one.study(a, words, judge, smoothness, passes, epsilon)


def show(a, found):
    best = {}
    for study, _, result in found:
        key = (study.problem, study.epsilon, study.solver == a.smoothness)
        if "failed" in result:
            sys.exit(f"constants: {study.key()}: {result['failed']}")
        if key not in best or result["mean"] < best[key]["mean"]:
            best[key] = result
    print("| set, bounds | epsilon | given | bought | ratio |\n|---|---|---|---|---|")
    for problem, epsilon, bought in best:
        if not bought:
            one, other = best[problem, epsilon, False], best[problem, epsilon, True]
            cells = [f"{r['mean']:.3g} ± {r['std'] / r['runs']**.5:.1g}" for r in (one, other)]
            print(f"| {problem} | {epsilon:g} | {' | '.join(cells)} | "
                  f"{other['mean'] / one['mean']:.2f} |")


def main():
    a = arguments()
    program = os.path.join(os.path.abspath(a.build), "bench", "bench_reproduce")
    with tempfile.TemporaryDirectory() as folder:
        log = Log(os.path.join(folder, "cells.jsonl"), {})
        engine = Engine(program, folder, log, len(os.sched_getaffinity(0)))
        effort = Effort(coarse=2, refine=4, moves=3, check=10, best=3, final=a.runs)
        try:
            studies = list(studies_of(a, Maker(folder, a.data), engine))
            found = engine.run(studies, effort)
        except BaseException:
            engine.stop()
            raise
        engine.close()
    show(a, found)


if __name__ == "__main__":
    main()

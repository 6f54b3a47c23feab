#!/usr/bin/python3
"""More than two classes and many features: all of them at once, or a few that are chosen.

    bench/classes_wide.py [--build build] [--runs 20] [--epsilon 1 3] [--write]

Two sets. `sparse` is drawn here: 10,000 rows, 2,000 columns of which 10 matter, 4 classes. `noisy` is
pendigits with 500 columns of noise. Test accuracy, means of the runs with their standard error, as
bench/classes.py has it: of all features (`--path dense`, which takes up to 1,000) and of `auto` with a
small --l1, which then chooses features. With --write the table goes into docs/notes/auto.md.
"""
import argparse
import os
import tempfile

import numpy as np

import classes
from classes_oracle import Kept

WAYS = (("dense", ("--path", "dense")), ("auto --l1 0.0005", ("--l1", "0.0005")))
MOST_DENSE = 1000


def sparse(rows=12500, columns=2000, count=4, relevant=10):
    draw = np.random.default_rng(17)
    x, weights = draw.standard_normal((rows, columns)), np.zeros((columns, count))
    weights[draw.choice(columns, relevant, replace=False)] = 1.5 * draw.standard_normal((relevant, count))
    return x, np.argmax(x @ weights + draw.gumbel(size=(rows, count)), 1)


def noisy(columns=500):
    x, y = classes.load("pendigits")
    return np.column_stack([x, np.random.default_rng(5).standard_normal((len(y), columns)) * x.std()]), y


class Problem(classes.Problem):
    more = ()

    def data(self, name):
        return {"sparse": sparse, "noisy": noisy}[name]()

    def put(self, name, y, yt, labels):
        if name == "all":  # none of one class against the others
            super().put(name, y, yt, labels)

    def train(self, name, out, *args):
        super().train(name, out, *args, *self.more)


def cell(problem, kept, epsilon, way, more, runs):
    if way == "dense" and problem.x.shape[1] > MOST_DENSE:
        return "refused"
    problem.more = more
    found = [kept.get(f"{problem.name} {epsilon:g} {way} {s}", lambda s=s: problem.private(epsilon, s))
             for s in range(1, runs + 1)]
    return f"{np.mean(found):.3f} ({np.std(found) / len(found) ** .5:.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(classes.ROOT, "build"))
    parser.add_argument("--keep", default=os.path.join(classes.ROOT, "build", "classes_wide.json"))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--epsilon", type=float, nargs="*", default=[1, 3])
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    kept = Kept(args.keep)
    lines = [f"| means of {args.runs} runs; set: rows x columns, classes | " + " | ".join(
        f"epsilon {e:g}: {way}" for e in args.epsilon for way, _ in WAYS) + " |",
             "|---" * (1 + 2 * len(args.epsilon)) + "|"]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("sparse", "noisy"):
            problem = Problem(folder, os.path.abspath(args.build), name)
            lines.append(f"| {name} {problem.rows:,} x {problem.x.shape[1]:,}, {problem.classes} | " +
                         " | ".join(cell(problem, kept, e, way, more, args.runs)
                                    for e in args.epsilon for way, more in WAYS) + " |")
            print(lines[-1], flush=True)
    if args.write:
        classes.write_table("wide", lines)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""How good private support vector machines of more than two classes are: one-versus-rest.

    bench/classes_svm.py [--build build] [--runs 20] [--epsilon .1 1 3] [--write] [SET...]

Test accuracy, means of the runs with their standard error, as bench/classes.py has it: of `--loss
hinge` and of `--loss logistic --multiclass one-versus-rest`, exact and private, beside the private
multinomial model. With --write the table goes into docs/notes/hinge.md.
"""
import argparse
import concurrent.futures
import os
import tempfile

import numpy as np

import classes

WAYS = (("hinge", ("--loss", "hinge")),
        ("logistic, one-versus-rest", ("--multiclass", "one-versus-rest")),
        ("multinomial", ()))
PAGE = os.path.join(classes.ROOT, "docs", "notes", "hinge.md")


class Problem(classes.Problem):
    more = ()

    def put(self, name, y, yt, labels):
        if name == "all":  # none of one class against the others
            super().put(name, y, yt, labels)

    def train(self, name, out, *args):
        super().train(name, out, *args, *self.more)


def cells(problem, more, runs, epsilons, workers):
    problem.more = more
    yield f"{problem.exact():.3f}"
    for epsilon in epsilons:
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            found = np.array(list(pool.map(lambda s: problem.private(epsilon, s),
                                           range(1, runs + 1))))
        yield f"{found.mean():.3f} ({found.std() / runs ** .5:.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=classes.SETS)
    parser.add_argument("--build", default=os.path.join(classes.ROOT, "build"))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--epsilon", type=float, nargs="*", default=[.1, 1, 3])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    lines = ["| set: rows x columns, classes | model | exact | " +
             " | ".join(f"epsilon {e:g}" for e in args.epsilon) + " |",
             "|---" * (3 + len(args.epsilon)) + "|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets or classes.SETS:
            problem = Problem(folder, os.path.abspath(args.build), name)
            shape = f"{name} {problem.rows:,} x {problem.x.shape[1]}, {problem.classes}"
            for way, more in WAYS:
                lines.append(f"| {shape} | {way} | " + " | ".join(
                    cells(problem, more, args.runs, args.epsilon, args.workers)) + " |")
                print(lines[-1], flush=True)
    if args.write:
        classes.write_table("classes", [f"Means of {args.runs} runs.", "", *lines], PAGE)


if __name__ == "__main__":
    main()

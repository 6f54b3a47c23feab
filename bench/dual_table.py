#!/usr/bin/python3
"""DP-SCD, with the dual hidden and as its paper has it, and others: accuracy and MSE by epsilon.

  dual_table.py --data DIR [--runs N] [--epsilon E,...] [--task NAME,...] [--solver NAME,...] [NAME=VALUE...]

Adult (81 columns) and a9a, logistic and hinge loss: the mean accuracy on the test set; California
ridge: the mean squared error on every fifth row, which is not trained on. delta = 0.001, add-remove, the
number of rows declared, rows shortened to norm 1, default settings. Maps of columns are public
constants. Solvers that this build does not have are left out with a message.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("SOTTO") or os.path.join(ROOT, "build", "sotto")
DELTA = "1e-3"
NONE = "exact"


def rows_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return np.loadtxt(file, delimiter=",", skiprows=1)


def adult(folder):
    centre = np.array([38, 10, 0, 0, 40.])
    half = np.array([40, 6, 20000, 2500, 40.])

    def read(name):
        table = rows_of(os.path.join(folder, "adult", name))
        table[:, :5] = np.clip((table[:, :5] - centre) / half, -1, 1)
        return table[:, :-1], table[:, -1]
    return read("adult81.train.csv.gz"), read("adult81.test.csv")


def a9a(folder):
    def read(name):
        with open(os.path.join(folder, "a9a", name), encoding="utf-8") as file:
            lines = [line.split() for line in file]
        x = np.zeros((len(lines), 123))
        for i, line in enumerate(lines):
            for word in line[1:]:
                j, value = word.split(":")
                x[i, int(j) - 1] = float(value)
        return x, np.array([float(line[0]) for line in lines])
    return read("a9a.svm"), read("a9a.t.svm")


def california(folder):
    table = rows_of(os.path.join(folder, "california", "california.csv"))
    centre = np.array([4, 30, 5.5, 1.1, 1500, 3, 35.5, -119.5])
    half = np.array([4, 22, 3, .3, 1500, 2, 4, 4])
    x = np.clip((table[:, :-1] - centre) / half, -1, 1)
    y = np.clip((table[:, -1] - 2) / 3, -1, 1)
    test = np.arange(len(y)) % 5 == 0
    return (x[~test], y[~test]), (x[test], y[test])


# name: reader, loss, l2
TASKS = {"adult logistic": (adult, "logistic", 1e-3),
         "adult hinge": (adult, "hinge", 1e-3),
         "a9a logistic": (a9a, "logistic", 1e-3),
         "a9a hinge": (a9a, "hinge", 1e-3),
         "california ridge": (california, "squared", 1e-2)}


def shortened(x):
    return x / np.maximum(1, np.linalg.norm(x, axis=1))[:, None]


def quality(w, x, y, loss):
    score = x @ w
    return ((score - y)**2).mean() if loss == "squared" else ((score > 0) == (y > 0)).mean()


def settings_of(solver, folder, shape):
    """DP-SGD on rows of norm 1, in units in which the logistic loss has smoothness 1: no record's gradient is
    longer than the clip, and steps are stable."""
    if solver != "sgd":
        return []
    path = os.path.join(folder, "constants")
    np.savetxt(path, np.full(shape[1], .25))
    return ["smoothness=" + path, "clip=2", "step-size=1", "decay=0.01"]


def train(folder, solver, loss, l2, shape, epsilon, runs, more):
    """The weights of each run: by the program for the exact solver, else by bench_repeat."""
    common = ["target=" + str(shape[1] + 1), "loss=" + loss, "l2=" + repr(l2), "intercept=no"]
    if solver == NONE:
        words = [word for pair in common[:3] for word in ("--" + pair.split("=")[0],
                                                          pair.split("=")[1])]
        model = os.path.join(folder, "model.json")
        done = subprocess.run([PROGRAM, "train", os.path.join(folder, "rows.npy"), "--ledger", "none", *words,
                               "--no-intercept", "--quiet", "--solver", solver, "-o", model],
                              capture_output=True, text=True)
        if done.returncode:
            return None, done.stderr.strip()
        with open(model, encoding="utf-8") as file:
            return np.array([json.load(file)["weights"]]), ""
    repeat = os.path.join(os.path.dirname(PROGRAM), "bench", "bench_repeat")
    done = subprocess.run([repeat, str(runs), os.path.join(folder, "rows.npy"), *common,
                           "solver=" + solver, "rows=" + str(shape[0]), "epsilon=" + epsilon,
                           "delta=" + DELTA, "threads=1", *settings_of(solver, folder, shape),
                           *more], capture_output=True)
    if done.returncode:
        return None, done.stderr.decode().strip()
    return np.frombuffer(done.stdout).reshape(runs, -1)[:, :-1], ""


def table(name, args, solvers, epsilons, more):
    reader, loss, l2 = TASKS[name]
    (x, y), (test_x, test_y) = reader(args.data)
    x, test_x = shortened(x), shortened(test_x)
    print(f"\n{name}: n = {len(y)}, p = {x.shape[1]}, l2 = {l2:g}, "
          f"{'test MSE' if loss == 'squared' else 'test accuracy'}, {args.runs} runs, mean (sd)")
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "rows.npy"), np.c_[x, y])
        for solver in [NONE] + solvers:
            cells = []
            for epsilon in epsilons[:1] if solver == NONE else epsilons:
                weights, message = train(folder, solver, loss, l2, x.shape, epsilon, args.runs,
                                         more)
                if weights is None:
                    cells = ["left out: " + message]
                    break
                got = [quality(w, test_x, test_y, loss) for w in weights]
                cells.append(f"{np.mean(got):.4f} ({np.std(got):.4f})")
            print(f"  {solver:10s} " + "  ".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=os.environ.get("SOTTO_DATA"))
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--epsilon", default="0.1,0.5,1,2")
    parser.add_argument("--task", default=",".join(TASKS))
    parser.add_argument("--solver", default="scd,scd-paper,sgd")
    args, more = parser.parse_known_args()
    if not args.data:
        sys.exit("expected --data DIR, with adult/, a9a/ and california/ in it")
    epsilons = args.epsilon.split(",")
    print("epsilon      " + "  ".join(f"{e:15s}" for e in epsilons))
    for name in args.task.split(","):
        table(name, args, args.solver.split(","), epsilons, more)


if __name__ == "__main__":
    main()

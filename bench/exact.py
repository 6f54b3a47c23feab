#!/usr/bin/python3
"""Race of the exact solver: seconds until the objective is within 1e-6 of the optimum.

Every solver gets its data in memory and is run at tighter and tighter tolerances; what counts is the
fastest run whose answer is good enough. LIBLINEAR's own program reads its file each time, so that
the time of a run that stops at once is taken off. No intercept: LIBLINEAR would penalise it.

    bench/exact.py [--build BUILD] [--rounds 3] [NAME ...]
"""
import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse
import sklearn.datasets
import sklearn.linear_model

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import problems  # noqa: E402  (found through the path set above)

WITHIN = 1e-6
TOLERANCES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]


def objective(race, w):
    X, y = race["X"], race["y"]
    m = X @ w
    loss = np.logaddexp(0, -y * m).mean() if race["loss"] == "logistic" else ((m - y) ** 2).mean() / 2
    return loss + race["l1"] * np.abs(w).sum() + race["l2"] / 2 * (w @ w)


def exact(race, args, tolerance):
    options = [] if race["path"].endswith(".svm") else ["target", "target"]
    done = subprocess.run([os.path.join(args.build, "tests", "exact_cli"), race["path"], *options,
                           "loss", race["loss"], "l1", repr(race["l1"]), "l2", repr(race["l2"]),
                           "tolerance", repr(tolerance), "rounds", str(args.rounds)],
                          check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    return found["seconds"], np.array(found["weights"])


def scikit(solver):
    def run(race, args, tolerance):
        n, best = len(race["y"]), np.inf
        strength = race["l1"] or race["l2"]
        if race["loss"] == "squared":
            model = sklearn.linear_model.Lasso(alpha=race["l1"], fit_intercept=False, tol=tolerance,
                                               max_iter=10000)
        else:
            model = sklearn.linear_model.LogisticRegression(
                penalty="l1" if race["l1"] else "l2", C=1 / (n * strength), solver=solver,
                fit_intercept=False, tol=tolerance,
                max_iter=100 if solver == "saga" else 3000)
        for _ in range(args.rounds):
            began = time.perf_counter()
            model.fit(race["X"], race["y"])
            best = min(best, time.perf_counter() - began)
        return best, np.ravel(model.coef_)
    return run


def liblinear(kind):
    def run(race, args, tolerance):
        n, best, empty = len(race["y"]), np.inf, np.inf
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model")
            command = ["liblinear-train", "-q", "-s", str(kind), "-c",
                       repr(1 / (n * (race["l1"] or race["l2"])))]
            for _ in range(args.rounds):
                for eps in (1e9, tolerance):
                    began = time.perf_counter()
                    subprocess.run(command + ["-e", repr(eps), race["svm"], model], check=True,
                                   capture_output=True)
                    took = time.perf_counter() - began
                    if eps == tolerance:
                        best = min(best, took)
                    else:
                        empty = min(empty, took)
            with open(model, encoding="ascii") as file:
                lines = file.read().split("\n")
        w = np.zeros(race["X"].shape[1])
        values = [float(v) for v in lines[lines.index("w") + 1:] if v.strip()]
        w[:len(values)] = values
        return best - empty, w if lines[2].split()[1] == "1" else -w
    return run


def load(path):
    if path.endswith(".svm"):
        return sklearn.datasets.load_svmlight_file(path, zero_based=False)
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, :-1].copy(), table[:, -1]


def unpack(path, folder):
    """LIBLINEAR reads no gzip."""
    if not path.endswith(".gz"):
        return path
    plain = os.path.join(folder, os.path.basename(path)[:-3])
    with gzip.open(path) as source, open(plain, "wb") as target:
        shutil.copyfileobj(source, target)
    return plain


def races(args, folder):
    data = problems.find_data_dir() or ""
    zipf = os.path.join(folder, "zipf.svm")
    second = [scikit(s) for s in ("lbfgs", "newton-cg", "newton-cholesky", "liblinear")]
    first = [scikit("liblinear"), scikit("saga")]
    names2 = ["lbfgs", "newton-cg", "newton-cholesky", "liblinear"]
    ridge = dict(zip(names2, second), **{"liblinear-train": liblinear(0)})
    lasso = dict(zip(["liblinear", "saga"], first), **{"liblinear-train": liblinear(6)})
    wide = {k: v for k, v in ridge.items() if k != "newton-cholesky"}
    yield "electricity l2=1/n", os.path.join(data, "electricity/electricity.csv"), "l2", None, ridge
    yield "a9a l2=1/n", os.path.join(data, "a9a/a9a.svm"), "l2", None, ridge
    yield ("dorothea l1=.01", os.path.join(data, "dorothea/dorothea.p88119.train.svm.gz"), "l1",
           .01, lasso)
    yield "zipf 1e5x1e5 l1=1e-4", zipf, "l1", 1e-4, lasso
    yield "zipf 1e5x1e5 l2=1/n", zipf, "l2", None, wide
    yield "zipf 1e5x1e5 lasso l1=1e-3", zipf, "l1", 1e-3, {"Lasso": scikit(None)}


def run_race(name, path, penalty, strength, rivals, args, folder):
    X, y = load(path)
    race = {"X": X, "y": y, "path": path, "loss": "squared" if "lasso" in name else "logistic",
            "l1": 0.0, "l2": 0.0, "svm": path}
    race[penalty] = strength or 1 / len(y)
    if not scipy.sparse.issparse(X):
        race["svm"] = os.path.join(folder, "dense.svm")
        sklearn.datasets.dump_svmlight_file(X, y, race["svm"], zero_based=False)
    once = argparse.Namespace(**{**vars(args), "rounds": 1})
    star = objective(race, exact(race, once, 1e-12)[1])
    for who, run in {"sotto": exact, **rivals}.items():
        best = None
        for tolerance in [1e-6] if who == "sotto" else TOLERANCES:
            try:
                seconds, w = run(race, args, tolerance)
            except (ValueError, subprocess.CalledProcessError):
                break
            above = objective(race, w) / star - 1
            if above <= WITHIN:
                best = seconds, above
                break
            if seconds > 60:
                break
        print(f"| {name} | {who} | " + (f"{best[0]:.4f} | {best[1]:.1e} |" if best else
                                        "not reached | |"), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        print("| problem | solver | seconds to 1e-6 | above the optimum |\n|---|---|---|---|")
        for name, path, penalty, strength, rivals in races(args, folder):
            if args.names and not any(name.startswith(n) for n in args.names):
                continue
            if name.startswith("zipf") and not os.path.exists(path):
                subprocess.run([os.path.join(args.build, "sotto"), "generate", "zipf-heavy",
                                "--rows", "100000", "--features", "100000", "--per-row", "100",
                                "-o", path], check=True)
            if not os.path.exists(path):
                print(f"| {name} | skipped: {path} is not there | | |")
                continue
            run_race(name, unpack(path, folder), penalty, strength, rivals, args, folder)


if __name__ == "__main__":
    main()

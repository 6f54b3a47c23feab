#!/usr/bin/python3
"""Race of the exact solver: seconds until the objective is within 1e-6 of the optimum.

Every solver gets its data in memory, in the form that it works on, and is tried at tighter and
tighter tolerances until its answer is good enough; at that tolerance it is then timed, all solvers
in turn, several rounds, and the least time counts. LIBLINEAR is called as a library (Debian:
liblinear4). No intercept: LIBLINEAR would penalise it.

    bench/exact.py [--build BUILD] [--rounds 5] [--json FILE] [PROBLEM ...]

--json adds one line for each solver to FILE, for bench/speed.py.
"""
import argparse
import ctypes
import ctypes.util
import gzip
import importlib
import json
import pathlib
import shutil
import sys
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse
import sklearn.datasets
import sklearn.linear_model

import end_sets
from files import append_json, main_of, run

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import problems  # noqa: E402  (found through the path set above)
sys.path.pop(0)  # numba would take tools/coverage.py for the package coverage

WITHIN = 1e-6
TOLERANCES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
NO_STEP = "LIBLINEAR, without turning"
LARGE = 500_000  # rows
PATIENCE = 60  # seconds of one run after which no tighter tolerance is tried


class Race:
    """One problem: F(w) = mean loss + l1 |w| + l2/2 |w|^2."""

    def __init__(self, name, path, loss, penalty, strength):
        self.name, self.path, self.loss = name, path, loss
        self.X, self.y = load(path)
        self.l1, self.l2 = 0.0, 0.0
        setattr(self, penalty, strength or 1 / len(self.y))

    def objective(self, w):
        m = self.X @ w
        if self.loss == "logistic":
            loss = np.logaddexp(0, -self.y * m).mean()
        else:
            loss = ((m - self.y) ** 2).mean() / 2
        return loss + self.l1 * np.abs(w).sum() + self.l2 / 2 * (w @ w)

    @property
    def per_row(self):
        """C of LIBLINEAR, where the sum of losses has the weight."""
        return 1 / (len(self.y) * (self.l1 or self.l2))


# ---- solvers: run(race, tolerance) gives the seconds and the weights ----


class Sotto:
    """The solver alone, timed by the program that reads the table for it."""

    def __init__(self, build):
        self.program = pathlib.Path(build) / "tests" / "exact_cli"

    def run(self, race, tolerance):
        name = {".svm": None, ".csv": "target", ".npy": race.X.shape[1] + 1}[race.path.suffix]
        target = ["target", name] if name else []
        found = json.loads(run([self.program, race.path, *target, "loss", race.loss, "l1",
                                repr(race.l1), "l2", repr(race.l2), "tolerance",
                                repr(tolerance)]))
        return found["seconds"], np.array(found["weights"])


class Scikit:
    """LogisticRegression by one of its solvers, or Lasso."""

    def __init__(self, solver):
        self.solver = solver

    def model(self, race, tolerance):
        if race.loss == "squared":
            return sklearn.linear_model.Lasso(alpha=race.l1, fit_intercept=False, tol=tolerance,
                                              max_iter=10000)
        return sklearn.linear_model.LogisticRegression(
            penalty="l1" if race.l1 else "l2", C=race.per_row, solver=self.solver,
            fit_intercept=False, tol=tolerance, max_iter=100 if self.solver == "saga" else 3000)

    def run(self, race, tolerance):
        model = self.model(race, tolerance)
        X = scipy.sparse.csc_matrix(race.X) if race.loss == "squared" else race.X
        began = time.perf_counter()
        model.fit(X, race.y)
        return time.perf_counter() - began, np.ravel(model.coef_)


class WorkingSets:
    """skglm's or celer's sparse estimator: coordinate descent on working sets, from PyPI."""

    def __init__(self, library):
        self.library = importlib.import_module(library)

    def model(self, race, tolerance):
        common = {"fit_intercept": False, "tol": tolerance}
        if race.loss == "squared":
            return self.library.Lasso(alpha=race.l1, **common)
        if self.library.__name__ == "celer":
            return self.library.LogisticRegression(C=race.per_row, **common)
        return self.library.SparseLogisticRegression(alpha=race.l1, **common)

    def run(self, race, tolerance):
        model, X = self.model(race, tolerance), scipy.sparse.csc_matrix(race.X)
        began = time.perf_counter()
        model.fit(X, race.y)
        return time.perf_counter() - began, np.ravel(model.coef_)


def working_sets():
    """Those of the two that are there."""
    found = {}
    for library in ("skglm", "celer"):
        try:
            found[library] = WorkingSets(library)
        except ImportError as missing:
            print(f"skipped: {library} ({missing}; tools/rivals.sh installs it for the bench)")
    return found


class Parameter(ctypes.Structure):
    _fields_ = [("solver_type", ctypes.c_int), ("eps", ctypes.c_double), ("C", ctypes.c_double),
                ("nr_weight", ctypes.c_int), ("weight_label", ctypes.c_void_p),
                ("weight", ctypes.c_void_p), ("p", ctypes.c_double),
                ("init_sol", ctypes.c_void_p)]


class Table(ctypes.Structure):
    _fields_ = [("l", ctypes.c_int), ("n", ctypes.c_int), ("y", ctypes.c_void_p),
                ("x", ctypes.c_void_p), ("bias", ctypes.c_double)]


class Model(ctypes.Structure):
    _fields_ = [("param", Parameter), ("nr_class", ctypes.c_int), ("nr_feature", ctypes.c_int),
                ("w", ctypes.POINTER(ctypes.c_double)), ("label", ctypes.POINTER(ctypes.c_int)),
                ("bias", ctypes.c_double)]


NODE = np.dtype([("index", np.int32), ("value", np.float64)], align=True)


class Liblinear:
    """LIBLINEAR's own library, 2.30: its structures are those of Debian's linear.h."""

    def __init__(self, kind):
        self.kind, self.race = kind, None
        self.library = ctypes.CDLL(ctypes.util.find_library("linear") or "liblinear.so.4")
        if ctypes.c_int.in_dll(self.library, "liblinear_version").value // 10 != 23:
            raise OSError("another version of LIBLINEAR than 2.30")
        self.library.train.restype = ctypes.POINTER(Model)
        self.quiet = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda text: None)
        self.library.set_print_string_function(self.quiet)

    def prepare(self, race):
        """Rows of nodes, each closed by one of index -1."""
        X = scipy.sparse.csr_matrix(race.X)
        n = X.shape[0]
        start = X.indptr.astype(np.int64) + np.arange(n + 1)
        node = np.zeros(start[-1], NODE)
        node["index"] = -1
        at = np.arange(X.nnz) + np.repeat(np.arange(n), np.diff(X.indptr))
        node["index"][at] = X.indices + 1
        node["value"][at] = X.data
        rows = (node.ctypes.data + start[:-1] * NODE.itemsize).astype(np.uint64)
        y = np.ascontiguousarray(race.y, float)
        self.race, self.kept = race, (node, rows, y)
        self.table = Table(n, X.shape[1], y.ctypes.data, rows.ctypes.data, -1.0)

    def run(self, race, tolerance):
        if self.race is not race:
            self.prepare(race)
        parameter = Parameter(self.kind, tolerance, race.per_row, 0, None, None, .1, None)
        began = time.perf_counter()
        model = self.library.train(ctypes.byref(self.table), ctypes.byref(parameter))
        seconds = time.perf_counter() - began
        found = model.contents
        w = np.ctypeslib.as_array(found.w, (found.nr_feature,)).copy()
        sign = 1 if found.label[0] == 1 else -1
        self.library.free_and_destroy_model(ctypes.byref(model))
        return seconds, sign * w


def rivals(race):
    """The solvers that have this problem, by name."""
    if race.loss == "squared":
        return {"scikit-learn Lasso": Scikit(None), **working_sets()}
    names = ["liblinear", "saga"] if race.l1 else ["lbfgs", "newton-cg", "liblinear"]
    if len(race.y) > LARGE:  # the others would take minutes
        return {f"scikit-learn {name}": Scikit(name) for name in ("lbfgs", "newton-cholesky")}
    if race.l2 and race.X.shape[1] < 1000:
        names.append("newton-cholesky")
    found = {f"scikit-learn {name}": Scikit(name) for name in names}
    found.update(working_sets() if race.l1 else {})
    kinds = {"LIBLINEAR": 6} if race.l1 else {"LIBLINEAR": 0, "LIBLINEAR, dual": 7}
    try:
        found.update({name: Liblinear(kind) for name, kind in kinds.items()})
    except OSError as missing:
        print(f"skipped: LIBLINEAR ({missing}; Debian: liblinear4)")
    return found


# ---- problems ----


def load(path):
    if path.suffix == ".svm":
        return sklearn.datasets.load_svmlight_file(str(path), zero_based=False)
    if path.suffix == ".npy":
        table = np.load(path).astype(float)
    else:
        table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, :-1].copy(), table[:, -1]


def find(place, folder, build):
    """The file of a problem, made or unpacked where need be; None where there is no data."""
    if place == "zipf":
        path = folder / "zipf.svm"
        if not path.exists():
            run([pathlib.Path(build) / "sotto", "generate", "zipf-heavy", "--rows", 100000,
                 "--features", 100000, "--per-row", 100, "--quiet", "-o", path])
        return path
    if place == "large":
        return end_sets.make("large", pathlib.Path(build) / "bench" / "data", None).file
    path = pathlib.Path(problems.find_data_dir() or "") / place
    if not path.exists() or path.suffix != ".gz":
        return path if path.exists() else None
    plain = folder / path.stem
    with gzip.open(path) as source, open(plain, "wb") as target:
        shutil.copyfileobj(source, target)
    return plain


PROBLEMS = [
    ("electricity, logistic, l2 = 1/n", "electricity/electricity.csv", "logistic", "l2", None),
    ("a9a, logistic, l2 = 1/n", "a9a/a9a.svm", "logistic", "l2", None),
    ("dorothea, logistic, l1 = 0.01", "dorothea/dorothea.p88119.train.svm.gz", "logistic", "l1",
     .01),
    ("zipf 1e5 x 1e5, logistic, l1 = 1e-4", "zipf", "logistic", "l1", 1e-4),
    ("zipf 1e5 x 1e5, logistic, l2 = 1/n", "zipf", "logistic", "l2", None),
    ("zipf 1e5 x 1e5, squared, l1 = 1e-3", "zipf", "squared", "l1", 1e-3),
    ("large 1e6 x 50, logistic, l2 = 1/n", "large", "logistic", "l2", None),
]


# ---- racing ----


def good_enough(race, solver, star):
    """The loosest tolerance whose answer is within 1e-6, and how far above it is; or None."""
    for tolerance in TOLERANCES:
        try:
            seconds, w = solver.run(race, tolerance)
        except (TypeError, ValueError, ZeroDivisionError, FloatingPointError) as refused:
            print(f"skipped: {type(solver).__name__} at {tolerance:g} ({refused})")
            return None
        above = race.objective(w) / star - 1
        if above <= WITHIN:
            return tolerance, above
        if seconds > PATIENCE:
            break
    return None


def add_variants(race, field, ready, best):
    """sotto at the tolerance that proves the goal; and LIBLINEAR stopping at once, whose time is
    that of turning rows into columns."""
    field["sotto, certified"], ready["sotto, certified"] = field["sotto"], (WITHIN, 0.0)
    best["sotto, certified"] = np.inf
    if race.l1 and ready.get("LIBLINEAR"):
        field[NO_STEP], ready[NO_STEP] = field["LIBLINEAR"], (1e9, 0.0)
        best[NO_STEP] = np.inf


def run_race(race, arguments):
    """What every solver took: name, seconds or None, tolerance, above."""
    sotto = Sotto(arguments.build)
    star = race.objective(sotto.run(race, 1e-12)[1])
    field = {"sotto": sotto, **rivals(race)}
    ready = {name: good_enough(race, solver, star) for name, solver in field.items()}
    best = {name: np.inf for name, at in ready.items() if at}
    add_variants(race, field, ready, best)
    for _ in range(arguments.rounds):
        for name in best:
            best[name] = min(best[name], field[name].run(race, ready[name][0])[0])
    if NO_STEP in best:
        best[NO_STEP] = best["LIBLINEAR"] - best[NO_STEP]
    for name, at in sorted(ready.items(), key=lambda item: best.get(item[0], np.inf)):
        yield {"problem": race.name, "variant": name, "rounds": arguments.rounds,
               "seconds": round(best[name], 5) if at else None,
               "tolerance": ready["LIBLINEAR" if name == NO_STEP else name][0] if at else None,
               "ratio": round(best[name] / best["sotto"], 3) if at else None}


def print_row(row):
    shown = "not reached" if row["seconds"] is None else (
        f"{row['seconds']:9.4f} s {row['ratio']:8.2f}x   at tolerance {row['tolerance']:g}")
    print(f"  {row['variant']:30} {shown}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="the exact solver beside others")
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="add one JSON line per solver")
    parser.add_argument("names", nargs="*", metavar="PROBLEM", help="how its name begins")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="sotto-bench-") as folder:
        for name, place, *rest in PROBLEMS:
            if arguments.names and not name.startswith(tuple(arguments.names)):
                continue
            path = find(place, pathlib.Path(folder), arguments.build)
            print(name if path else f"skipped: {name} (the set is not at hand: SOTTO_DATA)")
            rows = list(run_race(Race(name, path, *rest), arguments)) if path else []
            for row in rows:
                print_row(row)
            if arguments.json:
                append_json(arguments.json, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main_of(main))

#!/usr/bin/python3
"""How cost grows: seconds and peak memory of `sotto train` over three decades of one size.

    bench/growth.py [--build BUILD] [--rounds R] [--quick] [--json FILE] SIZE

SIZE is rows, features, nonzeros, steps or threads; the others stay. Every point runs once a round,
as a process with one thread, from a file of 4-byte numbers (.npy) or of sparse rows (svmlight). The
exponent of a line is its slope over the last decade, by least squares of logarithms; before it,
what does not grow (a process starts, a budget is divided) weighs too much.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys

import numpy as np

from end import words
from exponent import exponent
from files import append_json, generate, main_of, run_measured

HALF = [1, 3.16, 10, 31.6, 100, 316, 1000]  # three decades in halves
PER_ROW = [1, 10, 100, 1000]


def spread(first, quick):
    """Three decades from the first on; of a quick run every second point of the first two."""
    return [round(first * factor) for factor in (HALF[:5:2] if quick else HALF)]


def axes(quick):
    """By size: its values, what makes a point of a value, and the solvers."""
    rows, features = (5_000, 10) if quick else (20_000, 20)
    threads = [2**k for k in range(8) if 2**k <= len(os.sched_getaffinity(0))]
    return {
        "rows": (spread(1_000, quick), lambda v: {"rows": v, "features": features},
                 ("auto", "cd", "gcd", "sgd")),
        # so many rows that auto goes the same way, dense, at 1,000 features, too
        "features": (spread(1, quick), lambda v: {"rows": 7_000, "features": v},
                     ("auto", "cd", "gcd", "sgd")),
        "nonzeros": (PER_ROW[:3] if quick else PER_ROW,
                     lambda v: {"rows": 1_000 if quick else 10_000, "features": 100_000,
                                "per_row": v}, ("auto", "cd", "gcd")),
        "steps": (spread(3, quick), lambda v: {"rows": rows, "features": features, "steps": v},
                  ("cd", "gcd", "sgd")),
        "threads": (threads, lambda v: {"rows": 50_000 if quick else 500_000, "features": 20,
                                        "threads": v}, ("auto", "cd"))}


# ---- files ----


def dense_file(folder, rows, features):
    path = folder / f"dense-{rows}-{features}.npy"
    if not path.exists():
        random = np.random.default_rng(features)
        X = random.uniform(-1, 1, (rows, features)).astype(np.float32)
        y = np.where(X[:, 0] + random.uniform(-1, 1, rows) > 0, 1, -1)
        np.save(path, np.c_[X, y].astype(np.float32))
    return path


def sparse_file(folder, sotto, rows, features, per_row):
    path = folder / f"sparse-{rows}-{per_row}.svm"
    return generate(sotto, path, "zipf-heavy", rows, features, per_row)


def write_schema(folder, features, bound, dense):
    """Bounds for all columns; of a table also which is the target."""
    path = folder / f"schema-{features}-{bound}.json"
    default = {"type": "number", "bounds": [-bound, bound]}
    columns = {str(features + 1): {"type": "target"}} if dense else {}
    path.write_text(json.dumps({"sotto_schema": 1, "default": default, "columns": columns}))
    return path


def command(folder, sotto, solver, point):
    """The words of a training. Of sparse data cd makes one pass: its 20 would be noise alone."""
    rows, features = point["rows"], point["features"]
    options = {"loss": "logistic", "epsilon": 1, "delta": 1e-6, "rows": rows, "solver": solver,
               "threads": point.get("threads", 1), "insecure-seed": 1, "l2": 1e-3}
    if "steps" in point:
        options["steps"] = point["steps"]
    if "per_row" in point:
        options |= {"passes": 1} if solver == "cd" else {}
        path = sparse_file(folder, sotto, rows, features, point["per_row"])
        options |= {"features": features, "schema": write_schema(folder, features, 3, False)}
    else:
        path = dense_file(folder, rows, features)
        options |= {"target": features + 1, "schema": write_schema(folder, features, 1, True)}
    return [sotto, "train", path, *words(options), "--quiet", "-o", os.devnull]


# ---- measuring ----


def size_of(size, value, point):
    """What is on the axis: of rows with so many words it is the words."""
    return value * point["rows"] if size == "nonzeros" else value


def measure(build, folder, size, quick, rounds):
    """A row for each solver and point."""
    values, point_of, solvers = axes(quick)[size]
    taken = {(solver, value): [] for solver in solvers for value in values}
    for number in range(rounds):
        for solver, value in taken:
            words_of = command(folder, build / "sotto", solver, point_of(value))
            _, seconds, peak, _ = run_measured(build, words_of, {"SOTTO_LEDGER": "none"})
            taken[solver, value].append((seconds, peak))
        print(f"round {number + 1} of {rounds} done", file=sys.stderr)
    for (solver, value), runs in taken.items():
        times, peaks = zip(*runs)
        yield {"growth": size, "solver": solver, "at": size_of(size, value, point_of(value)),
               **{k: v for k, v in point_of(value).items() if k != size},
               "min": round(min(times), 6), "median": round(statistics.median(times), 6),
               "peak_bytes": min(peaks), "rounds": len(runs)}


def main():
    parser = argparse.ArgumentParser(description="how time and memory grow")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--rounds", type=int, metavar="R")
    parser.add_argument("--quick", action="store_true", help="two decades, smaller tables")
    parser.add_argument("--json", metavar="FILE", help="add one JSON line per point")
    parser.add_argument("size", choices=list(axes(True)))
    given = parser.parse_args()
    build = given.build.resolve()
    folder = build / "bench" / "data" / "growth"
    folder.mkdir(parents=True, exist_ok=True)
    rows = list(measure(build, folder, given.size, given.quick,
                        given.rounds or 2))
    for row in rows:
        print(f"{row['growth']} {row['at']:>9} {row['solver']:5}{row['min']:9.4f} s"
              f"{row['peak_bytes'] / 1e6:9.1f} MB")
    for solver in dict.fromkeys(row["solver"] for row in rows):
        chosen = [row for row in rows if row["solver"] == solver]
        found = [exponent([(row["at"], row[key]) for row in chosen]) for key in ("min", "peak_bytes")]
        print(f"{solver}: time grows as the power {found[0]:.2f}, memory {found[1]:.2f}"
              if found[0] is not None else f"{solver}: one point")
    if given.json:
        append_json(given.json, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main_of(main))

#!/usr/bin/python3
"""From a file or an array to a model: sotto beside other libraries, private and not.

    bench/end.py [--build BUILD] [--rounds R] [--quick] [--alone] [--json FILE] SET

SET is electricity, adult, large (1,000,000 x 50) or sparse (100,000 x 100,000). A process is
measured from its start until the model is there, with imports and reading; a call is measured around
fit alone, with the data in memory. Every variant runs once a round, in an order that changes; each
run is a process of its own. Rivals have one thread. What was released is judged on the rows that it
was learned from. The rivals that PyPI has are those of BUILD/rivals (tools/rivals.sh).
"""

import argparse
import dataclasses
import json
import os
import pathlib
import random
import shutil
import statistics
import sys
import typing

import end_sets
import machine
from files import (BenchError, append_json, can_import, main_of, rival_python, run,
                   run_measured)

CALL = pathlib.Path(__file__).resolve().with_name("end_call.py")
SOLVERS = ("auto", "cd", "gcd", "sgd")
ROUNDS = {"electricity": 5, "adult": 5, "large": 3, "sparse": 3}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
RIVALS = {"diffprivlib": "import diffprivlib.models", "Opacus": "import opacus",
          "scikit-learn lbfgs": "import sklearn.linear_model"}
NO_SPARSE = {"diffprivlib": "it takes no sparse matrix",
             "Opacus": "torch.nn.Linear takes no sparse batch of records"}


@dataclasses.dataclass
class Variant:
    """`once` runs it, with this seed, and gives {kind: {"seconds": ..., errors, "peak_bytes": ...}}."""

    name: str
    once: typing.Callable[[int], dict]
    private: bool = True
    threads: int = 1
    reads: dict = dataclasses.field(default_factory=dict)  # by kind
    passes: float | None = None
    taken: dict = dataclasses.field(default_factory=dict)  # by kind: one of each round


# ---- sotto ----


def words(options):
    return [word for name, value in options.items() for word in ("--" + name, value)]


def questions(sotto, which, solver):
    """What the solver will ask, as its statement lists it."""
    options = {**which.options(), "solver": solver, "features": which.features}
    return json.loads(run([sotto, "plan", *words(options), "--json"]))["questions"]


def train(build, which, solver, threads, seed, arrays):
    """The program, once."""
    model = which.folder / "model.json"
    units = {"penalty-units": "fit"} if solver == "auto" else {}
    command = [build / "sotto", "train", which.file, *words({**which.options(), **units, "solver": solver,
               "threads": threads, "insecure-seed": seed}), "--quiet", "-o", model]
    _, seconds, peak, _ = run_measured(build, command, {"SOTTO_LEDGER": "none"})
    errors = end_sets.errors(*arrays, *end_sets.read_model(model, which.features), which.l2)
    return {"process": {"seconds": seconds, "peak_bytes": peak, **errors}}


def call(build, which, solver, threads, seed):
    """The Python package, once."""
    said, _, _, _ = run_measured(
        build, [sys.executable, CALL, "sotto", which.folder,
         solver, threads, seed], {"SOTTO_LEDGER": "none", "PYTHONPATH": str(build / "python")})
    return {"call": json.loads(said)}


def sotto_variants(build, which, arrays):
    sotto = build / "sotto"
    for solver in SOLVERS:
        asked = questions(sotto, which, solver)
        shape = which.rows, which.features
        made = {"passes": None if which.sparse else machine.passes(asked, *shape), "reads": {}}
        if not which.sparse:
            made["reads"] = {
                "process": machine.reads(which.file.stat().st_size, asked, *shape),
                "call": machine.reads(which.table_bytes(), asked, *shape)}
        for threads in (1, 2) if solver == "auto" else (1,):
            def once(seed, solver=solver, threads=threads):
                return {**train(build, which, solver, threads, seed, arrays),
                        **call(build, which, solver, threads, seed)}
            yield Variant(f"sotto {solver}", once, threads=threads, **made)


# ---- rivals ----


def by_library(build, which, name):
    """A rival in Python: the process until the fit has ended, and the call."""
    said, _, _, began = run_measured(
        build, [rival_python(build), CALL, name, which.folder],
        ONE_THREAD)
    told = json.loads(said)
    whole = {**told, "seconds": told["ended"] - began}
    return {"call": told} if name == "LIBLINEAR" else {"process": whole, "call": told}


def by_liblinear(build, which):
    """LIBLINEAR's program on a file, where it has one, and its library."""
    found = by_library(build, which, "LIBLINEAR")
    file, program = which.folder / "data.svm", shutil.which("liblinear-train")
    if file.exists() and program:
        _, seconds, _, _ = run_measured(build, [program, "-q", "-s", 0, "-c", 1,
                                                "-B", 1, file, which.folder / "liblinear.model"], {})
        found["process"] = {**found["call"], "seconds": seconds}
    return found


def rival_variants(build, which):
    for name, statement in RIVALS.items():
        if which.sparse and name in NO_SPARSE:
            print(f"skipped: {name} ({NO_SPARSE[name]})")
        elif can_import(rival_python(build), statement, name):
            yield Variant(name, lambda _, name=name: by_library(build, which, name),
                          private=name in ("diffprivlib", "Opacus"))
    try:
        run([rival_python(build), CALL, "LIBLINEAR", "-"])
        yield Variant("LIBLINEAR", lambda _: by_liblinear(build, which), private=False)
    except BenchError:
        print("skipped: LIBLINEAR (its library cannot be called; Debian: liblinear4, and "
              "liblinear-tools for its program)")


# ---- measuring ----


def best_objective(sotto, which, arrays):
    """F* by the exact solver."""
    model = which.folder / "exact.json"
    run([sotto, "train", which.file, *words({**which.options(), "epsilon": "inf"}), "--quiet",
         "-o", model], env={**os.environ, "SOTTO_LEDGER": "none"})
    return end_sets.errors(*arrays, *end_sets.read_model(model, which.features),
                           which.l2)["objective"]


def measure(variants, rounds):
    shuffler = random.Random(0)
    order = list(variants)
    for number in range(rounds):
        shuffler.shuffle(order)
        for variant in order:
            for kind, found in variant.once(number + 1).items():
                variant.taken.setdefault(kind, []).append(found)
        print(f"round {number + 1} of {rounds} done", file=sys.stderr)


def row_of(which, name, variant, kind, base, best):
    """One line of JSON."""
    runs = variant.taken[kind]
    times = [one["seconds"] for one in runs]
    median = {key: statistics.median(one[key] for one in runs)
              for key in ("accuracy", "log_loss", "objective")}
    return {"end": name, "variant": variant.name, "kind": kind, "threads": variant.threads,
            "private": variant.private, "rows": which.rows, "features": which.features,
            "min": round(min(times), 6), "median": round(statistics.median(times), 6),
            "rounds": len(times), "ratio": round(min(times) / base[kind], 3),
            "accuracy": round(median["accuracy"], 4), "log_loss": round(median["log_loss"], 4),
            "excess": float(f"{median['objective'] / best - 1:.3g}"),
            "peak_bytes": max((one.get("peak_bytes", 0) for one in runs)) or None,
            "table_bytes": which.table_bytes(), "passes": variant.passes,
            "reads": variant.reads.get(kind)}


def report(rows):
    for row in rows:
        print(f"{row['kind']:8}{row['variant']:20}{row['threads']:2} thread(s) {row['min']:9.4f} s"
              f"{row['ratio']:8.2f}x  accuracy {row['accuracy']:.3f}, log-loss "
              f"{row['log_loss']:.3f}, F/F* - 1 {row['excess']:.2g}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="from a file or an array to a model")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--rounds", type=int, metavar="R")
    parser.add_argument("--quick", action="store_true", help="small sets, two rounds")
    parser.add_argument("--alone", action="store_true", help="sotto without its rivals")
    parser.add_argument("--json", metavar="FILE", help="add one JSON line per variant")
    parser.add_argument("set", choices=end_sets.NAMES)
    given = parser.parse_args()
    build = given.build.resolve()
    which = end_sets.make(given.set, build / "bench" / "data", build / "sotto", given.quick)
    if which is None:
        print(f"skipped: {given.set} (the set is not at hand: SOTTO_DATA)")
        return 0
    arrays = which.arrays()
    best = best_objective(build / "sotto", which, arrays)
    variants = [*sotto_variants(build, which, arrays),
                *(() if given.alone else rival_variants(build, which))]
    measure(variants, given.rounds or (2 if given.quick else ROUNDS[given.set]))
    base = {kind: min(one["seconds"] for one in runs) for kind, runs in variants[0].taken.items()}
    rows = [row_of(which, given.set, variant, kind, base, best)
            for kind in ("process", "call") for variant in variants if kind in variant.taken]
    report(rows)
    if given.json:
        append_json(given.json, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main_of(main))

#!/usr/bin/python3
"""Two ranks against one process, a thread each: how much of the ideal half of the time is reached.

    bench/ranks.py [--build build] [--rows 2000000] [--features 50] [--ranks 2] [--repeats 5]

A set of that size (log1, .npy) is trained by `sotto train --threads 1` and by mpirun, in turn:
`gd`, whose questions are whole gradients, with few steps and with many, so that the difference is
the time of steps alone; and `auto` as it is. The efficiency is t1 / (ranks t). All models of a
solver must have the same bytes. Results go to build/bench-ranks.json after each repeat; a bench
that was interrupted goes on if program and sizes are the same. Leave the machine alone meanwhile:
the load before each repeat is in the file.
"""
import argparse
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

from files import generate
from machine import load

FEW, MANY = 20, 120
COMMON = ["--loss", "logistic", "--undeclared", "rows", "--epsilon", "1", "--delta", "1e-6",
          "--insecure-seed", "7", "--threads", "1", "--quiet"]
CASES = {"gd few": ["--solver", "gd", "--steps", FEW], "gd many": ["--solver", "gd", "--steps", MANY],
         "auto": []}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--rows", type=int, default=2000000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    given.build = given.build.resolve()
    return given


def state_of(given):
    digest = hashlib.sha256()
    for name in ("libsotto.so.0", "sotto", "sotto-mpi"):
        digest.update((given.build / name).read_bytes())
    return {"program": digest.hexdigest(), "rows": given.rows, "features": given.features,
            "ranks": given.ranks, "few": FEW, "many": MANY}


def seconds_of(command, model):
    """How long it takes, and a hash of the model that it makes."""
    begun = time.monotonic()
    done = subprocess.run([*map(str, command), "-o", str(model)], check=False, capture_output=True,
                          text=True, env=dict(os.environ, SOTTO_LEDGER="none"))
    seconds = time.monotonic() - begun
    if done.returncode:
        sys.exit(f"bench: {done.stderr}")
    made = hashlib.sha256(model.read_bytes()).hexdigest()
    model.unlink()
    return round(seconds, 4), made


def one_repeat(given, data, model, number):
    """Every case by both, who goes first in turn."""
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    many = ["mpirun", *root, "--oversubscribe", "--bind-to", "none", "-q", "-n", given.ranks,
            given.build / "sotto-mpi"]
    ways = [("one", [given.build / "sotto"]), ("ranks", many)]
    out = {"load": load()}
    for name, options in CASES.items():
        made = {}
        for way, program in ways if number % 2 == 0 else ways[::-1]:
            command = [*program, "train", data, "--target", given.features + 1, *COMMON, *options]
            seconds, made[way] = seconds_of(command, model)
            out.setdefault(name, {})[way] = seconds
        if made["one"] != made["ranks"]:
            sys.exit(f"bench: {name}: another model by ranks")
    return out


def summary(known):
    """Medians over the repeats, in seconds, and efficiencies."""
    def median(value):
        return statistics.median(map(value, known["repeats"]))
    out = {}
    for name, value in [("a step of gd", lambda r, way: (r["gd many"][way] - r["gd few"][way]) /
                         (known["many"] - known["few"])),
                        (f"gd, {known['many']} steps", lambda r, way: r["gd many"][way]),
                        ("auto", lambda r, way: r["auto"][way])]:
        one, ranks = (median(lambda r, v=value, w=way: v(r, w)) for way in ("one", "ranks"))
        out[name] = {"one": one, "ranks": ranks, "efficiency": one / (known["ranks"] * ranks)}
    return out


def main():
    given = arguments()
    results = given.build / "bench-ranks.json"
    state = state_of(given)
    known = {**state, "repeats": []}
    if results.exists():
        before = json.loads(results.read_text(encoding="utf-8"))
        if all(before.get(key) == value for key, value in state.items()):
            known = before
    folder = given.build / "bench-data"
    folder.mkdir(exist_ok=True)
    data = generate(given.build / "sotto", folder / f"log1-{given.rows}-{given.features}.npy",
                    "log1", given.rows, given.features)
    while len(known["repeats"]) < given.repeats:
        known["repeats"].append(one_repeat(given, data, folder / "ranks-model.json",
                                           len(known["repeats"])))
        known["summary"] = summary(known)
        new = results.with_suffix(".new")
        new.write_text(json.dumps(known, indent=1), encoding="utf-8")
        new.replace(results)
    print(f"{given.rows} x {given.features}, {given.ranks} ranks, {len(known['repeats'])} repeats")
    for name, one in known["summary"].items():
        print(f"{name:16} one {one['one']:9.4f} s, ranks {one['ranks']:9.4f} s, "
              f"{one['efficiency']:.2f} of ideal")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""What ten classes cost in time beside two: `--solver newton` on the same columns, in turns.

    bench/classes_time.py [--build build] [--rows 100000] [--features 50] [--runs 5] [--write]

Both runs read the same file of numbers (.npy), which is measured by itself (`sotto doctor`) and taken
off. What is multiplied: a round has two products of rows x (p + 1), for the margins and for the
gradient; with more than two classes three of rows x (p + 1) x classes, as margins are computed again
for the lengths of gradients. Both runs have the second moments, rows x (p + 1)^2 / 2, and a map, rows x
(p + 1)^2. Times are those of the processor, the best of the runs counts. With --write the table goes
into docs/notes/auto.md.
"""
import argparse
import json
import os
import re
import subprocess
import tempfile

import numpy as np

from classes import ROOT, write_table

COUNTS = (2, 10)


def put(folder, rows, features, count):
    draw = np.random.default_rng(count)
    x = draw.standard_normal((rows, features))
    y = np.argmax(x @ draw.standard_normal((features, count)) * .3 + draw.gumbel(size=(rows, count)), 1)
    name = os.path.join(folder, str(count))
    np.save(name + ".npy", np.column_stack([x, y]).astype(np.float32))
    columns = {str(j + 1): {"type": "number", "bounds": [-8, 8]} for j in range(features)}
    columns[str(features + 1)] = {"type": "target", "classes": [str(k) for k in range(count)]}
    with open(name + ".json", "w", encoding="ascii") as file:
        json.dump({"sotto_schema": 1, "width": features + 1, "columns": columns}, file)
    return name


def timed(args):
    """Seconds of processor time, which other programs on the machine change less."""
    before = os.times()
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "SOTTO_LEDGER": "none"})
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def measure(args, folder):
    """The best seconds of a fit less those of reading, and its rounds, for each number of classes."""
    program, found = os.path.join(args.build, "sotto"), {k: [] for k in COUNTS}
    names = {k: put(folder, args.rows, args.features, k) for k in COUNTS}
    for _ in range(args.runs):
        for k, name in names.items():
            read = timed([program, "doctor", name + ".npy", "--schema", name + ".json", "--loss",
                          "logistic"])
            fit = timed([program, "train", name + ".npy", "--schema", name + ".json", "--loss",
                         "logistic", "--solver", "newton", "--epsilon", "1", "--delta", "1e-9", "--rows",
                         str(args.rows), "--l1", "1e-9", "--threads", "1", "--insecure-seed", "1",
                         "--quiet", "-o", name + ".model"])
            found[k].append((fit, read))
    return {k: (min(f for f, _ in each) - min(r for _, r in each)) for k, each in found.items()}, {
        k: rounds_of(args, k) for k in COUNTS}


def rounds_of(args, count):
    """How many gradients are asked for, as the plan has it."""
    text = subprocess.run([os.path.join(args.build, "sotto"), "plan", "--classes",
                           ",".join(map(str, range(count))), "--features", str(args.features), "--loss",
                           "logistic", "--solver", "newton", "--epsilon", "1", "--delta", "1e-9",
                           "--rows", str(args.rows), "--l1", "1e-9", "--explain"], check=True,
                          capture_output=True, text=True).stdout
    return int(re.search(r"^rounds +(\d+)", text, re.M)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rows", type=int, default=100000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    with tempfile.TemporaryDirectory() as folder:
        seconds, rounds = measure(args, folder)
    d, products = args.features + 1, {}
    for k in COUNTS:
        products[k] = args.rows * (rounds[k] * d * (3 * k if k > 2 else 2) + 1.5 * d * d)
    lines = ["| classes | rounds | multiplications (10^9) | seconds | ns for each |", "|---|---|---|---|---|"]
    for k in COUNTS:
        lines.append(f"| {k} | {rounds[k]} | {products[k] / 1e9:.2f} | {seconds[k]:.2f} | "
                     f"{1e9 * seconds[k] / products[k]:.2f} |")
    lines.append(f"| {COUNTS[1]} over {COUNTS[0]} | | {products[10] / products[2]:.1f} | "
                 f"{seconds[10] / seconds[2]:.1f} | |")
    print("\n".join(lines))
    if args.write:
        write_table("time", lines)


if __name__ == "__main__":
    main()

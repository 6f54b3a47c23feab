#!/usr/bin/python3
"""Writes docs/speed.md from the JSON lines of bench/read.py, bench/exact.py and bench/kernel.py
and from bench/instructions.json.

    bench/read.py --json run.json && bench/exact.py --json run.json
    bench/kernel.py --json run.json
    bench/speed.py run.json > docs/speed.md
"""

import json
import pathlib
import sys

HEAD = """# Speed

*Reference, for people who ask how long it takes: the last measurement.*

Written by `bench/speed.py` from one run of `make bench`: every variant in turn, several rounds, on
a machine that others used too. Ratios within the run are what to trust, not the seconds. A ratio
is the rival's least time over that of sotto with one thread. In reading, *rows* is what the rivals
make, too.
"""

EXACT = """## Exact solver

Seconds until the objective is within 1e-6 of the optimum (relative), data in memory, no intercept,
one thread. Each solver runs at the loosest of the tolerances 0.1, 0.01, ... 1e-8 whose answer is
good enough; *certified* is sotto at 1e-6, where it proves as much itself. What is counted of
LIBLINEAR with l1 includes turning rows into columns, which sotto does when it reads; without it
is a line of its own.
"""


def table(rows):
    lines = ["| variant | min s | MB/s | ratio | target |", "|---|---|---|---|---|"]
    for row in rows:
        target = row.get("target")
        lines.append(f"| {row['variant']} | {row['min']:.3f} | {row['MB_per_s']:.0f} | "
                     f"{row['ratio']:.2f} | {f'{target:g}x' if target else ''} |")
    return "\n".join(lines)


def races(rows):
    """One table for all problems, the fastest first in each."""
    lines = ["| problem | solver | seconds | ratio | tolerance |", "|---|---|---|---|---|"]
    for row in rows:
        took = "not reached | | " if row["seconds"] is None else (
            f"{row['seconds']:.4f} | {row['ratio']:.2f} | {row['tolerance']:g}")
        lines.append(f"| {row['problem']} | {row['variant']} | {took} |")
    return "\n".join(lines)


KERNELS = """## Private training

One pass of coordinate descent over all columns, dense, one thread: nanoseconds for one record and
coordinate, by problem and rows x columns. *sotto* is the kernel with clip, integer grid and exact
noise, for the best instruction set of the machine; *any processor* is the same without choosing
one. Eigen's are the loops one writes with it in doubles, compiled with -O3, noise by the C++
library: the literal loop over elements, and array expressions. The targets: from 20,000 rows on,
clip, grid and noise cost at most 1.12 of the kernel without them, and the literal loop takes 6
times as long as sotto (squared), 15 times (logistic).
"""


def kernels(rows):
    """A table for all problems: ns, and each as a multiple of sotto's."""
    lines = ["| problem | variant | ns | ratio |", "|---|---|---|---|"]
    lines += [f"| {row['kernel']} | {row['variant']} | {row['min_ns']:.3f} | {row['ratio']:.2f} |"
              for row in rows]
    return "\n".join(lines)


THREADS = """Two threads share the rows from 16,384 on; below that one does all. The speed of two
over that of one, the mean of windows in turn and the best windows, as the machine was (target: 1.4
at 45,312 rows and 1.8 at 1,000,000, in the best windows, which are those in which nobody else
wanted a processor), and while another process did nothing but hold the second processor (target:
the mean never below 0.8).
"""


def threads(rows):
    lines = ["| problem | others | mean | best |", "|---|---|---|---|"]
    lines += [f"| {row['threads']} | {row['others']} | {row['mean']:.2f} | {row['best']:.2f} |"
              for row in rows]
    return "\n".join(lines)


def instructions():
    path = pathlib.Path(__file__).with_name("instructions.json")
    recorded = json.loads(path.read_text(encoding="utf-8"))
    lines = ["| what | instructions per byte of the file |", "|---|---|"]
    lines += [f"| {name} | {case['instructions_per_byte']:.2f} |"
              for name, case in recorded.items()]
    return "\n".join(lines)


def main():
    rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    print(HEAD)
    for case in dict.fromkeys(row["case"] for row in rows if "case" in row):
        chosen = [row for row in rows if row.get("case") == case]
        print(f"## Reading {case}\n\n{table(chosen)}\n")
    print(f"{EXACT}\n{races([row for row in rows if 'problem' in row])}\n")
    timed = [row for row in rows if "kernel" in row]
    if timed:
        print(f"{KERNELS}\n{kernels(timed)}\n")
    shared = [row for row in rows if "threads" in row]
    if shared:
        print(f"{THREADS}\n{threads(shared)}\n")
    print("## By callgrind\n\nThe same on any machine with the same compiler; "
          f"`make bench-instructions` fails at +3 %.\n\n{instructions()}")


if __name__ == "__main__":
    main()

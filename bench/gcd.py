#!/usr/bin/python3
"""How fast DP-GCD is beside a straightforward one in doubles and beside Eigen, in one run.

The straightforward one computes the whole gradient from columns and draws Laplace noise for every
feature, in each step. Times are of the processor, so that what others do with it does not count;
ratios are of means over all steps, in which the first one counts all sums. This is a report: a
missed target is said clearly but is not a failure.
"""

import argparse
import collections
import pathlib
import statistics
import sys
import tempfile

from files import append_json, main_of, run

ROWS, STEPS, PLAIN = 100000, 1000, 5
TARGETS = {("heavy", 10000): 7, ("heavy", 100000): 20, ("heavy", 1000000): 30,
           ("flat", 10000): 30, ("flat", 100000): 150, ("flat", 1000000): 1000}
DENSE = [(1000, 1000, 30), (10000, 1000, 10), (100000, 100, 10)]
DENSE_TARGET = 4


def measured(words):
    """Seconds by name."""
    taken = collections.defaultdict(list)
    for line in run(words).splitlines():
        name, seconds = line.split("\t")
        taken[name].append(float(seconds))
    return taken


def sparse(build, folder, head, features):
    """One zipf set."""
    path = folder / f"{head}-{features}.svm"
    run([build / "sotto", "generate", f"zipf-{head}", "--rows", ROWS, "--features", features,
         "--per-row", 100, "-o", path])
    taken = measured([build / "bench" / "bench_gcd", "sparse", path, features, STEPS, PLAIN])
    path.unlink()
    ours, plain = taken["sotto"], statistics.mean(taken["plain"])
    return {"head": head, "features": features, "rows_of_chosen": taken["rows"][0],
            "mean": statistics.mean(ours), "median": statistics.median(ours), "first": ours[0],
            "total": sum(ours), "plain": plain, "ratio": plain / statistics.mean(ours),
            "ratio_without_first": plain / statistics.mean(ours[1:]),
            "target": TARGETS[head, features]}


def dense(build, rows, columns, rounds):
    """One whole gradient and choice."""
    least = {name: min(values) for name, values in
             measured([build / "bench" / "bench_gcd", "dense", rounds, rows, columns]).items()}
    return {"rows": rows, "columns": columns, "ns": {k: v * 1e9 for k, v in least.items()},
            "ratios": {k: v / least["sotto"] for k, v in least.items()}}


def report_sparse(case):
    """Prints a line."""
    said = "met" if case["ratio"] >= case["target"] else "MISSED"
    print(f"{case['head']:6}{case['features']:9}{case['mean'] * 1e6:9.0f}{case['median'] * 1e6:8.0f}"
          f"{case['total']:8.2f}{case['plain'] * 1e3:9.1f}{case['ratio']:8.0f}"
          f"{case['ratio_without_first']:8.0f}{case['target']:8} {said:7}"
          f"{case['rows_of_chosen']:8.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, help="add one JSON line per case")
    parser.add_argument("--quick", action="store_true", help="the smallest of each kind")
    given = parser.parse_args()
    print(f"sparse, {ROWS} rows, {STEPS} steps at epsilon 1: microseconds a step (mean, median), "
          "seconds in all,\nmilliseconds of a plain step, ratio, ratio without the first step, "
          "target; rows of what was chosen")
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        for head, features in list(TARGETS)[::3] if given.quick else TARGETS:
            cases.append(sparse(given.build, pathlib.Path(folder), head, features))
            report_sparse(cases[-1])
    print("\ndense: ns for one (row, column) of a whole gradient and choice, and ratios")
    wholes = [dense(given.build, *shape) for shape in DENSE[:1 if given.quick else None]]
    for case in wholes:
        print(f"{case['rows']} x {case['columns']}: " + ", ".join(
            f"{name} {ns:.3f} ({case['ratios'][name]:.2f}x)" for name, ns in case["ns"].items()))
        ratio = case["ratios"].get("Eigen, loop")
        if ratio:
            print(f"    Eigen, loop / sotto {ratio:.2f}, target {DENSE_TARGET}: "
                  f"{'met' if ratio >= DENSE_TARGET else 'MISSED'}")
    if given.json:
        append_json(given.json, [{"greedy": "sparse", **case} for case in cases] +
                    [{"greedy": "dense", **case} for case in wholes])
    return 0


if __name__ == "__main__":
    sys.exit(main_of(main))

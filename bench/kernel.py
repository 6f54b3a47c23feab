#!/usr/bin/python3
"""How fast the kernels of private training are beside other ways to do the same, in one run.

bench_kernel does one pass of coordinate descent by every variant in each round, in rotated order;
minima of one run can be compared with each other, and with nothing else. This is a report: a
missed target is said clearly but is not a failure.
"""

import argparse
import collections
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys

from files import BenchError, append_json, main_of, run

OURS = "sotto"
PLAIN = "sotto, without clip, grid and noise"
EIGEN = "Eigen, loop"
MOST_COST = 1.12  # of clip, grid and noise, from 20,000 rows on
FASTER = {"squared": 6, "logistic": 15}  # than Eigen's loop
LEAST_SHARE = .8  # of one thread's speed, for two of which one has no processor
LONG = [(45312, 8), (100000, 8), (1000000, 10)]  # rows that threads share
TWICE = {45312: 1.4, 1000000: 1.8}  # the speed of two over that of one, where both are free
WINDOWS = 30
SHAPES = [(20640, 8, 200), (45312, 8, 100), (1000, 1000, 40), (1000000, 50, 8)]


def measure(program, loss, rows, columns, rounds):
    """The nanoseconds for one (row, column) of each variant, by round."""
    taken = collections.defaultdict(list)
    for line in run([program, rounds, loss, rows, columns]).splitlines():
        name, seconds = line.split("\t")
        taken[name].append(float(seconds) * 1e9)
    return dict(sorted(taken.items(), key=lambda item: item[0] != OURS))  # ours first


def verdicts(loss, rows, least):
    """What is to be said of a case: (what, figure, target, whether it is met)."""
    said = []
    if EIGEN in least:
        ratio = least[EIGEN] / least[OURS]
        said.append((f"{EIGEN} / {OURS}", ratio, FASTER[loss], ratio >= FASTER[loss]))
    cost = least[OURS] / least[PLAIN]
    if rows >= 20000:
        said.append(("cost of clip, grid and noise", cost, MOST_COST, cost <= MOST_COST))
    return said


def report(loss, rows, columns, taken):
    """Prints a case."""
    least = {name: min(values) for name, values in taken.items()}
    print(f"\n{loss}, {rows} x {columns}: ns for one (row, column)")
    print(f"{'':38}{'min':>8}{'median':>9}{'ratio':>8}")
    for name, values in taken.items():
        print(f"{name:38}{least[name]:8.3f}{statistics.median(values):9.3f}"
              f"{least[name] / least[OURS]:8.2f}")
    for what, figure, target, met in verdicts(loss, rows, least):
        print(f"{what}: {figure:.3f}, target {target:g}: {'met' if met else 'MISSED'}")


def lines_of(loss, rows, columns, taken):
    """One JSON object for each variant."""
    least = {name: min(values) for name, values in taken.items()}
    for name, values in taken.items():
        yield {"kernel": f"{loss}, {rows} x {columns}", "variant": name, "min_ns": least[name],
               "median_ns": statistics.median(values), "ratio": round(least[name] / least[OURS], 3),
               "rounds": len(values), "load_average": round(os.getloadavg()[0], 2)}


# ---- threads ----


@contextlib.contextmanager
def taken_processor(wanted):
    """While this lasts, a process that does nothing else has the last processor."""
    if not wanted:
        yield
        return
    last = max(os.sched_getaffinity(0))
    with subprocess.Popen([sys.executable, "-c", f"import os; os.sched_setaffinity(0, {{{last}}})\n"
                           "while True: pass"]) as process:
        try:
            yield
        finally:
            process.kill()


def compare_threads(program, loss, rows, columns, taken):
    """The speed of two threads over that of one: the mean, and of the best windows."""
    with taken_processor(taken):
        lines = run([program, "threads", WINDOWS, loss, rows, columns]).splitlines()
    seconds = {"1": [], "2": []}
    for line in lines:
        threads, value = line.split("\t")
        seconds[threads].append(float(value))
    mean = {threads: statistics.harmonic_mean(values) for threads, values in seconds.items()}
    return mean["1"] / mean["2"], min(seconds["1"]) / min(seconds["2"])


def thread_verdict(rows, mean, best, taken):
    """The mean counts where others compete, the best windows where they should not."""
    target = LEAST_SHARE if taken else TWICE.get(rows)
    if target is None:
        return ""
    met = (mean if taken else best) >= target
    busy = "" if taken else " (with another process about it says little)"
    return f", target {target:g}: {'met' if met else 'MISSED' + busy}"


def thread_lines(program, shapes):
    """One JSON object for each case, printed too."""
    print("\nspeed of two threads over that of one")
    for taken in (False, True):
        for rows, columns in shapes:
            for loss in FASTER:
                mean, best = compare_threads(program, loss, rows, columns, taken)
                name = f"{loss}, {rows} x {columns}"
                others = "second processor taken" if taken else "as the machine is"
                word = thread_verdict(rows, mean, best, taken)
                print(f"{name}, {others}: mean {mean:.2f}, best windows {best:.2f}{word}")
                yield {"threads": name, "others": others, "mean": round(mean, 3),
                       "best": round(best, 3), "load_average": round(os.getloadavg()[0], 2)}


# ---- the program ----


def main():
    """Measures and reports."""
    parser = argparse.ArgumentParser(description="how fast the kernels are")
    parser.add_argument("--build", metavar="DIR", default="build",
                        help="the build that bench_kernel is taken from [default: build]")
    parser.add_argument("--share", type=float, default=1, metavar="S",
                        help="so many times the usual rounds [default: 1]")
    parser.add_argument("--quick", action="store_true", help="the smaller tables alone")
    parser.add_argument("--json", metavar="FILE", help="append one JSON line per variant")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.build) / "bench" / "bench_kernel"
    if not program.is_file():
        raise BenchError(f"{program}: not there; build it, or say where it is with --build")
    for rows, columns, rounds in SHAPES[:2] if arguments.quick else SHAPES:
        for loss in FASTER:
            taken = measure(program.resolve(), loss, rows, columns,
                            max(1, round(rounds * arguments.share)))
            report(loss, rows, columns, taken)
            if arguments.json:
                append_json(arguments.json, lines_of(loss, rows, columns, taken))
    lines = list(thread_lines(program.resolve(), LONG[:1] if arguments.quick else LONG))
    if arguments.json:
        append_json(arguments.json, lines)
    print(f"\nload average {os.getloadavg()[0]:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main_of(main))

#!/usr/bin/python3
"""How fast files are read, beside the readers that people use now.

Makes one svmlight and one CSV file, then goes through a number of rounds in which every variant
reads its file once, in an order that changes from round to round: on a machine that others use
too, the minima of one such run can be compared with each other, and with nothing else. Each
reading is a new process. The library and the Python readers are timed around the call alone,
without starting the program; LIBLINEAR's time is that of its process, with a parameter that it
refuses once the file is read. Its start and end are a small part of that; how much the choice
matters can be seen from the variant that times our process as a whole, table freed.

This is a report: a missed target is said clearly but is not a failure.
"""

import argparse
import dataclasses
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import typing

from files import (BenchError, add_program_options, append_json, can_import, find_programs,
                   generate, main_of, rival_python, run)

MEGABYTE = 1e6
SMALLEST_FILE = 50 * MEGABYTE  # the targets are for files of at least this size
NOISY = 1.25  # a median so far above the minimum is worth a word

CHILD = """
import sys, time
{imports}
start = time.perf_counter()
table = {call}
print(time.perf_counter() - start)
"""


@dataclasses.dataclass
class Variant:
    """One way to read a case's file; `read` does it and returns the seconds it took."""

    name: str
    read: typing.Callable[[], float]
    target: float | None = None  # how many times the base's time a rival must take
    seconds: list = dataclasses.field(default_factory=list)

    @property
    def least(self):
        """The minimum over the rounds."""
        return min(self.seconds)


@dataclasses.dataclass
class Case:
    """A file and the variants that read it; the first is the base of the ratios."""

    name: str
    path: pathlib.Path
    variants: list

    @property
    def megabytes(self):
        """The size of the file."""
        return self.path.stat().st_size / MEGABYTE

    def ratio(self, variant):
        """The variant's minimum over the base's."""
        return variant.least / self.variants[0].least


# ---- ways to read a file ----


def timed_inside(command, environment=None):
    """The command prints the seconds that its reading took."""
    return lambda: float(run(command, env=environment))


def timed_outside(command):
    """The seconds of the whole process."""
    def read():
        start = time.perf_counter()
        run(command)
        return time.perf_counter() - start
    return read


def read_with_liblinear(program, path):
    """LIBLINEAR checks its parameters after reading: one that it refuses ends it right there."""
    def read():
        start = time.perf_counter()
        done = subprocess.run([program, "-e", "-1", path, os.devnull], capture_output=True,
                              text=True, check=False)
        seconds = time.perf_counter() - start
        if done.returncode != 1 or "eps" not in done.stderr:
            raise BenchError("liblinear-train did not stop at its eps, so its time means nothing")
        return seconds
    return read


def liblinear(path, target):
    """LIBLINEAR's variant, or none where it is not installed."""
    program = shutil.which("liblinear-train")
    if program is None:
        print("skipped: LIBLINEAR (there is no liblinear-train; Debian: liblinear-tools)")
        return []
    return [Variant("LIBLINEAR", read_with_liblinear(program, path), target)]


def python_reader(name, imports, call, path, target=None, python=sys.executable, threads=None):
    """A Python reader's variant, or none where its imports fail."""
    if not can_import(python, imports, name):
        return []
    child = CHILD.format(imports=imports, call=call)
    limit = {"POLARS_MAX_THREADS": str(threads)} if threads else {}
    return [Variant(name, timed_inside([python, "-c", child, path], {**os.environ, **limit}),
                    target)]


def column_readers(build, path):
    """Those that read CSV into columns of Arrow, by one thread and by all; of tools/rivals.sh."""
    python, arrow = rival_python(build), "import pyarrow.csv as csv"
    call = "csv.read_csv(sys.argv[1], csv.ReadOptions(use_threads={}))"
    return [
        *python_reader("polars read_csv, 1 thread", "import polars",
                       "polars.read_csv(sys.argv[1])", path, python=python, threads=1),
        *python_reader("polars read_csv, all threads", "import polars",
                       "polars.read_csv(sys.argv[1])", path, python=python),
        *python_reader("pyarrow read_csv, 1 thread", arrow, call.format(False), path,
                       python=python),
        *python_reader("pyarrow read_csv, all threads", arrow, call.format(True), path,
                       python=python)]


# ---- the cases ----


def npy_case(sotto, bench_read, directory, arguments):
    """1,000,000 rows of 51 numbers of 4 bytes: sotto alone, because others map the file."""
    path = directory / "large.npy"
    if not path.exists():
        import numpy
        rows = 1000000 // arguments.part
        random = numpy.random.default_rng(1)
        numpy.save(path, random.standard_normal((rows, 51), numpy.float32))
    command = [bench_read, path, 1, "target", "51", "threads"]
    return Case("npy", path, [Variant("sotto, 1 thread", timed_inside(command + [1])),
                              Variant("sotto, all threads", timed_inside(command + [0]))])


def svmlight_case(sotto, bench_read, directory, arguments):
    """A text-like file of 60,000 rows; the rivals make rows alone, so that is the base."""
    path = generate(sotto, directory / "zipf-heavy.svm", "zipf-heavy", 60000 // arguments.part,
                    200000)
    command = [bench_read, path, 1, "threads"]
    rows = ["layout", "rows"]
    return Case("svmlight", path, [
        Variant("sotto, 1 thread, rows", timed_inside(command + [1] + rows)),
        Variant("sotto, 1 thread, rows, whole process", timed_outside(command + [1] + rows)),
        Variant("sotto, 1 thread, rows and columns", timed_inside(command + [1])),
        Variant("sotto, all threads, rows", timed_inside(command + [0] + rows)),
        Variant("sotto, all threads, rows and columns", timed_inside(command + [0])),
        *liblinear(path, 8),
        *python_reader("scikit-learn load_svmlight_file",
                       "from sklearn.datasets import load_svmlight_file",
                       "load_svmlight_file(sys.argv[1])", path, 16)])


def csv_case(sotto, bench_read, directory, arguments):
    """200,000 rows of 51 numbers with nine digits."""
    path = generate(sotto, directory / "sparse-lasso.csv", "sparse-lasso",
                    200000 // arguments.part, 50)
    command = [bench_read, path, 1, "target", "target", "threads"]
    case = Case("csv", path, [
        Variant("sotto, 1 thread", timed_inside(command + [1])),
        Variant("sotto, all threads", timed_inside(command + [0])),
        *python_reader("pandas read_csv", "import pandas", "pandas.read_csv(sys.argv[1])",
                       path, 4.5),
        *column_readers(arguments.build, path)])
    if arguments.loadtxt:
        case.variants += python_reader("numpy loadtxt", "import numpy",
                                       "numpy.loadtxt(sys.argv[1], delimiter=',', skiprows=1)",
                                       path)
    return case


# ---- measuring ----


def bring_into_cache(path):
    """Reads a file once, so that no variant waits for the disk."""
    with open(path, "rb", buffering=0) as stream:
        while stream.read(1 << 24):
            pass


def measure(cases, rounds):
    """Every variant once a round. The order is shuffled, always in the same way: what ran before
    matters (it leaves memory that is quick or slow to get), so that must not be always the same.
    """
    variants = [variant for case in cases for variant in case.variants]
    shuffler = random.Random(0)
    for case in cases:
        bring_into_cache(case.path)
    for number in range(rounds):
        shuffler.shuffle(variants)
        for variant in variants:
            variant.seconds.append(variant.read())
        print(f"round {number + 1} of {rounds} done", file=sys.stderr)


# ---- reporting ----


def verdict(case, variant):
    """Whether the target is met, in a word."""
    if case.path.stat().st_size < SMALLEST_FILE:
        return "does not count, the file is too small"
    return "met" if case.ratio(variant) >= variant.target else "MISSED"


def print_case(case):
    """The case as a table."""
    print(f"\n{case.name}: {case.megabytes:.1f} MB")
    print(f"{'':38}{'min s':>9}{'median s':>10}{'MB/s':>8}{'ratio':>8}  target")
    for variant in case.variants:
        aim = f"  {variant.target:g}x: {verdict(case, variant)}" if variant.target else ""
        print(f"{variant.name:38}{variant.least:9.4f}{statistics.median(variant.seconds):10.4f}"
              f"{case.megabytes / variant.least:8.0f}{case.ratio(variant):8.2f}{aim}")
    base = case.variants[0]
    if statistics.median(base.seconds) > NOISY * base.least:
        print("noisy: the base's median is far above its minimum; more --rounds may help")


def print_verdicts(cases):
    """The missed targets once more, and how many were met."""
    words = []
    print()
    for case in cases:
        for variant in case.variants:
            if variant.target is None:
                continue
            words.append(verdict(case, variant))
            if words[-1] == "MISSED":
                print(f"MISSED: {case.name} is read {case.ratio(variant):.1f}x as fast as by "
                      f"{variant.name}, the target is {variant.target:g}x")
    print(f"targets: {words.count('met')} of {len(words)} met, {words.count('MISSED')} missed")


def rows_of(cases):
    """One JSON object for each case and variant."""
    for case in cases:
        for variant in case.variants:
            yield {"case": case.name, "variant": variant.name, "min": round(variant.least, 6),
                   "median": round(statistics.median(variant.seconds), 6),
                   "file_bytes": case.path.stat().st_size,
                   "MB_per_s": round(case.megabytes / variant.least, 1),
                   "ratio": round(case.ratio(variant), 3), "target": variant.target,
                   "rounds": len(variant.seconds),
                   "load_average": round(os.getloadavg()[0], 2)}


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description="how fast files are read, beside other readers")
    add_program_options(parser)
    parser.add_argument("--rounds", type=int, default=7, metavar="R",
                        help="how often each variant reads its file [default: 7]")
    parser.add_argument("--part", type=int, default=1, metavar="N",
                        help="files of one Nth of the rows [default: 1]")
    parser.add_argument("--json", metavar="FILE", help="add one JSON line per variant")
    parser.add_argument("--keep", metavar="DIR", type=pathlib.Path,
                        help="make the files here, keep them, and use those that are there")
    parser.add_argument("--loadtxt", action="store_true", help="numpy.loadtxt too, which is slow")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds: expected at least 1")
    return arguments


def report(arguments, directory):
    """Makes the files in the directory, measures and reports."""
    sotto, bench_read = find_programs(arguments)
    cases = [make(sotto, bench_read, directory, arguments)
             for make in (svmlight_case, csv_case, npy_case)]
    print(f"load average {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors")
    measure(cases, arguments.rounds)
    for case in cases:
        print_case(case)
    print_verdicts(cases)
    print(f"load average {os.getloadavg()[0]:.2f} at the end")
    if arguments.json:
        append_json(arguments.json, rows_of(cases))
    return 0


def main():
    """A benchmark in the directory to keep, or in a temporary one."""
    arguments = parse_arguments()
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        return report(arguments, arguments.keep)
    with tempfile.TemporaryDirectory(prefix="sotto-bench-") as directory:
        return report(arguments, pathlib.Path(directory))


if __name__ == "__main__":
    sys.exit(main_of(main))

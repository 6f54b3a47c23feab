#!/usr/bin/env python3
"""What a fit in Python costs beside the same fit by the program: memory, time, the call itself.

    bench/python_calls.py [--build build] [--rows 10000000] [--runs 24] [--write]

Memory: the peak of a fit on an array of --rows x 20 numbers of 4 bytes beyond what is there before
it (the array), and the peak of the program on a .npy file with the same numbers. Time: a tenth of
the rows, of 4 and of 8 bytes, Python and the program in turns, the fastest of each, and medians of
what one turn's ratios are. Who begins a turn alternates. Memory that nobody has touched lately
costs more to clear, most of all in a virtual machine, whose host takes it back after seconds: the
same run takes .34 s or .5 s. So half a gigabyte is touched and given back right before each fit and
each run of the program, and the fastest is told. The program's time has the start of a process in
it, the fit's in Python has not. Seconds of the processor are told, too: other work on the machine
changes them little. The call: 20,640 x 8, the time of fit() less that of the C calls that read the
records and train. With --write the table goes into docs/notes/python-examples.md.
"""
import argparse
import mmap
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "notes", "python-examples.md")
REGION = re.compile(r"(<!-- numbers: python-calls -->\n).*?(<!-- end of python-calls -->)",
                    re.DOTALL)
COLUMNS, MEGABYTE = 20, 1e6


def peak_now():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE


def touch_memory():
    """Leaves the system half a gigabyte of pages that have just been in use."""
    with mmap.mmap(-1, 1 << 29) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        for at in range(0, len(memory), 4096):
            memory[at] = 1


def cpu(usage):
    return usage.ru_utime + usage.ru_stime


def make(folder, rows, kind="float32"):
    """The same numbers as a file with the target in its last column and as two arrays."""
    import numpy as np
    path = os.path.join(folder, "records.npy")
    table = np.lib.format.open_memmap(path, "w+", kind, (rows, COLUMNS + 1))
    random = np.random.default_rng(1)
    for first in range(0, rows, 1 << 18):
        block = random.uniform(-1, 1, (min(1 << 18, rows - first), COLUMNS + 1))
        block[:, -1] = block[:, 0] + .5 * block[:, -1] > 0
        table[first:first + len(block)] = block
    table.flush()
    np.save(os.path.join(folder, "x.npy"), table[:, :-1])
    np.save(os.path.join(folder, "y.npy"), table[:, -1])
    return path


def fit_here(folder, measure):
    """In a process of its own: prints the peak beyond the arrays, or for two fits the seconds and
    those of the processor."""
    import warnings

    import numpy as np
    import sotto_dp as dp
    warnings.simplefilter("ignore")
    X, y = (np.load(os.path.join(folder, name + ".npy")) for name in "xy")
    model = dp.LogisticRegression(epsilon=1, delta=1e-6)
    dp.LogisticRegression(epsilon=1, delta=1e-6).fit(X[:1000].copy(), y[:1000])
    if measure == "memory":
        before = peak_now()
        model.fit(X, y)
        return print(peak_now() - before)
    for _ in range(2):
        touch_memory()
        begun, used = time.perf_counter(), cpu(resource.getrusage(resource.RUSAGE_SELF))
        model.fit(X, y)
        print(time.perf_counter() - begun, cpu(resource.getrusage(resource.RUSAGE_SELF)) - used)
    return None


def python(folder, measure):
    done = subprocess.run([sys.executable, __file__, "--here", folder, measure], check=True,
                          capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def program(build, path):
    """Seconds, those of the processor, and the peak in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [os.path.join(build, "sotto"), "train", path, "--target", str(COLUMNS + 1),
                   "--loss", "logistic", "--epsilon", "1", "--delta", "1e-6", "--quiet",
                   "-o", os.path.join(folder, "model.json")]
        begun = time.perf_counter()
        child = subprocess.Popen(command, stderr=subprocess.PIPE)
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        if status:
            raise SystemExit(said.decode())
        return time.perf_counter() - begun, cpu(usage), usage.ru_maxrss * 1024 / MEGABYTE


def call_alone(runs):
    """fit() on 20,640 x 8, and the part of it outside the two long C calls: medians, seconds."""
    import warnings

    import numpy as np
    import sotto_dp as dp
    from sotto_dp import _fitting, estimator
    warnings.simplefilter("ignore")
    random = np.random.default_rng(2)
    X = random.uniform(-1, 1, (20640, 8)).astype(np.float32)
    y = (X[:, 0] > 0).astype(np.float32)
    within, c_call = [0.0], estimator.call

    def timed(function, *arguments):
        begun = time.perf_counter()
        c_call(function, *arguments)
        if function in (dp._core.lib.sotto_fit_from, dp._core.lib.sotto_fit):
            within[0] += time.perf_counter() - begun

    estimator.call = _fitting.call = timed
    whole, outside = [], []
    for _ in range(runs + 1):
        within[0], begun = 0.0, time.perf_counter()
        dp.LogisticRegression(epsilon=1, delta=1e-6).fit(X, y)
        whole.append(time.perf_counter() - begun)
        outside.append(whole[-1] - within[0])
    estimator.call = _fitting.call = c_call
    return statistics.median(whole[1:]), statistics.median(outside[1:])


def times(build, rows, runs, kind):
    """Lines of the table: the first and the second fit of a process, and the program."""
    turns = []
    with tempfile.TemporaryDirectory() as folder:
        path = make(folder, rows, kind)
        for turn in range(runs):
            done = {}
            for who in ("program", "python")[::-1 if turn % 2 else 1]:
                if who == "program":
                    touch_memory()
                    done[who] = program(build, path)[:2]
                else:
                    done[who] = python(folder, "time")
            turns.append((*done["python"], *done["program"]))
    for at, what in ((0, "time"), (1, "seconds of the processor")):
        columns = [(turn[at], turn[2 + at], turn[4 + at]) for turn in turns]
        first, second, train = (min(column) for column in zip(*columns))
        ratios = [statistics.median(turn[i] / turn[2] for turn in columns) for i in (0, 1)]
        yield (f"| {what}, {rows:,} x {COLUMNS} of {kind}, from an array (first and second fit of "
               f"a process) and from .npy, fastest of {runs} turns (medians of a turn's ratios) | "
               f"{first:.3f} s, {second:.3f} s | {train:.3f} s | {first / train:.2f}, "
               f"{second / train:.2f} ({ratios[0]:.2f}, {ratios[1]:.2f}) |")


def measure(build, rows, runs):
    with tempfile.TemporaryDirectory() as folder:
        make(folder, rows)
        here, = python(folder, "memory")
        there = program(build, os.path.join(folder, "records.npy"))[2]
    whole, outside = call_alone(20 * runs)
    array = rows * COLUMNS * 4 / MEGABYTE
    return [
        "| what | Python | the program | ratio |", "|---|---|---|---|",
        f"| memory, {rows:,} x {COLUMNS} (an array of {array:,.0f} MB), peak beyond the array; "
        f"the program: peak | {here:,.0f} MB | {there:,.0f} MB | {here / there:.2f} |",
        *(line for kind in ("float32", "float64") for line in times(build, rows // 10, runs, kind)),
        f"| a call, 20,640 x 8: fit(), and outside the C calls in it | {whole * 1e3:.1f} ms, "
        f"{outside * 1e3:.2f} ms | | {outside / whole:.3f} |"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--here", nargs=2, metavar=("FOLDER", "WHAT"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    package = os.path.join(os.path.abspath(args.build), "python")
    if os.path.isdir(package):
        sys.path.insert(0, package)
    if args.here:
        return fit_here(*args.here)
    os.environ["SOTTO_LEDGER"] = "none"
    table = measure(os.path.abspath(args.build), args.rows, args.runs)
    print("\n".join(table))
    if args.write:
        with open(PAGE) as file:
            page = file.read()
        with open(PAGE, "w") as file:
            file.write(REGION.sub(lambda m: m[1] + "\n" + "\n".join(table) + "\n\n" + m[2], page))
    return None


if __name__ == "__main__":
    main()

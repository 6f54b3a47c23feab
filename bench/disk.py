#!/usr/bin/python3
"""Training on a table that is larger than the memory, beside a plain read of its file.

    bench/disk.py [--build build] [--rows 20000000] [--features 100] [--memory 1G] [--solver gd ...]
                  [--folder DIR] [--write]

Everything runs in a control group of --memory, which counts the page cache, too: without it the
second pass would come from the cache. (Needs root; without, it says so, and the seconds of passes mean
little.) In turn: convert, a plain read, a training by each solver, a plain read. A pass is the table's
bytes; how many a training read is what the system counted. Needs room for three tables in --folder.
With --write the table goes into docs/tables.md.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from classes import ROOT, write_table

PAGE = os.path.join(ROOT, "docs", "tables.md")
UNITS = {"M": 1 << 20, "G": 1 << 30}


class Group:
    """A control group of the kernel with so much memory; or none."""

    def __init__(self, size):
        self.procs = None
        for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
                            ("/sys/fs/cgroup", "memory.max")):
            path = os.path.join(root, f"sotto-disk-{os.getpid()}")
            try:
                os.mkdir(path)
                with open(os.path.join(path, limit), "w", encoding="ascii") as file:
                    file.write(str(size))
                self.path, self.procs = path, os.path.join(path, "cgroup.procs")
                return
            except OSError:
                if os.path.isdir(path):
                    os.rmdir(path)
        print("disk: no control group can be made: the page cache is not limited", file=sys.stderr)

    def enter(self):
        if self.procs:
            with open(self.procs, "w", encoding="ascii") as file:
                file.write(str(os.getpid()))

    def close(self):
        if self.procs:
            os.rmdir(self.path)


def run(group, command, folder):
    """Seconds, the peak in bytes, and the bytes that were read."""
    begun = time.perf_counter()
    child = subprocess.Popen(command, cwd=folder, preexec_fn=group.enter, stdout=subprocess.DEVNULL)
    read = 0
    while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        time.sleep(.05)
    with open(f"/proc/{child.pid}/io", encoding="ascii") as file:  # of a child that has ended
        read = int(file.read().split()[1])
    seconds = time.perf_counter() - begun
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"disk: {' '.join(command)}: status {status}")
    return seconds, usage.ru_maxrss * 1024, read


PLAIN = "import sys\nwith open(sys.argv[1], 'rb', buffering=0) as f:\n  b = bytearray(1 << 20)\n" \
        "  while f.readinto(b): pass"


def plain(group, folder):
    seconds, _, read = run(group, [sys.executable, "-c", PLAIN, "x.sotto"], folder)
    return ["plain read of the file", f"{seconds:.0f}", "", "1.0", f"{seconds:.1f}",
            f"{read / seconds / 1e6:.0f}"]


def make(path, rows, columns):
    """Floats from 1 to 2."""
    random = np.random.default_rng(1)
    table = np.lib.format.open_memmap(path, "w+", "<f4", (rows, columns))
    for first in range(0, rows, 1 << 16):
        count = min(1 << 16, rows - first)
        table[first:first + count] = 1 + random.random((count, columns), np.float32)
    table.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--solver", nargs="+", default=["gd", "auto"])
    parser.add_argument("--folder")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    sotto = os.path.join(os.path.abspath(args.build), "sotto")
    limit = int(args.memory[:-1]) * UNITS[args.memory[-1]]
    group = Group(limit)
    lines = []

    def told(cells):
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)

    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        make(os.path.join(folder, "x.npy"), args.rows, args.features + 1)
        schema = {"sotto_schema": 1, "width": args.features + 1,
                  "default": {"type": "number", "bounds": [1, 2]},
                  "columns": {str(args.features + 1): {"type": "target", "bounds": [1, 2]}}}
        with open(os.path.join(folder, "s.json"), "w", encoding="ascii") as file:
            json.dump(schema, file)
        seconds, peak, _ = run(group, [sotto, "convert", "x.npy", "--schema", "s.json", "--loss",
                                       "squared", "--quiet", "-o", "x.sotto"], folder)
        os.unlink(os.path.join(folder, "x.npy"))
        size = os.path.getsize(os.path.join(folder, "x.sotto"))
        told([f"{args.rows:,} x {args.features}, {size / 1e9:.1f} GB, in {args.memory}iB", "seconds",
              "peak, MB", "passes", "seconds a pass", "MB/s"])
        lines.append("|---" * 6 + "|")
        told(["convert, from .npy", f"{seconds:.0f}", f"{peak / 1e6:.0f}", "", "", ""])
        told(plain(group, folder))
        for solver in args.solver:
            seconds, peak, read = run(group, [
                sotto, "train", "x.sotto", "--loss", "squared", "--epsilon", "1", "--delta", "1e-8",
                "--solver", solver, "--memory", args.memory, "--ledger", "none", "--insecure-seed", "1",
                "--quiet", "-o", "m.json"], folder)
            told([f"train --solver {solver}", f"{seconds:.0f}", f"{peak / 1e6:.0f}",
                  f"{read / size:.1f}", f"{seconds * size / read:.1f}", f"{read / seconds / 1e6:.0f}"])
        told(plain(group, folder))
    group.close()
    if args.write:
        write_table("disk", lines, PAGE)


if __name__ == "__main__":
    main()

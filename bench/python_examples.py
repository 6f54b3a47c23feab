#!/usr/bin/env python3
"""The examples in Python beside the same with diffprivlib, as a table of Markdown.

    bench/python_examples.py [--runs 9] [--write]

Needs sotto_dp, pandas, scikit-learn and, for the other half of the table, diffprivlib in the
Python that runs it. Each script runs in a folder of its own. A run's score is the last number that
it prints; a warning is a line of stderr with that word in it. With --write the table goes into
docs/notes/python-examples.md.
"""
import argparse
import importlib.util
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXAMPLES = os.path.join(ROOT, "examples")
PAGE = os.path.join(ROOT, "docs", "notes", "python-examples.md")
NAMES = ("adult", "california", "sparse_text", "budget")
START, END = "<!-- numbers: python-examples -->\n", "<!-- end of numbers -->\n"


def lines(path):
    """Lines of code: neither blank nor a comment."""
    with open(path) as file:
        return sum(1 for line in file if line.strip() and not line.strip().startswith("#"))


def run(path):
    """The score, what it is, the seconds, how many warnings, and how many fits were let through."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        done = subprocess.run([sys.executable, path], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        seconds = time.monotonic() - start
    if done.returncode:
        raise SystemExit(f"{path}: {done.stderr}")
    what, score = done.stdout.splitlines()[-1].split()
    weeks = len(re.findall(r"^week \d+: epsilon left", done.stdout, re.M))
    return float(score), what, seconds, done.stderr.count("Warning"), weeks


def row(name, library, runs):
    path = os.path.join(EXAMPLES, name + ("" if library == "sotto" else "_diffprivlib") + ".py")
    found = [run(path) for _ in range(runs)]
    scores, _, seconds, warnings, weeks = zip(*found)
    score = f"{statistics.median(scores):.3f} ({min(scores):.3f} to {max(scores):.3f})"
    return (f"| {name} | {library} | {lines(path)} | {found[0][1]} {score} | "
            f"{statistics.median(seconds):.2f} | {max(warnings)} | {max(weeks) or ''} |")


def table(runs):
    has_other = importlib.util.find_spec("diffprivlib") is not None
    out = ["| example | with | lines | score, median (range) | seconds | warnings | weeks |",
           "|---|---|---|---|---|---|---|"]
    for name in NAMES:
        for library in ("sotto", "diffprivlib")[:1 + has_other]:
            out.append(row(name, library, runs))
            print(out[-1], file=sys.stderr)
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    made = table(arguments.runs)
    if not arguments.write:
        print(made, end="")
        return
    with open(PAGE) as file:
        before, rest = file.read().split(START)
    with open(PAGE, "w") as file:
        file.write(before + START + "\n" + made + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()

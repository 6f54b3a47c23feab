#!/usr/bin/python3
"""nightly.py: the suites that take longer than CI has time for.

Each step's result goes to build/nightly.json as soon as it is known. A run
that was interrupted goes on with the steps that are left, as long as HEAD
is the same; a step that failed is run again.
"""

import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "build", "nightly.json")

# name, what it is for, the command
STEPS = [
    ("mutants", "faults that tests must notice", "make mutants"),
    ("coverage", "lines of the trusted rooms that no test executes",
     "make coverage"),
    ("audits", "audits of privacy, ten times over",
     "make test-prerequisites && "
     "tools/test.sh build --suite audit --repeat 10"),
    ("kills", "1,000 kills of trainings, 200 of the federation", "make kills"),
    ("busy", "the whole suite beside four busy processes", "make test-busy"),
    ("fuzz", "each reader for ten minutes", "make fuzz SECONDS=600"),
    ("pages", "the pages in Chromium", "make test-report"),
    ("trixie", "the README's commands on the next Debian",
     "make fresh SUITE=trixie"),
]


def head():
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], check=True,
                          capture_output=True, text=True).stdout.strip()


def read(commit):
    try:
        with open(RESULTS, encoding="utf-8") as file:
            known = json.load(file)
        if known["commit"] == commit:
            return known
    except (OSError, ValueError, KeyError):
        pass
    return {"commit": commit, "steps": {}}


def write(known):
    os.makedirs(os.path.dirname(RESULTS), exist_ok=True)
    with open(RESULTS + ".new", "w", encoding="utf-8") as file:
        json.dump(known, file, indent=1)
    os.replace(RESULTS + ".new", RESULTS)


def main():
    known = read(head())
    for name, purpose, command in STEPS:
        if known["steps"].get(name, {}).get("passed"):
            print(f"== {name}: passed before", flush=True)
            continue
        print(f"== {name}: {purpose}", flush=True)
        begun = time.monotonic()
        status = subprocess.run(["sh", "-c", command], cwd=ROOT,
                                check=False).returncode
        known["steps"][name] = {"passed": status == 0,
                                "seconds": round(time.monotonic() - begun)}
        write(known)
    failed = [name for name, _, _ in STEPS if not known["steps"][name]["passed"]]
    print(f"{len(STEPS) - len(failed)} passed, {len(failed)} failed"
          + (f": {' '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

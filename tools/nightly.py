#!/usr/bin/python3
"""nightly.py: the suites that take longer than CI has time for.

Each step's result goes to build/nightly.json as soon as it is known. A run
that was interrupted goes on with the steps that are left, as long as the code
is the same (documents may change); a step that failed is run again.
Names of steps as arguments run only these. It all takes about two hours on two
cores: a night draws a tenth of the mutants by its date, so that every one is
run within weeks; `make mutants` runs all, in five hours.
"""

import hashlib
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "build", "nightly.json")

# name, what it is for, the command
STEPS = [
    ("mutants", "faults that tests must notice: this night's tenth",
     "tools/setup.sh build test python && "
     "tools/mutants.py --tenth $(date -u +%F)"),
    ("coverage", "lines of the trusted rooms that no test executes",
     "make coverage"),
    ("audits", "audits of privacy, three times over",
     "make test-prerequisites && "
     "tools/test.sh build --suite audit --repeat 3"),
    ("audit", "sotto audit of every solver; 1,000 neighbours replayed, and 1,000 of parties",
     "make test-prerequisites && "
     "/usr/bin/python3 tests/cli/test_audit_program.py --nightly && "
     "SOTTO_NEIGHBOURS=1000 build/tests/test_replay_federate"),
    ("kills", "1,000 kills of trainings, 200 of the federation", "make kills"),
    ("mpi", "ranks that are processes of Open MPI: all solvers by all formats; killed at 110 places",
     "make mpi-test mpi-table mpi-kills"),
    ("busy", "the whole suite beside four busy processes", "make test-busy"),
    ("fuzz", "each reader for a minute", "make fuzz SECONDS=60"),
    ("pages", "the pages in Chromium", "make test-report"),
    ("trixie", "the README's commands on the next Debian",
     "make fresh SUITE=trixie"),
]


def state_of_code():
    """A hash of all files that git tracks, but for documents."""
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True,
                           capture_output=True, text=True).stdout.split("\0")
    digest = hashlib.sha256()
    for name in files:
        if name and not name.endswith(".md"):
            with open(os.path.join(ROOT, name), "rb") as file:
                digest.update(f"{name} {os.fstat(file.fileno()).st_size}\n".encode())
                digest.update(file.read())
    return digest.hexdigest()


def read(state):
    try:
        with open(RESULTS, encoding="utf-8") as file:
            known = json.load(file)
        if known["state"] == state:
            return known
    except (OSError, ValueError, KeyError):
        pass
    return {"state": state, "steps": {}}


def write(known):
    os.makedirs(os.path.dirname(RESULTS), exist_ok=True)
    with open(RESULTS + ".new", "w", encoding="utf-8") as file:
        json.dump(known, file, indent=1)
    os.replace(RESULTS + ".new", RESULTS)


def choose(names):
    unknown = set(names) - {name for name, _, _ in STEPS}
    if unknown:
        sys.exit(f"nightly: no such step: {' '.join(sorted(unknown))}")
    return [step for step in STEPS if not names or step[0] in names]


def main():
    steps = choose(sys.argv[1:])
    known = read(state_of_code())
    for name, purpose, command in steps:
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
    failed = [name for name, _, _ in steps if not known["steps"][name]["passed"]]
    print(f"{len(steps) - len(failed)} passed, {len(failed)} failed"
          + (f": {' '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

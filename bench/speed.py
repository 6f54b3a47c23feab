#!/usr/bin/python3
"""Writes the page about speed, whole, from the files that bench/bench.py keeps.

    bench/speed.py FOLDER [--write]

FOLDER has a JSON file for each case. The page goes beside it (speed.md), or with --write to
docs/speed.md, and a table of it into README; report.html, with the plots, always goes beside it.
Cases of another commit or build than that of machine.json are left out, and it says so.
"""

import argparse
import json
import pathlib
import sys

import speed_ends
import speed_readme
import speed_report
import speed_tables

ROOT = pathlib.Path(__file__).resolve().parent.parent
ORDER = ("end-electricity", "end-adult", "end-large", "end-sparse", "growth-rows",
         "growth-features", "growth-nonzeros", "growth-steps", "growth-threads", "read",
         "exact-electricity", "exact-a9a", "exact-dorothea", "exact-sparse-l1", "exact-sparse-l2",
         "exact-sparse-lasso", "exact-large", "kernel", "gcd", "noise", "account")

HEAD = """# Speed

*Reference, for people who ask how long it takes: the last measurement.*

Written by `bench/speed.py` from one run of `make bench`. Variants run in turn, several rounds, in
an order that changes. Times are minima; ratios within the run are what to trust, not the seconds.
A ratio is a variant's least time over that of sotto with one thread, so more than 1 is slower than
sotto. *Model* is what the bytes that must be read would take at the bandwidth of the same case,
and *reached* is the model's share of the time.
"""


def load(folder):
    """(what is told of the machine, the cases of the same stamp by name, names left out)."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        found[case["case"]] = case
    about = found.pop("machine", None)
    if about is None:
        sys.exit(f"speed.py: {folder}/machine.json: not there; run 'make bench'")
    kept = {name: found[name] for name in ORDER
            if name in found and found[name]["stamp"] == about["stamp"]}
    return about, kept, [name for name in found if name not in kept]


def page(about, cases):
    """The page in Markdown."""
    parts = [HEAD, speed_tables.machine_section(about, cases),
             speed_ends.targets_section(cases), speed_ends.section(cases),
             speed_tables.growth_section(cases), speed_tables.reading_section(cases),
             speed_tables.exact_section(cases), speed_tables.kernel_section(cases),
             speed_tables.greedy_section(cases), speed_tables.noise_section(cases),
             speed_tables.prices_section(cases), speed_tables.instructions_section(),
             speed_tables.skipped_section(cases)]
    return "\n".join(part for part in parts if part)


def main():
    parser = argparse.ArgumentParser(description="the page about speed")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="write docs/speed.md")
    given = parser.parse_args()
    about, cases, left = load(given.folder)
    if left:
        print(f"left out, of another commit or build: {', '.join(left)}")
    beside = given.folder.resolve().parent
    path = ROOT / "docs" / "speed.md" if given.write else beside / "speed.md"
    path.write_text(page(about, cases), encoding="utf-8")
    if given.write:
        speed_readme.write()
    report = beside / "report.html"
    report.write_text(speed_report.page(about, cases), encoding="utf-8")
    print(f"wrote {path} and {report}")


if __name__ == "__main__":
    main()

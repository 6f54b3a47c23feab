#!/usr/bin/python3
"""Writes docs/speed.md from the JSON lines of bench/read.py and bench/instructions.json.

    bench/read.py --json run.json && bench/speed.py run.json > docs/speed.md
"""

import json
import pathlib
import sys

HEAD = """# Speed of reading

Written by `bench/speed.py` from one run of `make bench`: every variant in turn, several rounds, on
a machine that others used too. Ratios within the run are what to trust, not the seconds. A ratio
is the rival's least time over that of sotto with one thread; *rows* is what the rivals make, too.
"""


def table(rows):
    lines = ["| variant | min s | MB/s | ratio | target |", "|---|---|---|---|---|"]
    for row in rows:
        target = row.get("target")
        lines.append(f"| {row['variant']} | {row['min']:.3f} | {row['MB_per_s']:.0f} | "
                     f"{row['ratio']:.2f} | {f'{target:g}x' if target else ''} |")
    return "\n".join(lines)


def instructions():
    path = pathlib.Path(__file__).with_name("instructions.json")
    recorded = json.loads(path.read_text(encoding="utf-8"))
    lines = ["| reader | instructions per byte |", "|---|---|"]
    lines += [f"| {name} | {case['instructions_per_byte']:.2f} |"
              for name, case in recorded.items()]
    return "\n".join(lines)


def main():
    rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    print(HEAD)
    for case in dict.fromkeys(row["case"] for row in rows):
        print(f"## {case}\n\n{table([row for row in rows if row['case'] == case])}\n")
    print("## By callgrind\n\nThe same on any machine with the same compiler; "
          f"`make bench-instructions` fails at +3 %.\n\n{instructions()}")


if __name__ == "__main__":
    main()

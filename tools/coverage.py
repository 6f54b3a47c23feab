#!/usr/bin/python3
"""coverage.py BUILD: the lines of the trusted rooms that no test executes.

BUILD was set up with -Db_coverage=true, and tests have run there. Every line
of ROOMS must have been executed, or be in tests/coverage.txt:

    == The reason, in one sentence.
    src/noise/stream.c fill
        abort();

These are the reason, a file and a function of it, and lines of that function
as they are in the source. A line that is listed and not in the source any
more is an error, too.
"""

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST = os.path.join(ROOT, "tests", "coverage.txt")
ROOMS = ("account", "curator", "kernel", "ledger", "noise")


def read_list():
    """The lines that need not be executed: (file, function, text)."""
    lines, reason, place = set(), None, None
    with open(LIST, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("== "):
                reason, place = line, None
            elif line.startswith("    ") and place:
                lines.add((*place, line.strip()))
            elif line and line[0] not in "# " and reason:
                place = line.split()
            elif line and line[0] != "#":
                sys.exit(f"coverage: {LIST}: this is not an entry: {line}")
    return lines


def gcov(build):
    """What gcov says of each object in the build folder; notes of sources that
    have gone stay there without one."""
    notes = [os.path.relpath(os.path.join(folder, file), build)
             for folder, _, files in os.walk(build) for file in files
             if file.endswith(".gcno") and file[:-5] + ".o" in files]
    done = subprocess.run(["gcov", "--json-format", "--stdout", *sorted(notes)],
                          cwd=build, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return [json.loads(line) for line in done.stdout.splitlines()]


def count_lines(build):
    """(file, line number) -> [function, how often it was executed].

    A line that is compiled several times is executed if one of them is."""
    counts = {}
    for item in gcov(build):
        for source in item["files"]:
            path = os.path.realpath(os.path.join(build, source["file"]))
            path = os.path.relpath(path, ROOT)
            if not path.startswith(tuple(f"src/{room}/" for room in ROOMS)):
                continue
            for line in source["lines"]:
                function = line.get("function_name", "").removeprefix("*")
                function = function.removeprefix("sottocore_") # as exported
                found = counts.setdefault((path, line["line_number"]),
                                          [function, 0])
                found[1] += line["count"]
    return counts


def main():
    build = os.path.abspath(sys.argv[1])
    listed = read_list()
    counts = count_lines(build)
    texts, seen, unlisted, excused = {}, set(), 0, 0
    for (path, number), (function, count) in sorted(counts.items()):
        if path not in texts:
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                texts[path] = file.read().splitlines()
        text = texts[path][number - 1].strip()
        seen.add((path, function, text))
        if count == 0 and (path, function, text) in listed:
            excused += 1
        elif count == 0:
            unlisted += 1
            print(f"{path}:{number}: {function}: {text}")
    for path, function, text in sorted(listed - seen):
        print(f"{path} {function}: listed and not there: {text}")
    print(f"{len(counts)} lines of {', '.join(ROOMS)}: {unlisted} are not executed; "
          f"{excused} more are listed in tests/coverage.txt")
    return 1 if unlisted or listed - seen or not counts else 0


if __name__ == "__main__":
    sys.exit(main())

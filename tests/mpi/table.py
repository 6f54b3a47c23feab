#!/usr/bin/env python3
"""Every solver that ranks have, by every format and by 1, 2, 3, 4 and 7 ranks: the bytes of one
process.

    make mpi-table                      the whole table; fails if docs/ranks.md has other counts
    table.py --few                      some cells, by two and three ranks
    table.py --ranks [COUNT...]         by these; none: only what one process does
    table.py --jobs COUNT               so many rows at a time
    table.py --write                    the whole table, and its counts into docs/ranks.md

Results go to build/mpi-table.json cell by cell. A run that was interrupted goes on, as long as the
programs and the records are the same; what differed is run again.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.abspath(os.environ.get("SOTTO") or os.path.join(ROOT, "build", "sotto"))
MPI = PROGRAM + "-mpi"
RESULTS = os.path.join(os.path.dirname(PROGRAM), "mpi-table.json")
PAGE = os.path.join(ROOT, "docs", "ranks.md")
REGION = re.compile(r"(<!-- numbers: ranks -->\n).*?(<!-- end of ranks -->)", re.DOTALL)
RANKS = (1, 2, 3, 4, 7)
MPIRUN = ["mpirun", "--oversubscribe", "-q"]
if os.geteuid() == 0:
    MPIRUN.insert(1, "--allow-run-as-root")
ENVIRONMENT = dict(os.environ, SOTTO_LEDGER="none")
FORMATS = ("CSV", "svmlight", ".npy", "table", "table on disk", "sparse table")
ROWS, FEATURES = 300, 5

BATCHES = ("--batch-rate", ".2")
BALL = ("--radius", "2", "--no-intercept")
SOLVERS = {
    "auto": (), "newton": (), "ssp": (), "gd": ("--steps", "5"), "cd": ("--passes", "2"),
    "gcd": ("--steps", "5"), "sgd": ("--steps", "9", *BATCHES),
    "svrg": ("--l2", ".1", *BATCHES),
    "scd": ("--l2", ".1", "--norm-bound", "2", "--no-intercept", "--passes", "2", *BATCHES),
    "fw": ("--steps", "5", *BALL), "bcfw": ("--steps", "5", "--blocks", "3", *BALL)}
LOSSES = {"logistic": "two", "squared-hinge": "two", "hinge": "two", "squared": "number",
          "huber": "number"}
# What a solver refuses by one process is left out of the table. Two solvers take more classes.
PATHS = [("auto", t, l, ("--path", path)) for path in ("select", "wide", "intercept")
         for t, l in (("two", "logistic"), ("three", "logistic"), ("number", "squared"))]
MORE_CLASSES = (("auto", "three", "logistic", ()), ("auto", "five", "logistic", ()),
                ("auto", "three", "logistic", ("--multiclass", "one-versus-rest")),
                ("auto", "three", "squared-hinge", ()), ("auto", "three", "hinge", ()),
                ("newton", "three", "logistic", ()), *PATHS)
TARGETS = {"two": ["0", "1"], "three": ["0", "1", "2"], "five": list("01234"), "number": None}
VERBS = (("evaluate", ()), ("evaluate --json", ("--json",)),
         ("evaluate --epsilon", ("--epsilon", "1", "--delta", "1e-6", "--insecure-seed", "5",
                                 "--quiet", "-o", "-")),
         ("predict", ()), ("predict --scores", ("--scores",)))


def run(command, folder):
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, timeout=300,
                          stdin=subprocess.DEVNULL, check=False)


def must(command, folder):
    done = run(command, folder)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
    return done


def write_files(folder):
    """One set of rows for each target, in every format."""
    for name, classes in TARGETS.items():
        chance = random.Random(5)
        rows = []
        for _ in range(ROWS):
            x = [round(chance.uniform(-1, 1), 4) for _ in range(FEATURES)]
            score = x[0] - x[1] + chance.gauss(0, .3)
            place = min(max((score + 1.2) / 2.4, 0), .999)
            rows.append((x, round(score / 3, 4) if classes is None else int(place * len(classes))))
        with open(os.path.join(folder, f"{name}.csv"), "w", encoding="utf-8") as file:
            file.write(",".join(f"x{j}" for j in range(FEATURES)) + ",text,y\n")
            for i, (x, y) in enumerate(rows):
                text = '"a\nb"' if i % 3 else "plain"
                file.write(",".join(map(str, x)) + f",{text},{y}\n")
        with open(os.path.join(folder, f"{name}.svm"), "w", encoding="utf-8") as file:
            for x, y in rows:
                label = 2 * y - 1 if name == "two" else y
                file.write(f"{label} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) + "\n")
        head = (f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({ROWS}, {FEATURES + 1}), }}"
                .ljust(117) + "\n")
        with open(os.path.join(folder, f"{name}.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
            for x, y in rows:
                file.write(struct.pack(f"<{FEATURES + 1}d", *x, y))
        target = {"type": "target", **({"classes": classes} if classes else {"bounds": [-2, 2]})}
        value = {"type": "number", "bounds": [-1, 1]}
        schemas = {"csv": {**{f"x{j}": value for j in range(FEATURES)}, "y": target},
                   "npy": {**{str(j + 1): value for j in range(FEATURES)},
                           str(FEATURES + 1): target},
                   "svm": {}}
        for ending, columns in schemas.items():
            other = value if ending == "svm" else {"type": "drop"}
            with open(os.path.join(folder, f"{name}.{ending}.json"), "w",
                      encoding="utf-8") as file:
                json.dump({"sotto_schema": 1, "default": other, "columns": columns}, file)
        loss = "logistic" if classes else "squared"
        for source, made in (("CSV", "sotto"), ("svmlight", "sparse.sotto")):
            must([PROGRAM, "convert", *read(source, name), "--loss", loss, "-o",
                  f"{name}.{made}"], folder)


def read(form, target):
    """A file of this format, and the options that it is read with."""
    classes = TARGETS[target]
    listed = ["--classes", ",".join(classes)] if classes and target != "two" else []
    return {"CSV": [f"{target}.csv", "--schema", f"{target}.csv.json"],
            "svmlight": [f"{target}.svm", "--features", str(FEATURES), "--schema",
                         f"{target}.svm.json", *listed],
            ".npy": [f"{target}.npy", "--schema", f"{target}.npy.json"],
            "table": [f"{target}.sotto"],
            "table on disk": [f"{target}.sotto", "--memory", "60M"],
            "sparse table": [f"{target}.sparse.sotto"]}[form]


def state_of(folder):
    """A hash of the programs and of the records."""
    digest = hashlib.sha256()
    built = os.path.dirname(PROGRAM)
    library = [os.path.join(built, name) for name in os.listdir(built)
               if name.startswith("libsotto.so.")]
    records = [os.path.join(folder, name) for name in os.listdir(folder)
               if not name.endswith(".sotto")]  # made of others; these have the folder in them
    for path in [PROGRAM, MPI, *sorted(library), *sorted(records)]:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                digest.update(os.path.basename(path).encode() + file.read())
    return digest.hexdigest()


class Kept:
    """What is known of each command: the ranks that print what one process prints, or a refusal."""

    def __init__(self, state, path):
        self.path, self.lock = path, threading.Lock()
        self.known = {"state": state, "cells": {}}
        try:
            with open(path, encoding="utf-8") as file:
                before = json.load(file)
            if before["state"] == state:
                self.known = before
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def of(self, command):
        return self.known["cells"].get(" ".join(command), {"same": [], "refused": None})

    def keep(self, command, found):
        with self.lock:
            self.known["cells"][" ".join(command)] = found
            if self.path:
                with open(self.path + ".new", "w", encoding="utf-8") as file:
                    json.dump(self.known, file, indent=1)
                os.replace(self.path + ".new", self.path)


class Cells:
    """What is compared, and what came out."""

    def __init__(self, folder, ranks, kept):
        self.folder, self.ranks, self.kept = folder, ranks, kept
        self.wrong, self.refused = [], []

    def differ(self, one, count, arguments):
        """What a number of ranks says if it does not print what one process prints."""
        try:
            many = run(MPIRUN + ["-n", str(count), MPI, *arguments], self.folder)
        except subprocess.TimeoutExpired:
            return "it did not end"
        if (many.returncode, many.stdout) == (0, one.stdout) and one.stdout:
            return None
        return f"code {many.returncode}: {many.stderr.decode()[-300:]}"

    def same(self, what, arguments):
        """How many numbers of ranks print what one process prints; None: it refuses."""
        found = self.kept.of(arguments)
        left = [count for count in self.ranks if count not in found["same"]]
        if left and not found["refused"]:
            one = run([PROGRAM, *arguments], self.folder)
            if one.returncode:
                found["refused"] = one.stderr.decode().strip() or f"code {one.returncode}"
                left = []
            for count in left:
                told = self.differ(one, count, arguments)
                if told is None:
                    found["same"].append(count)
                else:
                    self.wrong.append((what, count, told))
            self.kept.keep(arguments, found)
        if found["refused"]:
            self.refused.append((what, found["refused"]))
            return None
        return sum(count in found["same"] for count in self.ranks)

    def row(self, words, arguments_of):
        """Its words, and for each format how many numbers of ranks did the same."""
        cells = [self.same((*words, form), arguments_of(form)) for form in FORMATS]
        print(*words, *("–" if c is None else c for c in cells), flush=True)
        return words, cells


def number_of(rows, form):
    """Comparisons of some rows in a format that were equal, and all of them."""
    cells = [cells[FORMATS.index(form)] for _, cells in rows]
    return sum(c or 0 for c in cells), sum(c is not None for c in cells)


def page(rows, ranks):
    """The table of docs/ranks.md: for each solver and verb, how many comparisons were equal."""
    lines, equal, every = [], 0, 0
    for name in dict.fromkeys(words[0] for words, _ in rows):
        own = [row for row in rows if row[0][0] == name]
        cells = []
        for form in FORMATS:
            same, cases = number_of(own, form)
            equal, every = equal + same, every + cases * len(ranks)
            cells.append("–" if not cases else f"{same}" if same == cases * len(ranks) else
                         f"{same} of {cases * len(ranks)}")
        lines.append(f"| {name} | {len(own)} | " + " | ".join(cells) + " |")
    counts = ", ".join(map(str, ranks[:-1])) + f" and {ranks[-1]}"
    return "\n".join([
        f"By {counts} ranks: {every:,} runs, of which {equal:,} printed what one process prints "
        f"and {every - equal:,} did not.", "",
        "| | cases | " + " | ".join(FORMATS) + " |", "|---" * (len(FORMATS) + 2) + "|", *lines])


def page_has(text, write):
    """Whether docs/ranks.md has this table; with `write` it gets it."""
    with open(PAGE, encoding="utf-8") as file:
        before = file.read()
    after, found = REGION.subn(lambda m: f"{m[1]}\n{text}\n\n{m[2]}", before)
    if found != 1:
        sys.exit(f"{PAGE}: expected one region of ranks")
    if write and after != before:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(after)
    return write or after == before


def train(form, target, loss, solver, more):
    return ["train", *read(form, target), "--loss", loss, "--solver", solver, "--epsilon", "3",
            "--delta", "1e-6", "--insecure-seed", "4", "--quiet", "-o", "-", *more]


def fits(few):
    """A row for each solver with each loss, and with more classes."""
    wanted = [(s, "two" if LOSSES[l] == "two" else "number", l, ())
              for s in SOLVERS for l in LOSSES]
    wanted += MORE_CLASSES
    if few:
        some = (("cd", "two", "logistic"), ("ssp", "number", "squared"),
                ("auto", "three", "logistic"))
        wanted = [w for w in wanted if w[:3] in some][:len(some)]
    for solver, target, loss, more in wanted:
        classes = "number" if target == "number" else f"{len(TARGETS[target])} classes"
        yield ([f"`{solver}`", loss, " ".join([classes, *more])],
               lambda form, s=solver, t=target, l=loss, m=(*SOLVERS[solver], *more):
               train(form, t, l, s, m))


def answers(folder, few):
    """A row for each verb that takes a model, of a model that was learned from the format."""
    models = {form: form.strip(".") for form in FORMATS[:3]}
    for target in ("two",) if few else ("two", "three", "number"):
        loss = "squared" if target == "number" else "logistic"
        for form, made in models.items():
            must([PROGRAM, "train", *read(form, target), "--loss", loss, "--epsilon", "inf",
                  "--l2", ".01", "--quiet", "-o", f"{target}-{made}.json"], folder)
        for words, more in VERBS[2:4] if few else VERBS:
            kind = "number" if target == "number" else f"{len(TARGETS[target])} classes"
            yield ([f"`{words}`", loss, kind], lambda form, t=target, v=words, m=more:
                   [v.split()[0], f"{t}-{models.get(form, 'CSV')}.json", read(form, t)[0], *m])


def main():
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--few", action="store_true")
    words.add_argument("--jobs", type=int, default=2)
    words.add_argument("--ranks", type=int, nargs="*", default=RANKS)
    words.add_argument("--write", action="store_true")
    asked = words.parse_args()
    if not os.path.exists(MPI):
        sys.exit(f"{MPI}: expected it to be built: make mpi")
    if asked.write and (asked.few or tuple(asked.ranks) != RANKS):
        sys.exit("--write is for the whole table")
    ranks = (2, 3) if asked.few else asked.ranks
    folder = tempfile.mkdtemp(prefix="sotto-table-")
    try:
        write_files(folder)
        kept = Kept(state_of(folder), None if asked.few else RESULTS)
        cells = Cells(folder, ranks, kept)
        tasks = [*answers(folder, asked.few), *fits(asked.few)]
        with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
            try:
                rows = [row for row in pool.map(lambda task: cells.row(*task), tasks)
                        if set(row[1]) != {None}]
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                raise
    finally:
        shutil.rmtree(folder)
    rows.sort(key=lambda row: row[0][0].split()[0][1:-1] not in SOLVERS)  # then verbs
    for what, count, told in cells.wrong:
        print("DIFFERS:", *what, f"by {count} ranks", told)
    for what, told in cells.refused:
        print("one process refuses:", *what, told)
    files = [FORMATS.index(form) for form in FORMATS if form != "table on disk"]
    # a solver that no loss is taken with: an option may be wrong here
    complete = {row[0][0] for row in rows if None not in [row[1][f] for f in files]}
    missing = [] if asked.few else [s for s in SOLVERS if f"`{s}`" not in complete]
    compared = sum(number_of(rows, form)[1] for form in FORMATS) * len(ranks)
    print(f"{compared} compared, {len(cells.wrong)} differ", *missing)
    whole = not asked.few and tuple(ranks) == RANKS and not missing
    said = not whole or page_has(page(rows, ranks), asked.write)
    if not said:
        print(f"{PAGE}: expected these counts: make mpi-table WRITE=1")
    sys.exit(1 if cells.wrong or missing or not compared or not said else 0)


if __name__ == "__main__":
    main()

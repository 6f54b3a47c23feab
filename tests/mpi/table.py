#!/usr/bin/env python3
"""Every solver that ranks have, by every format and by 1, 2, 3, 4 and 7 ranks: the bytes of one
process.

    make mpi-table                      the whole table
    table.py --few                      some cells, by two and three ranks
    table.py --ranks [COUNT...]         by these; none: only what one process does
    table.py --jobs COUNT               so many rows at a time
"""
import argparse
import concurrent.futures
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.abspath(os.environ.get("SOTTO") or os.path.join(ROOT, "build", "sotto"))
MPI = PROGRAM + "-mpi"
RANKS = (1, 2, 3, 4, 7)
MPIRUN = ["mpirun", "--oversubscribe", "-q"]
if os.geteuid() == 0:
    MPIRUN.insert(1, "--allow-run-as-root")
ENVIRONMENT = dict(os.environ, SOTTO_LEDGER="none")
FORMATS = ("CSV", "svmlight", ".npy", "table", "sparse table")
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
# Losses that a solver is tried with; what it refuses by one process is left out of the table.
MORE_CLASSES = (("auto", "three", "logistic", ()), ("auto", "five", "logistic", ()),
                ("auto", "three", "logistic", ("--multiclass", "one-versus-rest")),
                ("auto", "three", "squared-hinge", ()), ("auto", "three", "hinge", ()),
                ("newton", "three", "logistic", ()))
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
            "table": [f"{target}.sotto"], "sparse table": [f"{target}.sparse.sotto"]}[form]


class Cells:
    """What is compared, and what came out."""

    def __init__(self, folder, ranks):
        self.folder, self.ranks = folder, ranks
        self.compared, self.wrong, self.refused = 0, [], []

    def same(self, what, arguments):
        """Whether all numbers of ranks print what one process prints; None: it refuses."""
        one = run([PROGRAM, *arguments], self.folder)
        if one.returncode:
            self.refused.append((what, one.stderr.decode().strip()))
            return None
        for count in self.ranks:
            many = run(MPIRUN + ["-n", str(count), MPI, *arguments], self.folder)
            self.compared += 1
            if (many.returncode, many.stdout) != (0, one.stdout) or not one.stdout:
                self.wrong.append((what, count, many.stderr.decode()[-300:]))
        return not any(w[0] == what for w in self.wrong)

    def row(self, words, arguments_of):
        cells = []
        for form in FORMATS:
            arguments = arguments_of(form)
            found = self.same((*words, form), arguments) if arguments else None
            cells.append("–" if found is None else "=" if found else "**not**")
        print(*words, *cells, flush=True)
        return [*words, *cells]


def train(form, target, loss, solver, more):
    return ["train", *read(form, target), "--loss", loss, "--solver", solver, "--epsilon", "3",
            "--delta", "1e-6", "--insecure-seed", "4", "--quiet", "-o", "-", *more]


def fits(few):
    """A row for each solver with each loss, and with more classes."""
    wanted = [(s, "two" if LOSSES[l] == "two" else "number", l, SOLVERS[s])
              for s in SOLVERS for l in LOSSES]
    wanted += [(s, t, l, (*SOLVERS[s], *more)) for s, t, l, more in MORE_CLASSES]
    if few:
        some = (("cd", "two", "logistic"), ("ssp", "number", "squared"),
                ("auto", "three", "logistic"))
        wanted = [w for w in wanted if w[:3] in some][:len(some)]
    for solver, target, loss, more in wanted:
        classes = "number" if target == "number" else f"{len(TARGETS[target])} classes"
        versus = ", one-versus-rest" if "one-versus-rest" in more else ""
        yield ([f"`{solver}`", loss, classes + versus], lambda form, s=solver, t=target, l=loss,
               m=more: train(form, t, l, s, m))


def answers(folder, few):
    """A row for each verb that takes a model, of a model that was learned from the format."""
    for target in ("two",) if few else ("two", "three", "number"):
        loss = "squared" if target == "number" else "logistic"
        for form in FORMATS[:3]:
            must([PROGRAM, "train", *read(form, target), "--loss", loss, "--epsilon", "inf",
                  "--l2", ".01", "--quiet", "-o", f"{target}-{form.strip('.')}.json"], folder)
        for words, more in VERBS[2:4] if few else VERBS:
            kind = "number" if target == "number" else f"{len(TARGETS[target])} classes"
            yield ([f"`{words}`", loss, kind], lambda form, t=target, v=words, m=more:
                   [v.split()[0], f"{t}-{form.strip('.')}.json", read(form, t)[0], *m]
                   if form in FORMATS[:3] else None)


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--few", action="store_true")
    words.add_argument("--jobs", type=int, default=2)
    words.add_argument("--ranks", type=int, nargs="*", default=RANKS)
    asked = words.parse_args()
    if not os.path.exists(MPI):
        sys.exit(f"{MPI}: expected it to be built: make mpi")
    folder = tempfile.mkdtemp(prefix="sotto-table-")
    try:
        write_files(folder)
        cells = Cells(folder, (2, 3) if asked.few else asked.ranks)
        tasks = [*fits(asked.few), *answers(folder, asked.few)]
        with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
            rows = [row for row in pool.map(lambda task: cells.row(*task), tasks)
                    if set(row[3:]) != {"–"}]
    finally:
        shutil.rmtree(folder)
    for what, count, told in cells.wrong:
        print("DIFFERS:", *what, f"by {count} ranks", told)
    for what, told in cells.refused:
        print("one process refuses:", *what, told)
    whole = {row[0] for row in rows if "–" not in row[3:]}  # an option may be wrong here
    missing = [] if asked.few else [s for s in SOLVERS if f"`{s}`" not in whole]
    print(f"{cells.compared} compared, {len(cells.wrong)} differ", *missing)
    sys.exit(1 if cells.wrong or missing or not cells.compared else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""mutants.py [NAME...]: every fault in tests/mutants must be noticed.

tests/mutants has one file per room. A row of it is a block of lines:

    == no-clip
    A record adds what it likes.
    must fail: kernel
    file: src/kernel/row.h
    -    k = lanes_min(k, limit);
    +    k = lanes_min(k, 2 * limit);

These are a name, the fault in one sentence, the tests that must fail (or
"build", if the code must not compile), and the change. As in a diff, "-" and
" " begin the lines that are there before, "+" and " " those that are there
afterwards; the lines before must occur once in the file. A fault in several
places has a "file:" line for each. "#" begins a comment between rows.

Each fault is put into a copy of the tree; only the tests that its row names
are built and run, and each of them must fail. The same tests must pass
without the fault, so that a broken test is not taken for a watchful one.

Results go to build-mutants/results.json. A run that was interrupted goes on
where it was, as long as the code has not changed.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build-mutants")
RESULTS = os.path.join(WORK, "results.json")
TABLE = os.path.join(ROOT, "tests", "mutants")
NO_CODE = re.compile(r".*\.(md|json)|tests/mutants/.*")

Change = collections.namedtuple("Change", "file before after")
Mutant = collections.namedtuple("Mutant", "name why tests changes")


def hashed(*values):
    return hashlib.sha256(repr(values).encode()).hexdigest()


def git(*command):
    return subprocess.run(["git", "-C", ROOT, *command], check=True,
                          capture_output=True, text=True).stdout


def read_block(lines, where):
    """One row of the table."""
    try:
        name, why, must_fail, *rest = lines
        changes = []
        for line in rest:
            if line.startswith("file: "):
                changes.append(Change(line[6:], [], []))
                continue
            if line[0] in " -":
                changes[-1].before.append(line[1:])
            if line[0] in " +":
                changes[-1].after.append(line[1:])
            if line[0] not in " -+":
                raise ValueError
        if not must_fail.startswith("must fail: ") or not changes:
            raise ValueError
    except (ValueError, IndexError):
        sys.exit(f"mutants: {where}: this is not a row: {lines[0]}")
    return Mutant(name[3:], why, must_fail.split()[2:], changes)


def read_table():
    """All rows by their names."""
    mutants = {}
    for file in sorted(os.listdir(TABLE)):
        with open(os.path.join(TABLE, file), encoding="utf-8") as text:
            lines = [line for line in text.read().splitlines()
                     if line and not line.startswith("#")]
        starts = [i for i, line in enumerate(lines) if line.startswith("== ")]
        if lines and starts[:1] != [0]:
            sys.exit(f"mutants: {file} does not begin with a row")
        for start, end in zip(starts, starts[1:] + [len(lines)]):
            mutant = read_block(lines[start:end], file)
            if mutant.name in mutants:
                sys.exit(f"mutants: two rows are named {mutant.name}")
            mutants[mutant.name] = mutant
    return mutants


def put_in(mutant, folder):
    """The files that this fault changes: name -> text with the fault."""
    texts = {}
    for file, before, after in mutant.changes:
        if file not in texts:
            try:
                with open(os.path.join(folder, file), encoding="utf-8") as text:
                    texts[file] = text.read().split("\n")
            except OSError as error:
                raise ValueError(f"{file} is not there") from error
        lines, size = texts[file], len(before)
        at = [i for i in range(len(lines) - size + 1)
              if lines[i:i + size] == before]
        if not size or len(at) != 1:
            raise ValueError(f"{file}: the lines before occur {len(at)} times")
        if before == after:
            raise ValueError(f"{file}: the lines before and after are the same")
        lines[at[0]:at[0] + size] = after
    return {file: "\n".join(lines) for file, lines in texts.items()}


def check(mutants):
    """Whether all rows can be applied: no build is needed."""
    with open(os.path.join(ROOT, "tests", "meson.build"), encoding="utf-8") as file:
        tests = set(re.findall(r"'(\w+)'", file.read())) | {"build"}
    with open(os.path.join(ROOT, "python", "tests", "meson.build"), encoding="utf-8") as file:
        tests |= {"python_" + name for name in re.findall(r"'(\w+)'", file.read())}
    bad = 0
    for mutant in mutants:
        try:
            put_in(mutant, ROOT)
            unknown = set(mutant.tests) - tests
            if unknown or not mutant.tests:
                raise ValueError(f"no such test: {' '.join(unknown)}")
        except ValueError as error:
            bad += 1
            print(f"{mutant.name}: {error}")
    print(f"{len(mutants)} mutants, {bad} cannot be applied")
    return 1 if bad else 0


def state_of_code(names):
    """A hash of all that a result depends on, but for the row itself."""
    digest = hashlib.sha256()
    for name in names:
        if not NO_CODE.fullmatch(name):
            with open(os.path.join(ROOT, name), "rb") as file:
                digest.update(f"{name} {os.fstat(file.fileno()).st_size}\n".encode())
                digest.update(file.read())
    return digest.hexdigest()


class Results:
    """What is known so far, written down after each mutant.

    A mutant's result is known by its whole row, a test's by its name."""

    @staticmethod
    def key(item):
        return item if isinstance(item, str) else f"{item.name} {hashed(item)}"

    def __init__(self, state):
        self.lock = threading.Lock()
        self.known = {"state": state}
        try:
            with open(RESULTS, encoding="utf-8") as file:
                before = json.load(file)
            if before["state"] == state:
                self.known = before
        except (OSError, ValueError, KeyError):
            pass

    def __contains__(self, item):
        return self.key(item) in self.known

    def __getitem__(self, item):
        return self.known[self.key(item)]

    def add(self, item, result):
        with self.lock:
            self.known[self.key(item)] = result
            with open(RESULTS + ".new", "w", encoding="utf-8") as file:
                json.dump(self.known, file, indent=1, sort_keys=True)
            os.replace(RESULTS + ".new", RESULTS)


class Tree:
    """A copy of the tree with a build of its own, kept for the next run."""

    def __init__(self, number, names):
        self.folder = os.path.join(WORK, f"tree{number}")
        self.copy_from(ROOT, names)
        done = self.run("meson", "setup", "--reconfigure", "build")
        if done.returncode:
            shutil.rmtree(os.path.join(self.folder, "build"), ignore_errors=True)
            done = self.run("meson", "setup", "build")
        if done.returncode:
            sys.exit(f"mutants: {done.stdout}")
        self.tests = {} # two tests may have one name: it means both
        for test in self.introspect("--tests"):
            self.tests.setdefault(test["name"], []).append(test)
        self.files = {t["id"]: t["filename"] for t in self.introspect("--targets")}

    def copy_from(self, root, names):
        """Leaves alone what is the same, so that it is not built again."""
        for folder, folders, files in os.walk(self.folder):
            if folder == self.folder and "build" in folders:
                folders.remove("build")
            for file in files:
                here = os.path.join(folder, file)
                if os.path.relpath(here, self.folder) not in names:
                    os.remove(here)
        for name in names:
            with open(os.path.join(root, name), "rb") as file:
                text = file.read()
            to = os.path.join(self.folder, name)
            if os.path.exists(to):
                with open(to, "rb") as file:
                    if file.read() == text:
                        continue
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(os.path.join(root, name), to)

    def run(self, *command):
        environment = dict(os.environ, SOTTO_DATA=os.environ.get(
            "SOTTO_DATA", os.path.join(ROOT, "..", "shared", "data")))
        return subprocess.run(command, cwd=self.folder, text=True, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)

    def introspect(self, what):
        return json.loads(self.run("meson", "introspect", what, "build").stdout)

    def build(self, tests):
        """Builds what these tests need; the compiler's words if it fails."""
        build = os.path.join(self.folder, "build")
        targets = {os.path.relpath(file, build) for name in tests
                   for test in self.tests[name] for target in test["depends"]
                   for file in self.files[target]}
        done = self.run("ninja", "-C", "build", *sorted(targets))
        return done.stdout if done.returncode else None

    def passes(self, test):
        return self.run("meson", "test", "-C", "build", "--no-rebuild",
                        test).returncode == 0

    def read(self, file):
        with open(os.path.join(self.folder, file), encoding="utf-8") as text:
            return text.read()

    def write(self, texts):
        for file, text in texts.items():
            with open(os.path.join(self.folder, file), "w", encoding="utf-8") as to:
                to.write(text)


def judge(tree, mutant):
    """What became of one mutant: [caught?, words]."""
    tests = [test for test in mutant.tests if test != "build"]
    try:
        texts = put_in(mutant, tree.folder)
    except ValueError as error:
        return [False, f"DOES NOT APPLY: {error}"]
    whole = {file: tree.read(file) for file in texts}
    tree.write(texts)
    try:
        broken = tree.build(tests or ["architecture"])
        if broken:
            return ([True, "does not build, as it should"] if not tests else
                    [False, "DOES NOT BUILD: " + broken[-400:]])
        if not tests:
            return [False, "BUILDS, and should not"]
        alive = [test for test in tests if tree.passes(test)]
        return ([False, "SURVIVED " + " ".join(alive)] if alive else
                [True, "caught by " + " ".join(tests)])
    finally:
        tree.write(whole)


def sound(tree, test):
    """A test that fails without a fault cannot notice one."""
    if not tree.build([test]) and tree.passes(test):
        return [True, "passes without a fault"]
    return [False, "FAILS WITHOUT A FAULT"]


def changed_since(revision, mutants):
    """The rows that are new, or whose files have changed."""
    files = set(git("diff", "--name-only", "-z", revision).split("\0"))
    new = re.findall(r"^\+== (.*)$", git("diff", "-U0", revision, "--", TABLE),
                     re.MULTILINE)
    return [m for m in mutants
            if m.name in new or any(c.file in files for c in m.changes)]


def choose(args, mutants):
    """The rows to run. The hash also puts them in order, so that a limit does
    not always leave out the same ones."""
    if args.names:
        unknown = set(args.names) - mutants.keys()
        if unknown:
            sys.exit(f"mutants: no such row: {' '.join(sorted(unknown))}")
        return [mutants[name] for name in args.names]
    rows = sorted(mutants.values(), key=lambda m: hashed(args.tenth, m.name))
    if args.changed is None and args.tenth is None:
        return rows
    chosen = changed_since(args.changed, rows) if args.changed else []
    if args.tenth:
        chosen += [m for m in rows if m not in chosen
                   and int(hashed(args.tenth, m.name), 16) % 10 == 0]
    if args.most is not None and len(chosen) > args.most:
        print(f"left out, as {args.most} are enough here: "
              + " ".join(m.name for m in chosen[args.most:]))
        chosen = chosen[:args.most]
    return chosen


def work_for(mutants, results):
    """What is not known yet; a test comes before the first fault it is for."""
    work = []
    for mutant in mutants:
        work += [(sound, test) for test in mutant.tests
                 if test != "build" and (sound, test) not in work]
        work.append((judge, mutant))
    return [item for item in work if item[1] not in results]


def run(work, results, files, minutes):
    """Does the work side by side, and begins nothing after so many minutes."""
    end = time.monotonic() + 60 * minutes
    trees = queue.SimpleQueue()
    workers = min(os.cpu_count() or 1, len(work))
    for number in range(workers):
        trees.put(Tree(number, files))

    def one(item):
        look, at = item
        if time.monotonic() > end:
            return
        tree = trees.get()
        try:
            result = look(tree, at)
        finally:
            trees.put(tree)
        results.add(at, result)
        print(f"{getattr(at, 'name', at)}: {result[1]}", flush=True)

    if work:
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            list(pool.map(one, work))


def report(mutants, results, minutes):
    tests = {test for m in mutants for test in m.tests if test in results}
    done = [m for m in mutants if m in results]
    if len(done) < len(mutants):
        print(f"left out, as {minutes:g} minutes have passed: "
              + " ".join(m.name for m in mutants if m not in results))
    bad = [test for test in sorted(tests) if not results[test][0]]
    bad += [m.name for m in done if not results[m][0]]
    caught = sum(results[m][0] for m in done)
    print(f"{len(done)} mutants, {caught} caught"
          + (f"; look at: {' '.join(bad)}" if bad else ""))
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true",
                        help="only say which rows cannot be applied")
    parser.add_argument("--changed", metavar="REV",
                        help="rows that are new or whose files changed since then")
    parser.add_argument("--tenth", metavar="HASH",
                        help="a tenth of all rows, chosen by this hash")
    parser.add_argument("--most", type=int, metavar="N",
                        help="of those that --changed and --tenth choose")
    parser.add_argument("--minutes", type=float, default=float("inf"),
                        help="begin nothing after so long")
    args = parser.parse_args()
    table = read_table()
    if args.check:
        return check(table.values())
    mutants = choose(args, table)
    files = [name for name in git("ls-files", "-z").split("\0") if name]
    os.makedirs(WORK, exist_ok=True)
    results = Results(state_of_code(files))
    run(work_for(mutants, results), results, files, args.minutes)
    return report(mutants, results, args.minutes)


if __name__ == "__main__":
    sys.exit(main())

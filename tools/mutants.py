#!/usr/bin/python3
"""mutants.py [NAME...]: every fault in tests/mutants must be noticed.

Each patch is applied to a copy of the tree; only the tests that it names are
built and run, and each of them must fail. The same tests must pass without
the patch, so that a broken test is not taken for a watchful one.

Results go to build-mutants/results.json. A run that was interrupted goes on
where it was, as long as the code has not changed.
"""

import concurrent.futures
import hashlib
import json
import os
import queue
import shutil
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build-mutants")
RESULTS = os.path.join(WORK, "results.json")
PATCHES = os.path.join(ROOT, "tests", "mutants")
DOCUMENTS = (".md", ".json")


def tracked():
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True,
                           capture_output=True).stdout.decode().split("\0")
    return [name for name in names if name]


def state_of_code(names):
    """A hash of all that a result depends on."""
    digest = hashlib.sha256()
    for name in names:
        if not name.endswith(DOCUMENTS):
            with open(os.path.join(ROOT, name), "rb") as file:
                digest.update(f"{name} {os.fstat(file.fileno()).st_size}\n".encode())
                digest.update(file.read())
    return digest.hexdigest()


class Results:
    """What is known so far, written down after each mutant."""

    def __init__(self, state):
        self.lock = threading.Lock()
        self.known = {"state": state, "tests": {}, "mutants": {}}
        try:
            with open(RESULTS, encoding="utf-8") as file:
                before = json.load(file)
            if before["state"] == state:
                self.known = before
        except (OSError, ValueError, KeyError):
            pass

    def add(self, kind, name, result):
        with self.lock:
            self.known[kind][name] = result
            with open(RESULTS + ".new", "w", encoding="utf-8") as file:
                json.dump(self.known, file, indent=1, sort_keys=True)
            os.replace(RESULTS + ".new", RESULTS)


class Tree:
    """A copy of the tree with a build of its own."""

    def __init__(self, number, names):
        self.folder = os.path.join(WORK, f"tree{number}")
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in names:
            to = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), to)
        self.run("git", "init", "-q", ".")  # git apply wants a root
        done = self.run("meson", "setup", "build")
        if done.returncode:
            sys.exit(f"mutants: {done.stdout}")
        self.tests = {} # two tests may have one name: it means both
        for test in self.introspect("--tests"):
            self.tests.setdefault(test["name"], []).append(test)
        self.files = {t["id"]: t["filename"] for t in self.introspect("--targets")}

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

    def patch(self, name, *way):
        done = self.run("git", "apply", *way,
                        os.path.join(PATCHES, name + ".patch"))
        if done.returncode:
            raise RuntimeError(f"does not apply: {done.stdout.strip()}")


def wanted(name):
    with open(os.path.join(PATCHES, name + ".patch"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("Must fail: "):
                return line.split()[2:]
    sys.exit(f"mutants: {name}.patch has no line 'Must fail: TEST'")


def judge(tree, name):
    """What became of one mutant: [caught?, words]."""
    tests = [test for test in wanted(name) if test != "build"]
    try:
        tree.patch(name)
    except RuntimeError as error:
        return [False, str(error).upper()]
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
        tree.patch(name, "-R")


def sound(tree, test):
    """A test that fails without a fault cannot notice one."""
    if not tree.build([test]) and tree.passes(test):
        return [True, "passes without a fault"]
    return [False, "FAILS WITHOUT A FAULT"]


def main():
    names = sys.argv[1:] or sorted(
        file[:-6] for file in os.listdir(PATCHES) if file.endswith(".patch"))
    tests = sorted({t for name in names for t in wanted(name)} - {"build"})
    files = tracked()
    os.makedirs(WORK, exist_ok=True)
    results = Results(state_of_code(files))
    known = results.known
    work = [("tests", sound, test) for test in tests if test not in known["tests"]]
    work += [("mutants", judge, name) for name in names
             if name not in known["mutants"]]
    trees = queue.SimpleQueue()
    workers = min(os.cpu_count() or 1, len(work))
    for number in range(workers):
        trees.put(Tree(number, files))

    def one(item):
        kind, check, name = item
        tree = trees.get()
        try:
            result = check(tree, name)
        finally:
            trees.put(tree)
        results.add(kind, name, result)
        print(f"{name}: {result[1]}", flush=True)

    if work:
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            list(pool.map(one, work))
    bad = [test for test in tests if not known["tests"][test][0]]
    bad += [name for name in names if not known["mutants"][name][0]]
    caught = sum(known["mutants"][name][0] for name in names)
    print(f"{len(names)} mutants, {caught} caught"
          + (f"; look at: {' '.join(bad)}" if bad else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

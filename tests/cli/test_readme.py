#!/usr/bin/python3
"""The pages run as they are printed, and what they print is what comes out.

A block called console has commands after a $ and what they print. A block
called sh has commands alone. All blocks of a page run in one shell, one after
the other, in the folder where the page says that one is.

`test_readme.py --write [PAGE...]` puts what the commands print now into the pages,
where it is not the same but for noise. The tutorial, the how-to pages and explanations
are run by test_howto.py.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

from common import HERE, PROGRAM
from printed import same

ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
BUILD = os.environ.get("SOTTO_BUILD") or os.path.dirname(PROGRAM)
README = "README.md"
# The pages, and where their reader is: under the folder of the sources.
PAGES = {README: ".", "docs/embedding.md": ".", "docs/solvers.md": "build/demo",
         "docs/parties.md": "build/demo", "docs/ledger.md": "build/demo",
         "docs/tutorial.md": ".", "docs/tables.md": "build/demo"}
HOWTO, EXPLAIN = (sorted(os.path.relpath(page, ROOT) for page in
                         glob.glob(os.path.join(ROOT, "docs", kind, "*.md")))
                  for kind in ("howto", "explain"))
PAGES.update((page, "build/demo") for page in HOWTO + EXPLAIN)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def steps(kind, block):
    """The commands of a block, and what is printed under each."""
    if kind == "sh":
        return [(block, None)]
    parts = re.split(r"^\$ (.*)\n", block, flags=re.M)
    if parts[0]:
        raise AssertionError(f"no command before: {parts[0]}")
    return list(zip(parts[1::2], parts[2::2]))


def is_run_here(kind, block):
    """An installed library is for test_install.py."""
    return kind in ("sh", "console") and "pkg-config" not in block


def page_steps(page):
    return [step for kind, block in BLOCK.findall(read(page))
            if is_run_here(kind, block) for step in steps(kind, block)]


def make_place(folder):
    """The sources after `make demo`, as far as the pages use them."""
    demo = os.path.join(folder, "build", "demo")
    os.makedirs(demo)
    os.symlink(PROGRAM, os.path.join(folder, "build", "sotto"))
    for name in os.listdir(BUILD):
        if name.startswith("libsotto.so") and not name.endswith(".p"):
            os.symlink(os.path.join(BUILD, name),
                       os.path.join(folder, "build", name))
    for name in ("examples", "include"):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    subprocess.run([os.path.join(ROOT, "tools", "patients.py"), demo],
                   check=True)


def walk(commands, where):
    """What each command prints."""
    with tempfile.TemporaryDirectory(prefix="sotto-") as folder:
        make_place(folder)
        path = os.environ["PATH"]
        if where != ".":
            path = os.path.join(folder, "build") + ":" + path
        mark = "~~ next ~~\n"
        script = "set -eo pipefail\nexec 2>&1\n" + "".join(
            f"{command}\nprintf '{mark[:-1]}\\n'\n" for command in commands)
        done = subprocess.run(
            ["bash", "-c", script], cwd=os.path.join(folder, where),
            env={**os.environ, "PATH": path,
                 "SOTTO_LEDGER": os.path.join(folder, "own.ledger")}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, check=False)
        said = done.stdout.decode().split(mark)
        if done.returncode or len(said) != len(commands) + 1:
            raise AssertionError(f"exit code {done.returncode}: "
                                 f"{commands[len(said) - 1]}\n{said[-1]}")
        return said[:-1]


class Pages(unittest.TestCase):
    def check(self, page):
        expected = page_steps(page)
        got = walk([command for command, _ in expected], PAGES[page])
        for (command, printed), ours in zip(expected, got, strict=True):
            if printed is not None:
                with self.subTest(command):
                    self.assertTrue(same(ours, printed), ours)
        return [command for command, _ in expected]

    def test_readme(self):
        verbs = [command.split()[1] for command in self.check(README)
                 if command.startswith("sotto ")]
        self.assertEqual(verbs[0], "train")
        self.assertLessEqual({"predict", "report"}, set(verbs))

    def test_solvers(self):
        commands = "".join(self.check("docs/solvers.md"))
        self.assertGreaterEqual(commands.count("sotto train"), 11)

    def test_parties(self):
        self.assertEqual(len(self.check("docs/parties.md")), 2)

    def test_ledger(self):
        """Every action, and a run that is refused."""
        commands = self.check("docs/ledger.md")
        actions = {command.split()[2] for command in commands
                   if command.startswith("sotto ledger ")}
        self.assertEqual(actions, {"create", "raise", "show", "history", "quote",
                                   "verify", "export", "backup"})

    def test_a_command_that_fails_is_noticed(self):
        with self.assertRaisesRegex(AssertionError, "no-such"):
            walk(["true", "sotto show no-such.json"], "build/demo")
        with self.assertRaisesRegex(AssertionError, "no-such"):
            walk(["sotto show no-such.json | sed -n 1p", "true"], "build/demo")

    def test_a_difference_is_noticed(self):
        self.assertTrue(same("a 0.12345678", "a 0.12345679"))
        self.assertTrue(same("  b  +1  █\n  a  -3  ██\n",
                             "  a  +0.2  █\n  b  -0.1  \n"))
        self.assertTrue(same("epsilon 0.999996, delta 1e-06",
                             "epsilon 0.999997, delta 1e-06"))
        self.assertTrue(same("    2  2026-11-17 09:30  ada  0.5",
                             "    2  2027-01-01 10:31  root  0.5"))
        for ours, printed in (("a b", "a c"), ("a", "a b"),
                              ("AUC 0.7", "AUC 0.6"), ("rows 20000", "rows 9"),
                              ("  b  +1  █\n", "  c  +1  █\n"),
                              ("l2 0.001", "l2 -0.001"), ("x 1.02", "x 1.03")):
            self.assertFalse(same(ours, printed), (ours, printed))


class Readme(unittest.TestCase):
    """What a stranger sees first."""

    def test_first_screen(self):
        """Two commands, in a block of their own, and nothing before them
        that looks like one. `make fresh` runs what stands here."""
        text = read(README)
        first = re.search(r"^(?:    .*\n)+", text, re.M)
        self.assertEqual(first[0].split("\n"),
                         ["    make demo", "    make test", ""])
        self.assertLess(text[:first.start()].count("\n"), 12)
        self.assertNotIn("```", text[:first.start()])
        self.assertNotRegex(BLOCK.sub("", text[first.end():]),
                            r"(?m)^    \S")

    def test_two_screens(self):
        """Of a terminal of 60 lines, without the picture and the table of pages."""
        text = read(README).split("## Where to read on")[0]
        self.assertLessEqual(text.count("\n"), 120)
        self.assertNotIn("--solver", text)

    def test_every_block_is_run(self):
        """Here, or by python/tests/test_pages.py; of docs/embedding.md one by test_install.py,
        which has the library installed."""
        for page, others in ((README, 0), ("docs/embedding.md", 1)):
            blocks = BLOCK.findall(read(page))
            self.assertEqual(read(page).count("```"), 2 * len(blocks))
            elsewhere = [b for kind, b in blocks
                         if kind not in ("python", "c") and not is_run_here(kind, b)]
            self.assertEqual(len(elsewhere), others)
        self.assertIn("$(pkg-config --cflags --libs sotto)", elsewhere[0])

    def test_rivals(self):
        """The table is what docs/speed.md says."""
        sys.path.insert(0, os.path.join(ROOT, "bench"))
        import speed_readme
        text = read(README)
        self.assertEqual(speed_readme.filled(text, read("docs/speed.md")), text)
        self.assertEqual(speed_readme.table(read("docs/speed.md")).count("\n"), 5)

    def test_first_model_is_private(self):
        train = next(command for command, _ in page_steps(README)
                     if command.startswith("sotto train "))
        self.assertRegex(train, r"--epsilon 1 --delta 1e-6 ")
        with open(os.path.join(ROOT, "examples", "fit.c"),
                  encoding="utf-8") as file:
            self.assertIn('"epsilon", "1"', file.read())

    def test_guesses(self):
        """The promise in words is the one of the page of this model."""
        told = re.search(r"right\s+in\s+more\s+than\s+(\S+)\s+of\s+100", read(README))[1]
        commands = [c for c, _ in page_steps(README)]
        last = next(i for i, c in enumerate(commands)
                    if c.startswith("sotto report "))
        page = walk(commands[:last + 1] + ["cat report.html"], ".")[-1]
        self.assertRegex(re.sub(r"<[^>]+>", "", page),
                         rf"in\s+more\s+than\s+{re.escape(told)}\s+of\s+100")

    def test_auto_against_the_papers(self):
        """docs/solvers.md: smaller on every problem that papers report."""
        rows = [line.split(" | ") for line in read("docs/reproduce.md").split("## The last run")[0]
                .splitlines() if line.startswith("| ") and re.search(r"\(DP-[A-Z]+\) \|$",
                                                       line)]
        self.assertGreaterEqual(len(rows), 8)
        for row in rows:
            self.assertLess(float(row[3]), float(row[4].split()[0]), row[0])


class Demo(unittest.TestCase):
    def test_without_a_terminal(self):
        """The private model comes first; the last lines say where the page
        is. A second run does the same."""
        with tempfile.TemporaryDirectory(prefix="sotto-") as folder:
            for _ in range(2):
                done = subprocess.run(
                    [os.path.join(ROOT, "tools", "demo.sh"), PROGRAM,
                     os.path.join(folder, "demo")], stdin=subprocess.DEVNULL,
                    capture_output=True, check=False,
                    env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})
                said = done.stdout.decode()
                self.assertEqual((done.returncode, done.stderr), (0, b""), said)
                self.assertNotIn("\033", said)
                trained = re.findall(r"^\$ sotto train (.*)$", said, re.M)
                self.assertIn("--epsilon 1 ", trained[0])
                page = re.search(r"^The page: file://(.*)$", said, re.M)[1]
                self.assertTrue(os.path.exists(page), page)
                self.assertLess(said.count("\n"), 146)


def write(pages):
    for page, where in PAGES.items():
        if pages and page not in pages:
            continue
        given = iter(walk([command for command, _ in page_steps(page)], where))

        def filled(block):
            if not is_run_here(block[1], block[2]):
                return block[0]
            new = "".join(
                command if printed is None else
                f"$ {command}\n{printed if same(said, printed) else said}"
                for (command, printed), said in
                zip(steps(block[1], block[2]), given))
            return f"```{block[1]}\n{new}```"
        text = BLOCK.sub(filled, read(page))
        with open(os.path.join(ROOT, page), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(sys.argv[2:])
    else:
        unittest.main()

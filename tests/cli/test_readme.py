#!/usr/bin/python3
"""The README's first model: its commands give what it prints.

`test_readme.py --write` puts what they give now into the README.
"""

import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

from common import PROGRAM

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
README = os.path.join(ROOT, "README.md")
WALK = re.compile(r"```console\n(.*?)```", re.S)


def readme():
    with open(README, encoding="utf-8") as file:
        return file.read()


def steps(text):
    """The commands of the walk and what is printed under each."""
    parts = re.split(r"^\$ (.*)\n", WALK.search(text)[1], flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def walk(commands):
    """What each command prints, in a folder as `make demo` leaves it."""
    with tempfile.TemporaryDirectory(prefix="sotto-") as folder:
        os.makedirs(os.path.join(folder, "build", "demo"))
        os.symlink(PROGRAM, os.path.join(folder, "build", "sotto"))
        subprocess.run([os.path.join(ROOT, "tools", "patients.py"),
                        os.path.join(folder, "build", "demo")], check=True)
        mark = "~~ next ~~\n"
        script = "set -e\nexec 2>&1\n" + "".join(
            f"{command}\nprintf '{mark[:-1]}\\n'\n" for command in commands)
        done = subprocess.run(["bash", "-c", script], cwd=folder, check=True,
                              stdout=subprocess.PIPE)
        return done.stdout.decode().split(mark)[:-1]


def same(ours, printed):
    """Equal words; numbers up to what a certified gap of 1e-10 leaves open:
    about its root in the weights."""
    a, b = ours.split(), printed.split()
    return len(a) == len(b) and all(
        x == y or (re.fullmatch(r"[+-]?[\d.]+(e[+-]\d+)?", x) and
                   re.fullmatch(r"[+-]?[\d.]+(e[+-]\d+)?", y) and
                   math.isclose(float(x), float(y), rel_tol=1e-3))
        for x, y in zip(a, b))


class Readme(unittest.TestCase):
    def test_first_model(self):
        expected = steps(readme())
        self.assertGreaterEqual(len(expected), 6)
        verbs = {command.split()[1] for command, _ in expected
                 if command.startswith("sotto ")}
        self.assertLessEqual({"train", "predict", "evaluate"}, verbs)
        got = walk([command for command, _ in expected])
        for (command, printed), ours in zip(expected, got):
            with self.subTest(command):
                self.assertTrue(same(ours, printed), ours)

    def test_a_difference_is_noticed(self):
        self.assertTrue(same("a 0.12345678", "a 0.12345679"))
        self.assertFalse(same("a 0.123", "a 0.124"))
        self.assertFalse(same("a b", "a c"))
        self.assertFalse(same("a", "a b"))


def write():
    text = readme()
    commands = [command for command, _ in steps(text)]
    new = "".join(f"$ {command}\n{printed}" for command, printed in
                  zip(commands, walk(commands)))
    text = WALK.sub(lambda _: f"```console\n{new}```", text, count=1)
    with open(README, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()

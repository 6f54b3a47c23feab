#!/usr/bin/python3
"""Remarks about what options quietly mean, and of a model about itself: never from the records."""

import json
import random
import shutil
import unittest

from common import BUDGET, OK, Case, schema

USUAL = ("--schema", "s.json", "--loss", "squared", "--delta", "1e-6")
OUTPUT = ("--solver", "output", "--l2", "1", "--no-intercept", "--epsilon", "0.1", "--rows", "400")


class Remarks(Case):
    def make(self, rows, signal, people=1):
        draw = random.Random(7)
        lines = ["who,a,b,t\n"]
        for i in range(rows):
            a, b = draw.uniform(-1, 1), draw.uniform(-1, 1)
            t = (a - b / 2 if signal else 0) + draw.gauss(0, .1)
            lines.append(f"p{i // people},{a:.3f},{b:.3f},{t:.3f}\n")
        self.write("d.csv", "".join(lines))
        self.declare("drop")

    def declare(self, who):
        self.write("s.json", schema({
            "who": {"type": who}, "a": {"type": "number", "bounds": [-1, 1]},
            "b": {"type": "number", "bounds": [-1, 1]}, "t": {"type": "target", "bounds": [-2, 2]}}))

    def remarks(self, *args, model="m.json"):
        """Of a training; the model is put away, so that none is replaced."""
        result = self.sotto("train", "d.csv", *USUAL, "-o", model, *args)
        self.assertEqual(result.code, OK, result.err)
        shutil.move(self.path(model), self.path("last.json"))
        return [line for line in result.err.decode().splitlines() if "remark" in line]

    def one(self, words, *args):
        said = self.remarks(*args)
        self.assertEqual(len(said), 1, said)
        self.assertIn(words, said[0])

    # ---- a model that learned nothing ----

    def test_nothing_to_learn(self):
        """Two weights that are Gaussian noise: beyond 4.67 sds once in 100000 runs."""
        self.make(400, signal=False)
        self.one("no weight of the model stands out of its noise", *OUTPUT)
        self.one("every weight is 0; expected a smaller --l1", "--epsilon", "1", "--solver", "cd", "--l1",
                 "100", "--rows", "400")

    def test_too_small_a_budget(self):
        """What would be needed is said, by the rule that auto goes by."""
        self.make(50, signal=True)
        few = "the noise is larger than what so few rows can show "
        self.one("every weight is 0; " + few + "(strength is 12, and 60 is needed)",
                 "--epsilon", ".5", "--rows", "50")
        self.one("little more than noise: " + few + "(strength is 12, and", "--epsilon",
                 ".5", "--rows", "50", "--solver", "gd")
        self.one("little more than noise: " + few + "(rows x epsilon / (35 ln p) is", "--epsilon",
                 ".1", "--rows", "50", "--solver", "fw", "--radius", "2", "--intercept-radius", "1")

    def test_something_was_learned(self):
        self.make(4000, signal=True)
        for solver in (("auto",), ("cd",), ("gd",), ("gcd",), ("ssp",),
                       ("fw", "--radius", "2", "--intercept-radius", "1")):
            self.assertEqual(self.remarks("--epsilon", "4", "--solver", *solver), [], solver)

    def test_it_goes_with_the_model(self):
        """What training said stands in the file's own numbers: show and report say it too."""
        self.make(400, signal=False)
        said, = self.remarks(*OUTPUT)
        words = said.split("remark: ")[1]
        for copy in ("last.json", "copy.json"):
            shown = self.sotto("show", copy if copy == "last.json" else self.copied())
            self.assertEqual(shown.code, OK, shown.err)
            self.assertIn("remark     " + words, shown.out.decode())
        page = self.sotto("report", "last.json", "-o", "p.html")
        self.assertEqual(page.code, OK, page.err)
        with open(self.path("p.html"), encoding="utf-8") as file:
            self.assertIn(words, file.read())
        self.assertEqual(self.remarks(*OUTPUT, "--quiet"), [])

    def copied(self):
        shutil.copy(self.path("last.json"), self.path("copy.json"))
        return "copy.json"

    # ---- delta ----

    def test_delta(self):
        self.make(3000, signal=True)
        usual = ("--epsilon", "4", "--solver", "cd")
        words = "delta 0.01 is above 1 / rows (about 3000)"
        self.one(words, *usual, "--delta", ".01", "--rows", "3000")
        self.one("delta 0.01 is above 1 / rows", *usual, "--delta", ".01")  # estimated
        self.assertEqual(self.remarks(*usual, "--delta", "1e-4", "--rows", "3000"), [])
        plan = self.sotto("plan", *USUAL, *usual, "--delta", ".01", "--rows", "3000")
        self.assertEqual(plan.code, OK)
        self.assertIn(words.encode(), plan.err)
        quiet = self.sotto("plan", *USUAL, *usual, "--delta", ".01", "--rows", "3000", "--quiet")
        self.assertEqual(quiet, (OK, plan.out, b""))
        self.sotto("ledger", "create", "--ledger", "l", "--dataset", "d", "--epsilon", "1",
                   "--delta", "1e-6")
        refused = ("train", "d.csv", *USUAL, *usual, "--delta", ".01", "--ledger", "l", "--dataset",
                   "d", "-o", "m.json")
        result = self.sotto(*refused, "--rows", "3000")  # before it is booked, and once
        self.assertEqual((result.code, result.err.count(words.encode())), (BUDGET, 1), result.err)
        self.assertEqual(self.sotto(*refused, "--rows", "3000", "--quiet").err.count(b"\n"), 1)
        result = self.sotto(*refused)  # what is private is not said, nor is what depends on it
        self.assertEqual((result.code, b"above" in result.err), (BUDGET, False), result.err)
        evaluated = self.sotto("evaluate", "last.json", "d.csv", "--epsilon", "4", "--delta", ".01",
                               "--rows", "3000", "-o", "e.json")
        self.assertEqual((evaluated.code, evaluated.err.count(words.encode())), (OK, 1))
        json.loads(plan.out)
        self.assertEqual(self.sotto("plan", *USUAL, *usual, "--delta", ".01").err, b"")

    def test_a_count_is_never_used(self):
        """Where neighbours have as many rows nothing is asked, and what the file has is not said."""
        self.make(3000, signal=True)
        self.assertEqual(self.remarks("--epsilon", "4", "--solver", "cd", "--delta", ".01", "--adjacency",
                                      "replace-one"), [])
        with open(self.path("last.json"), encoding="utf-8") as file:
            self.assertNotIn("rows", json.load(file))

    def test_the_model_has_the_answer(self):
        self.make(3000, signal=True)
        for more, spread in ((("--rows", "2900"), 0), ((), 300)):
            self.remarks("--epsilon", "4", "--solver", "cd", *more)
            with open(self.path("last.json"), encoding="utf-8") as file:
                rows = json.load(file)["rows"]
            self.assertLessEqual(abs(rows - (2900 if more else 3000)), spread)
            self.assertTrue(more or rows != 3000)

    # ---- batches ----

    def test_tiny_batches(self):
        self.make(100, signal=True)
        usual = ("--epsilon", "16", "--solver", "sgd")
        self.assertTrue(any("a batch has about " in line for line in self.remarks(*usual)))
        self.assertEqual(self.remarks(*usual, "--rows", "100"), [])

    # ---- people ----

    def test_one_row_of_each(self):
        self.make(3000, signal=True, people=3)
        usual = ("--epsilon", "4", "--solver", "cd", "--rows", "3000")
        words = "of each person one row is used"
        column = ("--unit-column", "who")
        self.one(words, *usual, *column)
        self.assertIn(words.encode(), self.sotto("plan", *USUAL, *usual, *column).err)
        for given in ("1", "3"):
            self.assertEqual(self.remarks(*usual, *column, "--rows-per-person", given), [])
        self.assertEqual(self.remarks(*usual), [])
        self.assertEqual(self.remarks(*usual, *column, "--quiet"), [])
        self.declare("unit")
        self.one(words, *usual)
        self.assertIn(words.encode(), self.sotto("plan", *USUAL, *usual).err)


if __name__ == "__main__":
    unittest.main()

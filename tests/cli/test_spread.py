#!/usr/bin/env python3
"""Penalties in units of spread do not depend on how wide somebody declared a column.

The same rows are trained on with bounds as they are, ten times as wide for all columns, for half of
them, and for the target. With --penalty-units spread the weights differ by rounding, with fit by
much. A path that asks for no spread records the units that held.
"""
import json
import random
import statistics
import unittest

from common import OK, USAGE, Case, schema

NAMES = "abcdef"
WIDER = {"all": (NAMES, 1), "half": ("ace", 1), "target": ("", 10), "both": ("ace", 10)}


def rows(count=4000):
    draw = random.Random(7)
    for _ in range(count):
        x = [(j + 1) * max(-3, min(3, draw.gauss(0, 1) if j % 2 else draw.uniform(-1, 1)))
             for j in range(6)]
        y = .7 * x[0] - .5 * x[1] + .1 * x[2] + .2 * x[3] + draw.gauss(0, 1)
        yield [*x, max(-9, min(9, y))]


class Rows(Case):
    @classmethod
    def setUpClass(cls):
        cls.rows = list(rows())

    def setUp(self):
        super().setUp()
        self.write("d.csv", ",".join([*NAMES, "t", "class"]) + "\n" + "".join(
            ",".join(map(repr, row)) + ",%d\n" % (row[-1] > 0) for row in self.rows))

    def declare(self, wide="", target=1):
        columns = {}
        for j, name in enumerate(NAMES):
            most = 3 * (j + 1) * (10 if name in wide else 1)
            columns[name] = {"type": "number", "bounds": [-most, most]}
        columns["t"] = {"type": "target", "bounds": [-9 * target, 9 * target]}
        self.write("s.json", schema({**columns, "class": {"type": "drop"}}))
        columns["t"] = {"type": "drop"}
        columns["class"] = {"type": "target", "classes": ["0", "1"]}
        self.write("classes.json", schema(columns))

    def train(self, *args, schema="s.json", loss="squared", data="d.csv"):
        result = self.sotto("train", data, "--schema", schema, "--loss", loss, "-o", "m.json",
                            "--quiet", *args)
        self.assertEqual(result.code, OK, result.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)


class Spread(Rows):
    def changes(self, *args, **more):
        """How far weights move with each kind of wider bounds, in units of the largest."""
        self.declare()
        base = self.train(*args, **more)["weights"]
        most = max(map(abs, base))
        self.assertGreater(most, 0)
        for how, wider in WIDER.items():
            self.declare(*wider)
            now = self.train(*args, **more)["weights"]
            yield how, max(abs(x - y) for x, y in zip(base, now)) / most

    PENALTIES = (("--l2", ".5"), ("--l1", ".1", "--l2", ".05"))

    def check(self, tolerance, *args, **more):
        for penalty in self.PENALTIES:
            for how, change in self.changes(*args, *penalty, "--penalty-units", "spread", **more):
                self.assertLess(change, tolerance, (how, penalty))
        # in the units of the fit the same penalty means something else
        for how, change in self.changes(*args, "--l2", ".5", "--penalty-units", "fit", **more):
            if how != "target":
                self.assertGreater(change, .2, how)

    def test_the_exact_solver(self):
        self.check(1e-12, "--epsilon", "inf")

    def test_the_exact_solver_says_which(self):
        """The same --l2 would be another penalty for auto, unless units were chosen."""
        self.declare()
        for more, said in ((("--l2", "0.1"), True), ((), False),
                           (("--l1", "0.1", "--penalty-units", "spread"), False),
                           (("--l1", "0.1", "--penalty-units", "fit"), False)):
            result = self.sotto("train", "d.csv", "--schema", "s.json", "-o", "m.json",
                                "--epsilon", "inf", *more)
            self.assertEqual(result.code, OK)
            self.assertEqual(b"the penalty is in the units of the fit" in result.err, said, more)

    def test_classes(self):
        self.PENALTIES = (("--l2", ".1"), ("--l1", ".05", "--l2", ".01"))
        self.check(1e-9, "--epsilon", "inf", schema="classes.json", loss="logistic")

    def test_newton(self):
        """Without noise; columns are stored as floats, and steps end near the minimum."""
        self.check(1e-4, "--epsilon", "inf", "--solver", "newton")

    def test_select(self):
        self.check(1e-3, "--epsilon", "inf", "--solver", "auto", "--path", "select")

    def test_l1_counts_in_the_units_of_the_target(self):
        """Alone it is not the same number for every target in the units of the fit."""
        args = ("--epsilon", "inf", "--l1", ".003", "--penalty-units")
        self.assertGreater(dict(self.changes(*args, "fit"))["target"], .2)
        self.assertLess(dict(self.changes(*args, "spread"))["target"], 1e-12)

    def test_private(self):
        """With noise of the same seed. That of a column's spread goes with how far it may go."""
        args = ("--epsilon", "30", "--delta", "1e-6", "--rows", "4000", "--insecure-seed", "3",
                "--l2", ".5")
        for units, low, high in (("spread", 0, .15), ("fit", .5, 2)):
            change = dict(self.changes(*args, "--penalty-units", units))
            self.assertTrue(low <= change["all"] <= high, (units, change))

    def test_private_and_hidden(self):
        """Noise hides the squares of columns that are declared ten times too wide. Counts by octaves
        show their spread all the same, within the width of an octave."""
        self.declare("ace")
        model = self.train("--epsilon", "1", "--delta", "1e-6", "--rows", "4000",
                           "--insecure-seed", "3", "--l2", ".5")
        for j, found in enumerate(model["penalty_scales"]):
            column = [row[j] for row in self.rows]
            true = statistics.pstdev(column)
            self.assertTrue(true / 1.6 < found < 1.6 * true, (NAMES[j], found, true))

    def test_no_intercept(self):
        """Nothing is centred then: spreads are about 0."""
        self.check(1e-9, "--epsilon", "inf", "--no-intercept")

    def test_a_column_of_one_value(self):
        """It has no spread, and no weight; without an intercept it has both."""
        self.write("one.csv", "a,b,t\n" + "".join("2,%r,%r\n" % (row[0], row[-1])
                                                   for row in self.rows))
        columns = {"a": {"type": "number", "bounds": [0, 9]}, "b": {"type": "number"},
                   "t": {"type": "target", "bounds": [-9, 9]}}
        self.write("one.json", schema(columns))
        args = ("--epsilon", "inf", "--l2", ".01", "--penalty-units", "spread")
        model = self.train(*args, data="one.csv", schema="one.json")
        self.assertEqual((model["weights"][0], model["penalty_scales"][0]), (0, 0))
        self.assertGreater(model["penalty_scales"][1], .5)
        model = self.train(*args, "--no-intercept", data="one.csv", schema="one.json")
        self.assertNotEqual(model["weights"][0], 0)

    def test_sparse_and_dense_agree(self):
        """And weights of rows count in a standard deviation."""
        draw = random.Random(5)
        table = [[draw.gauss(1, 2) if draw.random() < .3 else 0 for _ in range(5)]
                 for _ in range(300)]
        target = [row[0] - row[3] + draw.gauss(0, 1) for row in table]
        self.write("d.svm", "".join(
            "%r %s\n" % (y, " ".join("%d:%r" % (j + 1, x) for j, x in enumerate(row) if x))
            for row, y in zip(table, target)))
        self.write("e.csv", "v,w,x,y,z,t\n" + "".join(
            ",".join(map(repr, [*row, y])) + "\n" for row, y in zip(table, target)))
        self.write("twice.csv", "v,w,x,y,z,t,k\n" + "".join(
            (",".join(map(repr, [*row, y])) + ",%d\n" % (1 + i % 2))
            for i, (row, y) in enumerate(zip(table, target))))
        self.write("copies.csv", "v,w,x,y,z,t\n" + "".join(
            (",".join(map(repr, [*row, y])) + "\n") * (1 + i % 2)
            for i, (row, y) in enumerate(zip(table, target))))
        args = ("--epsilon", "inf", "--l1", ".05", "--l2", ".1", "--penalty-units", "spread",
                "--loss", "squared", "--quiet", "-o", "m.json")
        found = {}
        for name, more in (("d.svm", ()), ("e.csv", ("--target", "t")),
                           ("twice.csv", ("--target", "t", "--weights", "k", "--weight-bound", "2")),
                           ("copies.csv", ("--target", "t"))):
            result = self.sotto("train", name, *args, *more)
            self.assertEqual(result.code, OK, result.err)
            with open(self.path("m.json"), encoding="utf-8") as file:
                model = json.load(file)
            found[name] = model["weights"] + model["penalty_scales"]
        for one, other in (("d.svm", "e.csv"), ("twice.csv", "copies.csv")):
            for x, y in zip(found[one], found[other]):
                self.assertAlmostEqual(x, y, delta=1e-9)
        self.assertNotAlmostEqual(found["e.csv"][5], found["copies.csv"][5], delta=1e-4)


class Recorded(Rows):
    """Which units held, and what a reader takes."""

    PRIVATE = ("--epsilon", "1", "--delta", "1e-6", "--rows", "4000", "--l2", ".1")

    def test_by_path(self):
        self.declare()
        for path, units, has in (("dense", "spread", True), ("select", "spread", True),
                                 ("wide", "fit", False), ("intercept", "spread", False)):
            model = self.train(*self.PRIVATE, "--path", path)
            self.assertEqual(model["penalty"]["units"], units, path)
            self.assertEqual("penalty_scales" in model, has, path)
            if has:
                for weight, scale in zip(model["weights"], model["penalty_scales"]):
                    self.assertTrue(scale > 0 or weight == scale == 0)
            self.assertEqual(self.sotto("evaluate", "m.json", "d.csv", "--quiet").code, OK)

    def test_defaults(self):
        self.declare()
        for args, units in ((("--solver", "newton"), "spread"), (("--solver", "cd"), "fit"),
                            (("--penalty-units", "fit"), "fit"),
                            (("--penalty-units", "file"), "file")):
            model = self.train(*self.PRIVATE, *args)
            self.assertEqual(model["penalty"]["units"], units, args)
            self.assertEqual("penalty_scales" in model, units == "spread")
        self.assertEqual(self.train("--epsilon", "inf")["penalty"]["units"], "fit")

    def test_a_way_that_follows_from_an_answer(self):
        """More columns than rows, and nobody said how many rows: the model says what held."""
        draw = random.Random(2)
        self.write("w.svm", "".join(
            "%+d %s\n" % (draw.choice((-1, 1)), " ".join("%d:1" % (j + 1) for j in range(500)
                                                         if draw.random() < .1))
            for _ in range(300)))
        result = self.sotto("train", "w.svm", "--features", "500", "--loss", "logistic", "--l2",
                            ".1", "--epsilon", "5", "--delta", "1e-6", "--penalty-units", "spread",
                            "--quiet", "-o", "m.json")
        self.assertEqual(result.code, OK, result.err)
        self.assertIn(b"l2 0.1 in the units of the fit", self.sotto("show", "m.json").out)

    def test_help_says_which(self):
        for solver, words in (("auto", b"[default: spread]"), ("newton", b"[default: spread]"),
                              ("exact", b"[default: fit]"), ("cd", b"[default: fit]"),
                              ("gd", b"in the units of the fit"), ("fw", b"in the units of the fit")):
            said = b" ".join(self.sotto("help", "train", "--solver", solver).out.split())
            self.assertIn(words, said, solver)
            self.assertEqual(b"--penalty-units" in said, b"default" in words)

    def test_damaged_scales(self):
        self.declare()
        model = self.train("--epsilon", "inf", "--l2", ".1", "--penalty-units", "spread")
        scales = model["penalty_scales"]
        self.write_model("n.json", model)
        self.assertEqual(self.sotto("show", "n.json").code, OK)
        for wrong in (scales[1:], [*scales, 1], [-1, *scales[1:]], [0, *scales[1:]],
                      ["1", *scales[1:]], [None, *scales[1:]], {"1": 1}, 3, None, {},
                      {"7": 1, **{str(j + 1): x for j, x in enumerate(scales)}}):
            self.write_model("n.json", {**model, "penalty_scales": wrong})
            said = self.assert_one_line(self.sotto("show", "n.json"), USAGE)
            self.assertIn("a part of the model is not as it must be", said)
        for units in ("fit", "file", "spreads", 2, None):
            changed = {**model, "penalty": {**model["penalty"], "units": units}}
            self.write_model("n.json", changed)
            self.assert_one_line(self.sotto("show", "n.json"), USAGE)
        without = {key: value for key, value in model.items() if key != "penalty_scales"}
        self.write_model("n.json", without)
        self.assert_one_line(self.sotto("show", "n.json"), USAGE)
        nothing = {**without, "weights": [0] * 6}
        self.write_model("n.json", nothing)
        self.assertEqual(self.sotto("show", "n.json").code, OK)


if __name__ == "__main__":
    unittest.main()

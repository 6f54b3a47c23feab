#!/usr/bin/env python3
"""The objective that 'sotto evaluate' prints is the one that training minimised.

Each case is computed again here, from the weights in the model and the rows of the file: the
penalty in the units that training counted it in, whether these are those of the fit, of the file
or of the columns' spread, and where the bounds of a column were bought.
"""
import json
import math
import random
import statistics
import unittest
import zlib

from common import OK, USAGE, Case, schema

BOUNDS = {"a": [0, 10], "b": [-9, 9], "t": [-10, 20]}


def rows(count=2000):
    draw = random.Random(7)
    for _ in range(count):
        a, b, c = draw.uniform(0, 10), draw.gauss(0, 3), draw.choice("uv")
        yield a, b, c, .7 * a - .5 * b + (c == "u") + draw.gauss(0, 1)


def clamp(x, bounds):
    return min(max(x, bounds[0]), bounds[1]) if bounds else x


def half(bounds):
    return (bounds[1] - bounds[0]) / 2 if bounds else 1


class Objective(Case):
    L1, L2 = .002, 2

    def setUp(self):
        super().setUp()
        self.rows = list(rows())
        self.write("d.csv", "a,b,c,t\n" + "".join("%r,%r,%s,%r\n" % row for row in self.rows))

    def declare(self, *names):
        """A schema with the bounds of these columns only."""
        self.declared = {name: BOUNDS[name] for name in names}
        columns = {name: {"type": kind, "bounds": self.declared.get(name)}
                   for name, kind in (("a", "number"), ("b", "number"), ("t", "target"))}
        columns["c"] = {"type": "category", "levels": ["u", "v"]}
        self.write("s.json", schema({name: columns[name] for name in "abct"}))

    def train(self, *args):
        result = self.sotto("train", "d.csv", "--schema", "s.json", "--loss", "squared", "--l1",
                            str(self.L1), "--l2", str(self.L2), "-o", "m.json", "--json", *args)
        self.assertEqual(result.code, OK, result.err)
        return json.loads(result.out)

    def model(self):
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def evaluate(self):
        result = self.sotto("evaluate", "m.json", "d.csv", "--json", "--quiet")
        self.assertEqual((result.code, result.err), (OK, b""), result.err)
        return json.loads(result.out)["objective"]

    def by_hand(self, units):
        """F of the model's weights. Bounds that are not declared were bought: they clamp rows, and
        the penalty is on the weight as it is."""
        model = self.model()
        weight = dict(zip(model["features"], model["weights"]))
        now = {name: column.get("bounds") for name, column in model["schema"]["columns"].items()}
        target = half(self.declared.get("t"))
        scale = target if units == "fit" else 1
        spread = dict(zip(model["features"], model.get("penalty_scales", ())))
        loss = 0
        for a, b, c, t in self.rows:
            score = (model["intercept"] + weight["a"] * clamp(a, now["a"]) +
                     weight["b"] * clamp(b, now["b"]) + weight["c=" + c])
            loss += ((score - clamp(t, now["t"])) / scale)**2 / 2 / len(self.rows)
        penalty = 0
        for name, w in weight.items():
            if units == "fit":
                w *= half(self.declared.get(name)) / target
            if units == "spread":
                w *= spread[name]
            penalty += self.L1 * abs(w) + self.L2 / 2 * w * w
        return loss + penalty

    def check(self, units, *args):
        said = self.train(*args)
        self.assertEqual(self.model()["penalty"]["units"], units)
        self.assertNotIn(0, self.model()["weights"][:2])
        value = self.evaluate()
        self.assertTrue(math.isclose(value, self.by_hand(units), rel_tol=1e-5),
                        (value, self.by_hand(units)))
        return said, value

    PRIVATE = ("--epsilon", "20", "--delta", "1e-6")
    NO_NOISE = ("--epsilon", "inf", "--solver", "newton")

    def test_units_of_the_fit(self):
        """The exact solver prints the same number when it trains."""
        self.declare("a", "b", "t")
        said, value = self.check("fit", "--epsilon", "inf")
        self.assertEqual(said["objective"], value)
        _, newton = self.check("fit", *self.NO_NOISE, "--penalty-units", "fit")
        self.assertTrue(math.isclose(newton, value, rel_tol=1e-3))
        self.check("fit", *self.PRIVATE, "--penalty-units", "fit")
        self.check("fit", *self.PRIVATE, "--solver", "cd")

    def test_units_of_spread(self):
        """The default of private training; the exact solver has it by name, and no clamped row
        counts in its standard deviations but as clamped."""
        self.declare("a", "b", "t")
        said, value = self.check("spread", "--epsilon", "inf", "--penalty-units", "spread")
        self.assertEqual(said["objective"], value)
        self.assertLess(said["gap"], 1e-9 * value)
        model = self.model()
        for name, scale in zip(model["features"], model["penalty_scales"]):
            k = "abc".index(name[0])
            column = [clamp(row[k], BOUNDS[name]) if k < 2 else row[k] == name[2]
                      for row in self.rows]
            self.assertTrue(math.isclose(scale, statistics.pstdev(column), rel_tol=1e-9), name)
        _, newton = self.check("spread", *self.NO_NOISE)
        self.assertTrue(math.isclose(newton, value, rel_tol=1e-3), (newton, value))
        for name, scale in zip(model["features"], self.model()["penalty_scales"]):
            exact = dict(zip(model["features"], model["penalty_scales"]))[name]
            self.assertTrue(math.isclose(scale, exact, rel_tol=1e-3), (name, scale, exact))
        self.check("spread", *self.PRIVATE)

    def test_units_of_the_file(self):
        """What is minimised without noise is what the exact solver has where nothing is mapped."""
        self.declare("a", "b", "t")
        _, value = self.check("file", *self.NO_NOISE, "--penalty-units", "file")
        self.check("file", *self.PRIVATE, "--penalty-units", "file")
        self.check("file", *self.PRIVATE, "--solver", "cd", "--penalty-units", "file")
        self.declare()
        said, exact = self.check("fit", "--epsilon", "inf")
        self.assertEqual(said["objective"], exact)
        # rows beyond the bounds are clamped, so that it is not quite the same problem
        self.assertTrue(math.isclose(value, exact, rel_tol=.02), (value, exact))

    def test_coordinates_in_units_of_the_file(self):
        """Without noise and clipping cd has the minimum that newton has, with either penalty."""
        self.declare("a", "b", "t")
        for self.L1, self.L2 in ((.5, 0), (0, 2)):
            _, newton = self.check("file", *self.NO_NOISE, "--penalty-units", "file")
            _, cd = self.check("file", "--epsilon", "inf", "--solver", "cd", "--clip", "inf",
                               "--passes", "2000", "--average", "0", "--penalty-units", "file")
            self.assertTrue(math.isclose(newton, cd, rel_tol=1e-4), (newton, cd))

    def test_bought_bounds(self):
        for names in ((), ("a",), ("t",), ("b", "t")):
            with self.subTest(declared=names):
                self.declare(*names)
                self.check("spread", *self.PRIVATE)
                self.check("fit", *self.PRIVATE, "--penalty-units", "fit")
                columns = self.model()["schema"]["columns"]
                for name in "ab":
                    self.assertEqual(columns[name].get("bought"), None if name in names else True)
        self.declare()
        _, newton = self.check("fit", *self.NO_NOISE, "--penalty-units", "fit")
        _, exact = self.check("fit", "--epsilon", "inf")
        self.assertTrue(math.isclose(newton, exact, rel_tol=1e-3), (newton, exact))
        self.check("file", *self.PRIVATE, "--penalty-units", "file")

    def test_numbered_columns_with_one_bound(self):
        """Where all columns have one bound that was bought, one declaration has it for them."""
        draw = random.Random(3)
        table = [[draw.gauss(0, 3) for _ in range(40)] for _ in range(400)]
        self.write("d.svm", "".join(
            "%+d %s\n" % (1 if row[0] + row[1] > 0 else -1,
                          " ".join("%d:%r" % (j + 1, x) for j, x in enumerate(row)))
            for row in table))
        result = self.sotto("train", "d.svm", "--features", "40", "--loss", "logistic", "--l2",
                            "2", "--path", "dense", "--rows", "400", "--epsilon", "1", "--delta",
                            "1e-6", "--penalty-units", "fit", "--quiet", "-o", "m.json")
        self.assertEqual(result.code, OK, result.err)
        model = self.model()
        self.assertTrue(model["schema"]["default"]["bought"])
        bounds = model["schema"]["default"]["bounds"]
        loss = 0
        for row in table:
            y = 1 if row[0] + row[1] > 0 else -1
            score = model["intercept"] + sum(
                w * clamp(x, bounds) for w, x in zip(model["weights"], row))
            loss += math.log1p(math.exp(-y * score)) / len(table)
        penalty = sum(w * w for w in model["weights"])
        result = self.sotto("evaluate", "m.json", "d.svm", "--json", "--quiet")
        value = json.loads(result.out)["objective"]
        self.assertTrue(math.isclose(value, loss + penalty, rel_tol=1e-5), (value, loss + penalty))

    def test_what_cannot_be_is_refused(self):
        """Nobody who named units gets others."""
        self.declare("a")
        wide = ("--epsilon", "1", "--delta", "1e-6", "--rows", "2000", "--penalty-units", "spread")
        for args, words in (
                (("--epsilon", "inf", "--penalty-units", "file"),
                 "--penalty-units file: expected fit or spread, with --solver exact"),
                (("--epsilon", "inf", "--penalty-units", "spread", "--box", "-1,1"),
                 "--box is in the units of the fit"),
                ((*wide, "--path", "wide"), "--penalty-units spread: --path wide"),
                ((*wide, "--path", "wide", "--dry-run"), "--penalty-units spread: --path wide"),
                ((*wide, "--solver", "cd", "--undeclared", "rows"),
                 "--penalty-units spread: --solver cd does not ask"),
                ((*wide, "--solver", "gd"), "--penalty-units is ignored by --solver gd")):
            result = self.sotto("train", "d.csv", "--schema", "s.json", *args, "-o", "m.json")
            self.assertIn(words, self.assert_one_line(result, USAGE))

    def write_old(self):
        """The model as earlier versions wrote it: without the units."""
        model = self.model()
        model.pop("penalty_scales", None)
        del model["penalty"]["units"], model["checksum"]
        for column in model["schema"]["columns"].values():
            column.pop("bought", None)
        head = (json.dumps(model)[:-1] + ", ").encode()
        self.write("m.json", head + b'"checksum": "crc32:%08x"\n}\n' % zlib.crc32(head))

    def test_models_that_do_not_say(self):
        """No number rather than a wrong one, and a word about it."""
        self.declare("a", "b", "t")
        for args in (self.PRIVATE, ("--epsilon", "inf")):
            self.train(*args)
            self.write_old()
            self.assertIsNone(self.evaluate())
            result = self.sotto("evaluate", "m.json", "d.csv")
            self.assertEqual(result.code, OK)
            self.assertNotIn(b"objective", result.out)
            self.assertIn(b"does not say in which units", result.err)
            self.assertIn(b"R2", result.out)
        self.declare()  # nothing is mapped: both units are the same
        self.train("--epsilon", "inf")
        self.write_old()
        self.assertTrue(math.isclose(self.evaluate(), self.by_hand("fit"), rel_tol=1e-5))
        self.declare("a", "b", "t")
        self.L1 = self.L2 = 0  # nothing is penalised
        self.train("--epsilon", "inf")
        self.write_old()
        self.assertTrue(math.isclose(self.evaluate(), self.by_hand("fit"), rel_tol=1e-5))

    def test_show_says_which(self):
        self.declare("a", "b", "t")
        for args, words in ((("--epsilon", "inf"), b"l2 2 in the units of the fit"),
                            (self.NO_NOISE, b"l2 2 in units of the columns' spread"),
                            ((*self.NO_NOISE, "--penalty-units", "file"),
                             b"l2 2 in the units of the file")):
            self.train(*args)
            self.assertIn(words, self.sotto("show", "m.json").out)
        self.write_old()
        penalty = self.sotto("show", "m.json").out.split(b"\n")[2]
        self.assertNotIn(b"in the units of", penalty)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Private models of more than two classes: what they learn, what they promise, what is refused."""
import json
import os
import random
import unittest

from common import OK, USAGE, Case, schema

CLASSES = ["a", "b", "c", "d"]


def records(rows, seed=3):
    """Four clusters in three dimensions, of which the last class is rare."""
    draw = random.Random(seed)
    centres = [(1, 0, 0), (-1, 1, 0), (0, -1, 1), (0, 0, -1.5)]
    for _ in range(rows):
        k = draw.choices(range(4), (4, 3, 3, 1))[0]
        yield [draw.gauss(c, .7) for c in centres[k]], CLASSES[k]


class Classes(Case):
    ROWS = 4000

    def setUp(self):
        super().setUp()
        self.rows = list(records(self.ROWS))
        self.put("d.csv", self.rows)
        self.put("test.csv", list(records(1000, 9)))
        self.write("s.json", schema({
            **{name: {"type": "number", "bounds": [-8, 8]} for name in "xyz"},
            "k": {"type": "target", "classes": CLASSES}}))

    def put(self, name, rows):
        self.write(name, "x,y,z,k\n" + "".join(
            "%.4f,%.4f,%.4f,%s\n" % (*x, k) for x, k in rows))

    def train(self, *args, name="m.json", data="d.csv"):
        return self.sotto("train", data, "--schema", "s.json", "--loss", "logistic",
                          "--epsilon", "1", "--delta", "1e-6", "-o", name, *args)

    def model(self, *args, **more):
        result = self.train(*args, **more)
        self.assertEqual(result.code, OK, result.err)
        with open(self.path(more.get("name", "m.json")), encoding="utf-8") as file:
            return json.load(file)

    def accuracy(self, name="m.json"):
        result = self.sotto("evaluate", name, "test.csv", "--json")
        self.assertEqual(result.code, OK, result.err)
        return json.loads(result.out)["accuracy"]

    def test_it_learns(self):
        """Beside the exact fit; the noise is that of a seed."""
        exact = self.sotto("train", "d.csv", "--schema", "s.json", "--loss", "logistic",
                           "--epsilon", "inf", "--l2", "1e-4", "-o", "exact.json")
        self.assertEqual(exact.code, OK, exact.err)
        best = self.accuracy("exact.json")
        self.assertGreater(best, .8)
        for seed in range(3):
            for rows in ((), ("--rows", str(self.ROWS))):
                self.model("--insecure-seed", str(seed), *rows)
                self.assertGreater(self.accuracy(), best - .03)

    def test_one_event_a_round(self):
        """The price does not depend on the number of classes: no epsilon is divided by it."""
        statement = self.model("--rows", str(self.ROWS))["privacy"]
        asked = {each["question"]: each for each in statement["questions"]}
        gradients = [each for each in statement["questions"]
                     if each["question"] == "gradient of classes"]
        self.assertEqual(len(gradients), 3)
        self.assertIn("class counts", asked)
        self.assertIn("curvature of classes", asked)
        self.assertLessEqual(statement["epsilon"], 1)
        self.assertGreater(statement["epsilon"], .999)
        two = [[x, k if k == "a" else "b"] for x, k in self.rows]
        self.put("two.csv", two)
        self.write("two.json", schema({
            **{name: {"type": "number", "bounds": [-8, 8]} for name in "xyz"},
            "k": {"type": "target", "classes": ["a", "b"]}}))
        self.assertEqual(self.model("--schema", "two.json", "--rows", str(self.ROWS),
                                    data="two.csv")["privacy"]["delta"], statement["delta"])

    def test_same_bits(self):
        """Threads and instruction sets change nothing."""
        models = set()
        for args in (("--threads", "1", "--isa", "scalar"), ("--threads", "2")):
            self.model("--insecure-seed", "5", *args)
            with open(self.path("m.json"), encoding="utf-8") as file:
                models.add(json.dumps(json.load(file)["weights"]))
        self.assertEqual(len(models), 1)

    def test_intercept_alone(self):
        """With hardly a budget the rates of the classes are all that is learned."""
        model = self.model("--epsilon", ".01", "--rows", str(self.ROWS))
        self.assertEqual(len(model["intercept"]), 4)
        self.assertEqual(self.sotto("predict", "m.json", "test.csv").code, OK)

    def test_refused(self):
        for args, words in (
                (("--solver", "gd"), "--solver auto"),
                (("--loss", "squared-hinge"), "--loss logistic"),
                (("--multiclass", "one-versus-rest"), "--multiclass multinomial"),
                (("--path", "wide"), "for two classes"),
                (("--path", "select"), "for two classes")):
            with self.subTest(args=args):
                result = self.train(*args)
                self.assertEqual(result.code, USAGE, result.err)
                self.assertIn(words, result.err.decode())
                self.assertFalse(os.path.exists(self.path("m.json")))

    def test_booked(self):
        """A capped ledger knows the run; one that it refuses reads no row."""
        made = self.sotto("ledger", "create", "--ledger", "l.db", "--dataset", "d", "--epsilon", "1.5",
                          "--delta", "1e-5")
        self.assertEqual(made.code, OK, made.err)
        ledger = ("--ledger", "l.db", "--dataset", "d")
        self.assertEqual(self.train(*ledger).code, OK)
        self.assertEqual(self.train(*ledger).code, OK)
        self.assertEqual(self.train(*ledger, "--epsilon", "1.4").code, 4)


if __name__ == "__main__":
    unittest.main()

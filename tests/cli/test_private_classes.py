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
                shown = self.sotto("show", "m.json")
                self.assertNotIn(b"stands out", shown.out + shown.err)

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
                (("--solver", "gd", "--loss", "squared-hinge"), "--solver auto or newton"),
                (("--path", "wide"), "for two classes")):
            with self.subTest(args=args):
                result = self.train(*args)
                self.assertEqual(result.code, USAGE, result.err)
                self.assertIn(words, result.err.decode())
                self.assertFalse(os.path.exists(self.path("m.json")))

    # ---- each class against all others ----

    REST = (("--loss", "hinge"), ("--loss", "squared-hinge"), ("--multiclass", "one-versus-rest"))

    def test_rest_learns(self):
        """Beside the exact fit; the noise is that of a seed."""
        for args in self.REST:
            with self.subTest(args=args):
                exact = self.train(*args, "--epsilon", "inf", "--l2", "1e-4", name="exact.json")
                self.assertEqual(exact.code, OK, exact.err)
                best = self.accuracy("exact.json")
                self.assertGreater(best, .8)
                for seed in ("1", "2"):
                    model = self.model(*args, "--insecure-seed", seed)
                    self.assertEqual(model["strategy"], "one-versus-rest")
                    self.assertGreater(self.accuracy(), best - .03)

    def test_rest_asks_the_same(self):
        """As many questions at the same price as all classes at once: nothing for each class."""
        rows = ("--rows", str(self.ROWS))
        at_once = self.model(*rows)["privacy"]
        for args in self.REST:
            self.assertEqual(self.model(*args, *rows)["privacy"]["questions"], at_once["questions"])

    def test_rest_same_bits(self):
        """Threads and instruction sets change nothing."""
        for args in self.REST:
            models = [self.model(*args, "--insecure-seed", "5", *more)["weights"] for more in (
                ("--threads", "1", "--isa", "scalar"), ("--threads", "2"), ("--solver", "newton"))]
            self.assertEqual(models[1:], models[:1] * 2)

    def test_rest_is_used(self):
        """The model file is that of exact one-versus-rest: every verb takes it."""
        model = self.model("--loss", "hinge", "--insecure-seed", "1")
        answers = self.sotto("predict", "m.json", "test.csv").out.decode().split()
        scores = [list(map(float, line.split(","))) for line in self.sotto(
            "predict", "m.json", "test.csv", "--scores").out.decode().split()[1:]]
        self.assertEqual(answers, [model["classes"][row.index(max(row))] for row in scores])
        self.assertEqual(self.sotto("predict", "m.json", "test.csv", "--proba").code, USAGE)
        self.assertIn(b"each learned against the others", self.sotto("show", "m.json").out)
        for args in (("export", "m.json", "--format", "liblinear"), ("export", "m.json", "--format", "sql"),
                     ("report", "m.json")):
            with self.subTest(args=args):
                result = self.sotto(*args, "-o", args[-1] + ".out")
                self.assertEqual(result.code, OK, result.err)
        self.model("--multiclass", "one-versus-rest", "--insecure-seed", "1")
        chances = self.sotto("predict", "m.json", "test.csv", "--proba").out.decode().split()[1:]
        self.assertAlmostEqual(sum(map(float, chances[0].split(","))), 1)

    def test_rest_intercept_alone(self):
        """Of the hinge the best constants are equal; the most frequent class is answered."""
        often = [row if i % 4 else (row[0], "c") for i, row in enumerate(self.rows)]
        self.put("often.csv", often)
        for args in self.REST:
            with self.subTest(args=args):
                model = self.model(*args, "--epsilon", ".02", "--rows", str(self.ROWS), "--path",
                                   "intercept", "--insecure-seed", "1", data="often.csv")
                self.assertFalse(any(map(any, model["weights"])))
                answers = self.sotto("predict", "m.json", "test.csv").out.decode().split()
                self.assertEqual(set(answers), {"c"})

    def test_rest_explained(self):
        plan = ("plan", "--classes", "a,b,c", "--features", "5", "--rows", "10000", "--epsilon", "1",
                "--delta", "1e-6", "--explain")
        told = self.sotto(*plan, "--loss", "hinge")
        self.assertEqual(told.code, OK, told.err)
        self.assertIn("each against all others", told.out.decode())
        self.assertNotIn(b"each against", self.sotto(*plan, "--loss", "logistic").out)
        self.assertIn(b"each against", self.sotto(*plan, "--loss", "logistic", "--multiclass",
                                                  "one-versus-rest").out)
        refused = self.sotto(*plan, "--loss", "squared")
        self.assertEqual(refused.code, USAGE, refused.out)
        self.assertIn("the squared loss is of a number", refused.err.decode())

    def test_booked(self):
        """A capped ledger knows the run; one that it refuses reads no row."""
        made = self.sotto("ledger", "create", "--ledger", "l.db", "--dataset", "d", "--epsilon", "1.5",
                          "--delta", "1e-5")
        self.assertEqual(made.code, OK, made.err)
        ledger = ("--ledger", "l.db", "--dataset", "d")
        self.assertEqual(self.train(*ledger).code, OK)
        self.assertEqual(self.train(*ledger).code, OK)
        self.assertEqual(self.train(*ledger, "--epsilon", "1.4").code, 4)


class Wide(Case):
    """Sixty features, of which two matter."""
    ROWS, FEATURES, CLASSES = 3000, 60, 3

    def setUp(self):
        super().setUp()
        draw = random.Random(4)
        names = [f"f{j}" for j in range(self.FEATURES)]
        self.write("s.json", schema({
            **{name: {"type": "number", "bounds": [-4, 4]} for name in names},
            "k": {"type": "target", "classes": list("abc")}}))
        for name, rows in (("d.csv", self.ROWS), ("test.csv", 600)):
            lines = [",".join([*names, "k"])]
            for _ in range(rows):
                x = [draw.gauss(0, 1) for _ in names]
                scores = [3 * x[7], -3 * x[7], 3 * x[31]]
                lines.append(",".join(["%.3f" % v for v in x] + ["abc"[scores.index(max(scores))]]))
            self.write(name, "\n".join(lines) + "\n")

    def model(self, *args):
        result = self.sotto("train", "d.csv", "--schema", "s.json", "--loss", "logistic", "--delta",
                            "1e-7", "-o", "m.json", *args)
        self.assertEqual(result.code, OK, result.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def accuracy(self):
        result = self.sotto("evaluate", "m.json", "test.csv", "--json")
        self.assertEqual(result.code, OK, result.err)
        return json.loads(result.out)["accuracy"]

    def used(self, model):
        return {name for name, weights in zip(model["features"], model["weights"]) if any(weights)}

    def test_it_selects(self):
        """With l1, or where it is asked to; the number of rows may be an answer."""
        for args in (("--l1", "0.001"), ("--path", "select", "--rows", str(self.ROWS))):
            with self.subTest(args=args):
                model = self.model("--epsilon", "4", *args)
                used = self.used(model)
                self.assertLess(len(used), 30)
                self.assertLessEqual({"f7", "f31"}, used)
                self.assertGreater(self.accuracy(), .85)
                chosen = {each["question"] for each in model["privacy"]["chosen_from_answers"]}
                self.assertLessEqual({"choice of classes", "partial of classes", "class counts"}, chosen)
                self.assertLessEqual(model["privacy"]["epsilon"], 4)

    def test_rest_selects(self):
        """Each class against all others: the same two features."""
        for args in (("--loss", "hinge"), ("--multiclass", "one-versus-rest")):
            with self.subTest(args=args):
                used = self.used(self.model("--epsilon", "4", "--l1", "0.001", *args))
                self.assertLess(len(used), 30)
                self.assertLessEqual({"f7", "f31"}, used)
                self.assertGreater(self.accuracy(), .85)

    def test_very_few(self):
        """A small budget: the choices are planned beforehand, with pure noise."""
        args = ("--epsilon", ".06", "--path", "select", "--rows", str(self.ROWS))
        asked = {each["question"]: each for each in self.model(*args)["privacy"]["questions"]}
        self.assertEqual(asked["choice of classes"]["times"], asked["partial of classes"]["times"])
        self.assertIn("permute-and-flip", asked["choice of classes"]["mechanism"])

    def test_the_way(self):
        """As with two classes, but that there is no other way for more features than rows."""
        for features, more, way in (("40", ("--l1", ".001"), "dense"), ("50", ("--l1", ".001"), "select"),
                                    ("900", (), "dense"), ("1001", (), "select"),
                                    ("900", ("--rows", "800"), "select")):
            with self.subTest(features=features, more=more):
                result = self.sotto("plan", "--classes", "a,b,c", "--features", features, "--loss",
                                    "logistic", "--rows", "100000", "--epsilon", "3", "--delta", "1e-7",
                                    "--explain", *more)
                self.assertEqual(result.code, OK, result.err)
                self.assertIn(f"path        {way}", result.out.decode())

    def test_newton_takes_all(self):
        model = self.model("--epsilon", "2", "--solver", "newton")
        self.assertGreater(len(self.used(model)), 50)


if __name__ == "__main__":
    unittest.main()

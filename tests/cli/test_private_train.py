#!/usr/bin/python3
"""Private training: what it needs, what it says, and what it keeps silent."""

import fcntl
import json
import math
import os
import random
import resource
import signal
import subprocess
import time
import unittest

from common import BUDGET, FAILED, OK, PRIVACY, PROGRAM, USAGE, Case, schema

F_SETPIPE_SZ = 1031  # of Linux; the module has it from Python 3.10 on


def rows(count=300, seed=4):
    draw = random.Random(seed)
    for _ in range(count):
        a, b = draw.randint(0, 10), draw.choice("uv")
        c = round(draw.uniform(-5, 5), 2)
        y = a / 5 - 1 + (b == "u") + c / 10 + draw.gauss(0, 1) > 0.5
        yield [a, b, c, "yes" if y else "no"]


def csv(table):
    return "a,b,c,t\n" + "".join(",".join(map(str, r)) + "\n" for r in table)


SCHEMA = schema({"a": {"type": "number", "bounds": [0, 10]},
                 "b": {"type": "category", "levels": ["u", "v"]},
                 "c": {"type": "number", "bounds": [-5, 5]},
                 "t": {"type": "target", "classes": ["no", "yes"]}})


class Private(Case):
    solver = "cd"
    usual = ()  # settings of that solver

    def setUp(self):
        super().setUp()
        self.write("s.json", SCHEMA)
        self.table = list(rows())
        self.write("d.csv", csv(self.table))

    def arguments(self, *args, data="d.csv", model="m.json"):
        return ["train", data, "--schema", "s.json", "--loss", "logistic",
                "--solver", self.solver, *self.usual, "-o", model, *args]

    def train(self, *args, **more):
        """Trains with the usual budget, unless args give another."""
        budget = [] if "--epsilon" in args else ["--epsilon", "1", "--delta",
                                                 "1e-6"]
        return self.sotto(*self.arguments(*budget, *args, **more))

    def model(self, name="m.json"):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def content(self, name="m.json"):
        with open(self.path(name), "rb") as file:
            return file.read()


class Statement(Private):
    def test_it_is_there(self):
        result = self.train()
        self.assertEqual((result.code, result.out), (OK, b""), result.err)
        self.assertIn(b"epsilon 0.99", result.err)
        model = self.model()
        self.assertNotIn("not_private", model)
        statement = model["privacy"]
        self.assertLessEqual(statement["epsilon"], 1)
        self.assertGreater(statement["epsilon"], .999)
        self.assertEqual(statement["delta"], 1e-6)
        self.assertEqual(statement["adjacency"], "add-remove")
        self.assertEqual(statement["unit"], "row")
        self.assertEqual([q["question"] for q in statement["questions"]],
                         ["total", "partial"])
        self.assertEqual(statement["questions"][1]["times"], 20 * 5)
        self.assertFalse(os.path.exists(self.path("m.json.spent")))

    def test_the_price_is_that_of_the_events(self):
        self.train("--adjacency", "replace-one", "--passes", "3",
                   "--smoothness", "private:0.2")
        statement = self.model()["privacy"]
        events = "+".join("%d*GAUSS(%r)" % (q["times"], q["mu"])
                          for q in statement["questions"])
        result = self.sotto("account", "--event", events, "--adjacency",
                            "replace-one", "--delta", "1e-6", "--json")
        self.assertEqual(result.code, OK, result.err)
        self.assertAlmostEqual(json.loads(result.out)["epsilon"],
                               statement["epsilon"], 6)

    def planned(self, *args):
        result = self.sotto("plan", "--schema", "s.json", "--loss", "logistic", "--solver",
                            self.solver, *self.usual, "--epsilon", "1", "--delta", "1e-6",
                            "--json", *args)
        self.assertEqual(result.code, OK, result.err)
        return {q["question"]: q["times"] * q["mu"]**2
                for q in json.loads(result.out)["questions"]}

    CONSTANTS = ("row sizes", "column sizes", "moments")

    def of_constants(self, *args):
        """The share of the budget, and the parts of that."""
        asked = self.planned(*args)
        parts = [asked.get(question, 0) for question in self.CONSTANTS]
        return sum(asked.values()), sum(parts) / sum(asked.values()), [x / sum(parts) for x in parts]

    def assert_parts(self, found, wanted):
        for one, other in zip(found, wanted):
            self.assertAlmostEqual(one, other, 6)

    def test_what_constants_get(self):
        """So much that a range of sizes with 1/32 of the rows is three deviations of its count's noise,
        1 to 20 % of the budget; with so few rows that twice that is not seen, sizes are not counted."""
        columns, cases = 4, {"replace-one": 2, "zero-out": 1, "add-remove": 1}
        for adjacency, replaced in cases.items():
            for rows, parts in ((500, (0, 0, 1)), (6000, (.1, .45, .45)),
                                (20000, (.1, .45, .45)), (10**7, (.1, .45, .45))):
                known = ("--rows", str(rows), "--adjacency", adjacency)
                all_of_it, share, found = self.of_constants("--smoothness", "private", *known)
                level = 3 * (replaced * columns)**.5 * 32 / rows
                self.assertAlmostEqual(share, min(max(level**2 / .45 / all_of_it, .01), .2), 4,
                                       known)
                self.assert_parts(found, parts)
                _, share, found = self.of_constants("--smoothness", "private:0.3", *known)
                self.assertAlmostEqual(share, .3, 6)
                self.assert_parts(found, parts)

    def test_constants_without_the_number_of_rows(self):
        """It is asked for: a tenth. Or it will be public, but is not known to a plan."""
        _, share, found = self.of_constants("--smoothness", "private")
        self.assertAlmostEqual(share, .1, 6)
        self.assert_parts(found, (.1, .45, .45))
        text = self.assert_one_line(
            self.sotto("plan", "--schema", "s.json", "--loss", "logistic", "--solver", self.solver,
                       *self.usual, "--epsilon", "1", "--delta", "1e-6", "--smoothness", "private",
                       "--adjacency", "replace-one"), USAGE)
        self.assertIn("--rows", text)
        self.assertIn("private:SHARE", text)

    def test_constants_of_loose_bounds(self):
        """Bounds a hundred times too far beside categories, whose bounds are not: most of what can be
        gained is gained with constants that are asked for, as with those that are given, and not with
        those of the bounds. The seeds are fixed, and so is all of it."""
        draw = random.Random(7)
        table = []
        for _ in range(20000):
            a, c = draw.gauss(0, 3), draw.gauss(0, .02)
            table.append([a, draw.choice("uv"), c,
                          "yes" if a / 3 + 50 * c + draw.gauss(0, 1) > 0 else "no"])
        self.write("large.csv", csv(table))
        self.write("s.json", schema({
            "a": {"type": "number", "bounds": [-1000, 1000]},
            "b": {"type": "category", "levels": ["u", "v"]},
            "c": {"type": "number", "bounds": [-8, 8]},
            "t": {"type": "target", "classes": ["no", "yes"]}}))
        squares = [9e-6, .5, .5, (.02 / 8)**2]
        self.write("given.txt", "\n".join(repr(x / 4) for x in squares))

        def objective(*args):
            run = self.sotto("train", "large.csv", "--schema", "s.json", "--loss", "logistic",
                             "-o", "m.json", *args)
            self.assertEqual(run.code, OK, run.err)
            result = self.sotto("evaluate", "m.json", "large.csv", "--json")
            self.assertEqual(result.code, OK, result.err)
            return json.loads(result.out)["objective"]

        best = objective("--epsilon", "inf")
        constant = math.log(2)

        def gain(smoothness, seed):
            value = objective("--solver", self.solver, "--epsilon", "1", "--delta", "1e-6",
                              "--rows", "20000", "--smoothness", smoothness, "--insecure-seed",
                              str(seed))
            return (constant - value) / (constant - best)

        for seed in range(3):
            self.assertGreater(gain("given.txt", seed), .95)
            self.assertGreater(gain("private", seed), .85)
            self.assertLess(gain("bounds", seed), .4)

    def test_what_is_spent_is_what_is_proven(self):
        """The DP-CD paper's noise is more than is needed: the statement, and what is written down
        before the first question, have what it costs."""
        usual = ("--epsilon", "1", "--delta", "1e-6", "--rows", "300", "--calibration")
        for how in ("exact", "paper", "theorem"):
            result = self.train(*usual, how)
            self.assertEqual(result.code, OK, result.err)
            self.assertNotIn(b"asked for", result.err)
            price = self.model()["privacy"]["epsilon"]
            self.assertEqual(price > .99, how == "exact")
            self.assertEqual(self.spent(*self.arguments(*usual, how))["epsilon"], price)

    def test_large_epsilons(self):
        """The curve has no point where nothing is proven, and refuses no run."""
        for solver in ("cd", "gcd"):
            result = self.train("--solver", solver, "--epsilon", "30", "--delta", "1e-6", "--rows",
                                "200")
            self.assertEqual(result.code, OK, result.err)
            statement = self.model()["privacy"]
            self.assertGreater(statement["epsilon"], 29.9)
            deltas = [point["delta"] for point in statement["curve"]]
            self.assertIn(1e-2, deltas)
            self.assertNotIn(1e-10, deltas)
            epsilons = [point["epsilon"] for point in statement["curve"]]
            self.assertEqual(epsilons, sorted(epsilons))
        self.assertEqual(self.train().code, OK)
        self.assertEqual(len(self.model()["privacy"]["curve"]), 9)

    def test_rows_and_people(self):
        self.train("--rows", "300")
        self.assertEqual(len(self.model()["privacy"]["questions"]), 1)
        self.train("--rows-per-person", "3")
        statement = self.model()["privacy"]
        self.assertEqual(statement["unit"], "person")
        self.assertEqual(statement["rows_per_person"], 3)
        self.assertIn("declared", statement["rows_per_person_is"])
        self.assertEqual(statement["membership"], "protected")
        self.train("--adjacency", "zero-out")
        statement = self.model()["privacy"]
        self.assertIn("not protected", statement["membership"])
        self.assertIn("public", statement["rows"])
        self.train("--adjacency", "zero-out", "--bad-rows", "drop")
        self.assertIn("estimated", self.model()["privacy"]["rows"])

    def test_a_model_that_is_replaced_counts(self):
        """It was not there when the run began, or nothing would replace it."""
        self.train()
        said = self.meanwhile(csv(self.table).encode(), "n.json", self.content(), "--schema",
                              "s.json", "--loss", "logistic", "--solver", "cd", "--epsilon", "1",
                              "--delta", "1e-6")
        self.assertIn(b"both count", said)

    def test_plan(self):
        """The same as what is done, but for what the data say."""
        usual = ["--features", "5", "--loss", "logistic", "--solver", "cd",
                 "--epsilon", "1", "--delta", "1e-6", "--no-intercept"]
        plan = self.sotto("plan", *usual)
        self.assertEqual((plan.code, plan.err), (OK, b""))
        dry = self.sotto("train", "--dry-run", *usual)
        self.assertEqual((dry.code, dry.out), (OK, plan.out))
        self.write("s.json", schema({
            "a": {"type": "number", "bounds": [0, 10]},
            "b": {"type": "category", "levels": ["u", "v", "w"]},
            "c": {"type": "number", "bounds": [-5, 5]},
            "t": {"type": "target", "classes": ["no", "yes"]}}))
        self.train("--no-intercept")
        self.assertEqual(self.model()["privacy"],
                         {**json.loads(plan.out), "ledger": "untracked"})
        self.assertIn("usage", self.assert_one_line(self.sotto("train"),
                                                    USAGE))

    def test_show(self):
        self.train()
        out = self.sotto("show", "m.json").out.decode()
        self.assertIn("epsilon 0.99", out)
        self.assertNotIn("NOT PRIVATE", out)
        self.assertIn("not_covered", out)

    def test_not_private(self):
        """Noise that can be repeated, or none."""
        for args in (("--epsilon", "inf"),
                     ("--epsilon", "1", "--delta", "1e-6", "--insecure-seed",
                      "7")):
            result = self.train(*args)
            self.assertEqual(result.code, OK, result.err)
            self.assertIn(b"NOT PRIVATE", result.err)
            self.assertIs(self.model()["not_private"], True)
            self.assertIsNone(self.model()["privacy"])

    def test_no_clip_without_privacy(self):
        """The minimiser itself, and never with a budget."""
        result = self.train("--epsilon", "inf", "--clip", "inf", "--passes",
                            "400", "--l2", "0.1")
        self.assertEqual(result.code, OK, result.err)
        exact = self.sotto("train", "d.csv", "--schema", "s.json", "--loss",
                           "logistic", "--l2", "0.1", "--epsilon", "inf",
                           "-o", "e.json")
        self.assertEqual(exact.code, OK)
        for a, b in zip(self.model()["weights"], self.model("e.json")["weights"]):
            self.assertAlmostEqual(a, b, 4)
        text = self.assert_one_line(
            self.train("--epsilon", "1", "--delta", "1e-6", "--clip", "inf"),
            PRIVACY)
        self.assertIn("--clip", text)

    def test_weights_are_in_the_units_of_the_file(self):
        """Without noise and clip the solvers find what the exact one finds, intercept included: bounds
        that are far from 0 are mapped, and mapped back."""
        draw = random.Random(8)
        table = [[draw.randint(1000, 1010), round(draw.uniform(-.5, .5), 3)] for _ in range(400)]
        self.write("d.csv", "a,c,t\n" + "".join(
            f"{a},{c},{3 * a + 20 * c - 2900}\n" for a, c in table))
        self.write("s.json", schema({"a": {"type": "number", "bounds": [1000, 1010]},
                                     "c": {"type": "number", "bounds": [-1, 1]},
                                     "t": {"type": "target", "bounds": [0, 200]}}))
        for solver in (["cd", "--passes", "4000"], ["gd", "--steps", "4000"],
                       ["gcd", "--steps", "4000", "--clip", "9"]):
            usual = ["train", "d.csv", "--schema", "s.json", "--loss", "squared", "-o", "m.json",
                     "--epsilon", "inf", "--adjacency", "replace-one"]
            result = self.sotto(*usual, "--solver", *solver)
            self.assertEqual(result.code, OK, result.err)
            model = self.model()
            self.assertAlmostEqual(model["weights"][0], 3, 1)
            self.assertAlmostEqual(model["weights"][1], 20, 0)
            self.assertAlmostEqual(1005 * model["weights"][0] + model["intercept"], 115, 0)

    def test_noise_is_fresh(self):
        self.train()
        first = self.content()
        self.train()
        self.assertNotEqual(first, self.content())


class Refused(Private):
    def refused(self, *args, code=PRIVACY, words=(), **more):
        text = self.assert_one_line(self.sotto(*self.arguments(*args, **more)),
                                    code)
        for word in words:
            self.assertIn(word, text)
        self.assertEqual([n for n in os.listdir(self.directory)
                          if "m.json" in n], [])

    def test_two_runs_at_once(self):
        """Of two that start together one is refused, or they come one after
        the other: nothing is spent unseen."""
        self.write("d.csv", csv(rows(20000)))
        command = [PROGRAM, *self.arguments("--epsilon", "1", "--delta",
                                            "1e-6", "--passes", "300",
                                            "--quiet")]
        for _ in range(5):
            both = [subprocess.Popen(command, cwd=self.directory,
                                     stderr=subprocess.DEVNULL)
                    for _ in range(2)]
            codes = sorted(process.wait() for process in both)
            self.assertIn(codes, ([OK, OK], [OK, BUDGET]))
            self.assertFalse(os.path.exists(self.path("m.json.spent")))
            os.remove(self.path("m.json"))

    def test_budget(self):
        self.refused(words=["--epsilon"])
        self.refused("--epsilon", "1", words=["--delta"])
        self.refused("--epsilon", "1", "--delta", "0", words=["--delta"])
        for delta in ("1", "2", "-1", "nan"):
            self.refused("--epsilon", "1", "--delta", delta, code=USAGE,
                         words=["--delta"])
        for epsilon in ("0", "-1", "nan"):
            self.refused("--epsilon", epsilon, "--delta", "1e-6", code=USAGE,
                         words=["--epsilon"])

    def test_configuration(self):
        budget = ("--epsilon", "1", "--delta", "1e-6")
        self.refused(*budget, "--loss", "hinge", "--solver", "cd", code=USAGE,
                     words=["not smooth"])
        self.refused(*budget, "--solver", "exact", words=["not private"])
        self.refused(*budget, "--smoothness", "private:2", code=USAGE,
                     words=["--smoothness"])
        self.write("s.json", schema({
            "a": {"type": "number"}, "b": {"type": "drop"},
            "c": {"type": "drop"},
            "t": {"type": "target", "classes": ["no", "yes"]}}))
        self.refused(*budget, words=['"a"', "bounds"])

    def test_output(self):
        """What is spent is written beside the model, so it needs a file."""
        for output in ("-", "/dev/stdout"):
            text = self.assert_one_line(self.train(model=output), PRIVACY)
            self.assertIn("-o FILE", text)
        self.write("-.spent", "keep")
        self.sotto(*self.arguments("--epsilon", "inf", model="-"))
        self.assertEqual(self.content("-.spent"), b"keep")

    def test_budgets_that_are_too_small(self):
        """Found out before anything is asked, and never without noise."""
        for args in (("--epsilon", "1e-9", "--delta", "1e-9"),
                     ("--epsilon", "3e-308", "--delta", "1e-6", "--rows",
                      "300", "--calibration", "theorem", "--steps", "100000"),
                     ("--epsilon", "1", "--delta", "1e-6",
                      "--rows-per-person", "100000"),
                     ("--epsilon", "1", "--delta", "1e-23", "--rows", "300",
                      "--calibration", "theorem")):
            result = self.sotto(*self.arguments(*args))
            self.assertIn(result.code, (PRIVACY, USAGE), (args, result))
            self.assertEqual([n for n in os.listdir(self.directory)
                              if "m.json" in n], [], args)

    def test_too_many_rows_per_person(self):
        """It is they that are too many, not the steps."""
        for solver in ("cd", "gcd"):
            self.refused("--epsilon", "1", "--delta", "1e-6", "--solver", solver,
                         "--rows-per-person", "1048576",
                         words=["--rows-per-person 1048576", "fewer rows per person",
                                "larger --epsilon"])
        self.refused("--epsilon", "1e-9", "--delta", "1e-9", words=["fewer steps"])

    def test_settings(self):
        budget = ("--epsilon", "1", "--delta", "1e-6")
        self.refused(*budget, "--passes", "2", "--steps", "3", code=USAGE,
                     words=["--passes", "--steps"])
        self.refused(*budget, "--rounds", "1000000", "--steps", "1000000",
                     code=USAGE, words=["1e9"])
        for how in ("private:", "private:1", "private:-1", "privately"):
            self.refused(*budget, "--smoothness", how, code=USAGE,
                         words=["private:SHARE"])
        self.refused(*budget, "--clip", "1e300", code=USAGE, words=["--clip"])

    def test_boxes(self):
        """Weights that no step has touched are 0, so that has to be in the box."""
        budget = ("--epsilon", "1", "--delta", "1e-6", "--rows", "300")
        for solver in ("cd", "gcd", "gd", "sgd"):
            for box in ("5,10", "-2,-1", "1e-9,inf"):
                self.refused(*budget, "--solver", solver, "--box=" + box, code=USAGE,
                             words=["--box", "with 0 in it", "--solver " + solver])
            result = self.sotto(*self.arguments(*budget, "--solver", solver, "--box=0,.25"))
            self.assertEqual(result.code, OK, result.err)
            os.remove(self.path("m.json"))

    def test_thresholds(self):
        """What can be known before the first question is, and nothing is written down as spent."""
        budget = ("--epsilon", "1", "--delta", "1e-6", "--rows", "300", "--smoothness", "M")
        for solver, bad in (("cd", "1e-70 1 1 1"), ("cd", "1 1 1e90 1"), ("gcd", "1 1 1 1e-70"),
                            ("gcd", "1e90 1 1 1"), ("gd", "1 1e-70 1 1"), ("sgd", "1 1 1e70 1")):
            self.write("M", bad)
            self.refused(*budget, "--solver", solver, code=USAGE,
                         words=["--smoothness", "--clip", "threshold"])
        self.write("M", "1 1 inf 1")
        self.refused(*budget, code=USAGE, words=["M: expected 4 numbers"])
        self.write("M", "1e-20 1 1 1e20")
        self.assertEqual(self.train(*budget).code, OK)

    def test_a_unit_column_is_never_ignored(self):
        self.write("d.svm", "1 1:0.5\n-1 2:1\n")
        text = self.assert_one_line(
            self.sotto("train", "d.svm", "--features", "2", "--loss",
                       "logistic", "--solver", "cd", "--epsilon", "1",
                       "--delta", "1e-6", "--unit-column", "patient", "-o",
                       "m.json"), USAGE)
        self.assertIn("--unit-column", text)

    def auto(self, *args):
        return self.sotto("train", "d.csv", "--schema", "s.json", "--loss",
                          "logistic", "--epsilon", "1", "--delta", "1e-6",
                          "-o", "m.json", *args)

    def test_auto_is_the_default(self):
        """With and without a number of rows that is public."""
        self.assertEqual(self.auto("--rows", "300").code, OK)
        statement = self.model()["privacy"]
        names = [q["question"] for q in statement["questions"]]
        self.assertIn("second-moment matrix", names)
        self.assertIn("whitened gradient", names)
        self.assertLessEqual(statement["epsilon"], 1)
        self.assertGreater(statement["epsilon"], .999)
        self.assertEqual(self.auto().code, OK)
        statement = self.model()["privacy"]
        names = [q["question"] for q in statement["questions"]]
        self.assertEqual(names, ["total", "chosen from answers"])
        self.assertGreater(statement["epsilon"], .999)

    def test_hinge(self):
        """As any loss: with an intercept, all ways, and the model is of the
        hinge. The number of rows is public or not."""
        for args in ((), ("--rows", "300"), ("--no-intercept", "--rows", "300"),
                     ("--rows", "300", "--solver", "newton"),
                     *(("--rows", "300", "--path", path)
                       for path in ("dense", "select", "intercept")),
                     ("--rows", "300", "--path", "wide", "--penalty-units", "fit")):
            result = self.auto("--loss", "hinge", *args)
            self.assertEqual(result.code, OK, result.err)
            model = self.model()
            self.assertEqual(model["loss"], "hinge")
            self.assertNotIn("huber_delta", model)
            self.assertGreater(model["privacy"]["epsilon"], .999)
            self.assertLessEqual(model["privacy"]["epsilon"], 1)
            self.assertEqual(self.sotto("predict", "m.json", "d.csv").code, OK)

    def test_the_constant_of_the_hinge(self):
        """The larger class is at its corner, whatever the bend is."""
        self.auto("--loss", "hinge", "--rows", "300", "--path", "intercept")
        self.assertEqual(abs(self.model()["intercept"]), 1)

    def test_a_bend_has_no_name(self):
        text = self.assert_one_line(self.auto("--loss", "smooth-hinge"), USAGE)
        self.assertNotIn("or smooth-hinge", text)

    def test_paths(self):
        text = self.assert_one_line(
            self.auto("--path", "intercept", "--no-intercept", "--rows",
                      "300"), USAGE)
        self.assertIn("intercept", text)
        self.assertEqual(self.auto("--rows", "300", "--path",
                                   "intercept").code, OK)
        self.assertEqual(set(self.model()["weights"]), {0})

    def test_explain(self):
        usual = ["plan", "--explain", "--features", "5", "--epsilon", "1",
                 "--delta", "1e-6"]
        text = self.sotto(*usual, "--rows", "100000").out.decode()
        self.assertIn("path        dense", text)
        text = self.sotto(*usual, "--rows", "50").out.decode()
        self.assertIn("path        intercept (strength < 110, of a number", text)
        text = self.sotto(*usual, "--rows", "50", "--loss", "logistic").out.decode()
        self.assertIn("path        intercept (strength < 60", text)
        self.assertNotIn("bend", text)
        text = self.sotto(*usual, "--rows", "50000", "--loss", "hinge").out.decode()
        self.assertIn("loss        hinge, with a bend of width 0.5", text)
        text = self.assert_one_line(self.sotto(*usual), USAGE)
        self.assertIn("--rows", text)

    def test_the_unit_of_a_column_does_not_matter(self):
        """A column and its bounds 1024 times larger: the same answers, bit
        for bit, with one seed."""
        args = ["--insecure-seed", "5", "--rows", "300"]
        self.assertEqual(self.auto(*args).code, OK)
        first = self.sotto("predict", "m.json", "d.csv", "--proba").out
        self.write("d.csv", csv([[a, b, f"{c * 1024:.10g}", t]
                                 for a, b, c, t in self.table]))
        self.write("s.json", schema({
            "a": {"type": "number", "bounds": [0, 10]},
            "b": {"type": "category", "levels": ["u", "v"]},
            "c": {"type": "number", "bounds": [-5120, 5120]},
            "t": {"type": "target", "classes": ["no", "yes"]}}))
        self.assertEqual(self.auto(*args).code, OK)
        self.assertEqual(self.sotto("predict", "m.json", "d.csv",
                                    "--proba").out, first)

    def test_a_run_that_did_not_finish(self):
        """What it spent stands in the way until somebody has looked."""
        self.write("m.json.spent", "{}")
        result = self.train()
        self.assertIn("m.json.spent", self.assert_one_line(result, BUDGET))
        self.assertEqual(self.content("m.json.spent"), b"{}")


class SameBits(Private):
    def weights(self, *args, **more):
        result = self.train("--insecure-seed", "7", *args, **more)
        self.assertEqual(result.code, OK, result.err)
        model = self.model()
        return model["weights"], model["intercept"]

    def test_threads_and_instruction_sets(self):
        expected = self.weights()
        for threads in "12":
            for isa in ("auto", "scalar", "avx2", "avx512"):
                result = self.train("--insecure-seed", "7", "--threads",
                                    threads, "--isa", isa)
                if result.code == USAGE and b"--isa" in result.err:
                    continue  # not on this machine, and said so
                self.assertEqual(result.code, OK, result.err)
                model = self.model()
                self.assertEqual((model["weights"], model["intercept"]),
                                 expected)

    def test_dense_and_sparse(self):
        draw = random.Random(1)
        table = [[draw.choice((0, 0, draw.uniform(-1, 1))) for _ in range(6)]
                 for _ in range(500)]
        label = [draw.choice((-1, 1)) for _ in table]
        self.write("d.svm", "".join(
            "%d %s\n" % (y, " ".join("%d:%r" % (j + 1, v)
                                     for j, v in enumerate(x) if v))
            for x, y in zip(table, label)))
        self.write("dense.csv", ",".join("123456") + ",t\n" + "".join(
            ",".join(map(repr, x)) + ",%d\n" % y
            for x, y in zip(table, label)))
        self.write("m.txt", "0.1\n" * 6)
        usual = ["--loss", "logistic", "--solver", self.solver, *self.usual,
                 "--epsilon", "1", "--delta", "1e-6", "--insecure-seed", "7",
                 "--smoothness", "m.txt", "--clip", "1", "-o", "m.json"]
        models = []
        for data in (["d.svm", "--features", "6"],
                     ["dense.csv", "--target", "t"]):
            result = self.sotto("train", *data, *usual)
            self.assertEqual(result.code, OK, result.err)
            model = self.model()
            models.append((model["weights"], model["intercept"]))
        self.assertEqual(models[0], models[1])


class Silence(Private):
    """Records that add nothing leave no trace in anything that is released."""

    def released(self, table, *args):
        """Model, stdout, stderr and exit code."""
        self.write("d.csv", csv(table))
        result = self.train("--rows", "300", "--insecure-seed", "3",
                            "--no-intercept", "--json", *args)
        return result, self.content()

    def test_rows_that_add_nothing(self):
        """Centred features are 0, there is no intercept: every integer is
        0, and the noise is the same."""
        nothing = [5, "", 0, "yes"]
        self.write("s.json", schema({
            "a": {"type": "number", "bounds": [0, 10]},
            "b": {"type": "category", "levels": ["u", "v"],
                  "missing": "none"},
            "c": {"type": "number", "bounds": [-5, 5]},
            "t": {"type": "target", "classes": ["no", "yes"]}}))
        expected = self.released(self.table)
        self.assertEqual(expected[0].code, OK, expected[0].err)
        for table in (self.table + [nothing], [nothing] + self.table,
                      self.table + 70 * [nothing],
                      random.Random(2).sample(self.table, len(self.table))):
            self.assertEqual(self.released(table), expected)

    def test_changed_rows_that_add_the_same(self):
        """Values beyond the bounds are the bounds, whatever they are."""
        def with_row(*row):
            return self.released(self.table[:50] + [list(row)] +
                                 self.table[50:])
        expected = with_row(10, "u", -5, "yes")
        self.assertEqual(expected[0].code, OK, expected[0].err)
        for row in ((11, "u", -5, "yes"), (987654.321, "u", -6, "yes"),
                    ("1e300", "u", "-1e300", "yes")):
            self.assertEqual(with_row(*row), expected)
        self.assertNotEqual(with_row(9, "u", -5, "yes")[1], expected[1])

    def test_malformed_rows_that_are_dropped(self):
        expected = self.released(self.table, "--bad-rows", "drop")
        self.assertEqual(expected[0].code, OK, expected[0].err)
        for bad in (["x", "u", 1, "yes"], [1, "w", 1, "yes"],
                    [1, "u", 1, "maybe"], [1, "u"], ["", "", "", ""]):
            table = self.table[:100] + [bad] + self.table[100:]
            self.assertEqual(self.released(table, "--bad-rows", "drop"),
                             expected)

    def test_progress_counts_steps(self):
        result = self.train("--progress", "json", "--quiet")
        shares = [json.loads(line).get("share")
                  for line in result.err.splitlines()]
        other = list(rows(40, seed=9))
        self.write("d.csv", csv(other))
        again = self.train("--progress", "json", "--quiet")
        self.assertEqual(shares, [json.loads(line).get("share")
                                  for line in again.err.splitlines()])

    def test_no_objective(self):
        result = self.train("--json")
        self.assertEqual(set(json.loads(result.out)),
                         {"not_private", "privacy"})


class Killed(Private):
    def setUp(self):
        super().setUp()
        self.write("d.csv", csv(rows(20000)))
        self.train("--insecure-seed", "1")  # one that may be replaced
        self.old = self.content()

    def start(self, *args, **more):
        return subprocess.Popen(
            [PROGRAM, *self.arguments("--epsilon", "1", "--delta", "1e-6",
                                      "--passes", "100", "--quiet", *args)],
            cwd=self.directory, **more)

    def settle(self):
        """After a kill: the model is whole, and so is what was spent if it is
        there; it is taken away. A copy that was about to replace the model
        may be left, whole as well. True when something was spent."""
        for name in os.listdir(self.directory):
            if name == "m.json" or name.startswith(".sotto-"):
                self.assertTrue(self.content(name).endswith(b"}\n"), name)
            if name.startswith(".sotto-"):
                os.remove(self.path(name))
        self.write("m.json", self.old)
        if not os.path.exists(self.path("m.json.spent")):
            return False
        result = self.sotto("show", "m.json.spent")
        self.assertEqual(result.code, OK, result.err)
        self.assertIn(b"did not finish", result.out)
        os.remove(self.path("m.json.spent"))
        return True

    def test_at_any_time(self):
        """Fifty kills: the old model or the new one, whole; and what was
        spent can be explained or nothing was asked. Which of these it is
        depends on the machine, so it is not asked here."""
        draw = random.Random(8)
        for _ in range(50):
            process = self.start()
            time.sleep(draw.uniform(0, .12))
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.settle()

    def test_after_an_answer(self):
        """Killed once it has told of a step: what was spent is there. It
        cannot end before, since nobody reads the rest of what it tells."""
        for told in (1, 2, 5, 20):
            process = self.start("--progress", "json", stderr=subprocess.PIPE,
                                 bufsize=0)
            fcntl.fcntl(process.stderr, F_SETPIPE_SZ, 4096)
            while told:
                line = process.stderr.readline()
                self.assertTrue(line, "it ended")
                told -= b"share" in line
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stderr.close()
            self.assertEqual(self.content(), self.old)
            self.assertTrue(self.settle())

    def test_full_disk(self):
        """What was spent is not there in part: then nothing is asked."""
        for most in (0, 1, 10, 100):
            def no_room(most=most):
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            result = self.sotto(*self.arguments("--epsilon", "1", "--delta",
                                                "1e-6"), before=no_room)
            self.assertEqual(result.code, FAILED, result.err)
            self.assertEqual(self.content(), self.old)
            self.assertFalse(self.settle())
        self.assertEqual(self.train().code, OK)

    def test_through_a_link(self):
        """It stands beside the file that is written, not beside the link."""
        os.mkdir(self.path("real"))
        self.write("real/m.json", self.old)
        os.symlink("real/m.json", self.path("link.json"))
        said = self.spent(*self.arguments("--epsilon", "1", "--delta", "1e-6",
                                          model="link.json"),
                          model="real/m.json")
        self.assertIn("did not finish", said["shown"])
        self.write("real/m.json.spent", "{}")
        result = self.train(model="link.json")
        self.assertEqual(result.code, BUDGET)
        self.assertIn(b"real/m.json.spent: a run", result.err)
        os.remove(self.path("real/m.json.spent"))
        self.assertEqual(self.train(model="link.json").code, OK)
        self.assertTrue(os.path.islink(self.path("link.json")))
        self.assertEqual(sorted(os.listdir(self.path("real"))), [b"m.json"])
        self.assertNotEqual(self.content("real/m.json"), self.old)

    def test_a_link_that_leads_nowhere(self):
        """What was spent on the file that it names would not be seen."""
        os.mkdir(self.path("real"))
        os.symlink("real/m.json", self.path("link.json"))
        self.write("real/m.json.spent", "{}")
        result = self.train(model="link.json")
        self.assertEqual(result.code, USAGE)
        self.assertIn(b"link.json: the link leads to no file", result.err)
        self.assertTrue(os.path.islink(self.path("link.json")))


if __name__ == "__main__":
    unittest.main()

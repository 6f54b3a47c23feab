#!/usr/bin/env python3
"""Output and objective perturbation: one question each, about the minimiser."""
import json
import math
import random
import statistics
import unittest

from common import OK, PRIVACY, USAGE, Case, schema

CLASSES = {"a": {"type": "number", "bounds": [-1, 1]}, "b": {"type": "number", "bounds": [-1, 1]},
           "y": {"type": "target", "classes": ["no", "yes"]}}
NUMBERS = {**CLASSES, "y": {"type": "target", "bounds": [-2, 2]}}
NORM = ("--norm-bound", "2")  # no row is longer


class Minimiser(Case):
    def setUp(self):
        super().setUp()
        rng = random.Random(5)
        classes, numbers = ["a,b,y"], ["a,b,y"]
        for _ in range(2000):
            a, b = rng.uniform(-1, 1), rng.uniform(-1, 1)
            yes = rng.random() < 1 / (1 + math.exp(-3 * a + b))
            classes.append("%g,%g,%s" % (a, b, "yes" if yes else "no"))
            numbers.append("%g,%g,%g" % (a, b, a - b / 2 + rng.gauss(0, .1)))
        self.write("c.csv", "\n".join(classes) + "\n")
        self.write("n.csv", "\n".join(numbers) + "\n")
        self.write("c.json", schema(CLASSES))
        self.write("n.json", schema(NUMBERS))

    def command(self, solver, *args, data="c", intercept=("--no-intercept",)):
        loss = () if "--loss" in args else ("--loss", "logistic" if data == "c" else "squared")
        return ["train", data + ".csv", "--schema", data + ".json", "--solver", solver, "--quiet",
                *loss, *intercept, "--l2", "0.01", "-o", "m.json", *args]

    def train(self, solver, *args, data="c"):
        result = self.sotto(*self.command(solver, *args, data=data))
        self.assertEqual((result.code, result.out), (OK, b""), result.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_without_noise_it_is_the_minimiser(self):
        for data, solver, args in (("c", "output", []), ("c", "output", ["--l1", "0.05"]),
                                   ("c", "output", ["--box", "-0.5,0.5"]), ("c", "objective", []),
                                   ("n", "output", ["--loss", "huber", "--huber-delta", "0.1"]),
                                   ("n", "output", [])):
            clip = ["--clip", "9"] if data == "n" and "--loss" not in args else []
            exact = self.train("exact", "--epsilon", "inf", *args, data=data)
            found = self.train(solver, "--epsilon", "inf", *NORM, *clip, *args, data=data)
            self.assertTrue(found["not_private"])
            for w, v in zip(exact["weights"], found["weights"]):
                self.assertAlmostEqual(w, v, delta=1e-5, msg=(solver, args))

    def test_rows_are_shortened(self):
        """And so is a slope: residuals count linearly beyond the clip."""
        whole = self.train("output", "--epsilon", "inf", *NORM)
        short = self.train("output", "--epsilon", "inf", "--norm-bound", "0.1")
        self.assertGreater(abs(whole["weights"][0] - short["weights"][0]), .1)
        clipped = self.train("output", "--epsilon", "inf", *NORM, "--clip", "0.01", data="n")
        huber = self.train("exact", "--epsilon", "inf", "--loss", "huber", "--huber-delta", "0.01",
                           data="n")
        for w, v in zip(huber["weights"], clipped["weights"]):
            self.assertAlmostEqual(w, v, delta=1e-3)

    def test_statement(self):
        budget = ("--epsilon", "2", "--delta", "1e-6", *NORM)
        for solver, name in (("output", "minimiser"), ("objective", "perturbed minimiser")):
            model = self.train(solver, *budget, "--rows", "2000")
            statement = model["privacy"]
            self.assertLessEqual(statement["epsilon"], 2)
            self.assertGreater(statement["epsilon"], 1.999)
            self.assertEqual([(q["question"], q["times"], q["event"])
                              for q in statement["questions"]], [(name, 1, "GAUSS")])
            self.assertIn("certified", statement["arithmetic"])
            plan = self.sotto("plan", "--solver", solver, "--features", "2", "--rows", "2000",
                              "--loss", "logistic", "--no-intercept", "--l2", "0.01", *budget)
            self.assertEqual({**json.loads(plan.out), "ledger": "untracked"}, statement)
        model = self.train("output", *budget)
        self.assertEqual([q["question"] for q in model["privacy"]["questions"]],
                         ["total", "minimiser"])

    def test_noise(self):
        """What output perturbation tells is the spread of 200 runs, up to 30 %, which is six of
        its errors; that of objective perturbation is less, since the records' curvature holds
        the minimiser, too."""
        budget = ("--epsilon", "4", "--delta", "1e-6", "--rows", "2000", *NORM)
        spread = {}
        for solver in ("output", "objective"):
            runs = [self.train(solver, *budget) for _ in range(200)]
            spread[solver] = statistics.stdev(m["weights"][0] for m in runs)
            told = [m["noise"][0] for m in runs if "noise" in m]
            self.assertEqual(len(told), 200 if solver == "output" else 0)
            if told:
                self.assertAlmostEqual(told[0] / spread[solver], 1, delta=.3)
        self.assertLess(spread["objective"], .5 * spread["output"])

    def test_bad_calls(self):
        usual = ("--epsilon", "1", "--delta", "1e-6", "--rows", "2000")
        for solver, data, code, word, *args in (
                ("output", "c", USAGE, b"--l2 above 0", "--l2", "0"),
                ("output", "c", USAGE, b"finite --norm-bound", "--norm-bound", "inf"),
                ("output", "c", USAGE, b"--loss squared, logistic or huber", "--loss", "hinge"),
                ("output", "c", USAGE, b"--loss squared, logistic or huber", "--loss", "squared-hinge"),
                ("output", "c", USAGE, b"--clip", "--clip", "1"),
                ("output", "n", PRIVACY, b"--clip inf", "--clip", "inf"),
                ("output", "c", USAGE, b"--steps", "--steps", "3"),
                ("output", "c", USAGE, b"--box", "--box", "1,2"),
                ("output", "c", USAGE, b"moderate", "--l2", "1e60"),
                ("output", "c", USAGE, b"doubles", "--rows", "1e12"),
                ("objective", "n", USAGE, b"--loss logistic"),
                ("objective", "c", USAGE, b"--loss logistic", "--loss", "hinge"),
                ("objective", "c", USAGE, b"neither --l1 nor --box", "--l1", "0.1"),
                ("objective", "c", USAGE, b"neither --l1 nor --box", "--box", "-1,1"),
                ("objective", "c", USAGE, b"--clip", "--clip", "1"),
                ("objective", "c", PRIVACY, b"--l2 above", "--l2", "1e-6")):
            result = self.sotto(*self.command(solver, *usual, *args, data=data))
            self.assertEqual((result.code, result.out), (code, b""), (solver, args, result.err))
            self.assertIn(word, result.err)
            self.assertEqual(result.err.count(b"\n"), 1)
        result = self.sotto(*self.command("objective", "--epsilon", "1", "--delta", "1e-6"))
        self.assertEqual(result.code, USAGE)
        self.assertIn(b"--rows N", result.err)
        for solver in ("output", "objective"):
            result = self.sotto(*self.command(solver, *usual, intercept=()))
            self.assertEqual(result.code, USAGE)
            self.assertIn(b"expected --no-intercept", result.err)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Sufficient statistics: one question, and all else is post-processing."""
import json
import statistics
import unittest

from common import OK, PRIVACY, USAGE, Case, schema

COLUMNS = {"a": {"type": "number", "bounds": [0, 10]}, "b": {"type": "number", "bounds": [-1, 1]},
           "y": {"type": "target", "bounds": [-5, 15]}}


class Ssp(Case):
    def setUp(self):
        super().setUp()
        rows = ["%g,%g,%g" % (a := i * 7 % 11, b := i % 13 / 6.5 - 1, 1 + a - 2 * b + i % 3)
                for i in range(1000)]
        self.write("d.csv", "a,b,y\n" + "\n".join(rows) + "\n")
        self.write("s.json", schema(COLUMNS))

    def train(self, *args, solver="ssp"):
        result = self.sotto("train", "d.csv", "--schema", "s.json", "--solver", solver, "--quiet",
                            "-o", "m.json", *args)
        self.assertEqual((result.code, result.out), (OK, b""), result.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_without_noise_it_is_the_minimiser(self):
        """For each penalty, a box, and no intercept; as far as a grid of 2^-21 allows."""
        for args in ([], ["--l1", "0.05"], ["--l2", "0.1"], ["--l1", "0.01", "--no-intercept"],
                     ["--box", "-0.1,0.2"]):
            exact = self.train("--epsilon", "inf", *args, solver="exact")
            found = self.train("--epsilon", "inf", *args)
            self.assertTrue(found["not_private"])
            for w, v in zip(exact["weights"] + [exact["intercept"]],
                            found["weights"] + [found["intercept"]]):
                self.assertAlmostEqual(w, v, delta=2e-4 * max(1, abs(w)), msg=args)

    def test_statement(self):
        model = self.train("--epsilon", "2", "--delta", "1e-6", "--adjacency", "replace-one")
        statement = model["privacy"]
        self.assertLessEqual(statement["epsilon"], 2)
        self.assertGreater(statement["epsilon"], 1.999)
        self.assertEqual([(q["question"], q["times"], q["event"]) for q in statement["questions"]],
                         [("cross moments", 1, "GAUSS")])
        model = self.train("--epsilon", "2", "--delta", "1e-6")
        self.assertEqual([q["question"] for q in model["privacy"]["questions"]],
                         ["total", "cross moments"])
        plan = self.sotto("plan", "--solver", "ssp", "--features", "2", "--epsilon", "2", "--delta",
                          "1e-6")
        self.assertEqual({**json.loads(plan.out), "ledger": "untracked"}, model["privacy"])

    def test_the_noise_it_tells_is_the_noise_there_is(self):
        """The spread of 200 runs; its own error is 5 %, so 30 % off is a fault."""
        runs = [self.train("--epsilon", "4", "--delta", "1e-6", "--adjacency", "replace-one")
                for _ in range(200)]
        for j in range(2):
            spread = statistics.stdev(m["weights"][j] for m in runs)
            told = statistics.mean(m["noise"][j] for m in runs)
            self.assertAlmostEqual(told / spread, 1, delta=.3)

    def test_little_is_known_and_nothing_breaks(self):
        """A budget at which noise is all there is still makes a model."""
        model = self.train("--epsilon", "0.01", "--delta", "1e-9")
        self.assertEqual(len(model["weights"]), 2)

    def test_bad_calls(self):
        usual = ["train", "d.csv", "--schema", "s.json", "--solver", "ssp", "-o", "m.json",
                 "--epsilon", "1", "--delta", "1e-6"]
        for code, word, *args in ((USAGE, b"squared", "--loss", "huber"),
                                  (USAGE, b"--steps", "--steps", "3"),
                                  (USAGE, b"--passes", "--passes", "3"),
                                  (PRIVACY, b"--clip", "--clip", "inf")):
            result = self.sotto(*usual, *args)
            self.assertEqual((result.code, result.out), (code, b""), args)
            self.assertIn(word, result.err)
        result = self.sotto("plan", "--solver", "ssp", "--features", "1001", "--epsilon", "1",
                            "--delta", "1e-6")
        self.assertEqual(result.code, USAGE)
        self.assertIn(b"1000 features", result.err)


if __name__ == "__main__":
    unittest.main()

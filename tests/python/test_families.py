#!/usr/bin/python3
"""bench/families.py: the minimum, the seeds and the knobs are what they are said to be."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("SOTTO_BUILD") or os.path.join(ROOT, "build")
sys.path.insert(0, os.path.join(ROOT, "bench"))
import families  # noqa: E402


class Families(unittest.TestCase):
    def table(self, loss, **turned):
        turned = {"n": 500, "p": 4} | turned
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        return families.Table(made.name, "t", loss, *families.generated(loss, **turned))

    def test_the_minimum(self):
        """Squares by rows that stand for the penalty; classes by an iteration of another kind."""
        t = self.table("squared", tail=3)
        root = np.sqrt(t.rows * t.l2)
        x = np.column_stack([t.x, np.ones(t.rows)])
        x = np.vstack([x, np.column_stack([np.diag(root * t.x.std(0)), np.zeros(4)])])
        w = np.linalg.lstsq(x, np.append(t.y, np.zeros(4)), rcond=None)[0]
        self.assertAlmostEqual(t.error(w[:-1], w[-1]), 0, delta=1e-10)
        t = self.table("logistic", separation=8)
        sd, v = t.x.std(0), np.zeros(5)
        z = np.column_stack([(t.x - t.x.mean(0)) / sd, np.ones(t.rows)])
        for _ in range(100000):         # gradient descent
            v -= 4 / 12 * (z.T @ (-t.y / (1 + np.exp(t.y * (z @ v)))) / t.rows +
                           t.l2 * np.append(v[:4], 0))
        w = v[:4] / sd
        self.assertAlmostEqual(t.error(w, v[4] - w @ t.x.mean(0)), 0, delta=1e-8)

    def test_the_runs_are_those_of_train(self):
        t = self.table("logistic").declare(10, "half")
        errors = t.errors(os.path.join(BUILD, "bench", "bench_repeat"), 3, 1., {"l2": ".002"})
        for seed, error in enumerate(errors, 1):
            model = t.path(f".{seed}")
            subprocess.run([os.path.join(BUILD, "sotto"), "train", t.path(".npy"), "--schema",
                            t.path(".schema"), "--target", "5", "--loss", "logistic", "--l2", ".002",
                            "--epsilon", "1", "--delta", repr(1 / 500**2), "--threads", "1",
                            "--insecure-seed", str(seed), "--ledger", "none", "--quiet", "-o", model],
                           check=True)
            with open(model, encoding="utf-8") as file:
                told = json.load(file)
            w = np.zeros(4)
            for name, weight in zip(told["features"], told["weights"]):
                w[int(name) - 1] = weight
            self.assertAlmostEqual(t.error(w, told["intercept"]) / error, 1, delta=1e-9)
        self.assertEqual(len(set(errors)), 3)

    def test_the_knobs_turn_what_they_say(self):
        def kurtosis(tail):
            x, _ = families.generated("squared", tail=tail)
            return (((x - x.mean(0)) / x.std(0))**4).mean()
        self.assertLess(kurtosis(30), 4)
        self.assertGreater(kurtosis(2.5), 20)
        for rate in (.5, .02):
            _, y = families.generated("logistic", rate=rate)
            self.assertAlmostEqual((y > 0).mean(), rate, delta=5 * (rate / 10000)**.5)
        for signal, least, most in ((.01, 0, .02), (100, .985, .995)):
            t = self.table("squared", signal=signal, n=5000)
            explained = t.constant / (1 + t.constant)
            self.assertGreater(explained, least)
            self.assertLess(explained, most)
        x, _ = families.generated("squared", twin=.01)
        self.assertLess((x[:, 5:] - x[:, :5]).std() / x.std(), .02)
        t = self.table("squared")
        for factor, on, wanted in ((10, "half", 2), (10, "all", 4), (10, "all and target", 5), (1, "all", 0),
                                   (0, "all", None)):
            with open(t.declare(factor, on).path(".schema"), encoding="ascii") as file:
                columns = json.load(file)["columns"]
            bounds = [columns[str(j + 1)].get("bounds", [0, 0])[1] for j in range(5)]
            if wanted is None:
                self.assertEqual(bounds, [0] * 5)
            else:
                self.assertEqual(sum(b == 10 * c for b, c in zip(bounds, t.bounds)), wanted)


if __name__ == "__main__":
    unittest.main()

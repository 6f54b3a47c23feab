#!/usr/bin/python3
"""DP-SCD on California housing: ridge regression beside the exact solver and numpy.

Without noise it finds the minimum; with epsilon 1 the mean error of ten runs is close to it, and not
above that of the paper's own variant by more than the runs' spread. Needs the data (SOTTO_DATA).
"""
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.environ.get("SOTTO") or os.path.join(ROOT, "build", "sotto")
DATA = os.environ.get("SOTTO_DATA") or os.path.join(ROOT, "..", "shared", "data")
FILE = os.path.join(DATA, "california", "california.csv")
CENTRE = np.array([4, 30, 5.5, 1.1, 1500, 3, 35.5, -119.5])
HALF = np.array([4, 22, 3, .3, 1500, 2, 4, 4])
L2 = .01


@unittest.skipUnless(os.path.exists(FILE), "no california/california.csv in SOTTO_DATA")
class Ridge(unittest.TestCase):
    def setUp(self):
        table = np.loadtxt(FILE, delimiter=",", skiprows=1)
        x = np.clip((table[:, :-1] - CENTRE) / HALF, -1, 1)
        self.y = np.clip((table[:, -1] - 2) / 3, -1, 1)
        self.short = x / np.maximum(1, np.linalg.norm(x, axis=1))[:, None]
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        np.save(self.path("rows.npy"), np.c_[x, self.y])
        gram = self.short.T @ self.short / len(self.y) + L2 * np.eye(8)
        self.best = np.linalg.solve(gram, self.short.T @ self.y / len(self.y))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def objective(self, w):
        return ((self.short @ w - self.y)**2).mean() / 2 + L2 / 2 * (w @ w)

    def train(self, *args):
        with contextlib.suppress(FileNotFoundError):  # a private model is never replaced
            os.remove(self.path("model.json"))
        subprocess.run([PROGRAM, "train", self.path("rows.npy"), "--target", "9", "--l2", repr(L2),
                        "--no-intercept", "--rows", str(len(self.y)), "--quiet", "-o",
                        self.path("model.json"), *args], check=True)
        with open(self.path("model.json"), encoding="utf-8") as file:
            return self.objective(np.array(json.load(file)["weights"])) / self.objective(self.best) - 1

    def test_without_noise(self):
        for solver in ("scd", "scd-seq"):
            error = self.train("--solver", solver, "--epsilon", "inf", "--passes", "100",
                               "--average", "0")
            self.assertLess(error, 1e-3 if solver == "scd" else 1e-2, solver)

    def test_private(self):
        runs = {s: [self.train("--solver", s, "--epsilon", "1", "--delta", "1e-3") for _ in range(10)]
                for s in ("scd", "scd-paper")}
        for solver, errors in runs.items():
            print(f"{solver}: mean relative error {np.mean(errors):.4f} (sd {np.std(errors):.4f})")
        self.assertLess(np.mean(runs["scd"]), .05)
        self.assertLess(np.mean(runs["scd"]), np.mean(runs["scd-paper"]) + np.std(runs["scd-paper"]))

    def test_predictions(self):
        """The program shortens rows as this file does."""
        self.train("--solver", "scd", "--epsilon", "inf")
        with open(self.path("model.json"), encoding="utf-8") as file:
            w = np.array(json.load(file)["weights"])
        done = subprocess.run([PROGRAM, "evaluate", self.path("model.json"), self.path("rows.npy"),
                               "--json"], check=True, capture_output=True)
        self.assertAlmostEqual(json.loads(done.stdout)["mse"], ((self.short @ w - self.y)**2).mean(),
                               places=6)


if __name__ == "__main__":
    sys.exit(unittest.main())

#!/usr/bin/python3
"""DP-GD on named problems: the mean relative error of 100 runs, with fresh noise.

replace-one, epsilon 1, delta 1/n^2, no intercept, the smoothness constants given as the paper does.
The targets lie at least four standard errors above what is usual: a run that fails is hardly chance.
Without any setting but the budget (and the constants) the errors are printed beside.
"""
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
RUNS = int(os.environ.get("SOTTO_GD_RUNS", "100"))

# name: loss, steps, clip (half square), step / (smoothness of all together), target
PROBLEMS = {
    "cal_std": ("squared", 30, 11 / 2**.5, 1 / 2.03, 3e-4),
    "elec_std": ("logistic", 100, 6.25, 2 / 2.44, 1e-3),
}


class Problem:
    """A named problem in a folder, and its objective."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.loss, self.steps, self.clip, self.step, self.target = PROBLEMS[name]
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            penalty = json.load(file)["half_square"]
        table = np.load(os.path.join(folder, name + ".npy"))
        self.x, self.y = table[:, :-1], table[:, -1]
        self.rows, self.features = self.x.shape
        self.l1, self.l2 = penalty["l1"], penalty["l2"]
        scale = 1 if self.loss == "squared" else .25
        np.savetxt(os.path.join(folder, name + ".M"), scale * (self.x**2).mean(0), fmt="%.17g")

    def objective(self, w):
        m = self.x @ w
        values = (m - self.y)**2 / 2 if self.loss == "squared" else np.logaddexp(0, -self.y * m)
        return values.mean() + self.l1 * abs(w).sum() + self.l2 / 2 * (w @ w)

    def train(self, *args):
        command = [PROGRAM, "train", self.name + ".npy", "--target", str(self.features + 1),
                   "--loss", self.loss, "--l1", repr(self.l1), "--l2", repr(self.l2),
                   "--no-intercept", "--quiet", "-o", "model.json", *args]
        subprocess.run(command, cwd=self.folder, check=True)
        with open(os.path.join(self.folder, "model.json"), encoding="utf-8") as file:
            return np.array(json.load(file)["weights"])

    def errors(self, runs, *args):
        best = self.objective(self.train("--epsilon", "inf"))
        usual = ["--solver", "gd", "--epsilon", "1", "--delta", repr(1 / self.rows**2),
                 "--adjacency", "replace-one", "--smoothness", self.name + ".M"]
        return [self.objective(self.train(*usual, *args)) / best - 1 for _ in range(runs)]

    def settings(self):
        return ["--steps", str(self.steps), "--clip", repr(self.clip), "--step-size",
                repr(self.step), "--average", ".7", "--momentum", "0"]


class NamedProblems(unittest.TestCase):
    def test_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "problems.py"),
                                   *PROBLEMS, "-o", folder], capture_output=True, text=True,
                                  check=False)
            if made.returncode:
                self.skipTest(made.stderr.strip() or "no data")
            for name, (*_, target) in PROBLEMS.items():
                problem = Problem(folder, name)
                errors = problem.errors(RUNS, *problem.settings())
                print(f"{name}: mean of {RUNS} runs {np.mean(errors):.2e} "
                      f"(standard error {np.std(errors) / RUNS**.5:.1e}), target {target:.1e}")
                beside = problem.errors(RUNS // 5 + 1)
                print(f"    without settings {np.mean(beside):.2e}")
                with self.subTest(name):
                    self.assertLessEqual(np.mean(errors), target)


if __name__ == "__main__":
    unittest.main()

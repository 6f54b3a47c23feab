#!/usr/bin/python3
"""DP-CD on the named problems: the mean relative error of 100 runs, with fresh noise.

replace-one, epsilon 1, delta 1/n^2, no intercept, the smoothness constants given as the paper does.
The targets lie at least five standard errors above what is usual, so a run that fails is a fault.
With private constants (10 % of the budget) the errors are printed beside.
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
RUNS = int(os.environ.get("SOTTO_CD_RUNS", "100"))

# name: loss, passes, clip (half square), step, average, target
PROBLEMS = {
    "cal_std": ("squared", 20, 12.9, .3, .5, 5e-4),
    "cal_imb": ("squared", 50, 6950, .46, 0, 1.2e-2),
    "elec_std": ("logistic", 50, 3.52, 1, .5, 1.6e-3),
    "elec_imb": ("logistic", 50, 7.62, 2.15, .5, 5e-3),
}


class Problem:
    """A named problem in a folder, and its objective."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.loss, self.passes, self.clip, self.step, self.average, self.target = PROBLEMS[name]
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

    def train(self, *args, scale=1.):
        command = [PROGRAM, "train", self.name + ".npy", "--target", str(self.features + 1),
                   "--loss", self.loss, "--l1", repr(self.l1 / scale), "--l2",
                   repr(self.l2 / scale**2), "--no-intercept", "--quiet", "-o", "model.json",
                   *args]
        subprocess.run(command, cwd=self.folder, check=True)
        with open(os.path.join(self.folder, "model.json"), encoding="utf-8") as file:
            return np.array(json.load(file)["weights"])

    def private(self, clip, *args):
        return ["--solver", "cd", "--epsilon", "1", "--delta", repr(1 / self.rows**2),
                "--adjacency", "replace-one", "--passes", str(self.passes), "--clip", repr(clip),
                "--step-size", str(self.step), "--average", str(self.average), *args]

    def errors(self, runs):
        """With the constants given."""
        best = self.objective(self.train("--epsilon", "inf"))
        usual = self.private(self.clip, "--smoothness", self.name + ".M")
        return [self.objective(self.train(*usual)) / best - 1 for _ in range(runs)]

    def errors_with_private_constants(self, runs):
        """On columns mapped by their largest values, which is another problem (the penalty is meant
        there): compared with its own optimum."""
        bound = abs(self.x).max(0)
        moments = (self.x**2).mean(0)
        clip = float(np.linalg.norm(self.clip * np.sqrt(moments / moments.sum()) / bound))
        columns = {str(j + 1): {"type": "number", "bounds": [-b, b]}
                   for j, b in enumerate(map(float, bound))}
        columns[str(self.features + 1)] = {"type": "target"}
        with open(os.path.join(self.folder, "schema.json"), "w", encoding="utf-8") as file:
            json.dump({"sotto_schema": 1, "columns": columns}, file)
        scale = float(bound.mean())
        mapped = Problem(self.folder, self.name)
        mapped.x, mapped.l1, mapped.l2 = self.x / bound, self.l1 / scale, self.l2 / scale**2
        read = ["--schema", "schema.json"]
        best = mapped.objective(self.train("--epsilon", "inf", *read, scale=scale) * bound)
        usual = self.private(clip, "--smoothness", "private:0.1", *read)
        return [mapped.objective(self.train(*usual, scale=scale) * bound) / best - 1
                for _ in range(runs)]


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
                errors = problem.errors(RUNS)
                print(f"{name}: mean of {RUNS} runs {np.mean(errors):.2e} "
                      f"(standard error {np.std(errors) / RUNS**.5:.1e}), target {target:.1e}")
                beside = problem.errors_with_private_constants(RUNS // 5 + 1)
                print(f"    with private constants {np.mean(beside):.2e}")
                with self.subTest(name):
                    self.assertLessEqual(np.mean(errors), target)


if __name__ == "__main__":
    unittest.main()

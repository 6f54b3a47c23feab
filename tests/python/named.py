"""The named problems (tools/problems.py) for tests: made in a folder, with their objectives."""
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
REPEAT = os.path.join(os.path.dirname(PROGRAM), "bench", "bench_repeat")  # prices a plan once


def weights(model, features):
    """As a vector: of many features those that are not 0 are stored, by name."""
    stored = model["weights"]
    if not isinstance(stored, dict):
        return np.array(stored, dtype=float)
    out = np.zeros(features)
    for feature, value in stored.items():
        out[int(feature) - 1] = value
    return out


class Named:
    """A named problem in a folder: its table, its objective, its exact smoothness constants."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            described = json.load(file)
        self.loss = described["loss"]
        self.l1, self.l2 = described["half_square"]["l1"], described["half_square"]["l2"]
        table = np.load(os.path.join(folder, name + ".npy"))
        self.x, self.y = table[:, :-1], table[:, -1]
        self.rows, self.features = self.x.shape
        self.write_constants()

    def write_constants(self, least=0.):
        scale = 1 if self.loss == "squared" else .25
        moments = scale * (self.x.astype(float)**2).mean(0)
        np.savetxt(os.path.join(self.folder, self.name + ".M"), np.maximum(moments, least),
                   fmt="%.17g")

    def objective(self, w, intercept=0.):
        chosen = np.flatnonzero(w)
        m = self.x[:, chosen] @ w[chosen] + intercept
        values = (m - self.y)**2 / 2 if self.loss == "squared" else np.logaddexp(0, -self.y * m)
        return values.mean() + self.l1 * abs(w).sum() + self.l2 / 2 * (w @ w)

    def train(self, *args, file=None, scale=1.):
        """The model, with the penalty for weights that are `scale` times smaller."""
        with contextlib.suppress(FileNotFoundError):  # a private model is never replaced
            os.remove(os.path.join(self.folder, "model.json"))
        subprocess.run([PROGRAM, "train", file or self.name + ".npy", "--target",
                        str(self.features + 1), "--loss", self.loss, "--l1",
                        repr(self.l1 / scale), "--l2", repr(self.l2 / scale**2), "--quiet", "-o",
                        "model.json", *args], cwd=self.folder, check=True)
        with open(os.path.join(self.folder, "model.json"), encoding="utf-8") as made:
            return json.load(made)

    def fit(self, *args, **more):
        """The weights without an intercept."""
        return weights(self.train("--no-intercept", *args, **more), self.features)

    def budget(self, epsilon=1):
        return ["--epsilon", str(epsilon), "--delta", repr(1 / self.rows**2), "--adjacency",
                "replace-one"]


class Case(unittest.TestCase):
    """A test with a folder of named problems; skipped where their data are not at hand."""
    names = ()

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name
        if not self.names:
            return
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "problems.py"),
                               *self.names, "-o", self.folder], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            self.skipTest(done.stderr.strip() or "no data")

    def check(self, what, errors, target, value=np.mean):
        shown = "" if value is np.mean else f", median {np.median(errors):.2e}"
        print(f"{what}: mean of {len(errors)} runs {np.mean(errors):.2e} (standard error "
              f"{np.std(errors) / len(errors)**.5:.1e}{shown}), target {target}", flush=True)
        if target:
            with self.subTest(what):
                self.assertLessEqual(value(errors), target)

#!/usr/bin/python3
"""Exact fits of 3 to 10 classes against scikit-learn, and against a dual bound computed here.

On each of 20 problems (dense and sparse, l1, l2, both, weights, a box, no intercept) the
objective, computed here from the model file, may be at most 1e-8 relative above the best outside
one and above a lower bound made here of the model's own probabilities. No outside answer may lie
below what is certified. Without numpy it is skipped; without scikit-learn the bound alone judges.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing} (apt install python3-numpy)")
    sys.exit(77)

try:
    import scipy.sparse
    import sklearn.linear_model
    import sklearn.svm
except ImportError:
    sklearn = None
    print("scikit-learn is not there: judged by the dual bound alone")

HERE = os.path.dirname(os.path.abspath(__file__))
SOTTO = os.environ.get("SOTTO") or os.path.join(HERE, os.pardir, os.pardir, "build", "sotto")
ABOVE = 1e-8


def softmax(margins):
    shifted = np.exp(margins - margins.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


class Problem:
    """The multinomial problem of one table."""

    def __init__(self, seed, rows, features, classes, l1=0.0, l2=0.0, box=None, weights=False,
                 sparse=False, intercept=True, scale=False):
        random = np.random.default_rng(seed)
        self.X = random.normal(size=(rows, features))
        if sparse:
            self.X *= random.random(self.X.shape) < .15
        if scale:
            self.X = self.X * 10 ** random.uniform(-2, 2, features) + 3
        true = random.normal(size=(features, classes)) * 2 / np.sqrt(features)
        margins = (self.X - self.X.mean(0)) / (self.X.std(0) + 1e-12) @ true
        margins += random.gumbel(size=margins.shape)
        self.y = margins.argmax(axis=1)
        self.y[:classes] = np.arange(classes)  # every class has a row
        self.classes, self.l1, self.l2, self.box = classes, l1, l2, box
        self.sparse, self.intercept = sparse, intercept
        self.weights = np.round(random.uniform(.1, 3, rows), 3) if weights else np.ones(rows)
        self.weighted = weights

    def objective(self, W, b):
        margins = self.X @ W.T + b
        top = margins.max(axis=1)
        loss = np.log(np.exp(margins - top[:, None]).sum(1)) + top
        loss -= margins[np.arange(len(self.y)), self.y]
        return (self.weights @ loss / self.weights.sum() + self.l1 * np.abs(W).sum() +
                self.l2 / 2 * (W ** 2).sum())

    def lower(self, W, b):
        """A lower bound of the minimum: of the dual, at the model's own probabilities."""
        share = self.weights / self.weights.sum()
        mine = np.eye(self.classes)[self.y]
        q = softmax(self.X @ W.T + b)
        if self.intercept:  # sums over rows become those of the labels, up to rounding
            for _ in range(200):
                q *= (share @ mine) / (share @ q)
                q /= q.sum(axis=1, keepdims=True)
        scale, c = 1.0, self.X.T @ (share[:, None] * (q - mine))
        low, high = self.box or (-np.inf, np.inf)
        if self.l2 == 0 and self.box is None:
            scale = min(1.0, self.l1 / np.abs(c).max())
        q, c = mine + scale * (q - mine), scale * c
        beyond = np.sign(-c) * np.maximum(np.abs(c) - self.l1, 0)
        if self.l2 > 0:
            best = np.clip(beyond / self.l2, low, high)
        else:
            best = np.where(beyond > 0, high, low) if self.box else np.zeros_like(c)
            best = np.where(beyond == 0, np.clip(0, low, high), best)
        conjugates = (-c * best - self.l1 * np.abs(best) - self.l2 / 2 * best ** 2).sum()
        entropy = np.where(q > 0, q * np.log(np.maximum(q, 1e-300)), 0).sum(axis=1)
        return -share @ entropy - conjugates

    def write(self, folder):
        """The file, and the options that read it."""
        names = ",".join(f"c{k}" for k in range(self.classes))
        if self.sparse and not self.weighted:
            path = os.path.join(folder, "data.svm")
            with open(path, "w", encoding="ascii") as file:
                for row, label in zip(self.X, self.y):
                    file.write(" ".join([str(label)] + [f"{j + 1}:{float(v)!r}" for j, v in
                                                        enumerate(row) if v != 0]) + "\n")
            numbers = ",".join(map(str, range(self.classes)))
            return [path, "--classes", numbers, "--features", str(self.X.shape[1])]
        path = os.path.join(folder, "data.csv")
        with open(path, "w", encoding="ascii") as file:
            file.write(",".join(f"x{j}" for j in range(self.X.shape[1])) + ",t,s\n")
            for row, label, weight in zip(self.X, self.y, self.weights):
                file.write(",".join(repr(float(v)) for v in row) + f",c{label},{float(weight)!r}\n")
        beside = ["--weights", "s", "--weight-bound", "3"] if self.weighted else ["--drop", "s"]
        return [path, "--target", "t", "--classes", names, *beside]

    def solve(self, *more):
        """sotto's weights, intercepts and what it says of them."""
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model.json")
            run = subprocess.run(
                [SOTTO, "train", *self.write(folder), "--loss", "logistic", "--epsilon", "inf",
                 "--l1", repr(self.l1), "--l2", repr(self.l2), "--json", "-o", model,
                 *(["--box", "%r,%r" % self.box] if self.box else []),
                 *([] if self.intercept else ["--no-intercept"]), *more],
                capture_output=True, text=True, check=False)
            assert run.returncode == 0, run.stderr
            with open(model, encoding="utf-8") as file:
                told = json.load(file)
        weights = told["weights"]
        if isinstance(weights, dict):
            weights = [weights.get(str(j + 1), [0] * self.classes) for j in range(told["features"])]
        return np.array(weights).T, np.array(told["intercept"]), json.loads(run.stdout), told

    def outside(self):
        """The best of scikit-learn's solvers; infinite where none knows the problem."""
        best = np.inf
        if sklearn is None or self.box:
            return best
        total, both = self.weights.sum(), self.l1 + self.l2
        given = dict(C=1 / (both * total), tol=1e-12, fit_intercept=self.intercept,
                     multi_class="multinomial")
        if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 5):
            del given["multi_class"]
        ways = [dict(solver="newton-cg", max_iter=2000), dict(solver="lbfgs", max_iter=20000)]
        if self.l1 > 0:
            ways = [dict(solver="saga", penalty="elasticnet", l1_ratio=self.l1 / both,
                         max_iter=4000)]
        X = scipy.sparse.csr_matrix(self.X) if self.sparse else self.X
        for way in ways:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit = sklearn.linear_model.LogisticRegression(**given, **way)
                fit.fit(X, self.y, sample_weight=self.weights)
            best = min(best, self.objective(fit.coef_, fit.intercept_))
        return best


PROBLEMS = {
    "three, l2": dict(rows=200, features=5, classes=3, l2=.01),
    "three, small l2": dict(rows=300, features=8, classes=3, l2=1e-5),
    "three, l1": dict(rows=300, features=8, classes=3, l1=.01),
    "three, both": dict(rows=300, features=10, classes=3, l1=.005, l2=.01),
    "three, box": dict(rows=300, features=6, classes=3, l2=.001, box=(-.2, .3)),
    "three, box alone": dict(rows=300, features=6, classes=3, box=(-.5, .25)),
    "three, weights": dict(rows=250, features=7, classes=3, l2=.003, weights=True),
    "three, scales": dict(rows=300, features=6, classes=3, l2=1e-3, scale=True),
    "four, l1, weights": dict(rows=400, features=12, classes=4, l1=.004, weights=True),
    "four, no intercept": dict(rows=300, features=9, classes=4, l2=.01, intercept=False),
    "four, l1, no intercept": dict(rows=300, features=9, classes=4, l1=.01, intercept=False),
    "five, l2": dict(rows=800, features=15, classes=5, l2=.001),
    "five, sparse": dict(rows=500, features=40, classes=5, l2=.002, sparse=True),
    "five, sparse, l1": dict(rows=500, features=40, classes=5, l1=.003, sparse=True),
    "six, sparse, both, weights": dict(rows=400, features=30, classes=6, l1=.002, l2=.002,
                                       sparse=True, weights=True),
    "seven, l1 and box": dict(rows=500, features=10, classes=7, l1=.002, box=(-.3, .3)),
    "eight, large l1": dict(rows=400, features=10, classes=8, l1=.2),
    "eight, wide": dict(rows=120, features=200, classes=8, l2=.01),
    "ten, l2, weights": dict(rows=1000, features=16, classes=10, l2=1e-3, weights=True),
    "ten, l1": dict(rows=600, features=20, classes=10, l1=.004),
}


class Multinomial(unittest.TestCase):
    def test_problems(self):
        self.assertEqual(len(PROBLEMS), 20)
        judged = 0
        for seed, (name, given) in enumerate(PROBLEMS.items()):
            with self.subTest(name):
                p = Problem(seed, **given)
                W, b, said, told = p.solve()
                ours, outside, lower = p.objective(W, b), p.outside(), p.lower(W, b)
                if os.environ.get("SOTTO_VERBOSE"):
                    print(f"{name:28} {ours:.12f} outside {(outside - ours) / ours:+.1e} "
                          f"bound {(ours - lower) / ours:.1e} said {said['gap'] / ours:.1e}")
                self.assertEqual(told["strategy"], "multinomial")
                self.assertTrue(said["converged"])
                self.assertLessEqual(said["gap"], 1.01e-10 * ours)
                self.assertAlmostEqual(said["objective"], ours, delta=1e-12 * ours)
                self.assertLessEqual(ours, outside * (1 + ABOVE))
                self.assertGreaterEqual(outside, ours - said["gap"] - 1e-12 * ours)
                self.assertLessEqual(ours - lower, ABOVE * ours)
                if p.l1 == 0 and not p.box:
                    self.assertLess(np.abs(W.sum(axis=0)).max(), 1e-12 * np.abs(W).max())
                judged += np.isfinite(outside)
        if sklearn is not None:
            self.assertGreaterEqual(judged, 16)


class OneVersusRest(unittest.TestCase):
    def test_logistic(self):
        """Each class has the weights of its own fit, and the objectives add up."""
        p = Problem(50, rows=300, features=6, classes=4, l2=.01)
        W, b, said, told = p.solve("--multiclass", "one-versus-rest")
        self.assertEqual(told["strategy"], "one-versus-rest")
        total = 0
        for k in range(4):
            sign = np.where(p.y == k, 1, -1)
            margins = sign * (p.X @ W[k] + b[k])
            slope = -sign / (1 + np.exp(margins)) / len(sign)
            self.assertLess(np.abs(p.X.T @ slope + p.l2 * W[k]).max(), 1e-6)
            self.assertLess(abs(slope.sum()), 1e-6)
            total += np.logaddexp(0, -margins).mean() + p.l2 / 2 * W[k] @ W[k]
        self.assertAlmostEqual(said["objective"], total, delta=1e-12 * total)
        self.assertLessEqual(said["gap"], 1.01e-10 * total)

    @unittest.skipIf(sklearn is None, "scikit-learn is not there")
    def test_squared_hinge(self):
        p = Problem(51, rows=300, features=6, classes=5, l2=.02, intercept=False)
        W, _, said, _ = p.solve("--loss", "squared-hinge")
        fit = sklearn.svm.LinearSVC(C=1 / (p.l2 * len(p.y)), fit_intercept=False, dual=False,
                                    tol=1e-12, max_iter=100000).fit(p.X, p.y)
        def objective(V):
            sign = 2 * np.eye(5)[p.y] - 1
            margins = np.maximum(0, 1 - sign * (p.X @ V.T))
            return (margins ** 2).mean(axis=0).sum() + p.l2 / 2 * (V ** 2).sum()
        self.assertLessEqual(objective(W), objective(fit.coef_) * (1 + ABOVE))
        self.assertAlmostEqual(said["objective"], objective(W), delta=1e-12 * objective(W))


if __name__ == "__main__":
    unittest.main()

"""What the tests of the Python package share.

They import the package from the build folder (SOTTO_PACKAGE), where the
extension stands beside the modules.
"""

import importlib
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("SOTTO_BUILD", os.path.join(ROOT, "build"))
PROGRAM = os.environ.get("SOTTO", os.path.join(BUILD, "sotto"))
if os.environ.get("SOTTO_PACKAGE") != "installed":
    sys.path.insert(0, os.environ.get("SOTTO_PACKAGE", os.path.join(BUILD, "python")))
os.environ["SOTTO_LEDGER"] = "none"

import numpy as np  # noqa: E402

import sotto_dp as dp  # noqa: E402

LOSSES = {"logistic": dp.LogisticRegression, "squared-hinge": dp.LinearSVC,
          "squared": dp.LinearRegression, "huber": dp.HuberRegressor}
BUDGET = {"epsilon": 1, "delta": 1e-6}

# Values that tests put into records and that no message may repeat.
SECRETS = ("987654.321", "SECRETWORD", "515253.75")


def have(name):
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def problem(rows=600, features=3, seed=0):
    """Features and two classes that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (rows, features))
    return X, (X[:, 0] + 0.5 * X[:, -1] + rng.normal(0, 0.2, rows) > 0).astype(np.int64)


def program(*arguments, cwd=None):
    """Runs the program; what it prints."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Case(unittest.TestCase):
    """A test with a folder of its own, in which remarks are not errors."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        catcher = warnings.catch_warnings()
        catcher.__enter__()
        self.addCleanup(catcher.__exit__, None, None, None)
        warnings.simplefilter("ignore", dp.SottoWarning)

    def file(self, name):
        """A path in the test's folder."""
        return os.path.join(self.folder, name)

    def fresh(self, name):
        """The same, where nothing is: a private model is not replaced."""
        if os.path.exists(self.file(name)):
            os.remove(self.file(name))
        return self.file(name)

    def refused(self, kind, words, function, *arguments, **more):
        """Whether a call is refused in these words, without a value of a record."""
        with self.assertRaises(kind) as caught:
            function(*arguments, **more)
        message = str(caught.exception)
        self.assertRegex(message, words)
        self.assertNotIn("\n", message)
        for secret in SECRETS:
            self.assertNotIn(secret, message)
        return caught.exception


def main():
    """Runs the tests of the file that calls it."""
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])

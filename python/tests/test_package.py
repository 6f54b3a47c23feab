#!/usr/bin/env python3
"""The package as a whole: its examples run, its parameters are the library's."""

import doctest
import importlib
import importlib.util
import inspect
import os
import pkgutil
import subprocess
import sys
import unittest

from common import HERE, LOSSES, Case, dp, main

# Options of `sotto train` that are no parameters, and why.
NOT_PARAMETERS = {
    "target": "fit(df, target=)", "weights": "fit(sample_weight=)",
    "unit-column": "fit(person=), the schema or the ledger", "dataset": "the ledger's Dataset",
    "drop": "leave the column out of the frame, or Drop() in the schema",
    "only": "take these columns of the frame",
    "format": "files", "delimiter": "files", "decimal": "files", "thousands": "files",
    "no-header": "files",
    "features": "files", "memory": "files: sotto convert", "output": "save",
    "dry-run": "plan", "sign": "files: sotto key", "json": "printing", "quiet": "printing",
    "isa": "tests of the library", "intercept": "fit_intercept",
}


class Package(Case):
    def test_every_option_of_training_is_a_parameter(self):
        from sotto_dp import _core
        known = {name for kind in LOSSES.values()
                 for name in inspect.signature(kind).parameters}
        for option in _core.options():
            if "train" not in option.verbs:
                continue
            name = option.name.replace("-", "_")
            with self.subTest(option=option.name):
                self.assertNotEqual(name in known, option.name in NOT_PARAMETERS)

    def test_every_parameter_is_an_option(self):
        from sotto_dp import _core
        options = {option.name for option in _core.options()}
        ours = {"fit_intercept", "progress", "classes"}
        for kind in LOSSES.values():
            for name in inspect.signature(kind).parameters:
                self.assertTrue(name in ours or name.replace("_", "-") in options, name)

    def test_what_is_public_has_a_docstring(self):
        for name in dp.__all__:
            each = getattr(dp, name)
            if not inspect.isclass(each) and not inspect.isfunction(each):
                continue  # a type of several classes
            self.assertTrue(inspect.getdoc(each), name)
            if not inspect.isclass(each):
                continue
            for member, value in vars(each).items():
                if not member.startswith("_") and inspect.isfunction(value):
                    self.assertTrue(inspect.getdoc(value), f"{name}.{member}")

    def test_messages_of_all_statuses(self):
        self.assertEqual([kind.status for kind in (dp.SottoError, dp.UsageError, dp.DataError,
                                                   dp.BudgetError, dp.PrivacyError)],
                         [1, 2, 3, 4, 5])

    def test_it_is_typed(self):
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(dp.__file__), "py.typed")))

    def test_no_other_library_is_loaded_with_it(self):
        code = ("import sys; before = set(sys.modules); import sotto_dp; "
                "print(*{name.split('.')[0] for name in set(sys.modules) - before})")
        path = os.path.dirname(os.path.dirname(dp.__file__))
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                             check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(
                                 [path, os.environ.get("PYTHONPATH", "")])})
        loaded = set(out.stdout.split())
        self.assertIn("sotto_dp", loaded)
        self.assertFalse(loaded & {"sklearn", "pandas", "scipy", "pyarrow", "polars",
                                   "matplotlib", "tqdm"}, loaded)

    def test_a_fit_imports_nothing(self):
        """A fork while another thread imports a module leaves its lock held."""
        code = ("import sys, warnings, numpy as np, sotto_dp as dp; warnings.simplefilter('ignore');"
                "X = np.arange(60.).reshape(-1, 2) % 7; before = set(sys.modules);"
                "dp.LogisticRegression(epsilon=1, delta=1e-6).fit(X, X[:, 0] > 3);"
                "print(*(set(sys.modules) - before))")
        path = os.path.dirname(os.path.dirname(dp.__file__))
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                             check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(
                                 [path, os.environ.get("PYTHONPATH", "")])})
        self.assertEqual(out.stdout.split(), [])


class Reference(Case):
    @unittest.skipIf(sys.version_info[:2] != (3, 11), "signatures are written by Python 3.11")
    def test_page_is_what_the_docstrings_say(self):
        """tools/python_reference.py build/python > docs/python-api.md writes it."""
        tree = os.path.dirname(os.path.dirname(HERE))
        tool, page = (os.path.join(tree, *part) for part in (("tools", "python_reference.py"),
                                                             ("docs", "python-api.md")))
        made = subprocess.run([sys.executable, tool, os.path.dirname(os.path.dirname(
            dp.__file__))], capture_output=True, text=True, check=True).stdout
        with open(page, encoding="utf-8") as file:
            self.assertEqual(made, file.read())


# Modules whose examples use scikit-learn: without it they cannot run.
NEED_SKLEARN = {"_transformers", "pipeline"}


def load_tests(loader, tests, pattern):
    without = not importlib.util.find_spec("sklearn")
    for module in pkgutil.iter_modules(dp.__path__):
        if without and module.name in NEED_SKLEARN:
            print("skipped: examples of", module.name, "need scikit-learn", file=sys.stderr)
        elif module.name != "_native":
            tests.addTests(doctest.DocTestSuite(importlib.import_module(
                "sotto_dp." + module.name)))
    tests.addTests(doctest.DocTestSuite(dp))
    return tests


if __name__ == "__main__":
    main()

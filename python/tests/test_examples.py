"""The examples run, on invented data, without a warning, and are no longer than with diffprivlib."""

import ast
import importlib.util
import os
import subprocess
import sys
import unittest

from common import ROOT, Case, dp

sys.path.insert(0, os.path.join(ROOT, "bench"))
import python_examples as table  # noqa: E402

# Scores on the invented data were at least 0.05 above these in each of 40 runs.
LEAST = {"adult": 0.70, "california": 0.35, "sparse_text": 0.60, "budget": 0.70}
FILES = {"adult": {"adult.db", "adult.json", "adult.html"}, "california": {"california.db"},
         "sparse_text": {"reviews.db"}, "budget": {"quarter.db", "quarter.html"}}


def missing(*modules):
    return [name for name in modules if importlib.util.find_spec(name) is None]


class Examples(Case):
    def run_example(self, name):
        env = {**os.environ, "SOTTO_DATA": os.path.join(self.folder, "none"),
               "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, os.path.join(table.EXAMPLES, name + ".py")],
            cwd=self.folder, env=env, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_run(self):
        lacking = missing("pandas", "sklearn")
        if lacking:
            self.skipTest("not installed: " + ", ".join(lacking))
        for name, least in LEAST.items():
            # no warning either: the examples show how it is done
            done = self.run_example(name)
            self.assertEqual(done.stderr, "", name)
            score = float(done.stdout.split()[-1])
            self.assertGreater(score, least, name)
            self.assertLessEqual(FILES[name], set(os.listdir(self.folder)))

    def test_refusals_are_shown(self):
        lacking = missing("pandas", "sklearn")
        if lacking:
            self.skipTest("not installed: " + ", ".join(lacking))
        weeks = self.run_example("budget").stdout.splitlines()
        fits = int(weeks[0].split()[-1])
        self.assertTrue(3 < fits < 13)
        self.assertEqual(sum("epsilon left" in line for line in weeks), fits)
        self.assertTrue(weeks[fits + 1].startswith("week %d: " % (fits + 1)), weeks)
        self.assertEqual(dp.Ledger(os.path.join(self.folder, "quarter.db")).dataset(
            "patients").verify(), fits + 1)
        self.assertIn("use HashingVectorizer", self.run_example("sparse_text").stdout)

    def test_with_diffprivlib(self):
        lacking = missing("pandas", "sklearn", "diffprivlib")
        if lacking:
            self.skipTest("not installed: " + ", ".join(lacking))
        try:
            importlib.import_module("diffprivlib")
        except ImportError as error:
            self.skipTest("diffprivlib cannot be imported: %s" % error)
        for name in LEAST:
            float(self.run_example(name + "_diffprivlib").stdout.split()[-1])

    def test_no_longer_than_with_diffprivlib(self):
        for name in LEAST:
            ours, theirs = (table.lines(os.path.join(table.EXAMPLES, name + end + ".py"))
                            for end in ("", "_diffprivlib"))
            self.assertGreater(ours, 8)
            self.assertLessEqual(ours, theirs, name)

    def test_cells(self):
        """Each begins with a title in a cell of text and says what it shows."""
        for name in LEAST:
            for end in ("", "_diffprivlib"):
                with open(os.path.join(table.EXAMPLES, name + end + ".py")) as file:
                    text = file.read()
                self.assertTrue(text.startswith("# %% [markdown]\n# # "), name)
                self.assertGreaterEqual(text.count("\n# %%"), 3, name + end)
                ast.parse(text)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Each thing is declared once: adding one touches few files of src/.

tools/touched.py has an example and a limit for each recipe of CONTRIBUTING.
"""
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import touched  # noqa: E402


class Touched(unittest.TestCase):
    def test_limits(self):
        result = subprocess.run([sys.executable, touched.__file__, "--check"],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_examples_are_there(self):
        """An example that nothing names would be within any limit."""
        files = {p: touched.code_of(t) for p, t in touched.sources(None).items()}
        for recipe, (example, names, apart, _) in touched.RECIPES.items():
            with self.subTest(recipe):
                self.assertGreaterEqual(
                    len(touched.touched(files, names, apart)), 2, example)

    def test_what_counts(self):
        """Code and strings do, comments do not."""
        _, names, apart, _ = touched.RECIPES["solver"]
        files = {"src/a.c": "/* svrg */ int x; // svrg\n",
                 "src/b.c": "int svrg_steps;",
                 "src/c.c": 'char *s = "/* svrg";'}
        self.assertEqual(touched.touched({p: touched.code_of(t) for p, t in
                                          files.items()}, names, apart),
                         ["src/b.c", "src/c.c"])

    def test_contributing(self):
        """Every recipe is a section there."""
        with open(os.path.join(ROOT, "CONTRIBUTING.md"),
                  encoding="utf-8") as file:
            text = file.read()
        for recipe in touched.RECIPES:
            self.assertRegex(text, rf"\n### Add an? (?:file )?{recipe}\n")


if __name__ == "__main__":
    unittest.main()

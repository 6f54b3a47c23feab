#!/usr/bin/env python3
"""The Python that README and docs/python.md print runs, from top to bottom."""

import io
import os
import re
import subprocess
import sys
import unittest
from contextlib import redirect_stdout

from common import ROOT, Case, main

try:
    import pandas  # noqa: F401
except ImportError:
    print("skipped: no pandas")
    sys.exit(77)

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


class Pages(Case):
    def run_page(self, name):
        """All blocks of a page in one name space, beside the records of the demo."""
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            blocks = BLOCK.findall(file.read())
        self.assertTrue(blocks)
        subprocess.run([os.path.join(ROOT, "tools", "patients.py"), self.folder], check=True)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        names = {}
        with redirect_stdout(io.StringIO()) as out:
            for block in blocks:
                exec(compile(block, name, "exec"), names)
        self.assertTrue(out.getvalue())
        return names

    def test_readme(self):
        names = self.run_page("README.md")
        self.assertGreater(names["model"].score(names["df"], target="readmitted"), 0.75)
        self.assertLess(names["patients"].left(), 3)

    def test_how_to(self):
        names = self.run_page("docs/python.md")
        self.assertEqual(names["model"].classes_.tolist(), ["no", "yes"])
        self.assertTrue(os.path.exists("report.html"))


if __name__ == "__main__":
    main()

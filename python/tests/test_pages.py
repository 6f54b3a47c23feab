#!/usr/bin/env python3
"""The Python that README and pages of docs/ print runs, from top to bottom. A block called
text has what the block before it prints; `test_pages.py --write` puts it there."""

import io
import os
import re
import subprocess
import sys
import unittest
from contextlib import redirect_stdout

from common import ROOT, Case, main

sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))
from printed import same  # noqa: E402

try:
    import pandas  # noqa: F401
except ImportError:
    print("skipped: no pandas")
    sys.exit(77)

BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.M | re.S)
WRITE = "--write" in sys.argv


class Pages(Case):
    def run_page(self, name):
        """All blocks of a page in one name space, beside the records of the demo."""
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            page = file.read()
        self.assertTrue(BLOCK.findall(page))
        subprocess.run([os.path.join(ROOT, "tools", "patients.py"), self.folder], check=True)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        names, everything = {}, ""
        for code, printed in BLOCK.findall(page):
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(code, name, "exec"), names)
            everything += out.getvalue()
            if WRITE and f"```python\n{code}```\n\n```text\n" in page and not same(
                    out.getvalue(), printed):
                page = page.replace(f"{code}```\n\n```text\n{printed}```",
                                    f"{code}```\n\n```text\n{out.getvalue()}```")
            elif printed:
                self.assertTrue(same(out.getvalue(), printed), out.getvalue())
        self.assertTrue(everything)
        if WRITE:
            with open(os.path.join(ROOT, name), "w", encoding="utf-8") as file:
                file.write(page)
        return names

    def test_readme(self):
        names = self.run_page("README.md")
        self.assertGreater(names["model"].score(names["df"], target="readmitted"), 0.75)
        self.assertLess(names["patients"].left(), 3)

    def test_how_to(self):
        names = self.run_page("docs/python.md")
        self.assertEqual(names["model"].classes_.tolist(), ["no", "yes"])
        self.assertTrue(os.path.exists("report.html"))

    def test_tutorial(self):
        names = self.run_page("docs/tutorial.md")
        self.assertGreater(names["model"].score(names["test"], target="readmitted"), 0.75)
        self.assertTrue(os.path.exists("no-ward.json"))

    def test_moving(self):
        names = self.run_page("docs/howto/moving.md")
        self.assertLess(names["patients"].left(), 2)


if __name__ == "__main__":
    if WRITE:
        sys.argv.remove("--write")
    main()

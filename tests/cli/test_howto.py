#!/usr/bin/python3
"""The tutorial, the how-to pages and the explanations run as they are printed (see
test_readme.py), and the pictures are as their script draws them."""

import os
import re
import subprocess
import unittest

import test_readme
from test_readme import BLOCK, EXPLAIN, HOWTO, ROOT, page_steps, read, walk

TUTORIAL = "docs/tutorial.md"


class Tutorial(unittest.TestCase):
    check = test_readme.Pages.check

    def test_as_printed(self):
        """Every step of the way, in this order."""
        commands = self.check(TUTORIAL)
        verbs = [re.match(r"sotto (\w+(?: (?<=ledger )\w+)?)", c)[1] for c in commands
                 if c.startswith("sotto ")]
        first = [v for i, v in enumerate(verbs) if v not in verbs[:i]]
        self.assertEqual(first, ["schema", "doctor", "ledger create", "ledger quote",
                                 "plan", "key", "train", "show", "evaluate", "report", "verify",
                                 "predict", "ledger show"])

    def test_guesses(self):
        """The promise in words is the one of the page of this model."""
        told = re.search(r"right in more than (\S+) of 100", read(TUTORIAL))[1]
        commands = [c for c, _ in page_steps(TUTORIAL)]
        last = next(i for i, c in enumerate(commands) if c.startswith("sotto report "))
        page = walk(commands[:last + 1] + ["cat report.html"], ".")[-1]
        self.assertRegex(re.sub(r"<[^>]+>", "", page),
                         rf"in\s+more\s+than\s+{re.escape(told)}\s+of\s+100")

    def test_python_prints(self):
        """python/tests/test_pages.py compares what stands in the blocks called text."""
        kinds = [kind for kind, _ in BLOCK.findall(read(TUTORIAL))]
        self.assertGreaterEqual(kinds.count("text"), 4)


class HowTo(unittest.TestCase):
    check = test_readme.Pages.check

    def test_as_printed(self):
        for page in HOWTO + EXPLAIN:
            if page_steps(page):
                with self.subTest(page):
                    self.check(page)

    def test_every_block_is_run(self):
        """By this test, or by that of the Python pages; other blocks are shown alone."""
        for page in HOWTO:
            kinds = {kind for kind, _ in BLOCK.findall(read(page))}
            self.assertLessEqual(kinds, {"console", "sh", "python", "text"}, page)
            self.assertEqual(read(page).count("```"), 2 * len(BLOCK.findall(read(page))), page)


class Pictures(unittest.TestCase):
    def test_as_drawn(self):
        subprocess.run([os.path.join(ROOT, "tools", "pictures.py"), "--check"], check=True)

    def test_one_scale(self):
        """The distance of the curves is what an epsilon of 1 allows, and so are the guesses."""
        said = walk(["sotto account --calibrate 'GAUSS(1/z)' --epsilon 1 --delta 1e-6 "
                     "--adjacency add-remove"], "build/demo")[0]
        mu = float(re.search(r"GAUSS\((\S+)\)", said)[1])
        drawn = float(re.search(r"^MU = (\S+)", read("tools/pictures.py"), re.M)[1])
        self.assertAlmostEqual(mu, drawn, places=4)
        guess = round(100 * float(re.search(r"guess +(\S+)", said)[1]))
        self.assertIn(f"At best {guess} of 100", re.sub(r"'\s+'", "", read("tools/pictures.py")))
        self.assertIn(f"right in at most {guess} of 100",
                      " ".join(read("docs/explain/promise.md").split()))


if __name__ == "__main__":
    unittest.main()

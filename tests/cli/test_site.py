#!/usr/bin/python3
"""`make docs` without Sphinx: what it is given, and that a broken link is noticed."""

import json
import os
import re
import sys
import tempfile
import unittest

from common import HERE, run

ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import make_site  # noqa: E402

REFERENCE = json.loads(run(["help", "--json"]).out)


def entries(text):
    """The pages in the tables of contents of a page."""
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", text, re.M | re.S):
        for line in block.partition("\n\n")[2].splitlines():
            yield re.sub(r".*<(.*)>", r"\1", line)


class Staged(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sotto-")
        self.addCleanup(folder.cleanup)
        self.source = folder.name
        make_site.MADE["docs/options.md"] = make_site.options_page(REFERENCE)
        make_site.stage(self.source)

    def test_every_page_is_listed_once(self):
        listed = []
        for at, _, names in os.walk(self.source):
            for name in names:
                if name.endswith(".md"):
                    with open(os.path.join(at, name), encoding="utf-8") as file:
                        listed += [os.path.relpath(os.path.join(at, entry), self.source)
                                   for entry in entries(file.read())]
        pages = [page[:-3] for page in make_site.pages()]
        self.assertGreaterEqual(len(pages), 60)
        self.assertEqual(sorted(listed), sorted([*pages, "docs/adr/index", "docs/notes/index"]))

    def test_kinds(self):
        """The first page has each kind, and how-to pages under theirs."""
        with open(os.path.join(self.source, "index.md"), encoding="utf-8") as file:
            text = file.read()
        parts = re.split(r"^## (.+)$", text, flags=re.M)
        self.assertEqual(parts[1::2], list(make_site.KINDS))
        self.assertIn("(docs/howto/epsilon.md)", parts[4])
        self.assertIn("(docs/options.md)", parts[6])

    def test_options(self):
        page = make_site.MADE["docs/options.md"]
        for verb in REFERENCE["verbs"]:
            self.assertIn(f"\n## {verb['name']}\n", page)
        for solver in REFERENCE["solvers"]:
            self.assertIn(f"\n### {solver['name']}\n", page)
        for option in REFERENCE["options"]:
            if any(option["name"] in verb["options"] for verb in REFERENCE["verbs"]):
                self.assertIn(f"{option['name']}", page)


class Links(unittest.TestCase):
    def faults(self, text, style=""):
        with tempfile.TemporaryDirectory(prefix="sotto-") as site:
            for name, said in (("a.html", text), ("b.html", '<p id="here">'), ("s.css", style)):
                with open(os.path.join(site, name), "w", encoding="utf-8") as file:
                    file.write(said)
            return list(make_site.faults(site))

    def test_what_is_there(self):
        self.assertEqual(self.faults(
            '<p id="x"><a href="b.html#here">b</a><a href="#x">x</a>'
            '<a href="https://example.org/">elsewhere</a><img src="b.html">',
            "@import url(s.css); p { background: url('data:image/svg+xml;') }"), [])

    def test_what_is_not(self):
        for text in ('<a href="c.html">', '<a href="b.html#there">', '<a href="#y">',
                     '<img src="c.png">', '<script src="https://example.org/x.js"></script>',
                     '<link href="//example.org/x.css">'):
            with self.subTest(text):
                self.assertEqual(len(self.faults(text)), 1)
        for style in ("@import url(/javascript/x.css);", "p { background: url('https://x/y') }"):
            self.assertEqual(len(self.faults("", style)), 1, style)


if __name__ == "__main__":
    unittest.main()

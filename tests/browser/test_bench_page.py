#!/usr/bin/env python3
"""The page of 'make bench' as a person sees it: in Chromium, on a desk, on a phone, in the dark.

It is made from made-up results. Every plot must have been drawn, nothing may be wider than the screen
but tables that scroll, and the page asks for nothing but itself.
"""
import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "bench"), os.path.join(ROOT, "tests", "python")]
import bench_sample  # noqa: E402
import browser  # noqa: E402
import speed_report  # noqa: E402
from test_report import SCREENS  # noqa: E402
from test_reproduce_page import DRAWN, WIDE  # noqa: E402


@unittest.skipUnless(browser.PROGRAM, "no chromium")
class BenchPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="sotto-bench-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.path = os.path.join(cls.folder, "bench.html")
        with open(cls.path, "w", encoding="utf-8") as file:
            file.write(speed_report.page(bench_sample.about(), bench_sample.results()))
        cls.browser = browser.Browser().__enter__()
        cls.addClassCleanup(cls.browser.__exit__)

    def show(self, screen):
        width, height, dark = SCREENS[screen]
        self.browser.open(self.path, width, height, dark)
        if os.environ.get("SOTTO_PICTURES"):
            self.browser.picture(os.path.join(os.environ["SOTTO_PICTURES"], f"bench-{screen}.png"))
        return width

    def test_every_plot_is_drawn_and_nothing_overflows(self):
        for screen in SCREENS:
            with self.subTest(screen=screen):
                width = self.show(screen)
                found = self.browser.ask(DRAWN)
                self.assertEqual(len(found), 4)
                for plot in found:
                    self.assertGreater(plot["width"], width / 4)
                    self.assertGreaterEqual(plot["shapes"], 4)
                    self.assertEqual(plot["outside"], [])
                self.browser.ask(
                    "document.querySelectorAll('details').forEach(d => d.open = true)")
                self.assertEqual(self.browser.ask(WIDE), [])

    def test_it_asks_for_nothing(self):
        self.show("desk")
        asked = [e["params"]["request"]["url"] for e in self.browser.events
                 if e.get("method") == "Network.requestWillBeSent"]
        self.assertEqual([u for u in asked if not u.endswith("/bench.html")], [])
        self.assertEqual([e for e in self.browser.events if e.get("method") == "Log.entryAdded"],
                         [])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The page of 'make reproduce' as a person sees it: in Chromium, on a desk, on a phone, in the dark.

It is made from the results that are kept (docs/reproduce.json). Every plot must have been drawn, nothing
may be wider than the screen but tables that scroll, and the page asks for nothing but itself.
"""
import json
import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "bench")]
import browser  # noqa: E402
from experiments.page import write_page  # noqa: E402
from test_report import PLOTS, SCREENS  # noqa: E402

# Wide tables scroll by themselves; nothing else may be wider than the screen.
WIDE = """[...document.querySelectorAll('body *:not(svg *):not(.scroll *)')].filter(e => {
  const r = e.getBoundingClientRect(); return r.right > innerWidth + .5 || r.left < -.5})
  .map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"""
DRAWN = PLOTS.replace("querySelectorAll('svg')", "querySelectorAll('svg[role=img]')")


@unittest.skipUnless(browser.PROGRAM, "no chromium")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="sotto-reproduce-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        with open(os.path.join(ROOT, "docs", "reproduce.json"), encoding="utf-8") as file:
            page = write_page(json.load(file))
        cls.figures = page.count("<figure>")
        cls.path = os.path.join(cls.folder, "reproduce.html")
        with open(cls.path, "w", encoding="utf-8") as file:
            file.write(page)
        cls.browser = browser.Browser().__enter__()
        cls.addClassCleanup(cls.browser.__exit__)

    def show(self, screen):
        width, height, dark = SCREENS[screen]
        self.browser.open(self.path, width, height, dark)
        pictures = os.environ.get("SOTTO_PICTURES")
        if pictures:
            self.browser.picture(os.path.join(pictures, f"reproduce-{screen}.png"))

    def open_all(self):
        self.browser.ask("document.querySelectorAll('details').forEach(d => d.open = true)")

    def test_every_plot_is_drawn_and_nothing_overflows(self):
        self.assertGreater(self.figures, 30)
        for screen, (width, _, _) in SCREENS.items():
            with self.subTest(screen=screen):
                self.show(screen)
                found = self.browser.ask(DRAWN)
                self.assertEqual(len(found), self.figures)
                for plot in found:
                    self.assertGreater(plot["width"], width / 4)
                    self.assertGreater(plot["height"], 60)
                    self.assertGreaterEqual(plot["shapes"], 4)
                    self.assertEqual(plot["outside"], [])
                self.open_all()
                self.assertEqual(self.browser.ask(WIDE), [])
                self.assertLessEqual(self.browser.ask("document.documentElement.scrollWidth"), width)

    def test_every_plot_has_its_numbers(self):
        self.show("phone")
        self.assertEqual(self.browser.ask(
            "[...document.querySelectorAll('figure')].filter(f => "
            "f.querySelectorAll('details td').length < 3).length"), 0)
        self.assertEqual(self.browser.ask(     # words that stand on each other
            """[...document.querySelectorAll('svg[role=img]')].flatMap(s => {
              const t = [...s.querySelectorAll('text')].map(e => [e, e.getBoundingClientRect()]);
              return t.filter(([e, r], i) => t.slice(i + 1).some(([f, q]) => !e.getAttribute('transform')
                && !f.getAttribute('transform') && r.left < q.right - 2 && q.left < r.right - 2
                && r.top < q.bottom - 4 && q.top < r.bottom - 4)).map(([e]) =>
                s.getAttribute('aria-label') + ': ' + e.textContent)})"""), [])

    def test_the_check_notices_what_overflows(self):
        self.show("phone")
        self.browser.ask("document.querySelector('h3').innerHTML = "
                         "'<span style=white-space:nowrap>' + 'wide '.repeat(99) + '</span>'")
        self.assertNotEqual(self.browser.ask(WIDE), [])
        self.browser.ask("document.querySelector('svg[role=img]').innerHTML = "
                         "'<text x=\"9999\">x</text>'")
        plot = self.browser.ask(DRAWN)[0]
        self.assertEqual((plot["shapes"], plot["outside"]), (0, ["x"]))

    def test_nothing_is_loaded(self):
        self.show("desk")
        self.assertEqual(self.browser.ask(
            "document.querySelectorAll('script, img, iframe, link, object, image, use').length"), 0)
        asked = [e["params"]["request"]["url"] for e in self.browser.events
                 if e.get("method") == "Network.requestWillBeSent"]
        self.assertEqual([u for u in asked if not u.endswith("/reproduce.html")], [])
        self.assertEqual([e for e in self.browser.events if e.get("method") == "Log.entryAdded"],
                         [])

    def test_lines_can_be_seen_in_the_dark_and_in_the_light(self):
        """The colour of every line is far from that of the paper."""
        for screen in ("desk", "dark"):
            self.show(screen)
            near = self.browser.ask("""(() => { const n = c => c.match(/\\d+/g).map(Number);
              const paper = n(getComputedStyle(document.body).backgroundColor);
              return [...document.querySelectorAll('svg .line')].filter(e => {
                const c = n(getComputedStyle(e).stroke);
                return c.slice(0, 3).reduce((s, v, i) => s + Math.abs(v - paper[i]), 0) < 150})
                .map(e => e.getAttribute('class'))})()""")
            self.assertEqual(near, [])

    def test_it_prints(self):
        self.show("desk")
        path = os.path.join(os.environ.get("SOTTO_PICTURES") or self.folder, "reproduce.pdf")
        self.browser.print_pages(path)
        with open(path, "rb") as file:
            pages = file.read().count(b"/Type /Page\n")
        self.assertIn(pages, range(5, 60))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The pages of 'sotto report' and of 'sotto ledger export' as a person sees them: in Chromium, on a
desk, on a phone, in the dark.

Every plot must have been drawn, nothing may be wider than the screen, and the page must ask for
nothing but itself. With SOTTO_PICTURES=FOLDER the screenshots stay there, to be looked at.
"""
import json
import os
import shutil
import sys
import tempfile
import unittest
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "cli")]
import browser  # noqa: E402
from common import run, schema  # noqa: E402

SCREENS = {"desk": (1280, 900, False), "phone": (360, 740, False), "dark": (1280, 900, True)}
LONG = "x" * 150
EVIL = "<script>document.title='broken'</script><img src=x onerror=document.title='broken'>"

# What of the page is wider than the screen, apart from the insides of plots.
WIDE = """[...document.querySelectorAll('body *:not(svg *)')].filter(e => {
  const r = e.getBoundingClientRect(); return r.right > innerWidth + .5 || r.left < -.5})
  .map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"""

# Each plot: its size, how many marks have an extent, whether text is outside of its frame.
PLOTS = """[...document.querySelectorAll('svg')].map(s => { const f = s.getBoundingClientRect();
  const shapes = [...s.querySelectorAll('path, rect, circle')].filter(e => {
    const r = e.getBoundingClientRect(); return r.width + r.height > .5});
  const outside = [...s.querySelectorAll('text')].filter(e => {
    const r = e.getBoundingClientRect();
    return r.left < f.left - 1 || r.right > f.right + 1 || r.top < f.top - 1
      || r.bottom > f.bottom + 1}).map(e => e.textContent);
  const seen = shapes.filter(e => { const c = getComputedStyle(e);
    return c.fill != 'none' || c.stroke != 'none'});
  return {width: f.width, height: f.height, shapes: seen.length, outside}})"""


LEDGER = {"dataset": "Patients of the north wards, 2020 to 2026", "id": "0123456789abcdef" * 2,
          "owner": "Department of Medicine", "position": 7, "head": "c0ffee17" * 8,
          "date": "2026-11-17", "mu": .25, "delta0": 0, "draws": 80, "cap": 5, "delta": 1e-6,
          "spent_epsilon": 3.6, "parts": ["2026-q1", "2026-q2"],
          "purpose": "Which patients come back within a month: for planning beds, not for "
                     "decisions about single patients"}


def book(folder, name, new, ledger):
    """The model with this about a ledger in its statement."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        model = json.load(file)
    del model["checksum"]
    model["privacy"]["ledger"] = ledger
    head = (json.dumps(model, ensure_ascii=False)[:-1] + ", ").encode()
    with open(os.path.join(folder, new), "wb") as file:
        file.write(head + b'"checksum": "crc32:%08x"\n}\n' % zlib.crc32(head))


def make(folder):
    """A few models and their pages."""
    rows = ["age,%s,ward,hours,y" % LONG]
    for i in range(600):
        ward = ["a", "b", EVIL][i % 3]
        rows.append('%d,%d,"%s",%d,%d' % (20 + i * 7 % 70, i % 11, ward, i % 24,
                                          i * 7 % 70 > 35 - i % 5))
    with open(os.path.join(folder, "d.csv"), "w", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    with open(os.path.join(folder, "s.json"), "wb") as file:
        file.write(schema({"age": {"type": "number", "bounds": [0, 120]},
                           LONG: {"type": "number", "bounds": [0, 10]},
                           "ward": {"type": "category", "levels": ["a", "b", EVIL]},
                           "hours": {"type": "number", "bounds": [0, 24]},
                           "y": {"type": "target", "classes": ["0", "1"]}}))
    usual = ["--schema", "s.json", "--loss", "logistic", "--l2", "0.001", "--quiet"]
    for name, *args in (("auto",), ("cd", "--solver", "cd", "--adjacency", "replace-one", "--rows",
                                    "600"),
                        ("gcd", "--solver", "gcd"),
                        ("fw", "--solver", "fw", "--radius", "2", "--intercept-radius", "2")):
        usual_here = [a for a in usual if name != "fw" or a not in ("--l2", "0.001")]
        result = run(["train", "d.csv", *usual_here, "--epsilon", "3", "--delta", "1e-6",
                      "-o", name + ".json", *args], cwd=folder)
        assert result.code == 0, result.err
    result = run(["train", "d.csv", *usual, "--epsilon", "inf", "-o", "exact.json"], cwd=folder)
    assert result.code == 0, result.err
    book(folder, "auto.json", "booked.json", LEDGER)
    book(folder, "auto.json", "reminder.json", {key: value for key, value in LEDGER.items() if key
                                                not in ("dataset", "cap", "owner", "parts")})
    assert run(["key", "new", "k"], cwd=folder).code == 0
    result = run(["train", "d.csv", *usual, "--epsilon", "3", "--delta", "1e-6", "--sign", "k",
                  "-o", "signed.json"], cwd=folder)
    assert result.code == 0, result.err
    for i in range(12):
        shutil.copy(os.path.join(folder, "auto.json"),
                    os.path.join(folder, "readmission-model-of-month-%d.json" % (i + 1)))
    many = ["readmission-model-of-month-%d.json" % (i + 1) for i in range(12)]
    result = run(["evaluate", "auto.json", "d.csv", "--epsilon", "3", "--delta", "1e-6", "-o",
                  "evaluation.json", "--quiet"], cwd=folder)
    assert result.code == 0, result.err
    pages = {"one": ["auto.json"], "evaluated": ["auto.json", "evaluation.json"], "bad": ["exact.json"], "twelve": many,
             "booked": ["booked.json"], "reminder": ["reminder.json"], "signed": ["signed.json"],
             "all": ["auto.json", "cd.json", "gcd.json", "fw.json", "exact.json"]}
    for page, models in pages.items():
        result = run(["report", *models, "-o", page + ".html"], cwd=folder)
        assert result.code == 0, result.err
    return {page: sum(2 - (m == "exact.json") for m in models) for page, models in pages.items()}


def make_ledger(folder):
    """A ledger with a cap, with parts, and with names that are long or odd; and its page."""
    cap = ["--ledger", "t.ledger", "--epsilon", "3", "--delta", "1e-6"]
    calls = [["ledger", "create", "--dataset", "patients", "--owner", EVIL, *cap],
             ["ledger", "create", "--dataset", LONG, "--part-column", "ward", "--parts", "a,b",
              *cap]]
    calls += [["train", "d.csv", "--schema", "s.json", "--loss", "logistic", "--epsilon", "1",
               "--delta", "1e-6", "--ledger", "t.ledger", "--dataset", "patients", "--purpose",
               purpose, "-o", "run-%d.json" % i, "--quiet"]
              for i, purpose in enumerate(("readmission", EVIL, LONG))]
    calls.append(["ledger", "export", "--ledger", "t.ledger", "-o", "ledger.html"])
    for call in calls:
        result = run(call, cwd=folder)
        assert result.code == 0, result.err


@unittest.skipUnless(browser.PROGRAM, "no chromium")
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="sotto-report-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.plots = make(cls.folder)
        cls.browser = cls.enterClassContext(browser.Browser()) if hasattr(
            cls, "enterClassContext") else browser.Browser().__enter__()
        if not hasattr(cls, "enterClassContext"):
            cls.addClassCleanup(cls.browser.__exit__)

    def show(self, page, screen):
        width, height, dark = SCREENS[screen]
        self.browser.open(os.path.join(self.folder, page + ".html"), width, height, dark)
        pictures = os.environ.get("SOTTO_PICTURES")
        if pictures:
            self.browser.picture(os.path.join(pictures, "%s-%s.png" % (page, screen)))

    def test_every_plot_is_drawn_and_nothing_overflows(self):
        for page, plots in self.plots.items():
            for screen, (width, _, _) in SCREENS.items():
                with self.subTest(page=page, screen=screen):
                    self.show(page, screen)
                    found = self.browser.ask(PLOTS)
                    self.assertEqual(len(found), plots)
                    for plot in found:
                        self.assertGreater(plot["width"], width / 4)
                        self.assertGreater(plot["height"], 20)
                        self.assertGreaterEqual(plot["shapes"], 2)
                        self.assertEqual(plot["outside"], [])
                    self.assertEqual(self.browser.ask(WIDE), [])
                    self.assertLessEqual(
                        self.browser.ask("document.documentElement.scrollWidth"), width)

    def test_the_check_notices_what_overflows(self):
        self.show("one", "phone")
        self.browser.ask("document.querySelector('td').style.whiteSpace = 'nowrap';"
                         "document.querySelector('td').textContent = 'wide'.repeat(99)")
        self.assertNotEqual(self.browser.ask(WIDE), [])
        self.browser.ask("document.querySelector('svg').innerHTML = '<text x=\"9999\">x</text>'")
        plot = self.browser.ask(PLOTS)[0]
        self.assertEqual((plot["shapes"], plot["outside"]), (0, ["x"]))

    def test_names_are_text_and_nothing_is_loaded(self):
        self.show("all", "desk")
        self.assertEqual(self.browser.ask("document.title"), "Models and privacy")
        self.assertEqual(self.browser.ask(
            "document.querySelectorAll('script, img, iframe, link, object, image, use').length"), 0)
        self.assertGreater(self.browser.ask(
            "[...document.querySelectorAll('td')].filter(e => e.textContent.includes("
            "'</script>')).length"), 0)
        asked = [e["params"]["request"]["url"] for e in self.browser.events
                 if e.get("method") == "Network.requestWillBeSent"]
        self.assertEqual([url for url in asked if not url.endswith("/all.html")], [])
        self.assertEqual([e for e in self.browser.events if e.get("method") == "Log.entryAdded"],
                         [])

    def test_a_ledger(self):
        make_ledger(self.folder)
        for screen, (width, _, _) in SCREENS.items():
            with self.subTest(screen=screen):
                self.show("ledger", screen)
                bars = self.browser.ask(PLOTS)
                self.assertEqual([bar["shapes"] for bar in bars], [2, 1, 1])  # spent, and room
                for bar in bars:
                    self.assertGreater(bar["width"], width / 4)
                    self.assertGreater(bar["height"], 10)
                self.assertEqual(self.browser.ask(WIDE), [])
                self.assertLessEqual(
                    self.browser.ask("document.documentElement.scrollWidth"), width)
                self.assertEqual(self.browser.ask("document.title"), "A privacy ledger")
                self.assertEqual(self.browser.ask(
                    "document.querySelectorAll('script, img, iframe, link').length"), 0)

    def test_dark_is_dark_and_light_is_light(self):
        paper = {}
        for screen in ("desk", "dark"):
            self.show("one", screen)
            paper[screen] = [int(x) for x in self.browser.ask(
                "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).join()").split(",")]
        self.assertGreater(min(paper["desk"]), 200)
        self.assertLess(max(paper["dark"]), 60)

    def test_it_prints(self):
        self.show("one", "desk")
        path = os.path.join(os.environ.get("SOTTO_PICTURES") or self.folder, "one.pdf")
        self.browser.print_pages(path)
        with open(path, "rb") as file:
            pages = file.read().count(b"/Type /Page\n")
        self.assertIn(pages, range(2, 9))


if __name__ == "__main__":
    unittest.main()

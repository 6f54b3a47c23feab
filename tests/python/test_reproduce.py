#!/usr/bin/python3
"""bench/reproduce.py on small tables: it goes on where it was killed, and says what it does.

What it writes is the same whether it was interrupted or not, no entry is computed twice, a set that is
missing is named with its source, and the page has the numbers of the JSON.
"""
import html.parser
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("SOTTO_BUILD") or os.path.join(ROOT, "build")
SCRIPT = os.path.join(ROOT, "bench", "reproduce.py")
sys.path.insert(0, os.path.join(ROOT, "tools"))


class Tables(html.parser.HTMLParser):
    """The text of every table that has a name, as rows of cells."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.rows, self.cell = {}, None, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.rows = self.tables[dict(attributes).get("id", "")] = []
        elif tag == "tr" and self.rows is not None:
            self.rows.append([])
        elif tag in ("td", "th") and self.rows is not None:
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.cell is not None:
            self.rows[-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def value(text):
    return float(text.replace("–", "nan"))


class Reproduce(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(made.cleanup)
        cls.folder = made.name
        os.mkdir(os.path.join(cls.folder, "empty"))
        cls.said = cls.run_whole("whole")
        cls.told = cls.read("whole")
        with open(os.path.join(cls.folder, "whole", "report.html"), encoding="utf-8") as file:
            cls.page = file.read()

    @classmethod
    def words(cls, out):
        return [sys.executable, SCRIPT, "--tiny", "--build", BUILD, "--data",
                os.path.join(cls.folder, "empty"), "--only", "square,log1,cal_std", "--solvers",
                "cd-paper,cd,gd,auto", "--threads", "2", "--out", os.path.join(cls.folder, out)]

    @classmethod
    def run_whole(cls, out):
        done = subprocess.run(cls.words(out), capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stderr

    @classmethod
    def read(cls, out):
        with open(os.path.join(cls.folder, out, "results.json"), encoding="utf-8") as file:
            return json.load(file)

    def log(self, out):
        path = os.path.join(self.folder, out, "cells.jsonl")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return file.read().split("\n")[1:-1]

    def without_seconds(self, told):
        return [[e["problem"], e["solver"], e.get("passes"), e["settings"],
                 {k: v for k, v in e["result"].items() if not k.startswith("seconds")}]
                for e in told["entries"]]

    def test_what_is_in_the_json(self):
        self.assertEqual(sorted(self.told["problems"]), ["log1", "square"])
        self.assertEqual({e["solver"] for e in self.told["entries"]},
                         {"cd-paper", "cd", "gd", "auto"})
        for e in self.told["entries"]:
            r = e["result"]
            self.assertEqual(r["runs"], 2, e)
            self.assertLessEqual(r["min"], r["mean"])
            self.assertLessEqual(r["mean"], r["max"])
            self.assertGreaterEqual(r["min"], -1e-9)
            self.assertEqual("proven" in r, e["solver"] == "cd-paper", e)
            self.assertEqual(e["adjacency"], "replace-one")
        passes = {e.get("passes") for e in self.told["entries"] if e["group"] == "passes" and
                  e["solver"] == "gd"}
        self.assertGreater(len(passes), 3)

    def test_more_budget_helps(self):
        """Whole runs are compared, so that the numbers are no constants: DP-GD on square."""
        by = {e["epsilon"]: e["result"]["mean"] for e in self.told["entries"]
              if e["group"] == "epsilon" and e["solver"] == "gd" and e["problem"] == "square"}
        self.assertLess(by[10], by[.1] / 2)

    def test_a_missing_set_is_named_with_its_source(self):
        (line,) = self.told["missing"]
        for words in ("cal_std is left out", "california.csv", "fetch_california_housing"):
            self.assertIn(words, line)
            self.assertIn(words, self.said)
            self.assertIn(words, self.page)

    def test_it_goes_on_where_it_was_killed(self):
        process = subprocess.Popen(self.words("killed"), stderr=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL)
        while len(self.log("killed")) < 30 and process.poll() is None:
            time.sleep(.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = self.log("killed")
        self.assertGreaterEqual(len(before), 30)
        self.assertLess(len(before), len(self.log("whole")))
        with open(os.path.join(self.folder, "killed", "cells.jsonl"), "a",
                  encoding="utf-8") as file:
            file.write(json.loads(before[0])["id"][:20])       # a line that was cut off
        self.run_whole("killed")
        after = self.log("killed")
        self.assertEqual(after[:len(before)], before)
        identities = [json.loads(line)["id"] for line in after]
        self.assertEqual(len(identities), len(set(identities)))
        self.assertEqual(sorted(identities), sorted(json.loads(x)["id"] for x in self.log("whole")))
        self.assertEqual(self.without_seconds(self.read("killed")), self.without_seconds(self.told))

    def test_results_of_another_build_are_not_used(self):
        path = os.path.join(self.folder, "other", "cells.jsonl")
        os.makedirs(os.path.dirname(path))
        lines = self.log("whole")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"stamp": {"program": "x", "data": "y"}}\n' + "\n".join(lines) + "\n")
        self.assertIn("begun anew", self.run_whole("other"))
        self.assertEqual(self.without_seconds(self.read("other")), self.without_seconds(self.told))

    def test_the_page_has_the_numbers_of_the_json(self):
        tables = Tables(self.page).tables
        least = {}
        for e in self.told["entries"]:
            if e["group"] == "passes":
                key = e["solver"], e["problem"]
                least[key] = min(least.get(key, 1e9), e["result"]["mean"])
        names = {"DP-CD, paper's noise": "cd-paper", "DP-CD": "cd", "DP-GD": "gd",
                 "auto, untuned": "auto"}
        head, *rows = tables["matrix"]
        self.assertEqual(head[2:], ["square", "log1"])
        self.assertEqual({r[0] for r in rows}, set(names) | {"all weights 0"})
        for row in rows:
            for problem, text in zip(head[2:], row[2:]):
                wanted = (self.told["problems"][problem]["zero"] if row[0] == "all weights 0" else
                          least[names[row[0]], problem])
                self.assertAlmostEqual(value(text) / wanted, 1, delta=.006)
        self.check_passes(tables)
        self.check_targets(tables, least)

    def check_passes(self, tables):
        """The table beneath a plot has every entry, with all that was asked for."""
        for problem in ("square", "log1"):
            rows = tables["passes-" + problem][1:]
            wanted = [e for e in self.told["entries"] if e["group"] == "passes" and
                      e["problem"] == problem and e["solver"] != "gd"]
            self.assertEqual(len(rows), len(wanted))
            mine = sorted(r["result"]["mean"] for r in wanted)
            for shown, mean in zip(sorted(value(r[2]) for r in rows), mine):
                self.assertAlmostEqual(shown / mean, 1, delta=.006)
            for row in rows:
                self.assertEqual(row[6:8], ["2", "replace-one"])

    def check_targets(self, tables, least):
        rows = {r[0]: r for r in tables["targets"][1:]}
        self.assertEqual(set(rows), {"square", "log1"})
        for problem, row in rows.items():
            best = min(least["cd", problem], least["gd", problem])
            self.assertAlmostEqual(value(row[3].split(" ±")[0]) / best, 1, delta=.006)
            self.assertEqual(row[5], "met" if best <= value(row[2]) else "missed")

    def test_every_plot_has_its_numbers(self):
        figures = self.page.split("<figure>")[1:]
        self.assertGreater(len(figures), 8)
        for figure in figures:
            inside = figure.split("</figure>")[0]
            self.assertEqual(inside.count('role="img"'), 1)
            self.assertEqual(inside.count("<details>"), 1)
            self.assertIn("<table", inside)
        self.assertNotIn("<script", self.page)
        self.assertNotIn("http://", self.page)
        self.assertNotIn("https://", self.page)


class Numbers(unittest.TestCase):
    """What the documents say is what one run has found."""

    def test_documents(self):
        kept = os.path.join(ROOT, "docs", "reproduce.json")
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "fill_numbers.py"), "--check",
                               kept], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLess(os.path.getsize(kept), 250000)

    def test_a_number_that_was_typed_is_noticed(self):
        import fill_numbers as tool
        text = "a\n<!-- numbers: reached -->\n1\n<!-- end of numbers -->\nb\n"
        filled = tool.filled(text, {"reached": "2"})
        self.assertEqual(filled, text.replace("\n1\n", "\n2\n"))
        self.assertEqual(tool.filled(filled, {"reached": "2"}), filled)
        with self.assertRaises(SystemExit):
            tool.filled(text, {})


if __name__ == "__main__":
    unittest.main()

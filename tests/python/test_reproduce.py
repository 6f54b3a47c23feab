#!/usr/bin/python3
"""bench/reproduce.py on small tables: it goes on where it was killed, and says what it does.

What it writes is the same whether it was interrupted or not, no entry is computed twice, a set that is
missing is named with its source, and the page has the numbers of the JSON.
"""
import html.parser
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("SOTTO_BUILD") or os.path.join(ROOT, "build")
SCRIPT = os.path.join(ROOT, "bench", "reproduce.py")
sys.path[:0] = [os.path.join(ROOT, "tools"), os.path.join(ROOT, "bench")]


class Tables(html.parser.HTMLParser):
    """The text of every table that has a name, as rows of cells."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.rows, self.cell = {}, None, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.rows = self.tables[dict(attributes)["id"]] = []
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
        with open(os.path.join(cls.folder, "whole", "report.html"), encoding="utf-8") as file:
            cls.before = file.read()
        cls.run_families("whole")
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
    def run_families(cls, out):
        done = subprocess.run(cls.words(out) + ["--families"], capture_output=True, text=True,
                              check=False)
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
            self.assertGreaterEqual(r["tried"], 1 if e["solver"] == "auto" else 15, e)
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
        self.assertEqual(head[1:], ["square", "log1"])
        self.assertEqual({r[0] for r in rows}, set(names) | {"all weights 0"})
        for row in rows:
            for problem, text in zip(head[1:], row[1:]):
                wanted = (self.told["problems"][problem]["zero"] if row[0] == "all weights 0" else
                          least[names[row[0]], problem])
                self.assertAlmostEqual(value(text) / wanted, 1, delta=.006)
        self.check_passes(tables)
        self.check_targets(tables, least)

    def test_what_each_row_knows_and_tried(self):
        """A column of the page; a row's count is that of its passes together."""
        head, *rows = Tables(self.page).tables["knows"]
        self.assertEqual(head[:4], ["solver", "knows for free", "adjacency", "settings tried"])
        knows = {r[0]: r for r in rows}
        self.assertEqual(knows["auto, untuned"][1],
                         "n, bounds: the next power of two above the largest value")
        self.assertEqual(knows["auto, untuned"][3], "1")
        self.assertEqual(knows["DP-CD"][1], "n, Mj")
        for label, key in (("DP-CD", "cd"), ("DP-GD", "gd")):
            counts = [sum(e["result"]["tried"] for e in self.told["entries"] if e["solver"] == key and
                          e["problem"] == p and e["group"] == "passes") for p in ("square", "log1")]
            self.assertEqual({float(w) for w in knows[label][3].split(" to ")}, set(map(float, counts)))
        self.assertIn("next power of two above the largest value", self.page)

    def test_every_figure_and_table_of_the_papers(self):
        head, *rows = Tables(self.page).tables["coverage"]
        self.assertEqual(head, ["paper", "item", "what it shows", "status", "why"])
        self.assertEqual([sum(r[0] == p for r in rows) for p in (
            "DP-CD", "DP-GCD", "DP-SCD", "Block-coordinate Frank-Wolfe")], [6, 8, 5, 2])
        for row in rows:
            self.assertTrue(set(row[3].split("/")) <= {"reproduced", "reproduced in part", "better", "worse",
                                                       "not done"}, row)
            self.assertTrue(row[4], row)

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
            self.assertAlmostEqual(value(row[1].split(" ±")[0]) / best, 1, delta=.006)
            self.assertEqual(row[3], "met" if best <= value(row[2]) else "missed")

    def test_the_bounds_on_the_page(self):
        """log1's constants from its table, by other formulas; the bound of the DP-CD paper's (67)."""
        bounds = {b["theorem"]: b for b in self.told["bounds"]}
        self.assertEqual({b["problem"] for b in self.told["bounds"]}, {"log1"})
        self.assertEqual(len(bounds), 4)
        told = self.told["problems"]["log1"]
        both = np.load(os.path.join(self.folder, "whole", "data", "log1.npy"))
        n, p = both.shape[0], both.shape[1] - 1
        squares, largest = (both[:, :p]**2).sum(0) / (4 * n), np.maximum(both.max(0), -both.min(0))[:p]
        convex = bounds["Theorem 3.3, convex"]
        weighted = math.sqrt(sum(a * a / b for a, b in zip(largest, squares)))
        self.assertAlmostEqual(convex["constants"]["L"] / weighted, 1, 3)
        gap = told["zero"] * told["best"]
        self.assertGreaterEqual(convex["constants"]["R"] * 1.001, math.sqrt(gap))
        k, radius = convex["steps"], convex["constants"]["R"]
        at = 1.5 * p * radius**2 / k + 12 * weighted**2 * k * -math.log(told["delta"]) / n**2
        self.assertAlmostEqual(convex["error"] * told["best"] / at, 1, 2)
        strong = bounds["Theorem 4.4, strongly convex"]["constants"]
        self.assertAlmostEqual(strong["M"] / (squares.min() + told["l2"]), 1, 3)
        self.assertAlmostEqual(strong["gap"] / gap, 1, 3)
        self.assertAlmostEqual(strong["mu1"] / (told["l2"] / (squares.sum() + p * told["l2"])), 1, 3)
        rows = Tables(self.page).tables["bounds"][1:]
        for row, b in zip(rows, self.told["bounds"], strict=True):
            self.assertGreaterEqual(value(row[2]), b["error"])
            self.assertLess(value(row[2]), b["error"] * 1.011)
            self.assertEqual(row[3], str(b["steps"]))
        self.assertIn('href="#bounds"', self.page)

    def test_the_families_on_the_page(self):
        """Every knob of the run has a plot, and a table with the numbers of the JSON."""
        tables, points = Tables(self.page).tables, self.told["families"]["points"]
        self.assertEqual({p["knob"] for p in points}, {"tail-squared", "rate", "loose-half"})
        self.assertEqual(len(points), 9)
        self.assertIn('href="#families"', self.page)
        self.assertNotIn("families", self.before)         # some problems alone
        for knob in ("tail-squared", "rate", "loose-half"):
            shown = [r for r in tables["knob-" + knob][1:] if r[1] == "auto"]
            wanted = [p["errors"]["auto"] for p in points if p["knob"] == knob]
            self.assertEqual(len(shown), 3)
            for row, errors in zip(shown, wanted):
                for text, (mean, _) in zip(row[2:], errors):
                    self.assertAlmostEqual(value(text.split(" ±")[0]) / mean, 1, delta=.006)
        solvers = {p["value"]: sorted(p["errors"]) for p in points if p["knob"] == "loose-half"}
        self.assertEqual(solvers[0], ["auto", "auto-public"])           # the others need bounds
        self.assertEqual(solvers[100], ["auto", "auto-public", "gd", "ssp"])

    def test_the_families_go_on(self):
        """Points that are there are not computed again; those of another build are."""
        path = os.path.join(self.folder, "whole", "families.json")
        out = os.path.join(self.folder, "families")
        os.mkdir(out)
        shutil.copy(os.path.join(self.folder, "whole", "results.json"), out)
        with open(path, encoding="ascii") as file:
            whole = json.load(file)
        for program in (whole["stamp"]["program"], "another"):
            there = json.loads(json.dumps(whole))
            there["stamp"]["program"] = program
            there["points"] = there["points"][:8]
            there["points"][0]["constant"] = 1234.
            with open(os.path.join(out, "families.json"), "w", encoding="ascii") as file:
                json.dump(there, file)
            same = program != "another"
            self.assertEqual("begun anew" in self.run_families("families"), not same)
            found = {(p["knob"], p["value"]): p for p in self.read("families")["families"]["points"]}
            for i, p in enumerate(whole["points"]):
                mine = p | ({"constant": 1234.} if same and i == 0 else {})
                self.assertEqual(found[p["knob"], p["value"]], mine)

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


def mixed(x):
    """The seed of a run, as bench/reproduce/cell.c makes it."""
    whole = (1 << 64) - 1
    x = (x + 0x9e3779b97f4a7c15) & whole
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & whole
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & whole
    return x ^ (x >> 31)


class Grids(unittest.TestCase):
    """The same grid for every row, and what is said of printed numbers."""

    def test_one_grid(self):
        from experiments.data import Problem
        from experiments.solvers import NAMED, SOLVERS, STEPS_GREEDY
        p = Problem("square", "", "squared", .1, 0., 1000, 100, "",
                    clip={k: 2. for k in ("cd", "gcd", "gd", "plain", "coordinate", "row", "scd", "bounds")},
                    beta={"plain": 3., "scaled": 5.})
        self.assertIn(p.name, NAMED)
        for s in SOLVERS:
            for quick in (False, True):
                axes = s.axes(p, quick)
                with self.subTest(solver=s.key, quick=quick):
                    if "clip" in axes and s.key != "output":
                        self.assertEqual(len(axes["clip"].values), 13)
                        self.assertEqual(axes["clip"].coarse, list(range(0, 13, 3 if quick else 2)))
                    if "step-size" in axes:
                        self.assertEqual(set(axes), {"clip", "step-size"})
                        self.assertEqual(len(axes["step-size"].values), 10)
                        self.assertEqual(len(axes["step-size"].coarse), 3 if quick else 5)
        for s in SOLVERS:
            if s.words["solver"] == "gcd":
                self.assertEqual(s.passes(p, False), STEPS_GREEDY)
            self.assertTrue(s.free, s.key)

    def test_no_setting_competes_that_the_grid_does_not_have(self):
        """Driven with made-up errors, a study runs settings of its axes alone, and counts them."""
        from experiments.tuning import QUICK, Axis, Study, tune
        study = Study("p", "s", "p", "f", {}, {"clip": Axis.of(1, 2, 3, 4, 5, coarse=[0, 4]),
                                               "step-size": Axis.of(.1, 1, 10, coarse=[1])}, "passes")
        steps, asked = tune(study, QUICK), set()
        try:
            cells = next(steps)
            while True:
                asked |= {tuple(sorted(c.settings.items())) for c in cells}
                cells = steps.send([{"mean": abs(c.settings["clip"] - 2.2) + c.settings["step-size"]}
                                    for c in cells])
        except StopIteration as end:
            settings, result = end.value
        self.assertEqual(settings, {"clip": 2, "step-size": .1})
        self.assertEqual(result["tried"], len(asked))
        for found in asked:
            found = dict(found)
            self.assertIn(found["clip"], (1, 2, 3, 4, 5))
            self.assertIn(found["step-size"], (.1, 1, 10))

    def test_against_printed_numbers(self):
        from experiments.coverage import against
        self.assertEqual(against([])[0], "not done")
        self.assertEqual(against([(1.1, 1), (.9, 1)])[0], "reproduced")
        self.assertEqual(against([(.5, 1)])[0], "better")
        self.assertEqual(against([(1., 1), (2, 1), (.5, 1)])[0], "reproduced/better/worse")

    def test_prices_are_rounded_up(self):
        from experiments.html import upward
        from experiments.views import proven
        self.assertEqual([upward(x) for x in (1.77, 1.771, 26.31, 999.1, .3891, 5.)],
                         [1.77, 1.78, 26.4, 1000, .39, 5])
        for value, told in ((26.891, "ε 26.9"), (1e300, "nothing")):
            self.assertEqual(proven({"solver": "gcd-literal-gs-r", "epsilon": 1,
                                     "result": {"proven": value}}), told)
        self.assertEqual(proven({"solver": "sgd-single", "epsilon": 1, "result": {}}), "not covered")
        self.assertEqual(proven({"solver": "gd", "epsilon": 1, "result": {}}), "ε 1")

    def entries(self, **means):
        made = []
        for solver, mean in means.items():
            solver = solver.replace("_", "-")
            made += [{"problem": "elec_imb", "solver": solver, "group": "passes", "epsilon": 1., "passes": 2,
                      "adjacency": "replace-one", "settings": {},
                      "result": {"mean": mean, "std": mean / 100, "min": mean, "max": mean, "runs": 25,
                                 "seconds": .1}}]
        return made

    def test_large_batches_that_change_the_order_are_said(self):
        from experiments.dpcd import order
        from experiments.views import Results

        def said(**means):
            return order(Results({"problems": {"elec_imb": {}}, "effort": {"final": 25},
                                  "entries": self.entries(**means)}))
        self.assertIn("large batches change the order", said(cd_paper=.1, sgd_single=.2, sgd_paper=.05))
        self.assertIn("DP-CD is ahead of DP-SGD", said(cd_paper=.1, sgd_single=.2, sgd_paper=.3))
        self.assertIn("not as in the paper", said(cd_paper=.1, sgd_single=.05, sgd_paper=.3))

        def covered(**means):
            from experiments.coverage import orders
            results = Results({"problems": {"elec_imb": {}}, "effort": {"final": 25},
                               "entries": self.entries(**means)})
            return orders(results, ["elec_imb"], "cd-paper", ["sgd-single"])
        self.assertIn("large batches changes it on", covered(cd_paper=.1, sgd_single=.2, sgd_paper=.05)[1])
        self.assertEqual(covered(cd_paper=.1, sgd_single=.2, sgd_paper=.3)[0], "reproduced")
        self.assertEqual(covered(cd_paper=.1, sgd_single=.05)[0], "reproduced in part")


class Cells(unittest.TestCase):
    """A cell is what `sotto train` does with the same options and seed, also where a plan is shared."""

    usual = {"target": 4, "loss": "logistic", "l2": .1, "intercept": "no", "epsilon": 1,
             "delta": 1e-5, "adjacency": "replace-one", "threads": 1}
    ways = [{"solver": "cd", "smoothness": "m", "steps": 12, "clip": 1},
            {"solver": "cd", "smoothness": "m", "steps": 12, "clip": .3, "step-size": .5},
            {"solver": "cd", "smoothness": "m", "steps": 24, "clip": 1},
            {"solver": "gcd", "smoothness": "m", "steps": 3, "clip": 1},
            {"solver": "gd", "smoothness": "m", "steps": 5, "clip": 2},
            {"solver": "sgd", "smoothness": "m", "steps": 9, "batch-rate": .1, "clip": 2},
            {"solver": "scd", "steps": 9, "batch-rate": .1, "norm-bound": 2, "rows": 300},
            {"solver": "scd", "steps": 9, "batch-rate": .1, "norm-bound": 2, "rows": 300,
             "clip": .1},
            {"solver": "cd", "schema": "s", "smoothness": "private:0.2", "steps": 6},
            {"solver": "auto", "schema": "s", "penalty-units": "file"},
            {"solver": "output", "norm-bound": 2}, {"solver": "output", "norm-bound": 1}]

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name
        random = np.random.RandomState(3)
        self.x = random.randn(300, 3)
        self.y = np.sign(self.x @ [2, -1, 0] + random.randn(300))
        np.save(os.path.join(self.folder, "d.npy"), np.column_stack([self.x, self.y]))
        with open(os.path.join(self.folder, "m"), "w", encoding="ascii") as file:
            file.write(".25\n.25\n.25\n")
        columns = {str(j): {"type": "number", "bounds": [-4, 4]} for j in (1, 2, 3)}
        with open(os.path.join(self.folder, "s"), "w", encoding="ascii") as file:
            json.dump({"sotto_schema": 1, "columns": {**columns, "4": {"type": "target"}}}, file)

    def objective(self, model):
        w = np.array(model["weights"], dtype=float)
        m = self.x @ w + model["intercept"]
        return np.logaddexp(0, -self.y * m).mean() + .05 * (w @ w)

    def trained(self, way, seed):
        words = []
        for key, value in {**self.usual, **way}.items():
            words += ["--no-intercept"] if key == "intercept" else ["--" + key, str(value)]
        subprocess.run([os.path.join(BUILD, "sotto"), "train", "d.npy", *words, "--insecure-seed",
                        str(seed), "--quiet", "-o", "m.json"], cwd=self.folder, check=True)
        with open(os.path.join(self.folder, "m.json"), encoding="utf-8") as file:
            return self.objective(json.load(file))

    def answers(self, lines):
        done = subprocess.run([os.path.join(BUILD, "bench", "bench_reproduce"), "2"], text=True,
                              input="".join("\t".join(map(str, line)) + "\n" for line in lines),
                              capture_output=True, check=True, cwd=self.folder)
        got = [json.loads(line) for line in done.stdout.splitlines()]
        return {g.get("id") or g["problem"]: g for g in got}

    def test_same_as_train(self):
        # one that the command line takes
        start = next(s for s in range(10**6) if mixed(s) < 1 << 53)
        problem = [f"{k}={v}" for k, v in {**self.usual, "epsilon": "inf"}.items()]
        lines = [["problem", "p", "d.npy", "", *problem]]
        for i, way in enumerate(self.ways):
            words = [f"{k}={v}" for k, v in {**self.usual, **way}.items()]
            lines.append(["cell", "p", f"c{i}", "d.npy", 1, start, *words])
        answers = self.answers(lines)
        best = answers["p"]["best"]
        for i, way in enumerate(self.ways):
            with self.subTest(way=way):
                self.assertNotIn("failed", answers[f"c{i}"])
                wanted = self.trained(way, mixed(start)) / best - 1
                self.assertAlmostEqual(answers[f"c{i}"]["error"][0], wanted, delta=1e-6)

    def test_what_is_refused_is_said(self):
        problem = [f"{k}={v}" for k, v in {**self.usual, "epsilon": "inf"}.items()]
        answers = self.answers([
            ["problem", "p", "d.npy", "", *problem], ["problem", "q", "none.npy", "", *problem],
            ["cell", "p", "a", "d.npy", 2, 1, "solver=cd", "steps=many"],
            ["cell", "p", "b", "d.npy", 2, 1, *(f"{k}={v}" for k, v in self.usual.items()),
             "solver=fw"],
            ["cell", "x", "c", "d.npy", 2, 1], ["cell", "p", "d", "d.npy", 0, 1]])
        for name in ("q", "a", "b", "c", "d"):
            self.assertIn("failed", answers[name], name)


class Numbers(unittest.TestCase):
    """What the documents say is what one run has found."""

    def test_documents(self):
        kept = os.path.join(ROOT, "docs", "reproduce.json")
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "fill_numbers.py"), "--check",
                               kept], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLess(os.path.getsize(kept), 240000)

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

#!/usr/bin/python3
"""Solvers whose number of steps is a rule of the number of rows: where --rows is not given they ask for it."""

import json
import math
import os
import random
import unittest

from common import OK, USAGE, Case, schema

COLUMNS = 12
BUDGET = ("--loss", "squared", "--epsilon", "2", "--delta", "1e-6", "--schema", "s.json")
FW = ("--solver", "fw", "--radius", "3", "--intercept-radius", "1")
BCFW = ("--solver", "bcfw", "--radius", "1", "--intercept-radius", "1", "--blocks", "4", "--sampling",
        "serial")
GCD = ("--solver", "gcd")
# what a step asks, and how many steps one of the rule is
SOLVERS = {FW: ("vertex", 2, 1), BCFW: ("vertex", 2, 4), GCD: ("choice", 1, 1)}
ENOUGH = 6000  # rows, for which the rule is at its 100 steps whatever the noise is


def rows(count, seed=1):
    draw = random.Random(seed)
    for _ in range(count):
        x = [round(draw.uniform(-1, 1), 3) for _ in range(COLUMNS)]
        yield x + [round(1.5 * x[0] - x[4] + .5 * x[7] + .2 + draw.gauss(0, .1), 3)]


class Steps(Case):
    def setUp(self):
        super().setUp()
        names = [f"x{j}" for j in range(COLUMNS)]
        self.write("s.json", schema({
            **{name: {"type": "number", "bounds": [-1, 1]} for name in names},
            "t": {"type": "target", "bounds": [-4, 4]}}))

    def data(self, count):
        names = [f"x{j}" for j in range(COLUMNS)] + ["t"]
        self.write("d.csv", ",".join(names) + "\n" +
                   "".join(",".join(map(str, row)) + "\n" for row in rows(count)))

    def statement(self, *args):
        result = self.sotto("train", "d.csv", *BUDGET, "-o", "m.json", *args)
        self.assertEqual(result.code, OK, result.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)["privacy"]

    def plan(self, *args):
        result = self.sotto("plan", *BUDGET, *args)
        self.assertEqual(result.code, OK, result.err)
        return json.loads(result.out)

    def test_as_many_as_the_answer_is_worth(self):
        """100 steps for thousands of rows, few for few; never 10 whatever there is."""
        self.data(ENOUGH)
        for solver, (question, each, times) in SOLVERS.items():
            chosen = self.statement(*solver)["chosen_from_answers"]
            self.assertEqual((chosen[0]["question"], chosen[0]["times"]),
                             (question, 100 * each * times))
        # 40 rows are worth less than a step; their number is known to about 30
        self.data(40)
        for solver, (question, each, times) in SOLVERS.items():
            chosen = self.statement(*solver)["chosen_from_answers"]
            self.assertLessEqual(chosen[0]["times"], 6 * each * times)

    def test_the_plan_is_what_is_done(self):
        """But for what is chosen from answers, which a plan cannot know, and says so."""
        self.data(500)
        for solver in SOLVERS:
            plan, done = self.plan(*solver), self.statement(*solver)
            del done["chosen_from_answers"]
            self.assertEqual({**plan, "ledger": "untracked"}, done)
            self.assertEqual([q["question"] for q in plan["questions"]],
                             ["total", "chosen from answers"])
            self.assertEqual(plan["rows"], "estimated privately")

    def test_the_count_is_paid(self):
        """The listed events cost what the statement says, the count's among them, and what was chosen
        no more than was set aside."""
        self.data(1000)
        for solver in SOLVERS:
            done = self.statement(*solver)
            total, later = done["questions"]
            priced = self.sotto("account", "--event", f"GAUSS({total['mu']!r})+GAUSS({later['mu']!r})",
                                "--adjacency", "add-remove", "--delta", "1e-6", "--in-order", "--json")
            self.assertEqual(priced.code, OK, priced.err)
            self.assertAlmostEqual(json.loads(priced.out)["epsilon"], done["epsilon"], 4)
            self.assertTrue(1.99 < done["epsilon"] <= 2)
            # a hundredth is the count's
            self.assertAlmostEqual(total["mu"]**2 / later["mu"]**2, .01 / .99, 6)
            self.assertEqual({q["event"] for q in done["chosen_from_answers"]}, {"GAUSS"})
            spent = sum(q["times"] * q["mu"]**2 for q in done["chosen_from_answers"])
            self.assertLessEqual(spent, later["mu"]**2)
            self.assertGreater(spent, later["mu"]**2 * (1 - 1e-6))

    def test_it_is_written_down(self):
        """.spent has the question before it is asked, and a page tells of it."""
        self.data(500)
        for solver in SOLVERS:
            said = self.spent("train", "d.csv", *BUDGET, "-o", "m.json", *solver)
            self.assertEqual(said["shown"].count("GAUSS"), 2)
            self.statement(*solver)
            page = self.sotto("report", "m.json", "-o", "p.html")
            self.assertEqual(page.code, OK, page.err)
            with open(self.path("p.html"), encoding="utf-8") as file:
                text = file.read()
            self.assertIn("how many rows there are", text)

    def test_explained(self):
        for solver in SOLVERS:
            said = self.sotto("plan", "--explain", *BUDGET, *solver)
            self.assertEqual(said.code, OK, said.err)
            self.assertIn(b"n epsilon / (35 ln p)", said.out)
            self.assertIn(b"  total ", said.out)
            self.assertIn(b"  chosen from answers ", said.out)

    def test_given_steps_or_rows_ask_nothing_more(self):
        self.data(500)
        for solver in SOLVERS:
            for given in (("--steps", "7"), ("--rows", "500")):
                done = self.statement(*solver, *given)
                self.assertNotIn("chosen_from_answers", done)
                self.assertNotIn("chosen from answers", [q["question"] for q in done["questions"]])

    def test_a_public_number_that_is_not_known(self):
        """Where neighbours have as many rows their number is public, but a plan does not know it: it
        says so rather than plan for one row."""
        self.data(500)
        for solver, (question, each, times) in SOLVERS.items():
            refused = self.sotto("plan", *BUDGET, *solver, "--adjacency", "replace-one")
            self.assertEqual((refused.code, refused.err.count(b"\n")), (USAGE, 1))
            self.assertIn(b"--rows N", refused.err)
            plan = self.plan(*solver, "--adjacency", "replace-one", "--rows", "500")
            usual = rint(500 * 2 / (35 * math.log(COLUMNS + 2)))
            self.assertEqual(plan["questions"][0]["times"], usual * each * times)

    def test_the_paper_asks_for_rows(self):
        self.data(100)
        refused = self.sotto("train", "d.csv", *BUDGET, "-o", "m.json", *GCD, "--calibration", "paper")
        self.assertEqual((refused.code, refused.err.count(b"\n")), (USAGE, 1))
        self.assertIn(b"--rows N", refused.err)

    def test_too_small_a_budget_is_said_first(self):
        """Before anything is asked: nothing is left behind."""
        self.data(100)
        refused = self.sotto("train", "d.csv", "--schema", "s.json", "--loss", "squared", "-o", "m.json",
                             *GCD, "--epsilon", "1e-5", "--delta", "1e-9", "--rows-per-person", "100000")
        self.assertEqual(refused.err.count(b"\n"), 1)
        self.assertIn(b"too small", refused.err)
        self.assertFalse(os.path.exists(self.path("m.json.spent")))


def rint(x):
    return int(math.floor(x + .5))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""Every epsilon and every delta that a person reads is at least the exact one.

What is exact stands in the JSON. Each price here is one that %g would round down: the tests look for
a budget of which that is so, and would notice if there were none.
"""

import json
import math
import random
import re
import unittest

from common import OK, Case, rounded_up, schema
from consortium import PARTIES, Consortium

DELTA = 1.12341112e-6  # down with three, four, five and six digits
COLUMNS = {"a": {"type": "number", "bounds": [-1.5, 1.5]},
           "b": {"type": "number", "bounds": [0, 2.5]},
           "y": {"type": "target", "bounds": [-4.5, 4.5]}}
AGREEMENT = {
    "sotto_parties": 1, "target": {"name": "y", "bounds": [-4.5, 4.5], "party": "one"},
    "rounds": 20, "buckets": 64, "seed": 5,
    "parties": [{"name": "one", "radius": 1, "cap": 1, "columns": {"a": COLUMNS["a"]}},
                {"name": "two", "radius": 1, "cap": 1, "columns": {"b": COLUMNS["b"]}}]}


def rounds_down(x, *digits):
    """Whether the nearest decimals would all promise too much."""
    return all(float("%.*g" % (d, x)) < x for d in digits)


def budgets():
    """Budgets to try: the price is a little below each."""
    return ["%.6f" % (1.234144 + .100111 * i) for i in range(30)]


class Outward(Case):
    def setUp(self):
        super().setUp()
        draw = random.Random(3)
        text = "a,b,y\n"
        for _ in range(400):
            a, b = draw.uniform(-1.5, 1.5), draw.uniform(0, 2.5)
            text += f"{a:.5f},{b:.4f},{a - b + 1.25 + draw.gauss(0, .3):.4f}\n"
        self.write("d.csv", text)
        self.write("s.json", schema(COLUMNS))
        self.write("p.json", json.dumps(AGREEMENT))

    def good(self, *args, **more):
        done = self.sotto(*args, **more)
        self.assertEqual(done.code, OK, done.err)
        return done

    def json(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def check(self, text, pattern, exact, digits=6):
        """All numbers that are said so, and that there are some; a pair of them for two prices."""
        text = text.decode() if isinstance(text, bytes) else text
        found = re.findall(pattern.replace("#", r"([0-9.]+(?:e-?[0-9]+)?)"), text)
        self.assertTrue(found, (pattern, text))
        for shown in found:
            shown = [shown] if isinstance(shown, str) else shown
            for said, true, count in zip(shown, exact, digits if isinstance(digits, tuple) else
                                         [digits] * len(exact)):
                self.assertGreaterEqual(float(said), true, (pattern, said))
                self.assertEqual(float(said), float(rounded_up(true, count)), pattern)

    def args(self, epsilon, *more):
        return ("--solver", "cd", "--rows", "400", "--epsilon", epsilon, "--delta", repr(DELTA),
                *more)

    def model(self, *digits):
        """A private model whose epsilon rounds down; its price and the options."""
        for epsilon in budgets():
            plan = json.loads(self.good("plan", "--schema", "s.json", *self.args(epsilon)).out)
            if rounds_down(plan["epsilon"], *digits):
                break
        self.assertTrue(rounds_down(plan["epsilon"], *digits))
        self.assertTrue(rounds_down(plan["delta"], 3, 4, 5, 6))
        command = ("train", "d.csv", "--schema", "s.json", *self.args(epsilon), "-o", "m.json")
        return command, (plan["epsilon"], plan["delta"])


class Models(Outward):
    def test_train_and_show(self):
        command, price = self.model(6)
        self.check(self.good(*command).err, "private: epsilon #, delta # ", price)
        said = self.json("m.json")["privacy"]
        self.assertEqual((said["epsilon"], said["delta"]), price)
        self.check(self.good("show", "m.json").out, r"\Aprivacy +epsilon #, delta #\n", price)
        with open(self.path("m.json"), "rb") as file, open(self.path("d.csv"), "rb") as records:
            again = self.meanwhile(records.read(), "n.json", file.read(), *command[2:-2])
        self.check(again, "replaced cost epsilon # at delta #; ", price)

    def test_what_a_run_leaves(self):
        command, _ = self.model(6)
        said = self.spent(*command)
        self.assertTrue(rounds_down(said["epsilon"], 6))
        self.check(said["shown"], "epsilon # at delta # ", (said["epsilon"], said["delta"]))

    def test_report(self):
        """Four digits for an epsilon, three for a delta; the curve, and models together."""
        command, price = self.model(4)
        self.good(*command)
        self.good(*command[:-1], "n.json", "--quiet")
        self.good("report", "m.json", "n.json", "-o", "page.html")
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
        self.check(words, r"epsilon #, delta # \(?", price, (4, 3))
        self.check(words, r"privacy \(epsilon #, delta # , ", price, (4, 3))
        self.check(words, r"together is epsilon # at delta # ", [2 * p for p in price], (4, 3))
        curve = [p for p in self.json("m.json")["privacy"]["curve"]
                 if rounds_down(p["epsilon"], 4)]
        self.assertTrue(curve)
        for point in curve:
            delta = re.escape(("%.3g" % point["delta"]).replace("e-0", "e-"))
            self.check(page, r">%s</td><td class=\"n\">#<" % delta, (point["epsilon"],), 4)

    def test_a_papers_noise(self):
        """Which costs more than was asked for."""
        for steps in range(90, 130):
            paper = ("--solver", "gcd", "--steps", str(steps), "--calibration", "paper", "--rows",
                     "400", "--adjacency", "replace-one", "--epsilon", "2", "--delta", repr(DELTA))
            plan = self.good("plan", "--schema", "s.json", *paper)
            said = json.loads(plan.out)
            if rounds_down(said["epsilon"], 6):
                break
        price = (said["epsilon"], said["delta"])
        self.assertTrue(rounds_down(price[0], 6))
        self.check(plan.err, "noise costs epsilon # at delta #, more", price)
        done = self.good("train", "d.csv", "--schema", "s.json", "-o", "m.json", *paper)
        self.check(done.err, "noise costs epsilon # at delta #, more", price)

    def test_plan_explained(self):
        """A question with pure noise has an epsilon of its own."""
        seen = 0
        for steps in range(1, 12):
            how = ("plan", "--schema", "s.json", "--solver", "gcd", "--steps", str(steps),
                   "--calibration", "paper", "--rows", "400", "--epsilon", "2", "--delta", "1e-6",
                   "--adjacency", "replace-one")
            asked = [q for q in json.loads(self.good(*how).out)["questions"]
                     if q["event"] in ("PURE", "LAPLACE")]
            text = self.good(*how, "--explain").out.decode()
            shown = re.findall(r"epsilon +([0-9.e-]+) each", text)
            self.assertEqual(len(shown), len(asked), text)
            for question, said in zip(asked, shown):
                self.assertEqual(float(said), float(rounded_up(question["epsilon"], 5)))
                self.assertGreaterEqual(float(said), question["epsilon"])
                seen += rounds_down(question["epsilon"], 5)
        self.assertGreater(seen, 0)


class Accounts(Outward):
    def test_prices(self):
        seen = 0
        for i in range(12):
            args = ("account", "--adjacency", "replace-one", "--event", f"GAUSS({.1 + i / 50})",
                    "--delta", repr(DELTA), "--curve", "--repeat", "2.5")
            exact = json.loads(self.good(*args, "--json").out)
            text = self.good(*args).out
            for name, key in (("epsilon", "epsilon"), ("delta", "delta"), ("guess", "guess"),
                              ("repeated", "repeated_epsilon")):
                self.check(text, r"(?m)^%s +#$" % name, (exact[key],))
            seen += rounds_down(exact["epsilon"], 6)
            lines = [line.split() for line in text.decode().split("delta\n")[1].splitlines()]
            self.assertEqual(len(lines), len(exact["curve"]))
            for (epsilon, delta), (e, d) in zip(lines, exact["curve"]):
                self.assertEqual([float(epsilon), float(delta)],
                                 [float(rounded_up(e, 5)), float(rounded_up(d, 5))])
                self.assertTrue(float(epsilon) >= e and float(delta) >= d)
                seen += rounds_down(d, 5) if d else 0
        self.assertGreater(seen, 3)

    def test_delta(self):
        for i in range(12):
            args = ("account", "--adjacency", "replace-one", "--event", f"GAUSS({.1 + i / 50})",
                    "--epsilon", "0.50000021")
            exact = json.loads(self.good(*args, "--json").out)
            text = self.good(*args).out
            self.check(text, r"(?m)^epsilon +#$", (exact["epsilon"],))
            self.check(text, r"(?m)^delta +#$", (exact["delta"],))


class Parties(Outward):
    def test_simulate(self):
        for epsilon in budgets():
            args = ("federate", "simulate", "d.csv", "--columns", "p.json", "-o", "m.json",
                    "--epsilon", epsilon, "--delta", repr(DELTA))
            exact = json.loads(self.good(*args, "--json", "--quiet").out)
            prices = [exact["epsilon"]] + [p["epsilon"] for p in exact["parties"]]
            if sum(rounds_down(p, 6) for p in prices) > 1 and rounds_down(prices[0], 6):
                break
        self.assertTrue(rounds_down(prices[0], 6))
        text = self.good(*args).err
        self.check(text, "a whole row, .*: epsilon #, delta #\n", (prices[0], exact["delta"]))
        for party, price in zip(exact["parties"], prices[1:]):
            self.check(text, "the part of %s.* epsilon #\n" % party["name"], (price,))


class Network(Consortium, Outward):
    def setUp(self):
        Consortium.setUp(self)

    def test_prices(self):
        """What all agree upon, what the run costs, and how much of it so far."""
        for i, epsilon in enumerate(budgets()):
            self.agree(lambda c: c.update(epsilon=float(epsilon), delta=DELTA, spent={
                "epsilon": .12345612, "delta": DELTA}), f"paid{i}")
            exact = json.loads(self.good("federate", "config", self.config, "--json").out)
            prices = [exact["epsilon"]] + [p["epsilon"] for p in exact["parties"]]
            if rounds_down(prices[0], 6) and sum(rounds_down(p, 6) for p in prices) > 1:
                break
        self.assertTrue(rounds_down(prices[0], 6))
        text = self.good("federate", "config", self.config).err
        self.check(text, "a whole row: epsilon #, delta #;", (prices[0], DELTA))
        self.check(text, "spent before: epsilon #, delta #;", (.12345612, DELTA))
        self.check(text, "together at most epsilon #, delta #",
                   (prices[0] + .12345612, DELTA + DELTA))
        for party, price in zip(exact["parties"], prices[1:]):
            self.check(text, "party %s: .* epsilon #\n" % party["name"], (price,))
        processes = [self.serve(keys=f"paid{i}/coordinator")] + [
            self.join(name, keys=f"paid{i}/{name}", seed=None) for name in PARTIES]
        self.assert_ended(processes)
        for process in processes:
            self.check(process.said(), "a whole row, .*epsilon #, delta #\n", (prices[0], DELTA))
        state = ("federate", "status", self.config, "--state", "state-coordinator")
        exact = json.loads(self.good(*state, "--json").out)["parties"]
        text = self.good(*state).out
        for party in exact:
            self.assertTrue(math.isfinite(party["epsilon"]))
            self.check(text, "party %s: .* has cost epsilon # so far" % party["name"],
                       (party["epsilon"],))


if __name__ == "__main__":
    unittest.main()

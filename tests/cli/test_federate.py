#!/usr/bin/python3
"""sotto federate simulate: what it refuses, what it says, what the model and the messages are."""

import copy
import json
import os
import random
import unittest
from unittest import mock

from common import BUDGET, DATA, FAILED, OK, PRIVACY, USAGE, Case

AGREEMENT = {
    "sotto_parties": 1,
    "target": {"name": "y", "bounds": [0, 10], "party": "bank"},
    "rounds": 30, "buckets": 64, "seed": 5,
    "parties": [
        {"name": "bank", "radius": 1, "cap": 2,
         "columns": {"income": {"type": "number", "bounds": [0, 100]},
                     "debt": {"type": "number", "bounds": [0, 50], "missing": 0}}},
        {"name": "clinic", "radius": 0.5, "cap": 2, "constant": 1,
         "columns": {"ward": {"type": "category", "levels": ["a", "b"]}}},
    ],
}
BUDGETED = ["--epsilon", "2", "--delta", "1e-6"]


def rows(count=400, seed=2):
    draw = random.Random(seed)
    text = "debt,ward,other,income,y\n"
    for _ in range(count):
        income, debt, ward = draw.uniform(0, 100), draw.uniform(0, 50), draw.choice("ab")
        y = 5 + (income - 50) / 20 - (1 if ward == "a" else 0)
        text += f"{debt:.3f},{ward},zzz,{income:.3f},{y:.3f}\n"
    return text


def known(agreement):
    agreement["labels"] = "known"
    agreement["target"].pop("party")


class Parties(Case):
    def setUp(self):
        super().setUp()
        self.write("d.csv", rows())
        self.agree()

    def agree(self, change=None):
        agreement = copy.deepcopy(AGREEMENT)
        if change:
            change(agreement)
        self.write("p.json", json.dumps(agreement))

    def simulate(self, *more, data="d.csv", out="m.json", **how):
        return self.sotto("federate", "simulate", data, "--columns", "p.json", "-o", out, *more,
                          **how)

    def done(self, *more, **others):
        result = self.simulate(*more, "--json", **others)
        self.assertEqual(result.code, OK, result.err)
        return json.loads(result.out)

    def model(self, name="m.json"):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)


class Refusals(Parties):
    def test_options(self):
        self.assert_one_line(self.sotto("federate"), USAGE)
        self.assert_one_line(self.sotto("federate", "dance", "d.csv"), USAGE)
        self.assertIn("--columns", self.assert_one_line(
            self.sotto("federate", "simulate", "d.csv", "-o", "m", *BUDGETED), USAGE))
        self.assertIn("--epsilon", self.assert_one_line(self.simulate(), PRIVACY))
        self.assertIn("--delta", self.assert_one_line(self.simulate("--epsilon", "1"), PRIVACY))
        self.assertIn("above 0", self.assert_one_line(
            self.simulate("--epsilon", "1", "--delta", "0"), PRIVACY))
        self.assertIn("stdin", self.assert_one_line(self.simulate(*BUDGETED, data="-"), USAGE))
        self.assertIn("-o", self.assert_one_line(
            self.sotto("federate", "simulate", "d.csv", "--columns", "p.json", *BUDGETED), USAGE))
        for output in ("-", "/dev/stdout"):
            result = self.simulate(*BUDGETED, "--ledger", "none", out=output)
            self.assertIn("written beside", self.assert_one_line(result, PRIVACY))
            self.assertEqual(result.out, b"")
        self.assertFalse(os.path.exists(self.path("-.spent")))
        self.assertIn("no option --l1", self.assert_one_line(
            self.simulate(*BUDGETED, "--l1", "1"), USAGE))

    def test_agreements(self):
        """One line each, which names the file and what it lacks."""
        def party(key, value):
            return lambda a: a["parties"][0].__setitem__(key, value)
        for change, words in (
                (lambda a: a.__setitem__("round", 3), 'no "round"'),
                (lambda a: a.__setitem__("rounds", 0), "whole number"),
                (lambda a: a["target"].pop("bounds"), "bounds"),
                (lambda a: a["target"].__setitem__("party", "nobody"), "party"),
                (lambda a: a.__setitem__("labels", "public"), "known"),
                (lambda a: a.__setitem__("parties", []), "list of parties"),
                (party("columns", {"x": {"type": "target"}}), "number"),
                (party("columns", {"income": {"type": "number"}}), "bounds"),
                (party("columns", {}), "at least one column"),
                (party("columns", {"ward=a": {"type": "number", "bounds": [0, 1]}}), "of this name"),
                (party("cap", -1), "cap"), (party("radius", 0), "radius"),
                (party("name", "clinic"), "other names")):
            self.agree(change)
            text = self.assert_one_line(self.simulate(*BUDGETED), USAGE)
            self.assertIn("p.json", text)
            self.assertIn(words, text)
        self.write("p.json", "{")
        self.assertIn("JSON", self.assert_one_line(self.simulate(*BUDGETED), USAGE))

    def test_unknown_keys(self):
        """A key that is none, wherever it stands: the file, the key, which there are, and the one
        that may have been meant."""
        def rename(where, old, new):
            def change(a):
                at = where(a)
                at[new] = at.pop(old)
            return change
        def party(a):
            return a["parties"][1]
        for change, line in (
                (rename(lambda a: a, "rounds", "rouns"),
                 'p.json: the file has no "rouns"; expected some of sotto_parties target labels '
                 'label_rms rounds buckets seed schedule split missing_values parties rows epsilon '
                 'delta spent id coordinator authority absent patience; did you mean "rounds"?'),
                (rename(lambda a: a["target"], "bounds", "bound"),
                 'p.json: target has no "bound"; expected some of name bounds party; did you mean '
                 '"bounds"?'),
                (rename(party, "radius", "raduis"),
                 'p.json: party 2 has no "raduis"; expected some of name columns constant radius '
                 'cap key; did you mean "radius"?'),
                (lambda a: a.update(coordinator={"hots": "h"}),
                 'p.json: coordinator has no "hots"; expected some of host port key; did you mean '
                 '"host"?'),
                (lambda a: a.update(spent={"budget": 1}),
                 'p.json: spent has no "budget"; expected some of epsilon delta\n'),
                (lambda a: party(a)["columns"]["ward"].update(levles=["a"]), '"levles"')):
            self.agree(change)
            said = self.assert_one_line(self.simulate(*BUDGETED), USAGE)
            self.assertIn(line, said)

    def test_data(self):
        """A column that is not there, and a bad row: no question was asked."""
        self.agree(lambda a: a["parties"][1]["columns"].__setitem__(
            "beds", {"type": "number", "bounds": [0, 1]}))
        self.assert_refused(self.simulate(*BUDGETED), DATA, name="beds")
        self.agree()
        self.write("bad.csv", rows() + "1,c,zzz,2,3\n")
        self.assert_refused(self.simulate(*BUDGETED, data="bad.csv"), DATA, line=402)
        self.assertFalse(os.path.exists(self.path("m.json.spent")))

    def test_spent_stands_in_the_way(self):
        untracked = [*BUDGETED, "--ledger", "none"]
        spent = self.spent("federate", "simulate", "d.csv", "--columns", "p.json", *untracked,
                           "-o", "m.json")
        self.assertIn("RANGE", spent["plan"])
        self.assertAlmostEqual(spent["epsilon"], 2, delta=1e-3)
        self.assertIn("may have spent", spent["shown"])
        self.write("m.json.spent", "x")
        self.assert_one_line(self.simulate(*untracked), BUDGET)
        own = os.path.join(self.directory, "own.ledger")
        with mock.patch.dict(os.environ, SOTTO_LEDGER=own):
            self.done(*BUDGETED)  # a ledger explains by itself what was spent
        self.assertTrue(os.path.exists(self.path("m.json.spent")))


class Ledgers(Parties):
    """All roles in one process: the whole row is booked."""

    NAMED = ("--ledger", "team.ledger", "--dataset", "people")

    def create(self, *more):
        result = self.sotto("ledger", "create", *self.NAMED, "--delta", "1e-6", *more)
        self.assertEqual(result.code, OK, result.err)

    def datasets(self, ledger):
        said = self.sotto("ledger", "list", "--ledger", ledger, "--json")
        self.assertEqual(said.code, OK, said.err)
        return json.loads(said.out)["datasets"]

    def test_a_whole_row(self):
        """As train does: in the user's own ledger, under the file's path, which is not told."""
        own = os.path.join(self.directory, "own.ledger")
        env = {**os.environ, "SOTTO_LEDGER": own}
        for i in (1, 2):
            result = self.simulate(*BUDGETED, "--json", "--purpose", "a test", env=env)
            self.assertEqual(result.code, OK, result.err)
            privacy = self.model()["privacy"]
            ledger = privacy["ledger"]
            self.assertEqual((ledger["position"], ledger["purpose"]), (i + 1, "a test"))
            self.assertNotIn("dataset", ledger)
            self.assertNotIn(self.directory, json.dumps(self.model()))
            self.assertEqual(ledger["draws"], privacy["draws"])
            one, = self.datasets(own)
            self.assertEqual((one["charges"], one["unfinished"]), (i, 0))
            self.assertEqual(one["name"], os.path.realpath(os.path.join(self.directory, "d.csv")))
            if i == 1:  # what all parts together cost, and no less
                self.assertGreater(ledger["spent_epsilon"], privacy["epsilon"] - 1e-9)
                self.assertLess(ledger["spent_epsilon"], 1.1 * privacy["epsilon"])
        self.assertGreater(ledger["spent_epsilon"], 1.3 * privacy["epsilon"])
        self.assertFalse(os.path.exists(self.path("m.json.spent")))

    def test_a_cap(self):
        """One run fits; the next is refused before a record is read, which would be refused."""
        self.create("--epsilon", "2.5", "--adjacency", "zero-out")
        self.done(*BUDGETED, *self.NAMED)
        self.assertEqual(self.model()["privacy"]["ledger"]["dataset"], "people")
        self.write("bad.csv", rows() + "1,c,zzz,2,3\n")
        line = self.assert_one_line(
            self.simulate(*BUDGETED, *self.NAMED, data="bad.csv", out="n.json"), BUDGET)
        self.assertIn("people", line)
        self.assertFalse(os.path.exists(self.path("n.json")))
        self.assertEqual(self.datasets("team.ledger")[0]["charges"], 1)

    def test_another_unit(self):
        self.create("--epsilon", "9")
        self.assertIn("add-remove", self.assert_one_line(
            self.simulate(*BUDGETED, *self.NAMED), PRIVACY))
        self.assertEqual(self.datasets("team.ledger")[0]["charges"], 0)

    def test_a_bad_row_is_charged(self):
        """Whether a run is booked does not depend on the records."""
        self.create("--epsilon", "9", "--adjacency", "zero-out")
        self.write("bad.csv", rows() + "1,c,zzz,2,3\n")
        self.assert_refused(self.simulate(*BUDGETED, *self.NAMED, data="bad.csv"), DATA, line=402)
        one, = self.datasets("team.ledger")
        self.assertEqual((one["charges"], one["unfinished"]), (1, 1))
        self.assert_one_line(self.simulate(*BUDGETED, *self.NAMED, data="nowhere.csv"), FAILED)
        self.assertEqual(self.datasets("team.ledger")[0]["charges"], 1)

    def test_not_booked(self):
        """Without a ledger, with noise that can be repeated, and without noise."""
        self.create("--epsilon", "9", "--adjacency", "zero-out")
        self.assertEqual(self.done(*BUDGETED, "--ledger", "none")["privacy"]["ledger"], "untracked")
        self.done(*BUDGETED, *self.NAMED, "--insecure-seed", "7")
        self.done("--epsilon", "inf", *self.NAMED)
        self.assertEqual(self.datasets("team.ledger")[0]["charges"], 0)


class Runs(Parties):
    def test_statement(self):
        """The whole row for everybody, a slice for each party."""
        said = self.done(*BUDGETED)
        model = self.model()
        privacy = model["privacy"]
        self.assertEqual(privacy, said["privacy"])
        self.assertLessEqual(privacy["epsilon"], 2)
        self.assertGreater(privacy["epsilon"], 1.99)
        self.assertEqual(privacy["adjacency"], "zero-out")
        self.assertIn("not protected", privacy["membership"])
        self.assertEqual([q["question"] for q in privacy["questions"]],
                         ["vertex", "sketch", "labels"])
        self.assertEqual([q["times"] for q in privacy["questions"]], [30, 4, 1])
        slices = privacy["slices"]
        self.assertEqual([s["party"] for s in slices], ["bank", "clinic"])
        asked = [{q["question"]: q["times"] for q in s["questions"]} for s in slices]
        self.assertEqual(sum(a["vertex"] for a in asked), 30)
        self.assertEqual(["labels" in a for a in asked], [True, False])
        for s in slices:
            self.assertLess(s["epsilon"], privacy["epsilon"])
        self.assertFalse(os.path.exists(self.path("m.json.spent")))

    def test_it_has_a_page(self):
        self.done(*BUDGETED)
        result = self.sotto("report", "m.json", "-o", "page.html", "--quiet")
        self.assertEqual((result.code, result.err), (OK, b""))
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        for words in ("has these values or was blanked", "a whole row", "<strong>sketch</strong>",
                      "none is known to cover for this solver",
                      "nobody but the parties can be right in more than",
                      "what the parties that made the model learn of each other"):
            self.assertIn(words, page)
        self.assertNotIn("NOT PRIVATE", page)

    def test_slices_are_what_account_says(self):
        """The same price from the outside."""
        privacy = self.done(*BUDGETED)["privacy"]
        for s in privacy["slices"]:
            plan = "+".join(f"{q['event']}({q.get('eta', q.get('mu'))!r})*{q['times']}"
                            for q in s["questions"])
            said = self.sotto("account", "--event", plan, "--delta", "1e-6", "--adjacency",
                              "zero-out", "--json")
            self.assertEqual(said.code, OK, said.err)
            self.assertAlmostEqual(json.loads(said.out)["epsilon"], s["epsilon"], delta=1e-4)

    def test_known_labels(self):
        """No sketch of them is sent or paid for, and nobody is their owner."""
        private = self.done(*BUDGETED)
        self.agree(known)
        said = self.done(*BUDGETED)
        self.assertEqual([q["question"] for q in said["privacy"]["questions"]],
                         ["vertex", "sketch"])
        self.assertIn("never sent", said["privacy"]["labels"])
        self.assertFalse(any(p["labels"] for p in said["parties"]))
        # with the labels' sketch there is one more field of 64 integers
        self.assertEqual((private["uplink_bytes"] - said["uplink_bytes"]) % 524, 0)

    def test_uplink(self):
        """Counted bytes: a message is 100 bytes and its fields; the paper's K T (m + 1)."""
        said = self.done(*BUDGETED)
        parties = said["parties"]
        self.assertEqual(said["uplink_bytes"], sum(p["uplink_bytes"] for p in parties))
        self.assertEqual(said["uplink_bytes_paper"], 2 * 30 * (4 + 8 * 64))
        for p in parties:
            self.assertEqual(p["messages"], p["turns"] + 2)
            sketches = p["uplink_bytes"] - 100 * p["messages"] - 28 * p["turns"]
            self.assertEqual(sketches % 524, 0)
            self.assertLessEqual(sketches // 524, p["cap"] + p["labels"])
            self.assertGreaterEqual(sketches // 524, 1 + p["labels"])

    def test_what_is_said(self):
        """First what is to be expected, then prices and bytes; --quiet says nothing."""
        text = self.simulate(*BUDGETED).err.decode()
        self.assertLess(text.index("expected: experimental"), text.index("wrote m.json"))
        self.assertIn("a whole row, against outsiders and the server: epsilon 2, ", text)
        self.assertIn("the part of bank and the label, against all others: epsilon", text)
        self.assertIn("the paper's algorithm", text)
        self.assertNotIn("NOT PRIVATE", text)
        quiet = self.simulate(*BUDGETED, "--quiet")
        self.assertEqual((quiet.code, quiet.out, quiet.err), (OK, b"", b""))

    def test_expected(self):
        """n mu^2 decides: 400 rows are good at epsilon 30, and only if labels are known."""
        most = ["--epsilon", "30", "--delta", "1e-6"]
        self.assertEqual(self.done(*most)["expected"], "experimental")
        self.agree(known)
        self.assertEqual(self.done(*BUDGETED)["expected"], "experimental")
        self.assertEqual(self.done(*most)["expected"], "good")

    def test_a_level_for_all_others(self):
        """A word that no party declared is a feature of that party, as if it had been written."""
        def other(agreement):
            agreement["parties"][1]["columns"]["ward"]["other"] = True

        def declared(agreement):
            agreement["parties"][1]["columns"]["ward"]["levels"].append("other")
        seeded = [*BUDGETED, "--insecure-seed", "7"]
        self.agree(other)
        self.write("d.csv", rows().replace(",a,zzz", ",never seen,zzz", 90))
        self.done(*seeded)
        one = self.model()
        self.assertIn("ward=other", one["features"])
        self.agree(declared)
        self.write("d.csv", rows().replace(",a,zzz", ",other,zzz", 90))
        self.done(*seeded)
        two = self.model()
        self.assertEqual((one["features"], one["weights"]), (two["features"], two["weights"]))
        self.agree(lambda agreement: (other(agreement), declared(agreement)))
        self.assert_one_line(self.simulate(*seeded), USAGE)

    def test_seeds(self):
        """An insecure seed repeats every message, and its model says NOT PRIVATE."""
        seeded = [*BUDGETED, "--insecure-seed", "7"]
        first = self.done(*seeded)
        text = self.path("m.json")
        with open(text, "rb") as file:
            one = file.read()
        second = self.done(*seeded, "--threads", "3")
        with open(text, "rb") as file:
            self.assertEqual(file.read(), one)
        self.assertEqual(first, second)
        self.assertTrue(first["not_private"])
        self.assertTrue(self.model()["not_private"])
        other = self.done(*BUDGETED, "--insecure-seed", "8")
        self.assertNotEqual(first["transcript"], other["transcript"])
        fresh = {self.done(*BUDGETED)["transcript"] for _ in range(3)}
        self.assertEqual(len(fresh), 3)

    def test_columns_in_any_order(self):
        """The parties' order, not the file's, and columns that nobody has do not matter."""
        seeded = [*BUDGETED, "--insecure-seed", "7"]
        first = self.done(*seeded)["transcript"]
        table = [line.split(",") for line in rows().splitlines()]
        self.write("e.csv", "".join(",".join([r[4], r[3], r[1], r[0]]) + "\n" for r in table))
        self.assertEqual(self.done(*seeded, data="e.csv")["transcript"], first)

    def test_without_noise(self):
        """Finds the model, which is an ordinary one: y = 5 + (income - 50) / 20 - [ward a]."""
        self.agree(lambda a: (a.update(rounds=1500, buckets=20000), None))
        said = self.done("--epsilon", "inf")
        self.assertIsNone(said["privacy"])
        model = self.model()
        weight = dict(zip(model["features"], model["weights"]))
        self.assertAlmostEqual(weight["income"], .05, delta=.001)
        self.assertAlmostEqual(weight["ward=a"] - weight["ward=b"], -1, delta=.05)
        self.assertAlmostEqual(weight["debt"], 0, delta=.001)
        for verb in ("predict", "evaluate"):
            result = self.sotto(verb, "m.json", "d.csv", "--drop", "other")
            self.assertEqual(result.code, OK, result.err)
        self.assertGreater(float(result.out.decode().split("R2")[1].split()[0]), .99)
        self.assertIn(b"NOT PRIVATE", self.sotto("show", "m.json").out)


if __name__ == "__main__":
    unittest.main()

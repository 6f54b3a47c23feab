"""sotto ledger: every action, what it says, what it refuses, and what it prints for programs."""

import csv
import io
import json
import math
import os
import re
import sqlite3
import stat
import statistics
import unittest

from common import BUDGET, Case, FAILED, OK, PRIVACY, USAGE, run, rounded_up, schema

REFERENCE = json.loads(run(["help", "--json"]).out)
KEYS = set(next(v for v in REFERENCE["verbs"] if v["name"] == "ledger")["json"])
# mu of one run, and how many of them a cap of (3, 1e-6) lets through
MU, FIT = 0.2367034343931118, 7
GAUSS = ("--event", "GAUSS(%r)" % MU)
CAP = ("--epsilon", "3", "--delta", "1e-6")
SMALL = ("--loss", "logistic", "--epsilon", "1", "--delta", "1e-6")
BELL = "x\x1b[31m\x07.csv"


def most_guessed(epsilon, delta):
    """Of 100 guesses: with the most that a cap lets through, a tenth of delta beside a Gaussian."""
    law, least, most = statistics.NormalDist(), 0, 10
    for _ in range(60):
        mu = (least + most) / 2
        gauss = (law.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * law.cdf(-mu / 2 - epsilon / mu))
        least, most = (mu, most) if gauss < .9 * delta else (least, mu)
    return 100 * (law.cdf(most / 2) + delta)


class Ledger(Case):
    def setUp(self):
        super().setUp()
        self.own = os.path.join(self.directory, "own.db")
        self.environment = {**os.environ, "SOTTO_LEDGER": self.own}
        self.write("d.csv", "id,part,a,y\n" + "".join(
            "p%d,Q%d,%d,%d\n" % (i, i % 3 + 1, i * 7 % 50, i * 7 % 50 > 25) for i in range(90)))
        self.write("row.json", schema({
            "id": {"type": "drop"}, "part": {"type": "drop"},
            "a": {"type": "number", "bounds": [0, 50]},
            "y": {"type": "target", "classes": ["0", "1"]}}))

    def sotto(self, *args, **more):
        return super().sotto(*args, **{"env": self.environment, **more})

    def ledger(self, action, *args, file="t.db"):
        where = ("--ledger", file) if file else ()
        return self.sotto("ledger", action, *where, *args)

    def text(self, action, *args, **more):
        result = self.ledger(action, *args, **more)
        self.assertEqual(result.code, OK, result.err)
        return result.out.decode()

    def json(self, action, *args, **more):
        said = json.loads(self.text(action, *args, "--json", **more))
        self.assertLessEqual(set(said), KEYS, action)
        return said

    def refused(self, code, *args, **more):
        return self.assert_one_line(self.ledger(*args, **more), code)

    def create(self, name="patients", *args):
        return self.text("create", "--dataset", name, *CAP, *args)

    def train(self, *args, data="d.csv", model="m.json"):
        return self.sotto("train", data, "--schema", "row.json", *SMALL, "-o", model, *args)

    def book(self, *args, name="patients"):
        """A run on the data set; its entry."""
        result = self.train("--ledger", "t.db", "--dataset", name, *args)
        self.assertEqual(result.code, OK, result.err)
        return self.json("history", "--dataset", name)["entries"][0]


class Create(Ledger):
    def test_says_what_it_made(self):
        text = self.create("patients", "--unit-column", "id", "--owner", "Cardiology")
        self.assertRegex(text, r"made +patients in t\.db\n")
        self.assertRegex(text, r"cap +epsilon 3 at delta 1e-06: all runs together keep it\n")
        self.assertRegex(text, r'unit +a person: .*"id"')
        self.assertRegex(text, r"to train +sotto train DATA --ledger t\.db --dataset patients "
                               r"--unit-column id \.\.\.\n\Z")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("t.db")).st_mode), 0o600)

    def test_what_to_pass_to_train_is_quoted(self):
        text = self.create("our patient's")
        self.assertIn(r"--dataset 'our patient'\''s' ...", text)

    def test_own_ledger(self):
        text = self.text("create", "--dataset", "d", *CAP, file=None)
        self.assertTrue(os.path.exists(self.own))
        self.assertIn("to train   sotto train DATA --dataset d ...", text)
        self.assertEqual(self.json("list", file=None)["ledger"], self.own)

    def test_quiet(self):
        self.assertEqual(self.create("patients", "--quiet"), "")

    def test_json(self):
        said = self.json("create", "--dataset", "d", *CAP, "--adjacency", "replace-one")
        self.assertEqual((said["ledger"], said["not_for_release"]), ("t.db", True))
        one, = said["datasets"]
        self.assertEqual((one["name"], one["adjacency"], one["cap_epsilon"], one["delta"]),
                         ("d", "replace-one", 3, 1e-6))
        self.assertEqual((one["part"], one["owner"], one["more_like_last"], one["charges"]),
                         (None, None, None, 0))

    def test_parts(self):
        text = self.create("visits", "--part-column", "part", "--parts", "Q1,Q2")
        self.assertIn("all runs together keep it, in each part\n", text)
        self.assertRegex(text, r"parts +Q1, Q2\n")
        self.assertIn("--parts Q1,Q2 --bad-rows drop ...", text)

    def test_refusals(self):
        self.create()
        for args, words in (
                (("--dataset", "patients", *CAP), "already"),
                (CAP, "--dataset"),
                (("--dataset", "x"), "--epsilon"),
                (("--dataset", "x", "--epsilon", "1"), "--delta"),
                (("--dataset", "x\x1b[1m", *CAP), "--dataset"),
                (("--dataset", "x", *CAP, "--parts", "a,b"), "--part-column"),
                (("--dataset", "x", *CAP, "--part-column", "q"), "--parts"),
                (("--dataset", "x", *CAP, "--rows", "9"), "does not use --rows"),
                (("--dataset", "x", *CAP, "more"), "usage: sotto ledger create")):
            with self.subTest(args):
                self.assertIn(words, self.refused(USAGE, "create", *args))
        for args in (("--unit-column", "id"), ("--rows-per-person", "4"),
                     ("--adjacency", "replace-one")):
            with self.subTest(args):
                result = self.ledger("create", "--dataset", "x", *CAP, "--part-column", "q",
                                     "--parts", "a,b", *args)
                self.assertIn(result.code, (USAGE, PRIVACY))
                self.assert_one_line(result, result.code)
        self.create("public", "--part-column", "q", "--parts", "a,b", "--adjacency",
                    "replace-one", "--public-parts")

    def test_no_cap(self):
        text = self.text("create", "--dataset", "d", "--epsilon", "inf", "--delta", "1e-6")
        self.assertRegex(text, r"cap +none: runs are counted, and none is refused\n")
        self.assertIsNone(self.json("list")["datasets"][0]["cap_epsilon"])
        self.book(name="d")
        self.assertIn("the runs on this data set are what a cap of epsilon", self.text("show"))

    def test_no_folder(self):
        self.refused(FAILED, "create", "--dataset", "x", *CAP, file="no-such/t.db")


class Actions(Ledger):
    def test_wrong_calls(self):
        self.create()
        self.assertIn("usage: sotto ledger ACTION", self.assert_one_line(
            self.sotto("ledger"), USAGE))
        self.assertIn("did you mean show?", self.refused(USAGE, "shwo"))
        self.assertNotIn("did you mean", self.refused(USAGE, "frobnicate\x1b[1m"))
        self.assertIn("expected --ledger FILE", self.refused(USAGE, "list", file="none"))
        self.environment["SOTTO_LEDGER"] = "none"
        self.assertIn("SOTTO_LEDGER", self.refused(USAGE, "list", file=None))
        for action, *args in (("list", "--dataset", "d"), ("show", "--page", "2"),
                              ("history", "--epsilon", "3"), ("verify", "--runs", "2"),
                              ("export", "--rows", "3"), ("backup", "--dataset", "d"),
                              ("raise", "--owner", "me"), ("quote", "--page", "2"),
                              ("quote", "--output", "x")):
            with self.subTest(action):
                self.assertIn("does not use --%s" % args[0][2:],
                              self.refused(USAGE, action, *args))
        for action in ("list", "show", "history", "export", "quote", "raise", "backup"):
            self.assertIn("usage: sotto ledger " + action, self.refused(USAGE, action, "word"))

    def test_no_ledger(self):
        for action in ("list", "show", "history", "verify"):
            with self.subTest(action):
                self.assertIn("t.db", self.refused(FAILED, action))
        self.assertFalse(os.path.exists(self.path("t.db")))

    def test_not_a_ledger(self):
        self.write("t.db", "SECRETWORD is not a database, and quite long for one\n" * 99)
        for action, *args in (("list",), ("show",), ("verify",), ("quote", *GAUSS),
                              ("export", "-o", "x.json"), ("backup", "-o", "b.db"),
                              ("create", "--dataset", "x", *CAP)):
            with self.subTest(action):
                result = self.ledger(action, *args)
                self.assertNotEqual(result.code, OK)
                self.assertNotIn("SECRETWORD", self.assert_one_line(result, result.code))
        self.assertFalse(os.path.exists(self.path("b.db")))

    def test_which_data_set(self):
        """The only one, or one that is named."""
        self.create()
        self.json("history")
        self.assertIn('no data set "nobody"', self.refused(USAGE, "history", "--dataset", "nobody"))
        self.create("second")
        for action, *args in (("history",), ("quote", *GAUSS), ("raise", *CAP)):
            with self.subTest(action):
                self.assertIn("--dataset", self.refused(USAGE, action, *args))
        one = self.json("show", "--dataset", "second")["datasets"]
        self.assertEqual([d["name"] for d in one], ["second"])

    def test_list(self):
        self.create("patients", "--unit-column", "id")
        self.create("visits", "--part-column", "part", "--parts", "Q1,Q2")
        lines = self.text("list").splitlines()
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], r'^patients  +0 runs  epsilon 0 of 3 at delta 1e-06; a person: '
                                   r'.*"id"; add-remove$')
        self.assertRegex(lines[1], r"^visits .* in part Q1, the fullest; ")
        self.assertEqual([(d["name"], d["part"]) for d in self.json("list")["datasets"]],
                         [("patients", None), ("visits", "Q1"), ("visits", "Q2")])


class Booked(Ledger):
    """What there is to say after runs."""

    def test_show(self):
        self.create()
        for i in range(2):
            self.book("--purpose", "try %d" % i)
        text = self.text("show")
        one, = self.json("show")["datasets"]
        self.assertEqual((one["charges"], one["unfinished"], one["position"]), (2, 0, 3))
        bar = re.search(r"^spent +([█░]+)  epsilon (\S+) of 3 at delta 1e-06, (\d+) % of the "
                        r"budget$", text, re.M)
        self.assertEqual(len(bar[1]), 24)
        self.assertEqual(bar[1].count("█"), int(one["share"] * 24))
        self.assertEqual(bar[2], rounded_up(one["spent_epsilon"], 3))
        self.assertEqual(int(bar[3]), -int(-one["share"] * 100 // 1))
        left = re.search(r"^left +five more runs like the last, or one run of Gaussian answers up "
                         r"to --epsilon (\S+) --delta 1e-06$", text, re.M)
        self.assertEqual(one["more_like_last"], FIT - 2)
        self.assertLessEqual(float(left[1]), one["left_epsilon"])
        self.assertGreater(float(left[1]), .99 * one["left_epsilon"])
        lines = re.findall(r"^ +(\d) .* (yes|no|-) +(\S.*)$", text, re.M)
        self.assertEqual(lines, [("3", "yes", "try 1"), ("2", "yes", "try 0"),
                                 ("1", "-", "created with a cap of epsilon 3 at delta 1e-06")])
        self.assertEqual([e["kind"] for e in one["entries"]], ["charge", "charge", "created"])

    def test_what_is_left_can_be_spent(self):
        """The epsilon that show names fits, and 2 % more does not."""
        self.create()
        self.book()
        left = float(re.search(r"up to --epsilon (\S+) ", self.text("show"))[1])
        for epsilon, code in ((1.02 * left, BUDGET), (left, OK)):
            result = self.sotto("train", "d.csv", "--schema", "row.json", "--loss", "logistic",
                                "--epsilon", repr(epsilon), "--delta", "1e-6", "--ledger", "t.db",
                                "--dataset", "patients", "-o", "m.json", "--quiet")
            self.assertEqual(result.code, code, result.err)

    def test_quote_is_what_is_booked(self):
        """And a quote books nothing."""
        self.create()
        options = ("--schema", "row.json", *SMALL, "--rows", "90")
        before = self.json("quote", *options)
        self.assertEqual(self.json("list")["datasets"][0]["charges"], 0)
        entry = self.book("--rows", "90")
        for key in ("mu", "delta0", "draws"):
            self.assertEqual(before[key], entry[key])
        spent = self.json("list")["datasets"][0]["spent_epsilon"]
        self.assertAlmostEqual(before["spent_after"], spent, delta=1e-9)
        self.assertGreaterEqual(before["spent_after"], spent)
        after = self.json("quote", *options)
        self.assertEqual(after["how_many"], before["how_many"] - 1)
        self.assertEqual(after["spent_before"], spent)
        listed = self.json("quote", "--event", entry["plan"], "--draws", repr(entry["draws"]))
        self.assertEqual((listed["mu"], listed["draws"]), (entry["mu"], entry["draws"]))

    def test_refusal(self):
        """A cap that is spent: exit 4, one line, and nothing is booked."""
        self.create()
        fits = 0
        while self.train("--ledger", "t.db", "--dataset", "patients").code == OK:
            fits += 1
        self.assertEqual(fits, FIT)
        refused = self.assert_one_line(
            self.train("--ledger", "t.db", "--dataset", "patients", "--quiet"), BUDGET)
        self.assertIn("epsilon", refused)
        self.assertRegex(self.text("show"), r"left +no more run like the last, but one run of ")
        self.assertEqual(self.json("list")["datasets"][0]["charges"], FIT)
        quote = self.ledger("quote", "--schema", "row.json", *SMALL, "--rows", "90")
        self.assertEqual(quote.code, OK)
        self.assertIn(b"\nfits       no\nleft       one run of Gaussian answers", quote.out)
        self.text("raise", "--epsilon", "4", "--delta", "1e-6")
        self.book()

    def test_history_pages(self):
        self.create()
        self.text("raise", "--epsilon", "3.5", "--delta", "1e-6")
        self.many(118)
        text = self.text("history")
        self.assertTrue(text.startswith("patients: 120 entries, latest first, page 1 of 3\n"))
        self.assertIn("--page 2 has the entries before these", text)
        seen = []
        for page in (1, 2, 3):
            said = self.json("history", "--page", str(page))
            self.assertEqual((said["page"], said["pages"]), (page, 3))
            seen += [e["position"] for e in said["entries"]]
        self.assertEqual(seen, list(range(120, 0, -1)))
        last = self.text("history", "--page", "3")
        self.assertNotIn("before these", last)
        self.assertIn("cap raised to epsilon 3.5 at delta 1e-06, also for all runs before it", last)
        self.assertIn("created with a cap of epsilon 3 at delta 1e-06", last)
        self.assertIn("--page: expected 1 to 3", self.refused(USAGE, "history", "--page", "4"))
        self.refused(USAGE, "history", "--page", "0")
        self.assertIn("  ... and 115 more: sotto ledger history", self.text("show"))

    def many(self, count):
        """So many raised caps: entries that need no training."""
        for i in range(count):
            self.text("raise", "--epsilon", repr(4 + i / 64), "--delta", "1e-6", "--quiet")

    def test_without_a_cap(self):
        """The user's own ledger: never a promise of all runs together."""
        for _ in range(2):
            self.assertEqual(self.train().code, OK)
        text = self.text("show", file=None)
        one, = self.json("show", file=None)["datasets"]
        self.assertEqual((one["is_path"], one["cap_epsilon"], one["share"], one["charges"]),
                         (True, None, None, 2))
        self.assertIn("the runs on this file are what a cap of epsilon %s at delta 1e-06 would have "
                      "let through\n" % rounded_up(one["spent_epsilon"], 6), text)
        self.assertNotIn("together", text)
        self.assertRegex(self.text("list", file=None), r"d\.csv +2 runs .* no cap; .*; id \w{32}\n")
        quote = self.text("quote", *GAUSS, file=None)
        self.assertRegex(quote, r"cap +none: ")
        self.assertNotRegex(quote, r"fits|together")
        said = self.json("quote", *GAUSS, file=None)
        self.assertEqual((said["fits"], said["how_many"], said["cap_epsilon"]), (True, None, None))

    def test_a_file_with_two_units(self):
        """Each has an entry of its own: told apart by their ids."""
        self.assertEqual(self.train().code, OK)
        self.assertEqual(self.train("--adjacency", "zero-out", "--rows", "90").code, OK)
        both = self.json("list", file=None)["datasets"]
        self.assertEqual(len(both), 2)
        self.assertEqual(both[0]["name"], both[1]["name"])
        self.assertIn("id", self.refused(USAGE, "history", "--dataset", both[0]["name"], file=None))
        for one in both:
            self.assertIn(one["id"], self.text("list", file=None))
            said = self.json("history", "--dataset", one["id"], file=None)
            self.assertEqual(said["entries"][0]["head"], one["head"])

    def test_control_characters(self):
        """A path may have them; no terminal and no page gets them."""
        os.rename(self.path("d.csv"), self.path(BELL))
        self.assertEqual(self.train("--purpose", "caf\u00e9 <b>", data=BELL).code, OK)
        for args in (("list",), ("show",), ("history",), ("quote", *GAUSS)):
            with self.subTest(args):
                self.assertNotRegex(self.text(*args, file=None), r"[\x00-\x09\x0b-\x1f\x7f]")
        self.assertIn("x?[31m?.csv", self.text("show", file=None))
        self.assertTrue(self.json("list", file=None)["datasets"][0]["name"].endswith(BELL))
        page = self.text("export", "-o", "-", "--format", "html", file=None)
        self.assertNotRegex(page, r"[\x00-\x09\x0b-\x1f\x7f]")
        self.assertIn("caf\u00e9 &lt;b&gt;", page)

    def test_parts(self):
        self.create("visits", "--part-column", "part", "--parts", "Q1,Q2,Q3")
        entry = self.book("--parts", "Q1,Q3", "--bad-rows", "drop", name="visits")
        self.assertEqual(entry["parts"], "Q1,Q3")
        spent = {d["part"]: d["spent_epsilon"] for d in self.json("show")["datasets"]}
        self.assertGreater(spent["Q1"], 1)
        self.assertEqual((spent["Q2"], spent["Q3"]), (0, spent["Q1"]))
        text = self.text("show")
        self.assertIn("cap        one for each part", text)
        self.assertEqual(re.findall(r"^part +(\S+)$", text, re.M), ["Q1", "Q2", "Q3"])
        self.assertIn("[Q1,Q3]", text)
        self.assertIn("in part Q1, the fullest", self.text("list"))
        full = self.json("quote", *GAUSS, "--parts", "Q1")
        free = self.json("quote", *GAUSS, "--parts", "Q2")
        self.assertLess(full["how_many"], free["how_many"])
        self.assertEqual(free["spent_before"], 0)
        text = self.text("raise", "--parts", "Q1", "--epsilon", "5", "--delta", "1e-6")
        self.assertIn("visits, part Q1: the cap was epsilon 3 at delta 1e-06 and is epsilon 5 ", text)
        self.assertNotIn("Q2", text)
        caps = {d["part"]: d["cap_epsilon"] for d in self.json("list")["datasets"]}
        self.assertEqual(caps, {"Q1": 5, "Q2": 3, "Q3": 3})
        self.refused(USAGE, "quote", *GAUSS, "--parts", "Q9")


class Raise(Ledger):
    def test_says_what_it_means(self):
        self.create()
        text = self.text("raise", "--epsilon", "4", "--delta", "1e-6")
        self.assertIn("patients: the cap was epsilon 3 at delta 1e-06 and is epsilon 4 at delta "
                      "1e-06\n", text)
        self.assertIn("holds for all runs before it, too", text)
        entry = self.json("history")["entries"][0]
        self.assertEqual((entry["kind"], entry["cap_epsilon"]), ("raised", 4))
        self.assertTrue(entry["who"])

    def test_refusals(self):
        self.create()
        for args, word in ((("--epsilon", "2", "--delta", "1e-6"), "raised only"),
                           (("--epsilon", "4"), "--delta"), (("--delta", "1e-6"), "--epsilon")):
            with self.subTest(args):
                self.assertIn(word, self.refused(USAGE, "raise", *args))
        self.assertEqual(self.json("list")["datasets"][0]["position"], 1)


class Quote(Ledger):
    def test_how_many_fit(self):
        """The thirty runs: seven of them under (3, 1e-6)."""
        self.create()
        for runs, fits in ((1, True), (FIT, True), (FIT + 1, False), (30, False)):
            said = self.json("quote", *GAUSS, "--runs", str(runs))
            self.assertEqual((said["fits"], said["how_many"], said["runs"]), (fits, FIT, runs))
        self.assertGreaterEqual(said["mu"], MU)
        self.assertLess(said["mu"], MU * 1.00001)
        self.assertEqual((said["delta0"], said["spent_before"]), (0, 0))
        text = self.text("quote", *GAUSS, "--runs", "8")
        self.assertRegex(text, r"fits +no: 7 of the 8 runs do\n")
        self.assertRegex(text, r"after +epsilon \S+ at delta 1e-06, with 8 runs\n")
        self.assertRegex(self.text("quote", *GAUSS), r"fits +yes: 7 such runs fit\n")

    def test_more_than_all(self):
        self.create()
        said = self.json("quote", "--event", "GAUSS(2)")
        self.assertEqual((said["fits"], said["how_many"]), (False, 0))
        text = self.text("quote", "--event", "GAUSS(2)")
        self.assertIn("more than the whole cap", text)
        self.assertNotIn("inf", text)

    def test_events_from_a_file(self):
        self.create()
        self.assertEqual(self.sotto("account", *GAUSS, "--adjacency", "add-remove", "--delta",
                                    "1e-6", "--save", "e.json").code, OK)
        self.assertEqual(self.json("quote", "--events", "e.json"), self.json("quote", *GAUSS))

    def test_refusals(self):
        self.create()
        for args, word in (((), "--epsilon"), ((*GAUSS, "--epsilon", "1"), "--epsilon"),
                           ((*GAUSS, "--rows", "9"), "--rows"),
                           ((*GAUSS, "--runs", "0"), "--runs"),
                           (("--event", "GAUS(1)"), "GAUS"),
                           ((*GAUSS, "--adjacency", "zero-out"), "--adjacency add-remove"),
                           ((*SMALL, "--rows", "90", "--features", "2", "--adjacency",
                             "replace-one"), "--adjacency add-remove")):
            with self.subTest(args):
                result = self.ledger("quote", *args)
                self.assertIn(word, self.assert_one_line(result, result.code))
                self.assertIn(result.code, (USAGE, PRIVACY))

    def test_adjacency_is_the_data_sets(self):
        self.create("d", "--adjacency", "zero-out")
        self.assertEqual(self.json("quote", *GAUSS)["how_many"], FIT)


class Verify(Ledger):
    def setUp(self):
        super().setUp()
        self.create()
        self.text("backup", "-o", "old.db")
        for i in range(3):
            self.book()
            os.rename(self.path("m.json"), self.path("m%d.json" % i))

    def test_right(self):
        self.assertEqual(self.text("verify", "m0.json", "m2.json").splitlines(), [
            "t.db: 4 entries, every chain and every sum is right",
            "m0.json: entry 2 of its data set, as it was booked",
            "m2.json: entry 4 of its data set, as it was booked"])
        said = self.json("verify", "m1.json")
        self.assertEqual((said["checked"], said["models"]),
                         (4, [{"model": "m1.json", "position": 3}]))
        self.assertEqual(self.json("verify")["models"], [])

    def wrong(self, *args, file="t.db"):
        result = self.ledger("verify", *args, file=file)
        self.assertEqual(result.code, PRIVACY)
        self.assertRegex(result.err.decode(), r"\Asotto: [^\n]+\n\Z")
        return result

    def change(self, sql):
        """Changes the database as somebody would who knows it well: the triggers are back."""
        database = sqlite3.connect(self.path("t.db"))
        triggers = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
                                    ).fetchall()
        for name, _ in triggers:
            database.execute("DROP TRIGGER " + name)
        database.execute(sql)
        for _, made in triggers:
            database.execute(made)
        database.commit()
        database.close()

    def test_an_entry_that_was_changed(self):
        self.change("UPDATE entry SET square = square / 2 WHERE position = 3")
        self.assertRegex(self.wrong().err, rb"\bentry 3\b")
        self.assertEqual(self.wrong("m0.json").out, b"")
        page = self.text("export", "-o", "-", "--format", "html")
        self.assertIn("NOT VERIFIED", page)
        self.assertNotIn("Verified:", page)
        self.assertRegex(page, r"\bentry 3\b")

    def test_an_old_copy(self):
        result = self.wrong("m0.json", file="old.db")
        self.assertIn(b"m0.json: ", result.err)
        self.assertEqual(result.out.decode().splitlines()[1].split(":")[0], "NOT VERIFIED")

    def test_all_are_looked_at(self):
        for how in (("--ledger", "none", *SMALL, "-o", "untracked.json"),
                    ("--loss", "logistic", "--epsilon", "inf", "--l2", "1", "-o", "exact.json")):
            result = self.sotto("train", "d.csv", "--schema", "row.json", *how)
            self.assertEqual(result.code, OK, result.err)
        result = self.wrong("m0.json", "nothing.json", "untracked.json", "exact.json", "m1.json")
        lines = result.out.decode().splitlines()
        self.assertEqual(["NOT VERIFIED" in line for line in lines],
                         [False, False, True, True, True, False])
        self.assertIn("untracked", lines[3])
        self.assertIn("NOT PRIVATE", lines[4])
        self.assertIn(b"untracked.json", result.err)
        failed = self.ledger("verify", "nothing.json", "--json")
        self.assertEqual((failed.code, failed.out), (FAILED, b""))


class Files(Ledger):
    def setUp(self):
        super().setUp()
        self.create("patients", "--owner", "A & B")
        self.create("visits", "--part-column", "part", "--parts", "Q1,Q2,Q3")
        self.book("--purpose", "who & <why>")
        self.book("--parts", "Q2", "--bad-rows", "drop", name="visits")

    def read_file(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_export(self):
        for name, *args in (("x.json",), ("x", "--format", "json")):
            result = self.ledger("export", "-o", name, *args)
            self.assertEqual((result.code, result.out), (OK, b""), result.err)
            self.assertIn("patients", json.dumps(json.loads(self.read_file(name))))
        self.text("export", "-o", "x.csv")
        rows = list(csv.reader(io.StringIO(self.read_file("x.csv"))))
        self.assertEqual(len({len(row) for row in rows}), 1)
        self.assertEqual(self.json("export", "-o", "y.csv"), {"output": "y.csv"})
        self.text("export", "-o", "one.json", "--dataset", "visits")
        self.assertNotIn("patients", self.read_file("one.json"))
        self.assertEqual(self.text("export", "-o", "-", "--format", "csv"), self.read_file("x.csv"))

    def test_page(self):
        result = self.ledger("export", "-o", "x.html")
        self.assertEqual((result.code, result.err), (OK, b"wrote x.html: open it in a browser\n"))
        page = self.read_file("x.html")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        words = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
        for text in ("Verified:", "all 4 entries", "A &amp; B", "who &amp; &lt;why&gt;",
                     "promised of all runs together", "%s of 100" % rounded_up(most_guessed(3, 1e-6), 3), "A cap for each part",
                     "Not for release", "Created with a cap of epsilon 3 at delta 1e-6"):
            self.assertIn(text, words)
        self.assertEqual(page.count("<svg"), 4)
        one = self.json("list")["datasets"][0]
        self.assertIn("epsilon %s of 3" % rounded_up(one["spent_epsilon"], 3), words)
        self.assertIn(one["head"], words)
        self.assertNotRegex(page, r"<script|<img|https?://")
        self.text("export", "-o", "one.html", "--dataset", "visits")
        self.assertNotIn("A &amp; B", self.read_file("one.html"))

    def test_page_without_a_cap(self):
        self.assertEqual(self.train().code, OK)
        page = self.text("export", "-o", "-", "--format", "html", file=None)
        self.assertIn("No cap", page)
        self.assertIn("would have let through", re.sub(r"<[^>]*>|\s+", " ", page))
        self.assertNotIn("<svg", page)

    def test_long_history(self):
        """The page has the latest hundred, and says so."""
        for i in range(101):
            self.text("raise", "--dataset", "patients", "--epsilon", repr(4 + i / 64), "--delta", "1e-6",
                      "--quiet")
        page = self.text("export", "-o", "-", "--format", "html", "--dataset", "patients")
        self.assertIn("3 earlier entries are not on this page", page)

    def test_export_is_its_owners(self):
        for name in ("x.json", "x.csv", "x.html"):
            self.text("export", "-o", name)
            self.assertEqual(stat.S_IMODE(os.stat(self.path(name)).st_mode), 0o600)

    def test_backup(self):
        result = self.ledger("backup", "-o", "b.db")
        self.assertEqual((result.code, result.err), (OK, b"wrote b.db\n"))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("b.db")).st_mode), 0o600)
        ours, theirs = self.json("list"), self.json("list", file="b.db")
        self.assertEqual(ours["datasets"], theirs["datasets"])
        self.assertEqual(self.json("backup", "-o", "c.db"), {"output": "c.db"})
        self.assertIn("another name", self.refused(USAGE, "backup", "-o", "b.db"))

    def test_refusals(self):
        for action, args, word in (
                ("export", (), "-o FILE"), ("backup", (), "-o FILE"),
                ("export", ("-o", "x.svm"), ".html"), ("export", ("-o", "x"), ".html"),
                ("export", ("-o", "x.csv", "--format", "npy"), ".html"),
                ("export", ("-o", "-", "--format", "json", "--json"), "stdout"),
                ("export", ("-o", "t.db", "--format", "json"), "another name"),
                ("backup", ("-o", "t.db"), "another name"), ("backup", ("-o", "-"), "a file"),
                ("export", ("-o", "x.json", "--dataset", "nobody"), "nobody")):
            with self.subTest(action=action, args=args):
                self.assertIn(word, self.refused(USAGE, action, *args))
        self.refused(FAILED, "export", "-o", "no-such/x.json")
        self.refused(FAILED, "backup", "-o", "no-such/x.db")
        self.assertFalse(os.path.exists(self.path("x.json")))


class Keys(Ledger):
    def test_all_keys_are_printed(self):
        self.create()
        self.book()
        seen = set()
        for action, *args in (("list",), ("show",), ("history",), ("quote", *GAUSS),
                              ("verify", "m.json"), ("backup", "-o", "b.db")):
            seen |= set(self.json(action, *args))
        self.assertEqual(seen, KEYS)


if __name__ == "__main__":
    unittest.main()

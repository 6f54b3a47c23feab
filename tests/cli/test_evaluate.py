#!/usr/bin/python3
"""evaluate --epsilon: numbers that may be published, as a person makes them.

Statistical checks allow seven standard errors or more: they fail by chance less than once in 1e9.
"""

import json
import math
import os
import random
import unittest

from common import BUDGET, DATA, OK, PRIVACY, USAGE, Case

PRIVATE = ("--epsilon", "4", "--delta", "1e-6")
MEMBERS = {"sotto_evaluation", "model", "loss", "classes", "rows", "numbers", "by_class",
           "confusion", "scores", "roc", "calibration", "privacy", "checksum"}


def rows(count, kind, seed=1):
    """x1, x2, a person with two rows, and a target: two classes, three, or a number."""
    chance = random.Random(seed)
    lines = ["x1,x2,who,t"]
    for i in range(count):
        a, b = chance.gauss(0, 1), chance.gauss(0, 1)
        score = 1.5 * a - b + chance.gauss(0, 1)
        target = {"two": "yes" if score > 0 else "no",
                  "three": "low" if score < -1 else "high" if score > 1 else "middle",
                  "number": "%.4f" % score}[kind]
        lines.append("%.4f,%.4f,p%d,%s" % (a, b, i // 2, target))
    return "\n".join(lines) + "\n"


CLASSES = {"two": ["--classes", "no,yes", "--loss", "logistic"],
           "three": ["--classes", "low,middle,high", "--loss", "logistic"],
           "number": ["--loss", "squared"]}


class Evaluation(Case):
    """Private models of each kind, of so much budget that they are good."""

    def good(self, *args):
        result = self.sotto(*args)
        self.assertEqual((result.code, result.err.decode()), (OK, result.err.decode()))
        return result

    def model(self, kind, count=3000, more=()):
        self.write("train.csv", rows(600, kind, 2))
        self.write("test.csv", rows(count, kind))
        args = more or CLASSES[kind]
        self.good("train", "train.csv", "--target", "t", "--drop", "who", *args, "--l2", "0.001",
                  "--epsilon", "30", "--delta", "1e-3", "--ledger", "none", "-o", "m.json", "--quiet")

    def evaluate(self, *args, budget=PRIVATE):
        args = args if "--unit-column" in args else ("--drop", "who", *args)
        return self.sotto("evaluate", "m.json", "test.csv", *budget, "-o", "e.json", *args)

    def evaluated(self, *args, **more):
        result = self.evaluate(*args, **more)
        self.assertEqual(result.code, OK, result.err)
        return self.read("e.json")

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def exact(self):
        return json.loads(self.good("evaluate", "m.json", "test.csv", "--json", "--quiet",
                                    "--drop", "who").out)

    def assert_near(self, told, exact):
        """Noise alone is a part of what sd has."""
        self.assertLess(abs(told["value"] - exact), 7 * told["sd"] + 1e-9)
        low, high = told["interval_95"]
        self.assertTrue(low <= told["interval_90"][0] <= told["value"]
                        <= told["interval_90"][1] <= high)
        self.assertGreater(told["sd"], 0)


class Numbers(Evaluation):

    def test_two_classes(self):
        self.model("two")
        told, exact = self.evaluated(), self.exact()
        self.assertEqual(set(told), MEMBERS)
        self.assertEqual(set(told["numbers"]), {"accuracy", "auc", "log_loss"})
        for name in ("accuracy", "auc", "log_loss"):
            self.assert_near(told["numbers"][name], exact[name])
            self.assertLess(told["numbers"][name]["sd"], .05)
        self.assert_near(told["rows"], 3000)
        counts = told["confusion"]["counts"]
        self.assertLess(abs(sum(map(sum, counts)) - 3000), 200)
        self.assertAlmostEqual((counts[0][0] + counts[1][1]) / sum(map(sum, counts)),
                               told["numbers"]["accuracy"]["value"], 9)
        self.assertIn(0, told["scores"]["edges"])
        self.assertEqual(told["scores"]["edges"], sorted(told["scores"]["edges"]))

    def test_curves(self):
        self.model("two")
        told = self.evaluated()
        for key in ("fpr", "tpr"):
            self.assertEqual(told["roc"][key], sorted(told["roc"][key]))
        self.assertEqual(told["roc"]["threshold"],
                         sorted(told["roc"]["threshold"], reverse=True))
        line = told["calibration"]["monotone"]
        self.assertEqual(line, sorted(line))
        self.assertGreater(len(line), 8)
        for predicted, seen, sd in zip(*(told["calibration"][k]
                                         for k in ("predicted", "observed", "sd"))):
            self.assertLess(abs(predicted - seen), 7 * sd + .1)

    def test_log_loss_of_a_rare_class(self):
        """Rows of a rare class have the large losses and are few in each range of them. They must not
        be cut off: the mean of the runs is near the exact loss. With these seeds, not by chance."""
        chance = random.Random(4)
        lines = ["x1,x2,who,t"]
        for i in range(2400):
            a, b = chance.gauss(0, 1), chance.gauss(0, 1)
            lines.append("%.4f,%.4f,p%d,%s" % (a, b, i, "yes" if chance.random() < 1 / (
                1 + math.exp(2.6 - 1.2 * a + .8 * b)) else "no"))
        self.model("two")
        self.write("train.csv", "\n".join(lines) + "\n")
        self.write("test.csv", "\n".join(lines) + "\n")
        self.good("train", "train.csv", "--target", "t", "--drop", "who", *CLASSES["two"],
                  "--epsilon", "inf", "-o", "m.json", "--quiet")
        exact = json.loads(self.good("evaluate", "m.json", "test.csv", "--json", "--quiet").out)
        found = [self.evaluated("--insecure-seed", str(seed), budget=(
            "--epsilon", "1", "--delta", "1e-6"))["numbers"]["log_loss"] for seed in range(1, 17)]
        mean = sum(n["value"] for n in found) / len(found)
        self.assertLess(abs(mean - exact["log_loss"]), found[0]["sd"])
        self.assertGreaterEqual(sum(n["interval_95"][0] < exact["log_loss"] < n["interval_95"][1]
                                    for n in found), 13)

    def test_a_number(self):
        self.model("number")
        told, exact = self.evaluated(), self.exact()
        self.assertEqual(set(told["numbers"]), {"r2", "mse", "mae"})
        for name in ("mse", "r2"):
            self.assert_near(told["numbers"][name], exact[name])
        self.assertLess(told["numbers"]["r2"]["sd"], .05)
        answers = self.good("predict", "m.json", "test.csv", "--drop", "who").out.split()
        target = [line.rsplit(",", 1)[1] for line in rows(3000, "number").splitlines()[1:]]
        mae = sum(abs(float(a) - float(b)) for a, b in zip(answers, target)) / 3000
        self.assert_near(told["numbers"]["mae"], mae)

    def test_three_classes(self):
        self.model("three")
        told, exact = self.evaluated(), self.exact()
        self.assertEqual(set(told), MEMBERS - {"scores", "roc", "calibration"})
        for name in ("accuracy", "log_loss"):
            self.assert_near(told["numbers"][name], exact[name])
        for i in range(3):
            recall = exact["confusion"][i][i] / sum(exact["confusion"][i])
            self.assert_near(told["by_class"][i]["recall"], recall)
            for j in range(3):
                self.assertLess(abs(told["confusion"]["counts"][i][j] - exact["confusion"][i][j]),
                                7 * told["confusion"]["noise_sd"][i][j])
        words = self.evaluate().out.decode()
        self.assertIn("recall of middle", words)
        self.assertIn("predicted class", words)

    def test_without_probabilities(self):
        self.model("two", more=["--classes", "no,yes", "--loss", "hinge"])
        told = self.evaluated()
        self.assertEqual(set(told["numbers"]), {"accuracy", "auc"})
        self.assertNotIn("calibration", told)

    def test_too_few_rows(self):
        for kind, name in (("two", "auc"), ("number", "r2")):
            self.model(kind, 8)
            told = self.evaluated(budget=("--epsilon", ".1", "--delta", "1e-6"))["numbers"][name]
            if told["value"] is None:
                self.assertTrue(told["why"])
            else:  # noise made something of it: then it says how much it is worth
                self.assertGreater(told["sd"], .05)


class Promise(Evaluation):

    def test_statement(self):
        self.model("two")
        told = self.evaluated()["privacy"]
        self.assertLessEqual(told["epsilon"], 4)
        self.assertGreater(told["epsilon"], 3.99)
        self.assertEqual(told["ledger"], "untracked")
        mu = math.sqrt(sum(q["times"] * q["mu"] ** 2 for q in told["questions"]))
        events = ["--event", "GAUSS(%.17g)" % mu, "--delta", "1e-6", "--adjacency", "add-remove"]
        whole = json.loads(self.good("account", *events, "--json").out)["epsilon"]
        self.assertLess(whole, told["epsilon"] + 1e-3)
        self.assertGreater(whole, told["epsilon"] - 1e-3)
        self.assertEqual([q["question"] for q in told["questions"]],
                         ["total", "outcomes", "outcomes", "outcomes", "errors"])

    def test_show_prices_again(self):
        self.model("two")
        told = self.evaluated()
        shown = self.good("show", "e.json").out.decode()
        self.assertIn("AUC", shown)
        self.assertIn("private    epsilon", shown)
        self.assertEqual(json.loads(self.good("show", "e.json", "--json").out), told)
        with open(self.path("e.json"), "rb") as pipe: # a pipe is read once
            piped = self.sotto("show", "/dev/stdin", "--json", input=pipe.read()).out
        self.assertEqual(json.loads(piped), told)
        told["privacy"]["epsilon"] = .5
        self.write_model("forged.json", told)
        self.assertEqual(self.sotto("show", "forged.json").code, PRIVACY)
        self.assertEqual(self.sotto("report", "m.json", "forged.json", "-o", "p.html").code,
                         PRIVACY)

    def test_on_stdout_it_is_alone(self):
        self.model("two")
        ledger = ("--ledger", "l.db", "--dataset", "d")
        self.good("ledger", "create", *ledger, "--epsilon", "20", "--delta", "1e-5")
        done = self.good("evaluate", "m.json", "test.csv", "--drop", "who", *PRIVATE, *ledger, "-o", "-")
        self.assertIn("sotto_evaluation", json.loads(done.out))

    def test_the_model_must_be_private(self):
        """Numbers about an exact model, and its hash, tell of the records that it was learned from."""
        self.write("train.csv", rows(600, "two", 2))
        self.write("test.csv", rows(600, "two"))
        ledger = ("--ledger", "l.db", "--dataset", "d")
        self.good("ledger", "create", *ledger, "--epsilon", "9", "--delta", "1e-5")
        for more in (["--epsilon", "inf"], ["--epsilon", "2", "--delta", "1e-6", "--insecure-seed", "1"]):
            self.good("train", "train.csv", "--target", "t", "--drop", "who", *CLASSES["two"], *more,
                      "--ledger", "none", "-o", "m.json", "--quiet")
            result = self.evaluate(*ledger)
            self.assertEqual(result.code, PRIVACY, result.err)
            self.assertIn(b"the model is NOT PRIVATE", result.err)
            self.assertFalse(os.path.exists(self.path("e.json")))
            self.assertIn(b"epsilon 0 of 9", self.good("ledger", "show", *ledger).out)
            self.assertIs(self.evaluated("--insecure-seed", "5")["not_private"], True)
            os.remove(self.path("e.json"))
        self.model("two")
        with open(self.path("m.json"), encoding="utf-8") as file:
            told = json.load(file)
        told["privacy"]["epsilon"] = .01
        self.write_model("m.json", told)
        self.assertEqual(self.evaluate().code, PRIVACY)

    def test_a_score_without_end_says_nothing(self):
        """Whoever writes a model chooses which records have one."""
        self.model("number")
        with open(self.path("m.json"), encoding="utf-8") as file:
            told = json.load(file)
        told["weights"] = [1e308, 1e308]
        for column in ("x1", "x2"):
            told["schema"]["columns"][column].pop("bounds", None)
        self.write_model("m.json", told)
        self.write("test.csv", "x1,x2,who,t\n9,9,a,1\n1,1,b,2\n0,0,c,1\n")
        result = self.evaluate()
        self.assertNotIn(b"row 1", result.err)

    def test_file_is_an_allow_list(self):
        self.model("two")
        told = self.evaluated()
        self.write_model("same.json", told)
        self.good("show", "same.json")
        for change in ({"exact_rows": 3000}, {"rows": 3000}, {"numbers": {"auc": .5}},
                       {"privacy": None}, {"scores": {"rows": ["p1"]}}, {"classes": [1, 2]}):
            self.write_model("more.json", {**told, **change})
            result = self.sotto("show", "more.json")
            self.assertEqual(result.code, USAGE, change)
            self.assertEqual(result.err.count(b"\n"), 1)
        with open(self.path("e.json"), encoding="utf-8") as file:
            text = file.read()
        self.write("changed.json", text.replace("0.9", "0.8", 1))
        self.assertIn(b"checksum", self.sotto("show", "changed.json").err)

    def test_noise_is_that_of_a_person(self):
        self.model("two")
        one = self.evaluated()["scores"]["noise_sd"][0]
        ten = self.evaluated("--rows-per-person", "10")["scores"]["noise_sd"][0]
        self.assertAlmostEqual(ten / one, 10, 6)
        told = self.evaluated("--unit-column", "who", "--rows-per-person", "2")
        self.assertEqual(told["privacy"]["unit_column"], "who")
        self.assertAlmostEqual(told["scores"]["noise_sd"][0] / one, 2, 6)
        replaced = self.evaluated("--adjacency", "replace-one")["scores"]["noise_sd"][0]
        self.assertGreater(replaced / one, 1.3)

    def test_people_of_the_model(self):
        """A model that knows whose rows they are keeps it that way."""
        self.model("two")
        columns = {"x1": {"type": "number"}, "x2": {"type": "number"}, "who": {"type": "unit"},
                   "t": {"type": "target", "classes": ["no", "yes"]}}
        self.write("s.json", json.dumps({"sotto_schema": 1, "columns": columns}))
        self.good("train", "train.csv", "--schema", "s.json", "--loss", "logistic", "--epsilon",
                  "30", "--delta", "1e-3", "--ledger", "none", "-o", "m.json", "--quiet")
        file = ("evaluate", "m.json", "test.csv", *PRIVATE, "-o", "e.json")
        self.good(*file, "--rows-per-person", "2")
        told = self.read("e.json")
        self.assertEqual(told["privacy"]["unit_column"], "who")
        self.assert_near(told["rows"], 3000)
        self.good(*file)  # one of two rows
        self.assert_near(self.read("e.json")["rows"], 1500)
        lines = [line.split(",") for line in rows(20, "two").splitlines()]
        self.write("test.csv", "\n".join(",".join((a, b, t)) for a, b, _, t in lines) + "\n")
        result = self.sotto(*file)
        self.assertEqual(result.code, DATA)
        self.assertIn(b"who", result.err)
        self.good("evaluate", "m.json", "test.csv")

    def test_insecure_seed(self):
        self.model("two")
        told = self.evaluated("--insecure-seed", "5")
        self.assertIs(told["not_private"], True)
        self.assertIsNone(told["privacy"])
        self.assertIn(b"NOT PRIVATE", self.good("show", "e.json").out)
        again = self.evaluated("--insecure-seed", "5", "--threads", "1")
        self.assertEqual(told, again)
        self.good("report", "m.json", "e.json", "-o", "p.html")
        with open(self.path("p.html"), encoding="utf-8") as file:
            self.assertIn("must not be published", file.read())

    def test_not_for_release(self):
        self.model("two")
        for quiet in ((), ("--quiet",)):
            result = self.good("evaluate", "m.json", "test.csv", "--drop", "who", *quiet)
            self.assertTrue(result.out.startswith(b"NOT FOR RELEASE"))

    def test_refused(self):
        self.model("two")
        file = ("evaluate", "m.json", "test.csv", "--drop", "who")
        for more, code in (((*PRIVATE,), USAGE), (("--epsilon", "1", "-o", "e.json"), PRIVACY),
                           (("--delta", "1e-6"), USAGE), (("-o", "e.json"), USAGE),
                           (("--dataset", "d"), USAGE),
                           ((*PRIVATE, "-o", "-"), PRIVACY),
                           ((*PRIVATE, "-o", "test.csv"), USAGE)):
            result = self.sotto(*file, *more)
            self.assertEqual((result.code, result.err.count(b"\n"), result.out), (code, 1, b""),
                             more)

    def test_what_is_missing_is_told_at_once(self):
        self.model("two")
        file = ("evaluate", "m.json", "test.csv", "--drop", "who")
        self.assertIn("expected --delta D, well below 1 / rows, and -o FILE, too",
                      self.assert_one_line(self.sotto(*file, "--epsilon", "1"), USAGE))
        self.assertIn("expected --epsilon E, --delta D and -o FILE",
                      self.assert_one_line(self.sotto(*file, "-o", "e.json"), USAGE))

    def test_another_version(self):
        """Both numbers are told, as of a model."""
        self.model("two")
        told = self.evaluated()
        self.write_model("new.json", {**told, "sotto_evaluation": 7})
        for args in (("show", "new.json"), ("report", "m.json", "new.json", "-o", "p.html")):
            text = self.assert_one_line(self.sotto(*args), USAGE)
            self.assertRegex(text, r"new\.json: an evaluation of version 7; this sotto "
                             r"\(\d+\.\d+\.\d+\) reads version 1: use the sotto it was made with")


class Booked(Evaluation):

    def setUp(self):
        super().setUp()
        self.model("two")
        self.good("ledger", "create", "--ledger", "l", "--dataset", "both", "--epsilon", "5", "--delta",
                  "1e-6")

    def booked(self, *args):
        return self.evaluate("--ledger", "l", "--dataset", "both", *args)

    def test_booked_before_a_row_is_read(self):
        self.write("test.csv", rows(200, "two") + "x,y,z\n")
        result = self.booked()
        self.assertEqual(result.code, DATA)
        self.assertIn(b"stays charged", result.err)
        self.assertFalse(os.path.exists(self.path("e.json")))
        self.assertEqual(self.booked().code, BUDGET)  # 4 of 5 are gone

    def test_booked_once(self):
        self.assertEqual(self.booked().code, OK)
        told = self.read("e.json")["privacy"]["ledger"]
        self.assertEqual(told["dataset"], "both")
        self.assertLessEqual(told["spent_epsilon"], 5)
        self.assertFalse(os.path.exists(self.path("e.json.spent")))
        verified = self.good("ledger", "verify", "e.json", "--ledger", "l")
        self.assertIn(b"e.json", verified.out)
        self.good("ledger", "create", "--ledger", "other", "--dataset", "both", "--epsilon", "5",
                  "--delta", "1e-6")
        self.assertEqual(self.sotto("ledger", "verify", "e.json", "--ledger", "other").code, PRIVACY)
        result = self.booked()
        self.assertEqual((result.code, result.out), (BUDGET, b""))

    def test_two_prices_add_up(self):
        """A training on the same data set leaves less."""
        self.good("train", "train.csv", "--target", "t", "--drop", "who", *CLASSES["two"],
                  "--epsilon", "3", "--delta", "1e-6", "--ledger", "l", "--dataset", "both",
                  "-o", "p.json", "--quiet")
        self.assertEqual(self.booked().code, BUDGET)
        os.rename(self.path("p.json"), self.path("m.json"))
        self.assertIn(b'trained under data set "both"', self.evaluate().err)
        self.assertNotIn(b"trained under", self.booked().err)

    def test_spent(self):
        """Without a ledger a run that was killed leaves what it may have spent."""
        self.write("e.json.spent", "{}")
        self.assertEqual(self.evaluate().code, BUDGET)


class Page(Evaluation):

    def test_report(self):
        self.model("two")
        self.evaluated()
        self.good("report", "m.json", "e.json", "-o", "p.html", "--quiet")
        with open(self.path("p.html"), encoding="utf-8") as file:
            page = file.read()
        for words in ("ROC curve with its band", "calibration curve", "90 % interval", "AUC",
                      "How good it is: e.json", "class=\"band\""):
            self.assertIn(words, page)
        self.write("train.csv", rows(500, "two", 3))
        self.good("train", "train.csv", "--target", "t", "--drop", "who", *CLASSES["two"],
                  "--epsilon", "inf", "-o", "other.json", "--quiet")
        result = self.sotto("report", "other.json", "e.json", "-o", "q.html")
        self.assertEqual(result.code, USAGE)
        self.assertIn(b"of another model", result.err)
        self.assertEqual(self.sotto("report", "e.json", "-o", "q.html").code, USAGE)

    def test_names_are_text(self):
        evil = "<b>&"
        self.model("two", more=["--classes", "no,yes", "--loss", "logistic"])
        told = self.evaluated()
        told["classes"] = ["no", evil]
        self.write_model("evil.json", told)
        self.good("report", "m.json", "evil.json", "-o", "p.html")
        with open(self.path("p.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertNotIn(evil, page)
        self.assertIn("&lt;b&gt;&amp;", page)


class Broken(Evaluation):

    def test_any_numbers(self):
        """Numbers that make no curve are left out of it, and nothing breaks."""
        self.model("two")
        told = self.evaluated()
        for roc in ({}, {"fpr": [None, 1e300, -5], "tpr": [1], "fpr_sd": [], "tpr_sd": []},
                    {"fpr": [.5], "tpr": [[1, 2]], "fpr_sd": [0], "tpr_sd": [0]}):
            self.write_model("odd.json", {**told, "roc": roc, "calibration": roc})
            self.good("report", "m.json", "odd.json", "-o", "p.html")
            with open(self.path("p.html"), encoding="utf-8") as file:
                page = file.read()
            self.assertNotIn("nan", page.lower().split("<style>")[0])
            self.assertNotIn("ROC curve with", page)


if __name__ == "__main__":
    unittest.main()

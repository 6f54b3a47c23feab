#!/usr/bin/env python3
"""sotto audit: what it says of a program that keeps its promise, and that faults are found.

tests/mutants has the faults: each of them must make one of these audits fail. An audit of a
program without a fault says "broken" less than once in ten million times, and there are some
twenty of them here.
"""
import json
import math
import os
import statistics
import sys
import unittest

from common import OK, PRIVACY, USAGE, Case, schema

NUMBER = {"type": "number", "bounds": [-1, 1]}
ONE = {"a": NUMBER, "t": {"type": "target", "bounds": [-10, 10]}}
CLASSES = {"a": NUMBER, "b": {"type": "number", "bounds": [0, 100]},
           "level": {"type": "category", "levels": ["u", "v", "w"]},
           "t": {"type": "target", "classes": ["no", "yes"]}}
NUMBERS = {**CLASSES, "t": {"type": "target", "bounds": [0, 3]}}
PEOPLE = {"a": NUMBER, "who": {"type": "unit"}, "w": {"type": "weight", "bounds": [0, 3]},
          "d": {"type": "date", "bounds": ["2020-01-01", "2021-01-01"]},
          "f": {"type": "boolean"}, "t": {"type": "target", "classes": ["x", "y", "z"]}}
FOUND = {"level": {"type": "category", "levels": "private"}, "a": NUMBER,
         "t": {"type": "target", "classes": ["no", "yes"]}}

# Told nearly as well as the claim allows: half the noise is found.
TIGHT = [(ONE, "--rows", "500", "--solver", "gd", "--clip", ".1"),
         (ONE, "--rows", "500", "--solver", "cd", "--clip", ".1", "--adjacency", "replace-one"),
         (ONE, "--rows", "500", "--solver", "ssp"),
         (FOUND, "--rows", "30", "--loss", "logistic"),
         (ONE, "--rows", "500", "--solver", "sgd", "--clip", ".1", "--passes", "1")]
LOGISTIC = ("--loss", "logistic")
DUAL = ("--l2", ".1", "--no-intercept")
DEEP = [(CLASSES, *LOGISTIC), (CLASSES, *LOGISTIC, "--rows", "500"), (NUMBERS, "--rows", "9000"),
        (NUMBERS, "--loss", "huber", "--solver", "newton", "--rows", "500"),
        (CLASSES, *LOGISTIC, "--solver", "cd"),
        (CLASSES, *LOGISTIC, "--solver", "cd", "--adjacency", "zero-out"),
        (CLASSES, "--loss", "squared-hinge", "--solver", "gd", "--adjacency", "replace-one"),
        (CLASSES, *LOGISTIC, "--solver", "sgd", "--passes", "1", "--rows", "500"),
        (CLASSES, *LOGISTIC, "--solver", "sgd", "--passes", "1", "--adjacency", "replace-one"),
        (CLASSES, *LOGISTIC, "--solver", "gcd", "--rows", "500"),
        (CLASSES, *LOGISTIC, "--solver", "svrg", "--rows", "500"),
        (CLASSES, "--loss", "hinge", "--solver", "scd", *DUAL, "--passes", "2"),
        (NUMBERS, "--solver", "scd-paper", *DUAL, "--passes", "2", "--rows", "500"),
        (NUMBERS, "--solver", "scd-seq", *DUAL, "--adjacency", "zero-out", "--rows", "500"),
        (NUMBERS, "--solver", "scd-primal", *DUAL),
        (NUMBERS, "--solver", "fw", "--radius", "1", "--no-intercept", "--rows", "500"),
        (NUMBERS, "--solver", "bcfw", "--blocks", "2", "--radius", "1", "--no-intercept"),
        (NUMBERS, "--solver", "ssp"), (NUMBERS, "--solver", "ssp", "--adjacency", "replace-one"),
        (CLASSES, *LOGISTIC, "--solver", "output", *DUAL, "--rows", "500"),
        (CLASSES, *LOGISTIC, "--solver", "objective", *DUAL, "--rows", "500"),
        (PEOPLE, *LOGISTIC, "--rows-per-person", "3"),
        (PEOPLE, *LOGISTIC, "--rows-per-person", "2", "--multiclass", "one-versus-rest",
         "--rows", "9000"),
        (FOUND, *LOGISTIC), ({**FOUND, "a": {"type": "number"}}, *LOGISTIC, "--rows", "9000")]
NIGHTLY = "--nightly" in sys.argv  # more of everything: tools/nightly.py


def normal(x):
    return statistics.NormalDist().inv_cdf(x)


def log_tail(hits, runs, p):
    """log P(at least `hits` of `runs`), by the sum of all its terms."""
    terms = [math.lgamma(runs + 1) - math.lgamma(k + 1) - math.lgamma(runs - k + 1) +
             k * math.log(p) + (runs - k) * math.log1p(-p) for k in range(hits, runs + 1)]
    top = max(terms)
    return top + math.log(sum(math.exp(t - top) for t in terms))


def below(hits, runs, wrong):
    """Clopper and Pearson's lower bound."""
    low, high = 0., 1.
    if hits == 0:
        return 0.
    for _ in range(60):
        middle = (low + high) / 2
        if log_tail(hits, runs, middle) <= math.log(wrong):
            low = middle
        else:
            high = middle
    return low


class Audits(Case):
    def audit(self, columns, *args, code=OK):
        self.write("s.json", schema(columns))
        result = self.sotto("audit", "--schema", "s.json", "--delta", "1e-5", "--json", *args,
                            env={**os.environ, "SOTTO_LEDGER": self.path("own.ledger")})
        if code == OK:
            self.assertEqual(result.code, OK, (args, result.out, result.err))
            return json.loads(result.out)
        self.assertEqual(result.code, code, (args, result.out, result.err))
        return result.err.decode()

    def certified(self, found):
        """What the counts show, by another way."""
        low = below(found["hits"], found["held"], .025)
        high = 1 - below(found["held"] - found["alarms"], found["held"], .025)
        mu = max(0, normal(low) - normal(high)) if low > 0 and high < 1 else 0
        gaussian = found["certified_mu"] is not None  # all noise of the plan is
        if gaussian:
            self.assertAlmostEqual(found["certified_mu"], mu, delta=1e-6)
        ratios = [(low - found["delta"], high), (1 - high - found["delta"], 1 - low)]
        shown = max(0, *(math.log(a / b) if a > 0 else 0 for a, b in ratios))
        self.assertAlmostEqual(found["certified_any"], shown, delta=1e-6)
        self.assertLessEqual(found["certified_any"], found["epsilon"])
        epsilon, mu = found["certified_epsilon"], found["certified_mu"]
        if gaussian and epsilon > 0:
            cdf = statistics.NormalDist().cdf
            delta = (cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * cdf(-mu / 2 - epsilon / mu))
            self.assertAlmostEqual(delta / found["delta"], 1, delta=1e-3)

    def test_claims_stand(self):
        """And what is told nearly as well as the claim allows is certified so: of mu at least a
        third. The bound's standard deviation is .06 of mu, and its mean .87."""
        for columns, *args in TIGHT:
            found = self.audit(columns, "--epsilon", "8", "--trials",
                               "20000" if NIGHTLY else "1000", *args)
            self.assertFalse(found["broken"])
            self.assertEqual(found["held"], 10000 if NIGHTLY else 500)
            self.certified(found)
            if "ssp" in args or "gd" in args:
                self.assertGreater(found["certified_mu"], found["mu"] / 3, found)

    def test_all_solvers(self):
        for columns, *args in DEEP if NIGHTLY else ():
            with self.subTest(args=args):
                found = self.audit(columns, "--epsilon", "8", "--trials", "2000", *args)
                self.assertFalse(found["broken"])
                self.certified(found)

    def test_replayed_answers(self):
        """Something is asked, and moves by as much as it may in some of them."""
        most = 0
        for columns, *args in DEEP:
            with self.subTest(args=args):
                found = self.audit(columns, "--epsilon", "4", "--deep", "--trials",
                                   "1000" if NIGHTLY else "20", *args)
                self.assertEqual((found["broken"], found["differing"]), (False, 0))
                self.assertGreaterEqual(found["questions"], 3 * found["neighbours"])
                self.assertLessEqual(found["moved"], 1)
                most = max(most, found["moved"])
        self.assertEqual(most, 1)

    def test_without_a_schema(self):
        """Columns without names or bounds: as a file of CSV, and of svmlight."""
        for args in (["--features", "3", "--target", "y"],
                     ["--features", "6", "--format", "svmlight", "--undeclared", "rows",
                      "--solver", "gcd", "--loss", "logistic"]):
            result = self.sotto("audit", "--epsilon", "4", "--delta", "1e-5", "--deep", "--trials",
                                "20", "--json", *args)
            self.assertEqual(result.code, OK, result.err)
            self.assertEqual(json.loads(result.out)["differing"], 0)

    def test_power(self):
        """What so many trainings can show grows with them, and is what is known of Gaussians."""
        few, many = (self.audit(ONE, "--epsilon", "4", "--solver", "ssp", "--rows", "500",
                                "--trials", n) for n in ("200", "1000"))
        self.assertLess(few["expected_mu"], many["expected_mu"])
        self.assertLess(many["found_from"], few["found_from"])
        self.assertAlmostEqual(many["expected_mu"] / many["mu"], .74, delta=.03)

    def test_refusals(self):
        for args, code, words in (
                ([], PRIVACY, "expected --epsilon"), (["--epsilon", "inf"], USAGE, "finite"),
                (["--epsilon", "1", "--solver", "exact"], PRIVACY, "not private"),
                (["--epsilon", "1", "--insecure-seed", "1"], USAGE, "no option --insecure-seed"),
                (["--epsilon", "1", "-o", "m.json"], USAGE, "no option --output"),
                (["--epsilon", "1", "--trials", "3"], USAGE, "--trials"),
                (["--epsilon", "1", "--solver", "ssp", "--trials", "20"], USAGE, "no verdict")):
            self.assertIn(words, self.audit(ONE, *args, code=code))
        result = self.sotto("audit", "--epsilon", "1", "--delta", "1e-5")
        self.assertEqual(result.code, USAGE)
        self.assertIn(b"--schema", result.err)

    def test_nothing_is_booked_or_left(self):
        self.audit(ONE, "--epsilon", "4", "--solver", "ssp", "--trials", "200")
        self.audit(ONE, "--epsilon", "4", "--solver", "ssp", "--trials", "20", "--deep")
        self.assertEqual(os.listdir(self.directory), ["s.json"])

    def test_for_people(self):
        self.write("s.json", schema(ONE))
        call = ["audit", "--schema", "s.json", "--epsilon", "4", "--delta", "1e-5", "--solver",
                "ssp", "--trials", "200"]
        said = self.sotto(*call, "--progress", "json")
        self.assertEqual(said.code, OK)
        for words in (b"claim       epsilon 3.9999", b"certified   epsilon at least", b"power ",
                      b"verdict     nothing speaks against the claim"):
            self.assertIn(words, said.out)
        shares = [json.loads(line)["share"] for line in said.err.splitlines()[1:]]
        self.assertEqual(shares, sorted(shares))
        self.assertGreater(shares[-1], .9)
        self.assertIn(b"replayed    200 pairs", self.sotto(*call, "--deep").out)


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word != "--nightly"]
    unittest.main()

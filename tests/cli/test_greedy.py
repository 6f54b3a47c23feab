#!/usr/bin/python3
"""Private training with --solver gcd: what it says, its bounds, and shapes that are odd."""

import json
import math
import random
import unittest

from common import OK, PRIVACY, USAGE, Case, schema


def table(count, columns, seed=1):
    """Rows of numbers in [-1, 1], of which the first two matter, the last is always 0."""
    draw = random.Random(seed)
    for _ in range(count):
        x = [round(draw.uniform(-1, 1), 3) for _ in range(columns - 1)] + [0]
        yield x, round(2 * x[0] - (x[1] if columns > 2 else 0) + draw.gauss(0, .1), 3)


class Greedy(Case):
    def setUp(self):
        super().setUp()
        self.make(400, 6)

    def make(self, count, columns):
        names = [f"x{j}" for j in range(columns)]
        self.write("d.csv", ",".join(names + ["t"]) + "\n" + "".join(
            ",".join(map(str, x + [y])) + "\n" for x, y in table(count, columns)))
        self.write("d.svm", "".join(
            f"{y} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v) + "\n"
            for x, y in table(count, columns)))
        kinds = {name: {"type": "number", "bounds": [-1, 1]} for name in names}
        self.write("s.json", schema({**kinds, "t": {"type": "target", "bounds": [-4, 4]}}))

    def train(self, *args, data="d.csv", budget=("--epsilon", "2", "--delta", "1e-6"),
              read=("--schema", "s.json")):
        return self.sotto("train", data, *read, "--loss", "squared", "--solver",
                          "gcd", "-o", "m.json", *budget, *args)

    def model(self):
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def refused(self, result, words, code=USAGE):
        self.assertEqual(result.code, code, result.err)
        self.assertEqual(result.err.count(b"\n"), 1, result.err)
        self.assertIn(words.encode(), result.err)


class Statement(Greedy):
    def events(self):
        kinds = {"RANGE": "eta", "GAUSS": "mu", "PURE": "epsilon", "LAPLACE": "epsilon"}
        asked = self.model()["privacy"]["questions"]
        rounds = [q for q in asked if q["question"] in ("choice", "partial")]
        others = [q for q in asked if q not in rounds]
        words = [f"{q['event']}({q[kinds[q['event']]]!r})" for q in others]
        inner = "+".join(f"{q['event']}({q[kinds[q['event']]]!r})" for q in rounds)
        return "+".join(words + [f"{rounds[0]['times']}*({inner})"])

    def check(self, *args, mechanism):
        result = self.train(*args)
        self.assertEqual(result.code, OK, result.err)
        statement = self.model()["privacy"]
        self.assertIn(mechanism, [q["mechanism"] for q in statement["questions"]])
        priced = self.sotto("account", "--event", self.events(), "--adjacency",
                            statement["adjacency"], "--delta", "1e-6", "--in-order", "--json")
        self.assertEqual(priced.code, OK, priced.err)
        # what the account does not know of is that draws are not exact
        self.assertAlmostEqual(json.loads(priced.out)["epsilon"], statement["epsilon"], 4)
        return statement

    def test_many_steps(self):
        statement = self.check("--steps", "20", mechanism="exponential mechanism")
        self.assertLessEqual(statement["epsilon"], 2)
        self.assertGreater(statement["epsilon"], 1.99)

    def test_few_steps(self):
        statement = self.check("--steps", "1", "--rows", "400", mechanism="permute-and-flip")
        self.assertLessEqual(statement["epsilon"], 2)

    def test_adjacencies(self):
        for adjacency in ("replace-one", "zero-out"):
            self.check("--steps", "8", "--adjacency", adjacency, mechanism="Gaussian")

    def test_paper(self):
        """The paper's noise costs more than the paper says, and that is what is said."""
        statement = self.check("--steps", "100", "--adjacency", "replace-one", "--calibration",
                               "paper", mechanism="largest score with Laplace noise")
        self.assertGreater(statement["epsilon"], 2)
        multipliers = [q["noise_multiplier"] for q in statement["questions"]]
        self.assertAlmostEqual(multipliers[0], multipliers[1], 12)

    def test_shares(self):
        levels = []
        for share in ("0.2", "0.8"):
            self.check("--steps", "20", "--rows", "400", "--selection-share", share,
                       mechanism="exponential mechanism")
            levels.append(self.model()["privacy"]["questions"][0]["eta"])
        self.assertAlmostEqual(levels[1] / levels[0], 2, 1)


class Bounds(Greedy):
    def test_constants(self):
        result = self.sotto("plan", "--solver", "gcd", "--loss", "squared", "--features", "999",
                            "--rows", "100000", "--adjacency", "replace-one", "--epsilon", "1",
                            "--delta", "1e-6", "--steps", "6", "--set",
                            "L=1,M=.25,R=2,gap=.7,mu1=.01,mu2=.1,s=5,tau=2,alpha=.01,zeta=.1")
        self.assertEqual(result.code, OK, result.err)
        bounds = json.loads(result.out)["paper_bounds"]
        n, p, logs = 1e5, 1000, math.log(1e6)

        def beta(steps):
            scale = 8 * math.sqrt(steps * logs) / n
            return 2 * scale**2 / .25 * math.log(8 * steps * p / .1)**2

        def sparse(steps):
            k = min(5, steps) + 2
            return ((1 - .1 / (4 * k))**steps * .7 + 4 * k * beta(steps) / .1 +
                    k * (p - 2) * 1e-4 / 8)

        convex = bounds["theorem_4.4_convex"]
        self.assertAlmostEqual(convex["bound"], 32 / 6 + math.sqrt(128 * beta(6)), 9)
        steps = round((n**2 * 4 * .25 / (128 * logs))**(1 / 3))
        self.assertEqual(convex["paper_steps"], steps)
        self.assertAlmostEqual(convex["paper_bound"], 32 / steps + math.sqrt(128 * beta(steps)), 9)
        strong = bounds["theorem_4.4_strongly_convex"]
        self.assertAlmostEqual(strong["bound"], (1 - .0025)**6 * .7 + 400 * beta(6), 9)
        quasi = bounds["theorem_4.7_quasi_sparse"]
        self.assertAlmostEqual(quasi["bound"], sparse(6), 9)
        for bound in bounds.values():
            self.assertLessEqual(bound["best_bound"], min(bound["bound"], bound["paper_bound"]))

    def test_what_is_missing(self):
        usual = ["plan", "--solver", "gcd", "--loss", "squared", "--features", "9", "--epsilon",
                 "1", "--delta", "1e-6"]
        self.refused(self.sotto(*usual, "--rows", "100", "--set", "L=1"), "constants L and M")
        self.refused(self.sotto(*usual, "--set", "L=1,M=1,R=1"), "--rows N")
        self.refused(self.sotto(*usual, "--rows", "100", "--set", "L=1,M=1,Q=1"), "--set")
        usual[2] = "cd"
        self.refused(self.sotto(*usual, "--rows", "100", "--set", "L=1"), "--solver gcd")


class Shapes(Greedy):
    def fine(self, *args, **more):
        result = self.train(*args, **more)
        self.assertEqual(result.code, OK, result.err)
        weights = self.model()["weights"]
        self.assertTrue(all(math.isfinite(w) for w in weights))
        return weights

    def test_one_feature(self):
        self.make(50, 1)
        self.fine("--steps", "3")

    def test_more_steps_than_features(self):
        self.fine("--steps", "500")

    def test_constant_columns(self):
        """They compete like any other."""
        self.make(3, 4)
        self.write("d.csv", "x0,x1,x2,x3,t\n" + "0,0,0,0,1\n" * 20)
        self.fine("--steps", "4")

    def test_no_rows(self):
        self.write("d.csv", "x0,x1,x2,x3,x4,x5,t\n")
        self.fine("--steps", "4")

    def test_tiny_and_huge_clips(self):
        for clip in ("1e-20", "1e20"):
            self.fine("--steps", "4", "--clip", clip, "--rows", "400")

    def test_without_noise(self):
        """Then the two that matter are found."""
        weights = self.fine("--steps", "40", "--clip", "9", "--l1", "0.01", "--adjacency",
                            "replace-one", budget=("--epsilon", "inf"))
        self.assertGreater(weights[0], 1)
        self.assertLess(weights[1], -.5)
        self.assertEqual(weights[5], 0)
        self.assertIn("not_private", self.model())

    def test_rules(self):
        for rule in ("untruncated", "gs-s", "gs-r", "gs-q"):
            self.fine("--steps", "10", "--rule", rule, "--l1", ".02", "--box=-.5,.5")

    def test_the_same_bits(self):
        """Dense or sparse, any threads, any set of instructions."""
        usual = ("--steps", "30", "--insecure-seed", "7", "--rows", "400", "--l1", ".01",
                 "--smoothness", "M")
        self.write("M", "1 " * 6)
        seen = set()
        for more in ([], ["--threads", "1"], ["--threads", "2"], ["--isa", "scalar"]):
            for data, read in (("d.csv", ("--target", "t")), ("d.svm", ("--features", "6"))):
                self.fine(*usual, *more, data=data, read=read)
                model = self.model()
                seen.add(json.dumps([model["weights"], model["intercept"]]))
        self.assertEqual(len(seen), 1)


class Refused(Greedy):
    def test_settings(self):
        self.refused(self.train("--loss", "hinge"), "not smooth")
        self.refused(self.train("--passes", "3"), "--steps")
        self.refused(self.train("--clip", "1e30"), "--clip")
        self.refused(self.train("--clip", "inf"), "--clip inf is not private", PRIVACY)
        self.refused(self.train("--clip", "inf", budget=("--epsilon", "inf")), "finite --clip")
        self.refused(self.train("--selection-share", "2"), "--selection-share")
        self.refused(self.train("--calibration", "rdp"), "--calibration rdp")
        self.refused(self.train("--calibration", "paper"), "--rows N")
        self.refused(self.train("--rule", "best"), "--rule")

    def test_bounds_are_needed(self):
        self.refused(self.train(data="d.csv", read=("--target", "t")), "no bounds", PRIVACY)


if __name__ == "__main__":
    unittest.main()

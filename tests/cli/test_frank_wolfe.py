#!/usr/bin/python3
"""Private training with --solver fw and bcfw: what they say, where they go, their files."""

import json
import math
import os
import random
import threading
import unittest

from common import FAILED, OK, PRIVACY, USAGE, Case

COLUMNS = 12


def table(count, seed=1):
    """Rows of numbers in [-1, 1], of which a few matter, the last is always 0."""
    draw = random.Random(seed)
    for _ in range(count):
        x = [round(draw.uniform(-1, 1), 3) for _ in range(COLUMNS - 1)] + [0]
        yield x, round(1.5 * x[0] - x[4] + .5 * x[7] + .2 + draw.gauss(0, .1), 3)


class FrankWolfe(Case):
    def setUp(self):
        super().setUp()
        self.make(300)

    def make(self, count):
        self.write("d.csv", ",".join([f"x{j}" for j in range(COLUMNS)] + ["t"]) + "\n" + "".join(
            ",".join(map(str, x + [y])) + "\n" for x, y in table(count)))
        self.write("d.svm", "".join(
            f"{y} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v) + "\n"
            for x, y in table(count)))

    def train(self, *args, data="d.csv", budget=("--epsilon", "2", "--delta", "1e-6"),
              loss="squared", rows=("--rows", "300")):
        read = ("--target", "t") if data.endswith("csv") else ("--features", str(COLUMNS))
        return self.sotto("train", data, *read, "--loss", loss, "-o", "m.json", *rows, *budget,
                          *args)

    def fw(self, *args, **more):
        return self.train("--solver", "fw", *args, **more)

    def bcfw(self, *args, **more):
        return self.train("--solver", "bcfw", *args, **more)

    def model(self):
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def fine(self, result):
        self.assertEqual(result.code, OK, result.err)
        model = self.model()
        self.assertTrue(all(math.isfinite(w) for w in model["weights"]))
        return model

    def refused(self, result, words, code=USAGE):
        self.assertEqual(result.code, code, result.err)
        self.assertEqual(result.err.count(b"\n"), 1, result.err)
        self.assertIn(words.encode(), result.err)


BALL = ("--radius", "3", "--no-intercept")
FREE = ("--epsilon", "inf")


class Statement(FrankWolfe):
    def check(self, result, mechanism, times):
        statement = self.fine(result)["privacy"]
        asked = statement["questions"]
        self.assertEqual([asked[-1][key] for key in ("question", "mechanism", "times")],
                         ["vertex", mechanism, times])
        kinds = {"RANGE": "eta", "GAUSS": "mu", "PURE": "epsilon", "LAPLACE": "epsilon"}
        events = "+".join(f"{q['times']}*{q['event']}({q[kinds[q['event']]]!r})" for q in asked)
        priced = self.sotto("account", "--event", events, "--adjacency", statement["adjacency"],
                            "--delta", "1e-6", "--in-order", "--json")
        self.assertEqual(priced.code, OK, priced.err)
        # what the account does not know of is that draws are not exact
        self.assertAlmostEqual(json.loads(priced.out)["epsilon"], statement["epsilon"], 4)
        self.assertLessEqual(statement["epsilon"], 2)
        self.assertGreater(statement["epsilon"], 1.98)
        return asked

    def test_many_steps(self):
        self.check(self.fw(*BALL, "--steps", "40"), "exponential mechanism", 40)

    def test_few_steps(self):
        self.check(self.fw(*BALL, "--steps", "2"), "permute-and-flip", 2)

    def test_rows_are_asked_for(self):
        asked = self.check(self.fw(*BALL, "--steps", "30", rows=()), "exponential mechanism", 30)
        self.assertEqual(asked[0]["question"], "total")

    def test_adjacencies(self):
        for adjacency in ("replace-one", "zero-out"):
            self.check(self.fw(*BALL, "--steps", "25", "--adjacency", adjacency, rows=()),
                       "exponential mechanism", 25)

    def test_the_intercept_is_a_question(self):
        self.check(self.fw("--radius", "3", "--intercept-radius", "1", "--steps", "20"),
                   "exponential mechanism", 40)

    def test_blocks(self):
        """A ball is one question, a box one for each coordinate; a set that asks less is paid
        for as the one that asks most."""
        self.write("b", "ball 2 1-4\nbox -1,1 5 7\nball 1 6 8-10\nbox 0,2 11-12 # the last\n")
        self.write("p", "0.5 1 3\n0.25 2 4\n\n0.25 1-2\n")
        for sampling, each in (("all", 6), ("serial", 2), ("nice:2", 4), ("nice:3", 5),
                               ("distributed:2,1", 4), ("distributed:4,1", 6), ("p", 4)):
            self.check(self.bcfw("--blocks", "b", "--sampling", sampling, "--no-intercept",
                                 "--steps", "20"), "exponential mechanism", 20 * each)

    def test_plan(self):
        """What is planned is what is asked."""
        usual = ("--loss", "squared", "--features", str(COLUMNS), "--rows", "300", "--epsilon",
                 "2", "--delta", "1e-6", "--steps", "30")
        for solver, more in (("fw", BALL), ("bcfw", (*BALL, "--blocks", "4", "--sampling",
                                                     "distributed:2,2"))):
            plan = self.sotto("plan", "--solver", solver, *usual, *more)
            self.assertEqual(plan.code, OK, plan.err)
            self.fine(self.train("--solver", solver, *more, "--steps", "30"))
            self.assertEqual({**json.loads(plan.out), "ledger": "untracked"},
                             self.model()["privacy"])

    def test_too_much_is_refused(self):
        """Steps that the noise cannot be drawn for, before anything is read."""
        self.refused(self.fw(*BALL, "--steps", "1e9", "--intercept-radius", "1"), "expected one")
        self.refused(self.fw("--radius", "1", "--intercept-radius", "1", "--steps", "1e9"),
                     "at most 1e9 questions")


class Optimum(FrankWolfe):
    """Without noise, to where the exact solver is."""

    def exact(self, *args, loss="squared"):
        self.fine(self.train(*args, budget=FREE, loss=loss, rows=()))
        return self.model()

    def near(self, model, best, far):
        for a, b in zip(model["weights"], best["weights"]):
            self.assertAlmostEqual(a, b, delta=far)
        self.assertAlmostEqual(model["intercept"], best["intercept"], delta=far)
        self.assertIn("not_private", model)

    def test_ball(self):
        """The ball of the optimum has that optimum."""
        for loss, clip in (("squared", "9"), ("huber", "2")):
            best = self.exact("--l1", ".02", "--no-intercept", loss=loss)
            radius = sum(map(abs, best["weights"]))
            self.near(self.fine(self.fw("--radius", repr(radius), "--no-intercept", "--clip", clip,
                                        "--steps", "4000", budget=FREE, loss=loss)), best, .02)

    def test_classes(self):
        self.write("d.csv", ",".join([f"x{j}" for j in range(COLUMNS)] + ["t"]) + "\n" + "".join(
            ",".join(map(str, x + [1 if y > 0 else -1])) + "\n" for x, y in table(300)))
        best = self.exact("--l1", ".02", "--no-intercept", loss="logistic")
        radius = sum(map(abs, best["weights"]))
        self.near(self.fine(self.fw("--radius", repr(radius), "--no-intercept", "--steps", "4000",
                                    budget=FREE, loss="logistic")), best, .05)

    def test_intercept(self):
        best = self.exact("--l1", ".02")
        radius = sum(map(abs, best["weights"]))
        self.near(self.fine(self.fw("--radius", repr(radius), "--intercept-radius", "1", "--clip",
                                    "9", "--steps", "4000", budget=FREE)), best, .02)

    def test_l2(self):
        """In a ball that does not bind the L2 penalty decides."""
        best = self.exact("--l2", ".3", "--no-intercept")
        radius = 2 * sum(map(abs, best["weights"]))
        self.near(self.fine(self.fw("--radius", repr(radius), "--l2", ".3", "--no-intercept",
                                    "--clip", "9", "--steps", "4000", budget=FREE)), best, .05)

    def test_boxes(self):
        """Some weights end at an edge, with every sampling."""
        best = self.exact("--box=-.4,.9", "--no-intercept")
        self.assertIn(.9, best["weights"])
        self.write("p", "0.5 1\n0.5 2-4\n")
        for sampling, steps in (("all", "500"), ("serial", "2000"), ("nice:3", "1000"),
                                ("distributed:2,1", "1000"), ("p", "1000")):
            model = self.fine(self.bcfw("--box=-.4,.9", "--blocks", "4", "--sampling", sampling,
                                        "--no-intercept", "--clip", "9", "--steps", steps,
                                        "--insecure-seed", "3", budget=FREE))
            model["weights"].pop()  # along the column of zeros all is the same
            self.near(model, best, .05)
            self.assertTrue(all(-.4 <= w <= .9 for w in model["weights"]))

    def test_one_ball_of_blocks(self):
        """One block that always moves is fw, to the last bit."""
        self.fine(self.fw(*BALL, "--steps", "50", "--insecure-seed", "5"))
        one = self.model()["weights"]
        self.fine(self.bcfw(*BALL, "--blocks", "1", "--sampling", "all", "--steps", "50",
                            "--insecure-seed", "5"))
        self.assertEqual(self.model()["weights"], one)

    def test_inside(self):
        """The weights do not leave the balls, not by a rounding."""
        for radius in ("0.1", "0.7", "3.3"):
            for steps in ("1", "7", "50"):
                weights = self.fine(self.fw("--radius", radius, "--no-intercept", "--steps",
                                            steps))["weights"]
                self.assertLessEqual(math.fsum(map(abs, weights)), float(radius) * (1 + 1e-15))


class Shapes(FrankWolfe):
    def test_one_feature_no_rows(self):
        for text in ("x0,t\n1,2\n-1,1\n", "x0,t\n"):
            self.write("d.csv", text)
            self.fine(self.fw(*BALL, "--steps", "3"))
            self.fine(self.bcfw(*BALL, "--steps", "3", "--blocks", "1"))

    def test_constant_columns(self):
        """They compete like any other."""
        self.write("d.csv", "x0,x1,t\n" + "0,0,1\n" * 20)
        self.fine(self.fw(*BALL, "--steps", "4"))

    def test_tiny_and_huge(self):
        for size in ("1e-20", "1e20"):
            self.fine(self.fw(*BALL, "--steps", "4", "--clip", size))
            self.fine(self.fw("--radius", size, "--no-intercept", "--steps", "4"))

    def test_losses(self):
        for loss in ("squared", "huber"):
            self.fine(self.fw(*BALL, loss=loss))
        self.write("d.csv", "x0,x1,t\n" + "0,1,1\n1,0,-1\n" * 20)
        for loss in ("logistic", "squared-hinge"):
            self.fine(self.fw(*BALL, loss=loss))

    def test_candidates(self):
        for tau in ("1", "3", "100"):
            self.fine(self.bcfw(*BALL, "--blocks", "3", "--sampling", "all", "--candidates", tau))

    def test_the_same_bits(self):
        """Dense or sparse, any threads, any set of instructions."""
        self.write("b", "ball 2 1-4\nbox -1,1 5 7\nball 1 6 8-12\n")
        fw = ("--solver", "fw", "--radius", "3", "--intercept-radius", ".5", "--steps", "30")
        blocks = ("--solver", "bcfw", "--blocks", "b", "--sampling", "nice:2", "--candidates", "2",
                  "--no-intercept", "--steps", "40", "--l2", ".01")
        for usual in (fw, blocks):
            seen = set()
            for more in ([], ["--threads", "1"], ["--threads", "2"], ["--isa", "scalar"]):
                for data in ("d.csv", "d.svm"):
                    model = self.fine(self.train(*usual, *more, "--insecure-seed", "7", data=data))
                    seen.add(json.dumps([model["weights"], model["intercept"]]))
            self.assertEqual(len(seen), 1)

    def test_the_model_is_one(self):
        """It is shown, predicts, and is exported like any other."""
        self.fine(self.fw("--radius", "3", "--intercept-radius", ".5"))
        self.assertEqual(self.model()["penalty"], {"l1": 0, "l2": 0, "box": None, "radius": 3,
                                                   "units": "fit"})
        self.assertIn(b"L1 ball of radius 3", self.sotto("show", "m.json").out)
        result = self.sotto("predict", "m.json", "d.csv")
        self.assertEqual(result.code, OK, result.err)
        self.assertEqual(len(result.out.split()), 300)
        self.assertEqual(self.sotto("evaluate", "m.json", "d.csv").code, OK)


class Refused(FrankWolfe):
    def test_settings(self):
        self.refused(self.fw("--no-intercept"), "--radius R")
        self.refused(self.fw("--radius", "0", "--no-intercept"), "--radius")
        self.refused(self.fw("--radius", "1"), "--intercept-radius B or --no-intercept")
        self.refused(self.fw(*BALL, "--intercept-radius", "1"), "one of --intercept-radius")
        self.refused(self.fw(*BALL, "--l1", "1"), "--radius without --l1")
        self.refused(self.fw(*BALL, "--box=-1,1"), "--solver bcfw")
        self.refused(self.fw(*BALL, "--loss", "hinge"), "not smooth")
        self.refused(self.fw(*BALL, "--clip", "inf", budget=FREE), "finite --clip")
        self.refused(self.fw(*BALL, "--clip", "inf"), "--clip inf is not private", PRIVACY)
        self.refused(self.fw(*BALL, "--blocks", "2"), "--blocks is ignored by --solver fw")
        for name, value in (("--smoothness", "bounds"), ("--step-size", "1"), ("--passes", "2"),
                            ("--rule", "gs-s"), ("--calibration", "paper")):
            self.refused(self.fw(*BALL, name, value), name + " is ignored by --solver fw")
        self.refused(self.train("--solver", "gcd", "--radius", "1"),
                     "--radius is ignored by --solver gcd")
        self.refused(self.train("--radius", "1", budget=FREE),
                     "--radius is ignored by --solver exact")

    def test_blocks(self):
        self.refused(self.bcfw(*BALL), "--blocks K or a file")
        self.refused(self.bcfw("--no-intercept", "--blocks", "2"), "--radius R, a ball")
        self.refused(self.bcfw(*BALL, "--box=-1,1", "--blocks", "2"), "--radius R, a ball")
        self.refused(self.bcfw("--no-intercept", "--box=-1,inf", "--blocks", "2"), "two ends, finite")
        self.refused(self.bcfw("--no-intercept", "--box=0,0", "--blocks", "2"), "two ends, finite")
        self.refused(self.bcfw("--no-intercept", "--box=0,1", "--blocks", "2", "--candidates", "1"),
                     "boxes have none")
        self.refused(self.bcfw("--no-intercept", "--box=1,2", "--blocks", "2"), "0 in it")
        for many in ("0", "13", "2.5"):
            self.refused(self.bcfw(*BALL, "--blocks", many), "--blocks: expected")
        self.refused(self.bcfw("--no-intercept", "--blocks", "none"), "none: cannot read", FAILED)
        self.write("b", "ball 1 1-12\n")
        self.refused(self.bcfw(*BALL, "--blocks", "b"), "neither --radius nor --box")
        for text, words in (("ball 1 1-11\n", "feature 12 is in no block"), ("", "feature 1 is"),
                            ("ball 1 1-12\nball 1 3\n", "line 2"), ("ball 1 1-13\n", "line 1"),
                            ("ball 0 1-12\n", "line 1"), ("ball -1 1-12\n", "line 1"),
                            ("ball 1e31 1-12\n", "line 1"), ("ball 1\n", "line 1"),
                            ("# a\n\nbox 1,2 1-12\n", "line 3"), ("box 0,0 1-12\n", "line 1"),
                            ("box -1 1-12\n", "line 1"), ("box -1,nan 1-12\n", "line 1"),
                            ("ball 1 0-12\n", "line 1"), ("ball 1 5-1 6-12\n", "line 1"),
                            ("ball 1 1-x\n", "line 1"), ("ball 1 -12\n", "line 1"),
                            ("ball 1 1-12\n\0x", "expected text"),
                            ("disc 1 1-12\n", "line 1"), ("ball\n", "line 1")):
            self.write("b", text)
            self.refused(self.bcfw("--no-intercept", "--blocks", "b"), words)

    def test_files_are_read_once(self):
        """What runs is what was planned: a pipe has its text for one reader."""
        def say(name, text):
            os.mkfifo(self.path(name))
            def write():
                with open(self.path(name), "w", encoding="utf-8") as pipe:
                    pipe.write(text)
            threading.Thread(target=write, daemon=True).start()
        say("b", "ball 1 1-6\nbox -1,1 7-12\n")
        say("p", ".5 1\n.5 1-2\n")
        self.fine(self.bcfw("--no-intercept", "--blocks", "b", "--sampling", "p", "--steps", "3"))

    def test_samplings(self):
        def sampled(how):
            return self.bcfw(*BALL, "--blocks", "5", "--sampling", how)
        for how in ("nice:0", "nice:6", "nice:1.5", "nice:", "distributed:2,3", "distributed:6,1",
                    "distributed:2", "distributed:,1", "distributed:0,1"):
            self.refused(sampled(how), "--sampling: expected nice:TAU")
        self.refused(sampled("none"), "none: cannot read", FAILED)
        for text, words in (("1 1-4\n", "never drawn"), ("1 1-4\n0 5\n", "never drawn"),
                            (".5 1-5\n", "add up to 1"), ("", "add up to 1"),
                            ("2 1-5\n", "line 1"), ("1 1-5 3\n", "line 1"), ("x 1-5\n", "line 1"),
                            ("1 1-6\n", "line 1"), ("-1 1\n", "line 1"), ("nan 1\n", "line 1")):
            self.write("p", text)
            self.refused(sampled("p"), words)


if __name__ == "__main__":
    unittest.main()

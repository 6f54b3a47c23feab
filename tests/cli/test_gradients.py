#!/usr/bin/python3
"""Private training by gradient steps: gd, and sgd on batches."""

import json
import unittest

import test_private_train as private
from common import OK, PRIVACY, USAGE


class Gd:
    solver = "gd"
    usual = ("--steps", "10")


class Sgd:
    solver = "sgd"
    usual = ("--batch-rate", "0.125", "--steps", "20")


class SgdOfAll:
    """Without coins, which go by the places of rows."""
    solver = "sgd"
    usual = ("--batch-rate", "1", "--steps", "10")


class Svrg:
    solver = "svrg"
    usual = ("--batch-rate", "0.125", "--steps", "6", "--rounds", "2")


class SvrgOfAll:
    """Without coins, which go by the places of rows."""
    solver = "svrg"
    usual = ("--batch-rate", "1", "--steps", "4", "--rounds", "3")


class SvrgSameBits(Svrg, private.SameBits):
    pass


class SvrgSilence(SvrgOfAll, private.Silence):
    pass


class GdSameBits(Gd, private.SameBits):
    pass


class SgdSameBits(Sgd, private.SameBits):
    pass


class GdSilence(Gd, private.Silence):
    pass


class SgdSilence(SgdOfAll, private.Silence):
    pass


class GdStatement(Gd, private.Private):
    def test_it_is_there(self):
        result = self.train()
        self.assertEqual((result.code, result.out), (OK, b""), result.err)
        statement = self.model()["privacy"]
        self.assertGreater(statement["epsilon"], .999)
        self.assertLessEqual(statement["epsilon"], 1)
        total, gradient = statement["questions"]
        self.assertEqual((gradient["question"], gradient["times"],
                          gradient["event"]), ("gradient", 10, "GAUSS"))
        self.assertAlmostEqual((total["mu"] / gradient["mu"])**2, .01 / .099, 6)

    def test_defaults(self):
        """By rules of public values alone: the same plan without records."""
        usual = ["--loss", "logistic", "--solver", "gd", "--epsilon", "1",
                 "--delta", "1e-6"]
        plan = self.sotto("plan", "--features", "4", *usual)
        self.assertEqual(plan.code, OK, plan.err)
        result = self.sotto("train", "d.csv", "--schema", "s.json", *usual,
                            "-o", "m.json")
        self.assertEqual(result.code, OK, result.err)
        self.assertEqual(self.model()["privacy"],
                         {**json.loads(plan.out), "ledger": "untracked"})
        self.assertEqual(self.model()["privacy"]["questions"][1]["times"], 100)

    def test_no_clip_without_privacy(self):
        """The minimiser itself, and never with a budget."""
        result = self.train("--epsilon", "inf", "--clip", "inf", "--steps",
                            "1000", "--l2", "0.1")
        self.assertEqual(result.code, OK, result.err)
        exact = self.sotto("train", "d.csv", "--schema", "s.json", "--loss",
                           "logistic", "--l2", "0.1", "--epsilon", "inf",
                           "-o", "e.json")
        self.assertEqual(exact.code, OK)
        for a, b in zip(self.model()["weights"],
                        self.model("e.json")["weights"]):
            self.assertAlmostEqual(a, b, 4)
        self.assertIn("--clip", self.assert_one_line(
            self.train("--clip", "inf"), PRIVACY))

    def test_a_run_that_goes_nowhere(self):
        """Steps that are far too long: a model of finite numbers."""
        result = self.train("--step-size", "1e30", "--momentum", "0.9")
        self.assertEqual(result.code, OK, result.err)
        for weight in self.model()["weights"]:
            self.assertLess(abs(weight), 1e300)


class SgdStatement(Sgd, private.Private):
    def questions(self, *args):
        result = self.train(*args)
        self.assertEqual(result.code, OK, result.err)
        statement = self.model()["privacy"]
        self.assertLessEqual(statement["epsilon"], 1)
        return statement, statement["questions"]

    def test_it_is_there(self):
        statement, (_, batch) = self.questions()
        self.assertEqual((batch["question"], batch["times"], batch["event"],
                          batch["rate"]), ("batch", 20, "SUBSAMPLED", .125))
        self.assertNotIn("priced_by", statement)
        self.assertGreater(statement["epsilon"], .99)

    def test_replaced_records(self):
        """One coin for both records, and it is said. That is dearer than one record, and cheaper
        than a group of two."""
        statement, (batch,) = self.questions("--adjacency", "replace-one")
        self.assertIn("the same coin", statement["priced_by"])
        self.assertGreater(statement["epsilon"], .99)
        _, (other,) = self.questions("--adjacency", "zero-out")
        self.assertLess(batch["mu"], other["mu"] / 1.3)
        self.assertGreater(batch["mu"], other["mu"] / 2)

    def test_everybody_in_every_batch(self):
        """A rate of 1 is no sample: Gaussian, also for replaced records."""
        for adjacency in ("add-remove", "replace-one"):
            statement, questions = self.questions(
                "--batch-rate", "1", "--rows", "300", "--adjacency", adjacency)
            self.assertEqual([q["event"] for q in questions], ["GAUSS"])
            self.assertNotIn("priced_by", statement)

    def test_batches_of_nobody(self):
        """Most steps are noise alone; nothing says which."""
        statement, questions = self.questions("--batch-rate", "1e-6")
        self.assertEqual(questions[1]["times"], 20)
        self.assertLess(abs(questions[1]["rate"] / 1e-6 - 1), 1e-12)
        for weight in self.model()["weights"]:
            self.assertLess(abs(weight), 1e300)
        self.assertGreater(statement["epsilon"], 0)
        self.assertIn("--batch-rate", self.assert_one_line(
            self.train("--batch-rate", "1e-9", model="n.json"), PRIVACY))

    def test_people(self):
        """A coin for each person needs to know whose a row is."""
        self.assertIn("--unit-column", self.assert_one_line(
            self.train("--rows-per-person", "2"), PRIVACY))
        self.questions("--rows-per-person", "2", "--batch-rate", "1")


class SvrgStatement(Svrg, private.Private):
    def test_it_is_there(self):
        result = self.train()
        self.assertEqual(result.code, OK, result.err)
        statement = self.model()["privacy"]
        self.assertLessEqual(statement["epsilon"], 1)
        self.assertGreater(statement["epsilon"], .99)
        self.assertEqual(
            [(q["question"], q["times"], q["event"]) for q in statement["questions"][1:]],
            2 * [("gradient", 1, "GAUSS"), ("batch difference", 6, "SUBSAMPLED")])

    def test_without_noise_it_finds_the_minimiser(self):
        """Clips that cut nothing; batches of some, whose differences vanish at the end."""
        result = self.train("--epsilon", "inf", "--clip", "50", "--difference-clip", "50", "--l2",
                            "0.1", "--rounds", "12", "--steps", "300", "--batch-rate", "0.25",
                            "--step-size", "0.3")
        self.assertEqual(result.code, OK, result.err)
        exact = self.sotto("train", "d.csv", "--schema", "s.json", "--loss", "logistic", "--l2",
                           "0.1", "--epsilon", "inf", "-o", "e.json")
        self.assertEqual(exact.code, OK)
        for a, b in zip(self.model()["weights"], self.model("e.json")["weights"]):
            self.assertAlmostEqual(a, b, delta=2e-3)

    def test_the_clip_of_differences_counts(self):
        """So short a clip that a round hardly leaves the anchor but by its gradient."""
        weights = []
        for clip in ("1e-6", "1"):
            result = self.train("--epsilon", "inf", "--difference-clip", clip)
            self.assertEqual(result.code, OK, result.err)
            weights.append(self.model()["weights"])
        self.assertNotEqual(*weights)


class Refused(private.Private):
    def refused(self, solver, *args, words=()):
        text = self.assert_one_line(
            self.sotto("train", "d.csv", "--schema", "s.json", "--loss",
                       "logistic", "--solver", solver, "--epsilon", "1",
                       "--delta", "1e-6", "-o", "m.json", *args), USAGE)
        for word in words:
            self.assertIn(word, text)

    def test_options_of_others(self):
        for solver in ("gd", "sgd"):
            for option, value in (("--order", "cyclic"), ("--rounds", "2"),
                                  ("--calibration", "paper")):
                self.refused(solver, option, value, words=[option])
        self.refused("gd", "--loss", "hinge", words=["not smooth"])
        self.refused("svrg", "--loss", "hinge", words=["not smooth"])
        self.refused("svrg", "--rounds", "13", words=["--rounds"])
        self.refused("svrg", "--clip", "1e30", words=["--clip"])
        self.refused("sgd", "--loss", "hinge", words=["no curvature"])
        self.refused("gd", "--passes", "3", words=["--passes"])
        self.refused("gd", "--batch-rate", ".5", words=["--batch-rate"])
        for option in ("--momentum", "--decay", "--batch-rate"):
            self.refused("cd", option, ".5", words=[option])

    def test_what_would_not_be_heeded(self):
        """Each option with each solver: refused, or it makes another plan or another model."""
        values = {"--passes": "3", "--rounds": "2", "--order": "cyclic", "--step-size": ".5",
                  "--smoothness": "bounds", "--calibration": "exact", "--average": ".2",
                  "--batch-rate": ".5", "--momentum": ".5", "--decay": ".5", "--rule": "gs-s",
                  "--selection-share": ".4", "--norm-bound": "2", "--tolerance": "1e-5",
                  "--penalty-units": "file", "--path": "dense", "--clip": ".5",
                  "--difference-clip": ".5"}
        heeded = {"auto": "penalty-units path",
                  "newton": "penalty-units",
                  "cd": "clip passes rounds order step-size smoothness calibration average "
                        "penalty-units",
                  "gcd": "clip step-size smoothness calibration rule selection-share",
                  "gd": "clip step-size smoothness average momentum decay",
                  "sgd": "clip passes step-size smoothness average batch-rate momentum decay",
                  "svrg": "clip difference-clip rounds step-size smoothness batch-rate",
                  "scd": "clip passes average batch-rate norm-bound",
                  "scd-paper": "clip passes average batch-rate norm-bound",
                  "scd-seq": "clip passes average batch-rate norm-bound",
                  "scd-primal": "clip passes batch-rate",
                  "exact": "tolerance"}
        for solver, words in heeded.items():
            for option, value in values.items():
                # no data: what is heeded gets as far as that
                dual = ("--l2", ".1", "--no-intercept", "--rows", "9") if "scd" in solver else ()
                budget = ("--epsilon", "inf") if solver == "exact" else ("--epsilon", "1", "--delta", "1e-6")
                text = self.assert_one_line(
                    self.sotto("train", "none.csv", "--loss", "logistic", "--solver", solver,
                               *budget, "-o", "m.json", option, value, *dual),
                    1 if option[2:] in words.split() else USAGE)
                if option[2:] not in words.split():
                    self.assertIn(option, text)
                    self.assertIn("--solver " + solver, text)

    def test_values(self):
        for rate in ("0", "-1", "1.1", "nan", "1e-300"):
            self.refused("sgd", "--batch-rate", rate, words=["--batch-rate"])
        for momentum in ("1", "-0.1", "nan"):
            self.refused("gd", "--momentum", momentum, words=["--momentum"])
        self.refused("sgd", "--passes", "2", "--steps", "3",
                     words=["--passes", "--steps"])
        self.refused("sgd", "--passes", "1000000000", "--batch-rate", ".001",
                     words=["1e9"])
        self.refused("gd", "--steps", "0", words=["--steps"])


if __name__ == "__main__":
    unittest.main()

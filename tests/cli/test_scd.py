#!/usr/bin/python3
"""Training with DP-SCD: what it refuses, what is defined, what a model says and does not say."""

import json
import math
import random
import re
import unittest

from common import OK, PRIVACY, USAGE, Case, schema


def rows(count=300, seed=4):
    draw = random.Random(seed)
    for _ in range(count):
        a, c = round(draw.uniform(-5, 5), 2), round(draw.uniform(-5, 5), 2)
        yield [a, c, "yes" if a / 5 + c / 10 + draw.gauss(0, .5) > 0 else "no"]


def csv(table):
    return "a,c,t\n" + "".join(",".join(map(str, r)) + "\n" for r in table)


COLUMNS = {"a": {"type": "number", "bounds": [-5, 5]}, "c": {"type": "number", "bounds": [-5, 5]}}
SCHEMA = schema({**COLUMNS, "t": {"type": "target", "classes": ["no", "yes"]}})
NUMBER = schema({**COLUMNS, "t": {"type": "target", "bounds": [0, 20]}})


class Dual(Case):
    def setUp(self):
        super().setUp()
        self.write("s.json", SCHEMA)
        self.table = list(rows())
        self.write("d.csv", csv(self.table))

    def arguments(self, *args, data="d.csv"):
        budget = [] if "--epsilon" in args else ["--epsilon", "1", "--delta", "1e-6"]
        first = [] if "--solver" in args else ["--solver", "scd"]
        loss = [] if "--loss" in args else ["--loss", "logistic"]
        return ["train", data, "--schema", "s.json", "--l2", "0.1", "--no-intercept", "-o", "m.json",
                *first, *loss, *budget, *args]

    def train(self, *args, **more):
        done = self.sotto(*self.arguments(*args, **more))
        self.assertEqual(done.code, OK, done.err)
        return self.model()

    def model(self):
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def refused(self, words, *args, code=USAGE, **more):
        done = self.sotto(*self.arguments(*args, **more))
        self.assertEqual(done.code, code, done.err)
        self.assertIn(words, done.err.decode())
        self.assertEqual(done.err.count(b"\n"), 1)


class BadInput(Dual):
    def test_one_clear_line(self):
        for solver in ("scd", "scd-paper", "scd-seq", "scd-primal"):
            which = ["--solver", solver]
            self.refused("expected --l2 above 0", *which, "--l2", "0")
            self.refused("neither --l1 nor --box", *which, "--l1", "0.1")
            self.refused("neither --l1 nor --box", *which, "--box", "-1,1")
            self.refused("expected a finite --clip", *which, "--clip", "inf", "--epsilon", "inf")
            self.refused("one of --passes and --steps", *which, "--passes", "2", "--steps", "5")
            self.refused("--order is ignored by", *which, "--order", "cyclic")
            self.refused("expected --no-intercept", *which, "--intercept")

    def test_sizes(self):
        """Known before the first question: nothing is written down as spent."""
        for solver in ("scd", "scd-seq"):
            usual = ("--solver", solver, "--rows", "300", "--adjacency", "zero-out")
            self.refused("moderate size", *usual, "--l2", "1e-40")
            self.refused("moderate size", *usual, "--l2", "1e40")

    def test_rates(self):
        for rate in ("0", "-1", "1.5", "nan", "1e-300"):
            self.refused("--batch-rate", "--batch-rate", rate)
        self.refused("--norm-bound", "--norm-bound", "0")
        self.refused("at most 1e9 steps", "--batch-rate", "1e-9", "--passes", "10")

    def test_several_rows_and_no_unit(self):
        self.refused("--unit-column", "--rows-per-person", "2", code=PRIVACY)
        self.train("--rows-per-person", "2", "--batch-rate", "1")

    def test_paper(self):
        self.refused("expected --rows N", "--solver", "scd-paper")
        self.refused("q between 0 and 1", "--solver", "scd-paper", "--rows", "300", "--batch-rate", "1")

    def test_classes(self):
        """Other than two: a line that does not say what it was."""
        self.write("e.csv", csv(self.table + [[1, 1, "SECRETWORD"]]))
        done = self.sotto(*self.arguments(data="e.csv"))
        self.assertNotEqual(done.code, OK)
        self.assertNotIn(b"SECRETWORD", done.err)


class Defined(Dual):
    def test_all_rows_in_every_batch(self):
        """q = 1: no coins, Gaussian questions; for replace-one nothing to say."""
        for adjacency in ("add-remove", "replace-one", "zero-out"):
            statement = self.train("--batch-rate", "1", "--adjacency", adjacency)["privacy"]
            self.assertEqual(statement["questions"][-1]["event"], "GAUSS")
            self.assertNotIn("priced_by", statement)

    def test_empty_batches(self):
        """Batches of hardly anybody: steps of noise alone, and a model."""
        model = self.train("--batch-rate", "1e-6", "--steps", "50", "--rows", "300")
        self.assertTrue(all(math.isfinite(w) and w for w in model["weights"]))

    def test_rows_of_norm_zero(self):
        """They move nothing; without noise the model stays at 0."""
        self.write("z.csv", csv([[0, 0, "yes"], [0, 0, "no"]]))
        model = self.train("--epsilon", "inf", "--rows", "2", data="z.csv")
        self.assertEqual(model["weights"], [0, 0])
        self.train("--rows", "2", data="z.csv")

    def test_no_rows(self):
        self.write("z.csv", csv([]))
        self.train(data="z.csv")

    def test_losses(self):
        for loss in ("hinge", "squared-hinge", "logistic"):
            self.train("--loss", loss)
        self.write("s.json", NUMBER)
        self.write("d.csv", csv([a, c, 10 + a] for a, c, _ in self.table))
        for loss in ("squared", "huber"):
            self.train("--loss", loss)

    def test_same_seed_same_model(self):
        seed = ["--insecure-seed", "5"]
        self.assertEqual(self.train(*seed), self.train(*seed, "--threads", "2"))


class Says(Dual):
    KEYS = {"sotto_model", "loss", "penalty", "classes", "row_norm", "intercept", "features", "weights",
            "schema", "privacy", "checksum"}

    def lists(self, value):
        """The lengths of all lists."""
        if isinstance(value, list):
            yield len(value)
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from self.lists(part)

    def test_no_dual(self):
        """Nothing is as long as the data, and every key is one of those that are meant."""
        for more in ([], ["--epsilon", "inf"]):
            model = self.train(*more)
            self.assertEqual(set(model) - {"not_private", "noise", "rows"}, self.KEYS)
            self.assertLess(max(self.lists(model)), 20)

    def test_statement(self):
        steps = ("--batch-rate", "0.02", "--passes", "15")
        statement = self.train(*steps)["privacy"]
        question = statement["questions"][-1]
        self.assertEqual((question["question"], question["event"], question["rate"]),
                         ("dual", "SUBSAMPLED", 0.02))
        self.assertLessEqual(statement["epsilon"], 1)
        self.assertNotIn("priced_by", statement)
        other = self.train(*steps, "--adjacency", "replace-one")["privacy"]
        self.assertIn("the same coin", other["priced_by"])
        self.assertLessEqual(other["epsilon"], 1)
        self.assertGreater(other["questions"][-1]["noise_multiplier"],
                           1.2 * question["noise_multiplier"])

    def test_price(self):
        """What 'sotto account' says of the same events."""
        for adjacency in ("add-remove", "replace-one"):
            statement = self.train("--rows", "300", "--adjacency", adjacency)["privacy"]
            q = statement["questions"][-1]
            done = self.sotto("account", "--event", "SUBSAMPLED_GAUSS(%r,%r)@add-remove*%d" % (
                q["rate"], q["noise_multiplier"], q["times"]), "--adjacency", adjacency, "--delta",
                "1e-6", "--json")
            self.assertEqual(done.code, OK, done.err)
            epsilon = json.loads(done.out)["epsilon"]
            self.assertAlmostEqual(epsilon, statement["epsilon"], delta=1e-4)

    def test_more_noise_in_the_paper(self):
        """1.6 times and more, for epsilon of 0.5 to 2; its true price is in the statement."""
        for epsilon in ("0.5", "1", "2"):
            both = [self.train("--solver", s, "--rows", "30000", "--epsilon", epsilon, "--delta", "1e-6",
                               "--batch-rate", "0.01", "--steps", "1000")["privacy"]
                    for s in ("scd", "scd-paper")]
            noise = [s["questions"][-1]["noise_multiplier"] for s in both]
            self.assertGreater(noise[1], 1.6 * noise[0])
            self.assertLess(both[1]["epsilon"], both[0]["epsilon"])


class Rule(Dual):
    """The defaults: what they follow from, and what they are for."""

    def plan(self, *more, rows="20000", epsilon="1", l2="1e-4", features="8"):
        given = () if rows is None else ("--rows", rows)
        return self.sotto("plan", "--features", features, "--loss", "hinge", "--solver", "scd", "--l2", l2,
                          "--no-intercept", "--delta", "1e-9", "--epsilon", epsilon, *given, *more)

    def rule(self, *more, **facts):
        """Steps, rate, passes, the first clip and the longest."""
        done = self.plan(*more, "--explain", **facts)
        self.assertEqual(done.code, OK, done.err)
        numbers = re.findall(r"[0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?", done.out.decode().split("steps ", 1)[1])
        return [float(n.rstrip(".")) for n in numbers]

    def test_monotone(self):
        """More rows or budget: more passes and steps, farther in all. More features: less of each."""
        grows = [{"epsilon": e} for e in (".1", "1", "10")], [
            {"rows": n} for n in ("300", "30000", "300000")], [
            {"features": p} for p in ("4000", "40", "4")]
        for family in grows:
            rules = [self.rule(**facts) for facts in family]
            for less, more in zip(rules, rules[1:]):
                self.assertLessEqual(less[0], more[0])
                self.assertLessEqual(less[2], more[2] * 1.01)
                self.assertLessEqual(less[2] * less[3], more[2] * more[3] * 1.01)
            self.assertLess(2 * rules[0][0], rules[-1][0])

    def test_bounds(self):
        for facts in ({"epsilon": "18"}, {"epsilon": ".001"}, {"l2": "10"}, {"l2": "1e-12"}, {"rows": "3"},
                      {"rows": "1e9"}):
            steps, rate, passes, clip, most = self.rule(**facts)
            self.assertTrue(50 <= steps <= 3e5 and 0 < rate <= 1, facts)
            self.assertTrue(0 < clip <= most and clip * passes <= 1.001, facts)
            self.assertLessEqual(most * passes, 2.01, facts)

    def test_room(self):
        """How long w is no public quantity tells: with little noise or much the clip can become 8 times
        longer, or take a dual variable through its range and back. It never goes beyond that."""
        for facts in ({"epsilon": ".3"}, {"epsilon": "1"}, {"epsilon": "3"}):
            _, _, passes, clip, most = self.rule("--adjacency", "replace-one", rows="36000", l2="2.8e-5",
                                                 **facts)
            self.assertGreaterEqual(passes, 99.5, facts)
            self.assertGreater(most, min(8 * clip, 1.99 / passes), facts)

    def test_l2(self):
        """A penalty too small to matter makes no other model: the clip is a multiple of it."""
        some, less = (self.rule(l2=l2) for l2 in ("1e-6", "1e-8"))
        self.assertEqual(some[:3], less[:3])
        self.assertAlmostEqual(some[3] / less[3], 100, delta=.5)

    def test_given(self):
        """What is given is kept; the steps of a plan without a number of rows are those of 10,000."""
        self.assertEqual(self.rule("--steps", "700", "--batch-rate", ".25")[:3], [700, .25, 175])
        self.assertEqual(self.rule("--passes", "30", "--batch-rate", ".25")[:3], [120, .25, 30])
        self.assertEqual(self.rule("--clip", ".125")[3:], [.125])
        some = self.rule("--steps", "700", "--batch-rate", ".25", rows=None)
        self.assertEqual(some[:3], [700, .25, 175])
        refused = self.plan("--adjacency", "replace-one", rows=None)
        self.assertEqual(refused.code, USAGE)
        self.assertIn(b"expected --rows N", refused.err)

    def test_small_l2(self):
        """Twice as good as 15 passes with half of the first step, with seeds: nothing is left to chance."""
        self.write("many.csv", csv(rows(3000)))
        signs = [(a / 5, c / 5, 1 if t == "yes" else -1) for a, c, t in rows(3000)]

        def loss(*more):
            found = []
            for seed in range(3):
                self.train("--loss", "hinge", "--l2", "1e-5", "--rows", "3000", "--insecure-seed", str(seed + 1),
                           *more, data="many.csv")
                w = [5 * v for v in self.model()["weights"]]
                found += [sum(max(0, 1 - y * (a * w[0] + c * w[1]) * min(1, 1 / math.hypot(a, c)))
                              for a, c, y in signs) / len(signs)]
            return sum(found) / len(found)

        best = loss("--epsilon", "inf")
        before = loss("--passes", "15", "--batch-rate", "0.003333", "--clip", "0.0015")
        self.assertLess(2 * (loss() - best), before - best)


class Norm(Dual):
    def setUp(self):
        super().setUp()
        self.write("s.json", NUMBER)
        self.write("d.csv", csv([a, c, 10 + a - c] for a, c, _ in self.table))

    def test_prediction_shortens_as_training_does(self):
        model = self.train("--loss", "squared", "--epsilon", "inf", "--rows", "300", "--passes", "300",
                           "--norm-bound", "0.5")
        self.assertEqual(model["row_norm"], {"bound": 0.5, "centre": 10})
        done = self.sotto("predict", "m.json", "d.csv", "--scores", "--quiet")
        self.assertEqual(done.code, OK, done.err)
        got = [float(line) for line in done.out.split()]
        for (a, c, _), score in zip(self.table, got):
            norm = math.hypot(a / 5, c / 5)
            line = sum(w * x for w, x in zip(model["weights"], (a, c))) + model["intercept"]
            self.assertAlmostEqual(score, 10 + (line - 10) * min(1, 0.5 / norm), places=9)

    def test_export(self):
        self.train("--loss", "squared", "--epsilon", "inf")
        done = self.sotto("export", "m.json", "--format", "liblinear", "-o", "-")
        self.assertEqual(done.code, USAGE)
        self.assertIn(b"--norm-bound inf", done.err)
        self.assertNotIn("row_norm", self.train("--loss", "squared", "--epsilon", "inf", "--norm-bound",
                                                "inf"))
        self.assertEqual(self.sotto("export", "m.json", "--format", "liblinear", "-o", "-").code, OK)


if __name__ == "__main__":
    unittest.main()

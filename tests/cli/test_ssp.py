#!/usr/bin/env python3
"""Sufficient statistics: one question, and all else is post-processing."""
import json
import math
import re
import statistics
import unittest

from common import OK, PRIVACY, USAGE, Case, schema

COLUMNS = {"a": {"type": "number", "bounds": [0, 10]}, "b": {"type": "number", "bounds": [-1, 1]},
           "y": {"type": "target", "bounds": [-5, 15]}}


class Ssp(Case):
    def setUp(self):
        super().setUp()
        self.write_rows(1000)
        self.write("s.json", schema(COLUMNS))

    def write_rows(self, count):
        rows = ["%g,%g,%g" % (a := i * 7 % 11, b := i % 13 / 6.5 - 1, 1 + a - 2 * b + i % 3)
                for i in range(count)]
        self.write("d.csv", "a,b,y\n" + "\n".join(rows) + "\n")

    def train(self, *args, solver="ssp"):
        result = self.sotto("train", "d.csv", "--schema", "s.json", "--solver", solver, "--quiet",
                            "-o", "m.json", *args)
        self.assertEqual((result.code, result.out), (OK, b""), result.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_without_noise_it_is_the_minimiser(self):
        """For each penalty, a box, and no intercept; as far as a grid of 2^-21 allows."""
        for args in ([], ["--l1", "0.05"], ["--l2", "0.1"], ["--l1", "0.01", "--no-intercept"],
                     ["--box", "-0.1,0.2"]):
            exact = self.train("--epsilon", "inf", *args, solver="exact")
            found = self.train("--epsilon", "inf", *args)
            self.assertTrue(found["not_private"])
            for w, v in zip(exact["weights"] + [exact["intercept"]],
                            found["weights"] + [found["intercept"]]):
                self.assertAlmostEqual(w, v, delta=2e-4 * max(1, abs(w)), msg=args)

    def test_statement(self):
        model = self.train("--epsilon", "2", "--delta", "1e-6", "--adjacency", "replace-one")
        statement = model["privacy"]
        self.assertLessEqual(statement["epsilon"], 2)
        self.assertGreater(statement["epsilon"], 1.999)
        self.assertEqual([(q["question"], q["times"], q["event"]) for q in statement["questions"]],
                         [("cross moments", 1, "GAUSS")])
        model = self.train("--epsilon", "2", "--delta", "1e-6")
        self.assertEqual([q["question"] for q in model["privacy"]["questions"]],
                         ["total", "cross moments"])
        plan = self.sotto("plan", "--solver", "ssp", "--features", "2", "--epsilon", "2", "--delta",
                          "1e-6")
        self.assertEqual({**json.loads(plan.out), "ledger": "untracked"}, model["privacy"])

    def test_the_noise_it_tells_is_the_noise_there_is(self):
        """The spread of 200 runs; its own error is 5 %, so 30 % off is a fault."""
        runs = [self.train("--epsilon", "4", "--delta", "1e-6", "--adjacency", "replace-one")
                for _ in range(200)]
        for j in range(2):
            spread = statistics.stdev(m["weights"][j] for m in runs)
            told = statistics.mean(m["noise"][j] for m in runs)
            self.assertAlmostEqual(told / spread, 1, delta=.3)

    def test_errors_are_noise_and_twice_the_sampling_variance(self):
        """What noise leaves of an error is that of least squares, by hand. The noise moves it by less
        than 1 % (sd), so 10 % off is a fault."""
        self.write_rows(100000)
        model = self.train("--epsilon", "30", "--delta", "1e-6", "--adjacency", "replace-one")
        with open(self.path("d.csv"), encoding="utf-8") as file:
            rows = [[float(x) for x in line.split(",")] for line in file.readlines()[1:]]
        n, y = len(rows), [row[2] for row in rows]
        mean = [statistics.fmean(row[j] for row in rows) for j in range(2)]
        a, b = ([row[j] - mean[j] for row in rows] for j in range(2))
        aa, ab, bb = (sum(map(float.__mul__, *both)) for both in ((a, a), (a, b), (b, b)))
        middle = statistics.fmean(y)
        off = [t - middle - sum(w * x for w, x in zip(model["weights"], pair))
               for t, *pair in zip(y, a, b)]
        s2, whole = statistics.fmean(x * x for x in off), aa * bb - ab * ab
        for j, variance in enumerate((s2 * bb / whole, s2 * aa / whole)):
            sampling = model["intervals"]["errors"][j]**2 - model["noise"][j]**2
            self.assertAlmostEqual(sampling / (2 * variance), 1, delta=.1)
        # the intercept is that of columns that are not centred
        ends = [bb * mean[0] - ab * mean[1], aa * mean[1] - ab * mean[0]]
        there = s2 / n + s2 * (ends[0] * mean[0] + ends[1] * mean[1]) / whole
        self.assertAlmostEqual(model["intervals"]["intercept"]**2 / (2 * there), 1, delta=.1)
        self.assertEqual(model["intervals"]["refused"], {})

    def test_rows_of_a_person_count_against_the_rows(self):
        """With 4 rows of a person it is as if there were a fourth of the rows."""
        self.write_rows(100000)

        def sampling(*args):
            model = self.train("--epsilon", "30", "--delta", "1e-6", "--rows", "100000", *args)
            return model["intervals"]["errors"][0]**2 - model["noise"][0]**2
        one, four = sampling(), sampling("--rows-per-person", "4")
        self.assertAlmostEqual(four / one, 4, delta=.4)

    def test_no_interval_says_why(self):
        usual = ["--epsilon", "4", "--delta", "1e-6"]
        for args, word in ((["--l1", "0.01"], "l1"), (["--box", "-1,1"], "box"),
                           (["--clip", "1.5"], "clip"), (["--epsilon", "0.05"], "hidden")):
            model = self.train(*usual, *args)
            self.assertEqual(model["intervals"], {"refused": word}, args)
            shown = self.sotto("show", "m.json").out.decode()
            self.assertIn("intervals  no interval: ", shown)
            told = json.loads(self.sotto("show", "m.json", "--json").out)
            for one in (told["intercept_interval"], *told["weights"]):
                self.assertIn("no_interval", one)
                self.assertNotIn("error", one)
        self.assertIn("intervals", self.train(*usual, "--clip", "2.5"))
        self.assertIn("errors", self.train(*usual, "--clip", "2.5")["intervals"])
        self.assertNotIn("intervals", self.train(*usual, solver="gd"))
        self.assertIn("no interval: none is known to cover for this solver",
                      self.sotto("show", "m.json").out.decode())
        for args in (["--epsilon", "inf"], ["--epsilon", "4", "--delta", "1e-6", "--insecure-seed",
                                            "1"]):
            self.assertNotIn("intervals", self.train(*args))
            self.assertNotIn("interval", self.sotto("show", "m.json").out.decode())

    def test_what_people_see(self):
        model = self.train("--epsilon", "4", "--delta", "1e-6")
        errors = model["intervals"]["errors"]
        told = json.loads(self.sotto("show", "m.json", "--json").out)
        for one in told["weights"]:
            j = "ab".index(one["name"])
            self.assertEqual(one["error"], errors[j])
            for key, times in (("interval_90", 1.6448536), ("interval_95", 1.9599640)):
                for end, sign in zip(one[key], (-1, 1)):
                    self.assertAlmostEqual(end, model["weights"][j] + sign * times * errors[j],
                                           delta=1e-6 * abs(end))
        self.assertEqual(told["intercept_interval"]["error"], model["intervals"]["intercept"])
        shown = self.sotto("show", "m.json").out.decode()
        self.assertIn("intervals  90 %", shown)
        self.check_ends(shown, told)
        self.assertIn("\u2588", shown)
        self.assertNotIn("\u2591", shown)
        self.sotto("report", "m.json", "-o", "m.html")
        with open(self.path("m.html"), encoding="utf-8") as file:
            page = file.read()
        self.check_ends(page, told)
        self.check_ends(page, told, "interval_95")
        self.assertEqual(page.count('class="error"'), 2)
        self.assertNotIn(" faint\"", page)
        self.assertNotIn("last noise", page)
        self.assertIn("What an interval is.", page)
        self.assertNotIn("Levels of a category", page)

    def check_ends(self, text, told, key="interval_90"):
        """Outward, and by less than one unit of the second digit of the error."""
        pairs = [[float(end) for end in pair]
                 for pair in re.findall(r"(-?[\d.]+(?:e-?\d+)?) to (-?[\d.]+(?:e-?\d+)?)", text)]
        for one in (*told["weights"], told["intercept_interval"]):
            unit = 10**(math.floor(math.log10(one["error"])) - 1) * (1 + 1e-9)
            self.assertTrue(any(0 <= one[key][0] - low < unit and 0 <= high - one[key][1] < unit
                                for low, high in pairs), (one, pairs))

    def test_ends_contain_what_lies_between_them(self):
        """Far from 0, where three digits of each end would be the same number."""
        model = self.train("--epsilon", "4", "--delta", "1e-6")
        model["intercept"], model["intervals"]["intercept"] = 100399.9986, .0037
        model["weights"][0], model["intervals"]["errors"][0] = -123456.7, .5
        self.write_model("far.json", model)
        told = json.loads(self.sotto("show", "far.json", "--json").out)
        self.check_ends(self.sotto("show", "far.json").out.decode(), told)
        self.sotto("report", "far.json", "-o", "far.html")
        with open(self.path("far.html"), encoding="utf-8") as file:
            page = file.read()
        self.check_ends(page, told)
        self.check_ends(page, told, "interval_95")

    def test_a_weight_that_may_be_0_looks_so(self):
        """b is taken out of the target: its weight is noise, and its error bar is across 0."""
        rows = ["%g,%g,%g" % (a := i * 7 % 11, i % 13 / 6.5 - 1, 1 + a) for i in range(1000)]
        self.write("d.csv", "a,b,y\n" + "\n".join(rows) + "\n")
        while True:  # one interval in ten misses 0
            told = self.train("--epsilon", "4", "--delta", "1e-6")
            if abs(told["weights"][1]) < told["intervals"]["errors"][1]:
                break
        self.assertIn("\u2588", self.sotto("show", "m.json").out.decode())
        self.sotto("report", "m.json", "-o", "m.html")
        with open(self.path("m.html"), encoding="utf-8") as file:
            self.assertEqual(file.read().count(" faint\""), 1)

    def test_little_is_known_and_nothing_breaks(self):
        """A budget at which noise is all there is still makes a model."""
        model = self.train("--epsilon", "0.01", "--delta", "1e-9")
        self.assertEqual(len(model["weights"]), 2)

    def test_bad_calls(self):
        usual = ["train", "d.csv", "--schema", "s.json", "--solver", "ssp", "-o", "m.json",
                 "--epsilon", "1", "--delta", "1e-6"]
        for code, word, *args in ((USAGE, b"squared", "--loss", "huber"),
                                  (USAGE, b"--steps", "--steps", "3"),
                                  (USAGE, b"--passes", "--passes", "3"),
                                  (PRIVACY, b"--clip", "--clip", "inf")):
            result = self.sotto(*usual, *args)
            self.assertEqual((result.code, result.out), (code, b""), args)
            self.assertIn(word, result.err)
        result = self.sotto("plan", "--solver", "ssp", "--features", "1001", "--epsilon", "1",
                            "--delta", "1e-6")
        self.assertEqual(result.code, USAGE)
        self.assertIn(b"1000 features", result.err)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""`--undeclared rows`: features without bounds are divided by their length in each row."""

import json
import math
import random
import struct
import unittest
import zlib

from common import OK, PRIVACY, USAGE, Case, npy, schema


def float32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def scaled(row):
    row = [float32(v) for v in row]
    length = math.sqrt(sum(v * v for v in row))
    return [float32(v / length) if length else 0. for v in row]


class Undeclared(Case):
    """Four columns of counts, one of 0/1 that is declared, two classes."""

    def setUp(self):
        super().setUp()
        draw = random.Random(5)
        self.rows = []
        for _ in range(400):
            size = 10**draw.uniform(-2, 4)
            x = [round(size * draw.expovariate(1), 5) for _ in range(4)]
            d = draw.randrange(2)
            m = 4 * (x[0] - x[1]) / (sum(x) or 1) + d - .5 + draw.gauss(0, .2)
            self.rows.append([*x, d, 1 if m > 0 else -1])
        self.rows[7][:4] = [0, 0, 0, 0]
        self.put("d.csv", self.rows)
        number = {"type": "number"}
        self.write("s.json", schema(
            {c: number for c in "abcd"} | {"e": number | {"bounds": [0, 1]},
                                           "t": {"type": "target"}}))

    def put(self, name, rows):
        self.write(name, "\n".join(",".join(map(str, r)) for r in [list("abcdet"), *rows]) + "\n")

    def train(self, *args, data="d.csv", model="m.json"):
        return self.sotto("train", data, "--schema", "s.json", "--target", "t", "--loss",
                          "logistic", "--l2", "0.001", "-o", model, *args)

    def good(self, *args, **more):
        result = self.train(*args, **more)
        self.assertEqual(result.code, OK, result.err)
        return self.model(more.get("model", "m.json"))

    def model(self, name="m.json"):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def scores(self, data, model="m.json"):
        result = self.sotto("predict", model, data, "--scores")
        self.assertEqual(result.code, OK, result.err)
        return list(map(float, result.out.split()))


class Models(Undeclared):
    def test_the_exact_model_is_that_of_scaled_rows(self):
        rows = self.good("--epsilon", "inf", "--undeclared", "rows")
        self.assertEqual(rows["undeclared"], "rows")
        self.put("n.csv", [[*map(repr, scaled(r[:4])), *r[4:]] for r in self.rows])
        same = self.good("--epsilon", "inf", data="n.csv", model="n.json")
        self.assertNotIn("undeclared", same)
        for a, b in zip(rows["weights"], same["weights"]):
            self.assertAlmostEqual(a, b, delta=1e-9 * max(1, abs(b)))
        other = self.good("--epsilon", "inf", model="o.json")
        self.assertNotIn("undeclared", other)
        quality = [json.loads(self.sotto("evaluate", m, "d.csv", "--json").out)
                   for m in ("m.json", "o.json")]
        self.assertGreater(quality[0]["accuracy"], .9)
        self.assertGreater(quality[0]["accuracy"], quality[1]["accuracy"] + .1)
        [objective] = {round(json.loads(self.sotto("evaluate", m, f, "--json").out)["objective"], 9)
                       for m, f in (("m.json", "d.csv"), ("n.json", "n.csv"))}
        self.assertLess(objective, .4)

    def test_prediction_scales_as_training_did(self):
        """Bit for bit, and whatever else is in the file."""
        model = self.good("--epsilon", "1", "--delta", "1e-6", "--undeclared", "rows",
                          "--rows", "400")
        w, b = model["weights"], model["intercept"]
        expected = self.scores("d.csv")
        for row, score in zip(self.rows, expected):
            x = [*scaled(row[:4]), row[4]]
            self.assertAlmostEqual(score, b + sum(map(lambda u, v: u * v, w, x)), 12)
        self.put("one.csv", [self.rows[3]])
        self.assertEqual(self.scores("one.csv"), expected[3:4])
        far = [row[:] for row in self.rows]
        far[3][:4] = [3e38] * 4
        self.put("far.csv", far)
        now = self.scores("far.csv")
        self.assertEqual(now[:3] + now[4:], expected[:3] + expected[4:])
        # a power of two more in a row, and other columns first, change nothing
        self.write("more.csv", "t,e,d,q,c,b,a\n" + "\n".join(
            ",".join(map(str, [r[5], r[4], 8 * r[3], 9, 8 * r[2], 8 * r[1], 8 * r[0]]))
            for r in self.rows) + "\n")
        self.assertEqual(self.sotto("predict", "m.json", "more.csv", "--scores", "--drop",
                                    "q").out.split(),
                         self.sotto("predict", "m.json", "d.csv", "--scores").out.split())

    def test_numbered_features(self):
        """svmlight, trained and predicted; the same weights as of a dense file."""
        lines = [f"{r[5]} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(r[:5]) if v)
                 for r in self.rows]
        self.write("d.svm", "\n".join(lines) + "\n")
        self.write("v.json", schema({"5": {"type": "number", "bounds": [-1, 1]}}))
        self.write("s.json", schema(
            {c: {"type": "number"} for c in "abcd"} | {
                "e": {"type": "number", "bounds": [-1, 1]}, "t": {"type": "target"}}))
        for how in (["--epsilon", "1", "--delta", "1e-6", "--rows", "400", "--insecure-seed", "3"],
                    ["--epsilon", "inf"]):
            dense = self.good("--undeclared", "rows", *how)
            result = self.sotto("train", "d.svm", "--schema", "v.json", "--features", "5",
                                "--loss", "logistic", "--l2", "0.001", "--undeclared", "rows",
                                "-o", "v.model", *how)
            self.assertEqual(result.code, OK, result.err)
            sparse = self.model("v.model")
            self.assertEqual(sparse["undeclared"], "rows")
            if "inf" not in how:  # the noise is the same, so every bit is
                self.assertEqual(dense["weights"], sparse["weights"])
            for a, b in zip(self.scores("d.csv"), self.scores("d.svm", "v.model")):
                self.assertAlmostEqual(a, b, delta=1e-6)

    def test_arrays(self):
        """.npy by rows and by columns, and as many threads as one likes."""
        seen = set()
        self.write("s.json", schema({str(j): {"type": "number"} for j in range(1, 6)} |
                                    {"6": {"type": "target"}}))
        for order in "CF":
            self.write("d.npy", npy(self.rows, order=order))
            for threads in "12":
                result = self.sotto("train", "d.npy", "--schema", "s.json", "--target", "6",
                                    "--loss", "logistic", "--epsilon", "1", "--delta", "1e-6",
                                    "--rows", "400", "--insecure-seed", "1", "--threads", threads,
                                    "--undeclared", "rows", "-o", "m.json")
                self.assertEqual(result.code, OK, result.err)
                seen.add((json.dumps(self.model()["weights"]),
                          self.sotto("predict", "m.json", "d.npy", "--scores").out))
        self.assertEqual(len(seen), 1)

    def test_every_private_solver_can_use_it(self):
        """Where bounds are needed, rows give them: 1."""
        base = ["--epsilon", "1", "--delta", "1e-6", "--rows", "400"]
        for solver in ("cd", "gcd", "gd"):
            line = self.assert_one_line(self.train(*base, "--solver", solver, model="n.json"),
                                        PRIVACY)
            self.assertIn("--undeclared rows", line)
            model = self.good(*base, "--solver", solver, "--undeclared", "rows")
            self.assertEqual(model["undeclared"], "rows")


class Told(Undeclared):
    def test_nothing_is_bought(self):
        how = ["--epsilon", "1", "--delta", "1e-6", "--rows", "400", "--path", "dense"]
        bought = self.good(*how)
        rows = self.good(*how, "--undeclared", "rows")
        count = [sum(q["question"] in ("column sizes", "row sizes")
                     for q in m["privacy"]["questions"]) for m in (bought, rows)]
        self.assertGreater(count[0], count[1])
        self.assertNotIn("undeclared", bought["privacy"])
        self.assertIn("costs nothing", rows["privacy"]["undeclared"])
        self.assertIn(b"divided by their common length", self.sotto("show", "m.json").out)
        self.assertEqual(self.sotto("report", "m.json", "-o", "r.html").code, OK)
        with open(self.path("r.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("Features without bounds", page)
        self.assertIn("divided by their common length in each row", page)

    def test_the_plan_is_what_is_done(self):
        how = ["--epsilon", "1", "--delta", "1e-6", "--rows", "400", "--loss", "logistic",
               "--l2", "0.001", "--undeclared", "rows"]
        planned = json.loads(self.sotto("plan", "--schema", "s.json", "--target", "t", *how).out)
        done = self.good(*how)["privacy"]
        for key in ("questions", "undeclared", "epsilon"):
            self.assertEqual(planned[key], done[key])
        text = self.sotto("plan", "--schema", "s.json", "--target", "t", "--explain",
                          *how).out.decode()
        self.assertIn("1 of 5 features have them; the others are divided by their length", text)
        self.assertIn("which is free", text)
        self.assertNotIn("bought", text)
        text = self.sotto("plan", "--schema", "s.json", "--target", "t", "--explain", *how[:-1],
                          "bounds", "--path", "dense").out.decode()
        self.assertIn("bought, one for each, for 6 %", text)
        text = self.sotto("plan", "--schema", "s.json", "--target", "t", "--explain", *how[:-1],
                          "bounds", "--path", "dense", "--rows", "100").out.decode()
        self.assertIn("bought, one for all, for 3 %", text)
        self.assertIn("(--undeclared rows is free, and another model)", text)
        text = self.sotto("plan", "--schema", "s.json", "--target", "t", "--explain", *how[:-1],
                          "bounds", "--path", "dense", "--rows", "1000000").out.decode()
        self.assertIn("bought, one for each, for 3 %\n", text)
        self.assertNotIn("--undeclared rows", text)

    def test_all_declared(self):
        """Then there is nothing to scale, and the model is as any other."""
        self.write("s.json", schema({c: {"type": "number", "bounds": [0, 1e5]} for c in "abcde"} |
                                    {"t": {"type": "target"}}))
        self.assertNotIn("undeclared", self.good("--epsilon", "inf", "--undeclared", "rows"))


class Refused(Undeclared):
    def test_export(self):
        self.good("--epsilon", "inf", "--undeclared", "rows")
        line = self.assert_one_line(self.sotto("export", "m.json", "--format", "liblinear", "-o",
                                               "l.model"), USAGE)
        self.assertIn("length of their row", line)

    def test_other_words(self):
        for word in ("columns", ""):
            self.assert_one_line(self.train("--epsilon", "inf", "--undeclared", word), USAGE)

    def test_a_model_that_says_something_else(self):
        """A reader that does not know a key or its word refuses."""
        self.good("--epsilon", "inf", "--undeclared", "rows")
        with open(self.path("m.json"), encoding="utf-8") as file:
            text = file.read()
        for new in ('"undeclared": "columns"', '"undeclared": true', '"undeclare": "rows"'):
            head = text.replace('"undeclared": "rows"', new)
            head = head[:head.rindex('"checksum"')]
            tail = text[text.rindex('"checksum"'):]
            old = tail.split('"')[3]
            self.write("x.json", head + tail.replace(
                old, old[:-8] + format(zlib.crc32(head.encode()), "08x")))
            line = self.assert_one_line(self.sotto("predict", "x.json", "d.csv"), USAGE)
            self.assertIn("a part of the model", line)


if __name__ == "__main__":
    unittest.main()

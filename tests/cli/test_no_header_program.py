"""CSV files without a header, from the schema to the prediction; headers that are records."""

import json
import os
import random
import unittest

from common import DATA, OK, SECRETS, USAGE, Case, npy, schema

COLUMNS = {"age": {"type": "number", "bounds": [0, 100]},
           "sex": {"type": "category", "levels": ["f", "m"]},
           "y": {"type": "target", "classes": ["no", "yes"]}}
HEADER = "age,sex,y\n"
NAMES = "--no-header=age,sex,y"
PRIVATE = ("--schema=s.json", "--loss=logistic", "--epsilon=1", "--delta=1e-6",
           "--insecure-seed=3")


def rows(count=300, seed=5):
    rng = random.Random(seed)
    return "".join(f"{rng.randrange(100)},{rng.choice('fm')},{rng.choice(['no', 'yes'])}\n"
                   for _ in range(count))


class NoHeader(Case):
    def setUp(self):
        super().setUp()
        self.write("s.json", schema(COLUMNS))
        self.write("with.csv", HEADER + rows())
        self.write("without.csv", rows())

    def good(self, *args, **more):
        result = self.sotto(*args, **more)
        self.assertEqual(result.code, OK, result.err)
        return result

    def model(self, data, *more, **how):
        self.good("train", data, *PRIVATE, "-o", "m.json", *more, **how)
        with open(self.path("m.json"), encoding="utf-8") as file:
            model = json.load(file)
        return {key: value for key, value in model.items() if key != "checksum"}

    def test_same_model(self):
        """The model of the file with that header line; packed, from stdin, by any threads."""
        expected = self.model("with.csv")
        self.write("without.csv.gz", rows())
        self.write("without.txt", rows())
        for data in ("without.csv", "without.csv.gz", "without.txt"):
            for threads in range(1, 5):
                with self.subTest(data, threads=threads):
                    self.assertEqual(
                        self.model(data, NAMES, f"--threads={threads}"), expected)
        self.assertEqual(self.model("-", NAMES, input=rows().encode()), expected)
        self.assertNotEqual(self.model("without.csv", NAMES, "--insecure-seed=4"), expected)

    def test_first_row_counts(self):
        """It is a record: without it the model is that of the file with a header without it."""
        self.write("with.csv", HEADER + rows().split("\n", 1)[1])
        self.write("fewer.csv", rows().split("\n", 1)[1])
        fewer = self.model("fewer.csv", NAMES)
        self.assertEqual(fewer, self.model("with.csv"))
        self.assertNotEqual(fewer, self.model("without.csv", NAMES))

    def test_predict_and_evaluate(self):
        self.model("with.csv")
        for more in ((), ("--scores",), ("--proba",)):
            self.assertEqual(self.good("predict", "m.json", "without.csv", NAMES, *more).out,
                             self.good("predict", "m.json", "with.csv", *more).out)
        self.assertEqual(self.good("evaluate", "m.json", "without.csv", NAMES, "--json").out,
                         self.good("evaluate", "m.json", "with.csv", "--json").out)
        answers = self.good("predict", "m.json", "without.csv", NAMES).out
        self.assertEqual(len(answers.splitlines()), 300)
        # without a target there are fewer columns, in any order
        self.write("new.csv", "f,30\nm,40\n")
        self.write("new-with.csv", "sex,age\nf,30\nm,40\n")
        self.assertEqual(
            self.good("predict", "m.json", "new.csv", "--scores", "--no-header", "sex,age").out,
            self.good("predict", "m.json", "new-with.csv", "--scores").out)

    def test_counted(self):
        self.write("n.csv", "1,2,5\n2,5,1\n4,4,4\n")
        self.write("n-with.csv", "1,2,3\n1,2,5\n2,5,1\n4,4,4\n")
        said = []
        for data, more in (("n.csv", ("--no-header", "3")), ("n-with.csv", ())):
            self.good("train", data, "--target=3", "--epsilon=inf", "--l2=1", "-o", "n.json", *more)
            said.append((self.good("show", "n.json").out,
                         self.good("predict", "n.json", data, *more).out))
        self.assertEqual(said[0], said[1])

    def test_schema(self):
        """A template from the names; no record is looked at, and there need not be one."""
        expected = self.good("schema", "with.csv", "--target=y").out
        for data, content in (("without.csv", rows()), ("empty.csv", ""),
                              ("odd.csv", b"\x1f\x8b\xff\0PAR1"), ("bad.csv", '"1,2')):
            self.write(data, content)
            self.assertEqual(self.good("schema", data, "--target=y", NAMES).out, expected)
        self.assertEqual(self.good("schema", "--check", "s.json", "without.csv", NAMES).out,
                         b"no fault\n")
        result = self.sotto("schema", "--check", "s.json", "without.csv", "--no-header=age,y")
        self.assertEqual(result.code, DATA)
        self.assertIn(b'there is no column "sex"', result.out)

    def test_bad_first_row(self):
        """With --bad-rows drop it is absent, and a private run says nothing of it."""
        expected = self.model("without.csv", NAMES, "--bad-rows=drop")
        told = set()
        for bad in ("", HEADER, "1,f\n", "1,f,no,no\n", f"{SECRETS[1]},f,no\n", "\ufeff1,f,no\n"):
            self.write("bad.csv", bad + rows())
            self.assertEqual(self.model("bad.csv", NAMES, "--bad-rows=drop"), expected)
            os.remove(self.path("m.json"))
            result = self.good("train", "bad.csv", *PRIVATE, "-o", "m.json", NAMES,
                               "--bad-rows=drop")
            told.add((result.out, result.err))
            # otherwise the run ends in one line
            result = self.sotto("doctor", "bad.csv", "--schema=s.json", "--loss=logistic", NAMES)
            if bad:
                self.assert_refused(result, DATA, hint="line 1")
        self.assertEqual(len(told), 1)

    def test_refused(self):
        self.write("d.npy", npy([[1, 2], [3, 4]]))
        self.write("d.svm", "1 1:2\n")
        for verb in ("doctor", "train", "schema"):
            for data in ("d.npy", "d.svm"):
                with self.subTest(verb, data=data):
                    more = ("--epsilon=inf", "-o", "x.json") if verb == "train" else ()
                    self.assert_refused(self.sotto(verb, data, "--no-header=2", *more), USAGE,
                                        hint="--no-header is for CSV")
        for bad in ("", ",", "a,,b", "a,b,", "0", "1e3", "-2", "1.5", "3,1", '"a",b'):
            with self.subTest(bad):
                self.assert_refused(self.sotto("doctor", "without.csv", "--no-header=" + bad),
                                    USAGE, hint="--no-header")
        self.assert_refused(self.sotto("doctor", "without.csv", "--no-header=a,b,a"), DATA,
                            hint="columns 1 and 3 have the same name")
        for wrong in ("2", "4", "a,b"):
            self.assert_refused(
                self.sotto("doctor", "without.csv", "--drop=2" if wrong != "a,b" else "--drop=b",
                           "--no-header", wrong), DATA, hint="line 1.*--no-header says")


class LikeARecord(Case):
    """Files without a header that are read as if they had one."""

    def test_doctor_warns(self):
        self.write("d.csv", "2031-05-17,,3\n1,2,3\n4,5,6\n")
        result = self.sotto("doctor", "d.csv")
        self.assertEqual(result.code, OK)
        self.assertIn(b"looks like a record", result.err)
        self.assertIn(b"--no-header NAMES", result.err)
        self.assertNotIn(b"2031", result.err)
        self.assertEqual(self.sotto("doctor", "d.csv", "--quiet").err, b"")
        self.write("d.csv", "2031-05-17,a,3\n1,2,3\n")
        self.assertEqual(self.sotto("doctor", "d.csv").err, b"")

    def test_numbers_cost_nothing(self):
        """Training refuses a first line of numbers before it books, and quotes none."""
        self.write("d.csv", f"{SECRETS[0]},{SECRETS[2]},1\n1,2,0\n")
        env = {**os.environ, "SOTTO_LEDGER": os.fsdecode(self.path("ledger"))}
        result = self.sotto("train", "d.csv", "--target=c", "--epsilon=1", "--delta=1e-6",
                            "-o", "m.json", env=env)
        self.assert_refused(result, DATA, hint="give --no-header NAMES")
        self.assertEqual(os.listdir(self.directory), ["d.csv"])


if __name__ == "__main__":
    unittest.main()

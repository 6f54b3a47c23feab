#!/usr/bin/python3
"""Several files as one table: the model of their concatenation, a booking for each of them, and
what is refused for nothing."""

import json
import os
import random
import unittest

from common import DATA, FAILED, OK, USAGE, Case

HEADER = "who,a,b,t\n"
SCHEMA = {"sotto_schema": 1, "columns": {
    "who": {"type": "unit"},
    "a": {"type": "number", "bounds": [-1, 1]}, "b": {"type": "number", "bounds": [-1, 1]},
    "t": {"type": "target", "bounds": [-2, 2]}}}
BAD = ("p1,SECRETWORD,0,0\n", 'p2,"0,0,0\n', "\n", "p3,1\n")


class Files(Case):
    def setUp(self):
        super().setUp()
        self.draw = random.Random(7)
        self.lines = []
        for _ in range(120):
            a, b = self.draw.uniform(-1, 1), self.draw.uniform(-1, 1)
            self.lines.append(f"p{self.draw.randrange(30)},{a:.6f},{b:.6f},{a - b / 2:.6f}\n")
        self.write("s.json", json.dumps(SCHEMA))
        self.own = os.path.join(self.directory, "own.db")

    def split(self, lines, count, header=HEADER):
        """Files p0.csv, ... of these lines, cut at random."""
        cuts = sorted(self.draw.randrange(len(lines) + 1) for _ in range(count - 1))
        names = []
        for i, (low, high) in enumerate(zip([0] + cuts, cuts + [len(lines)])):
            names.append(f"p{i}.csv")
            self.write(names[-1], header + "".join(lines[low:high]))
        return names

    def train(self, files, *more, own=None, out="m.json"):
        return self.sotto(
            "train", *files, "--schema", "s.json", "--solver", "gd", "--steps", "3", "--rows",
            "120", "--epsilon", "1", "--delta", "1e-6", "-o", out, *more,
            env={**os.environ, "SOTTO_LEDGER": own or "none"})

    def model(self, files, *more):
        done = self.train(files, "--insecure-seed", "5", *more)
        self.assertEqual(done.code, OK, done.err)
        with open(self.path("m.json"), "rb") as file:
            return file.read()

    def booked(self):
        if not os.path.exists(self.own):
            return {}
        said = self.sotto("ledger", "list", "--ledger", self.own, "--json")
        self.assertEqual(said.code, OK, said.err)
        return {os.path.basename(d["name"]): (d["charges"], d["unfinished"])
                for d in json.loads(said.out)["datasets"]}


class OneTable(Files):
    def test_the_model_of_the_concatenation(self):
        """People have rows in several files: which of them are used goes by the order of all."""
        for round_ in range(8):
            bad = round_ % 2 == 1
            lines = list(self.lines)
            for _ in range(20 if bad else 0):
                lines.insert(self.draw.randrange(len(lines)), self.draw.choice(BAD))
            more = ["--rows-per-person", str(1 + round_ % 3)]
            more += ["--bad-rows", "drop"] if bad else []
            self.write("whole.csv", HEADER + "".join(lines))
            whole = self.model(["whole.csv"], *more)
            names = self.split(lines, 2 + round_ % 4)
            for threads in "1234":
                self.assertEqual(self.model(names, *more, "--threads", threads), whole)
            other = self.model(names[::-1], *more)
            self.assertNotEqual(other, whole)  # another order, other rows of a person

    def test_without_headers(self):
        """With --no-header the first line of each file is a record."""
        self.write("whole.csv", HEADER + "".join(self.lines))
        whole = self.model(["whole.csv"])
        for count in 1, 2, 5:
            names = self.split(self.lines, count, header="")
            self.assertEqual(self.model(names, "--no-header", HEADER.strip()), whole)
        self.write("p4.csv", "p1,0.5,0.5\n")
        self.assert_refused(self.train(names, "--no-header", HEADER.strip()), line=1,
                            hint="p4.csv: line 1, column 4")

    def test_other_verbs(self):
        self.write("whole.csv", HEADER + "".join(self.lines))
        names = self.split(self.lines, 3)
        self.model(names)
        for verb in ("evaluate", "predict"):
            whole = self.sotto(verb, "m.json", "whole.csv")
            parts = self.sotto(verb, "m.json", *names)
            self.assertEqual((whole.code, parts.code), (OK, OK), parts.err)
            self.assertEqual(whole.out, parts.out)
        whole = self.sotto("doctor", "whole.csv", "--schema", "s.json", "--json")
        parts = self.sotto("doctor", *names, "--schema", "s.json", "--json")
        whole, parts = json.loads(whole.out), json.loads(parts.out)
        self.assertEqual(parts.pop("files"), names)
        self.assertEqual((whole.pop("file"), parts.pop("file")), ("whole.csv", "p0.csv"))
        self.assertEqual(whole, parts)
        said = self.sotto("doctor", *names, "--schema", "s.json")
        self.assertIn(b"p0.csv and 2 more: 120 rows", said.out)


class Ledgers(Files):
    def test_each_file_is_booked(self):
        names = self.split(self.lines, 3)
        done = self.train(names, own=self.own)
        self.assertEqual(done.code, OK, done.err)
        self.assertIn(b"booked for each of the 3 files", done.err)
        self.assertEqual(self.booked(), {name: (1, 0) for name in names})
        done = self.train(names[1:2], own=self.own)
        self.assertEqual(self.booked(), {**{name: (1, 0) for name in names}, "p1.csv": (2, 0)})
        self.assertIn(b"(2 so far)", done.err)
        # whatever the order, the statement speaks of the file with the most
        done = self.train(names, own=self.own)
        self.assertIn(b"(3 so far)", done.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["privacy"]["ledger"]["position"], 4)

    def test_a_named_data_set_is_booked_once(self):
        names = self.split(self.lines, 3)
        made = self.sotto("ledger", "create", "--ledger", self.own, "--dataset", "people",
                          "--epsilon", "3", "--delta", "1e-6", "--unit-column", "who")
        self.assertEqual(made.code, OK, made.err)
        done = self.train(names, "--ledger", self.own, "--dataset", "people")
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(self.booked(), {"people": (1, 0)})
        self.assertNotIn(b"each of the", done.err)

    def test_refused_for_nothing(self):
        names = self.split(self.lines, 3)
        self.write("other.csv", "who,b,a,t\np1,0,0,0\n")
        self.write("o.svm", "1 1:1\n")
        os.symlink("p0.csv", self.path("link.csv"))
        for last, code, words in (
                ("other.csv", DATA, 'other.csv: line 1, column 2: expected the columns of p0.csv'),
                ("absent.csv", FAILED, "absent.csv: cannot be opened"),
                ("o.svm", USAGE, "o.svm: several files"),
                ("link.csv", USAGE, "link.csv: this is the same file as p0.csv"),
                ("-", USAGE, "stdin")):
            with self.subTest(last=last):
                done = self.train([*names, last], own=self.own)
                self.assertIn(words, self.assert_one_line(done, code))
                self.assertEqual(self.booked(), {})

    def test_all_are_charged_before_a_row_is_read(self):
        names = self.split(self.lines, 3)
        self.write("p1.csv", HEADER + "p1,0,0,0\np1,SECRETWORD,0,0\n")
        line = self.assert_one_line(self.train(names, own=self.own), DATA)
        self.assertIn('p1.csv: line 3, column 2 ("a")', line)
        self.assertIn("stays charged", line)
        self.assertEqual(self.booked(), {name: (1, 1) for name in names})


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Whose promise it is: every place that shows one names its unit, and promises about different
units are never added up."""
import json
import re
import unittest
import zlib

from common import OK, Case, npy, schema


def visits(patients=60, each=10):
    for i in range(patients):
        for k in range(each):
            yield "p%d" % i, (7 * i + k) % 11 / 11, (i * i + 3 * k) % 13 / 13


class Units(Case):
    def setUp(self):
        super().setUp()
        self.write("d.csv", "patient,ward id,x,y\n" + "".join(
            "%s,w%d,%r,%r\n" % (who, i % 7, x, y) for i, (who, x, y) in enumerate(visits())))
        number = {"type": "number", "bounds": [0, 1]}
        self.plain = {"x": number, "y": {"type": "target", "bounds": [0, 1]}}
        self.write("s.json", schema(self.plain, default={"type": "drop"}))
        self.write("people.json", schema({"patient": {"type": "unit"}, **self.plain},
                                         default={"type": "drop"}))

    PATIENT = ("--schema", "people.json")
    WARD = ("--schema", "s.json", "--unit-column", "ward id")
    ROW = ("--schema", "s.json")

    def arguments(self, *args, name="m.json"):
        return ("train", "d.csv", "--loss", "squared", "--epsilon", "1", "--delta", "1e-6",
                "--solver", "gd", "--rows", "600", "-o", name, *args)

    def train(self, *args, name="m.json"):
        result = self.sotto(*self.arguments(*args, name=name))
        self.assertEqual(result.code, OK, result.err)
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)["privacy"], result.err.decode()

    CASES = (
        (ROW, ("row", None, 1), "a row, not all rows of a person"),
        (PATIENT, ("person", "patient", 1),
         'a person: all rows with the same "patient", of which 1 is used'),
        (PATIENT + ("--rows-per-person", "3"), ("person", "patient", 3),
         'a person: all rows with the same "patient", of which at most 3 are used'),
        (WARD + ("--rows-per-person", "2"), ("person", "ward id", 2),
         'a person: all rows with the same "ward id", of which at most 2 are used'),
        (ROW + ("--rows-per-person", "10"), ("person", None, 10),
         "a person with at most 10 rows, as the operator declared"))

    def test_everything_that_shows_a_promise_names_its_unit(self):
        for args, unit, words in self.CASES:
            with self.subTest(args=args):
                statement, said = self.train(*args)
                self.assertEqual((statement["unit"], statement["unit_column"],
                                  statement["rows_per_person"]), unit)
                self.assertIn("\nthe unit is %s\n" % words, said)
                shown = self.sotto("show", "m.json").out.decode()
                self.assertIn("\nunit       %s\n" % words, shown)
                spent = self.spent(*self.arguments(*args))
                self.assertEqual((spent["unit"], spent["unit_column"], spent["rows_per_person"]),
                                 unit)
                self.assertIn("The unit is %s.\n" % words, spent["shown"])
                plan = self.sotto("plan", *(a for a in self.arguments(*args)[2:]
                                            if a not in ("-o", "m.json")))
                self.assertEqual(plan.code, OK, plan.err)
                self.assertEqual(json.loads(plan.out)["unit_column"], unit[1])

    def test_a_plan_without_a_schema(self):
        result = self.sotto("plan", "--features", "3", "--loss", "squared", "--epsilon", "1",
                            "--delta", "1e-6", "--rows", "600", "--unit-column", "who")
        self.assertEqual(result.code, OK, result.err)
        self.assertEqual(json.loads(result.out)["unit_column"], "who")

    def rewrite(self, change, name="m.json"):
        """The model with another statement, and its checksum."""
        with open(self.path(name), encoding="utf-8") as file:
            model = json.load(file)
        change(model["privacy"])
        del model["checksum"]
        head = (json.dumps(model)[:-1] + ", ").encode()
        self.write(name, head + b'"checksum": "crc32:%08x"\n}\n' % zlib.crc32(head))

    def test_statements_of_earlier_versions(self):
        """They do not name the column, and what they show says so."""
        self.train(*self.PATIENT)
        self.rewrite(lambda statement: statement.pop("unit_column"))
        shown = self.sotto("show", "m.json").out.decode()
        self.assertIn("in a column that the statement does not name, of which 1 is used", shown)

    def test_a_name_is_only_a_name(self):
        """No control character of it reaches a terminal."""
        self.train(*self.PATIENT)
        self.rewrite(lambda statement: statement.update(unit_column="\x1b[31m\"x\n"))
        shown = self.sotto("show", "m.json").out.decode()
        line = next(line for line in shown.split("\n") if line.startswith("unit "))
        self.assertNotIn("\x1b", line)
        self.assertTrue(line.endswith("of which 1 is used"))


if __name__ == "__main__":
    unittest.main()

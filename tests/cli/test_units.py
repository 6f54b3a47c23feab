#!/usr/bin/env python3
"""Whose promise it is: every place that shows one names its unit, and promises about different
units are never added up."""
import html
import json
import os
import re
import unittest
import zlib

from common import HERE, OK, USAGE, Case, rounded_up, schema


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

    def test_the_number_of_rows_is_of_those_that_are_used(self):
        """3000 lines are of 600 people; what training asks for is what --rows says."""
        self.write("v.csv", "patient,x,y\n" + "".join(
            "%s,%r,%r\n" % row for row in visits(600, 5)))
        self.write("v.json", schema({"patient": {"type": "unit"}, **self.plain}))
        for each, used in (("1", 600), ("4", 2400)):
            self.assertEqual(self.sotto(
                "train", "v.csv", "--schema", "v.json", "--epsilon", "8", "--delta", "1e-6",
                "--rows-per-person", each, "-o", "m.json").code, OK)
            with open(self.path("m.json"), encoding="utf-8") as file:
                self.assertLess(abs(json.load(file)["rows"] / used - 1), .15)  # 13 sds
        private = ("plan", "--epsilon", "1", "--delta", "1e-6")
        line = self.assert_one_line(self.sotto(*private, "--schema", "people.json",
                                               "--rows-per-person", "4"), USAGE)
        self.assertIn("--rows N, how many rows are used (of each person at most 4): ", line)
        line = self.assert_one_line(self.sotto(*private, "--schema", "s.json"), USAGE)
        self.assertNotIn("person", line)

    def test_statements_of_earlier_versions(self):
        """They do not name the column, and what they show says so."""
        self.train(*self.PATIENT)
        self.rewrite(lambda statement: statement.pop("unit_column"))
        shown = self.sotto("show", "m.json").out.decode()
        self.assertIn("in a column that the statement does not name, of which 1 is used", shown)

    def words(self, *models):
        """What the page says, without its tags."""
        result = self.sotto("report", *models, "-o", "page.html")
        self.assertEqual(result.code, OK, result.err)
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = re.sub(r"<style>.*?</style>|<[^>]*>", " ", file.read(), flags=re.S)
        return " ".join(html.unescape(text).split())

    def test_the_page_names_the_unit(self):
        for args, _, words in self.CASES:
            with self.subTest(args=args):
                self.train(*args)
                page = self.words("m.json")
                self.assertIn("Who is protected " + words, page)
                self.assertIn("The unit is %s. Random noise" % words, page)

    SUM = "promised of all of them together is epsilon"

    def test_promises_are_added_up_only_for_one_unit(self):
        """A patient has ten visits: a model per visit and one per patient are not two epsilons of
        the same thing."""
        models = {"visit": self.ROW, "patient": self.PATIENT, "ward": self.WARD,
                  "three": self.PATIENT + ("--rows-per-person", "3"),
                  "ten": self.ROW + ("--rows-per-person", "10"),
                  "replaced": self.ROW + ("--adjacency", "replace-one")}
        for name, args in models.items():
            self.train(*args, name=name + ".json")
        for pair, why in (("visit patient", "all k of them together cost up to k times"),
                          ("patient visit", "all k of them together cost up to k times"),
                          ("visit ten", "Some protect a row, others a person"),
                          ("patient ward", "tell people apart by different columns"),
                          ("patient ten", "tell people apart by different columns"),
                          ("patient three", "different numbers of rows per person"),
                          ("visit replaced", "(adjacency)"),
                          ("patient patient visit", "Some protect a row")):
            with self.subTest(pair=pair):
                page = self.words(*(name + ".json" for name in pair.split()))
                self.assertNotIn(self.SUM, page)
                self.assertIn("These promises are not added up.", page)
                self.assertIn(why, page)
        for name, assumed in (("visit", "what is theirs is one row in the data of each"),
                              ("patient", "\u201cpatient\u201d means the same person in all"),
                              ("three", "\u201cpatient\u201d means the same person in all"),
                              ("ten", "who have at most 10 rows in the data of each")):
            with self.subTest(name=name):
                page = self.words(name + ".json", name + ".json")
                self.assertRegex(page, self.SUM + " 2 at delta 2e-6 ")
                self.assertIn(assumed, page)
                self.assertNotIn("not added up", page)

    def booked(self, dataset, name, *args):
        return self.train(*self.PATIENT, "--ledger", "l", "--dataset", dataset, *args, name=name)[0]

    TOTAL = "the total of all its runs, also of those that are not on this page, is "

    def test_the_total_of_a_ledger_comes_first(self):
        """Of one data set with a cap, and of no other."""
        make = ("ledger", "create", "--ledger", "l", "--unit-column", "patient", "--delta", "1e-6")
        for more in (("--dataset", "one", "--epsilon", "3"), ("--dataset", "two", "--epsilon", "3"),
                     ("--dataset", "open")):
            self.assertEqual(self.sotto(*make, *more).code, OK)
        for name in ("a", "b"):
            said = self.booked("one", name + ".json")["ledger"]
        self.booked("two", "c.json")
        for name in ("d", "e"):
            self.booked("open", name + ".json")
        for pair in ("a b", "b a"):  # the latest counts, in any order
            page = self.words(*(name + ".json" for name in pair.split()))
            spent = rounded_up(said["spent_epsilon"], 3)
            self.assertIn(self.TOTAL + "epsilon %s of a cap of epsilon 3 , at delta 1e-6" % spent,
                          page)
            self.assertLess(page.index(self.TOTAL), page.index(self.SUM))
            self.assertIn("Without the ledger, what is " + self.SUM + " 2 at delta 2e-6", page)
        for pair in ("a c", "d e"):
            page = self.words(*(name + ".json" for name in pair.split()))
            self.assertNotIn(self.TOTAL, page)
            self.assertIn("What is " + self.SUM + " 2 at delta 2e-6", page)
        self.train(*self.PATIENT, name="none.json")
        self.assertNotIn(self.TOTAL, self.words("a.json", "none.json"))
        with open(self.path("l"), "rb") as file:
            before = file.read()
        self.booked("one", "f.json")
        with open(self.path("l"), "wb") as file:
            file.write(before)  # an older copy is put back
        self.booked("one", "g.json")
        self.assertIn(self.TOTAL, self.words("a.json", "g.json"))
        self.assertNotIn(self.TOTAL, self.words("f.json", "g.json"))

    def test_what_is_not_named_is_not_added(self):
        self.train(*self.PATIENT)
        self.rewrite(lambda statement: statement.pop("unit_column"))
        page = self.words("m.json", "m.json")
        self.assertNotIn(self.SUM, page)
        self.assertIn("One of them does not name its unit", page)
        self.train(*self.ROW)  # of a row there is none to name
        self.rewrite(lambda statement: statement.pop("unit_column"))
        self.assertIn(self.SUM + " 2 at", self.words("m.json", "m.json"))

    def test_parties_do_not_promise_it_against_everybody(self):
        self.train(*self.ROW, "--adjacency", "zero-out", name="z.json")
        self.train(*self.ROW, "--adjacency", "zero-out", name="parties.json")
        self.rewrite(lambda statement: statement.update(
            of="a whole row", against="everybody but the parties"), name="parties.json")
        page = self.words("z.json", "parties.json")
        self.assertNotIn(self.SUM, page)
        self.assertIn("promise nothing against these parties", page)
        page = self.words("parties.json", "parties.json")
        self.assertIn(self.SUM, page)
        self.assertIn("against everybody but the parties of any of them", page)

    def test_zero_out_is_defined_where_it_is_read(self):
        """A row of zeros is not blank."""
        blank = re.search(r'#define SOTTO_ZERO_OUT((?:.*\\\n)+.*)\n', self.source("include/sotto.h"))
        text = "".join(re.findall('"([^"]*)"', blank[1]))
        self.assertIn("the intercept's and the target's too", text)
        self.assertIn("a row of zeros is not blank", text)
        statement, _ = self.train(*self.ROW, "--adjacency", "zero-out")
        self.assertEqual(statement["zero_out"], text)
        self.assertIn(text, self.words("m.json"))
        for verb in ("train", "plan", "account"):
            self.assertIn(text, " ".join(self.sotto("help", verb).out.decode().split()))
        for page in ("docs/schema.md", "docs/privacy/data.md"):
            self.assertIn(text, " ".join(self.source(page).split()))
        statement, _ = self.train(*self.ROW)
        self.assertNotIn("zero_out", statement)

    def source(self, name):
        with open(os.path.join(HERE, "..", "..", name), encoding="utf-8") as file:
            return file.read()

    def test_a_name_is_only_a_name(self):
        """No control character of it reaches a terminal."""
        self.train(*self.PATIENT)
        self.rewrite(lambda statement: statement.update(unit_column="\x1b[31m\"x\n"))
        shown = self.sotto("show", "m.json").out.decode()
        line = next(line for line in shown.split("\n") if line.startswith("unit "))
        self.assertNotIn("\x1b", line)
        self.assertTrue(line.endswith("of which 1 is used"))
        self.rewrite(lambda statement: statement.update(unit_column="<script>alert(1)</script>"))
        self.words("m.json", "m.json")
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertNotIn("<script", file.read())


if __name__ == "__main__":
    unittest.main()

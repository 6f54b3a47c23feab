"""Good input: what the readers accept, and that every value arrives as it
stands in the file, in its own units.
"""

import gzip
import json
import os
import random
import re
import subprocess
import threading
import unittest

from common import OK, PROGRAM, Case, npy, schema


class Csv(Case):
    """CSV as people's programs write it."""

    def values(self, content, *args, **more):
        """One row of numbers, by column."""
        said = self.read(content, *args, **more)
        self.assertEqual(said["rows"], 1)
        return {f["name"]: f["least"] for f in said["feature"]}

    def test_shape_and_summary(self):
        said = self.read("a,b\n1,2\n-3,0.5\n5,2\n")
        self.assertEqual((said["rows"], said["features"], said["entries"],
                          said["sparse"]), (3, 2, 6, False))
        self.assertEqual(said["file"], "data.csv")
        self.assertEqual([f["name"] for f in said["feature"]], ["a", "b"])
        self.assertEqual(said["feature"][0], {
            "name": "a", "least": -3, "mean": 1, "most": 5, "centre": 0,
            "half": 1})
        self.assertEqual(said["feature"][1]["mean"], 1.5)
        self.assertNotIn("target_mean", said)

    def test_line_ends(self):
        """LF, CRLF, mixed, none at the end, empty lines."""
        for content in ("a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n",
                        "a,b\n1,2\r\n3,4", "a,b\r\n1,2\n3,4\r",
                        "a,b\n\n1,2\n\n\n3,4\n\n", "a,b\r\n\r\n1,2\r\n3,4",
                        '"a","b"\r\n"1","2"\r\n"3","4"\r\n',
                        '"a","b"\n"1","2"\n"3","4"'):
            with self.subTest(content):
                said = self.read(content)
                self.assertEqual(said["rows"], 2)
                self.assertEqual(
                    [(f["name"], f["least"], f["most"])
                     for f in said["feature"]], [("a", 1, 3), ("b", 2, 4)])

    def test_byte_order_mark(self):
        for head in ("a,b\n", '"a",b\n'):
            self.assertEqual(self.values("\ufeff" + head + "1,2\n"),
                             {"a": 1, "b": 2})

    def test_numbers_to_the_last_bit(self):
        """Every way to write a number, equal to Python's reading of it."""
        rng = random.Random(1)
        texts = ["-0", "0", "+1", "1.", ".5", "-.5e1", "1e5", "1E+5", "1e-5",
                 "007", "1e-400", "0e999999999999", "123456789012345678901",
                 "0.1", "2.2250738585072011e-308", "5e-324", "3.4e38",
                 "9007199254740993", "0." + "0" * 400 + "1",
                 "1" + "0" * 300 + "e-300", "1" * 38]
        for _ in range(2000):
            digits = "".join(rng.choices("0123456789", k=rng.randint(1, 25)))
            point = rng.randint(0, len(digits))
            texts.append("%s%s.%s%s" % (
                rng.choice(["", "-", "+"]), digits[:point],
                digits[point:] or "0", "e%d" % rng.randint(-60, 10)
                if rng.random() < 0.5 else ""))
        names = ["c%d" % i for i in range(len(texts))]
        said = self.values("%s\n%s\n" % (",".join(names), ",".join(texts)),
                           "--quiet")
        for name, text in zip(names, texts):
            self.assertEqual(said[name], float(text), text)

    def test_minus_zero(self):
        for content in ("a\n-0\n", "a\n-0.0\n", "a\n-0e5\n", 'a\n"-0"\n'):
            self.assertEqual(self.feature(content), (0, 0, 0))

    def test_blanks_around_numbers(self):
        self.assertEqual(self.values('a, b ,c,d\n 1,2\t, 3 ," 4 "\n'),
                         {"a": 1, "b": 2, "c": 3, "d": 4})

    def test_quoting(self):
        """Quoted fields, doubled quotes, delimiters inside quotes."""
        said = self.values('"a","b,b","c""c"\n"1","2",3\n')
        self.assertEqual(said, {"a": 1, "b,b": 2, 'c"c': 3})
        said = self.values('a,t,b\n1,"x, ""y""",2\n', "--drop", "t")
        self.assertEqual(said, {"a": 1, "b": 2})

    def test_quoted_newline(self):
        content = 'a,t,b\n1,"x\ny\r\n\n",2\n3,"\n",4\n'
        said = self.read(content, "--drop", "t")
        self.assertEqual(said["rows"], 2)
        self.assertEqual(said["by_name"]["b"]["most"], 4)

    def test_quoted_newline_is_remarked(self):
        """The operator learns that lines are not records, if they are not,
        and unless nothing may be said."""
        self.write("d.csv", 'a,t\n1,"x\ny"\n2,z\n')
        self.write("e.csv", 'a,t\n1,"xy"\n2,z\n')
        for name, args, times in (("d.csv", (), 1), ("e.csv", (), 0),
                                  ("d.csv", ("--bad-rows=drop",), 0)):
            result = self.sotto("doctor", name, "--drop=t", *args)
            self.assertEqual(result.err.count(b"newlines inside quotes"), times)

    def test_columns_that_are_counted(self):
        """Numbers are names where they are the columns' own."""
        self.assertEqual(self.values("0,1,2\n4,5,6\n"), {"0": 4, "1": 5, "2": 6})
        self.assertEqual(self.values("1,2\n4,5\n"), {"1": 4, "2": 5})

    def test_names(self):
        """Odd names survive; an empty one is numbered."""
        self.assertEqual(
            list(self.values(',"",a b,\u00e9\u20ac\U0001f600,"q""q",t\tt,=1\n'
                             '1,2,3,4,5,6,7\n')),
            ["column_1", "column_2", "a b", "\u00e9\u20ac\U0001f600", 'q"q',
             "t\tt", "=1"])

    def test_delimiter(self):
        for text, args, name in (
                ("a;b\n1;2\n", ("--delimiter", ";"), "data.csv"),
                ("a|b\n1|2\n", ("--delimiter=|",), "data.csv"),
                ("a\tb\n1\t2\n", ("--delimiter", "tab"), "data.csv"),
                ("a\tb\n1\t2\n", ("--delimiter", "\t"), "data.csv"),
                ("a\tb\n1\t2\n", (), "data.tsv"),
                ("a\tb\n1\t2\n", (), "data.tsv.gz"),
                ("a b\n1 2\n", ("--delimiter", " "), "data.csv"),
                ("a,b\n1,2\n", ("--delimiter", ","), "data.tsv")):
            with self.subTest(text, name=name):
                self.assertEqual(self.values(text, *args, name=name),
                                 {"a": 1, "b": 2})
        self.assertEqual(
            self.values('a;t;b\n1;"x;y,z";2\n', "--delimiter=;", "--drop=t"),
            {"a": 1, "b": 2})

    def test_drop_and_only(self):
        content = "a,b,c,d\n1,2,3,4\n"
        for args, left in ((("--drop", "b"), "acd"), (("--drop=b,d",), "ac"),
                           (("--drop", "b", "--drop", "c"), "ad"),
                           (("--only", "b,c"), "bc"), (("--only=d",), "d"),
                           (("--only=a,b", "--drop=b"), "a"),
                           (("--only=a", "--target=d"), "a")):
            with self.subTest(args):
                self.assertEqual("".join(self.values(content, *args)), left)

    def test_dropped_columns_may_hold_anything(self):
        content = 'a,t\n1,\n2,"x,y"\n3,nan\n4,1e999\n5,0x1p3\n'
        self.assertEqual(self.read(content, "--drop=t")["rows"], 5)
        self.assertEqual(self.read(content, "--only=a")["rows"], 5)

    def test_target(self):
        said = self.read("a,y\n1,10\n2,-4\n", "--target", "y")
        self.assertEqual((said["features"], said["target_mean"]), (1, 3))
        self.assertNotIn("classes", said)

    def test_long_lines(self):
        """1e6 characters: a text, a number, many columns, a name."""
        for text in ("x" * 10**6, '"%s"' % ("x\n" * 500000),
                     '"%s"' % ('""' * 500000)):
            said = self.read("a,t,b\n1,%s,2\n3,y,4\n" % text, "--drop=t")
            self.assertEqual((said["rows"], said["by_name"]["b"]["mean"]),
                             (2, 3))
        self.assertEqual(
            self.values("a,b,c\n0.%s,%se-999990,%s1\n" % (
                "3" * 10**6, "1" + "0" * 999990, "0" * 10**6), "--quiet"),
            {"a": float("0." + "3" * 100), "b": 1, "c": 1})
        many = 200000
        said = self.read("%s\n%s\n" % (
            ",".join("c%d" % i for i in range(many)),
            ",".join(["5.25"] * many)))
        self.assertEqual((said["features"], said["feature"][-1]["least"]),
                         (many, 5.25))
        name = "n" * 10**6
        self.assertEqual(self.values("%s,b\n1,2\n" % name), {name: 1, "b": 2})

    def test_one_column(self):
        self.assertEqual(self.feature("a\n1\n\n3\n"), (1, 2, 3))

    def test_format_by_option(self):
        self.assertEqual(self.values("a\n1\n", "--format=csv", name="data"),
                         {"a": 1})
        self.assertEqual(self.values("a\n1\n", "--format=csv", name="d.svm"),
                         {"a": 1})

    def test_name_that_looks_like_an_option(self):
        self.write("--json", "a\n1\n")
        self.assertEqual(self.doctor("--format=csv", "./--json")["rows"], 1)
        result = self.sotto("doctor", "--format=csv", "--", "--json")
        self.assertEqual((result.code, result.err), (OK, b""))


class Declared(Case):
    """Schemas: types, bounds, levels, missing values."""

    def declared(self, content, columns, *args, name="data.csv", **more):
        self.write("s.json", schema(columns, **more))
        return self.read(content, "--schema", "s.json", *args, name=name)

    def one(self, content, column, *args, **more):
        """(least, mean, most) of column a, declared like this."""
        said = self.declared(content, {"a": column}, *args, **more)
        f = said["by_name"]["a"]
        return f["least"], f["mean"], f["most"]

    def test_bounds(self):
        """Values come back in raw units; outside ones are clamped."""
        said = self.declared("a,b\n3,20\n-5,30\n99,25\n", {
            "a": {"type": "number", "bounds": [0, 10]},
            "b": {"type": "number"}})
        a, b = said["feature"]
        self.assertEqual((a["centre"], a["half"]), (5, 5))
        self.assertEqual((a["least"], a["most"]), (0, 10))
        self.assertAlmostEqual(a["mean"], 13 / 3)
        self.assertEqual((b["least"], b["most"], b["half"]), (20, 30, 1))

    def test_people(self):
        """How many there are, and what --rows-per-person would leave out."""
        said = self.declared("a,who\n" + "1,ann\n" * 7 + "2,bob\n" * 2 + "3,eve\n", {
            "a": {"type": "number"}, "who": {"type": "unit"}})
        self.assertEqual(said["people"], 3)
        told = self.sotto("doctor", "data.csv", "--schema", "s.json").out.decode()
        self.assertIn("people: 3; rows beyond the first 1, 2, 5, 10 of each: 7, 5, 2, 0\n", told)
        self.assertNotIn("people", self.declared("a\n1\n", {"a": {"type": "number"}}))

    def test_what_bounds_cut_off(self):
        """How many values are at a bound or beyond, and levels that no row has."""
        said = self.declared("a,b,c\n.3,20,u\n-5,30,v\n.7,25,u\n1e9,0,u\n", {
            "a": {"type": "number", "bounds": [.1, .7]},
            "b": {"type": "number", "bounds": [-1, 100]},
            "c": {"type": "category", "levels": ["u", "v", "w"]}})
        a, b = said["feature"][:2]
        self.assertEqual((a["at_bounds"], b["at_bounds"]), (3, 0))
        self.assertEqual((a["at_low"], a["at_high"], b["at_low"], b["at_high"]), (1, 2, 0, 0))
        lines = self.sotto("doctor", "data.csv", "--schema", "s.json").out.decode().splitlines()
        self.assertTrue(lines[-5].endswith("[0.1, 0.7]; 1 at 0.1 or below, 2 at 0.7 or above"), lines)
        self.assertTrue(lines[-4].endswith("[-1, 100]"), lines)
        self.assertEqual([line.endswith("(0 in all rows)") for line in lines[-3:]], [False, False, True])

    def test_bounds_that_are_beside_the_values(self):
        """All at one bound is loud; 0 and 1 that are the bounds themselves are no news."""
        self.declared("a,b,c,d,e,f\n5,0,yes,-3,0,1\n9,1,no,-4,2,9\n7,0,no,-5,3,1\n", {
            "a": {"type": "number", "bounds": [0, 1]}, "b": {"type": "number", "bounds": [0, 1]},
            "c": {"type": "boolean"}, "d": {"type": "number", "bounds": [-2, 2]},
            "e": {"type": "number", "bounds": [0, 4]}, "f": {"type": "number", "bounds": [4, 5]}})
        lines = self.sotto("doctor", "data.csv", "--schema", "s.json").out.decode().splitlines()
        for line, end in zip(lines[-6:], (
                "[0, 1]; ALL at 1 or above: are the bounds right?", "  [0, 1]", "  [0, 1]",
                "[-2, 2]; ALL at -2 or below: are the bounds right?", "[0, 4]; 1 at 0 or below",
                "[4, 5]; 2 at 4 or below, 1 at 5 or above")):
            self.assertTrue(line.endswith(end), (line, end))

    def test_missing_word_that_is_a_number(self):
        self.write("s.json", json.dumps({
            "sotto_schema": 1, "missing_values": ["-999"], "columns": {
                "a": {"type": "number", "missing": 5},
                "b": {"type": "number", "missing": 7}}}))
        said = self.read("a,b\n-999,1\n3,-999\n", "--schema", "s.json")
        self.assertEqual(said["by_name"]["a"]["most"], 5)
        self.assertEqual(said["by_name"]["b"]["least"], 1)

    def test_bounds_of_any_size(self):
        for low, high in ((-1e308, 1e308), (-1.7e308, 1.7e308), (1e300, 1e301),
                          (-1e-300, 1e-300), (1, 1.0000001),
                          (1600000000, 1600000001)):
            middle = low / 2 + high / 2
            content = "a\n%r\n%r\n%r\n" % (low, high, middle)
            with self.subTest((low, high)):
                f = self.declared(content, {
                    "a": {"type": "number", "bounds": [low, high]}})
                f = f["feature"][0]
                for said, true in ((f["least"], low), (f["most"], high),
                                   (f["mean"], middle)):
                    self.assertLessEqual(
                        abs(said / 2 - true / 2),
                        1e-9 * (high / 2 - low / 2) + 1e-15 * abs(true))

    def test_bounds_clamp_what_no_float_holds(self):
        bounded = {"type": "number", "bounds": [-2, 4]}
        for text, value in (("1e308", 4), ("-1e308", -2), ("1e400", 4),
                            ("-1e400", -2), ("9" * 400, 4),
                            ("1e99999999999999999999", 4)):
            with self.subTest(text[:20]):
                self.assertEqual(self.one("a\n%s\n" % text, bounded),
                                 (value, value, value))
        content = npy([[1e308], [-1e308]])
        self.write("s.json", schema({"1": bounded}))
        f = self.read(content, "--schema=s.json", name="x.npy")["feature"][0]
        self.assertEqual((f["least"], f["most"]), (-2, 4))

    def test_missing_number(self):
        """The declared number stands in."""
        filled = {"type": "number", "missing": 7}
        for text in ("", " ", '""', "nan", "-NaN", "inf", "-Infinity",
                     "1e308", "1e400", "-1e400"):
            with self.subTest(text):
                self.assertEqual(self.one('a,b\n%s,1\n1,1\n' % text, filled,
                                          "--drop=b"), (1, 4, 7))
        bounded = {"type": "number", "missing": 5, "bounds": [0, 5]}
        self.assertEqual(self.one("a,b\n,1\n", bounded, "--drop=b"),
                         (5, 5, 5))
        self.assertEqual(self.one("a,b\ninf,1\n", bounded, "--drop=b"),
                         (5, 5, 5))
        self.assertEqual(self.one("a,b\n-inf,1\n", bounded, "--drop=b"),
                         (5, 5, 5))

    def test_missing_in_npy(self):
        for order in "CF":
            content = npy([[1, float("nan")], [float("-inf"), 4], [1e308, 4]],
                          order=order)
            self.write("s.json", schema(
                {}, default={"type": "number", "missing": 3}))
            said = self.read(content, "--schema=s.json", name="x.npy")
            self.assertEqual([(f["least"], f["most"])
                              for f in said["feature"]], [(1, 3), (3, 4)])

    def test_words_for_missing(self):
        column = {"type": "number", "missing": 0}
        self.assertEqual(
            self.one('a\nNA\n"n/a"\n2\n?\n', column,
                     missing_values=["NA", "n/a", "?"]), (0, 0.5, 2))

    def test_categories(self):
        """One feature for each declared level, seen or not."""
        colour = {"type": "category", "levels": ["red", "blue", 'a "b", c']}
        said = self.declared(
            'x,colour\n1,red\n2,"blue"\n3,"a ""b"", c"\n4, red \n',
            {"x": {"type": "number"}, "colour": colour})
        self.assertEqual([(f["name"], f["mean"]) for f in said["feature"]],
                         [("x", 2.5), ("colour=red", 0.5),
                          ("colour=blue", 0.25), ('colour=a "b", c', 0.25)])
        said = self.declared("x,colour\n1,red\n", {
            "x": {"type": "number"}, "colour": colour})
        self.assertEqual(said["features"], 4)

    def test_missing_category(self):
        """No level, or a declared one."""
        levels = {"type": "category", "levels": ["p", "q"]}
        for missing, means in (("none", [0.25, 0.25]), ("q", [0.25, 0.75])):
            with self.subTest(missing):
                said = self.declared(
                    'x,c\n1,p\n2,\n3,""\n4,q\n',
                    {"x": {"type": "number"},
                     "c": {**levels, "missing": missing}})
                self.assertEqual([f["mean"] for f in said["feature"]][1:],
                                 means)
        said = self.declared("x,c\n1,p\n2,NA\n", {
            "x": {"type": "number"}, "c": {**levels, "missing": "q"}},
            missing_values=["NA"])
        self.assertEqual(said["by_name"]["c=q"]["mean"], 0.5)

    def test_roles(self):
        """Target, weight, unit and drop are no features."""
        said = self.declared("a,y,w,id,t\n1,5,2,p1,x\n3,7,1,p2,\n", {
            "a": {"type": "number"}, "y": {"type": "target"},
            "w": {"type": "weight", "bounds": [0, 3]},
            "id": {"type": "unit"}, "t": {"type": "drop"}})
        self.assertEqual((list(said["by_name"]), said["target_mean"]),
                         (["a"], 6))

    def test_units_with_quotes(self):
        """Texts of persons that need unquoting, beside other such texts."""
        rows = "".join('"p""%d","%s""",%d\n' % (i, "n" * 40 * i, i)
                       for i in range(200))
        said = self.declared("id,note,a\n" + rows, {
            "id": {"type": "unit"}, "note": {"type": "drop"},
            "a": {"type": "number"}})
        self.assertEqual((said["rows"], list(said["by_name"])), (200, ["a"]))

    def test_target_bounds(self):
        """A numeric target is clamped like a feature."""
        said = self.declared("a,y\n1,5\n2,1e400\n", {
            "a": {"type": "number"},
            "y": {"type": "target", "bounds": [0, 9]}})
        self.assertEqual(said["target_mean"], 7)

    def test_default(self):
        said = self.declared("a,b,c\n1,50,3\n", {"a": {"type": "number"}},
                             default={"type": "number", "bounds": [0, 10]})
        self.assertEqual([f["least"] for f in said["feature"]], [1, 10, 3])
        said = self.declared("a,b,c\n1,x,\n", {"a": {"type": "number"}},
                             default={"type": "drop"})
        self.assertEqual(list(said["by_name"]), ["a"])

    def test_options_over_schema(self):
        columns = {c: {"type": "number"} for c in "abc"}
        content = "a,b,c\n1,2,3\n"
        for args, left in ((("--target=c",), "ab"), (("--drop=a",), "bc"),
                           (("--only=b",), "b"),
                           (("--weights=a", "--weight-bound=2"), "bc")):
            with self.subTest(args):
                said = self.declared(content, columns, *args)
                self.assertEqual("".join(said["by_name"]), left)

    def test_compressed_schema(self):
        self.write("s.json.gz", schema(
            {"a": {"type": "number", "bounds": [0, 2]}}))
        self.assertEqual(self.feature("a\n9\n", "--schema=s.json.gz"),
                         (2, 2, 2))

    def test_svmlight_bounds(self):
        """Clamped and divided, so that zero stays zero."""
        self.write("s.json", schema(
            {"2": {"type": "number", "bounds": [-8, 2]}},
            default={"type": "number", "bounds": [0, 4]}))
        said = self.read("1 1:1 2:-4\n1 1:9 2:5 3:1e400\n1 1:-9 2:-1e308\n",
                         "--features=3", "--schema=s.json", name="d.svm")
        self.assertEqual(
            [(f["least"], f["most"], f["half"]) for f in said["feature"]],
            [(0, 4, 4), (-8, 2, 8), (0, 4, 4)])


class Classes(Case):
    """Two classes: -1/+1, 0/1, or declared ones, the negative first."""

    def classes(self, labels, *args, name="d.csv"):
        if name.endswith(".csv"):
            content = "a,y\n" + "".join("1,%s\n" % y for y in labels)
            args += ("--target=y",)
        elif name.endswith(".svm"):
            content = "".join("%s 1:1\n" % y for y in labels)
        else:
            content = npy([[1.0, float(y)] for y in labels])
            args += ("--target=2",)
        said = self.read(content, "--loss=logistic", *args, name=name)
        mean = said["class_rows"][1] - said["class_rows"][0]
        self.assertEqual((sum(said["class_rows"]), mean / len(labels)),
                         (len(labels), said["target_mean"]))
        return said["classes"], said["target_mean"]

    def test_undeclared(self):
        for name in ("d.csv", "d.svm", "d.npy"):
            with self.subTest(name):
                self.assertEqual(self.classes(["1", "-1", "1", "1"], name=name),
                                 (["-1", "1"], 0.5))
                self.assertEqual(self.classes(["0", "1", "0", "0"], name=name),
                                 (["0", "1"], -0.5))
                self.assertEqual(
                    self.classes(["+1", "-1.0", "1e0", "10e-1"], name=name),
                    (["-1", "1"], 0.5))
                self.assertEqual(self.classes(["1"], name=name),
                                 (["-1", "1"], 1))

    def test_declared_numbers(self):
        """Compared as numbers."""
        for name in ("d.csv", "d.svm", "d.npy"):
            with self.subTest(name):
                self.assertEqual(
                    self.classes(["1", "2.0", "2", "20e-1"], "--classes=1,2",
                                 name=name), (["1", "2"], 0.5))
                self.assertEqual(
                    self.classes(["1", "-1", "1", "1"], "--classes=1,-1",
                                 name=name), (["1", "-1"], -0.5))

    def test_declared_words(self):
        self.assertEqual(
            self.classes(["no", '"yes"', " yes ", "yes"], "--classes=no,yes"),
            (["no", "yes"], 0.5))
        self.assertEqual(
            self.classes(["b\u00e9", "nan"], "--classes", "b\u00e9,nan"),
            (["b\u00e9", "nan"], 0))
        self.assertEqual(self.classes(["n", "y"], "--classes=n",
                                      "--classes=y"), (["n", "y"], 0))

    def test_declared_in_schema(self):
        self.write("s.json", schema({
            "a": {"type": "number"},
            "y": {"type": "target", "classes": ["x y", "z"]}}))
        self.assertEqual(self.classes(["z", "x y"], "--schema=s.json"),
                         (["x y", "z"], 0))
        self.assertEqual(
            self.classes(["z", "u"], "--schema=s.json", "--classes=u,z"),
            (["u", "z"], 0))

    def test_values_are_not_folded(self):
        """The sign of the class is not in what doctor shows."""
        for name, content in (("d.csv", "a,y\n5,-1\n7,1\n"),
                              ("d.svm", "-1 1:5\n1 1:7\n"),
                              ("d.npy", npy([[5, -1], [7, 1]])),
                              ("f.npy", npy([[5, -1], [7, 1]], order="F"))):
            args = {"c": ("--target=y",), "n": ("--target=2",)}.get(
                name.split(".")[1][0], ())
            with self.subTest(name):
                f = self.read(content, "--loss=hinge", *args,
                              name=name)["feature"][0]
                self.assertEqual((f["least"], f["most"]), (5, 7))


class Weights(Case):
    """A column of weights, with a declared bound."""

    def test_weights(self):
        content = "a,w\n1,0\n2,1e400\n3,0.5\n4,-0\n"
        for args in (("--weights=w", "--weight-bound=2"),
                     ("--weights", "w", "--weight-bound", "1e-3")):
            self.assertEqual(list(self.read(content, *args)["by_name"]),
                             ["a"])
        self.write("s.json", schema({
            "a": {"type": "number"}, "w": {"type": "weight",
                                           "bounds": [0, 2]}}))
        self.assertEqual(list(self.read(content, "--schema=s.json")["by_name"]),
                         ["a"])

    def test_bound_is_needed(self):
        self.write("d.csv", "a,w\n1,1\n")
        result = self.sotto("doctor", "d.csv", "--weights=w")
        self.assert_refused(result, 2, name="w", hint="bound")


class Svmlight(Case):
    """svmlight and LIBSVM."""

    def read(self, content, *args, name="d.svm", **more):
        return super().read(content, *args, name=name, **more)

    def test_shape_and_summary(self):
        said = self.read("1 1:2 3:4\n-2.5 2:6\n")
        self.assertEqual((said["rows"], said["features"], said["entries"],
                          said["sparse"]), (2, 3, 3, True))
        self.assertEqual(said["target_mean"], -0.75)
        self.assertEqual([(f["name"], f["least"], f["mean"], f["most"])
                          for f in said["feature"]],
                         [("1", 0, 1, 2), ("2", 0, 3, 6), ("3", 0, 2, 4)])

    def test_what_lines_may_look_like(self):
        for content in ("1 1:2\n3 1:4\n", "1 1:2\r\n3 1:4\r\n",
                        "1 1:2\n3 1:4", "# c\n1 1:2 # c 9:9\n\n3 1:4#x\n",
                        "1 qid:7 1:2\n3\tqid:8\t1:4\t\n", "  1   1:2  \n3 1:4 ",
                        "\ufeff1 1:2\n3 1:4\n", "+1 1:+2\n3.0 1:4e0 # \u20ac",
                        "1 01:2\n3 0001:4\n", "1 1:2\r\n\r\n \n3 1:4\r"):
            with self.subTest(content):
                said = self.read(content)
                self.assertEqual((said["rows"], said["features"],
                                  said["target_mean"]), (2, 1, 2))
                f = said["feature"][0]
                self.assertEqual((f["least"], f["most"]), (2, 4))

    def test_label_only_lines(self):
        said = self.read("1\n2 \n3 # c\n4 1:8\n5 qid:1\n")
        self.assertEqual((said["rows"], said["entries"], said["target_mean"],
                          said["feature"][0]["mean"]), (5, 1, 3, 1.6))
        said = self.read("1\n2\n", "--features=3")
        self.assertEqual((said["rows"], said["features"]), (2, 3))

    def test_features(self):
        self.assertEqual(self.read("1 2:1\n", "--features=9")["features"], 9)
        self.assertEqual(self.read("1 1:1\n2 7:1\n3 2:1\n")["features"], 7)

    def test_minus_zero_and_zero(self):
        said = self.read("1 1:-0 2:0\n")
        self.assertEqual((said["entries"], said["feature"][0]["least"]),
                         (2, 0))

    def test_long_line(self):
        """1e6 characters of pairs, or of comment."""
        line = "1 " + " ".join("%d:1" % i for i in range(1, 120001))
        said = self.read(line + "\n2 1:5\n")
        self.assertEqual((said["rows"], said["features"], said["entries"]),
                         (2, 120000, 120001))
        said = self.read("1 1:2 #%s\n2 1:5\n" % ("x" * 10**6))
        self.assertEqual(said["rows"], 2)
        said = self.read("1 1:0.%s\n" % ("3" * 10**6))
        self.assertEqual(said["feature"][0]["least"], float("0." + "3" * 99))

    def test_large_index(self):
        said = self.read("1 3000000:1\n", "--features=3000000")
        self.assertEqual((said["features"], len(said["feature"])),
                         (3000000, 40))


class Npy(Case):
    """NumPy arrays."""

    def test_orders_widths_versions(self):
        rows = [[1, 2, 3], [-4, 5.5, 6]]
        for order in "CF":
            for kind in ("<f4", "<f8"):
                for version in (1, 2, 3):
                    with self.subTest((order, kind, version)):
                        said = self.read(npy(rows, order=order, kind=kind,
                                             version=version), name="d.npy")
                        self.assertEqual(
                            [(f["name"], f["least"], f["most"])
                             for f in said["feature"]],
                            [("1", -4, 1), ("2", 2, 5.5), ("3", 3, 6)])
                        self.assertEqual(said["rows"], 2)

    def test_known_by_its_first_bytes(self):
        for name in ("d", "d.csv", "d.bin.gz"):
            self.assertEqual(self.read(npy([[1, 2]]), name=name)["features"],
                             2)

    def test_target_drop_only(self):
        content = npy([[1, 2, 3], [4, 5, 6]])
        for args, left in ((("--target=2",), ["1", "3"]),
                           (("--drop=1,3",), ["2"]), (("--only=3",), ["3"]),
                           (("--weights=1", "--weight-bound=9"), ["2", "3"])):
            with self.subTest(args):
                said = self.read(content, *args, name="d.npy")
                self.assertEqual(list(said["by_name"]), left)

    def test_minus_zero(self):
        for order in "CF":
            f = self.read(npy([[-0.0, 1]], order=order),
                          name="d.npy")["feature"][0]
            self.assertEqual((f["least"], f["most"]), (0, 0))

    def test_many_rows_and_columns(self):
        """Several chunks, in both orders."""
        rows = [[float(i), float(-i), i / 2] for i in range(70000)]
        for order in "CF":
            with self.subTest(order):
                said = self.read(npy(rows, order=order), "--target=3",
                                 name="d.npy")
                self.assertEqual(
                    (said["rows"], said["by_name"]["1"]["most"],
                     said["by_name"]["2"]["least"]), (70000, 69999, -69999))
                self.assertAlmostEqual(said["target_mean"], 69999 / 4)


class Ways(Case):
    """The same table from a file, compressed, from stdin, from a pipe."""

    FILES = {
        "csv": b'a,t,b\n' + b'1.5,"x\ny",2\n-3,,0.25\n' * 1000,
        "svmlight": b"1 1:2 5:-3 # c\n0\n" * 1000,
        "npy": npy([[1.5, 2], [-3, 0.25]] * 1000),
    }

    def each(self):
        for form, content in self.FILES.items():
            args = ["--format", form] + (["--drop=t"] if form == "csv" else [])
            plain = self.without_name(self.read(content, *args, name="d"))
            with self.subTest(form):
                yield content, args, plain

    @staticmethod
    def without_name(said):
        return {k: v for k, v in said.items() if k != "file"}

    def test_gzip(self):
        for content, args, plain in self.each():
            said = self.read(content, *args, name="d.gz")
            self.assertEqual(self.without_name(said), plain)

    def test_gzip_under_any_name(self):
        """It is known by its first bytes."""
        for content, args, plain in self.each():
            said = self.read(gzip.compress(content), *args, name="d.csv")
            self.assertEqual(self.without_name(said), plain)

    def test_gzip_of_several_members(self):
        """Cut anywhere, with empty members and padding."""
        for content, args, plain in self.each():
            packed = b"".join(
                gzip.compress(content[i:i + 777])
                for i in range(0, len(content), 777))
            packed = (gzip.compress(b"") + packed + gzip.compress(b"") +
                      b"\0" * 512)
            said = self.read(packed, *args, name="d.gz")
            self.assertEqual(self.without_name(said), plain)

    def test_stdin(self):
        for content, args, plain in self.each():
            for fed in (content, gzip.compress(content)):
                said = self.doctor("-", *args, input=fed)
                self.assertEqual(self.without_name(said), plain)

    def test_stdin_that_is_a_file(self):
        for content, args, plain in self.each():
            with open(self.path(self.write("d", content)), "rb") as file:
                said = self.doctor("-", *args, input=file)
            self.assertEqual(self.without_name(said), plain)

    def test_stdin_in_small_portions(self):
        for content, args, plain in self.each():
            content = content[:300] if "npy" not in args else content
            whole = self.without_name(self.read(content, *args, name="d"))
            process = subprocess.Popen(
                [PROGRAM, "doctor", "-", "--json", *args], bufsize=0,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            step = max(1, len(content) // 200)
            for i in range(0, len(content), step):
                process.stdin.write(content[i:i + step])
            said = json.loads(process.communicate()[0])
            del whole["by_name"], said["file"]
            self.assertEqual((process.returncode, said), (OK, whole))

    def test_fifo(self):
        for content, args, plain in self.each():
            os.mkfifo(self.path("pipe"))
            writer = threading.Thread(target=self.write,
                                      args=("pipe", content))
            writer.start()
            said = self.doctor("pipe", *args)
            writer.join()
            os.remove(self.path("pipe"))
            self.assertEqual(self.without_name(said), plain)

    def test_symbolic_link(self):
        for content, args, plain in self.each():
            self.write("real", content)
            os.symlink("real", self.path("link"))
            said = self.doctor("link", *args)
            os.remove(self.path("link"))
            self.assertEqual(self.without_name(said), plain)

    def test_threads(self):
        """Several megabytes: the table does not depend on the threads, nor
        on the way the bytes come in."""
        rng = random.Random(2)
        rows = ['%d,"x\n%d",%.6f\n' % (rng.randint(-9, 9), i, rng.random())
                for i in range(150000)]
        lines = ["%d %d:%.6f %d:%d\n" % (
            i % 3, 1 + i % 50, rng.random(), 60 + i % 7, i)
            for i in range(150000)]
        for ending, form, text in ((".csv", "csv", "a,t,b\n" + "".join(rows)),
                                   (".svm", "svmlight", "".join(lines))):
            plain, packed = "d" + ending, "d" + ending + ".gz"
            self.write(plain, text)
            self.write(packed, text)
            args = ["--quiet"] + (["--drop=t"] if form == "csv" else [])
            first = None
            for name in (plain, packed, "-"):
                for threads in ("1", "2", "7", "0"):
                    said = self.doctor(
                        name, "--threads", threads, "--format", form, *args,
                        input=text.encode() if name == "-" else None)
                    said = self.without_name(said)
                    first = first or said
                    self.assertEqual(said["rows"], 150000)
                    self.assertEqual(said, first, (name, threads))


class Remarks(Case):
    """A column without bounds that needs more than 24 bits relative to its
    spread: a remark for the operator."""

    CONTENT = "".join(["a,b\n"] + ["%d,%d\n" % (10**9 + i, i)
                                   for i in range(9)])

    def test_remark(self):
        self.write("d.csv", self.CONTENT)
        for args in ((), ("--epsilon=1",)):
            result = self.sotto("doctor", "d.csv", *args)
            self.assertEqual(result.code, OK)
            self.assertRegex(result.err.decode(),
                             r'\Asotto: remark: "a": [^\n]*bounds.*\n\Z')

    def test_in_npy(self):
        for order in "CF":
            self.write("d.npy", npy([[1e9 + i, i] for i in range(9)],
                                    order=order))
            result = self.sotto("doctor", "d.npy")
            self.assertRegex(result.err.decode(), r'\Asotto: [^\n]*"1"')
            self.assertEqual(result.err.count(b"\n"), 1)

    def test_quiet(self):
        self.read(self.CONTENT, "--quiet")

    def test_not_with_bounds(self):
        self.write("s.json", schema({
            "a": {"type": "number", "bounds": [10**9, 10**9 + 10]},
            "b": {"type": "number"}}))
        said = self.read(self.CONTENT, "--schema=s.json")
        self.assertEqual(said["by_name"]["a"]["most"], 10**9 + 8)

    def test_not_for_short_numbers(self):
        """Decimals of a few digits are not worth a remark."""
        self.read("a,b\n" + "".join("%.3f,%d\n" % (i / 7, 2**24 - i)
                                    for i in range(9)))

    def test_not_for_no_rows(self):
        """Nothing to lose in an empty table."""
        self.read("a,b\n", "--epsilon=1")
        self.read(npy([], columns=2), "--epsilon=1", name="d.npy")


class Text(Case):
    """doctor for people."""

    def test_says_not_for_release(self):
        self.write("d.csv", "a,y\n1,0\n3,1\n")
        result = self.sotto("doctor", "d.csv", "--target=y", "--loss=hinge")
        text = result.out.decode()
        self.assertEqual((result.code, result.err), (OK, b""))
        self.assertRegex(text.split("\n")[0], "NOT FOR RELEASE")
        self.assertIn("2 rows, 1 features, dense", text)
        self.assertIn('"0" 1 rows, "1" 1 rows', text)

    def test_names_cannot_reach_the_terminal(self):
        """Escape sequences and newlines in names are made harmless."""
        self.write("d.csv", "a\x1b[2J,b,\x07d\n1,p,3\n")
        self.write("s.json", schema(
            {"b": {"type": "category", "levels": ["p", "q\nr\x1b"]}},
            default={"type": "number"}))
        result = self.sotto("doctor", "d.csv", "--schema=s.json")
        self.assertEqual(result.code, OK)
        self.assertIsNone(re.search(r"[\x00-\x09\x0b-\x1f\x7f]",
                                    result.out.decode()))
        self.assertEqual(len(result.out.decode().split("\n")), 10)

    def test_long_names_are_cut_between_characters(self):
        self.write("d.csv", "a" * 21 + "\u20ac" * 9 + ",b\n1,2\n")
        result = self.sotto("doctor", "d.csv")
        result.out.decode()  # still UTF-8

    def test_many_features(self):
        self.write("d.csv", ",".join("c%d" % i for i in range(50)) + "\n" +
                   ",".join("1" * 50) + "\n")
        self.assertIn("10 more", self.sotto("doctor", "d.csv").out.decode())


if __name__ == "__main__":
    unittest.main()

"""Bad input: each way a data file can be wrong ends in the right exit code
and one line on stderr that says where and what was expected, and that never
repeats a value from the file.
"""

import gzip
import os
import resource
import threading
import unittest

from common import (DATA, FAILED, OK, SECRETS, USAGE, Case, npy, run, schema)

NUMBER, WORD, OTHER = SECRETS

# A good row holds values that must not be repeated either.
GOOD = "1,2,%s\n" % OTHER
HEAD = "a,b,c\n"

COLUMNS = {"a": {"type": "number"}, "b": {"type": "number"},
           "c": {"type": "number"}}


def columns(**changed):
    return schema({**COLUMNS, **changed})


class Csv(Case):
    """CSV, by `sotto doctor`."""

    def refused(self, content, *args, declared=None, **expected):
        self.write("data.csv", content)
        if declared:
            self.write("s.json", declared)
            args += "--schema", "s.json"
        result = self.sotto("doctor", "data.csv", *args)
        return self.assert_refused(result, file="data.csv", **expected)

    def row(self, row, *args, hint, column=None, **more):
        """A file whose third line is this row."""
        return self.refused(HEAD + GOOD + row + "\n" + GOOD, *args, line=3,
                            hint=hint, column=column, **more)

    def test_empty(self):
        """No header."""
        for content in ("", b"\xef\xbb\xbf", "\n", "\r\n", "\n1,2\n"):
            with self.subTest(content):
                self.refused(content, line=1, hint="expected a header")

    def test_header_only(self):
        for content in ("a,b", "a,b\n", "a,b\r\n", "a,b\n\n\n", '"a","b"'):
            with self.subTest(content):
                self.refused(content, line=2, hint="expected at least one row")

    def test_ragged(self):
        for row, place in (("%s,%s" % (NUMBER, OTHER), 3), (NUMBER, 2),
                           ("1,%s,3,%s" % (NUMBER, OTHER), 4),
                           ("1,2,%s," % NUMBER, 4), ("1,2,%s,,," % NUMBER, 4),
                           ('1,"%s"' % NUMBER, 3),
                           ('1,2,"%s",4' % NUMBER, 4)):
            with self.subTest(row):
                self.row(row, column=place, hint="expected as many fields")

    def test_the_way_out_is_named(self):
        """Where it is one: not where bad rows are left out already."""
        self.write("d.csv", "a,b\n1,x\n2,3\n")
        for verb in (("doctor",), ("train", "--epsilon", "inf", "--target", "b", "-o", "m.json")):
            text = self.assert_one_line(self.sotto(verb[0], "d.csv", *verb[1:]), DATA)
            self.assertIn("(--bad-rows drop leaves such rows out)", text)
            good = self.sotto(verb[0], "d.csv", *verb[1:], "--bad-rows", "drop")
            self.assertEqual(good.code, OK, good.err)

    def test_not_a_number(self):
        """Words, and what other programs might take for a number."""
        for field in (WORD, NUMBER + "x", "x" + NUMBER, "1_000", "1 2", "--1",
                      "+-1", "1e", "1e+", ".", "-", "+", "e5", "1.2.3",
                      "1e5e5", "1d5", "infx", "nan(1)", "naan", "$1", "1%",
                      "\u0663", "\u22121", "1\u00a0", "True", "0b1", "'1'",
                      '"%s"' % WORD, '"1""2"', '"1 2"', '"1\r\n2"', "1\r2"):
            with self.subTest(field):
                self.row("%s,%s,3" % (OTHER, field), column=2, name="b",
                         hint="expected a number")

    def test_hex_float(self):
        for field in ("0x1p3", "0X1P-3", "0x10", "-0x1.8p1", "0x", "1x",
                      "0x" + NUMBER):
            with self.subTest(field):
                self.row("%s,2,%s" % (NUMBER, field), column=3, name="c",
                         hint="expected a number")

    def test_nul(self):
        """A NUL byte, wherever it is, also where the text is not used."""
        for row in ("1,2\0,3", "\0,2,3", "1,2,3\0", "1,2,\0%s" % NUMBER,
                    '1,"2\0",3'):
            with self.subTest(row):
                self.row(row, hint="expected")
        for row in ("1,%s\0,3" % WORD, "1,\0,3", '1,"\0",3', '1,"a\n\0",3'):
            with self.subTest(row, dropped=True):
                self.row(row, "--drop", "b", hint="NUL")
        word = {"type": "category", "levels": ["p", "2"]}
        self.row("1,p\0,3", hint="expected", declared=columns(b=word))
        self.row("1,p\0q,3", hint="expected",
                 declared=columns(b={"type": "unit"}))
        self.row("1,p,\0", "--target", "b", "--loss=hinge", "--classes=p,2",
                 hint="expected")
        self.row("1,p\0,3", "--target", "b", "--loss=hinge", "--classes=p,2",
                 hint="expected")
        self.refused(b"a,b\0,c\n1,2,3\n", line=1, hint="NUL")
        self.refused(b"a,b\n\0\0\0\n", line=2, hint="expected")

    def test_quote_left_open(self):
        """The line is where the quote opens, not where the file ends."""
        for row in ('1,"%s,3' % NUMBER, '1,2,"', '1,2,"%s""' % WORD,
                    '"%s' % WORD):
            with self.subTest(row):
                self.row(row, hint="closing quote",
                         column=1 + row.split('"')[0].count(","))
        self.refused(HEAD + '1,2,"%s' % NUMBER, line=2, column=3,
                     hint="closing quote")

    def test_text_after_a_closing_quote(self):
        for row in ('1,"2"x,3', '1,"2" ,3', '1,2,"3"%s' % WORD, '1,2,"3"\r4'):
            with self.subTest(row):
                self.row(row, hint="after a closing quote")

    def test_missing_value(self):
        for field in ("", " ", "\t ", '""', '" "', "nan", "NaN", "-nan", "inf",
                      "-inf", "+Inf", "INFINITY", '"nan"'):
            with self.subTest(field):
                self.row("%s,%s,3" % (NUMBER, field), column=2, name="b",
                         hint="expected a value, found none")

    def test_beyond_float(self):
        """What no float can hold is as good as missing."""
        for field in ("1e308", "-1e308", "1e400", "-1e99999999999", "3.5e38",
                      "9" * 400):
            with self.subTest(field[:20]):
                self.row("%s,%s,3" % (NUMBER, field), column=2, name="b",
                         hint="fits a float")

    def test_infinity_within_bounds(self):
        """Bounds clamp a large number; an infinity is no number."""
        bounded = columns(b={"type": "number", "bounds": [0, 1]})
        for field in ("inf", "-inf", "nan", ""):
            with self.subTest(field):
                self.row("%s,%s,3" % (NUMBER, field), column=2, name="b",
                         hint="found none", declared=bounded)

    def test_target(self):
        """A target that is missing or no number has no policy."""
        for field in ("", "nan", "inf", "1e308", WORD, NUMBER + "x"):
            with self.subTest(field):
                self.row("1,2,%s" % field, "--target", "c", column=3,
                         name="c", hint="expected")

    def test_missing_target_has_no_policy(self):
        """What a feature's policy fills must not be a made-up target, nor
        be written over another feature."""
        self.refused_without_policy("--target")

    def test_missing_weight_has_no_policy(self):
        self.refused_without_policy("--weights")

    def refused_without_policy(self, option):
        """Refused for the declaration (2) or for the row (3)."""
        filled = {"type": "number", "missing": 7, "bounds": [0, 9]}
        for name in "abc":
            row = ",".join("" if c == name else "1" for c in "abc")
            self.write("data.csv", HEAD + "1,1,1\n" + row + "\n")
            self.write("s.json", columns(**{name: filled}))
            with self.subTest(name):
                result = self.sotto("doctor", "data.csv", "--schema=s.json",
                                    option, name)
                self.assertIn(result.code, (USAGE, DATA), result.err)
                self.assert_refused(result, result.code, name=name)

    def test_weight(self):
        for field in ("", "nan", "inf", "-1", "-1e-300", "-1e400", WORD):
            with self.subTest(field):
                self.row("1,2,%s" % field, "--weights", "c",
                         "--weight-bound", "5", column=3, name="c",
                         hint="expected a (weight|value|number)")

    def test_level(self):
        """A level that is not declared; levels are compared byte by byte."""
        word = {"type": "category", "levels": ["p", "2", "p q"]}
        for field in (WORD, "P", "pq", "p  q", "0", "pp", '"p""q"', "p,q"):
            with self.subTest(field):
                field = '"%s"' % field if "," in field else field
                self.row("1,%s,%s" % (field, NUMBER), column=2, name="b",
                         hint="levels", declared=columns(b=word))
        for field in ("", " ", '""'):
            with self.subTest(field):
                self.row("1,%s,%s" % (field, NUMBER), column=2, name="b",
                         hint="found none", declared=columns(b=word))

    def test_class(self):
        """A class that is not declared, or not one of -1/+1 and 0/1."""
        for field in (NUMBER, "2", "-2", "0.5", "1e-300", "1e400"):
            with self.subTest(field):
                self.refused(HEAD + "1,2,77\n%s,2,%s\n" % (OTHER, field),
                             "--target=c", "--loss=logistic",
                             "--classes=1,77", line=3, column=3, name="c",
                             hint='classes.*"1", "77"')
                self.refused(HEAD + "1,2,%s\n" % field, "--target=c",
                             "--loss=logistic", line=2, column=3, name="c",
                             hint="two classes")
        for field in (WORD, "No", "no!", "1"):
            with self.subTest(field):
                self.refused(HEAD + "1,2,no\n3,4,%s\n" % field, "--target=c",
                             "--loss=hinge", "--classes=no,yes", line=3,
                             column=3, name="c", hint="classes")

    def test_more_than_two_classes(self):
        """They are declared, never counted."""
        self.refused(HEAD + "1,2,1\n1,2,0\n1,2,1\n1,2,-1\n", "--target=c",
                     "--loss=hinge", line=5, name="c", hint="two classes")
        self.refused(HEAD + "1,2,-1\n\n1,2,0\n", "--target=c", "--loss=hinge",
                     line=4, name="c", hint="two classes")
        self.refused(HEAD + "1,2,0\n1,2,1\n1,2,2\n", "--target=c",
                     "--loss=squared-hinge", line=4, hint="--classes A,B,")

    def test_declared_classes(self):
        """One class, one twice, too many: before a row is looked at."""
        self.write("data.csv", HEAD + GOOD)
        for classes, hint in (("a", "two or more different"), ("a,b,a", '"a" is there twice'),
                              ("a,,b", "different names"), ("1,2,1.0", "written in two ways"),
                              (",".join(map(str, range(10000))), "at most 1000 classes")):
            with self.subTest(classes[:20]):
                result = self.sotto("doctor", "data.csv", "--target=c", "--loss=hinge",
                                    "--classes=" + classes)
                self.assert_refused(result, USAGE, hint=hint)

    def test_schemas_classes(self):
        """The same of classes that a schema declares."""
        self.write("data.csv", HEAD + GOOD)
        for classes, hint in ((["a"], "two or more|two different"), (["a", "b", "a"], "different|twice"),
                              ([str(k) for k in range(10000)], "at most 1,000")):
            with self.subTest(classes=classes[:3]):
                self.write("s.json", schema({
                    "a": {"type": "number"}, "b": {"type": "number"},
                    "c": {"type": "target", "classes": classes}}))
                result = self.sotto("doctor", "data.csv", "--schema=s.json", "--loss=logistic")
                self.assert_refused(result, USAGE, hint=hint)

    def test_one_of_three_classes_is_not_declared(self):
        """Line and column; the value of the record is not quoted."""
        self.refused(HEAD + "1,2,red\n1,2,blue\n1,2,green\n1,2,secret\n", "--target=c", "--loss=logistic",
                     "--classes=red,green,blue", line=5, column=3, name="c",
                     hint='declared classes: "red", "green", "blue"')

    def test_blanks_in_lists(self):
        """A blank after a comma is not a part of a name, least of all of one that stays."""
        self.write("data.csv", HEAD + GOOD)
        for classes, hint in (("zero, one", "begins with a blank"), ("zero ,one", "ends with"),
                              (" zero,one", "begins"), ("zero,one ", "ends")):
            self.assert_refused(self.sotto("doctor", "data.csv", "--target=c", "--loss=hinge",
                                           "--classes", classes), USAGE, hint=hint)
        self.assert_refused(self.sotto(
            "ledger", "create", "--ledger=l.db", "--dataset=d", "--epsilon=1", "--delta=1e-6",
            "--part-column=q", "--parts", "Q1, Q2"), USAGE, hint="without blanks")
        result = self.sotto("doctor", "data.csv", "--target=c", "--loss=hinge",
                            "--classes=the first,the second")
        self.assert_refused(result, hint="expected one of the declared classes")

    def test_numbers_for_texts(self):
        """Classes that are numbers, and a column of words."""
        for classes in ("1,2", "1,2,3"):
            text = self.assert_refused(self.sotto(
                "doctor", self.write("data.csv", "a,b,c\n1,2,SECRETWORD\n"), "--target=c",
                "--loss=logistic", "--classes=" + classes), line=2, name="c",
                hint="expected one of the declared classes, which are numbers")
            self.assertNotIn("--classes", text)

    def test_many_classes_private(self):
        """Private training of many classes has one way to go."""
        self.write("data.csv", HEAD + GOOD)
        for loss in ("logistic", "squared-hinge"):
            result = self.sotto("train", "data.csv", "--target=c", "--loss", loss,
                                "--classes=1,2,3", "--epsilon=1", "--delta=1e-6",
                                "--output=m.json", "--rows=3", "--solver=cd")
            self.assert_refused(result, USAGE, hint="--solver auto")

    def test_no_such_column(self):
        """Whoever names it: the message has the name, for it was typed."""
        content = HEAD + GOOD
        for args in (("--target", "nosuch"), ("--drop", "a,nosuch"),
                     ("--only", "nosuch"), ("--target", "A"),
                     ("--weights", "nosuch", "--weight-bound", "1")):
            with self.subTest(args):
                self.refused(content, *args, line=1, hint="no column")
        self.refused(content, declared=columns(nosuch={"type": "number"}),
                     line=1, name="nosuch", hint="no column")

    def test_column_not_in_schema(self):
        self.refused(HEAD + GOOD, declared=schema({"a": {"type": "number"}}),
                     name="b", hint="not in the schema")

    def test_two_columns_of_one_name(self):
        """Told by their places: without a header they are a record's."""
        for text in ("a,b,a\n1,2,3\n", 'a,b,"a"\n1,2,3\n'):
            self.refused(text, line=1, hint="columns 1 and 3 .*different")
        said = self.refused("SECRETWORD,SECRETWORD\n1,2\n", line=1)
        self.assertNotIn("SECRETWORD", said)

    def test_nothing_to_learn_from(self):
        self.refused("a,b\n1,2\n", "--drop", "a,b", hint="feature")
        self.refused("a\n1\n", "--target", "a", hint="feature")

    def test_utf16(self):
        for code in ("utf-16-le", "utf-16-be"):
            with self.subTest(code):
                self.refused(("\ufeff" + HEAD + GOOD).encode(code),
                             hint="UTF-8")

    def test_header_not_utf8(self):
        self.refused(b"caf\xe9,b\n1,2\n", line=1, hint="UTF-8")

    def test_quote_left_open_in_the_header(self):
        """The rows must not become a column's name: a header is one line,
        even if a later quote would close the one that is open."""
        for head in ('"a,b,c\n', 'a,b,"c\n', '"\n'):
            for rows in ("1,2,%s\n" % NUMBER, '1,2,"%s"\n' % NUMBER,
                         '",2,%s\n' % NUMBER):
                with self.subTest(head + rows):
                    self.refused(head + rows, line=1, hint="closing quote")

    def test_text_after_a_closing_quote_in_the_header(self):
        for head in ('"a"x,b,c\n', 'a,"b" ,c\n', 'a,b,"c"x\n'):
            with self.subTest(head):
                self.refused(head + GOOD, line=1, hint="closing quote")

    def test_quote_inside_a_field(self):
        """It could pair with one left open further up, and swallow rows."""
        self.refused('a,b,c\n1,5" disk%s,3\n' % WORD, "--drop=b", line=2,
                     column=2, hint="quotes around the whole field")

    def test_no_header(self):
        """The first record does not become names."""
        for head in ("%s,1,99\n" % NUMBER, "3,1,2\n", "a,%s,c\n" % NUMBER):
            with self.subTest(head):
                self.refused(head + "1,2,3\n", line=1, hint="header")

    def test_lone_carriage_returns(self):
        """Lines that end in CR alone: the rows are not column names."""
        self.refused("a,b\r%s,%s\r3,4\r" % (NUMBER, WORD), line=1,
                     hint="line end|newline|carriage")

    def test_line_is_physical(self):
        """Quoted newlines, empty lines, CRLF and a BOM before the fault."""
        bad = "1,x%s,3\n" % NUMBER
        for before, line in (('1,2,"3"\n', 3), ("\n\n1,2,3\n", 5)):
            with self.subTest(before):
                self.refused(HEAD + before + bad, line=line, column=2)
        self.refused(HEAD + '"x\ny\nz",2,3\n' + bad, "--drop=a", line=5,
                     column=2)
        self.refused(HEAD + '"x\r\ny""\n",2,3\n' + bad, "--drop=a", line=5,
                     column=2)
        self.refused((HEAD + GOOD + bad).replace("\n", "\r\n"), line=3,
                     column=2, hint="expected a number")
        self.refused(b"\xef\xbb\xbf" + (HEAD + GOOD + bad).encode(), line=3,
                     column=2)
        # within a record of several lines: the line of the field itself
        self.refused(HEAD + '"x\ny",z%s,3\n' % NUMBER, "--drop=a", line=3,
                     column=2)

    def test_first_of_two_faults(self):
        self.refused(HEAD + GOOD + "1,2\n" + "x,2,3\n", line=3,
                     hint="fields")

    def test_fault_at_the_very_end(self):
        self.refused(HEAD + "1,2,x%s" % WORD, line=2, column=3)
        self.refused(HEAD + GOOD + "1,2,", line=3, column=3)
        self.refused(HEAD + GOOD + "1,", line=3, column=3)

    def test_wrong_delimiter(self):
        self.refused("a;b\n%s;2\n" % NUMBER, line=1, hint="--delimiter")
        self.refused("a;b;c\n%s,2;3;4\n" % NUMBER, "--delimiter", ";", line=2,
                     column=1, hint="expected a number")

    def test_long_names_stay_one_line(self):
        """However long the names are, the line says what was expected."""
        name = "n" * 3000
        text = self.refused("a,%s\n1,x%s\n" % (name, NUMBER), line=2, column=2,
                            hint="expected a number")
        self.assertLess(len(text), 600)
        self.refused("a,b\x1b[31m\x7f\n1,x\n", line=2, column=2,
                     hint="expected a number")

    def test_not_a_schema(self):
        """A data file given as the schema by mistake is not quoted."""
        for name, content in (("data.csv", "%s,b\n1,2\n" % WORD),
                              ("data.svm", "%s 1:2\n" % NUMBER),
                              ("rows.csv", "{%s,2\n" % WORD),
                              ("list.csv", '["%s" %s\n' % (WORD, NUMBER))):
            with self.subTest(name):
                self.write(name, content)
                result = self.sotto("doctor", name, "--schema", name,
                                    "--format=csv")
                self.assert_refused(result, USAGE, file=name, hint="JSON")


class Svmlight(Case):
    """svmlight, by `sotto doctor`; a column is a character's place."""

    def refused(self, content, *args, **expected):
        self.write("data.svm", content)
        result = self.sotto("doctor", "data.svm", *args)
        return self.assert_refused(result, file="data.svm", **expected)

    def line(self, line, *args, **expected):
        """A file whose third line is this one."""
        return self.refused("1 1:%s\n# %s\n%s\n1 1:2\n" % (NUMBER, WORD, line),
                            *args, line=3, **expected)

    def test_empty(self):
        for content in ("", "\n", "# %s\n" % WORD, b"\xef\xbb\xbf", " \n\t\n"):
            with self.subTest(content):
                self.refused(content, line=1, hint="expected")
                self.refused(content, "--features=3", line=1,
                             hint="expected at least one row")

    def test_no_feature(self):
        self.refused("1\n-1\n", hint="index:value")

    def test_index_zero(self):
        self.line("1 0:%s" % NUMBER, column=3, hint="at least 1")
        self.line("1 00000:%s" % NUMBER, column=3, hint="at least 1")

    def test_index_decreasing(self):
        self.line("1 3:1 2:%s" % NUMBER, column=7, hint="increasing")

    def test_index_duplicate(self):
        self.line("1 3:1 3:%s" % NUMBER, column=7, hint="increasing")

    def test_index_too_large(self):
        """Also where 32 or 64 bits would wrap to a small index."""
        for index in (2**31, 2**32, 2**32 + 2, 10**10, 10**11, 10**12,
                      2**63 + 2, 2**64, 2**64 + 2, 2**65 + 2, 10**30):
            with self.subTest(index):
                self.line("1 1:2 %d:%s" % (index, NUMBER), column=7,
                          hint="index")
                self.line("1 1:2 %d:%s" % (index, NUMBER), "--features=9",
                          column=7, hint="index")
        self.line("1 2147483648:1", hint="at most 2147483647")

    def test_index_above_features(self):
        self.line("1 1:2 4:%s" % NUMBER, "--features=3", column=7,
                  hint="--features")

    def test_not_an_index(self):
        for pair in ("x:1", ":1", "-1:1", "+2:1", "0x2:1", "2.0:1", "2 :1",
                     "2", "%s:1" % WORD, "2;1", "qid:2", "2,1", "1e1:1"):
            with self.subTest(pair):
                self.line("1 1:%s %s 9:1" % (OTHER, pair), hint="index")

    def test_not_a_value(self):
        for value in ("", " 2", "x", WORD, NUMBER + "x", "0x1p3", "0x10",
                      "1e", ".", "--1", "1:2", "1,5", "'1'", "1_0", "1\r2"):
            with self.subTest(value):
                self.line("1 1:%s 2:%s" % (OTHER, value),
                          hint="expected (a number|index)")

    def test_missing_value(self):
        for value in ("nan", "NaN", "inf", "-inf", "Infinity", "1e308",
                      "-1e400"):
            with self.subTest(value):
                self.line("1 1:%s 2:%s" % (OTHER, value),
                          hint="expected a number")

    def test_infinity_within_bounds(self):
        self.write("s.json", schema(
            {}, default={"type": "number", "bounds": [-1, 1]}))
        for value in ("nan", "inf", "-inf"):
            with self.subTest(value):
                self.line("1 1:%s 2:%s" % (OTHER, value), "--features=2",
                          "--schema=s.json", hint="expected a number")

    def test_label(self):
        for label in (WORD, NUMBER + "x", "0x1", "1:2", "nan", "inf", "1e308",
                      "1,2", "qid:1", "-", "+", "\'1\'"):
            with self.subTest(label):
                self.line("%s 1:%s" % (label, NUMBER), hint="expected")

    def test_class(self):
        for label in (NUMBER, "2", "0.5", "nan", "1e400"):
            with self.subTest(label):
                self.line("%s 1:%s" % (label, OTHER), "--loss=hinge", column=1,
                          hint="expected")
        self.refused("1 1:1\n0 1:1\n-1 1:1\n", "--loss=hinge", line=3,
                     hint="two classes")
        self.refused("1 1:1\n2 1:1\n3 1:1\n", "--loss=hinge", "--classes=1,2",
                     line=3, column=1, hint="classes")

    def test_nul(self):
        for line in ("1\0 1:2", "1 1\0:2", "1 1:2\0", "1 1:2 \0", "\0",
                     "1 1:2 # %s\0" % WORD, "# \0", "1 qid:\0 1:2", "1\0"):
            with self.subTest(line):
                self.line(line, hint="expected")

    def test_line_is_physical(self):
        bad = "1 0:%s\n" % NUMBER
        for before, line in (("1 1:1\n\n\n", 4), ("# c\n", 2), ("", 1),
                             ("1 1:1\r\n# x\r\n\r\n", 4)):
            with self.subTest(before):
                self.refused(before + bad, line=line, hint="index")
                self.refused("\ufeff" + before + bad, line=line, hint="index")

    def test_no_names(self):
        """Options that name columns: a mistake of the call."""
        self.write("data.svm", "1 1:1\n")
        for option in ("--target", "--drop", "--only", "--weights"):
            with self.subTest(option):
                result = self.sotto("doctor", "data.svm", option, "1")
                self.assert_refused(result, USAGE, hint="named columns")


class Npy(Case):
    """.npy, by `sotto doctor`; there are rows, but no lines."""

    def refused(self, content, *args, name="data.npy", **expected):
        self.write(name, content)
        result = self.sotto("doctor", name, *args)
        return self.assert_refused(result, file=name, **expected)

    def test_cut_off(self):
        """At any byte."""
        whole = npy([[1, 2], [3, 4]])
        for size in (*range(0, 16), 60, 127, 128, 129, len(whole) - 1):
            with self.subTest(size):
                self.refused(whole[:size], "--format=npy", hint="cut off")
                self.assert_refused(
                    self.sotto("doctor", "-", "--format=npy",
                               input=whole[:size]), file="stdin",
                    hint="cut off")

    def test_cut_off_by_column(self):
        whole = npy([[1, 2], [3, 4]], order="F")
        self.refused(whole[:-1], hint="cut off")
        self.assert_refused(self.sotto("doctor", "-", input=whole[:-1]),
                            file="stdin", hint="cut off")

    def test_no_rows(self):
        for order in "CF":
            with self.subTest(order):
                self.refused(npy([], columns=3, order=order),
                             hint="at least one row")

    def test_no_columns(self):
        self.refused(npy([[], []]), hint="feature")

    def test_not_an_array(self):
        self.refused(HEAD + GOOD, hint=r"\.npy")
        self.refused(b"\x93NUMPY\x09" + npy([[1, 2]])[7:], hint="version")

    def test_shape(self):
        for shape in ("(4,)", "()", "(2, 1, 2)", "(-2, -2)", "(2, x)", "4",
                      "(99999999999999999999, 1)", "(2, 2", "(2., 2)"):
            with self.subTest(shape):
                self.refused(npy([[1, 2], [3, 4]], shape=shape),
                             hint="two-dimensional")

    def test_shape_beyond_the_file(self):
        """Sizes whose product wraps around 64 bits."""
        for shape in ("(3, 2)", "(4611686018427387905, 2)",
                      "(1125899906842624, 16384)", "(1125899906842624, 1)"):
            with self.subTest(shape):
                self.refused(npy([[1, 2], [3, 4]], shape=shape),
                             hint="cut off|two-dimensional")
        self.refused(npy([[1, 2]], shape="(1, 16777217)"), hint="columns")

    def test_kind(self):
        for kind in ("<i8", "<i4", "|b1", "|O", "<U8", "<c8", "<f2", "|V8",
                     ">f8", ">f4", "=f8"):
            with self.subTest(kind):
                content = npy([[1, 2]]).replace(b"<f8", kind.encode())
                self.refused(content, hint="float32 or float64")

    def test_missing_value(self):
        """The row and the column, in both orders and both widths."""
        for order in "CF":
            for kind in ("<f4", "<f8"):
                for value in (float("nan"), float("inf"), float("-inf")):
                    rows = [[1, 2, 3], [4, 5, 6], [7, value, 8], [9, 0, 1]]
                    with self.subTest(order + kind, value=value):
                        self.refused(npy(rows, order=order, kind=kind), row=3,
                                     column=2, hint="found none")

    def test_beyond_float(self):
        for order in "CF":
            with self.subTest(order):
                self.refused(npy([[1, 2], [1e308, 4]], order=order), row=2,
                             column=1, hint="fits a float")

    def test_target(self):
        content = npy([[1, 2], [3, float("nan")]])
        self.refused(content, "--target=2", row=2, column=2, hint="expected")
        for name in ("0", "3", "y", "-1", "01", "1.0"):
            with self.subTest(name):
                self.refused(content, "--target", name, hint="no column")

    def test_class(self):
        for order in "CF":
            rows = [[1, 1], [2, -1], [3, 987654.321]]
            with self.subTest(order):
                self.refused(npy(rows, order=order), "--target=2",
                             "--loss=hinge", row=3, column=2,
                             hint="two classes")

    def test_more_than_two_classes(self):
        """An array has rows, not lines."""
        for order in "CF":
            rows = [[1, 1], [2, -1], [3, 1], [4, 0], [5, 0]]
            with self.subTest(order):
                text = self.refused(npy(rows, order=order), "--target=2",
                                    "--loss=hinge", row=4, hint="two classes")
                self.assertNotIn("line", text)

    def test_categories_need_csv(self):
        self.write("data.npy", npy([[1, 2]]))
        self.write("s.json", schema({
            "1": {"type": "category", "levels": ["1"]},
            "2": {"type": "number"}}))
        result = self.sotto("doctor", "data.npy", "--schema=s.json")
        self.assert_refused(result, USAGE, file="data.npy", hint="CSV")


class Gzip(Case):
    """Compressed files that are cut off or damaged, of each format."""

    FILES = {"data.csv.gz": (HEAD + GOOD * 5000).encode(),
             "data.svm.gz": ("1 1:%s 2:3\n" % NUMBER * 5000).encode(),
             "data.npy.gz": npy([[1, 2]] * 5000)}

    def refused(self, name, content, **expected):
        self.write(name, content)
        for threads in "14":
            result = self.sotto("doctor", name, "--threads", threads)
            self.assert_refused(result, file=name, **expected)
        return result

    def test_cut_off(self):
        """In the header, in the data, in the checksum at the end."""
        for name, content in self.FILES.items():
            whole = gzip.compress(content, 1)
            for size in (2, 3, 9, 10, 11, len(whole) // 2, len(whole) - 9,
                         len(whole) - 8, len(whole) - 1):
                with self.subTest(name, size=size):
                    self.refused(name, whole[:size], hint="cut off")

    def test_second_member_cut_off(self):
        for name, content in self.FILES.items():
            if "npy" not in name:
                whole = gzip.compress(content, 1)
                with self.subTest(name):
                    self.refused(name, whole + whole[:-3], hint="cut off")
                    self.refused(name, whole + whole[:5], hint="cut off")

    def test_damaged(self):
        for name, content in self.FILES.items():
            whole = bytearray(gzip.compress(content, 1))
            whole[-6] ^= 1
            with self.subTest(name, what="checksum"):
                self.refused(name, bytes(whole), hint="damaged")
            whole[12:20] = b"\xff" * 8
            with self.subTest(name, what="data"):
                self.refused(name, bytes(whole), hint="damaged")

    def test_garbage_after_the_end(self):
        for name in ("data.csv.gz", "data.svm.gz"):
            with self.subTest(name):
                self.refused(name, gzip.compress(self.FILES[name]) +
                             WORD.encode(), hint="damaged")

    def test_bad_row_before_the_cut(self):
        """The first fault in the order of the file, on any thread."""
        content = HEAD + "1,x%s,3\n" % NUMBER + "".join(
            "%d,%d,%d\n" % (i, i * i % 9973, i * 7919 % 10007)
            for i in range(150000))
        cut = gzip.compress(content.encode(), 1)[:-1000]
        for _ in range(4):
            self.refused("data.csv.gz", cut, line=2, column=2,
                         hint="expected a number")

    def test_nothing_inside(self):
        self.refused("data.csv.gz", gzip.compress(b""), line=1,
                     hint="header")
        self.refused("data.npy.gz", gzip.compress(b""), hint="cut off")


class Large(Case):
    """A fault far into a file that is read in several pieces: the line is
    right for any number of threads, from a file, compressed, by a pipe."""

    def everywhere(self, ending, content, **expected):
        content = content.encode()
        plain = self.write("data" + ending, content)
        packed = self.write("data" + ending + ".gz", content)
        form = {".csv": "csv", ".svm": "svmlight", ".npy": "npy"}[ending]
        for threads in "14":
            options = "--threads", threads, "--format", form
            for name in (plain, packed, "-"):
                with self.subTest(name, threads=threads):
                    result = self.sotto(
                        "doctor", name, *options,
                        input=content if name == "-" else None)
                    self.assert_refused(
                        result, file="stdin" if name == "-" else name,
                        **expected)

    def test_csv(self):
        rows = 280000  # 5 MB
        good = "1,22.5,%s\n" % NUMBER
        for bad, expected in (
                ("1,x%s,3\n" % NUMBER, {"column": 2, "name": "b"}),
                ("1,%s\n" % NUMBER, {"hint": "fields"}),
                ("1,2,%s,4\n" % NUMBER, {"hint": "fields"}),
                ("1,2\0,3\n", {"hint": "expected"}),
                ("1,,3\n", {"column": 2, "hint": "found none"}),
                ("1,2,1e308\n", {"column": 3, "hint": "float"})):
            with self.subTest(bad):
                self.everywhere(
                    ".csv", HEAD + good * rows + bad + good * 500 + bad * 9,
                    line=rows + 2, **expected)

    def test_csv_two_faults_in_different_pieces(self):
        good = "1,22.5,%s\n" % NUMBER
        self.everywhere(
            ".csv", HEAD + good * 150000 + "1,2\n" + good * 60000 + "x,2,3\n",
            line=150002, hint="fields")

    def test_csv_with_quoted_newlines(self):
        """Pieces end between records, and lines stay physical."""
        good = '1,"2",%s\n"3",4,"5"\n\n' % NUMBER
        self.everywhere(".csv", HEAD + good * 130000 + '"6","x",7\n' + good,
                        line=3 * 130000 + 2, column=2, name="b",
                        hint="expected a number")

    def test_csv_dropped_text_with_newlines(self):
        note = '"%s\n,1,2\n""",2,3\n' % WORD
        content = HEAD + note * 120000 + "t,x,3\n" + note
        self.write("data.csv", content)
        self.write("data.csv.gz", content)
        for name in ("data.csv", "data.csv.gz", "-"):
            for threads in "14":
                with self.subTest(name, threads=threads):
                    result = self.sotto(
                        "doctor", name, "--drop=a", "--threads", threads,
                        "--format=csv",
                        input=content.encode() if name == "-" else None)
                    self.assert_refused(result, line=3 * 120000 + 2, column=2,
                                        name="b", hint="expected a number")

    def test_csv_quote_left_open(self):
        """The rest of the file is one record; the line is where it opens."""
        good = "1,22.5,%s\n" % NUMBER
        self.everywhere(".csv", HEAD + good * 150000 + '1,"2,3\n' +
                        good * 130000, line=150002, column=2,
                        hint="closing quote")

    def test_svmlight(self):
        rows = 230000  # 5 MB
        good = "1 1:%s 3:4\n" % NUMBER
        for bad, expected in (
                ("1 0:%s\n" % NUMBER, {"column": 3, "hint": "index"}),
                ("1 3:1 2:1\n", {"column": 7, "hint": "increasing"}),
                ("x 1:%s\n" % NUMBER, {"column": 1, "hint": "label"}),
                ("1 1:x%s\n" % NUMBER, {"column": 5, "hint": "number"}),
                ("1 1:1 # \0\n", {"hint": "NUL"})):
            with self.subTest(bad):
                self.everywhere(
                    ".svm", good * rows + "# c\n\n" + bad + good * 500 + bad,
                    line=rows + 3, **expected)

    def test_three_classes_far_apart(self):
        content = ("1 1:1 2:%s\n" % NUMBER * 90000 + "0 1:1\n" +
                   "1 1:1 2:%s\n" % NUMBER * 90000 + "-1 1:1\n" +
                   "0 1:1\n" * 9)
        self.write("data.svm", content)
        for threads in "14":
            result = self.sotto("doctor", "data.svm", "--loss=hinge",
                                "--threads", threads)
            self.assert_refused(result, line=180002, hint="two classes")

    def test_npy(self):
        rows = [[1.0, 2.0]] * 200000 + [[1.0, float("nan")]] + [[1.0, 2.0]]
        for order in "CF":
            content = npy(rows, order=order)
            self.write("data.npy", content)
            self.write("data.npy.gz", content)
            for name in ("data.npy", "data.npy.gz", "-"):
                with self.subTest(name, order=order):
                    result = self.sotto(
                        "doctor", name,
                        input=content if name == "-" else None)
                    self.assert_refused(result, row=200001, column=2,
                                        hint="found none")


class Machine(Case):
    """Files that cannot be read, and a machine that is too small."""

    def test_no_such_file(self):
        for verb in ("doctor", "schema"):
            with self.subTest(verb):
                self.assert_refused(self.sotto(verb, "none.csv"), FAILED,
                                    file="none.csv", hint="no such file")
                self.assert_refused(self.sotto(verb, "none/none.csv"), FAILED,
                                    file="none/none.csv")

    def test_no_such_schema(self):
        self.write("data.csv", HEAD + GOOD)
        result = self.sotto("doctor", "data.csv", "--schema=none.json")
        self.assert_refused(result, FAILED, file="none.json")

    def test_directory(self):
        self.write("data.csv", HEAD + GOOD)
        os.mkdir(self.path("dir.csv"))
        for args in (("doctor", "dir.csv"), ("schema", "dir.csv"),
                     ("doctor", "data.csv", "--schema", "dir.csv")):
            with self.subTest(args):
                self.assert_refused(self.sotto(*args), FAILED, file="dir.csv",
                                    hint="directory")
        self.assert_refused(self.sotto("doctor", "."), FAILED,
                            hint="directory")

    @unittest.skipIf(os.geteuid() == 0, "root may read every file")
    def test_unreadable(self):
        self.write("data.csv", HEAD + GOOD)
        os.chmod(self.path("data.csv"), 0)
        for verb in ("doctor", "schema"):
            self.assert_refused(self.sotto(verb, "data.csv"), FAILED,
                                file="data.csv", hint="permission")

    def test_stdin_that_is_a_directory(self):
        directory = os.open(self.directory, os.O_RDONLY)
        result = self.sotto("doctor", "-", "--format=csv", input=directory)
        os.close(directory)
        self.assert_refused(result, FAILED, file="stdin")

    def test_format_unknown(self):
        self.write("data.txt", HEAD + GOOD)
        self.assert_refused(self.sotto("doctor", "data.txt"), USAGE,
                            file="data.txt", hint="--format")
        self.assert_refused(
            self.sotto("doctor", "-", input=(HEAD + GOOD).encode()), USAGE,
            file="stdin", hint="--format")

    def test_name_is_made_safe(self):
        """A file's name cannot break the line or reach the terminal."""
        name = "a\n\x1b[2Jb.csv"
        self.write(name, HEAD + "x\n")
        self.assert_refused(self.sotto("doctor", name), line=2, hint="fields")

    def test_fifo_with_a_fault(self):
        os.mkfifo(self.path("pipe.csv"))
        writer = threading.Thread(
            target=self.write, args=("pipe.csv", HEAD + GOOD + "1,x,3\n"))
        writer.start()
        result = self.sotto("doctor", "pipe.csv")
        writer.join()
        self.assert_refused(result, file="pipe.csv", line=3, column=2)

    def small(self, *args, **more):
        """Runs in little address space; skips where the program cannot."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))
        if run(["version"], before=limit).code != OK:
            self.skipTest("the program does not start in 256 MB")
        return self.sotto(*args, before=limit, **more)

    def test_out_of_memory(self):
        """One clear line, whatever asked for too much."""
        self.write("wide.svm", "1 2147483647:1\n")
        self.write("data.npy", npy([[1]], shape="(1000000000, 10)"))
        with open(self.path("data.npy"), "ab") as file:
            file.truncate(2**37)  # a hole: it takes no room
        self.write("rows.npy", npy([[1]], shape="(1000000000, 10)"))
        with open(self.path("rows.npy"), "rb") as rows:
            for args in (("wide.svm",), ("data.npy",), ("-",),
                         ("/dev/zero", "--format=svmlight")):
                with self.subTest(args):
                    rows.seek(0)
                    result = self.small("doctor", *args, input=rows)
                    self.assert_refused(result, FAILED,
                                        hint="memory|cannot be mapped")

    def test_endless_header(self):
        result = self.sotto("doctor", "/dev/zero", "--format=csv")
        self.assert_refused(result, DATA, file="/dev/zero", hint="longer than")


if __name__ == "__main__":
    unittest.main()

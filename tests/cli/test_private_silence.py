"""With --bad-rows drop a malformed row is absent and nobody hears of it:
stdout, stderr and exit code are those of the data without the row. (Without
privacy the number of such rows is told.) And with a finite epsilon nothing of
the table's shape comes from the rows.
"""

import gzip
import json
import os
import random
import re
import unittest

from common import DATA, OK, PRIVACY, USAGE, Case, npy, schema

NUL_TEXT = "x\0y"
NAN, INF = float("nan"), float("inf")


class Silence(Case):
    """The same command on two files of one name in two directories."""

    def setUp(self):
        super().setUp()
        for which in ("with", "without"):
            os.mkdir(self.path(which))

    def run_on(self, which, name, content, *args, stdin=False):
        if isinstance(content, str):
            content = content.encode("utf-8", "surrogateescape")
        with open(os.path.join(self.directory, which, name), "wb") as file:
            file.write(content)
        place, self.directory = self.directory, os.path.join(self.directory,
                                                             which)
        private = () if any("--epsilon" in word for word in args) else ("--epsilon=1",)
        result = self.sotto("doctor", "-" if stdin else name, "--json",
                            "--bad-rows", "drop", *private, *args,
                            input=content if stdin else None)
        self.directory = place
        return self.uncounted(result) if "--epsilon=inf" in args else result

    def uncounted(self, result):
        """Without privacy the number of bad rows is told, and nothing else of them."""
        err = b"".join(line for line in result.err.splitlines(keepends=True)
                       if b" bad and left out; " not in line)
        out, found = re.subn(rb', "rows_dropped": \d+', b"", result.out)
        self.assertEqual(found, 1, result)
        return result._replace(out=out, err=err)

    def assert_same(self, name, without, contents, *args, **more):
        """The runs on `contents` are, byte for byte, the run on `without`."""
        expected = self.run_on("without", name, without, *args, **more)
        self.assertEqual((expected.code, expected.err), (OK, b""))
        for content in contents:
            self.assertEqual(self.run_on("with", name, content, *args, **more),
                             expected)
        return json.loads(expected.out)

    def assert_row_absent(self, name, head, rows, bad, *args):
        """The bad row first, in the middle, last, and last without '\\n'."""
        half = len(rows) // 2
        without = head + "".join(rows)
        contents = (head + bad + "\n" + "".join(rows),
                    head + "".join(rows[:half]) + bad + "\n" +
                    "".join(rows[half:]),
                    without + bad + "\n", without + bad,
                    head + "".join(r + bad + "\n" for r in rows))
        said = self.assert_same(name, without, contents, *args)
        self.assertEqual(said["rows"], len(rows))


class Csv(Silence):
    HEAD = "a,b,g,y,w,id,t\n"
    ROWS = ["1,%d,p,no,1,u1,text\n" % i for i in range(9)] + [
        '2,"3",q,"yes",0.5,"u ""2""","a, ""b"""\r\n', "4,,p,no,9,u1,\n",
        "-0,1e400,q,yes,0,u3,nan\n"]
    BAD = {
        "ragged short": "1,2,p,no,1,u1",
        "ragged long": "1,2,p,no,1,u1,t,t",
        "one field": "7",
        "blank": " ",
        "delimiters": ",,,,,,",
        "many delimiters": "," * 5000,
        "word for number": "x,2,p,no,1,u1,t",
        "hex float": "0x1p3,2,p,no,1,u1,t",
        "NUL in a number": "1\0,2,p,no,1,u1,t",
        "NUL in a dropped text": "1,2,p,no,1,u1," + NUL_TEXT,
        "NUL in a unit": "1,2,p,no,1,%s,t" % NUL_TEXT,
        "NUL in a level": "1,2,p\0,no,1,u1,t",
        "only NUL": "\0" * 100,
        "open quote, first field": '"1,2,p,no,1,u1,t',
        "open quote, level": '1,2,"p,no,1,u1,t',
        "open quote, dropped text": '1,2,p,no,1,u1,"t',
        "open quote, doubled": '1,2,p,no,1,u1,"t""',
        "one quote": '"',
        "three quotes": '"""',
        "text after a quote": '1,2,"p"x,no,1,u1,t',
        "undeclared level": "1,2,r,no,1,u1,t",
        "undeclared class": "1,2,p,maybe,1,u1,t",
        "missing number": ",2,p,no,1,u1,t",
        "nan": "nan,2,p,no,1,u1,t",
        "inf": "inf,2,p,no,1,u1,t",
        "beyond float": "1e308,2,p,no,1,u1,t",
        "missing level": "1,2,,no,1,u1,t",
        "missing class": "1,2,p,,1,u1,t",
        "missing weight": "1,2,p,no,,u1,t",
        "negative weight": "1,2,p,no,-1,u1,t",
        "missing unit": "1,2,p,no,1,,t",
        "lone CR": "1\r,2,p,no,1,u1,t",
        "not UTF-8": "\udcff\udcfe,2,p,no,1,u1,t",
        "a second header": "a,b,g,y,w,id,t",
        "long": "1,2,p,no,1,u1,t," + "x" * 100000,
        "long open quote": '1,2,p,no,1,u1,"' + "x" * 100000,
    }
    ARGS = "--schema", "../s.json", "--loss=hinge"

    def setUp(self):
        super().setUp()
        self.write("s.json", schema({
            "a": {"type": "number"},
            "b": {"type": "number", "bounds": [0, 9], "missing": 4},
            "g": {"type": "category", "levels": ["p", "q"]},
            "y": {"type": "target", "classes": ["no", "yes"]},
            "w": {"type": "weight", "bounds": [0, 5]},
            "id": {"type": "unit"}, "t": {"type": "drop"}}))

    def test_each_kind_of_bad_row(self):
        for kind, bad in self.BAD.items():
            with self.subTest(kind):
                self.assert_row_absent(
                    "d.csv", self.HEAD, self.ROWS, bad, *self.ARGS,
                    "--epsilon=1")

    def test_all_kinds_together(self):
        """Also when not private, on several threads, and the other ways."""
        rows = self.ROWS * 20
        bad = list(self.BAD.values())
        mixed = "".join(r + bad[i % len(bad)] + "\n"
                        for i, r in enumerate(rows))
        without = (self.HEAD + "".join(rows)).encode()
        content = (self.HEAD + mixed).encode("utf-8", "surrogateescape")
        for args in ((), ("--epsilon=1",), ("--epsilon=inf", "--threads=1"),
                     ("--epsilon=0.1", "--threads=4")):
            with self.subTest(args):
                self.assert_same("d.csv", without, [content], *self.ARGS,
                                 *args)
                self.assert_same("d.csv.gz", gzip.compress(without),
                                 [gzip.compress(content)], *self.ARGS, *args)
                self.assert_same("d.csv", without, [content], "--format=csv",
                                 *self.ARGS, *args, stdin=True)

    def test_without_a_schema(self):
        rows = ["1,2\n", "3,4\n", '"5",6\n']
        for bad in ("1", "1,2,3", "x,1", "1,\0", '"1,2', '1,"2', ",", "nan,1",
                    "1,inf", "1e308,1", "1,-1e400"):
            with self.subTest(bad):
                self.assert_row_absent("d.csv", "a,b\n", rows, bad)
                self.assert_row_absent("d.csv", "a,b\n", rows, bad,
                                       "--epsilon=1")

    def test_undeclared_classes(self):
        """-1, 0 and 1 in one file, and other numbers, say nothing."""
        rows = ["1,-1\n", "2,1\n", "3,1\n"]
        args = "--target=y", "--loss=logistic", "--epsilon=1"
        for bad in ("1,2", "1,0.5", "1,x", "1,nan", "1,1e400"):
            with self.subTest(bad):
                self.assert_row_absent("d.csv", "a,y\n", rows, bad, *args)
        result = self.run_on("with", "d.csv", "a,y\n1,-1\n2,0\n3,1\n", *args)
        self.assertEqual((result.code, result.err), (OK, b""))

    def test_open_quote_in_a_large_file(self):
        """It spoils its own line, not the megabytes after it, nor what is
        read at the same time."""
        row = '1.25,22,"3"\n'
        contents = ["a,b,c\n" + row * 100000 + bad + "\n" + row * 300000
                    for bad in ('1,2,"3', '"', "1,2", "1,\0,3",
                                "x" * 3000000, '"' + "x" * 3000000)]
        for threads in "14":
            with self.subTest(threads=threads):
                said = self.assert_same("d.csv", "a,b,c\n" + row * 400000,
                                        contents, "--epsilon=1", "--threads",
                                        threads)
                self.assertEqual(said["rows"], 400000)

    def test_record_is_one_line(self):
        """A quoted newline cannot take a row of others with it."""
        rows = ["%d,2,t\n" % i for i in range(5)]
        content = "".join(rows[:3]) + '7,"8\n9",t\n' + "".join(rows[3:])
        self.assert_same("d.csv", "a,b,t\n" + "".join(rows),
                         ["a,b,t\n" + content], "--drop=t")

    def test_many_bad_rows_take_no_longer_than_good_ones(self):
        """Were each to be counted from the start, these would take minutes."""
        self.write("d.csv", "a,b\n" + "x,1\n" * 2000000 + "1,2\n")
        self.write("d.svm", "x 1:2\n" * 1400000 + "1 1:2\n")
        for name, *more in (("d.csv",), ("d.svm", "--features=1")):
            with self.subTest(name):
                result = self.sotto("doctor", name, "--bad-rows=drop",
                                    "--json", *more, timeout=60)
                self.assertEqual(json.loads(result.out)["rows"], 1)


    def test_many_columns_and_empty_lines(self):
        """Room is made for rows, not for lines."""
        columns = 5000
        row = ",".join(["1"] * columns) + "\n"
        head = ",".join("c%d" % i for i in range(columns)) + "\n"
        self.write("d.csv", head + row + "\n" * 3000000 + row)
        result = self.sotto("doctor", "d.csv", "--bad-rows=drop", "--json")
        self.assertEqual(json.loads(result.out)["rows"], 2)


class Svmlight(Silence):
    ROWS = ["1 1:2 3:4\n", "-1\n", "1 qid:3 2:1 # c\n", "-1 5:-2\n"] * 3
    BAD = {
        "index 0": "1 0:1", "decreasing": "1 3:1 2:1", "duplicate": "1 2:1 2:1",
        "above --features": "1 6:1", "above 2^31-1": "1 2147483648:1",
        "above 2^64": "1 18446744073709551617:1", "no label": "1:2",
        "word for label": "x 1:2", "word for value": "1 1:x",
        "hex float": "1 1:0x1p3", "no value": "1 1:", "no index": "1 :1",
        "NUL": "1 1:2\0", "NUL in a comment": "1 1:2 # \0", "nan": "1 1:nan",
        "inf": "1 1:2 2:inf", "beyond float": "1 1:2 2:1e308",
        "undeclared class": "2 1:1", "missing class": "nan 1:1",
        "late qid": "1 1:1 qid:2", "lone CR": "1 1:2\r3",
        "good start": "1 1:7 2:7 3:7 4:7 5:7 x", "long": "1 1:" + "1" * 9999 +
        "x", "binary": "\x01\x02\x7f\x1b",
    }

    def test_each_kind_of_bad_row(self):
        for kind, bad in self.BAD.items():
            for args in (("--epsilon=1",), ()):
                with self.subTest(kind, args=args):
                    self.assert_row_absent("d.svm", "", self.ROWS, bad,
                                           "--features=5", "--loss=hinge",
                                           *args)

    def test_index_of_an_absent_row(self):
        """The shape never comes from rows that may be dropped."""
        self.write("d.svm", "".join(self.ROWS))
        result = self.sotto("doctor", "d.svm", "--bad-rows=drop")
        self.assertEqual(result.code, USAGE)
        self.assertIn(b"--features", result.err)
        for bad in ("1 9:x", "1 9:1 8:1", "1 2147483647:x"):
            with self.subTest(bad):
                self.assert_row_absent("d.svm", "", self.ROWS, bad,
                                       "--features=5")

    def test_first_bytes(self):
        """What would be a mark or a magic number is a bad row."""
        for bad in (b"\xff\xfe1 1:1", b"\x1f\x8b", b"\x93NUMPY",
                    b"\xef\xbb\xbf1 1:1"):
            for name in ("d.svm", "d.txt"):
                with self.subTest(bad, name=name):
                    self.write(name, bad + b"\n1 1:2\n")
                    result = self.sotto("doctor", name, "--format=svmlight",
                                        "--bad-rows=drop", "--features=1",
                                        "--epsilon=1", "--json")
                    self.assertEqual((result.code, result.err), (OK, b""))
                    self.assertEqual(json.loads(result.out)["rows"], 1)

    def test_large_file(self):
        row = "1 1:1.5 3:-2.25\n-1 2:7\n"
        contents = [row * 90000 + bad + row * 110000 for bad in
                    ("1 0:1\n", "1 1:\0\n", "x" * 3000000 + "\n")]
        for threads in "14":
            with self.subTest(threads=threads):
                self.assert_same("d.svm", row * 200000, contents,
                                 "--features=5", "--epsilon=1", "--threads",
                                 threads)


class Npy(Silence):
    def test_each_kind_of_bad_row(self):
        """The target is column 3, the weight column 4."""
        rows = [[1, 2, 1, 1], [3, 4, -1, 0.5], [5, 6, 1, 2]] * 3
        args = ("--target=3", "--loss=hinge", "--weights=4",
                "--weight-bound=5", "--epsilon=1")
        for order in "CF":
            for bad in ([NAN, 2, 1, 1], [1, INF, 1, 1], [1, -INF, 1, 1],
                        [1e308, 2, 1, 1], [1, 2, 7, 1], [1, 2, NAN, 1],
                        [1, 2, 1, -1], [1, 2, 1, NAN], [NAN] * 4):
                with self.subTest(order, bad=bad):
                    self.assert_same(
                        "d.npy", npy(rows, order=order),
                        [npy(rows[:at] + [bad] + rows[at:], order=order)
                         for at in (0, 4, 9)], *args)


class EachRowOnItsOwn(Silence):
    """Lines changed at random: those that stop a run when they are alone
    are those that are absent from a run with all of them."""

    LINES = 150

    def changed(self, rng, lines, alphabet):
        for _ in range(self.LINES):
            line = list(rng.choice(lines))
            for _ in range(rng.randint(0, 3)):
                at = rng.randint(0, len(line))
                line[at:at + rng.randint(0, 2)] = rng.choices(
                    alphabet, k=rng.randint(0, 2))
            yield "".join(line).replace("\n", "")

    def alone(self, name, head, line, args):
        self.write(name, head + line + "\n")
        result = self.sotto("doctor", name, "--epsilon=1", "--quiet", *args)
        self.assertIn(result.code, (OK, DATA), line)
        return result.code == OK

    def check(self, name, head, lines, alphabet, *args):
        rng = random.Random(3)
        lines = list(self.changed(rng, lines, alphabet))
        good = [line for line in lines if self.alone(name, head, line, args)]
        self.assertLess(self.LINES / 10, len(good))
        self.assertLess(len(good), self.LINES * 9 / 10)
        for private in ("--epsilon=1", "--epsilon=inf"):
            self.assert_same(name, head + "\n".join(good) + "\n",
                             [head + "\n".join(lines)], private, *args)

    def test_csv(self):
        self.check("d.csv", "a,b,y,t\n",
                   ["1,2.5,1,x", '"3",-4e1,0,"a ""b"""', "5,6,1,", "-0,.5,0,z"],
                   '0123456789,,,.-+eE"" \t\r\0x', "--drop=t", "--target=y",
                   "--loss=hinge")

    def test_svmlight(self):
        self.check("d.svm", "", ["1 1:2 3:4", "-1 qid:4 2:5e-1 # c", "0",
                                 "1\t3:-4.25 "],
                   "0123456789:::.-+eE# \t\r\0q", "--features=5",
                   "--loss=hinge")


class Shape(Case):
    """A finite epsilon: the shape is public, whatever the rows are."""

    def test_svmlight_needs_features(self):
        """Refused before any row is looked at."""
        said = set()
        for content in ("", "1 1:1\n", "1 9:1\n", "x\n", "1 0:1\n"):
            for more in ((), ("--bad-rows=drop",), ("--loss=hinge",)):
                self.write("d.svm", content)
                result = self.sotto("doctor", "d.svm", "--epsilon=1", *more)
                said.add(self.assert_refused(result, PRIVACY, file="d.svm",
                                             hint="--features"))
        self.assertEqual(len(said), 1)
        self.write("d.svm", "1 1:1\n")
        self.assertEqual(self.sotto("doctor", "d.svm",
                                    "--epsilon=inf").code, OK)
        for epsilon in ("1e-300", "0.1", "1e300"):
            result = self.sotto("doctor", "d.svm", "--epsilon", epsilon)
            self.assertEqual(result.code, PRIVACY)

    def test_no_rows(self):
        """Empty data are data, in every format."""
        for name, content, args, features in (
                ("d.csv", "a,b\n", (), 2), ("d.csv", "a,b", (), 2),
                ("d.csv", "a,y\n", ("--target=y", "--loss=hinge"), 1),
                ("d.svm", "", ("--features=3",), 3),
                ("d.svm", "# c\n\n", ("--features=3", "--loss=hinge"), 3),
                ("d.npy", npy([], columns=2), (), 2),
                ("d.npy", npy([], columns=2, order="F"), (), 2)):
            for drop in ("--bad-rows=stop", "--bad-rows=drop"):
                with self.subTest((name, content, drop)):
                    self.write(name, content)
                    result = self.sotto("doctor", name, "--epsilon=1",
                                        "--json", "--quiet", drop, *args)
                    self.assertEqual((result.code, result.err), (OK, b""))
                    said = json.loads(result.out)
                    self.assertEqual((said["rows"], said["features"]),
                                     (0, features))
                    self.assertEqual(
                        self.sotto("doctor", name, "--epsilon=1", "--quiet",
                                   drop, *args).code, OK)

    def test_all_rows_bad(self):
        for name, content in (("d.csv", "a,b\n" + "x\n" * 9),
                              ("d.svm", "x\n" * 9),
                              ("d.npy", npy([[NAN, 1]] * 9)),
                              ("f.npy", npy([[NAN, 1]] * 9, order="F"))):
            with self.subTest(name):
                said = self.read(content, "--bad-rows=drop", "--epsilon=1",
                                 *(("--features=2",) if "svm" in name else ()),
                                 name=name)
                self.assertEqual((said["rows"], said["features"]), (0, 2))

    def test_classes_do_not_depend_on_the_rows(self):
        for private in ("--epsilon=1", "--bad-rows=drop"):
            said = set()
            for labels in (["-1", "1"], ["0", "1"], ["0"], ["1"], ["-1"],
                           ["0.0", "+1"]):
                csv = "a,y\n" + "".join("1,%s\n" % y for y in labels)
                svm = "".join("%s 1:1\n" % y for y in labels)
                array = npy([[1, float(y)] for y in labels])
                for name, content, args in (
                        ("d.csv", csv, ("--target=y",)),
                        ("d.svm", svm, ("--features=1",)),
                        ("d.npy", array, ("--target=2",))):
                    classes = self.read(content, private, "--loss=hinge",
                                        *args, name=name)["classes"]
                    said.add(tuple(classes))
            with self.subTest(private):
                self.assertEqual(said, {("-1", "1")})
        said = self.read("a,y\n", "--epsilon=1", "--loss=hinge", "--target=y",
                         "--quiet")
        self.assertEqual(said["classes"], ["-1", "1"])

    def test_features_do_not_depend_on_the_rows(self):
        """Constant, absent and unseen ones stay."""
        self.write("s.json", schema({
            "a": {"type": "number"},
            "g": {"type": "category", "levels": ["p", "q", "r"]}}))
        shapes = set()
        for rows in ("1,p\n1,p\n", "2,q\n", "", "1,p\n2,q\n3,r\n"):
            said = self.read("a,g\n" + rows, "--schema=s.json", "--epsilon=1",
                             "--quiet")
            shapes.add(tuple((f["name"], f["centre"], f["half"])
                             for f in said["feature"]))
        self.assertEqual(len(shapes), 1)

    def test_no_remark_that_depends_on_the_rows(self):
        """Values that would be worth a remark; --bad-rows drop has none."""
        content = "a\n" + "".join("%d\n" % (10**9 + i) for i in range(9))
        self.read(content, "--bad-rows=drop")
        self.read(content, "--bad-rows=drop", "--epsilon=1")
        for order in "CF":
            self.read(npy([[1e9 + i] for i in range(9)], order=order),
                      "--bad-rows=drop", name="d.npy")

    def test_bad_rows_are_counted_without_privacy_only(self):
        """doctor, evaluate and the exact solver say how many; private training never does."""
        good, bad = "a,t\n1,2\n3,1\n5,2\n", "x,1\n2\n"
        said = "remark: 2 of 5 rows are bad and left out; --bad-rows stop says"
        files = [self.write("good.csv", good), self.write("bad.csv", good + bad)]
        drop = ("--bad-rows=drop", "--target=t")
        exact = ("--epsilon=inf", "--output=m.json", "--json")
        for file, count in zip(files, (0, 2)):
            for args in (("train", file, *drop, *exact), ("doctor", file, *drop, "--json"),
                         ("evaluate", "m.json", file, drop[0], "--json")):
                result = self.sotto(*args)
                self.assertEqual(json.loads(result.out)["rows_dropped"], count, args)
                self.assertEqual(said in result.err.decode(), count > 0, result.err)
        quiet = self.sotto("doctor", files[1], *drop, "--quiet")
        self.assertEqual((quiet.code, quiet.err), (OK, b""))
        rows = [[1, 2], [NAN, 1], [3, 1], [4, INF]]
        for order in "CF":
            self.write("d.npy", npy(rows, order=order))
            result = self.sotto("doctor", "d.npy", "--bad-rows=drop", "--json")
            self.assertEqual(json.loads(result.out)["rows_dropped"], 2)
        self.write("d.svm", "1 1:1\n1 x\n0 1:2\n")
        result = self.sotto("doctor", "d.svm", "--bad-rows=drop", "--features=1", "--json")
        self.assertEqual(json.loads(result.out)["rows_dropped"], 1)
        outputs = set()
        self.write("s.json", schema({"a": {"type": "number", "bounds": [0, 9]},
                                     "t": {"type": "target", "bounds": [0, 9]}}))
        for file in files:
            result = self.sotto("train", file, *drop, "--schema=s.json", "--epsilon=1", "--delta=1e-6",
                                "--solver=gd", "--steps=1", "--rows=5", "--output=p.json", "--json")
            self.assertEqual(result.code, OK, result.err)
            outputs.add((result.out, result.err))
            os.remove(self.path("p.json"))
        self.assertEqual(len(outputs), 1)
        self.assertNotIn(b"left out", result.err)
        self.assertNotIn("rows_dropped", json.loads(self.sotto(
            "doctor", files[1], *drop, "--epsilon=1", "--json").out))

    def test_header_faults_are_still_said(self):
        """The header is public: a fault in it stops the run."""
        for content in ("", "a,a\n1,2\n"):
            self.write("d.csv", content)
            result = self.sotto("doctor", "d.csv", "--bad-rows=drop",
                                "--epsilon=1")
            self.assert_refused(result, DATA, line=1)


if __name__ == "__main__":
    unittest.main()

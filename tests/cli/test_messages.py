"""What the program says when something is not as it should be: one line that
names the thing to do. Values that are extreme, names that are nearly right,
files of other programs.
"""

import bz2
import gzip
import io
import json
import lzma
import os
import re
import resource
import sqlite3
import struct
import tarfile
import unittest
import zipfile

from common import DATA, FAILED, OK, PRIVACY, USAGE, Case, npy, schema

DATA_CSV = "age,bmi,smoker,y\n" + "".join(
    "%d,%.1f,%d,%d\n" % (20 + i % 50, 20 + i % 13, i % 2, i % 3 > 0)
    for i in range(60))
NUMBER = {"type": "number", "bounds": [0, 120]}
COLUMNS = {"age": NUMBER, "bmi": NUMBER,
           "smoker": {"type": "number", "bounds": [0, 1]},
           "y": {"type": "target", "classes": ["0", "1"]}}


class DidYouMean(Case):
    """A name that is nearly right is suggested, others are not."""

    def meant(self, *args, hint=None, code=USAGE):
        text = self.assert_one_line(self.sotto(*args), code)
        if hint:
            self.assertIn("did you mean " + hint, text)
        else:
            self.assertNotIn("did you mean", text)
        return text

    def test_verbs(self):
        for verb, meant in (("trian", "train"), ("Train", "train"),
                            ("pedict", "predict"), ("eval", "evaluate"),
                            ("gen", "generate"), ("acount", "account")):
            with self.subTest(verb):
                self.meant(verb, hint=meant + "?")
                self.meant("help", verb, hint=meant + "?")
        for verb in ("x", "fit", "learn", "tr", "zzzzzzz"):
            with self.subTest(verb):
                self.meant(verb)

    def test_options(self):
        for verb, option, meant in (
                ("train", "--epsilom", "epsilon"), ("train", "--Delta=1", "delta"),
                ("plan", "--row", "rows"), ("train", "--unit-colum", "unit-column"),
                ("predict", "--probas", "proba"), ("train", "--eps", "epsilon"),
                ("account", "--adjacancy", "adjacency")):
            with self.subTest(option):
                self.meant(verb, option, hint="--" + meant + "?")
        for option in ("--learning-rate", "--verbose", "--x"):
            with self.subTest(option):
                self.meant("train", option)

    def test_option_of_another_verb(self):
        """It is not suggested where it cannot be given."""
        text = self.meant("predict", "m.json", "d.csv", "--epsilon", "1")
        self.assertIn("which goes with doctor train plan audit evaluate account federate ledger;",
                      text)
        self.meant("predict", "m.json", "d.csv", "--epsilom", "1")

    def test_options_of_another_verb(self):
        """All of a pasted line at once, each once, and not those that may stay."""
        text = self.meant("audit", "--schema", "s.json", "-o", "m.json", "--epsilon", "1",
                          "--ledger=none", "--no-header", "a,b", "-o", "n.json")
        self.assertEqual(text, "sotto: 'sotto audit' has none of the options --output, --ledger, "
                               "--no-header: leave them out; see 'sotto help audit'\n")
        text = self.meant("audit", "-o", "m.json", "--", "--ledger", "x")
        self.assertIn("has no option --output, which goes with", text)

    def test_arguments(self):
        """One blank between the words, and what is too much."""
        for args, said in ((("audit", "d.csv"), "audit [OPTIONS]; expected no argument"),
                           (("version", "x"), "version [OPTIONS]; expected no argument"),
                           (("show", "a", "b"), "show MODEL [OPTIONS]; expected no more arguments"),
                           (("predict", "m.json"), "predict MODEL DATA... [OPTIONS]")):
            with self.subTest(args):
                self.assertEqual(self.meant(*args), "sotto: usage: sotto %s\n" % said)

    def test_choices(self):
        for option, value, meant in (
                ("--loss", "logit", "logistic"), ("--loss", "Hinge", "hinge"),
                ("--loss", "square", "squared"), ("--solver", "sdg", "sgd"),
                ("--solver", "newtn", "newton"), ("--bad-rows", "dorp", "drop")):
            with self.subTest(value):
                self.meant("train", "d.csv", option, value, hint='"%s"?' % meant)
        self.meant("train", "d.csv", "--loss", "poisson")

    def test_other_names(self):
        self.meant("generate", "cov-erin", "-o", "x.csv")
        first = self.sotto("generate").out.decode().split()[0]
        self.meant("generate", first[:-1], "-o", "x.csv", hint='"%s"?' % first)
        self.meant("federate", "simulat", "d.csv", hint="simulate?")
        self.meant("federate", "statsu", "c.json", hint="status?")
        self.meant("account", "--paper", "dp-scdd", "--epsilon", "1", "--delta",
                   "1e-6", "--set", "T=10,q=.1", hint='"')

    def test_columns_of_the_header(self):
        self.write("d.csv", DATA_CSV)
        for option in ("--target", "--drop", "--only", "--weights", "--unit-column"):
            with self.subTest(option):
                self.meant("doctor", "d.csv", option, "Bmi", hint='"bmi"?', code=DATA)
                self.meant("doctor", "d.csv", option, "smokr", hint='"smoker"?',
                           code=DATA)
                self.meant("doctor", "d.csv", option, "income", code=DATA)
        self.write("s.json", schema({**COLUMNS, "aeg": NUMBER}))
        self.meant("doctor", "d.csv", "--schema", "s.json", "--loss", "logistic",
                   hint='"age"?', code=DATA)

    def test_never_a_value_of_a_record(self):
        """Levels, classes and rows are not names: nothing of them is repeated."""
        rows = "".join("%s,%d\n" % (("female", "male")[i % 2], i % 2)
                       for i in range(20))
        self.write("d.csv", "sex,y\n" + rows)
        self.write("s.json", schema({
            "sex": {"type": "category", "levels": ["femal", "mle"]},
            "y": {"type": "target"}}))
        text = self.meant("doctor", "d.csv", "--schema", "s.json", code=DATA)
        self.assertNotIn("male", text)

    def test_keys_of_a_schema(self):
        cases = (
            ({"age": {"type": "number", "bound": [0, 1]}}, {}, '"bounds"?'),
            ({"age": {"type": "nummber"}}, {}, '"number"?'),
            ({"age": {"type": "number", "mising": 0}}, {}, '"missing"?'),
            ({"age": {"type": "category", "levles": ["a"]}}, {}, '"levels"?'),
            ({}, {"missing_value": []}, '"missing_values"?'),
            ({}, {"defalt": {"type": "drop"}}, '"default"?'),
            ({"age": {"type": "number", "comment": "x"}}, {}, None),
            ({"age": {"type": "text"}}, {}, None))
        self.write("d.csv", DATA_CSV)
        for columns, more, hint in cases:
            with self.subTest(columns, **more):
                self.write("s.json", schema(columns, **more))
                text = self.meant("doctor", "d.csv", "--schema", "s.json",
                                  hint=hint)
                self.assertIn("s.json: ", text)


class Extremes(Case):
    """Values at the end of all scales: they work, or one line says what to
    give instead, before anything is charged."""

    SOLVERS = {"auto": (), "newton": (), "cd": ("--clip", "1"), "gd": ("--clip", "1"),
               "gcd": ("--clip", "1"), "sgd": ("--clip", "1"),
               "svrg": ("--clip", "1"), "scd": ("--l2", ".1", "--no-intercept"),
               "fw": ("--clip", "1", "--radius", "1", "--intercept-radius", "1"),
               "output": ("--l2", ".1", "--no-intercept")}

    def setUp(self):
        super().setUp()
        self.write("d.csv", DATA_CSV)
        self.write("s.json", schema(COLUMNS))

    def calls(self, solver, *args):
        usual = ("--schema", "s.json", "--loss", "logistic", "--solver", solver,
                 *self.SOLVERS[solver], "--rows", "60", "--epsilon", "1", "--delta",
                 "1e-6", *args)
        yield self.sotto("plan", *usual)
        yield self.sotto("train", "d.csv", *usual, "-o", "m.json")
        self.assertFalse(os.path.exists(self.path("m.json.spent")), args)

    def refused(self, solver, *args, hint, code=USAGE):
        for result in self.calls(solver, *args):
            text = self.assert_refused(result, code, hint=hint)
            self.assertNotIn("multiplier z", text)
        self.assertFalse(os.path.exists(self.path("m.json")))
        return text

    def test_epsilon(self):
        """One that is too large names one that is not."""
        for solver in self.SOLVERS:
            with self.subTest(solver):
                text = self.refused(solver, "--epsilon", "100",
                                    hint="at most [0-9]+$")
                self.assertNotIn("inf", text)
                most = re.search(r"at most (\d+)$", text)[1]
                plan, train = self.calls(solver, "--epsilon", most)
                self.assertEqual((plan.code, train.code), (OK, OK), plan.err)
                os.remove(self.path("m.json"))
        self.refused("cd", "--epsilon", "1e5", hint="up to 1e4$")
        self.refused("cd", "--epsilon", "0", hint="--epsilon: expected a number above 0")
        self.refused("cd", "--epsilon", "1e-301", hint="from 1e-300|at least 1e-300")
        self.refused("cd", "--epsilon", "1e-9", hint="larger --epsilon", code=PRIVACY)

    def test_delta(self):
        for solver in self.SOLVERS:
            with self.subTest(solver):
                self.refused(solver, "--delta", "0", hint="--delta above 0.*as 1e-6",
                             code=PRIVACY)
                self.refused(solver, "--delta", "1e-300",
                             hint="--delta: expected a number from 1e-15")
                self.refused(solver, "--delta", "1",
                             hint="--delta: expected a number of at least 0 and below 1")

    def test_penalty_and_clip(self):
        for solver in self.SOLVERS:
            for option in ("--l1", "--l2"):
                with self.subTest(solver, option=option):
                    self.refused(solver, option, "1e308",
                                 hint=option + ": expected a number from 0 to 1e[+]300")
            with self.subTest(solver):
                self.refused(solver, "--clip", "1e-308",
                             hint="--clip: expected a number of at least 1e-25")
                self.refused(solver, "--clip", "1e308", hint="--clip: .*1e25")
        for solver in ("auto", "cd", "gd"):
            for result in self.calls(solver, "--l2", "1e300"):
                self.assertEqual(result.code, OK, result.err)

    def test_sizes(self):
        self.refused("cd", "--rows", "1e18", hint="--rows: .* to 1000000000000000")
        self.refused("cd", "--passes", "1e18", hint="--passes: .* to 1000000000")
        self.refused("cd", "--passes", "1e9", hint="at most 1e9 questions")
        many = self.sotto("plan", "--loss", "logistic", "--epsilon", "1", "--delta",
                          "1e-6", "--rows", "100", "--features", "2147483647")
        self.assert_refused(many, USAGE, hint="expected fewer features")


class PlansOfNumbers(Case):
    """`plan` takes the schema of a .npy file, whose columns are numbers."""

    PLAN = ("plan", "--schema", "s.json", "--epsilon", "1", "--delta", "1e-6",
            "--rows", "1000", "--solver", "cd", "--clip", "1")

    def statement(self, *args):
        result = self.sotto(*self.PLAN, *args)
        self.assertEqual(result.code, OK, result.err)
        return json.loads(result.out)

    def test_as_words(self):
        """As many columns with other names cost the same."""
        number, target = dict(NUMBER), {"type": "target", "bounds": [0, 1]}
        for count in (2, 9, 10, 11, 120):
            with self.subTest(count):
                self.write("s.json", schema({
                    **{str(i): number for i in range(1, count)}, str(count): target}))
                found = self.statement()
                self.write("s.json", schema({
                    **{"c%d" % i: number for i in range(1, count)}, "y": target}))
                self.assertEqual(found, self.statement())

    def test_what_train_says(self):
        """The plan is what training on such a file promises."""
        rows = [[i % 7 / 7, *(i % k / k for k in range(2, 12))] for i in range(1000)]
        self.write("d.npy", npy(rows))
        self.write("s.json", schema({
            "11": {"type": "target", "bounds": [0, 1]}},
            default={"type": "number", "bounds": [0, 1]}))
        planned = self.statement("--features", "10")
        trained = self.sotto("train", "d.npy", *self.PLAN[1:], "-o", "m.json", "--json",
                             "--quiet")
        self.assertEqual(trained.code, OK, trained.err)
        self.assertEqual(json.loads(trained.out)["privacy"], {**planned, "ledger": "untracked"})

    def test_a_target_that_an_option_names(self):
        self.write("s.json", schema({}, default={"type": "number", "bounds": [0, 1]}))
        self.statement("--features", "10", "--target", "11")


class Training(Case):
    """What `sotto train` tells beside its result."""

    def setUp(self):
        super().setUp()
        self.write("d.csv", DATA_CSV)
        self.write("s.json", schema(COLUMNS))

    def train(self, *args, data="d.csv", model="m.json", **more):
        return self.sotto("train", data, "--schema", "s.json", "--loss", "logistic",
                          "--epsilon", "1", "--delta", "1e-6", "-o", model, *args,
                          **more)

    def content_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_what_is_paid_for_is_not_replaced(self):
        """By no verb; whoever trains again gives another name, or removes the file."""
        self.assertEqual(self.train().code, OK)
        self.assertEqual(self.sotto("evaluate", "m.json", "d.csv", "--epsilon", "1", "--delta",
                                    "1e-6", "-o", "e.json").code, OK)
        self.sotto("train", "d.csv", "--schema", "s.json", "--loss", "logistic", "--epsilon", "inf",
                   "-o", "exact.json")
        private = ("--epsilon", "1", "--delta", "1e-6")
        problem = ("d.csv", "--schema", "s.json", "--loss", "logistic")
        for name, what in (("m.json", "model"), ("e.json", "evaluation")):
            before = self.content_of(name)
            for args in (("train", *problem, *private), ("train", *problem, *private, "--quiet"),
                         ("train", *problem, *private, "--insecure-seed", "1"),
                         ("train", *problem, "--epsilon", "inf"),
                         ("evaluate", "exact.json", "d.csv", *private),
                         ("report", "exact.json"), ("export", "exact.json", "--format", "sql"),
                         ("predict", "exact.json", "d.csv"), ("generate", "square"),
                         ("convert", *problem)):
                with self.subTest(args, name=name):
                    result = self.sotto(*args, "-o", name, keep=True)
                    self.assertEqual(self.assert_one_line(result, USAGE),
                                     "sotto: -o: this file is a private %s, whose privacy is paid "
                                     "for; remove it, or give another name\n" % what)
                    self.assertEqual(self.content_of(name), before)
            self.assertFalse(os.path.exists(self.path(name + ".spent")))
        os.symlink(self.path("m.json"), self.path("link"))
        self.assert_one_line(self.train(model="link", keep=True), USAGE)
        self.assertEqual(self.train(model="other.json", keep=True).code, OK)
        os.remove(self.path("m.json"))
        self.assertEqual(self.train(keep=True).code, OK)

    def test_a_file_that_is_no_model_is_not_replaced(self):
        """Where a model or an evaluation goes, unless the file is empty."""
        self.assertEqual(self.train(model="n.json").code, OK)
        for content in ("{}", "not a model", DATA_CSV, '{"sotto_schema": 1}', "\0",
                        self.content_of("n.json").replace(b"crc32:", b"crc32:0")):
            self.write("m.json", content)
            for args in (("train", "d.csv", "--schema", "s.json", "--loss", "logistic"),
                         ("evaluate", "n.json", "d.csv")):
                result = self.sotto(*args, "--epsilon", "1", "--delta", "1e-6", "-o", "m.json",
                                    keep=True)
                self.assertIn("-o: the file that is there is no model; remove it, or give another "
                              "name", self.assert_one_line(result, USAGE))
                self.assertEqual(self.content_of("m.json"), content.encode() if isinstance(
                    content, str) else content)
        self.write("m.json", "")
        self.assertEqual(self.train(keep=True).code, OK)

    def test_pages_and_tables_replace_their_own_kind(self):
        """Not what somebody else has written there."""
        self.assertEqual(self.train().code, OK)
        convert = ("convert", "d.csv", "--schema", "s.json", "--loss", "logistic")
        for args, what in ((("report", "m.json"), "page"), (convert, "table")):
            with self.subTest(what):
                for _ in range(2):
                    self.assertEqual(self.sotto(*args, "-o", what, keep=True).code, OK)
                for content in ("notes\n", "<html>", DATA_CSV):
                    self.write("mine", content)
                    result = self.sotto(*args, "-o", "mine", keep=True)
                    self.assertIn(f"-o: the file that is there is no {what} of sotto; remove it, "
                                  "or give another name", self.assert_one_line(result, USAGE))
                    self.assertEqual(self.content_of("mine"), content.encode())
                self.write("mine", "")
                self.assertEqual(self.sotto(*args, "-o", "mine", keep=True).code, OK)
                os.remove(self.path("mine"))

    def test_what_cost_nothing_is_replaced(self):
        exact = ("train", "d.csv", "--schema", "s.json", "--loss", "logistic", "--epsilon", "inf",
                 "-o", "m.json")
        for _ in range(2):
            self.assertEqual(self.sotto(*exact, keep=True).code, OK)
        for _ in range(2):
            self.assertEqual(self.train("--insecure-seed", "1", keep=True).code, OK)
        last = self.train(keep=True)
        self.assertEqual((last.code, b"replaced" in last.err), (OK, False), last.err)

    def test_not_written(self):
        """A bad row, or a disk that is full: what was there stays."""
        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        self.train("--insecure-seed", "1")
        before = self.content_of("m.json")
        self.write("bad.csv", DATA_CSV + "1,2,x,1\n")
        bad = self.train(data="bad.csv", keep=True)
        self.assertEqual((bad.code, b"replaced" in bad.err), (DATA, False), bad.err)
        full = self.train(before=no_room, keep=True)
        self.assertEqual((full.code, b"replaced" in full.err), (FAILED, False))
        self.assertEqual(self.content_of("m.json"), before)

    def replaced(self, content, *args):
        """Whether it is said that a private model was replaced."""
        said = self.meanwhile(DATA_CSV.encode(), "m.json", content, "--schema", "s.json", "--loss",
                              "logistic", "--epsilon", "1", "--delta", "1e-6", *args)
        os.remove(self.path("m.json"))
        return b"the model that was replaced cost epsilon " in said

    def test_a_model_that_came_meanwhile(self):
        self.train(model="private.json")
        self.train("--insecure-seed", "1", model="seeded.json")
        private = self.content_of("private.json")
        self.assertTrue(self.replaced(private))
        self.assertFalse(self.replaced(private, "--quiet"))
        for content in ("", "{}", "not a model", self.content_of("seeded.json")):
            self.assertFalse(self.replaced(content))

    def test_no_gap_in_private_progress(self):
        for solver in ("cd", "gd", "gcd"):
            with self.subTest(solver):
                more = ("--clip", "1")
                result = self.train("--solver", solver, *more, "--progress", "json",
                                    "--quiet")
                self.assertEqual(result.code, OK, result.err)
                looks = [json.loads(line) for line in result.err.splitlines()]
                self.assertIn("share", looks[-1])
                self.assertFalse(any("gap" in look for look in looks))
                self.assertEqual(looks[-1]["part"], "steps")
                self.assertEqual(looks[-1]["round"], looks[-1]["total"])
                bar = self.train("--solver", solver, *more, "--progress", "bar")
                self.assertNotIn(b"nan", bar.err)
                self.assertNotIn(b"gap", bar.err)
                self.assertIn(b"]   0 %  rows\x1b", bar.err)
                bar = self.train("--solver", solver, *more, "--progress", "bar", "--rows", "99")
                self.assertRegex(bar.err, rb"\] +\d+ %  steps 1 of \d+\x1b")


class Delimiter(Case):
    """A file with other separators than expected names the option."""

    VERBS = (("doctor",), ("schema",),
             ("train", "--epsilon", "inf", "--target", "b", "-o", "m.json"),
             ("train", "--epsilon", "1", "--delta", "1e-6", "--target", "b",
              "-o", "m.json"))

    def test_named(self):
        for name, separator, said in (("d.csv", ";", "';'"), ("d.csv", "\t", "tab"),
                                      ("d.csv", "|", "'|'"), ("d.tsv", ",", "','")):
            for quote in ("", '"'):
                head = separator.join(quote + n + quote for n in "ab") + "\n"
                self.write(name, head + separator.join("34") + "\n")
                for verb, *more in self.VERBS:
                    with self.subTest(verb, head=head):
                        result = self.sotto(verb, name, *more)
                        self.assert_refused(result, file=name, line=1,
                                            hint="--delimiter " + said.replace(
                                                "|", "[|]"))
                        given = ("--delimiter", separator)
                        if verb == "doctor":
                            good = self.sotto(verb, name, *given)
                            self.assertEqual(good.code, OK, good.err)

    def test_the_wrong_one_was_given(self):
        self.write("d.csv", "a,b\n1,2\n")
        self.assert_refused(self.sotto("doctor", "d.csv", "--delimiter", ";"),
                            hint="--delimiter ','")

    def test_a_single_column_is_no_mistake(self):
        for content in ("a\n1\n", "a \t\n1\n", '"a;b"\n1\n', "a b\n1\n",
                        "a:b\n1\n"):
            with self.subTest(content):
                self.write("d.csv", content)
                result = self.sotto("doctor", "d.csv")
                self.assertEqual(result.code, OK, result.err)

    def test_decimal_comma(self):
        self.write("d.csv", "a;b\n1;2\n987654,321;2\n")
        self.assert_refused(self.sotto("doctor", "d.csv", "--delimiter", ";"),
                            line=3, column=1, hint="decimal point")


def zipped(*names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, DATA_CSV)
    return out.getvalue()


def tarred():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("d.csv")
        info.size = len(DATA_CSV)
        archive.addfile(info, io.BytesIO(DATA_CSV.encode()))
    return out.getvalue()


class Foreign(Case):
    """Files of other programs are known by their first bytes and named."""

    def files(self):
        """What it is called, how to go on, and its bytes."""
        more = bytes(range(64))
        database = self.path("x.db").decode()
        with sqlite3.connect(database) as connection:
            connection.execute("create table t (a, b)")
        connection.close()
        with open(database, "rb") as file:
            sqlite = file.read()
        return (
            ("Parquet", "read_parquet", b"PAR1\x15\x04\x15" + more + b"PAR1"),
            ("ORC", "read_orc", b"ORC\x0a\x03\x00" + more),
            ("Feather", "read_feather", b"ARROW1\0\0\xff\xff" + more),
            ("Feather", "read_feather", b"FEA1\0\0\0\0" + more),
            ("HDF5", "read_hdf", b"\x89HDF\r\n\x1a\n" + more),
            ("SQLite", "sqlite3 -header -csv", sqlite),
            ("Excel", "save it as CSV", zipped("[Content_Types].xml", "xl/a.xml")),
            ("Excel", "save it as CSV", zipped("xl/worksheets/sheet1.xml")),
            ("Excel", "save it as CSV", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + more),
            ("OpenDocument", "save it as CSV", zipped("mimetype")),
            ("npz", "numpy.save", zipped("arr_0.npy")),
            ("zip", "unpack it", zipped("d.csv")),
            ("zip", "unpack it", b"PK\3\4\0\0"),
            ("tar", "unpack it", tarred()),
            ("bzip2", "bunzip2", bz2.compress(DATA_CSV.encode())),
            ("xz", "xz -d", lzma.compress(DATA_CSV.encode())),
            ("Zstandard", "zstd -d", b"\x28\xb5\x2f\xfd\x24" + more),
            ("gzip", "gunzip", gzip.compress(gzip.compress(b"a,b\n1,2\n"))),
            ("UTF-16", "iconv", DATA_CSV.encode("utf-16")),
            ("UTF-16", "iconv", ("\ufeff" + DATA_CSV).encode("utf-16-be")))

    def refused(self, name, what, advice, *args):
        for verb in ("doctor", "schema"):
            if verb == "schema" and "--bad-rows" in args:
                continue
            result = self.sotto(verb, name, *args)
            text = self.assert_refused(result, DATA, file=name)
            self.assertRegex(text, r"this is an? %s|this is [^;]*%s" % (what, what))
            self.assertIn(advice, text)

    def test_named(self):
        for what, advice, content in self.files():
            for name in ("d.csv", "d.svm", "d.bin", "d.npy", "d.csv.gz"):
                with self.subTest(what, name=name):
                    if name.endswith(".gz") and what == "gzip":
                        continue
                    self.write(name, content)
                    self.refused(name, what, advice)

    def test_when_bad_rows_are_dropped(self):
        """A header may be looked at; a first line that is a record may not."""
        for what, advice, content in self.files():
            with self.subTest(what):
                self.write("d.csv", content)
                if b"\n" not in content[:8]: # a mark longer than a line
                    self.refused("d.csv", what, advice, "--bad-rows", "drop")
                self.write("d.svm", content)
                result = self.sotto("doctor", "d.svm", "--bad-rows", "drop",
                                    "--features", "3", "--epsilon", "1")
                self.assertEqual((result.code, result.err), (OK, b""))

    def test_no_record_is_looked_at_when_bad_rows_are_dropped(self):
        """Whatever a record has, there is a table: in CSV behind the header,
        and in the values of an array, where the bytes of a mark may stand."""
        tar = b"x,y\n" + 42 * b"0.5,1\n" + b"0ustar\x01,0\n" + b"1,1\n"
        self.assertEqual(tar[257:262], b"ustar")
        for content in (tar, b"ORC_id,y\n1\x01,1\n2,1\n",
                        b"PAR1,y\n\0,1\n2,1\n", b"x,y\n1AY&SY\x01,1\n1,1\n"):
            with self.subTest(content[:20]):
                self.write("d.csv", content)
                result = self.sotto("doctor", "d.csv", "--bad-rows", "drop", "--epsilon=1")
                self.assertEqual((result.code, result.err), (OK, b""))
        found = False # one of them has the mark of tar where tar has it
        for at in range(1, 10):
            rows = [[0.5, 1.]] * 9
            rows[at - 1] = [struct.unpack("<d", b"\0ustar\xcd?")[0], 1.]
            content = npy(rows)
            found |= content[257:262] == b"ustar"
            self.write("d.npy", content)
            for more in ((), ("--bad-rows", "drop", "--epsilon=1")):
                result = self.sotto("doctor", "d.npy", *more)
                self.assertEqual(result.code, OK, result.err)
        self.assertTrue(found)

    def test_text_that_begins_alike(self):
        """Names in a header may be as the marks of those files."""
        for word in ("PAR1", "ORC", "ARROW1", "FEA1", "RDX", "PK", "7z", "$FL2",
                     "SQLite format 3", "BZh91AY&SY", "<stata_dta>"):
            with self.subTest(word):
                self.write("d.csv", "%s,b\n1,2\n" % word)
                result = self.sotto("doctor", "d.csv")
                self.assertEqual(result.code, OK, result.err)

    def test_from_stdin(self):
        result = self.sotto("doctor", "-", "--format", "csv",
                            input=zipped("d.csv"))
        self.assert_refused(result, DATA, hint="zip archive")

    def test_npy_still_goes_by_its_bytes(self):
        self.write("d.csv", npy([[1., 2.], [3., 4.]]))
        self.assertEqual(self.sotto("doctor", "d.csv").code, OK)


if __name__ == "__main__":
    unittest.main()

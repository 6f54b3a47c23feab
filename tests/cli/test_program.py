"""The program itself: help, verbs, options, what it writes and how it fails.
"""

import json
import os
import re
import resource
import signal
import stat
import unittest

from common import DATA, FAILED, OK, PRIVACY, USAGE, Case, npy, run, schema

# What each verb takes at least; a verb may take more.
OPTIONS = {
    "doctor": "target loss classes epsilon schema weights weight-bound drop "
              "only bad-rows format delimiter features threads json quiet",
    "schema": "target drop only format delimiter output quiet",
    "generate": "format features rows per-row seed output quiet",
    "train": "target loss classes epsilon l1 l2 box intercept "
             "huber-delta schema weights weight-bound drop only "
             "bad-rows format delimiter features output threads progress json "
             "quiet",
    "predict": "drop format delimiter output proba scores threads quiet",
    "evaluate": "drop bad-rows format delimiter threads json quiet",
    "show": "",
    "report": "output quiet",
    "export": "format output quiet",
    "account": "event events calibrate set adjacency in-order delta epsilon draws "
               "curve repeat paper save json",
    "version": "json",
    "help": "json",
}

SETS = ("sparse-lasso", "square", "log1", "log2", "zipf-heavy", "zipf-flat")


def listed_options(help_text):
    return re.findall(r"^  --(?:\[no-\])?([a-z0-9-]+)", help_text, re.M)


class Help(Case):
    """What the program says about itself."""

    def text(self, *args):
        result = self.sotto(*args)
        self.assertEqual((result.code, result.err), (OK, b""), args)
        text = result.out.decode()
        self.assertTrue(text.endswith("\n"))
        return text

    def verbs(self):
        return re.findall(r"^  ([a-z]+) +[^ ]", self.text("help"), re.M)

    def test_overview(self):
        """No argument, help and --help are the same."""
        text = self.text("help")
        for args in ((), ("--help",), ("-h",)):
            self.assertEqual(self.text(*args), text)
        self.assertLessEqual(set(OPTIONS), set(self.verbs()))
        for code in range(7):
            self.assertRegex(text, r"\b%d\b" % code)

    def test_each_verb(self):
        """It lists its options, each once; three ways to ask."""
        for verb in self.verbs():
            with self.subTest(verb):
                text = self.text("help", verb)
                self.assertRegex(text, r"\Ausage: sotto %s\b" % verb)
                self.assertLessEqual(max(map(len, text.split("\n"))), 80)
                options = listed_options(text)
                self.assertEqual(len(options), len(set(options)))
                self.assertLessEqual(set(OPTIONS.get(verb, "").split()),
                                     set(options))
                self.assertEqual(self.text(verb, "--help"), text)
                self.assertEqual(self.text(verb, "-h"), text)

    def test_each_solver(self):
        """Its own options, and nobody else's; those for comparison are apart."""
        solvers = json.loads(self.text("help", "--json"))["solvers"]
        for solver in solvers:
            with self.subTest(solver["name"]):
                text = self.text("help", "train", "--solver", solver["name"])
                self.assertLessEqual(max(map(len, text.split("\n"))), 80)
                self.assertEqual(listed_options(text), [o["name"] for o in solver["options"]])
                self.assertEqual(self.text("train", "--solver", solver["name"], "--help"), text)
                for option in solver["options"]:
                    self.assertEqual(option["for_comparison"], option["name"] == "calibration")
        self.assertEqual({s["name"] for s in solvers if s["for_comparison"]},
                         {"scd-paper", "scd-seq", "scd-primal"})
        for args in (("help", "--solver", "gd"), ("help", "doctor", "--solver", "gd")):
            self.assert_refused(self.sotto(*args), USAGE, hint="sotto help train --solver gd")

    def test_training_fits_two_screens(self):
        """In groups, with an example."""
        text = self.text("help", "train")
        self.assertLessEqual(len(text.splitlines()), 2 * 48)
        for heading in ("example", "problem", "privacy", "data", "output", "solver",
                        "for comparison with the papers"):
            self.assertRegex(text, rf"(?m)^{heading}.*:$")

    def test_help_after_the_arguments(self):
        self.assertEqual(self.text("doctor", "d.csv", "--help"),
                         self.text("help", "doctor"))

    def test_what_help_lists_is_taken(self):
        """An option alone misses its value; it is not unknown."""
        for verb in self.verbs():
            for option in listed_options(self.text("help", verb)):
                with self.subTest(verb, option=option):
                    result = self.sotto(verb, "--" + option)
                    self.assertNotIn(b"no option", result.err)
                    if result.code != OK: # a plan wants a budget first
                        self.assert_one_line(
                            result, PRIVACY if verb in ("plan", "train") and
                            result.code == PRIVACY else USAGE)

    def test_generate_lists_its_sets(self):
        for text in (self.text("help", "generate"), self.text("generate")):
            for name in SETS:
                self.assertIn(name, text)

    def test_private_tools_say_so(self):
        self.assertIn("NOT FOR RELEASE", self.text("help", "doctor"))

    def test_version(self):
        text = self.text("version")
        self.assertRegex(text, r"\Asotto \d+\.\d+\.\d+\n\Z")
        self.assertEqual(self.text("--version"), text)
        said = json.loads(self.text("version", "--json"))
        self.assertEqual("sotto %s\n" % said["sotto"], text)


class Usage(Case):
    """Calls that make no sense: exit code 2 and one line."""

    def setUp(self):
        super().setUp()
        self.write("d.csv", "a,y\n1,1\n2,0\n")

    def refused(self, *args, hint=None, code=USAGE):
        return self.assert_refused(self.sotto(*args), code, hint=hint)

    def test_unknown_verb(self):
        for verb in ("nosuch", "", "Doctor", "doctor ", "--nosuch", "-x", "-",
                     "--", "doc", "\n", "\x1b[31m", "x" * 9999):
            with self.subTest(verb[:20]):
                self.refused(verb, hint="sotto help")
        self.refused("help", "nosuch", hint="sotto help")

    def test_unknown_option(self):
        for option in ("--nosuch", "-x", "--tar", "--Target", "--", "--=x",
                       "--output", "-ofile", "--a\nb", "--\x1b[31m",
                       "--" + "x" * 9999, "--target\n", "---target", "--seed"):
            with self.subTest(option[:20]):
                self.refused("export", "m.json", option, "x")
        self.refused("generate", "log1", "--epsilon", "1")
        self.refused("version", "--target", "1")

    def test_options_that_are_not_for_the_command_line(self):
        self.refused("doctor", "d.csv", "--precision", "float",
                     hint="no option")
        self.refused("doctor", "d.csv", "--layout", "rows", hint="no option")

    def test_number_of_arguments(self):
        for args in (("show", "a.json", "b.json"), ("schema",),
                     ("schema", "a.csv", "b.csv"), ("version", "x"),
                     ("generate", "log1", "log2", "-o", "x.csv"),
                     ("help", "doctor", "schema"), ("doctor", "--target", "y")):
            with self.subTest(args):
                self.refused(*args, hint="usage")

    def test_missing_value(self):
        for option in OPTIONS["doctor"].split():
            if option not in ("json", "quiet"):
                with self.subTest(option):
                    self.refused("doctor", "d.csv", "--" + option,
                                 hint="--%s.*expected" % option)
        self.refused("generate", "log1", "-o", hint="expected")
        self.refused("generate", "log1", hint="-o FILE")

    def test_values(self):
        """Not a number, out of bounds, empty, odd."""
        bad = {
            "epsilon": "nan NaN -1 -inf x 1x 0x1 1e 1,5 ++1 NIN n i",
            "weight-bound": "0 -1 nan inf x 1e39 0x1",
            "features": "0 -1 1.5 nan inf x 2147483648 1e10 0x5 5x",
            "threads": "-1 257 1.5 nan inf x",
            "loss": "x Squared squared|logistic logistic|hinge |",
            "bad-rows": "x stop|drop Drop |",
            "format": "x csv|svmlight svm .csv |",
            "delimiter": "x ab \" 1 - . tabs \\n ,,",
            "classes": "a a,b,a a,a , a, ,a a,,b",
            "json": "x YES 1 true",
        }
        for option, values in bad.items():
            for value in ["", " ", *values.split()]:
                if (option, value) == ("delimiter", " "):
                    continue
                with self.subTest(option, value=value):
                    self.refused("doctor", "d.csv", "--%s=%s" %
                                 (option, value), "--target=y", *(
                                     ["--loss=hinge"]
                                     if option == "classes" else []),
                                 hint="--" + option)
        bad = {"rows": "0 -1 1e16 x nan inf 0.5", "seed": "-1 1e17 x nan 0.5",
               "per-row": "0 1e7 x", "features": "0 x 2147483648"}
        for option, values in bad.items():
            for value in ["", *values.split()]:
                with self.subTest(option, value=value):
                    self.refused("generate", "log1", "-o", "x.csv",
                                 "--" + option, value, hint="--" + option)
        self.assertEqual(os.listdir(self.directory), ["d.csv"])

    def test_one_class_under_two_names(self):
        """1 and 1.0 are the same number: no two classes."""
        for classes in ("1,1.0", "0,-0", "1,+1", "10,1e1"):
            with self.subTest(classes):
                self.refused("doctor", "d.csv", "--target=y", "--loss=hinge",
                             "--classes", classes, hint="different")

    def test_ways_to_give_a_value(self):
        """--name VALUE, --name=VALUE, flags with yes and no, the last one
        counts."""
        first = self.sotto("doctor", "d.csv", "--target", "y", "--json")
        self.assertEqual(first.code, OK)
        for args in (("--target=y", "--json"), ("--json=yes", "--target=y"),
                     ("--target", "a", "--target", "y", "--json"),
                     ("--json=no", "--json", "--target=y"),
                     ("--json", "--target=y", "--epsilon=inf"),
                     ("--json", "--target=y", "--threads=1e0")):
            with self.subTest(args):
                self.assertEqual(self.sotto("doctor", "d.csv", *args), first)
                self.assertEqual(self.sotto("doctor", *args, "d.csv"), first)
        self.assertNotEqual(
            self.sotto("doctor", "d.csv", "--target=y", "--json=no").out,
            first.out)

    def test_combinations(self):
        for args in (("--classes=0,1",), ("--classes=0,1", "--target=y"),
                     ("--target=y", "--drop=y"),
                     ("--target=y", "--weights=y", "--weight-bound=1")):
            with self.subTest(args):
                self.refused("doctor", "d.csv", *args)

    def test_equals_sign_in_a_value(self):
        self.write("e.csv", "a=b,c\n1,2\n")
        self.assertEqual(self.sotto("doctor", "e.csv", "--target=a=b",
                                    "--json").code, OK)

    def test_schemas(self):
        """A schema that is not understood is refused, never half used."""
        number = {"type": "number"}
        bad = [b"", b"{", b"[]", b"null", b"1", b"{}", b"\xff\xfe{}", b"{}x",
               b'{"sotto_schema": 1}', b'{"sotto_schema": 2, "columns": {}}',
               b'{"sotto_schema": "1", "columns": {}}',
               b'{"sotto_schema": 1, "columns": []}',
               b'{"sotto_schema": 1, "columns": {}, "columns": {}}',
               b'{"sotto_schema": 1, "columns": {"a": {"type": "number"}, '
               b'"a": {"type": "drop"}}}',
               schema({}, colums={}), schema({}, default=None),
               schema({}, default={"type": "target"}),
               schema({}, default=number, missing_values="NA"),
               schema({}, default=number, missing_values=[1]),
               schema({}, default=number, missing_values=[""]),
               schema({}, default=number, missing_values={"NA": 1})]
        for column in (
                {}, {"type": "x"}, {"type": None}, [], "number", None,
                {"type": "number", "bound": [0, 1]},
                {"type": "number", "bounds missing": 1},
                {"type": "number", "type bounds": 1},
                {"type": "number", "": 1},
                {"type": "number", "bounds": [1, 0]},
                {"type": "number", "bounds": [1, 1]},
                {"type": "number", "bounds": [0]},
                {"type": "number", "bounds": [0, 1, 2]},
                {"type": "number", "bounds": ["0", "1"]},
                {"type": "number", "bounds": {"low": 0}},
                {"type": "number", "bounds": 5},
                {"type": "number", "levels": ["x"]},
                {"type": "number", "missing": "x"},
                {"type": "number", "missing": [1]},
                {"type": "number", "missing": True},
                {"type": "category"}, {"type": "category", "levels": []},
                {"type": "category", "levels": ["x", "x"]},
                {"type": "category", "levels": [1, 2]},
                {"type": "category", "levels": [""]},
                {"type": "category", "levels": "xy"},
                {"type": "category", "levels": ["x"], "missing": "y"},
                {"type": "category", "levels": ["x"], "missing": 1},
                {"type": "category", "levels": ["x"], "bounds": [0, 1]},
                {"type": "target", "missing": 1},
                {"type": "target", "classes": ["x"]},
                {"type": "target", "classes": ["x", "y", "z"]},
                {"type": "target", "classes": [0, 1]},
                {"type": "weight", "bounds": [-1, 1]}, {"type": "weight"},
                {"type": "weight", "bounds": [0, 1], "missing": 1},
                {"type": "unit", "bounds": [0, 1]},
                {"type": "number", "bought": True},
                {"type": "number", "bounds": [0, 1], "bought": False},
                {"type": "target", "bounds": [0, 1], "bought": True},
                {"type": "drop", "missing": 0}):
            bad.append(schema({"a": column, "y": number}))
        for content in bad:
            with self.subTest(content):
                self.write("s.json", content)
                self.refused("doctor", "d.csv", "--schema", "s.json")


class Generate(Case):
    """Synthetic sets: any format, the same bytes each time."""

    def made(self, name, path, *args):
        result = self.sotto("generate", name, "-o", path, *args)
        self.assertEqual((result.code, result.out), (OK, b""), result.err)
        self.assertIn(path.encode(), result.err)
        with open(self.path(path), "rb") as file:
            return file.read()

    def test_read_back(self):
        """Each set in each format has the sizes that were asked for."""
        for name in SETS:
            means = []
            for path, args in (("x.csv", ["--target=target"]),
                               ("x.svm", ["--features=7"]),
                               ("x.npy", ["--target=8"])):
                with self.subTest(name, path=path):
                    self.made(name, path, "--rows=23", "--features=7",
                              "--per-row=3", "--seed=5")
                    said = self.doctor(path, "--quiet", *args)
                    self.assertEqual((said["rows"], said["features"]), (23, 7))
                    means.append([said["target_mean"]] +
                                 [f["mean"] for f in said["feature"]])
            for other in means[1:]:
                for a, b in zip(means[0], other):
                    self.assertAlmostEqual(a, b, 6)

    def test_classes(self):
        for name in SETS[2:]:
            self.made(name, "x.svm", "--rows=50", "--features=9")
            said = self.doctor("x.svm", "--loss=logistic", "--epsilon=1",
                               "--features=9")
            self.assertEqual(said["classes"], ["-1", "1"])

    def test_same_seed_same_bytes(self):
        for ending in (".csv", ".svm", ".npy"):
            with self.subTest(ending):
                args = "--rows=9", "--features=5"
                first = self.made("log1", "a" + ending, *args, "--seed=3")
                again = self.made("log1", "b" + ending, *args, "--seed=3")
                other = self.made("log1", "c" + ending, *args, "--seed=4")
                self.assertEqual(first, again)
                self.assertNotEqual(first, other)
        self.assertNotEqual(self.made("log1", "a.csv", *args),
                            self.made("log2", "b.csv", *args))

    def test_default_seed_and_order_of_options(self):
        a = self.made("square", "a.csv", "--rows=3", "--features=2")
        b = self.made("square", "b.csv", "--seed=0", "--features=2",
                      "--rows=3")
        self.assertEqual(a, b)

    def test_first_rows_do_not_depend_on_how_many_follow(self):
        few = self.made("log1", "a.csv", "--rows=5", "--features=3")
        many = self.made("log1", "b.csv", "--rows=50", "--features=3")
        self.assertTrue(many.startswith(few))

    def test_stdout(self):
        args = "log1", "--rows=4", "--features=2", "--quiet"
        for form, ending in (("csv", ".csv"), ("svmlight", ".svm"),
                             ("npy", ".npy")):
            with self.subTest(form):
                result = self.sotto("generate", *args, "-o", "-", "--format",
                                    form)
                self.assertEqual((result.code, result.err), (OK, b""))
                self.sotto("generate", *args, "-o", "x" + ending)
                with open(self.path("x" + ending), "rb") as file:
                    self.assertEqual(file.read(), result.out)

    def test_quiet(self):
        result = self.sotto("generate", "log1", "-o", "x.csv", "--rows=1",
                            "--features=1", "--quiet")
        self.assertEqual(result, (OK, b"", b""))

    def test_smallest(self):
        for name in SETS:
            with self.subTest(name):
                self.made(name, "x.svm", "--rows=1", "--features=1",
                          "--per-row=1")
                self.assertEqual(self.doctor("x.svm", "--features=1")["rows"],
                                 1)

    def test_refused(self):
        for args, hint in (
                (("nosuch", "-o", "x.csv"), "sets are"),
                (("", "-o", "x.csv"), "sets are"),
                (("a\nb", "-o", "x.csv"), "sets are"),
                (("log1", "-o", "x"), "format"),
                (("log1", "-o", "x.csv.gz"), "format"),
                (("log1", "-o", ""), "--output"),
                (("zipf-flat", "-o", "x.csv", "--features=1000000",
                  "--rows=1000000"), "svmlight")):
            with self.subTest(args):
                self.assert_refused(self.sotto("generate", *args), USAGE,
                                    hint=hint)
        self.assertEqual(os.listdir(self.directory), [])


class Writing(Case):
    """A file appears whole or not at all; a failure is said."""

    SMALL = "generate", "log1", "--rows=5", "--features=2"
    LARGE = "generate", "log1", "--rows=2000", "--features=20"

    def test_full_device(self):
        """Whether it is noticed early or only at the end."""
        self.write("d.csv", "a,b\n1,2\n")
        for args in (self.SMALL, self.LARGE, ("schema", "d.csv")):
            with self.subTest(args):
                result = self.sotto(*args, "--format=csv", "-o", "/dev/full")
                self.assert_refused(result, FAILED, file="/dev/full",
                                    hint="no space")

    def test_full_stdout(self):
        self.write("d.csv", "a,b\n1,2\n")
        for args in (("help",), ("help", "doctor"), ("version",),
                     ("version", "--json"), ("doctor", "d.csv"),
                     ("doctor", "d.csv", "--json"), ("schema", "d.csv"),
                     ("generate",), (*self.SMALL, "-o", "-"),
                     (*self.LARGE, "-o", "-", "--format=npy")):
            with self.subTest(args):
                with open("/dev/full", "wb") as full:
                    result = self.sotto(*args, stdout=full)
                self.assert_refused(result, FAILED, hint="cannot write")

    def test_no_such_directory(self):
        self.write("d.csv", "a,b\n1,2\n")
        for args in (self.SMALL, ("schema", "d.csv")):
            for path in ("none/x.csv", "d.csv/x.csv"):
                with self.subTest(args, path=path):
                    result = self.sotto(*args, "-o", path)
                    self.assert_refused(result, FAILED, file=path)
        self.assertEqual(os.listdir(self.directory), ["d.csv"])

    def test_directory(self):
        os.mkdir(self.path("x.csv"))
        for path in ("x.csv", "x.csv/", "."):
            with self.subTest(path):
                result = self.sotto(*self.SMALL, "--format=csv", "-o", path)
                self.assert_refused(result, FAILED)
        self.assertEqual(os.listdir(self.directory), ["x.csv"])
        self.assertEqual(os.listdir(self.path("x.csv")), [])

    def test_replaces_a_file(self):
        self.write("x.csv", "old")
        self.assertEqual(self.sotto(*self.SMALL, "-o", "x.csv").code, OK)
        self.assertEqual(self.doctor("x.csv")["rows"], 5)
        self.assertEqual(os.listdir(self.directory), ["x.csv"])

    def test_mode_of_a_new_file(self):
        self.sotto(*self.SMALL, "-o", "x.csv", before=lambda: os.umask(0o027))
        mode = stat.S_IMODE(os.stat(self.path("x.csv")).st_mode)
        self.assertEqual(mode, 0o640)

    def test_longest_name(self):
        """A name the file system takes is a name that can be written."""
        name = "x" * 251 + ".csv"
        result = self.sotto(*self.SMALL, "-o", name)
        self.assertEqual(result.code, OK, result.err)
        self.assertEqual(os.listdir(self.directory), [name])

    def test_special_files_stay(self):
        """A device is written to, not replaced. By a link: should it be
        replaced after all, that is no harm to this machine."""
        os.symlink("/dev/null", self.path("null.csv"))
        for args in (self.SMALL, ("schema", self.write("d.csv", "a\n1\n"))):
            self.assertEqual(self.sotto(*args, "-o", "null.csv").code, OK)
            self.assertTrue(os.path.islink(self.path("null.csv")))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertEqual(sorted(os.listdir(self.directory)),
                         ["d.csv", "null.csv"])

    def test_file_is_kept_when_writing_fails(self):
        """A limit on the size of files: the old one stays, and nothing of
        the new one."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        header = ",".join("c%d" % i for i in range(1000))
        self.write("d.csv", header + "\n")
        for args, names in ((self.LARGE, ("old.csv", "new.csv")),
                            (("schema", "d.csv"), ("new.csv",))):
            for name in names:
                with self.subTest(args, name=name):
                    self.write("old.csv", "old")
                    result = self.sotto(*args, "-o", name, before=limit)
                    self.assert_refused(result, FAILED, file=name,
                                        hint="too large")
                    self.assertEqual(sorted(os.listdir(self.directory)),
                                     ["d.csv", "old.csv"])
                    with open(self.path("old.csv")) as file:
                        self.assertEqual(file.read(), "old")

    def test_file_is_kept_when_the_limit_comes_with_a_signal(self):
        """SIGXFSZ as the system delivers it: as above."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        self.write("old.csv", "old")
        result = self.sotto(*self.LARGE, "-o", "old.csv", before=limit)
        with open(self.path("old.csv")) as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(os.listdir(self.directory), ["old.csv"])
        self.assert_refused(result, FAILED, file="old.csv", hint="too large")


class Schema(Case):
    """`sotto schema`: a template from the header alone."""

    def template(self, name, *args, **more):
        result = self.sotto("schema", name, *args, **more)
        self.assertEqual((result.code, result.err), (OK, b""))
        return result.out

    def test_columns_in_order(self):
        names = ["z", "a", 'q"\\u0041', "b,b", "\u20ac \U0001f600", "\x1b",
                 "t\tt"]
        head = ",".join('"%s"' % n.replace('"', '""') for n in names)
        for content in (head + "\n1,2,3,4,5,6,7\n", "\ufeff" + head + "\r\n",
                        head):
            self.write("d.csv", content)
            said = json.loads(self.template("d.csv"))
            self.assertEqual(said["sotto_schema"], 1)
            self.assertEqual(list(said["columns"]), names)

    def test_rows_are_not_looked_at(self):
        """The same bytes whatever the rows are."""
        rows = ("", "1,2,3\n", "x,y\n" * 99, '"\n', "\0" * 99, "\xff\xfe\n",
                "1,2,3\n" * 99999, "nan,,\n", '1,"' + "x" * 99999)
        said = set()
        for content in rows:
            self.write("d.csv", ("a,b,c\n" + content).encode("latin-1"))
            said.add(self.template("d.csv"))
            said.add(self.template("d.csv", "--format=csv"))
        self.assertEqual(len(said), 1)

    def test_rows_are_not_taken_for_names(self):
        """A quote left open in the header, or lines that end in CR alone:
        what follows are records, and must not go into a public file."""
        for content in ('a,"b\n1,SECRETWORD\n2,3\n', '"\nSECRETWORD',
                        'a,"b\n1,"SECRETWORD"\n',
                        "a,b\r1,SECRETWORD\r2,3\r"):
            with self.subTest(content):
                self.write("d.csv", content)
                result = self.sotto("schema", "d.csv")
                self.assert_refused(result, DATA, file="d.csv", line=1)

    def test_roles(self):
        self.write("d.csv", "a,b,c,y\n")
        for args, types in (
                ((), "number number number number"),
                (("--target=y",), "number number number target"),
                (("--target=y", "--drop=a"), "drop number number target"),
                (("--only=b", "--target=y"), "drop number drop target")):
            with self.subTest(args):
                said = json.loads(self.template("d.csv", *args))
                self.assertEqual(
                    [c["type"] for c in said["columns"].values()],
                    types.split())

    def test_used_as_it_is_and_filled_in(self):
        self.write("d.csv", "age,sex,y\n30,f,1\n50,m,2\n")
        filled = json.loads(self.template("d.csv", "--target=y"))
        filled["columns"]["age"]["bounds"] = [0, 40]
        filled["columns"]["sex"] = {"type": "category", "levels": ["f", "m"]}
        self.write("s.json", json.dumps(filled))
        said = self.doctor("d.csv", "--schema=s.json")
        self.assertEqual(list(said["by_name"]), ["age", "sex=f", "sex=m"])
        self.assertEqual(said["by_name"]["age"]["most"], 40)
        self.write("n.csv", "a,b\n1,2\n")
        self.write("n.json", self.template("n.csv"))
        self.assertEqual(self.doctor("n.csv", "--schema=n.json")["features"],
                         2)

    def test_npy(self):
        self.write("d.npy", npy([[1, 2, 3]]))
        text = self.template("d.npy", "--target=3")
        said = json.loads(text)
        self.assertEqual(list(said["columns"]), ["1", "2", "3"])
        self.assertEqual(said["columns"]["3"]["type"], "target")
        for rows in ([[9, 9, 9]], [[float("nan")] * 3] * 5):
            for order in "CF":
                self.write("d.npy", npy(rows, order=order))
                self.assertEqual(self.template("d.npy", "--target=3"), text)
        self.write("d.npy", npy([[1, 2, 3]]))
        self.write("s.json", text)
        self.assertEqual(self.doctor("d.npy", "--schema=s.json")["features"],
                         2)

    def test_svmlight(self):
        """One declaration for all features: there is no header."""
        self.write("d.svm", "1 1:1 5:9\n")
        text = self.template("d.svm")
        self.write("e.svm", "x\0")
        self.assertEqual(self.template("e.svm"), text)
        filled = json.loads(text)
        filled["default"]["bounds"] = [-2, 2]
        self.write("s.json", json.dumps(filled))
        said = self.doctor("d.svm", "--schema=s.json", "--features=5")
        self.assertEqual(said["by_name"]["5"]["most"], 2)

    def test_gzip_and_stdin(self):
        content = b"a,b\n" + b"1,2\n" * 99999
        self.write("d.csv", content)
        self.write("d.csv.gz", content)
        text = self.template("d.csv")
        self.assertEqual(self.template("d.csv.gz"), text)
        self.assertEqual(self.template("-", "--format=csv", input=content),
                         text)

    def test_output(self):
        self.write("d.csv", "a,b\n")
        text = self.template("d.csv")
        result = self.sotto("schema", "d.csv", "-o", "s.json")
        self.assertEqual((result.code, result.out), (OK, b""))
        self.assertRegex(result.err, rb"\Awrote s\.json")
        with open(self.path("s.json"), "rb") as file:
            self.assertEqual(file.read(), text)
        self.assertEqual(self.sotto("schema", "d.csv", "-o", "t.json",
                                    "--quiet"), (OK, b"", b""))

    def test_output_is_not_overwritten(self):
        """Neither a schema that was filled in, nor the data."""
        self.write("d.csv", "a,b\n")
        self.write("s.json", "mine")
        for name in ("s.json", "d.csv"):
            result = self.sotto("schema", "d.csv", "-o", name)
            self.assert_one_line(result, USAGE)
        with open(self.path("s.json"), "rb") as file:
            self.assertEqual(file.read(), b"mine")

    def test_faults(self):
        for content in ("", "\n", "a,a\n", b"\xff\xfea\0", b"caf\xe9\n",
                        b"a\0\n"):
            with self.subTest(content):
                self.write("d.csv", content)
                self.assert_refused(self.sotto("schema", "d.csv"), DATA,
                                    file="d.csv", hint="expected")
        self.write("d.csv", "a,b\n")
        self.assert_refused(self.sotto("schema", "d.csv", "--target=c"), DATA,
                            hint="no column")


class Surroundings(Case):
    """Nothing depends on the environment, the locale or open files."""

    def test_environment(self):
        self.write("d.csv", "a,b\n1.5,2\n0.25,x\n")
        calls = (("help",), ("help", "doctor"), ("help", "--json"),
                 ("version", "--json"),
                 ("doctor", "d.csv"), ("doctor", "d.csv", "--drop=b"),
                 ("doctor", "d.csv", "--drop=b", "--json"),
                 ("doctor", "d.csv", "--bad-rows=drop", "--epsilon=0.5"),
                 ("doctor", "none.csv"), ("schema", "d.csv"),
                 ("generate", "log1", "--rows=3", "--features=3", "-o", "-"))
        kept = {k: v for k, v in os.environ.items()
                if k.startswith(("ASAN", "LSAN", "UBSAN", "LD_"))}
        odd = {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8",
               "LC_NUMERIC": "de_DE.UTF-8", "COLUMNS": "20", "TERM": "dumb",
               "POSIXLY_CORRECT": "1", "TMPDIR": "/nowhere", "HOME": "/none",
               "OMP_NUM_THREADS": "3", "TZ": "Asia/Tokyo", "SOTTO": "x",
               "LANGUAGE": "de:fr", "NO_COLOR": "1", "EPSILON": "1"}
        for args in calls:
            with self.subTest(args):
                first = self.sotto(*args, env=kept)
                self.assertEqual(self.sotto(*args, env={**kept, **odd}), first)
                self.assertEqual(self.sotto(*args), first)

    def test_writes_beside_the_file(self):
        """A directory for temporary files is not needed."""
        result = self.sotto("generate", "log1", "--rows=1", "--features=1",
                            "-o", "x.csv", env={"TMPDIR": "/nowhere"})
        self.assertEqual(result.code, OK)

    def test_closed_descriptors(self):
        """Started without stdin, stdout or stderr, it harms no file."""
        self.write("d.csv", "a,b\n1,2\n")
        self.write("bad.csv", "a,b\nx\n")
        for closed in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
            def close():
                for number in closed:
                    os.close(number)
            with self.subTest(closed):
                self.sotto("doctor", "d.csv", before=close)
                self.sotto("doctor", "bad.csv", before=close)
                self.sotto("schema", "d.csv", "-o", "s.json", before=close)
                self.sotto("generate", "log1", "--rows=3", "--features=2",
                           "-o", "x.csv", before=close)
                with open(self.path("bad.csv")) as file:
                    self.assertEqual(file.read(), "a,b\nx\n")
                with open(self.path("s.json")) as file:
                    json.load(file)
                self.assertEqual(
                    self.sotto("doctor", "x.csv", "--quiet").code, OK)
                self.assertEqual(
                    sorted(os.listdir(self.directory)),
                    ["bad.csv", "d.csv", "s.json", "x.csv"])

    def test_stdin_is_closed(self):
        result = self.sotto("doctor", "-", "--format=csv",
                            before=lambda: os.close(0))
        self.assert_refused(result, FAILED, file="stdin")

    def test_any_directory(self):
        self.assertEqual(run(["version"], cwd="/").code, OK)


if __name__ == "__main__":
    unittest.main()

"""Categories as they come: a level for all others, rows that a model cannot answer for, and all
that is wrong with a schema at once.
"""

import json
import random
import unittest

from common import DATA, FAILED, OK, USAGE, Case, npy, schema

LEVELS = {"type": "category", "levels": ["red", "blue"]}
OTHER = {**LEVELS, "other": True}
NUMBER = {"type": "number"}


class Other(Case):
    """"other": true."""

    def fit(self, column, rows, *args):
        self.write("s.json", schema({"c": column, "x": NUMBER, "y": {"type": "target"}}))
        self.write("d.csv", "c,x,y\n" + "".join("%s,%g,%g\n" % row for row in rows))
        return self.sotto("train", "d.csv", "--schema=s.json", "--epsilon=inf", "--l2=0.01",
                          "-o", "m.json", *args)

    def model(self):
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def answers(self, content, *args):
        self.write("p.csv", content)
        result = self.sotto("predict", "m.json", "p.csv", *args)
        self.assertEqual(result.code, OK, result.err)
        return [float(line) for line in result.out.split()]

    def test_trained_as_if_it_had_been_written(self):
        """The same weights as from a file with "other" in place of every other word, where that
        is a declared level."""
        rng = random.Random(5)
        rows = [(rng.choice(["red", "blue", "green", "Red", "", "blue "]), rng.random(),
                 rng.random()) for _ in range(300)]
        written = [(c if c.strip() in ("red", "blue", "") else "other", x, y) for c, x, y in rows]
        self.assertEqual(self.fit({**OTHER, "missing": "none"}, rows).code, OK)
        one = self.model()
        declared = {**LEVELS, "levels": ["red", "blue", "other"], "missing": "none"}
        self.assertEqual(self.fit(declared, written).code, OK)
        two = self.model()
        self.assertEqual(one["weights"], two["weights"])
        self.assertEqual(one["schema"]["columns"]["c"],
                         {"type": "category", "levels": ["red", "blue"], "other": True,
                          "missing": "none"})

    def test_a_level_called_none(self):
        """It is not what "missing": "none" means; where that is not said it is a level."""
        levels = {"type": "category", "levels": ["red", "none"]}
        rows = [("red", 1, 2), ("none", 2, 1)] * 9
        result = self.fit({**levels, "missing": "none"}, rows)
        self.assert_refused(result, USAGE, name="c", hint='no level or the level "none"; rename')
        for missing in ({}, {"missing": "refuse"}, {"missing": "red"}):
            self.assertEqual(self.fit({**levels, **missing}, rows).code, OK)

    def test_predict_and_evaluate(self):
        rows = [("red", 1, 1), ("blue", 2, 5), ("x", 1, 9), ("y", 2, 9), ("red", 3, 1)] * 9
        self.assertEqual(self.fit(OTHER, rows).code, OK)
        seen, new, other = self.answers("c,x\nx,1\nnever seen,1\nother,1\n")
        self.assertEqual(seen, new)
        self.assertEqual(seen, other)
        self.assertNotEqual(*self.answers("c,x\nx,1\nred,1\n"))
        self.write("e.csv", "c,x,y\nnew,1,9\nred,1,1\n")
        result = self.sotto("evaluate", "m.json", "e.csv", "--json")
        self.assertEqual(json.loads(result.out)["rows"], 2)
        shown = self.sotto("show", "m.json").out.decode()
        self.assertIn("c=other", shown)
        self.write("e.csv", "c,x\n,1\n")
        self.assert_refused(self.sotto("predict", "m.json", "e.csv"), DATA, line=2, name="c",
                            hint="found none")

    def test_private(self):
        """Neighbouring files that differ in a word that nobody declared: the same statement, and
        the model has the level whether a row has it or not."""
        said = []
        for word in ("red", "zzz"):
            rows = [("red", .5, .1), ("blue", .2, .3)] * 200 + [(word, .1, .2)]
            self.write("s.json", schema({
                "c": OTHER, "x": {"type": "number", "bounds": [0, 1]},
                "y": {"type": "target", "bounds": [0, 1]}}))
            self.write("d.csv", "c,x,y\n" + "".join("%s,%g,%g\n" % row for row in rows))
            result = self.sotto("train", "d.csv", "--schema=s.json", "--epsilon=1",
                                "--delta=1e-6", "-o", "m.json")
            self.assertEqual(result.code, OK, result.err)
            model = self.model()
            said.append((result.out, model["schema"], model["features"],
                         model["privacy"]["epsilon"], model["privacy"]["questions"]))
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[0][2], ["c=red", "c=blue", "c=other", "x"])
        page = self.sotto("report", "m.json", "-o", "r.html")
        self.assertEqual(page.code, OK, page.err)
        with open(self.path("r.html"), encoding="utf-8") as file:
            self.assertIn("1 of them with a level for all others", file.read())

    def test_refused(self):
        for column, hint in (
                ({**OTHER, "levels": ["red", "other"]}, 'no level called "other" beside'),
                ({**LEVELS, "other": "yes"}, '"other" to be true or false'),
                ({**LEVELS, "other": 1}, '"other" to be true or false'),
                ({**LEVELS, "levels": []}, "a list of different words"),
                ({**OTHER, "levels": ["a", "b", "a"]}, '"a" is there twice'),
                ({**OTHER, "missing": "green"}, "one of the levels"),
                ({"type": "number", "other": True}, 'has no "other"')):
            with self.subTest(column):
                self.assert_refused(self.fit(column, [("red", 1, 1)]), USAGE, name="c", hint=hint)
        # a feature of the same name
        self.write("s.json", schema({"c": OTHER, "c=other": NUMBER}))
        self.write("d.csv", "c,c=other\nred,1\n")
        self.assert_refused(self.sotto("doctor", "d.csv", "--schema=s.json"), USAGE,
                            name="c=other", hint="two features")

    def test_accepted(self):
        """False and null are as if not there; "other" may be a word for a missing value."""
        for no in (False, None):
            self.assert_refused(self.fit({**LEVELS, "other": no}, [("green", 1, 1)]), DATA,
                                line=2, name="c", hint="one of the levels")
            self.assertEqual(self.fit({"type": "category", "levels": ["other"], "other": no},
                                      [("other", 1, 1), ("other", 2, 1)]).code, OK)
        self.write("s.json", schema({"c": {**OTHER, "missing": "none"}}, missing_values=["other"]))
        said = self.read("c\nred\nother\ngreen\ngreen\n", "--schema=s.json")
        self.assertEqual(said["by_name"]["c=other"]["mean"], .5)


class BadRows(Case):
    """`predict --bad-rows drop`: line k of the answers is about row k."""

    def train(self, content, *args, name="d.csv", columns=None):
        self.write(name, content)
        if columns:
            self.write("s.json", schema(columns))
        result = self.sotto("train", name, *(("--schema=s.json",) if columns else ()),
                            "--epsilon=inf", "--l2=0.01", "-o", "m.json", *args)
        self.assertEqual(result.code, OK, result.err)

    def compare(self, rows, bad, content_of, name, *args, remark=True):
        """Answers for all rows, some of them bad, against those for the good ones alone."""
        good = [row for i, row in enumerate(rows) if i not in bad]
        self.write(name, content_of(good))
        for more in ((), ("--scores",), ("--proba",), ("--threads=1",)):
            plain = self.sotto("predict", "m.json", name, *args, *more)
            if plain.code != OK:
                self.assertIn("--proba", more)
                continue
            self.write("all-" + name, content_of(rows))
            result = self.sotto("predict", "m.json", "all-" + name, "--bad-rows=drop", *args, *more)
            self.assertEqual(result.code, OK, result.err)
            lines = result.out.split(b"\n")[:-1]
            self.assertEqual(len(lines), len(rows))
            self.assertEqual([i for i, line in enumerate(lines) if not line], sorted(bad))
            self.assertEqual([line for line in lines if line], plain.out.split(b"\n")[:-1])
            self.assertRegex(result.err, rb"\Asotto: remark: %d of %d rows (is|are) bad[^\n]+\n\Z"
                             % (len(bad), len(rows)))
            quiet = self.sotto("predict", "m.json", "all-" + name, "--bad-rows=drop", "--quiet",
                               *args, *more)
            self.assertEqual((quiet.code, quiet.out, quiet.err), (OK, result.out, b""))
            answers = json.loads(self.sotto("predict", "m.json", "all-" + name, "--json",
                                            "--bad-rows=drop", *args, *more).out)["answers"]
            self.assertEqual([i for i, a in enumerate(answers) if a is None], sorted(bad))
        stopped = self.sotto("predict", "m.json", "all-" + name, *args)
        self.assert_refused(stopped, DATA)

    BAD = ["?,red", "1,green", ",red", "1", "1,red,2", '"1,red', "1,", "nan,red", "1,re\0d",
           '1,"red"x']

    def test_csv(self):
        self.train("x,c,y\n" + "1,red,no\n2,blue,yes\n3,red,yes\n" * 5, "--loss=logistic",
                   columns={"x": NUMBER, "c": LEVELS,
                            "y": {"type": "target", "classes": ["no", "yes"]}})
        rng = random.Random(2)
        for count in (1, 3, 40, 5000):
            rows = ["%d,%s" % (i % 9, rng.choice(["red", "blue"])) for i in range(count)]
            bad = set(rng.sample(range(count), max(1, count // 5)))
            for i in bad:
                rows[i] = rng.choice(self.BAD)
            for name in ("p.csv", "p.csv.gz"):
                with self.subTest((count, name)):
                    self.compare(rows, bad, lambda r: "x,c\n" + "".join(s + "\n" for s in r)
                                 if r else "x,c\n3,red\n", name) if len(bad) < count else None

    def test_all_bad(self):
        self.train("x,y\n1,2\n2,3\n3,5\n", "--target=y")
        self.write("p.csv", "x\n?\n\n!\n")
        result = self.sotto("predict", "m.json", "p.csv", "--bad-rows=drop")
        self.assertEqual((result.code, result.out), (OK, b"\n\n"))  # an empty line is no record
        self.write("p.csv", "x\n")
        result = self.sotto("predict", "m.json", "p.csv", "--bad-rows=drop")
        self.assertEqual(result, (OK, b"", b""))

    def test_a_score_too_large(self):
        self.train("x,y\n1,1\n2,3\n3,5\n", "--target=y")
        with open(self.path("m.json"), encoding="utf-8") as file:
            self.write_model("m.json", {**json.load(file), "weights": [1e300]})
        self.write("p.csv", "x\n1\n1e38\n2\n")
        self.assert_refused(self.sotto("predict", "m.json", "p.csv"), DATA, row=2)
        result = self.sotto("predict", "m.json", "p.csv", "--bad-rows=drop")
        self.assertEqual([bool(line) for line in result.out.split(b"\n")[:-1]],
                         [True, False, True])

    def test_output_file(self):
        self.train("x,y\n1,2\n2,3\n3,5\n", "--target=y")
        self.write("p.csv", "x\n1\n?\n2\n")
        said = self.sotto("predict", "m.json", "p.csv", "--bad-rows=drop")
        self.sotto("predict", "m.json", "p.csv", "--bad-rows=drop", "-o", "a.txt")
        with open(self.path("a.txt"), "rb") as file:
            self.assertEqual(file.read(), said.out)

    def test_svmlight(self):
        self.train("1 1:1 2:2\n-1 1:3\n1 2:1 3:1\n" * 5, "--loss=logistic", name="d.svm")
        rows = ["1 1:1", "1 2:x", "0 3:2", "1 9:1", "1 2:1 1:1", "1 1:2 3:1", "1 1:1e99"] * 30
        bad = {i for i in range(len(rows)) if i % 7 in (1, 3, 4, 6)}
        self.compare(rows, bad, lambda r: "".join(s + "\n" for s in r), "p.svm")

    def test_npy(self):
        nan = float("nan")
        self.train(npy([[1, 2, 3.], [2, 3, 1], [4, 1, 2], [3, 3, 3]]), "--target=3", name="d.npy")
        rows = [[1, 2, 0.], [nan, 1, 0], [3, 1, 0], [2, float("inf"), 0], [5, 5, 0]] * 40
        bad = {i for i in range(len(rows)) if i % 5 in (1, 3)}
        for order in "CF":
            for kind in ("<f8", "<f4"):
                with self.subTest((order, kind)):
                    self.compare(rows, bad, lambda r: npy(r, order=order, kind=kind), "p.npy")

    def test_scaled_rows(self):
        """Rows of one length: a bad one has none."""
        self.train("a,b,y\n1,2,1\n2,1,2\n3,3,1\n", "--target=y", "--undeclared=rows")
        rows = ["1,2", "?,1", "2,0", "1"] * 20
        self.compare(rows, {i for i in range(80) if i % 2}, lambda r: "a,b\n" + "".join(
            s + "\n" for s in r), "p.csv")

    def test_evaluate_leaves_them_out(self):
        self.train("x,y\n1,2\n2,3\n3,5\n", "--target=y")
        self.write("e.csv", "x,y\n1,2\n?,3\n3,5\n")
        result = self.sotto("evaluate", "m.json", "e.csv", "--bad-rows=drop", "--json")
        self.assertEqual(json.loads(result.out)["rows"], 2)


class Check(Case):
    """`sotto schema --check SCHEMA [DATA]`: all that is wrong, at once."""

    def check(self, *args, code=USAGE, **more):
        """The lines that say what is wrong."""
        result = self.sotto("schema", "--check", *args, **more)
        self.assertEqual(result.code, code, result)
        lines = result.out.decode().splitlines()
        said = json.loads(self.sotto("schema", "--check", *args, "--json", **more).out)
        self.assertEqual(said["faults"], [] if code == OK else lines)
        if code != OK:
            self.assertEqual(result.err.decode(), "sotto: s.json: 1 fault\n" if len(lines) == 1
                             else "sotto: s.json: %d faults, a line for each\n" % len(lines))
        return lines

    def test_right(self):
        self.write("s.json", schema({"c": OTHER, "x": NUMBER, "y": {"type": "target"}}))
        self.write("d.csv", "y,x,c\n987654.321,bad row\n")
        for args in (("s.json",), ("s.json", "d.csv")):
            self.assertEqual(self.check(*args, code=OK), ["no fault"])
            self.assertEqual(self.sotto("schema", "--check", *args, "--quiet"), (OK, b"", b""))

    def test_untouched(self):
        """A template as it comes is no fault; what is still to be filled in is said."""
        self.write("d.csv", ",".join("abcdefghijk") + "\n")
        self.assertEqual(self.sotto("schema", "d.csv", "-o", "t.json").code, OK)
        for args in (("t.json",), ("t.json", "d.csv")):
            self.assertEqual(self.check(*args, code=OK), ["no fault"])
            said = json.loads(self.sotto("schema", "--check", *args, "--json").out)
            self.assertEqual([line[:12] for line in said["open"]], ["no column ha", "no bounds fo"])
            target, bounds = self.sotto("schema", "--check", *args).err.decode().splitlines()
            self.assertIn('still open: no column has the type "target"', target)
            self.assertIn('still open: no bounds for "a", "b", "c"', bounds)
            self.assertIn('"h" and 3 more:', bounds)
            self.assertEqual(self.sotto("schema", "--check", *args, "--quiet").err, b"")
        said = self.sotto("schema", "--check", "t.json", "--target", "a").err.decode()
        self.assertNotIn('"target"', said)
        self.assertIn('no bounds for "b"', said)
        self.write("full.json", schema({"a": {"type": "number", "bounds": [0, 1]}, "b": OTHER,
                                        "y": {"type": "target"}}))
        self.assertEqual(self.sotto("schema", "--check", "full.json").err, b"")

    def test_untouched_classes(self):
        """The template's "classes": null is named, until classes, bounds or nothing stand there."""
        self.write("d.csv", "a,y\n")
        self.assertEqual(self.sotto("schema", "d.csv", "--target=y", "-o", "t.json").code, OK)
        line = b'still open: no classes for the target "y": losses of classes then expect 0/1 or -1/+1'
        for args in (("t.json",), ("t.json", "d.csv")):
            self.assertIn(line, self.sotto("schema", "--check", *args).err)
            self.assertNotIn(b"no classes", self.sotto("schema", "--check", *args, "--classes=p,q").err)
        for target in ({"classes": ["p", "q"]}, {"classes": None, "bounds": [0, 1]}, {}):
            self.write("s.json", schema({"a": NUMBER, "y": {"type": "target", **target}}))
            self.assertNotIn(b"no classes", self.sotto("schema", "--check", "s.json").err)

    WRONG = {
        "a": ({"type": "nmber"}, 'did you mean "number"'),
        "b": ({"type": "number", "bonds": [0, 1], "lo": 1}, 'has no "bonds".*"bounds"'),
        "c": ({"type": "number", "bounds": [1, 0]}, "low < high"),
        "d": ({"type": "category", "levels": ["p", "q", "p"]}, '"p" is there twice'),
        "e": ({"type": "category", "levels": ["p", 3]}, "number 2 of them is no word"),
        "f": ({"type": "category", "levels": ["other"], "other": True}, "which makes one"),
        "g": ({"type": "category", "levels": ["p"], "missing": "q"}, "one of the levels"),
        "h": ({"type": "number", "missing": "mean"}, "or a number"),
        "i": ({"type": "target", "classes": ["one"]}, '"classes"'),
        "j": ([], "an object like"),
        "k": ({"type": "weight", "bounds": [-1, 1]}, "not to be negative"),
        "l": ({"type": "category", "levels": ["NA"]}, "missing_values"),
        "m": ({"type": "category", "levels": ["p"], "other": "yes"}, "true or false")}

    def test_all_at_once(self):
        """Each alone gives the line that training stops with; together they give them all."""
        whole = {"missing_values": ["NA"]}
        alone = []
        self.write("d.csv", ",".join(self.WRONG) + "\n")
        for name, (column, hint) in self.WRONG.items():
            with self.subTest(name):
                self.write("s.json", schema({name: column, "z": NUMBER}, **whole))
                lines = self.check("s.json")
                self.assertRegex(lines[0], hint)
                self.assertEqual(len(lines), 2 if name == "b" else 1)
                self.assertTrue(all('column "%s"' % name in line for line in lines))
                self.write("e.csv", name + ",z\n")
                stopped = self.sotto("doctor", "e.csv", "--schema=s.json")
                self.assertEqual(stopped.code, USAGE)
                self.assertEqual(stopped.err.decode(), "sotto: " + lines[0] + "\n")
                alone += lines
        self.write("s.json", schema({name: column for name, (column, _) in self.WRONG.items()},
                                    **whole))
        self.assertEqual(sorted(self.check("s.json")), sorted(alone))
        self.assertEqual(sorted(self.check("s.json", "d.csv")), sorted(alone))

    def test_the_rest_of_the_file(self):
        self.write("s.json", json.dumps({
            "sotto_schema": 2, "colums": {}, "width": 0, "missing_values": ["a", "a"],
            "default": {"type": "category", "levels": ["x"], "bad": 1}, "columns": []}))
        lines = self.check("s.json")
        for hint in ("the version", 'did you mean "columns"', '"width"', '"a" is there twice',
                     '"default".*has no "bad"', '"columns" to be an object'):
            self.assertEqual(sum(hint.split(".*")[-1] in line for line in lines), 1, (hint, lines))
        self.assertEqual(len(lines), 6)

    def test_between_columns(self):
        target = {"type": "target"}
        self.write("s.json", schema({
            "t": target, "u": target, "v": target, "p": {"type": "unit"}, "q": {"type": "unit"},
            "w": {"type": "weight"}, "c": OTHER, "c=other": NUMBER, "c=red": NUMBER,
            "b": {"type": "target", "bounds": [0, 1], "classes": ["n", "y"]}}))
        lines = self.check("s.json")
        for hint, count in (("both the target", 3), ("both the unit", 1),
                            ("need a declared bound", 1), ("two features", 2), ("found both", 1)):
            self.assertEqual(sum(hint in line for line in lines), count, (hint, lines))
        self.assertEqual(len(lines), 8)
        # what options say counts, as in training
        self.assertFalse([line for line in self.check("s.json", "--target=t", "--weights=w",
                                                      "--weight-bound=2")
                          if "target;" in line or "weight" in line])

    def test_a_faulty_target_is_one_too(self):
        self.write("s.json", schema({
            "t": {"type": "target", "classes": ["x"]}, "u": {"type": "target"},
            "b": {"type": "number", "bounds": [1, 0]}}))
        lines = self.check("s.json")
        self.assertEqual(len(lines), 3)
        self.assertIn('columns "t" and "u" are both the target', lines[2])
        self.write("s.json", schema({"t": {"type": "target", "classes": ["x"]}, "b": NUMBER}))
        self.assertEqual(len(self.check("s.json")), 1)
        self.assertEqual(self.sotto("schema", "--check", "s.json").err, b"sotto: s.json: 1 fault\n")

    def test_header(self):
        """Columns that the file has and the schema has not, and the other way round."""
        self.write("s.json", schema({"age": NUMBER, "sex": LEVELS, "out": {"type": "target"}}))
        self.write("d.csv", "agee,sex,note,more\n987654.321,SECRETWORD,1,1\n")
        lines = self.check("s.json", "d.csv", code=DATA)
        self.assertEqual(len(lines), 5)
        text = "\n".join(lines)
        self.assertRegex(text, 'no column "age" .*did you mean "agee"')
        self.assertIn('no column "out"', text)
        for name in ("agee", "note", "more"):
            self.assertIn('column "%s" is not in the schema' % name, text)
        self.assertEqual(len(self.check("s.json", "d.csv", "--drop=note,more", code=DATA)), 3)
        self.write("s.json", schema({"sex": LEVELS}, default={"type": "number"}))
        self.check("s.json", "d.csv", code=OK)
        # a fault of the schema counts more, and both are told
        self.write("s.json", schema({"age": {"type": "nmber"}, "sex": LEVELS}))
        self.assertEqual(len(self.check("s.json", "d.csv")), 5)

    def test_no_record_is_read(self):
        """The same bytes whatever the records are."""
        self.write("s.json", schema({"a": NUMBER, "d": NUMBER}))
        said = set()
        for rows in ("", "1,2\n", '"\n', "\0\xff" * 99, "x\n" * 9999):
            self.write("d.csv", ("a,b\n" + rows).encode("latin-1"))
            said.add(tuple(self.check("s.json", "d.csv", code=DATA)))
        self.assertEqual(len(said), 1)

    def test_formats(self):
        self.write("s.json", schema({"1": OTHER, "2": NUMBER, "4": NUMBER}, width=4))
        self.write("d.npy", npy([[1, 2, 3.]]))
        text = "\n".join(self.check("s.json", "d.npy"))
        for hint in ('no column "4"', 'column "3" is not in', "column 1: a .npy", "expected 4 col"):
            self.assertIn(hint, text)
        self.write("s.json", schema({"a": NUMBER, "1": LEVELS, "2": {**NUMBER, "bounds": [1, 2]},
                                     "3": {**NUMBER, "bounds": [-1, 2]}, "t": {"type": "target"}}))
        self.write("d.svm", "1 1:1\n")
        lines = self.check("s.json", "d.svm")
        self.assertEqual(len(lines), 3)
        self.assertEqual(sum("must include 0" in line for line in lines), 1)

    def test_no_schema_and_no_data(self):
        self.write("s.json", "{")
        self.assert_refused(self.sotto("schema", "--check", "s.json"), USAGE, line=1)
        self.write("s.json", schema({"a": NUMBER}))
        self.assert_one_line(self.sotto("schema", "--check", "s.json", "none.csv"), FAILED)
        self.assert_one_line(self.sotto("schema", "--check", "none.json"), FAILED)
        self.write("d.csv", "5,7\n")
        self.assertIn("found a number", self.check("s.json", "d.csv", code=DATA)[0])
        for args in (("s.json", "-o", "t.json"), ("-", "-"), ("s.json", "d.csv", "e.csv"), (),
                     ("s.json", "--schema=s.json")):
            with self.subTest(args):
                self.assert_one_line(self.sotto("schema", "--check", *args), USAGE)
        self.assert_one_line(self.sotto("schema", "s.json", "d.csv"), USAGE)
        self.assertEqual(self.check("-", input=schema({"a": NUMBER}), code=OK), ["no fault"])


class Template(Case):
    """`sotto schema DATA` asks for nothing that was said."""

    def template(self, *args):
        result = self.sotto("schema", "d.csv", *args)
        self.assertEqual((result.code, result.err), (OK, b""))
        return json.loads(result.out)

    def test_options(self):
        """What options say needs no further word: the template trains as it is."""
        self.write("d.csv", "w,p,a,y\n" + "1,u,1,no\n2,v,3,yes\n1,w,2,yes\n" * 9)
        said = self.template("--target=y", "--classes=no,yes", "--weights=w", "--weight-bound=2.5",
                             "--unit-column=p")
        self.assertEqual(said["columns"], {
            "w": {"type": "weight", "bounds": [0, 2.5]}, "p": {"type": "unit"},
            "a": {"type": "number", "bounds": None, "missing": "refuse"},
            "y": {"type": "target", "classes": ["no", "yes"]}})
        self.write("s.json", json.dumps(said))
        result = self.sotto("train", "d.csv", "--schema=s.json", "--loss=logistic", "--l2=0.1",
                            "--epsilon=inf", "-o", "m.json")
        self.assertEqual(result.code, OK, result.err)
        self.assert_refused(self.sotto("schema", "d.csv", "--target=y", "--classes=no"), USAGE,
                            hint="--classes")
        self.assert_refused(self.sotto("schema", "d.csv", "--weights=w"), USAGE, name="w")

    def test_a_schema_that_there_is(self):
        """A file with a further column: what was declared stays."""
        old = {"a": {"type": "number", "bounds": [0, 1], "missing": 0.5}, "c": OTHER,
               "y": {"type": "target", "classes": ["n", "y"]}, "p": {"type": "unit"},
               "gone": NUMBER, "w": {"type": "weight", "bounds": [0, 3]}}
        self.write("s.json", schema(old, missing_values=["NA"]))
        self.write("d.csv", "new,y,c,a,p,w\n")
        said = self.template("--schema=s.json")
        new = {"type": "number", "bounds": None, "missing": "refuse"}
        kept = {name: column for name, column in old.items() if name != "gone"}
        self.assertEqual(said, {"sotto_schema": 1, "missing_values": ["NA"],
                                "columns": {"new": new, **kept}})
        self.assertEqual(list(said["columns"]), ["new", "y", "c", "a", "p", "w"])
        # options have the last word
        said = self.template("--schema=s.json", "--target=a", "--drop=c")["columns"]
        self.assertEqual([said[name]["type"] for name in "acy"], ["target", "drop", "drop"])
        said = self.template("--schema=s.json", "--target=y")["columns"]
        self.assertEqual(said["y"], old["y"])
        said = self.template("--schema=s.json", "--target=y", "--classes=0,1")["columns"]
        self.assertEqual(said["y"]["classes"], ["0", "1"])
        # a default declares the rest
        self.write("s.json", schema({"y": {"type": "target"}}, default={"type": "drop"}))
        said = self.template("--schema=s.json")
        self.assertEqual((said["default"], said["columns"]),
                         ({"type": "drop"}, {"y": {"type": "target"}}))
        self.write("s.json", schema({"y": {"type": "trget"}}))
        self.assert_refused(self.sotto("schema", "d.csv", "--schema=s.json"), USAGE, name="y")

    def test_svmlight_has_no_columns_to_add(self):
        self.write("d.svm", "1 1:1\n")
        self.write("s.json", schema({}))
        self.assert_refused(self.sotto("schema", "d.svm", "--schema=s.json"), USAGE,
                            hint="no header")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""train, predict, evaluate, show and export, as a person uses them."""

import json
import math
import os
import pty
import random
import resource
import shutil
import signal
import subprocess
import unittest

from common import (DATA, FAILED, OK, PRIVACY, PROGRAM, USAGE, Case, npy,
                    schema)

INTERRUPTED = 130
LIBLINEAR = shutil.which("liblinear-predict")


def patients(rows=400, seed=1):
    """Rows as dictionaries, with something to learn."""
    draw = random.Random(seed)
    for i in range(rows):
        age = draw.randint(18, 95)
        sex = draw.choice("fm")
        visits = draw.randint(0, 9)
        score = -3 + age / 40 + visits / 3 + (sex == "m") / 2
        out = draw.random() < 1 / (1 + math.exp(-score))
        yield {"id": "p%d" % i, "age": age, "sex": sex, "visits": visits,
               "out": "yes" if out else "no",
               "cost": round(score * 100 + draw.gauss(0, 30), 2)}


def csv(rows, columns):
    lines = [",".join(str(row[name]) for name in columns) for row in rows]
    return "\n".join([",".join(columns)] + lines) + "\n"


SCHEMA = schema({
    "id": {"type": "unit"},
    "age": {"type": "number", "bounds": [0, 120], "missing": 50},
    "sex": {"type": "category", "levels": ["f", "m"], "missing": "none"},
    "visits": {"type": "number", "bounds": [0, 9]},
    "out": {"type": "target", "classes": ["no", "yes"]},
}, missing_values=["NA"])
COLUMNS = ["id", "age", "sex", "visits", "out"]
NUMBERS = ["age", "visits", "cost"]


class Models(Case):
    """Sets with a schema, a model of them, and what is in its file."""

    def setUp(self):
        super().setUp()
        self.rows = list(patients())
        self.write("d.csv", csv(self.rows, COLUMNS))
        self.write("n.csv", csv(self.rows, NUMBERS))
        self.write("s.json", SCHEMA)

    def train(self, *args, data="d.csv", model="m.json"):
        result = self.sotto("train", data, "--epsilon", "inf", "-o", model,
                            *args)
        self.assertEqual((result.code, result.out), (OK, b""), result.err)
        self.assertIn(b"NOT PRIVATE", result.err)
        return self.model(model)

    def train_patients(self, *args, **more):
        return self.train("--schema", "s.json", "--loss", "logistic", "--l2",
                          "0.01", *args, **more)

    def model(self, name="m.json"):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def lines(self, *args, **more):
        result = self.sotto(*args, **more)
        self.assertEqual((result.code, result.err), (OK, b""), args)
        return result.out.decode().splitlines()

    def predict(self, data, *args, model="m.json", **more):
        return self.lines("predict", model, data, *args, **more)

    def evaluate(self, data, *args, model="m.json"):
        result = self.sotto("evaluate", model, data, "--json", *args)
        self.assertEqual(result.code, OK, result.err)
        self.assertIn(b"as sensitive as the rows", result.err)
        return json.loads(result.out)


class Train(Models):
    def test_the_file(self):
        model = self.train_patients()
        self.assertEqual(
            set(model), {"sotto_model", "not_private", "loss", "penalty",
                         "classes", "intercept", "features", "weights",
                         "schema", "privacy", "checksum"})
        self.assertEqual(model["sotto_model"], 1)
        self.assertIs(model["not_private"], True)
        self.assertIsNone(model["privacy"])
        self.assertEqual(model["loss"], "logistic")
        self.assertEqual(model["penalty"],
                         {"units": "fit", "l1": 0, "l2": 0.01, "box": None})
        self.assertEqual(model["classes"], ["no", "yes"])
        self.assertEqual(model["features"],
                         ["age", "sex=f", "sex=m", "visits"])
        self.assertEqual(len(model["weights"]), 4)
        self.assertEqual(model["schema"]["columns"]["age"],
                         {"type": "number", "bounds": [0, 120], "missing": 50})

    def test_every_loss_and_penalty_says_not_private(self):
        for loss in ("squared", "logistic", "hinge", "squared-hinge", "huber"):
            for penalty in ((), ("--l1", "0.1"), ("--l2", "0.1"),
                            ("--l1", "0.1", "--l2", "0.2"),
                            ("--box", "-0.1,0.1"), ("--no-intercept",)):
                with self.subTest(loss, penalty=penalty):
                    target = ("--target", "cost")
                    data = "n.csv"
                    if loss not in ("squared", "huber"):
                        target, data = ("--schema", "s.json"), "d.csv"
                    model = self.train("--loss", loss, *target, *penalty,
                                       data=data)
                    self.assertIs(model["not_private"], True)
                    self.assertIsNone(model["privacy"])

    def test_solver_exact_is_epsilon_inf(self):
        self.train("--target", "cost", data="n.csv")
        result = self.sotto("train", "n.csv", "--solver", "exact", "--target",
                            "cost", "-o", "again.json")
        self.assertEqual(result.code, OK, result.err)
        self.assertEqual(self.model(), self.model("again.json"))

    def test_the_tolerance_is_said(self):
        """As it was given, or as the exact solver has it."""
        for given, said in (((), "1e-10"), (("--tolerance", "1e-7"), "1e-7")):
            result = self.sotto("train", "n.csv", "--epsilon", "inf",
                                "--target", "cost", "--l2", "1", *given, "-o", "m.json")
            self.assertIn(f"(within {said} of its minimum".encode(), result.err)

    def test_json_on_stdout(self):
        result = self.sotto("train", "n.csv", "--epsilon", "inf", "--target",
                            "cost", "-o", "m.json", "--json", "--quiet")
        self.assertEqual((result.code, result.err), (OK, b""))
        said = json.loads(result.out)
        self.assertIs(said["not_private"], True)
        self.assertIs(said["converged"], True)
        self.assertEqual(said["features"], 2)
        self.assertAlmostEqual(said["objective"],
                               self.evaluate("n.csv")["objective"], 9)

    def test_model_on_stdout(self):
        result = self.sotto("train", "n.csv", "--epsilon", "inf", "--target",
                            "cost", "-o", "-", "--quiet")
        self.train("--target", "cost", data="n.csv")
        with open(self.path("m.json"), "rb") as file:
            self.assertEqual(result.out, file.read())

    def test_threads_do_not_matter(self):
        big = list(patients(3000, seed=5))
        self.write("big.csv", csv(big, COLUMNS))
        models = [self.train_patients("--threads", n, data="big.csv")
                  for n in "123"]
        self.assertEqual(models[0], models[1])
        self.assertEqual(models[0], models[2])

    def test_weight_two_is_the_row_twice(self):
        twice = [row for row in self.rows for _ in range(1 + row["age"] % 3)]
        self.write("twice.csv", csv(twice, NUMBERS))
        weighted = [{**row, "w": 1 + row["age"] % 3} for row in self.rows]
        self.write("weighted.csv", csv(weighted, NUMBERS + ["w"]))
        for loss in ("squared", "huber"):
            a = self.train("--target", "cost", "--loss", loss, "--l1", "0.5",
                           data="twice.csv")
            b = self.train("--target", "cost", "--loss", loss, "--l1", "0.5",
                           "--weights", "w", "--weight-bound", "9",
                           data="weighted.csv")
            for x, y in zip(a["weights"] + [a["intercept"]],
                            b["weights"] + [b["intercept"]]):
                self.assertAlmostEqual(x, y, delta=1e-6 * abs(y))
            self.assertAlmostEqual(self.evaluate("twice.csv")["r2"],
                                   self.evaluate("weighted.csv")["r2"], 9)

    def test_a_bounded_target_is_predicted_in_its_units(self):
        self.write("t.json", schema(
            {"age": {"type": "number", "bounds": [0, 100]},
             "visits": {"type": "number", "bounds": [0, 9]},
             "cost": {"type": "target", "bounds": [-1000, 1000]}}))
        plain = self.train("--target", "cost", data="n.csv")
        mapped = self.train("--schema", "t.json", data="n.csv")
        for x, y in zip(plain["weights"], mapped["weights"]):
            self.assertAlmostEqual(x, y, 6)
        self.assertAlmostEqual(plain["intercept"], mapped["intercept"], 5)

    def test_box_and_l1(self):
        model = self.train("--target", "cost", "--box", "0,3", data="n.csv")
        self.assertTrue(all(0 <= w <= 3 for w in model["weights"]))
        self.assertEqual(model["penalty"]["box"], [0, 3])
        model = self.train("--target", "cost", "--box", "-inf,0",
                           data="n.csv")
        self.assertEqual(model["penalty"]["box"], [None, 0])
        self.assertEqual(model["weights"], [0, 0])
        model = self.train("--target", "cost", "--l1", "1e9", data="n.csv")
        self.assertEqual(model["weights"], [0, 0])

    def test_npy_and_svmlight(self):
        rows = [[r["age"], r["visits"], r["cost"]] for r in self.rows]
        self.write("d.npy", npy(rows))
        self.write("d.svm", "".join("%r 1:%r 2:%r\n" % (c, float(a), float(b))
                                    for a, b, c in rows))
        named = self.train("--target", "cost", data="n.csv")
        numbered = self.train("--target", "3", data="d.npy")
        sparse = self.train(data="d.svm")
        self.assertEqual(numbered["features"], ["1", "2"])
        self.assertEqual(sparse["features"], 2)
        for other in (numbered, sparse):
            for x, y in zip(named["weights"], other["weights"]):
                self.assertAlmostEqual(x, y, 6)


class Predict(Models):
    def test_columns_by_name_in_any_order(self):
        self.train_patients()
        expected = self.predict("d.csv", "--proba")
        for columns in (["sex", "visits", "age"],
                        ["visits", "out", "age", "id", "sex"]):
            self.write("other.csv", csv(self.rows, columns))
            self.assertEqual(self.predict("other.csv", "--proba"), expected)

    def test_answers_agree(self):
        model = self.train_patients()
        labels = self.predict("d.csv")
        scores = list(map(float, self.predict("d.csv", "--scores")))
        proba = list(map(float, self.predict("d.csv", "--proba")))
        weight = dict(zip(model["features"], model["weights"]))
        for row, label, score, p in zip(self.rows, labels, scores, proba):
            mine = (model["intercept"] + weight["age"] * row["age"] +
                    weight["visits"] * row["visits"] +
                    weight["sex=" + row["sex"]])
            self.assertAlmostEqual(score, mine, 12)
            self.assertEqual(label, "yes" if score > 0 else "no")
            self.assertAlmostEqual(p, 1 / (1 + math.exp(-score)), 12)

    def test_a_number(self):
        model = self.train("--target", "cost", data="n.csv")
        for row, value in zip(self.rows, self.predict("n.csv")):
            mine = (model["intercept"] + model["weights"][0] * row["age"] +
                    model["weights"][1] * row["visits"])
            self.assertAlmostEqual(float(value), mine, 9)

    def test_bounds_and_missing_values_are_the_models(self):
        self.train_patients()
        self.write("a.csv", "age,sex,visits\nNA,f,3\n500,,3\n")
        self.write("b.csv", "age,sex,visits\n50,f,3\n120,,3\n")
        self.assertEqual(self.predict("a.csv", "--scores"),
                         self.predict("b.csv", "--scores"))

    def test_labels_are_not_looked_at(self):
        self.train_patients()
        self.write("a.csv", "age,sex,visits,out\n50,f,3,maybe\n51,f,3,\n")
        self.assertEqual(len(self.predict("a.csv")), 2)

    def test_svmlight_without_labels(self):
        self.write("d.svm", "1 1:1 3:2\n-1 2:1\n1 1:2\n-1 2:3 3:1\n")
        self.train("--loss", "logistic", "--l2", "0.1", data="d.svm")
        self.write("no.svm", "1:1 3:2\n2:1\n1:2\n2:3 3:1\n")
        self.write("any.svm", "7 1:1 3:2\n7 2:1\n0 1:2\n0 2:3 3:1\n")
        expected = self.predict("d.svm", "--scores")
        self.assertEqual(self.predict("no.svm", "--scores"), expected)
        self.assertEqual(self.predict("any.svm", "--scores"), expected)

    def test_to_a_file_and_from_stdin(self):
        self.train_patients()
        expected = self.predict("d.csv")
        self.assertEqual(self.predict("d.csv", "-o", "out.txt"), [])
        with open(self.path("out.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), expected)
        with open(self.path("d.csv"), "rb") as file:
            self.assertEqual(self.predict("-", "--format", "csv", input=file),
                             expected)

    def test_unlisted_columns(self):
        """What was left out in training may be there, or not."""
        self.train("--target", "cost", "--drop", "visits", data="n.csv")
        self.write("less.csv", csv(self.rows, ["age"]))
        self.assertEqual(self.predict("less.csv"), self.predict("n.csv"))
        self.write("s2.json", schema({"age": {"type": "number"},
                                      "cost": {"type": "target"}},
                                     default={"type": "drop"}))
        self.train("--schema", "s2.json", data="n.csv")
        self.write("more.csv", csv(self.rows, ["id", "age", "sex"]))
        self.assertEqual(self.predict("more.csv"), self.predict("n.csv"))


class Evaluate(Models):
    def test_two_classes(self):
        self.train_patients()
        said = self.evaluate("d.csv")
        proba = list(map(float, self.predict("d.csv", "--proba")))
        yes = [row["out"] == "yes" for row in self.rows]
        right = sum((p > .5) == y for p, y in zip(proba, yes)) / len(yes)
        loss = -sum(math.log(p if y else 1 - p)
                    for p, y in zip(proba, yes)) / len(yes)
        pairs = [(p > q) + (p == q) / 2 for p, y in zip(proba, yes) if y
                 for q, z in zip(proba, yes) if not z]
        self.assertEqual(said["rows"], len(yes))
        self.assertAlmostEqual(said["accuracy"], right, 12)
        self.assertAlmostEqual(said["log_loss"], loss, 12)
        self.assertAlmostEqual(said["auc"], sum(pairs) / len(pairs), 12)
        self.assertTrue(said["not_for_release"])
        self.assertNotIn("mse", said)

    def test_a_number(self):
        self.train("--target", "cost", "--l1", "1", "--l2", "0.5",
                   data="n.csv")
        said = self.evaluate("n.csv")
        model = self.model()
        misses = [float(p) - row["cost"] for p, row in
                  zip(self.predict("n.csv"), self.rows)]
        mse = sum(m * m for m in misses) / len(misses)
        mean = sum(row["cost"] for row in self.rows) / len(self.rows)
        spread = sum((row["cost"] - mean) ** 2
                     for row in self.rows) / len(self.rows)
        self.assertAlmostEqual(said["mse"], mse, delta=1e-9 * mse)
        self.assertAlmostEqual(said["r2"], 1 - mse / spread, 9)
        penalty = (sum(map(abs, model["weights"])) +
                   0.25 * sum(w * w for w in model["weights"]))
        self.assertAlmostEqual(said["objective"], mse / 2 + penalty,
                               delta=1e-9 * mse)

    def test_text(self):
        self.train_patients()
        result = self.sotto("evaluate", "m.json", "d.csv", "--quiet")
        self.assertEqual(result.err, b"")
        for word in (b"objective", b"accuracy", b"AUC", b"log-loss"):
            self.assertIn(word, result.out)

    def test_weights_that_are_not_there(self):
        weighted = [{**row, "w": 1 + row["age"] % 3} for row in self.rows]
        self.write("weighted.csv", csv(weighted, NUMBERS + ["w"]))
        self.train("--target", "cost", "--weights", "w", "--weight-bound", "9",
                   data="weighted.csv")
        for data, args in (("n.csv", ()), ("weighted.csv", ("--drop", "w"))):
            result = self.sotto("evaluate", "m.json", data, "--json", *args)
            self.assertEqual(result.code, OK)
            self.assertIn(b"row weights", result.err)
        result = self.sotto("evaluate", "m.json", "weighted.csv", "--json")
        self.assertNotIn(b"row weights", result.err)

    def test_the_target_cannot_be_dropped(self):
        self.train_patients()
        text = self.assert_one_line(
            self.sotto("evaluate", "m.json", "d.csv", "--drop", "out"), USAGE)
        self.assertIn('"out"', text)

    def test_one_class_has_no_auc(self):
        self.train_patients()
        self.write("one.csv", csv([r for r in self.rows if r["out"] == "no"],
                                  COLUMNS))
        self.assertIsNone(self.evaluate("one.csv")["auc"])


class ShowAndExport(Models):
    def test_show(self):
        self.train_patients()
        text = "\n".join(self.lines("show", "m.json"))
        for word in ("NOT PRIVATE", "logistic", "l2 0.01", "visits", "sex=m",
                     "(intercept)", "no", "yes"):
            self.assertIn(word, text)
        self.assertNotIn("\x1b", text)

    def test_colours(self):
        """Only on a terminal, and not with NO_COLOR."""
        self.train_patients()
        for extra, coloured in (({}, True), ({"NO_COLOR": "1"}, False),
                                ({"NO_COLOR": ""}, True)):
            env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
            ours, theirs = pty.openpty()
            self.sotto("show", "m.json", env={**env, **extra}, stdout=theirs)
            os.close(theirs)
            shown = os.read(ours, 10000)
            os.close(ours)
            self.assertIn(b"NOT PRIVATE", shown)
            self.assertEqual(b"\x1b[" in shown, coloured, extra)

    @unittest.skipUnless(LIBLINEAR, "no liblinear-predict (liblinear-tools)")
    def test_liblinear_predicts_equally(self):
        draw = random.Random(3)
        lines = []
        for _ in range(500):
            x = [draw.gauss(0, 1) for _ in range(6)]
            y = 1 if x[0] - x[2] + draw.gauss(0, 1) > 0.3 else -1
            lines.append("%d %s" % (y, " ".join(
                "%d:%r" % (j + 1, v) for j, v in enumerate(x) if v > -0.5)))
        self.write("d.svm", "\n".join(lines) + "\n")
        for loss in ("logistic", "hinge", "squared-hinge", "squared"):
            for intercept in ("--intercept", "--no-intercept"):
                self.train("--loss", loss, "--l2", "0.01", intercept,
                           data="d.svm")
                result = self.sotto("export", "m.json", "--format",
                                    "liblinear", "-o", "m.lin")
                self.assertEqual(result.code, OK, result.err)
                options = ["-b", "1"] if loss == "logistic" else []
                subprocess.run([LIBLINEAR, *options, "-q", "d.svm", "m.lin",
                                "out"], cwd=self.directory, check=True,
                               stdout=subprocess.DEVNULL)
                with open(self.path("out"), encoding="ascii") as file:
                    theirs = file.read().splitlines()
                if loss == "logistic":
                    self.assertEqual(theirs[0], "labels 1 -1")
                    proba = [float(line.split()[1]) for line in theirs[1:]]
                    for p, q in zip(proba, self.predict("d.svm", "--proba")):
                        self.assertAlmostEqual(p, float(q), 5)
                    theirs = [line.split()[0] for line in theirs[1:]]
                ours = self.predict("d.svm")
                self.assertEqual(len(ours), 500)
                if loss == "squared":
                    for a, b in zip(ours, theirs):
                        self.assertAlmostEqual(float(a), float(b), 4)
                else:
                    self.assertEqual(ours, theirs)

    def test_labels_of_the_export(self):
        self.train_patients()
        result = self.sotto("export", "m.json", "--format", "liblinear", "-o",
                            "-")
        self.assertIn(b"label 1 -1\n", result.out)
        self.assertRegex(result.err, rb'1 stands for .*"yes", -1 for "no"')
        self.write("01.csv", "a,t\n1,0\n2,1\n3,0\n4,1\n")
        for classes, label in (("0,1", "label 1 0"), ("0.0,1e0", "label 1 0"),
                               ("1,0", "label 0 1")):
            self.train("--target", "t", "--loss", "hinge", "--l2", "1",
                       "--classes", classes, data="01.csv")
            self.assertIn(label, self.lines("export", "m.json", "--format",
                                            "liblinear", "-o", "-"))


class Refused(Models):
    """Bad input: one clear line, and the old model stays."""

    def setUp(self):
        super().setUp()
        self.train("--target", "cost", data="n.csv", model="old.json")
        with open(self.path("old.json"), "rb") as file:
            self.old = file.read()

    def refused(self, *args, code=USAGE, words=(), **more):
        self.write("old.json", self.old)
        text = self.assert_one_line(self.sotto(*args, **more), code)
        for word in words:
            self.assertIn(word, text)
        with open(self.path("old.json"), "rb") as file:
            self.assertEqual(file.read(), self.old)
        left = [n for n in os.listdir(self.directory) if n[0] == "."]
        self.assertEqual(left, [])
        return text

    def train_refused(self, *args, data="n.csv", code=USAGE, words=(),
                      target=("--target", "cost"), **more):
        return self.refused("train", data, "--epsilon", "inf", "-o",
                            "old.json", *target, *args, code=code,
                            words=words, **more)

    def test_options(self):
        for value in ("nan", "NaN", "-1", "inf", "-0.1", "1e999", "x", ""):
            for name in ("--l1", "--l2"):
                with self.subTest(name, value=value):
                    self.train_refused(name, value, words=[name])
        for box in ("1", "2,1", "a,b", "nan,1", "1,nan", "inf,inf",
                    "-inf,-inf", "1,2,3", ""):
            with self.subTest(box):
                self.train_refused("--box=" + box, words=["--box"])
        self.train_refused("--huber-delta", "0", words=["above 0"])
        self.train_refused("--huber-delta", "2", words=["expected --loss huber"])
        self.train_refused("--tolerance", "0", words=["--tolerance"])
        self.train_refused("--loss", "cubic", words=["squared|logistic"])
        self.train_refused("--no-intercept=3", words=["no value"])
        self.train_refused("--no-target", words=["--no-target"])

    def test_options_that_do_not_exist_yet(self):
        for option in ("--radius",):
            self.train_refused(option, "1", words=[option])

    def test_privacy_is_not_forgotten(self):
        for args, code, word in (
                ((), PRIVACY, "--epsilon"),
                (("--epsilon", "1"), PRIVACY, "--delta"),
                (("--epsilon", "1", "--delta", "1e-6", "--solver", "cd"),
                 PRIVACY, "bounds"),
                (("--epsilon", "1", "--solver", "cd"), PRIVACY, "--delta"),
                (("--epsilon", "1", "--solver", "exact"), PRIVACY,
                 "not private"),
                (("--epsilon", "0"), USAGE, "--epsilon"),
                (("--epsilon", "-1"), USAGE, "--epsilon"),
                (("--epsilon", "nan"), USAGE, "--epsilon")):
            self.refused("train", "n.csv", "--target", "cost", "-o",
                         "old.json", *args, code=code, words=[word])

    def test_two_features_of_one_name(self):
        self.write("k.csv", "k,k=u,t\nu,1,2\nv,2,3\n")
        self.write("k.json", schema({"k": {"type": "category",
                                           "levels": ["u", "v"]},
                                     "k=u": {"type": "number"},
                                     "t": {"type": "target"}}))
        self.train_refused("--schema", "k.json", data="k.csv", target=(),
                           words=['"k=u"'])

    def test_words_that_are_not_utf8(self):
        self.train_refused("--classes", b"gr\xf6,b", "--loss", "logistic",
                           words=["--classes", "UTF-8"])

    def test_no_target(self):
        self.train_refused(target=(), words=["--target"])

    def test_data(self):
        self.write("p0.csv", "t\n1\n2\n")
        self.train_refused(data="p0.csv", target=("--target", "t"), code=DATA,
                           words=["p0.csv", "at least one feature"])
        self.write("dup.csv", "a,a,t\n1,2,3\n")
        self.train_refused(data="dup.csv", target=("--target", "t"), code=DATA,
                           words=["columns 1 and 2", "different names"])
        self.write("one.csv", "a,t\n1,1\n2,1\n3,1\n")
        self.train_refused("--loss", "logistic", data="one.csv",
                           target=("--target", "t"), code=DATA,
                           words=["one class"])
        self.write("apart.csv", "a,t\n1,0\n2,0\n3,1\n4,1\n")
        self.train_refused("--loss", "logistic", data="apart.csv",
                           target=("--target", "t"), code=DATA,
                           words=["no minimiser exists", "--l2"])
        self.train_refused(data="none.csv", code=FAILED, words=["none.csv"])

    def test_output(self):
        text = self.sotto("train", "n.csv", "--epsilon", "inf", "--target",
                          "cost")
        self.assertIn("-o FILE", self.assert_one_line(text, USAGE))
        os.mkdir(self.path("folder"))
        for output in ("folder", "nowhere/m.json", "folder/"):
            self.train_refused("-o", output, code=FAILED, words=["-o"])
        self.train_refused("-o", "n.csv", words=["-o"])
        self.train_refused("-o", "s.json", "--schema", "s.json", data="d.csv",
                           target=(), words=["-o"])
        with open(self.path("n.csv"), "rb") as file:
            self.refused("train", "-", "--format", "csv", "--epsilon", "inf",
                         "--target", "cost", "-o", "n.csv", words=["-o"],
                         input=file)
        self.train_patients(model="old.json")
        for data in ("d.csv", "s.json"):
            text = self.sotto("predict", "old.json", "d.csv", "-o",
                              "old.json" if data == "d.csv" else "d.csv")
            self.assertIn("-o", self.assert_one_line(text, USAGE))
        self.train_refused("-o", "-", "--json", words=["stdout"])

    def edited(self, change):
        self.train_patients()
        with open(self.path("m.json"), encoding="utf-8") as file:
            text = file.read()
        self.write("bad.json", change(text))

    def model_refused(self, words, code=USAGE):
        for verb in (("predict", "bad.json", "d.csv"),
                     ("evaluate", "bad.json", "d.csv"), ("show", "bad.json"),
                     ("export", "bad.json", "--format", "liblinear", "-o",
                      "old.json")):
            self.refused(*verb, code=code, words=["bad.json", *words])

    def test_a_cut_model(self):
        for part in (0, 1, 100, -3):
            self.edited(lambda text: text[:part])
            self.model_refused(["cut short"])

    def test_an_edited_model(self):
        self.edited(lambda text: text.replace('"l2": 0.01', '"l2": 0.02'))
        self.model_refused(["checksum"])

    def test_a_newer_model(self):
        self.edited(lambda text: text.replace('"sotto_model": 1',
                                              '"sotto_model": 2'))
        self.model_refused(["version 2", "version 1"])

    def test_not_a_model(self):
        self.write("bad.json", '{"weights": [1]}')
        self.model_refused(["not a model"])
        self.write("bad.json", csv(self.rows, COLUMNS))
        self.model_refused(["something else"])
        self.refused("show", "none.json", code=FAILED, words=["none.json"])
        self.refused("show", ".", code=FAILED)

    def test_other_features(self):
        self.train_patients()
        self.write("less.csv", csv(self.rows, ["age", "visits"]))
        self.refused("predict", "m.json", "less.csv", code=DATA,
                     words=["less.csv", '"sex"'])
        self.write("more.csv", csv(self.rows, COLUMNS + ["cost"]))
        self.refused("predict", "m.json", "more.csv", code=DATA,
                     words=["more.csv", '"cost"', "--drop"])
        self.assertEqual(self.predict("more.csv", "--drop", "cost"),
                         self.predict("d.csv"))
        self.refused("predict", "m.json", "d.csv", "--drop", "age",
                     words=['"age"'])
        self.write("no.csv", csv(self.rows, ["age", "sex", "visits"]))
        self.refused("evaluate", "m.json", "no.csv", code=DATA,
                     words=['"out"', "target"])
        self.write("d.svm", "1 1:2\n-1 2:3\n")
        self.refused("predict", "m.json", "d.svm", code=DATA,
                     words=["named columns"])

    def test_other_numbered_features(self):
        self.write("d.svm", "1 1:2\n-1 2:3\n")
        self.train("--loss", "hinge", "--l2", "1", data="d.svm")
        self.write("more.svm", "1 1:2\n1 3:1\n")
        self.refused("predict", "m.json", "more.svm", code=DATA,
                     words=["more.svm", "line 2", "the model"])
        self.refused("predict", "m.json", "d.csv", code=DATA,
                     words=["svmlight"])

    def test_bad_rows(self):
        self.train_patients()
        self.write("bad.csv", "age,sex,visits\n50,f,1\n515253.75x,f,3\n")
        text = self.refused("predict", "m.json", "bad.csv", code=DATA,
                            words=["bad.csv", "line 3"])
        self.assertNotIn("515253", text)
        self.write("level.csv", "age,sex,visits\n50,x,1\n")
        self.refused("predict", "m.json", "level.csv", code=DATA,
                     words=['"sex"', "levels"])

    def test_proba(self):
        self.train("--schema", "s.json", "--loss", "hinge", "--l2", "1")
        self.refused("predict", "m.json", "d.csv", "--proba",
                     words=["probabilities"])
        self.train_patients()
        self.refused("predict", "m.json", "d.csv", "--proba", "--scores",
                     words=["--proba"])

    def test_export(self):
        self.train_patients()
        self.refused("export", "m.json", "-o", "old.json",
                     words=["--format liblinear", "--format sql"])
        self.refused("export", "m.json", "--format", "csv", "-o", "old.json",
                     words=["liblinear", "sql"])
        self.refused("train", "d.csv", "--format", "liblinear", "--epsilon",
                     "inf", "-o", "old.json", words=["liblinear"])

    def test_disk_full(self):
        """The old model stays whole, and no temporary file is left."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
        self.refused("train", "d.csv", "--schema", "s.json", "--loss",
                     "logistic", "--epsilon", "inf", "--l2", "1", "-o",
                     "old.json", code=FAILED, words=["old.json", "write"],
                     before=limit)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_stdout_full(self):
        self.train_patients()
        with open("/dev/full", "wb") as full:
            for args in (("predict", "m.json", "d.csv"), ("show", "m.json"),
                         ("evaluate", "m.json", "d.csv", "--quiet"),
                         ("train", "n.csv", "--target", "cost", "--epsilon",
                          "inf", "-o", "-", "--quiet")):
                result = self.sotto(*args, stdout=full)
                self.assertEqual(result.code, FAILED, args)
                self.assertIn(b"write", result.err)


class Replaced(Models):
    """What happens to the file that stood at the name of the output."""

    def test_a_link_is_followed(self):
        os.mkdir(self.path("real"))
        self.train_patients("--l1", "1", model="real/m.json")
        before = self.model("real/m.json")
        os.symlink("real/m.json", self.path("link.json"))
        self.train_patients(model="link.json")
        self.assertTrue(os.path.islink(self.path("link.json")))
        self.assertNotEqual(self.model("real/m.json"), before)

    def test_stdout_by_its_name(self):
        """/dev/stdout may lead to a file: it is written, not replaced."""
        self.train_patients()
        with open(self.path("out"), "wb") as out:
            result = self.sotto("predict", "m.json", "d.csv", "-o",
                                "/dev/stdout", stdout=out)
        self.assertEqual((result.code, result.err), (OK, b""))
        self.assertTrue(os.path.islink("/dev/stdout"))
        with open(self.path("out"), encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), self.predict("d.csv"))

    def test_its_mode_stays(self):
        self.train_patients()
        os.chmod(self.path("m.json"), 0o600)
        self.train_patients()
        self.assertEqual(os.stat(self.path("m.json")).st_mode & 0o777, 0o600)


class Numbered(Models):
    """.npy columns are known by their place, so their number must be right."""

    def setUp(self):
        super().setUp()
        self.table = [[r["cost"], r["age"], r["visits"], 7.0]
                      for r in self.rows]
        self.write("d.npy", npy(self.table))

    def test_columns_that_moved_are_not_taken_for_others(self):
        self.write("x.npy", npy([row[1:] for row in self.table]))
        self.write("s4.json", schema({"1": {"type": "target"},
                                      "2": {"type": "number"}},
                                     default={"type": "drop"}))
        for args in (("--target", "1", "--only", "2,3"),
                     ("--target", "1", "--drop", "4"),
                     ("--schema", "s4.json")):
            self.train(*args, data="d.npy")
            self.assertEqual(len(self.predict("d.npy")), len(self.rows))
            for verb in ("predict", "evaluate"):
                text = self.assert_one_line(
                    self.sotto(verb, "m.json", "x.npy"), DATA)
                self.assertIn("4 columns", text)

    def test_a_target_at_the_end_may_be_missing(self):
        last = [row[1:] + row[:1] for row in self.table]
        self.write("last.npy", npy(last))
        self.write("without.npy", npy([row[:3] for row in last]))
        self.train("--target", "4", "--drop", "3", data="last.npy")
        self.assertEqual(self.predict("without.npy"),
                         self.predict("last.npy"))


class Interrupted(Models):
    """Ctrl-C in mid-fit: exit code 130, the old model untouched."""

    def long_fit(self, signal_number):
        """Sends the signal once the solver says that it is at work; left
        alone it would take most of a minute."""
        made = self.sotto("generate", "zipf-heavy", "--rows", "20000",
                          "--features", "20000", "-o", "hard.svm")
        self.assertEqual(made.code, OK)
        self.train_patients()
        with open(self.path("m.json"), "rb") as file:
            old = file.read()
        process = subprocess.Popen(
            [PROGRAM, "train", "hard.svm", "--loss", "hinge", "--epsilon",
             "inf", "--l2", "1e-6", "--tolerance", "1e-15", "--progress",
             "json", "-o", "m.json"],
            cwd=self.directory, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        for line in process.stderr:
            if b"solving" in line:
                break
        process.send_signal(signal_number)
        out, err = process.communicate(timeout=60)
        with open(self.path("m.json"), "rb") as file:
            self.assertEqual(file.read(), old)
        self.assertEqual([n for n in os.listdir(self.directory)
                          if n.startswith(".")], [])
        return process.returncode, out, err

    def test_interrupt(self):
        code, out, err = self.long_fit(signal.SIGINT)
        self.assertEqual((code, out), (INTERRUPTED, b""))
        self.assertTrue(err.endswith(b"sotto: interrupted\n"))

    def test_kill(self):
        code, out, _ = self.long_fit(signal.SIGKILL)
        self.assertEqual((code, out), (-signal.SIGKILL, b""))


class Progress(Models):
    def train_with(self, *args, **more):
        return self.sotto("train", "d.csv", "--schema", "s.json", "--loss",
                          "logistic", "--epsilon", "inf", "-o", "m.json",
                          "--quiet", *args, **more)

    def test_json(self):
        result = self.train_with("--progress", "json")
        said = [json.loads(line) for line in result.err.splitlines()]
        self.assertEqual(said[0], {"stage": "reading"})
        solving = [s for s in said if s["stage"] == "solving" and "gap" in s]
        self.assertGreater(len(solving), 0)
        shares = [s["share"] for s in solving]
        self.assertEqual(shares, sorted(shares))
        self.assertTrue(all(0 <= s <= 1 for s in shares))
        self.assertEqual(result.out, b"")

    def test_quiet_elsewhere(self):
        """Nothing where nobody looks."""
        self.assertEqual(self.train_with().err, b"")
        self.assertEqual(self.train_with("--progress", "none").err, b"")

    def test_bar_on_a_terminal(self):
        for args, drawn in ((("--progress", "auto"), True),
                            (("--progress", "none"), False)):
            ours, theirs = pty.openpty()
            process = subprocess.Popen(
                [PROGRAM, "train", "d.csv", "--schema", "s.json", "--loss",
                 "logistic", "--epsilon", "inf", "-o", "m.json", *args],
                cwd=self.directory, stdout=subprocess.DEVNULL, stderr=theirs)
            os.close(theirs)
            shown = b""
            while True:
                try:
                    part = os.read(ours, 4096)
                except OSError:
                    break
                if not part:
                    break
                shown += part
            os.close(ours)
            self.assertEqual(process.wait(), 0)
            self.assertEqual(b"solving  [" in shown, drawn)


if __name__ == "__main__":
    unittest.main()

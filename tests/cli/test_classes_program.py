#!/usr/bin/python3
"""Three classes and more from the file to the answers: train, show, predict, evaluate, export."""

import json
import math
import os
import random
import shutil
import subprocess
import unittest

from common import USAGE, Case

LIBLINEAR = shutil.which("liblinear-predict")
NAMES = ["low", "mid,dle", "top"]


class Classes(Case):
    def setUp(self):
        super().setUp()
        draw = random.Random(5)
        self.rows = []
        for _ in range(300):
            x, z = draw.uniform(-1, 1), draw.uniform(-1, 1)
            noisy = 2 * x + z + draw.gauss(0, .5)
            self.rows.append((x, z, NAMES[(noisy > -.7) + (noisy > .7)]))
        self.write("data.csv", "x,z,t\n" + "".join(
            '%r,%r,"%s"\n' % row for row in self.rows))
        self.write("schema.json", json.dumps({"sotto_schema": 1, "columns": {
            "x": {"type": "number"}, "z": {"type": "number"},
            "t": {"type": "target", "classes": NAMES}}}))

    def train(self, *more):
        result = self.sotto("train", "data.csv", "--schema=schema.json", "--epsilon=inf",
                            "--l2=0.01", "--output=m.json", *more)
        self.assertEqual(result.code, 0, result.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def answers(self, *more):
        result = self.sotto("predict", "m.json", "data.csv", "--json", *more)
        self.assertEqual(result.code, 0, result.err)
        return json.loads(result.out)

    def test_answers(self):
        """Scores are x'w + b of each class, chances their softmax, the label the largest."""
        m = self.train("--loss=logistic")
        self.assertEqual(m["classes"], NAMES)
        labels, scores = self.answers()["answers"], self.answers("--scores")
        chances = self.answers("--proba")["answers"]
        self.assertEqual(scores["classes"], NAMES)
        right, log_loss = 0, 0
        for row, label, score, chance in zip(self.rows, labels, scores["answers"], chances):
            mine = [m["intercept"][k] + sum(row[j] * m["weights"][j][k] for j in (0, 1))
                    for k in range(3)]
            total = sum(map(math.exp, mine))
            for k in range(3):
                self.assertAlmostEqual(score[k], mine[k], delta=1e-12)
                self.assertAlmostEqual(chance[k], math.exp(mine[k]) / total, delta=1e-12)
            self.assertEqual(label, NAMES[mine.index(max(mine))])
            right += label == row[2]
            log_loss -= math.log(chance[NAMES.index(row[2])])
        told = json.loads(self.sotto("evaluate", "m.json", "data.csv", "--json").out)
        self.assertAlmostEqual(told["accuracy"], right / 300, delta=1e-12)
        self.assertAlmostEqual(told["log_loss"], log_loss / 300, delta=1e-12)
        self.assertGreater(told["accuracy"], .7)
        self.assertEqual(sum(map(sum, told["confusion"])), 300)
        self.assertEqual(sum(told["confusion"][k][k] for k in range(3)), right)
        for k, name in enumerate(NAMES):
            self.assertEqual(sum(told["confusion"][k]), sum(row[2] == name for row in self.rows))

    def test_area(self):
        """The mean over classes of the chance that a row of it has the larger probability."""
        self.train("--loss=logistic")
        chances = self.answers("--proba")["answers"]
        areas = []
        for k, name in enumerate(NAMES):
            mine = [c[k] for c, row in zip(chances, self.rows) if row[2] == name]
            others = [c[k] for c, row in zip(chances, self.rows) if row[2] != name]
            wins = sum((a > b) + .5 * (a == b) for a in mine for b in others)
            areas.append(wins / len(mine) / len(others))
        told = json.loads(self.sotto("evaluate", "m.json", "data.csv", "--json").out)
        self.assertAlmostEqual(told["auc"], sum(areas) / 3, delta=1e-12)

    def test_text(self):
        """A header names the classes; a comma in a name is quoted."""
        self.train("--loss=logistic")
        lines = self.sotto("predict", "m.json", "data.csv", "--proba").out.decode().splitlines()
        self.assertEqual(lines[0], 'low,"mid,dle",top')
        self.assertEqual(len(lines), 301)
        self.assertAlmostEqual(sum(map(float, lines[1].split(","))), 1, delta=1e-12)
        self.assertIn("multinomial", self.sotto("show", "m.json").out.decode())
        self.assertIn("predicted class", self.sotto("evaluate", "m.json", "data.csv").out.decode())
        self.assertIn('target: 3 classes\n  "low": %d rows\n' % sum(
            row[2] == "low" for row in self.rows), self.sotto(
            "doctor", "data.csv", "--schema=schema.json", "--loss=logistic").out.decode())

    def test_confusion_in_words(self):
        """Short names head their columns; of longer ones, which may begin alike, numbers do."""
        self.train("--loss=logistic")
        counts = json.loads(self.sotto("evaluate", "m.json", "data.csv", "--json").out)["confusion"]
        lines = self.sotto("evaluate", "m.json", "data.csv").out.decode().splitlines()[-4:]
        self.assertEqual(lines[0], " " * 13 + "".join(" %11s" % name for name in NAMES))
        self.assertEqual(lines[1:], ["  %-11s" % name + "".join(" %11d" % n for n in row)
                                     for name, row in zip(NAMES, counts)])
        names = ["Rehabilitation in", "Rehabilitation out", "\u00dcberweisung"]
        text = "".join("%r,%r,%s\n" % (x, z, names[NAMES.index(t)]) for x, z, t in self.rows)
        self.write("long.csv", "x,z,t\n" + text)
        self.ran("train", "long.csv", "--target=t", "--classes=" + ",".join(names), "--l2=0.01",
                 "--loss=logistic", "--epsilon=inf", "--output=long.json")
        lines = self.ran("evaluate", "long.json", "long.csv").splitlines()[-4:]
        self.assertEqual(lines[0], " " * 23 + "".join(" %11d" % k for k in (1, 2, 3)))
        self.assertEqual(lines[1:], ["  %2d %-18s" % (k + 1, names[k]) + "".join(
            " %11d" % n for n in row) for k, row in enumerate(counts)])

    def test_doctor_lists_classes(self):
        """All of them up to 50, and those without a row."""
        self.write("many.csv", "x,t\n1,c0\n2,c59\n3,c11\n4,c11\n")
        for count, more in ((12, ""), (60, "  ... and 10 more\n")):
            names = ["c%d" % k for k in range(count)]
            if count == 12:
                names[-2] = "c59"
            said = self.sotto("doctor", "many.csv", "--target=t", "--loss=logistic",
                              "--classes=" + ",".join(names)).out.decode()
            rows = {"c0": "1 row", "c59": "1 row", "c11": "2 rows"}
            self.assertIn("target: %d classes\n" % count + "".join(
                '  "%s": %s\n' % (name, rows.get(name, "no row")) for name in names[:50]) + more,
                said)
            told = json.loads(self.ran("doctor", "many.csv", "--target=t", "--loss=logistic",
                                       "--classes=" + ",".join(names), "--json"))
            self.assertEqual((told["classes"], told["class_rows"]), (
                names, [int(rows.get(name, "0 rows").split()[0]) for name in names]))
            self.assertNotIn("target_mean", told)

    def test_show_by_class(self):
        """The names, and for each class its own weights, the largest first, and its intercept."""
        m = self.train("--loss=logistic")
        shown = self.sotto("show", "m.json").out.decode()
        self.assertIn('           low, "mid,dle", top\n', shown)
        parts = shown.split("class      ")[1:]
        self.assertEqual([part.splitlines()[0] for part in parts], NAMES)
        for k, part in enumerate(parts):
            words = [line.split() for line in part.splitlines()[1:4]]
            largest = sorted(range(2), key=lambda j: -abs(m["weights"][j][k]))
            self.assertEqual([w[0] for w in words], [*("xz"[j] for j in largest), "(intercept)"])
            for j, w in zip(largest, words):
                self.assertAlmostEqual(float(w[1]), m["weights"][j][k], delta=1e-4)
            self.assertAlmostEqual(float(words[2][1]), m["intercept"][k], delta=1e-4)

    def test_one_versus_rest(self):
        for loss in ("hinge", "squared-hinge", "logistic"):
            with self.subTest(loss):
                m = self.train("--loss=" + loss, "--multiclass=one-versus-rest")
                self.assertEqual(m["strategy"], "one-versus-rest")
                told = json.loads(self.sotto("evaluate", "m.json", "data.csv", "--json").out)
                self.assertGreater(told["accuracy"], .6)
        chances = self.answers("--proba")["answers"]
        self.assertAlmostEqual(sum(chances[0]), 1, delta=1e-12)
        self.train("--loss=hinge")
        self.assert_refused(self.sotto("predict", "m.json", "data.csv", "--proba"), USAGE,
                            hint="no probabilities")
        self.assert_refused(self.sotto(
            "train", "data.csv", "--schema=schema.json", "--epsilon=inf", "--loss=hinge",
            "--multiclass=multinomial", "--output=m.json"), USAGE, hint="one-versus-rest")

    def test_answers_are_their_owners(self):
        """They are as sensitive as the rows."""
        self.train("--loss=logistic")
        self.sotto("predict", "m.json", "data.csv", "--output=a.csv")
        self.assertEqual(os.stat(self.path("a.csv")).st_mode & 0o777, 0o600)

    def test_liblinear(self):
        m = self.train("--loss=logistic")
        self.sotto("export", "m.json", "--format=liblinear", "--output=m.txt")
        with open(self.path("m.txt"), encoding="ascii") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[1:6], ["nr_class 3", "label 1 2 3", "nr_feature 2", "bias 1", "w"])
        read = [list(map(float, line.split())) for line in lines[6:]]
        self.assertEqual(read, m["weights"] + [m["intercept"]])

    @unittest.skipUnless(LIBLINEAR, "no liblinear-predict (liblinear-tools)")
    def test_liblinear_predicts_equally(self):
        """The file as LIBLINEAR itself reads it; of one-versus-rest with its probabilities."""
        draw, lines = random.Random(8), []
        for _ in range(400):
            x = [draw.gauss(0, 1) for _ in range(5)]
            scores = [2 * x[0], x[1] - x[0], 1.5 * x[2], -x[1]]
            lines.append("%d %s" % (7 - scores.index(max(scores)), " ".join(
                "%d:%r" % (j + 1, v) for j, v in enumerate(x) if v > -1)))
        self.write("d.svm", "\n".join(lines) + "\n")
        for loss, how in (("logistic", "multinomial"), ("logistic", "one-versus-rest"),
                          ("hinge", "one-versus-rest"), ("squared-hinge", "one-versus-rest")):
            with self.subTest(loss=loss, how=how):
                self.ran("train", "d.svm", "--classes=4,7,5,6", "--loss=" + loss, "--multiclass=" + how,
                         "--epsilon=inf", "--l2=0.01", "-o", "m.json")
                self.ran("export", "m.json", "--format=liblinear", "-o", "m.lin")
                ours = self.ran("predict", "m.json", "d.svm").split()
                own = how == "one-versus-rest" and loss == "logistic"
                subprocess.run([LIBLINEAR, *(["-b", "1"] if own else []), "-q", "d.svm", "m.lin", "out"],
                               cwd=self.directory, check=True, stdout=subprocess.DEVNULL)
                with open(self.path("out"), encoding="ascii") as file:
                    theirs = [line.split() for line in file]
                if own:
                    self.assertEqual(theirs.pop(0), ["labels", "4", "7", "5", "6"])
                    chances = self.ran("predict", "m.json", "d.svm", "--proba").split()[1:]
                    for mine, line in zip(chances, theirs, strict=True):
                        for a, b in zip(mine.split(","), line[1:], strict=True):
                            self.assertAlmostEqual(float(a), float(b), 5)
                self.assertEqual(ours, [line[0] for line in theirs])
                self.assertEqual(set(ours), set("4567"))

    def ran(self, *args):
        result = self.sotto(*args)
        self.assertEqual(result.code, 0, result.err)
        return result.out.decode()

    @unittest.skipUnless(LIBLINEAR, "no liblinear-predict (liblinear-tools)")
    def test_liblinear_probabilities(self):
        """liblinear-predict gives the same labels. Its probabilities are one-versus-rest: the same
        as ours of such a model, and refused of a multinomial one."""
        self.write("data.svm", "".join("1 1:%r 2:%r\n" % row[:2] for row in self.rows))
        for how in ("multinomial", "one-versus-rest"):
            self.train("--loss=logistic", "--multiclass=" + how)
            result = self.sotto("export", "m.json", "--format=liblinear", "--output=m.txt")
            self.assertEqual(b"-b 1" in result.err, how == "multinomial", result.err)
            predict = [LIBLINEAR, "-q", "data.svm", "m.txt", "out"]
            subprocess.run(predict, cwd=self.directory, check=True, stdout=subprocess.DEVNULL)
            with open(self.path("out"), encoding="ascii") as file:
                theirs = [NAMES[int(word) - 1] for word in file.read().split()]
            self.assertEqual(theirs, self.answers()["answers"])
            done = subprocess.run([predict[0], "-b", "1", *predict[1:]], cwd=self.directory,
                                  check=False, capture_output=True)
            self.assertEqual(done.returncode == 0, how == "one-versus-rest", done)
        with open(self.path("out"), encoding="ascii") as file:
            lines = file.read().splitlines()[1:]
        for line, ours in zip(lines, self.answers("--proba")["answers"]):
            for theirs, mine in zip(line.split()[1:], ours):
                self.assertAlmostEqual(float(theirs), mine, delta=1e-4)

    def test_report(self):
        self.train("--loss=logistic")
        self.assertEqual(self.sotto("report", "m.json", "--output=r.html").code, 0)
        with open(self.path("r.html"), encoding="utf-8") as file:
            page = file.read()
        apart = "3 classes apart, \u201clow\u201d, \u201cmid,dle\u201d, \u201ctop\u201d: %s, and the one with"
        self.assertIn(apart % "they were learned at once (multinomial)", page)
        self.assertEqual(page.count("(intercept)"), 3)
        self.assertIn("<td>mid,dle</td>", page)
        self.train("--loss=hinge")
        self.ran("report", "m.json", "--output=r.html")
        with open(self.path("r.html"), encoding="utf-8") as file:
            self.assertIn(apart % "each was learned against the others", file.read())

    def test_changed_models(self):
        """What is not a model of so many classes is refused, although the checksum fits."""
        m = self.train("--loss=logistic")
        for key, value in (("strategy", "both"), ("strategy", None), ("intercept", 1.5),
                           ("intercept", [1, 2]), ("weights", [1, 2]), ("classes", NAMES[:2]),
                           ("weights", [[1, 2, 3], [1, 2]]), ("loss", "hinge"),
                           ("classes", [str(k) for k in range(1001)])):
            changed = {k: v for k, v in {**m, key: value}.items() if v is not None or k != key}
            with self.subTest(key=key, value=str(value)[:40]):
                self.write_model("changed.json", changed)
                self.assert_refused(self.sotto("show", "changed.json"), USAGE, hint="not as it must")

    def test_class_without_rows(self):
        result = self.sotto("train", "data.csv", "--target=t", "--loss=logistic", "--epsilon=inf",
                            "--classes=low,top,none", "--bad-rows=drop", "--output=m.json", "--quiet")
        self.assert_refused(result, hint='class "none"')


if __name__ == "__main__":
    unittest.main()

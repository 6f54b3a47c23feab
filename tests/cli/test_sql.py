#!/usr/bin/env python3
"""`sotto export --format sql` in SQLite: what it answers is what `sotto predict` answers, and what
`sotto predict` refuses has no answer."""
import json
import math
import random
import re
import sqlite3
import unittest

from common import DATA, OK, PRIVACY, USAGE, Case, schema
from model_cases import allowance, as_csv, draw_classes, draw_model, draw_rows

TYPES = {"number": ("REAL", "INTEGER", "NUMERIC", "TEXT", "BLOB", "", "DOUBLE PRECISION"),
         "date": ("TEXT", "TEXT COLLATE NOCASE", "", "BLOB"), "boolean": ("TEXT", "", "INTEGER", "BLOB"),
         "category": ("TEXT", "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM", "", "BLOB")}


def quoted(name):
    return '"%s"' % name.replace('"', '""')


def table(names, types, rows, called="records"):
    """A database in memory with these rows, and the rows as SQLite has stored them."""
    database = sqlite3.connect(":memory:")
    columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in zip(names, types))
    database.execute(f"CREATE TABLE {called} ({columns}, row_id INTEGER)")
    marks = ", ".join("?" * (len(names) + 1))
    database.executemany(f"INSERT INTO {called} VALUES ({marks})",
                         [[*row, i] for i, row in enumerate(rows)])
    stored = database.execute(f"SELECT {', '.join(map(quoted, names))} FROM {called} "
                              "ORDER BY row_id").fetchall()
    return database, stored


def answers(database, text):
    """The rows of the SELECT as dictionaries, in the order of the table."""
    cursor = database.execute(text)
    names = [about[0] for about in cursor.description]
    rows = [dict(zip(names, row)) for row in cursor.fetchall()]
    return sorted(rows, key=lambda row: row["row_id"])


class Sql(Case):
    def export(self, name="m.json"):
        result = self.sotto("export", name, "--format", "sql", "-o", "-")
        self.assertEqual((result.code, result.err), (OK, b""))
        return result.out.decode()

    def predict(self, names, rows, *args):
        """What predict prints, line by line; None: it refuses."""
        self.write("t.csv", as_csv(names, rows))
        result = self.sotto("predict", "m.json", "t.csv", "--quiet", *args)
        if result.code == DATA:
            return None
        self.assertEqual(result.code, OK, result.err)
        return result.out.decode().split("\n")[:-1]

    def compare(self, model, names, rows, types):
        """Answers of SQL and predict; returns how many rows had one, and how many none."""
        database, stored = table(names, types, rows)
        found = answers(database, self.export())
        good = [i for i, row in enumerate(found) if row["sotto_score"] is not None]
        for i in set(range(len(rows))) - set(good):
            self.assertIsNone(self.predict(names, [stored[i]]), stored[i])
            self.assertIsNone(found[i].get("sotto_label"))
            self.assertIsNone(found[i].get("sotto_probability"))
        if good:
            self.compare_answers(model, names, [stored[i] for i in good], [found[i] for i in good])
        return len(good), len(rows) - len(good)

    def compare_answers(self, model, names, rows, found):
        scores = self.predict(names, rows, "--scores")
        self.assertIsNotNone(scores, rows)
        near = allowance(model)
        for score, row in zip(map(float, scores), found, strict=True):
            large = max(map(abs, [v for v in row.values() if isinstance(v, (int, float))]))
            self.assertAlmostEqual(score, row["sotto_score"], delta=near * max(1, large))
        if not model["classes"]:
            self.assertNotIn("sotto_label", found[0])
            return
        labels = "\n".join(self.predict(names, rows))
        mine = "\n".join(row["sotto_label"] for row in found)
        self.assertEqual(labels, mine)
        if model["loss"] == "logistic":
            for p, row in zip(map(float, self.predict(names, rows, "--proba")), found):
                self.assertAlmostEqual(p, row["sotto_probability"], delta=1e-12 + near)
        else:
            self.assertNotIn("sotto_probability", found[0])


class Random(Sql):
    def test_as_predict(self):
        draw = random.Random(24)
        answered = refused = 0
        for _ in range(60):
            loss = draw.choice(["logistic", "hinge", "squared"])
            model = draw_model(draw, loss, norm=draw.random() < .3)
            self.write_model("m.json", model)
            names, rows = draw_rows(draw, model, 40)
            columns = model["schema"]["columns"]
            types = [draw.choice(TYPES[columns[name]["type"]]) for name in names]
            with self.subTest(model=json.dumps(model), types=types):
                some, none = self.compare(model, names, rows, types)
                answered, refused = answered + some, refused + none
        # both sides are met, so that neither way of being wrong goes unseen
        self.assertGreater(answered, 900)
        self.assertGreater(refused, 200)


class Classes(Sql):
    """More than two classes: scores, probabilities and the label."""

    def columns(self, row, name, count):
        return [row[f"sotto_{name}_{k + 1}"] for k in range(count)]

    def compare_answers(self, model, names, rows, found):
        count, near = len(model["classes"]), allowance(model)
        printed = self.predict(names, rows, "--scores")
        self.assertIsNotNone(printed, rows)
        clear = []  # beside rounding
        for line, row in zip(printed[1:], found, strict=True):  # below the names of the classes
            theirs, mine = [float(word) for word in line.split(",")], self.columns(row, "score", count)
            reach = near * max(1, *(abs(v) for v in row.values() if isinstance(v, (int, float))))
            for a, b in zip(theirs, mine, strict=True):
                self.assertAlmostEqual(a, b, delta=reach)
            clear.append(sorted(mine)[-1] - sorted(mine)[-2] > 4 * reach)
        labels = "\n".join(self.predict(names, rows)).split("\n")
        for label, row, sure in zip(labels, found, clear, strict=True):
            if sure:
                self.assertEqual(label, row["sotto_label"])
        self.sure += sum(clear)
        if model["loss"] != "logistic":
            self.assertNotIn("sotto_probability_1", found[0])
            return
        for line, row in zip(self.predict(names, rows, "--proba")[1:], found, strict=True):
            theirs, mine = ([float(word) for word in line.split(",")],
                            self.columns(row, "probability", count))
            for a, b in zip(theirs, mine, strict=True):
                self.assertAlmostEqual(a, b, delta=1e-9 + 1e4 * near)

    def compare(self, model, names, rows, types):
        database, stored = table(names, types, rows)
        found = answers(database, self.export())
        good = [i for i, row in enumerate(found) if row["sotto_label"] is not None]
        for i in set(range(len(rows))) - set(good):
            self.assertIsNone(self.predict(names, [stored[i]]), stored[i])
            self.assertEqual({v for k, v in found[i].items() if k.startswith("sotto_")}, {None})
        if good:
            self.compare_answers(model, names, [stored[i] for i in good], [found[i] for i in good])
        return len(good), len(rows) - len(good)

    def test_as_predict(self):
        draw = random.Random(25)
        answered = refused = self.sure = 0
        for _ in range(25):
            loss, strategy = draw.choice([("logistic", "multinomial"), ("logistic", "one-versus-rest"),
                                          ("hinge", "one-versus-rest")])
            model = draw_classes(draw, draw_model(draw, loss), draw.randint(3, 7), strategy)
            self.write_model("m.json", model)
            names, rows = draw_rows(draw, model, 40)
            columns = model["schema"]["columns"]
            types = [draw.choice(TYPES[columns[name]["type"]]) for name in names]
            with self.subTest(model=json.dumps(model), types=types):
                some, none = self.compare(model, names, rows, types)
                answered, refused = answered + some, refused + none
        self.assertGreater(answered, 400)
        self.assertGreater(refused, 60)
        self.assertGreater(self.sure, .8 * answered)  # rounding does not hide the labels

    def by_hand(self, classes, **change):
        model = {
            "sotto_model": 1, "not_private": True, "loss": "logistic", "strategy": "multinomial",
            "penalty": {"units": "fit", "l1": 0.0, "l2": 0.0, "box": None}, "classes": classes,
            "intercept": [0.0] * len(classes), "features": ["x"],
            "weights": [[float(k) for k in range(len(classes))]],
            "schema": {"sotto_schema": 1, "columns": {
                "x": {"type": "number", "bounds": [-1000.0, 1000.0]},
                "y": {"type": "target", "classes": classes}}},
            "privacy": None}
        self.write_model("m.json", {**model, **change})

    def test_far_scores_and_ties(self):
        """Of equal scores the first class is the label."""
        self.by_hand(list("abc"))
        database, _ = table(("x",), ("",), [(0,), (1000,), (-1000,), (1,), ("?",)])
        found = answers(database, self.export())
        self.assertEqual([row["sotto_label"] for row in found], ["a", "c", "a", "c", None])
        self.assertEqual([self.columns(row, "probability", 3) for row in found[1:3]],
                         [[0, 0, 1], [1, 0, 0]])
        for p in self.columns(found[0], "probability", 3):
            self.assertAlmostEqual(p, 1 / 3)

    def test_far_scores_one_versus_rest(self):
        self.by_hand(list("abc"), strategy="one-versus-rest", intercept=[-2000.0] * 3)
        database, _ = table(("x",), ("",), [(0,), (1000,)])
        found = answers(database, self.export())
        self.assertEqual(self.columns(found[0], "probability", 3), [1 / 3] * 3)
        self.assertEqual(self.columns(found[1], "probability", 3), [0, 0, 1])

    def test_many_classes(self):
        """200 of them, and no more."""
        self.by_hand([f"c{k}" for k in range(200)])
        database, _ = table(("x",), ("",), [(-.5,), (.5,)])
        self.assertEqual([row["sotto_label"] for row in answers(database, self.export())], ["c0", "c199"])
        self.by_hand([f"c{k}" for k in range(201)])
        line = self.assert_one_line(self.sotto("export", "m.json", "--format", "sql", "-o", "-"), USAGE)
        self.assertIn("up to 200 classes; this one has 201", line)

    def test_one_table(self):
        self.by_hand(list("abc"))
        text = self.export()
        self.assertEqual(text.count(";"), 1)
        self.assertEqual(re.findall(r"FROM (\w+)", text)[1], "records")
        self.assertIn("-- after FROM in the first SELECT", text)


class Plain(Sql):
    """One model, looked at closely."""

    def setUp(self):
        super().setUp()
        self.model = {
            "sotto_model": 1, "not_private": True, "loss": "logistic",
            "penalty": {"l1": 0.0, "l2": 0.0, "box": None}, "classes": ["no", "yes"],
            "intercept": -1.0, "features": ["age", "ward=a", "ward=b"], "weights": [.5, 2.0, -3.0],
            "schema": {"sotto_schema": 1, "missing_values": ["NA", "-99"], "columns": {
                "age": {"type": "number", "bounds": [0.0, 10.0], "missing": 4.0},
                "ward": {"type": "category", "levels": ["a", "b"], "missing": "none"},
                "y": {"type": "target", "classes": ["no", "yes"]}}},
            "privacy": None}
        self.write_model("m.json", self.model)

    def scores(self, rows, types=("", ""), names=("age", "ward")):
        database, _ = table(names, types, rows)
        return [row["sotto_score"] for row in answers(database, self.export())]

    def test_by_hand(self):
        self.assertEqual(self.scores([(2, "a"), (99, "b"), (-1, None), (None, "a"), ("NA", "NA"),
                                      (-99, "b"), ("-99.0", ""), (2, "A"), (2, "c"), ("x", "a")]),
                         [2, 1, -1, 3, 1, -2, 1, None, None, None])

    def test_texts_that_are_numbers(self):
        """As a file of CSV comes into SQLite, where every column is a text."""
        self.assertEqual(self.scores([("2", "a"), ("12abc", "a"), ("", "a"), ("9.5", "a"), ("10.5", "b")],
                                     types=("TEXT", "TEXT")), [2, None, 3, 5.75, 1])

    def test_levels_that_are_numbers(self):
        """In a file they are texts, in a table perhaps not."""
        self.model["schema"]["columns"]["ward"]["levels"] = ["1", "2.5"]
        self.model["features"] = ["age", "ward=1", "ward=2.5"]
        self.write_model("m.json", self.model)
        self.assertEqual(self.scores([(2, 1), (2, 2.5), (2, "1"), (2, 3)]), [2, -3, 2, None])

    def test_collation_does_not_count(self):
        self.assertEqual(self.scores([(2, "A"), (2, "a "), (2, "a")],
                                     types=("REAL", "TEXT COLLATE NOCASE")), [None, None, 2])

    def test_a_column_that_is_not_there(self):
        """SQLite takes a name in quotes for a text where there is no such column."""
        with self.assertRaisesRegex(sqlite3.OperationalError, "ward"):
            self.scores([(2, "a")], names=("age", "wart"))

    def test_names_that_the_table_has_already(self):
        database, _ = table(("age", "ward", "sotto_score", "sotto_label"), [""] * 4,
                            [(2, "a", 77, "old")])
        row = database.execute(self.export()).fetchone()
        self.assertEqual((row[0], row[2]), ("yes", 2.0))

    def test_far_scores(self):
        self.model.update(weights=[200.0, 0.0, 0.0], intercept=-1000.0)
        self.write_model("m.json", self.model)
        database, _ = table(("age", "ward"), ("", ""), [(0, "a"), (10, "a"), (5, "a")])
        found = answers(database, self.export())
        self.assertEqual([row["sotto_probability"] for row in found], [0, 1, .5])
        self.assertEqual([row["sotto_label"] for row in found], ["no", "yes", "no"])

    def test_it_says_what_it_is(self):
        text = self.export()
        self.assertIn("-- NOT PRIVATE", text)
        self.assertEqual(text.count(";"), 1)
        self.assertEqual(re.findall(r"FROM (\w+)", text), ["records"])

    def test_many_columns_and_levels(self):
        """SQLite takes no expression that is deeper than 1000."""
        numbers = {f"c{i}": {"type": "number", "bounds": [0.0, 1.0]} for i in range(1500)}
        levels = [f"l{i}" for i in range(3000)]
        self.model["schema"]["columns"] = {**numbers, "k": {"type": "category", "levels": levels}}
        self.model["features"] = [*numbers, *("k=" + level for level in levels)]
        self.model["weights"] = [.25] * 1500 + [float(i) for i in range(3000)]
        self.write_model("m.json", self.model)
        names = [*numbers, "k"]
        self.assertEqual(self.scores([[1.0] * 1500 + ["l2999"], [0.5] * 1500 + ["l3000"]],
                                     types=[""] * 1501, names=names), [375 + 2999 - 1, None])

    def test_weights_that_are_too_large(self):
        self.model["weights"][0] = 1e300
        self.write_model("m.json", self.model)
        line = self.assert_one_line(self.sotto("export", "m.json", "--format", "sql", "-o", "-"), USAGE)
        self.assertIn("so large", line)

    def test_features_that_are_not_the_schemas(self):
        for change in ({"features": ["age", "ward=b", "ward=a"]}, {"features": ["age", "ward=a", "ward"]},
                       {"features": ["age", "ward=a"], "weights": [1.0, 2.0]},
                       {"features": ["age", "ward=a", "ward=b", "z"], "weights": [1.0] * 4}):
            self.write_model("m.json", {**self.model, **change})
            line = self.assert_one_line(self.sotto("export", "m.json", "--format", "sql", "-o", "-"),
                                        USAGE)
            self.assertIn("not those of its schema", line)

    def test_refused(self):
        more = {"undeclared": "rows"}
        self.write_model("m.json", {**self.model, **more})
        result = self.sotto("export", "m.json", "--format", "sql", "-o", "-")
        self.assertIn("--undeclared bounds", self.assert_one_line(result, USAGE))
        self.write_model("m.json", {**self.model, "features": 3})
        result = self.sotto("export", "m.json", "--format", "sql", "-o", "-")
        self.assertIn("have names", self.assert_one_line(result, USAGE))
        result = self.sotto("export", "m.json", "--format", "html", "-o", "-")
        self.assertIn("liblinear or sql", self.assert_one_line(result, USAGE))


class Trained(Sql):
    """A private model, from the file to the answers."""

    def setUp(self):
        super().setUp()
        draw = random.Random(3)
        self.rows = [(x, draw.choice("abc"), "yes" if x > 4 else "no")
                     for x in (draw.uniform(0, 9) for _ in range(300))]
        self.write("d.csv", as_csv(("x", "k", "y"), self.rows))
        self.write("s.json", schema({
            "x": {"type": "number", "bounds": [1, 8]}, "k": {"type": "category", "levels": list("abc")},
            "y": {"type": "target", "classes": ["no", "yes"]}}))

    def test_private(self):
        result = self.sotto("train", "d.csv", "--schema", "s.json", "--loss", "logistic", "--epsilon",
                            "1", "--delta", "1e-5", "--rows", "300", "--quiet", "-o", "m.json")
        self.assertEqual(result.code, OK, result.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            model = json.load(file)
        text = self.export()
        self.assertRegex(text, r"-- The model was learned with epsilon (0\.99|1)\d*, delta 1e-05")
        self.assertNotIn(0, model["weights"][:1])
        self.assertNotIn("NOT PRIVATE", text)
        self.assertEqual(self.compare(model, ("x", "k"), [row[:2] for row in self.rows],
                                      ("REAL", "TEXT")), (300, 0))
        model["privacy"]["epsilon"] = .5
        self.write_model("forged.json", model)
        self.assert_one_line(self.sotto("export", "forged.json", "--format", "sql", "-o", "-"), PRIVACY)


if __name__ == "__main__":
    unittest.main()

"""sotto_dp.Schema: one to one with the program's schema file, and never from values."""

import csv
import datetime
import doctest
import json
import os
import pickle
import random
import subprocess
import tempfile
import unittest

from common import PROGRAM, have, np

from sotto_dp import schema as module
from sotto_dp import schema_columns, schema_words
from sotto_dp.errors import UsageError
from sotto_dp.schema import (Boolean, Category, Date, Drop, Number, Person, Schema, Target,
                             Weight)

SECRET = "zyzzyva"

pd = have("pandas")


# ---- random schemas ----

LETTERS = "ab_ é\"',;\\\t=%{}<&\u2028\U0001f600"
NUMBERS = [0, 1, -1, 0.1, -0.0, 5e-324, 1e300, -1e300, 2**53 + 1, 1 / 3, 2.0**-1074 * 3, 1e22, 7]


def word(rng):
    return "w" + "".join(rng.choice(LETTERS) for _ in range(rng.randrange(4))) + "z"


def words(rng, least, most):
    out = []
    while len(out) < rng.randint(least, most) or len(out) < least:
        out += [w for w in [word(rng)] if w not in out]
    return out


def bounds(rng, least=-1e308):
    while True:
        low, high = sorted(max(least, rng.choice(NUMBERS + [rng.gauss(0, 100)])) for _ in "ab")
        if high / 2 - low / 2 > 1e-300:
            return low, high


def number(rng):
    if rng.random() < 0.3:
        return Number(missing=rng.choice(["refuse", 3, 0.1]))
    low, high = bounds(rng)
    missing = rng.choice(["refuse", None, low, high, low / 2 + high / 2])
    return Number(low, high, missing=missing)


def category(rng):
    if rng.random() < 0.2:
        return Category("private", missing=rng.choice(["refuse", "none", "other"]))
    levels = words(rng, 1, 4)
    other = rng.random() < 0.5 and "other" not in levels
    return Category(levels, missing=rng.choice(["refuse", "none", None, rng.choice(levels),
                                                *(["other"] if other else [])]), other=other)


def date(rng):
    low, middle, high = sorted(rng.sample(range(1, 3652059), 3))
    low, middle, high = (datetime.date.fromordinal(day).isoformat() for day in (low, middle, high))
    rest = {"format": rng.choice(["%Y-%m-%d", "%d.%m.%Y %H:%M", "%Y%m%d"]),
            "missing": rng.choice(["refuse", None, middle])}
    parts = [part for part in ("days", "weekday", "month") if rng.random() < 0.5]
    if "days" in parts:
        return Date(low, high, since=rng.choice([None, low, "1970-01-01"]), as_=parts, **rest)
    return Date(as_=parts, **rest) if parts else Date(low, high, **rest)


def boolean(rng):
    yes = words(rng, 1, 3)
    no = [word for word in words(rng, 2, 4) if word not in yes]
    missing = rng.choice(["refuse", None, True, False])
    return Boolean(yes, no, missing=missing) if no and rng.random() < .5 else Boolean(
        missing=missing)


def target(rng):
    kind = rng.randrange(3)
    return (Target() if kind == 0 else Target(*bounds(rng)) if kind == 1
            else Target(classes=words(rng, 2, 2)))


def random_schema(rng):
    names = words(rng, 4, 9)
    columns = {names.pop(): target(rng), names.pop(): number(rng)}
    if rng.random() < 0.3:
        columns[names.pop()] = Weight(*bounds(rng, least=0))
    if rng.random() < 0.3 and names:
        columns[names.pop()] = Person(rng.choice([None, 1, 3]))
    for name in names:
        columns[name] = rng.choice([number, category, date, boolean, lambda _: Drop()])(rng)
    pairs = list(columns.items())
    rng.shuffle(pairs)
    return Schema(dict(pairs), others=rng.choice([None, Drop(), number(rng)]),
                  missing_values=rng.choice([[], ["NA", "?"], ["-99"]]),
                  width=rng.choice([None, None, 12]))


def cell(column, row):
    if isinstance(column, (Category, Target)) and getattr(column, "levels", None):
        return column.levels[0]
    if isinstance(column, Category):
        return "some"
    if isinstance(column, Target) and column.classes:
        return column.classes[row % 2]
    if isinstance(column, Date):
        return (column.format.replace("%Y", "2024").replace("%m", "02").replace("%d", "29")
                .replace("%H", "23").replace("%M", "59"))
    if isinstance(column, Boolean):
        return (column.true + column.false)[-1 - row % 2]
    if isinstance(column, Person):
        return "p%d" % row
    high = getattr(column, "high", None)
    return "1" if high is None else repr(high)


def read_by_program(schema, folder, extra):
    """What the program writes into a model about the columns it has read by this schema."""
    names = list(schema.columns) + extra
    with open(os.path.join(folder, "d.csv"), "w", newline="") as file:
        out = csv.writer(file, quoting=csv.QUOTE_ALL)
        out.writerow(names)
        for row in range(4):
            out.writerow(cell(schema.columns.get(n, schema.others), row) for n in names)
    with open(os.path.join(folder, "s.json"), "w") as file:
        file.write(schema.json_text())
    classes = schema.columns[schema.target].classes
    done = subprocess.run(
        [PROGRAM, "train", "d.csv", "--schema", "s.json", "--epsilon", "inf", "--l2", "1",
         "--loss", "logistic" if classes else "squared", "-o", "m.json", "--quiet"],
        cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr + schema.json_text())
    with open(os.path.join(folder, "m.json")) as file:
        return Schema.from_json(json.dumps(json.load(file)["schema"]))


def used(columns):
    """A model may leave out what it does not use, and has no number of rows of a person."""
    return {name: Person() if isinstance(c, Person) else c
            for name, c in columns.items() if not isinstance(c, Drop)}


class RoundTrip(unittest.TestCase):
    def test_text_and_repr(self):
        for seed in range(2000):
            schema = random_schema(random.Random(seed))
            again = Schema.from_json(schema.json_text())
            forget = {n: Person() if isinstance(c, Person) else c
                      for n, c in schema.columns.items()}
            self.assertEqual(again, Schema(
                forget, others=schema.others, missing_values=schema.missing_values,
                width=schema.width))
            self.assertEqual(again.json_text(), schema.json_text())
            self.assertEqual(list(again.columns), list(schema.columns))
            self.assertEqual(eval(repr(schema), vars(module)), schema)
            self.assertEqual(pickle.loads(pickle.dumps(schema)), schema)
            self.assertEqual(hash(pickle.loads(pickle.dumps(schema))), hash(schema))

    def test_program_reads_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(150):
                rng = random.Random(seed)
                schema = random_schema(rng)
                columns = {name: Category(["some"], missing=column.missing, other=True)
                           if getattr(column, "private", False) else column
                           for name, column in schema.columns.items()}
                schema = Schema(columns, others=schema.others,
                                missing_values=schema.missing_values)
                extra = ["further"] if schema.others else []
                found = read_by_program(schema, folder, extra)
                declared = {**schema.columns, **{name: schema.others for name in extra}}
                self.assertEqual(used(found.columns), used(declared), seed)
                self.assertEqual(found.missing_values, schema.missing_values)

    def test_template_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "d.csv"), "w") as file:
                file.write("age,y\n")
            text = subprocess.run([PROGRAM, "schema", "d.csv", "--target", "y"], cwd=folder,
                                  capture_output=True, check=True).stdout
        self.assertEqual(Schema.from_json(text), Schema(age=Number(), y=Target()))

    def test_file(self):
        schema = Schema(age=Number(0, 120), y=Target())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.json")
            with open(path, "wb") as file:
                file.write(b"\xef\xbb\xbf" + schema.json_text().encode())
            self.assertEqual(Schema.from_file(path), schema)
            with open(path, "w") as file:
                file.write("age\n40\n")
            self.assertTrue(refused(lambda: Schema.from_file(path)).startswith(path + ": line 1"))

    def test_order_does_not_matter_but_values_do(self):
        a, b = Number(0, 1), Category(["x"])
        self.assertEqual(Schema(a=a, b=b), Schema(b=b, a=a))
        self.assertEqual(hash(Schema(a=a, b=b)), hash(Schema(b=b, a=a)))
        for other in (Schema(a=a), Schema(a=Number(0, 2), b=b), Schema(a=a, b=b, others=Drop()),
                      Schema(a=a, b=b, width=2), Schema(a=a, b=b, missing_values=["y"])):
            self.assertNotEqual(Schema(a=a, b=b), other)
        self.assertNotEqual(Category(["x", "y"]), Category(["y", "x"]))
        self.assertNotEqual(Category(["x"]), Category(["x"], other=True))
        self.assertNotEqual(Category("private"), Category(["private"], other=True))
        self.assertEqual(Category("private"), Category("private", other=True))

    def test_names_of_settings_may_be_columns(self):
        schema = Schema({"others": Drop()}, width=Number(0, 1), missing_values=Drop(),
                        default=Drop())
        self.assertEqual(set(schema.columns), {"others", "width", "missing_values", "default"})
        self.assertEqual(eval(repr(schema), vars(module)), schema)

    def test_roles(self):
        schema = Schema(p=Person(rows=2), y=Target(), a=Number())
        self.assertEqual((schema.person, schema.rows_per_person, schema.target), ("p", 2, "y"))
        self.assertEqual((Schema().person, Schema().rows_per_person, Schema().target),
                         (None, None, None))


def refused(make):
    """The line of a refusal; None: it was not refused."""
    try:
        make()
    except (UsageError, TypeError) as error:
        return str(error)
    return None


BAD = [
    lambda: Number(0), lambda: Number(None, 1), lambda: Number(1, 1), lambda: Number(2, 1),
    lambda: Number(0, float("inf")), lambda: Number(0, float("nan")), lambda: Number(0, 10**400),
    lambda: Number(0, 5e-324), lambda: Number(-1.7e308, 1.7e308) and Number("0", "1"),
    lambda: Number(False, True), lambda: Number(0, 1, missing=2), lambda: Number(0, 1, missing=""),
    lambda: Number(0, 1, missing=True), lambda: Number(missing=float("nan")),
    lambda: Number(bought=True), lambda: Number(0, 1, bought="yes"),
    lambda: Category([]), lambda: Category("fm"), lambda: Category(["f", "f"]),
    lambda: Category([1, "1"]), lambda: Category([True]), lambda: Category([1.5]),
    lambda: Category({"f", "m"}), lambda: Category(None), lambda: Category(["f"], missing="m"),
    lambda: Category(["f"], missing=1), lambda: Category([""]), lambda: Category(["a\0"]),
    lambda: Category(["\ud800"]), lambda: Category(["a", "other"], other=True),
    lambda: Category(["a"], other="yes"), lambda: Category(["a"], other=1),
    lambda: Category("Private"), lambda: Category("private", missing="a"),
    lambda: Category("private", other=None),
    lambda: Category(["a"], other=None), lambda: Category(["a"], missing="other"),
    lambda: Date(), lambda: Date("2024-01-01"), lambda: Date("2024-01-01", "2023-01-01"),
    lambda: Date("2024-01-01", "2024-01-01"), lambda: Date("2023-02-29", "2024-01-01"),
    lambda: Date("0000-01-01", "2024-01-01"), lambda: Date("2023-2-1", "2024-01-01"),
    lambda: Date(2023, 2024), lambda: Date("2023-01-01", "2024-01-01", as_=["month"]),
    lambda: Date(as_=["week"]), lambda: Date(as_="month"), lambda: Date(as_=[]),
    lambda: Date(as_=["month", "month"]), lambda: Date(as_=["month"], format="%Y-%m"),
    lambda: Date(as_=["month"], format="%Y-%m-%d %M"), lambda: Date(as_=["month"], format="%x"),
    lambda: Date(as_=["month"], format="%Y%Y%m%d"), lambda: Date(as_=["month"], format="%Y%m%d%"),
    lambda: Date(as_=["month"], format="%Y\n%m%d"), lambda: Date(as_=["month"], missing="none"),
    lambda: Date("2023-01-01", "2024-01-01", missing="2022-12-31"),
    lambda: Date("2023-01-01", "2024-01-01", since="yesterday"),
    lambda: Date(datetime.datetime(2023, 1, 1), "2024-01-01"),
    lambda: Boolean(["yes"]), lambda: Boolean(false=["no"]), lambda: Boolean(["a"], ["a"]),
    lambda: Boolean(["a", "a"], ["b"]), lambda: Boolean([], ["b"]), lambda: Boolean("y", "n"),
    lambda: Boolean(missing="true"), lambda: Boolean(missing=1), lambda: Boolean([True], ["0"]),
    lambda: Schema(missing_values=["no"], a=Boolean()), lambda: Schema(others=Boolean()),
    lambda: Target(0), lambda: Target(classes=["a"]), lambda: Target(classes=["a", "b", "a"]),
    lambda: Target(0, 1, classes=["a", "b"]), lambda: Target(classes="no"),
    lambda: Weight(-1, 1), lambda: Weight(None, None), lambda: Person(0), lambda: Person(True),
    lambda: Person(1.0),
    lambda: Schema(a=Number), lambda: Schema(a=1), lambda: Schema({1: Number()}),
    lambda: Schema({"": Number()}), lambda: Schema({"a\0": Drop()}),
    lambda: Schema([("a", Drop())]),
    lambda: Schema({"a": Drop()}, a=Drop()), lambda: Schema(a=Target(), b=Target()),
    lambda: Schema(a=Person(), b=Person()), lambda: Schema(a=Weight(0, 1), b=Weight(0, 1)),
    lambda: Schema(others=Target()), lambda: Schema(missing_values="NA"),
    lambda: Schema(missing_values=["NA"], a=Category(["NA"])), lambda: Schema(width=0),
    lambda: Schema(width=True), lambda: Schema(a=Category(...)).json_text(),
]

BAD_COLUMNS = [
    1, {}, {"type": "numbr"}, {"type": ["number"]}, {"type": "number", "bound": [0, 1]},
    {"type": "number", "bounds": [0]}, {"type": "number", "bounds": [0, None]},
    {"type": "number", "bounds": [None, None]},
    {"type": "number", "bounds": {"0": 1}}, {"type": "number", "bounds": [1, 0]},
    {"type": "number", "bounds": [True, 2]}, {"type": "number", "bought": True},
    {"type": "number", "bounds": [0, 1], "bought": False},
    {"type": "number", "bounds": [0, 1], "bought": 1}, {"type": "number", "missing": "none"},
    {"type": "category"}, {"type": "category", "levels": None},
    {"type": "category", "levels": [1]}, {"type": "category", "levels": {"a": 1}},
    {"type": "category", "levels": ["a"], "other": "yes"},
    {"type": "category", "levels": ["a", "other"], "other": True},
    {"type": "category", "levels": ["a", "none"], "missing": "none"},
    {"type": "category", "levels": ["a", "a"]}, {"type": "category", "levels": ["a"], "bounds": 1},
    {"type": "date"}, {"type": "date", "bounds": [1, 2]},
    {"type": "date", "bounds": ["2024-01-01"]}, {"type": "date", "bounds": ["2024-02-30", "2025-01-01"]},
    {"type": "date", "bounds": ["2025-01-01", "2024-01-01"]},
    {"type": "date", "bounds": ["2024-01-01", "2024-01-01"]},
    {"type": "date", "bounds": ["0000-01-01", "2024-01-01"]},
    {"type": "date", "bounds": ["2024-01-01", "2025-01-01"], "missing": "2023-01-01"},
    {"type": "date", "bounds": ["2024-01-01", "2025-01-01"], "missing": 7},
    {"type": "date", "bounds": ["2024-01-01", "2025-01-01"], "since": "1.1.2024"},
    {"type": "date", "bounds": ["2024-01-01", "2025-01-01"], "as": ["month"]},
    {"type": "date", "since": "2024-01-01", "as": ["month"]},
    {"type": "date", "as": []}, {"type": "date", "as": "month"}, {"type": "date", "as": ["week"]},
    {"type": "date", "as": ["month", "month"]}, {"type": "date", "as": ["month"], "format": "%Y-%m"},
    {"type": "date", "as": ["month"], "format": 1}, {"type": "date", "as": ["month"], "format": ""},
    {"type": "date", "as": ["month"], "format": "%d.%m.%y"},
    {"type": "date", "as": ["month"], "format": "%d.%m.%Y%"},
    {"type": "date", "as": ["month"], "format": "%d.%m.%Y %H:%S"},
    {"type": "date", "as": ["month"], "format": "%d %m %Y é"},
    {"type": "boolean", "true": ["a"]}, {"type": "boolean", "true": ["a"], "false": ["a"]},
    {"type": "boolean", "true": [], "false": ["a"]}, {"type": "boolean", "true": "a", "false": ["b"]},
    {"type": "boolean", "true": [1], "false": [0]}, {"type": "boolean", "missing": 1},
    {"type": "boolean", "missing": "true"}, {"type": "boolean", "levels": ["a"]},
    {"type": "target", "classes": ["a"]}, {"type": "target", "classes": [0, 1]},
    {"type": "weight", "bounds": [-1, 1]}, {"type": "unit", "rows": 2}, {"type": "drop", "x": 1},
]

BAD_TEXTS = [
    "", "x", "[]", "{}", '{"sotto_schema": 2, "columns": {}}',
    '{"sotto_schema": true, "columns": {}}',
    '{"sotto_schema": 1}', '{"sotto_schema": 1, "columns": []}',
    '{"sotto_schema": 1, "columns": {}, "colums": {}}',
    '{"sotto_schema": 1, "columns": {"a": {"type": "drop"}, "a": {"type": "drop"}}}',
    '{"sotto_schema": 1, "columns": {}, "missing_values": "NA"}',
    '{"sotto_schema": 1, "columns": {}, "missing_values": [1]}',
    '{"sotto_schema": 1, "columns": {}, "missing_values": ["a", "a"]}',
    '{"sotto_schema": 1, "columns": {}, "width": 0}',
    '{"sotto_schema": 1, "columns": {}, "width": 1.5}',
    '{"sotto_schema": 1, "columns": {}, "default": {"type": "unit"}}',
    '{"sotto_schema": 1, "columns": {}, "default": null}',
    '{"sotto_schema": 1, "columns": {"a": {"type": "number", "bounds": [0, Infinity]}}}',
    '{"sotto_schema": 1, "columns": {"a": {"type": "number", "bounds": [0, 1e999]}}}',
    '{"sotto_schema": 1, "columns": {"a": {"type": "number", "missing": NaN}}}',
    "[" * 100000, b"\xff\xfe", "age,sex\n40," + SECRET + "\n",
]


class Refusals(unittest.TestCase):
    def check_line(self, line, what):
        self.assertIsNotNone(line, what)
        self.assertNotIn("\n", line)
        self.assertGreater(len(line), 15)
        self.assertNotIn(SECRET, line)

    def test_calls(self):
        for i, make in enumerate(BAD):
            self.check_line(refused(make), i)

    def test_columns_of_a_file(self):
        for of in BAD_COLUMNS:
            text = json.dumps({"sotto_schema": 1, "columns": {"odd name": of}})
            line = refused(lambda: Schema.from_json(text))
            self.check_line(line, of)
            self.assertIn('column "odd name": ', line)

    def test_texts(self):
        for text in BAD_TEXTS:
            self.check_line(refused(lambda: Schema.from_json(text)), text[:80])

    def test_program_refuses_the_same_columns(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "d.csv"), "w") as file:
                file.write("a,b,y\n1,2,3\n")
            for of in BAD_COLUMNS:
                with open(os.path.join(folder, "s.json"), "w") as file:
                    json.dump({"sotto_schema": 1, "columns": {
                        "a": of, "b": {"type": "number"}, "y": {"type": "target"}}}, file)
                done = subprocess.run([PROGRAM, "doctor", "d.csv", "--schema", "s.json"],
                                      cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 2, (of, done.stderr))

    def test_bounds_as_wide_as_doubles(self):
        self.assertEqual(Number(-1.7e308, 1.7e308).high, 1.7e308)

    def test_computed_levels_are_data(self):
        class Unique(list):
            pass

        self.assertIn("is data", refused(lambda: Category(Unique(["a"]))))
        self.assertIn("is data", refused(lambda: Category(np.unique(["a", "b"]))))
        self.assertIsNotNone(refused(lambda: Category(list(np.unique(["a", "b"])))))
        self.assertIsNotNone(refused(lambda: Category(list(np.unique([1, 2])))))
        if pd:
            column = pd.Series(["a", "b"], dtype="category")
            for levels in (column, column.cat.categories, column.unique(), column.array):
                self.assertIn("is data", refused(lambda: Category(levels)))

    def test_whole_numbers_are_their_digits(self):
        self.assertEqual(Category([1, 2]).levels, ("1", "2"))
        self.assertEqual(Category(range(1, 4)).levels, ("1", "2", "3"))
        self.assertEqual(Target(classes=[0, 1]).classes, ("0", "1"))

    def test_immutable(self):
        schema = Schema(a=Number(0, 1))
        with self.assertRaises(AttributeError):
            schema.columns["a"].low = 3
        with self.assertRaises(TypeError):
            schema.columns["b"] = Drop()


class Docstrings(unittest.TestCase):
    def test_examples_run(self):
        for part in (module, schema_columns, schema_words):
            result = doctest.testmod(part)
            self.assertGreater(result.attempted, 3)
            self.assertEqual(result.failed, 0)


if __name__ == "__main__":
    unittest.main()

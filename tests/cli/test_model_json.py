#!/usr/bin/env python3
"""The model's JSON: docs/model.schema.json and docs/model.md say all of it, and the reader of
examples/read_model.py, which knows nothing else, predicts as `sotto predict` does."""
import copy
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import unittest

import model_schema
from common import DATA, OK, Case, run, schema
from model_cases import as_csv, draw_model, draw_rows

ROOT = model_schema.ROOT
READER = os.path.join(ROOT, "examples/read_model.py")


def source(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def objects(part, path=""):
    """Every object of the schema that describes an object with keys."""
    if isinstance(part, dict):
        if isinstance(part.get("properties"), dict) and part.get("type") == "object":
            yield path, part
        for key, value in part.items():
            yield from objects(value, f"{path}/{key}")
    elif isinstance(part, list):
        for i, value in enumerate(part):
            yield from objects(value, f"{path}/{i}")


class Described(unittest.TestCase):
    """The schema against the code that writes and reads, and against the page."""

    def setUp(self):
        self.schema = model_schema.schema()

    def test_every_key_has_words(self):
        found = list(objects(self.schema))
        self.assertGreater(len(found), 12)
        for path, part in found:
            self.assertIs(part["additionalProperties"], False, path)
            for key, value in part["properties"].items():
                if "$ref" not in value and value.get("const") != path.rsplit("/", 1)[-1]:
                    self.assertGreater(len(value["description"]), 5, (path, key))

    def test_the_page_has_every_key(self):
        page = source("docs/model.md")
        for path, part in objects(self.schema):
            for key in part["properties"]:
                self.assertIn(f"`{key}`", page, path)

    def test_keys_of_the_file(self):
        """Those that the program reads, and no others."""
        listed = re.search(r"has_known_keys.*?known\[\] = \{(.*?)\}", source("src/model/model_read.c"),
                           re.S).group(1)
        self.assertEqual(set(re.findall(r'"(\w+)"', listed)), set(self.schema["properties"]))

    def test_kinds_of_columns(self):
        """Each with the keys that a schema may give it: those of COLUMN_LIST."""
        listed = re.search(r"#define COLUMN_LIST\(ROW\)(.*?[^\\])\n\n", source("src/data/schema.h"),
                           re.S).group(1).replace("\\\n", "").replace("SCHEMA_BOUGHT", '"bought"')
        rows = re.findall(r'ROW\((\w+),\s*"(\w+)",\s*((?:"[^"]*"\s*)+)\)', listed)
        self.assertGreaterEqual(len(rows), 6)
        kinds = self.schema["$defs"]["column"]["oneOf"]
        self.assertEqual([f"#/$defs/{name}" for _, name, _ in rows], [kind["$ref"] for kind in kinds])
        for _, name, keys in rows:
            self.assertEqual(set(re.findall(r"\w+", keys)),
                             set(self.schema["$defs"][name]["properties"]), name)

    def test_events_and_losses(self):
        events = re.findall(r'\] = \{"(\w+)", "(\w+)"\}', source("src/account/question_events.c"))
        question = self.schema["$defs"]["question"]["properties"]
        self.assertEqual({event for event, _ in events}, set(question["event"]["enum"]))
        self.assertLessEqual({level for _, level in events}, set(question))
        choices = source("src/contract/choices.h")  # losses within solvers are in no model
        losses = re.findall(r'ROW\(\w+, "([\w-]+)", (?:NUMBER|CLASSES)',
                            choices[:choices.index("LOSS_INNER_LIST")])
        self.assertEqual(losses, self.schema["properties"]["loss"]["enum"])


@unittest.skipIf(model_schema.jsonschema is None, model_schema.MISSING)
class Valid(Case):
    """Models of all kinds, made here. Case.sotto checks those of every other test, too."""

    def setUp(self):
        super().setUp()
        draw = random.Random(2)
        rows = [(draw.random(), draw.choice("ab"), draw.choice(["no", "yes"]), draw.random(), i // 2)
                for i in range(80)]
        self.write("d.csv", as_csv(("x", "k", "c", "z", "who"), rows))
        columns = {"x": {"type": "number", "bounds": [0, 1], "missing": .5}, "z": {"type": "number"},
                   "k": {"type": "category", "levels": ["a", "b"], "missing": "none"}}
        classes = {"type": "target", "classes": ["no", "yes"]}
        self.write("c.json", schema({**columns, "c": classes, "who": {"type": "unit"}},
                                    missing_values=["NA"]))

    def model(self, *args):
        result = self.sotto("train", "d.csv", "--schema", "c.json", "--quiet", "-o", "m.json", *args)
        self.assertEqual(result.code, OK, result.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def booked(self):
        self.assertEqual(self.sotto("key", "new", "k").code, OK)
        self.assertEqual(self.sotto("ledger", "create", "--ledger", "l.db", "--dataset", "d", "--epsilon",
                                    "9", "--delta", "1e-3", "--unit-column", "who",
                                    "--rows-per-person", "2").code, OK)
        return self.model("--loss", "logistic", "--epsilon", "3", "--delta", "1e-4",
                          "--unit-column", "who", "--rows-per-person", "2", "--sign", "k",
                          "--ledger", "l.db", "--dataset", "d", "--purpose", "a test")

    def test_the_schema_is_one(self):
        model_schema.jsonschema.Draft202012Validator.check_schema(model_schema.schema())

    def test_a_new_key_anywhere_is_refused(self):
        model = self.booked()
        self.assertIsNone(model_schema.fault(model))
        # whether bounds are found is up to the noise
        model["privacy"].setdefault("bought_bounds", {"target": 2.0, "features": {"z": 1.0}})
        self.assertIsNone(model_schema.fault(model))
        self.assertIn("purpose", model["privacy"]["ledger"])
        places = 0
        for path in ((), ("penalty",), ("schema",), ("schema", "columns", "x"), ("privacy",),
                     ("schema", "columns", "k"), ("schema", "columns", "c"), ("signature",),
                     ("schema", "columns", "who"), ("privacy", "ledger"), ("privacy", "bought_bounds"),
                     ("privacy", "questions", 0), ("privacy", "curve", 0)):
            changed = copy.deepcopy(model)
            part = changed
            for step in path:
                part = part[step]
            part["new_key"] = 1
            self.assertIsNotNone(model_schema.fault(changed), path)
            places += 1
        self.assertEqual(places, 13)

    def test_what_cannot_be(self):
        model = self.model("--loss", "logistic", "--epsilon", "inf")
        self.assertIsNone(model_schema.fault(model))
        for change in ({"not_private": False}, {"sotto_model": 2}, {"weights": "many"},
                       {"privacy": {}}, {"rows": 5.0}, {"intercept": None}, {"classes": ["one"]},
                       {"checksum": "sha1:00"}):
            self.assertIsNotNone(model_schema.fault({**model, **change}), change)
        for key in model_schema.schema()["required"]:
            self.assertIsNotNone(model_schema.fault({k: v for k, v in model.items() if k != key}), key)

    def test_without_names(self):
        self.write("d.svm", "1 2:1 5000:2\n-1 1:1\n1 2:3\n-1 7:1\n")
        for args in (("--features", "5000"), ("--features", "9000", "--l1", ".01")):
            result = self.sotto("train", "d.svm", *args, "--loss", "logistic", "--l2", ".1",
                                "--epsilon", "inf", "--quiet", "-o", "s.json")
            self.assertEqual(result.code, OK, result.err)


class Reader(Case):
    """To the last bit: the reader does the same operations in the same order, and both read and
    print doubles exactly."""

    def setUp(self):
        super().setUp()
        about = importlib.util.spec_from_file_location("read_model", READER)
        self.reader = importlib.util.module_from_spec(about)
        about.loader.exec_module(self.reader)

    def answer(self, model, names, row):
        """None: the reader refuses."""
        texts = ["" if value is None else value if isinstance(value, str) else repr(value)
                 for value in row]
        try:
            return self.reader.score(model, dict(zip(names, texts, strict=True)))
        except ValueError:
            return None

    def compare(self, model, names, rows):
        found = [self.answer(model, names, row) for row in rows]
        good = [i for i, answer in enumerate(found) if answer is not None]
        for i in set(range(len(rows))) - set(good):
            self.write("t.csv", as_csv(names, [rows[i]]))
            self.assertEqual(self.sotto("predict", "m.json", "t.csv", "--scores").code, DATA, rows[i])
        if good:
            self.write("t.csv", as_csv(names, [rows[i] for i in good]))
            result = self.sotto("predict", "m.json", "t.csv", "--scores", "--quiet")
            self.assertEqual(result.code, OK, result.err)
            self.assertEqual(list(map(float, result.out.split())), [found[i] for i in good])
        return len(good), len(rows) - len(good)

    def test_as_predict(self):
        draw = random.Random(42)
        answered = refused = 0
        for _ in range(60):
            model = draw_model(draw, draw.choice(["logistic", "hinge", "squared"]),
                               norm=draw.random() < .3)
            self.assertIsNone(model_schema.fault({**model, "checksum": "crc32:00000000"}))
            self.write_model("m.json", model)
            names, rows = draw_rows(draw, model, 40)
            with self.subTest(model=json.dumps(model)):
                some, none = self.compare(model, names, rows)
                answered, refused = answered + some, refused + none
        self.assertGreater(answered, 900)
        self.assertGreater(refused, 200)

    def test_as_a_program(self):
        draw = random.Random(5)
        model = draw_model(draw, "logistic")
        self.write_model("m.json", model)
        names, rows = draw_rows(draw, model, 60)
        good = [row for row in rows if self.answer(model, names, row) is not None]
        self.assertGreater(len(good), 10)
        self.write("t.csv", as_csv(names, good))
        done = subprocess.run([sys.executable, READER, "m.json", "t.csv"], cwd=self.directory,
                              capture_output=True, check=True)
        result = run(("predict", "m.json", "t.csv", "--scores", "--quiet"), cwd=self.directory)
        self.assertEqual(list(map(float, done.stdout.split())), list(map(float, result.out.split())))

    def test_what_it_does_not_know(self):
        model = draw_model(random.Random(1))
        for change in ({"sotto_model": 2}, {"undeclared": "rows"}, {"features": 3}):
            self.write_model("m.json", {**model, **change})
            done = subprocess.run([sys.executable, READER, "m.json", "none.csv"], cwd=self.directory,
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr[:16]), (1, b"expected a model"), change)


if __name__ == "__main__":
    unittest.main()

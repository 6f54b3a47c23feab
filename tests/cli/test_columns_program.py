"""Columns as they come: dates and booleans in words, from the schema to the report; numbers with a
decimal comma and separated thousands."""

import datetime
import json
import random
import unittest

from common import DATA, OK, USAGE, Case, schema

DATE = {"type": "date", "format": "%d.%m.%Y", "bounds": ["2020-01-01", "2023-12-31"],
        "as": ["days", "weekday"]}
WORD = {"type": "boolean", "missing": False}
TARGET = {"type": "target", "bounds": [0, 1]}


class Words(Case):
    def table(self, count=400, seed=1):
        rng = random.Random(seed)
        first = datetime.date(2019, 12, 1).toordinal()
        days = [datetime.date.fromordinal(first + rng.randrange(1600)) for _ in range(count)]
        return "d,b,y\n" + "".join(
            f"{day:%d.%m.%Y},{rng.choice(['yes', 'no', 'TRUE', '0'])},{rng.random():.3f}\n"
            for day in days)

    def fit(self, text, *args, columns=None):
        self.write("s.json", schema(columns or {"d": DATE, "b": WORD, "y": TARGET}))
        self.write("d.csv", text)
        return self.sotto("train", "d.csv", "--schema=s.json", "-o", "m.json", *args)

    def test_private(self):
        """Neighbouring files that differ in one date and one word: the same statement."""
        said = []
        for more in ("01.01.2020,yes,.5\n", "31.12.2023,no,.5\n"):
            result = self.fit(self.table() + more, "--epsilon=1", "--delta=1e-6")
            self.assertEqual(result.code, OK, result.err)
            with open(self.path("m.json"), encoding="utf-8") as file:
                model = json.load(file)
            said.append((result.out, model["schema"], model["features"],
                         model["privacy"]["epsilon"], model["privacy"]["questions"]))
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[0][2], ["d", *(f"d={day}" for day in (
            "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")), "b"])

    def test_as_numbers(self):
        """The same model as from a file in which somebody has counted the days."""
        self.assertEqual(self.fit(self.table(), "--epsilon=inf", "--l2=.1", columns={
            "d": {**DATE, "as": ["days"]}, "b": WORD, "y": TARGET}).code, OK)
        with open(self.path("m.json"), encoding="utf-8") as file:
            one = json.load(file)
        origin, rows = datetime.date(2020, 1, 1), []
        for line in self.table().splitlines()[1:]:
            day, word, y = line.split(",")
            day = datetime.datetime.strptime(day, "%d.%m.%Y").date()
            rows.append(f"{(day - origin).days},{int(word in ('yes', 'TRUE'))},{y}\n")
        self.assertEqual(self.fit("d,b,y\n" + "".join(rows), "--epsilon=inf", "--l2=.1", columns={
            "d": {"type": "number", "bounds": [0, 1460]}, "b": {"type": "number", "bounds": [0, 1]},
            "y": TARGET}).code, OK)
        with open(self.path("m.json"), encoding="utf-8") as file:
            two = json.load(file)
        self.assertEqual(one["weights"], two["weights"])
        self.assertEqual(one["intercept"], two["intercept"])

    def test_report(self):
        self.assertEqual(self.fit(self.table(), "--epsilon=1", "--delta=1e-6").code, OK)
        self.assertEqual(self.sotto("report", "m.json", "-o", "r.html").code, OK)
        with open(self.path("r.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("declared in the schema: 1 column and the target", page)
        self.assertIn("levels declared: 1 column", page)
        self.assertIn("from its lower declared bound to its upper one", page)

    def test_template_keeps_them(self):
        self.write("s.json", schema({"d": DATE, "b": {"type": "boolean", "true": ["ja"],
                                                      "false": ["nein"]}}))
        self.write("d.csv", "b,d,y\n")
        made = json.loads(self.sotto("schema", "d.csv", "--schema=s.json", "-o", "-").out)
        self.assertEqual(made["columns"]["d"], {**DATE, "since": "2020-01-01"})
        self.assertEqual(made["columns"]["b"], {"type": "boolean", "true": ["ja"],
                                                "false": ["nein"]})

    def test_all_faults_at_once(self):
        self.write("s.json", schema({"d": {**DATE, "bounds": ["2020-01-01", "2019-01-01"]},
                                     "b": {"type": "boolean", "true": ["x"]},
                                     "e": {"type": "date", "as": ["hour"]}, "y": TARGET}))
        result = self.sotto("schema", "--check", "s.json")
        self.assertEqual(result.code, USAGE)
        lines = result.out.decode().splitlines()
        self.assertEqual(len(lines), 3)
        for line, name, hint in zip(lines, "dbe", ("the earlier one first", "or neither", '"as"')):
            self.assertIn(f'column "{name}": expected', line)
            self.assertIn(hint, line)

    def test_bad_rows(self):
        self.assertEqual(self.fit(self.table(), "--epsilon=inf").code, OK)
        for field in ("29.02.2023", "31.04.2022", "01.01.0000", "00.01.2022", "2022-01-01",
                      "1.1.2022", "SECRETWORD", "29.02.1900"):
            self.write("p.csv", f"d,b\n28.02.2023,yes\n{field},yes\n")
            self.assert_refused(self.sotto("predict", "m.json", "p.csv"), DATA, line=3, name="d",
                                hint='a date of the calendar, written as "%d.%m.%Y"')
        self.write("p.csv", "d,b\n29.02.2024,SECRETWORD\n")
        self.assert_refused(self.sotto("predict", "m.json", "p.csv"), DATA, line=2, name="b",
                            hint="the words that mean true or false")
        self.write("p.csv", "d,b\n,yes\n")
        self.assert_refused(self.sotto("predict", "m.json", "p.csv"), DATA, line=2, name="d",
                            hint="found none")
        self.write("p.csv", "d,b\n29.02.2024,maybe\n29.02.2024,\n29.02.2023,yes\n")
        dropped = self.sotto("predict", "m.json", "p.csv", "--bad-rows=drop")
        answers = dropped.out.decode().splitlines()
        self.assertEqual([bool(line) for line in answers], [False, True, False])


class Marks(Case):
    """--decimal and --thousands."""

    def values(self, fields, *args):
        """The numbers of a column, read back from an exact model of one feature with weight 1."""
        self.write("m.json", self.identity())
        self.write("p.csv", "x;n\n" + "".join(f"{field};0\n" for field in fields))
        result = self.sotto("predict", "m.json", "p.csv", "--scores", "--delimiter=;", "--drop=n",
                            *args)
        self.assertEqual(result.code, OK, result.err)
        return [float(line) for line in result.out.split()]

    def identity(self):
        self.write_model("m.json", {
            "sotto_model": 1, "not_private": True, "loss": "squared",
            "penalty": {"l1": 0.0, "l2": 0.0, "box": None}, "classes": None, "intercept": 0.0,
            "features": ["x"], "weights": [1.0], "schema": {
                "sotto_schema": 1, "missing_values": ["-9", "k.A."], "columns": {
                    "x": {"type": "number", "missing": 77.0}, "y": {"type": "target"}}},
            "privacy": None})
        with open(self.path("m.json"), encoding="utf-8") as file:
            return file.read()

    def test_read(self):
        for args, fields, values in (
                (["--decimal=comma"], ["1,5", "-0,25", "+3", "1,5e3", ",5", "2,", "k.A.", "-9,0", ""],
                 [1.5, -.25, 3, 1500, .5, 2, 77, 77, 77]),
                (["--decimal=comma", "--thousands=point"],
                 ["1.234,5", "12.345.678", "-123.456,789", "1234,5", "0,001", "nan", "999"],
                 [1234.5, 12345678, -123456.789, 1234.5, .001, 77, 999]),
                (["--thousands=comma"], ["1,234.5", "12,345,678", "1234567", "1.5e3"],
                 [1234.5, 12345678, 1234567, 1500]),
                (["--decimal=comma", "--thousands=space"], ["1 234,5", " 12 345 "], [1234.5, 12345]),
                (["--thousands=apostrophe"], ["1'234.5", "1'000'000"], [1234.5, 1e6])):
            with self.subTest(args):
                self.assertEqual(self.values(fields, *args), values)

    def test_as_python_writes_them(self):
        """Random numbers with separated thousands, to the last bit."""
        rng = random.Random(3)
        numbers = [rng.uniform(-1, 1) * 10 ** rng.randint(-3, 15) for _ in range(500)]
        swap = str.maketrans(",.", ".,")
        self.assertEqual(
            self.values([f"{x:,.17f}".translate(swap) for x in numbers], "--decimal=comma",
                        "--thousands=point"), [float(f"{x:.17f}") for x in numbers])

    def test_refused(self):
        """A separator anywhere else, and the other mark."""
        for args, fields in (
                (["--decimal=comma"], ["1.5", "1,5,5", "1.234,5", "1,5.5", ",", "e5", "1 234"]),
                (["--decimal=comma", "--thousands=point"],
                 ["1.5", "12.34", "1.2345", "1234.567", ".123", "1..234", "1.234.", "1.234.56",
                  "1,234.567", "1.234,5.6", "0001.234.567", "1,2,3", "SECRETWORD"]),
                (["--thousands=comma"], ["1,5", "1.234,5", "1234,567", "1,234,", "1.5.5"])):
            for field in fields:
                with self.subTest(args=args, field=field):
                    self.identity()
                    self.write("p.csv", f"x\n1\n\"{field}\"\n")
                    self.assert_refused(self.sotto("predict", "m.json", "p.csv", *args), DATA,
                                        line=3, name="x", hint="as --decimal and --thousands say")
        self.write("p.csv", 'x\n"1,5"\n')
        self.assert_refused(self.sotto("predict", "m.json", "p.csv"), DATA, line=2, name="x",
                            hint="--decimal comma")

    def test_where(self):
        self.write("d.csv", "x,y\n1,2\n")
        for args in (["--thousands=point"], ["--decimal=comma", "--thousands=comma"]):
            self.assert_refused(self.sotto("doctor", "d.csv", *args), USAGE, hint="different marks")
        self.write("d.svm", "1 1:2\n")
        for arg in ("--decimal=comma", "--thousands=comma"):
            self.assert_refused(self.sotto("doctor", "d.svm", arg), USAGE, hint="is for CSV")

    def test_trained_alike(self):
        """A file of a spreadsheet and the same with points: the same model, target and weights
        included; bad rows are absent by themselves."""
        rng = random.Random(8)
        rows = [(rng.uniform(-5000, 5000), rng.uniform(0, 2), rng.uniform(-1, 1)) for _ in range(80)]
        self.write("a.csv", "x,w,y\n" + "".join("%.4f,%.4f,%.4f\n" % row for row in rows))
        swap = str.maketrans(",.", ".,")
        lines = ["\t".join(f"{v:,.4f}".translate(swap) for v in row) for row in rows]
        lines[7:7] = ["1.5\t1,0\t1,0", "1.23\t1\t0"]
        self.write("b.tsv", "x\tw\ty\n" + "".join(line + "\n" for line in lines))
        models = []
        for name, *args in (["a.csv"], ["b.tsv", "--decimal=comma", "--thousands=point",
                                        "--bad-rows=drop"]):
            result = self.sotto("train", name, "--target=y", "--weights=w", "--weight-bound=2",
                                "--epsilon=inf", "--l2=.1", "-o", "m.json", *args)
            self.assertEqual(result.code, OK, result.err)
            with open(self.path("m.json"), encoding="utf-8") as file:
                models.append(json.load(file))
        self.assertEqual(models[0]["weights"], models[1]["weights"])
        self.assertEqual(models[0]["intercept"], models[1]["intercept"])


if __name__ == "__main__":
    unittest.main()

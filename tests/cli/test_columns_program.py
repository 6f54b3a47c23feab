"""Columns as they come: dates and booleans in words, from the schema to the report."""

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


if __name__ == "__main__":
    unittest.main()

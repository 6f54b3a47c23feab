#!/usr/bin/python3
""""levels": "private": levels that nobody declared, from the file to answers."""

import json
import random
import unittest

from common import BUDGET, DATA, OK, PRIVACY, USAGE, Case, schema

ASKED = {"type": "category", "levels": "private", "missing": "none"}
COLUMNS = {"who": {"type": "unit"}, "x": {"type": "number", "bounds": [-3, 3]}, "c": ASKED,
           "y": {"type": "target", "classes": ["no", "yes"]}}
COMMON = ["red"] * 5 + ["green"] * 3 + ["blue"] * 2


def table(rows, rare="rare"):
    draw = random.Random(8)
    lines = []
    for i in range(rows):
        level, x = draw.choice(COMMON), draw.gauss(0, 1)
        level = "" if i % 50 == 0 else rare if i % 997 == 0 else level
        m = x + {"red": 2, "green": -2}.get(level, 0) + draw.gauss(0, 1)
        lines.append("p%d,%.3f,%s,%s\n" % (i, x, level, "yes" if m > 0 else "no"))
    return "who,x,c,y\n" + "".join(lines)


class Levels(Case):
    def setUp(self):
        super().setUp()
        self.write("d.csv", table(6000))
        self.write("s.json", schema(COLUMNS))

    def train(self, *args, data="d.csv", declared="s.json", model="m.json", budget=True):
        epsilon = ("--epsilon=1", "--delta=1e-6") if budget else ()
        return self.sotto("train", data, "--schema", declared, "--loss=logistic", "-o", model,
                          *epsilon, *args)

    def model(self, name="m.json"):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def good(self, *args, **more):
        result = self.train(*args, **more)
        self.assertEqual(result.code, OK, result.err)
        return self.model(more.get("model", "m.json"))

    def refused(self, result, code, *words):
        self.assertEqual(result.code, code, result.err)
        self.assertEqual(result.err.count(b"\n"), 1, result.err)
        for word in words:
            self.assertIn(word.encode(), result.err)
        self.assertNotIn(b"green", result.err)


class Models(Levels):
    def test_released_as_if_declared(self):
        m = self.good()
        self.assertEqual(m["schema"]["columns"]["c"],
                         {"type": "category", "levels": ["blue", "green", "red"], "other": True,
                          "missing": "none"})
        names = [w["feature"] if isinstance(w, dict) else w for w in m["weights"]]
        self.assertEqual(len(names), 5)
        result = self.sotto("evaluate", "m.json", "d.csv", "--json")
        self.assertEqual(result.code, OK, result.err)
        self.assertGreater(json.loads(result.out)["accuracy"], .75)
        self.write("p.csv", "x,c\n0,red\n0,green\n0,rare\n0,other\n0,never\n0,\n")
        result = self.sotto("predict", "m.json", "p.csv", "--scores")
        self.assertEqual(result.code, OK, result.err)
        red, green, *others, missing = map(float, result.out.split())
        self.assertGreater(red, green)
        self.assertEqual(len(set(others)), 1)
        self.assertEqual(self.sotto("export", "m.json", "--format=sql", "-o", "m.sql").code, OK)
        with open(self.path("m.sql"), encoding="utf-8") as file:
            self.assertIn("green", file.read())

    def test_statement(self):
        m = self.good()
        first, second, third = m["privacy"]["questions"]
        self.assertEqual((first["question"], first["event"], first["times"]),
                         ("levels", "SHOWN", 1))
        self.assertAlmostEqual(first["p"] / (1 - first["p"]), 1e-7, delta=1e-14)
        self.assertEqual(second["question"], "total")
        self.assertEqual(third["question"], "chosen from answers")
        share = first["mu"]**2 / sum(q["mu"]**2 for q in (first, second, third))
        self.assertAlmostEqual(share, .05, places=6)
        self.assertEqual(m["privacy"]["levels"]["columns"], 1)
        self.assertAlmostEqual(m["privacy"]["levels"]["people"], 100, delta=1)
        self.assertLessEqual(m["privacy"]["epsilon"], 1)
        # nothing is proven where the set-aside part is all of delta
        self.assertEqual(min(p["delta"] for p in m["privacy"]["curve"]), 1e-6)
        text = self.sotto("show", "m.json").out
        self.assertIn(b"c=green", text)
        self.assertIn(b'"question": "levels"', text)
        self.assertEqual(self.sotto("report", "m.json", "-o", "r.html").code, OK)
        with open(self.path("r.html"), encoding="utf-8") as file:
            self.assertIn("levels found privately, within this epsilon: 1 column", file.read())
        with open(self.path("r.html"), encoding="utf-8") as file:
            self.assertIn("which levels many people have", file.read())

    def test_a_statement_that_was_changed(self):
        """The delta that is set aside cannot be left out of what is claimed."""
        m = self.good()
        levels = m["privacy"]["questions"][0]
        for change in ({"event": "GAUSS"}, {"p": 5e-7}, {"question": "total"}):
            changed = {k: v for k, v in {**levels, **change}.items()
                       if k != "p" or change.get("event") != "GAUSS"}
            privacy = {**m["privacy"],
                       "questions": [changed, *m["privacy"]["questions"][1:]]}
            self.write_model("n.json", {**m, "privacy": privacy})
            self.assertIn(self.sotto("show", "n.json").code, (USAGE, PRIVACY), change)

    def test_rows_are_public_or_many(self):
        """With --rows, with a given path, with many classes, with replace-one, with numbers."""
        for args in (("--rows=6000",), ("--solver=newton",), ("--path=dense", "--rows=6000"),
                     ("--adjacency=replace-one", "--rows=6000"), ("--rows-per-person=3",),
                     ("--drop=who", "--rows-per-person=2")):
            m = self.good(*args)
            self.assertIn("red", m["schema"]["columns"]["c"]["levels"], args)
        wide = {**COLUMNS, "y": {"type": "target", "classes": ["no", "yes", "maybe"]}}
        self.write("k.json", schema(wide))
        self.assertIn("red", self.good(declared="k.json")["schema"]["columns"]["c"]["levels"])

    def test_nothing_is_released(self):
        self.write("few.csv", table(300))
        m = self.good("--rows=300", data="few.csv")
        self.assertLess(len(m["schema"]["columns"]["c"]["levels"]), 3)
        self.assertEqual(self.sotto("predict", "m.json", "few.csv").code, OK)

    def test_order_of_the_file(self):
        """The same rows backwards: the same levels, from the same noise."""
        head, *rows = table(6000).splitlines(keepends=True)
        self.write("b.csv", head + "".join(reversed(rows)))
        one = self.good("--insecure-seed=3")
        two = self.good("--insecure-seed=3", data="b.csv")
        self.assertEqual(one["schema"], two["schema"])

    def test_neighbours(self):
        """A person with a level that is not shown: the same levels, from the same noise."""
        self.write("n.csv", table(6000) + "somebody,0,zzz,no\n")
        one = self.good("--insecure-seed=3")
        two = self.good("--insecure-seed=3", data="n.csv")
        self.assertEqual(one["schema"], two["schema"])
        self.assertNotIn("zzz", json.dumps(two))

    def test_plan(self):
        args = ("--schema=s.json", "--rows=6000", "--loss=logistic", "--epsilon=1",
                "--delta=1e-6")
        result = self.sotto("plan", *args, "--explain")
        self.assertEqual(result.code, OK, result.err)
        self.assertIn(b"levels      of 1 column: those of about 100 people and more, for 5 %",
                      result.out)
        plan = json.loads(self.sotto("plan", *args).out)
        self.assertEqual(plan["questions"][0]["event"], "SHOWN")

    def test_schema_check_and_doctor(self):
        result = self.sotto("schema", "--check", "s.json", "d.csv")
        self.assertEqual((result.code, result.out), (OK, b"no fault\n"))
        self.assertEqual(self.sotto("doctor", "d.csv", "--schema=s.json",
                                    "--loss=logistic").code, OK)
        result = self.sotto("schema", "d.csv", "--schema=s.json")
        self.assertEqual(result.code, OK, result.err)
        self.assertIn(b'"levels": "private"', result.out)


class Refused(Levels):
    def test_other_solvers(self):
        """Before a row is read: that of the file is bad."""
        self.write("bad.csv", "who,x,c,y\na,1,b,not a class\n")
        for solver in ("sgd", "cd", "gcd", "gd", "svrg"):
            self.refused(self.train("--solver", solver, data="bad.csv"), USAGE, "auto or newton")

    def test_not_private(self):
        self.refused(self.train("--epsilon=inf", budget=False), USAGE, "private training alone")
        result = self.train("--epsilon=inf", "--solver=auto", "--rows=6000", budget=False)
        self.assertEqual(result.code, PRIVACY)
        self.assertIn(b"private training alone", result.err)

    def test_schemas(self):
        for column, words in (({**ASKED, "levels": "secret"}, '"private"'),
                              ({**ASKED, "levels": ["private"]}, "without brackets"),
                              ({**ASKED, "other": False}, "needs it"),
                              ({**ASKED, "missing": "red"}, '"other"')):
            self.write("w.json", schema({**COLUMNS, "c": column}))
            self.refused(self.train(declared="w.json"), USAGE, words)

    def test_a_model_without_levels(self):
        m = self.good()
        columns = {**m["schema"]["columns"], "c": ASKED}
        self.write_model("n.json", {**m, "schema": {**m["schema"], "columns": columns}})
        result = self.sotto("predict", "n.json", "d.csv")
        self.assertIn(result.code, (USAGE, DATA), result.err)


class Booked(Levels):
    """In a ledger: what is set aside is within the run's part of D0."""

    def booked(self, epsilon, *cap):
        made = self.sotto("ledger", "create", "--ledger=l.db", "--dataset=d",
                          "--unit-column=who", "--delta=1e-6", *cap)
        self.assertEqual(made.code, OK, made.err)
        return self.train("--ledger=l.db", "--dataset=d", "--epsilon=%s" % epsilon,
                          "--delta=1e-6", budget=False)

    def test_cap(self):
        result = self.booked(.5, "--epsilon=2")
        self.assertEqual(result.code, OK, result.err)
        m = self.model()
        entry, first = m["privacy"]["ledger"], m["privacy"]["questions"][0]
        aside = first["p"] / (1 - first["p"])
        gauss = sum(q["mu"]**2 for q in m["privacy"]["questions"])
        self.assertLess(aside, entry["delta0"])
        self.assertGreater(aside, .4 * entry["delta0"])
        self.assertLess(entry["delta0"], 1e-7)
        self.assertLess(entry["mu"]**2, 1.05 * gauss)
        self.assertGreaterEqual(entry["mu"]**2, .99 * gauss)
        self.assertEqual(self.sotto("ledger", "verify", "--ledger=l.db").code, OK)

    def test_quote(self):
        """What they take of delta follows from the cap: a quote would say something else."""
        self.assertEqual(self.sotto("ledger", "create", "--ledger=q.db", "--dataset=d", "--epsilon=5",
                                    "--delta=1e-6", "--unit-column=who").code, OK)
        self.refused(self.sotto("ledger", "quote", "--ledger=q.db", "--dataset=d", "--schema=s.json",
                                "--rows=6000", "--loss=logistic", "--epsilon=1", "--delta=1e-6"),
                     USAGE, "expected a schema that lists levels")

    def test_without_a_cap(self):
        """The first run may take half of D0, the second a sixth."""
        self.assertEqual(self.booked(1).code, OK)
        again = self.train("--ledger=l.db", "--dataset=d", model="n.json")
        self.assertEqual(again.code, OK, again.err)
        shares = [self.model(name)["privacy"]["questions"][0]["p"] / 1e-7
                  for name in ("m.json", "n.json")]
        self.assertAlmostEqual(shares[0], 1 / 4, places=4)
        self.assertAlmostEqual(shares[1], 1 / 12, places=4)

    def test_a_full_cap(self):
        result = self.booked(3, "--epsilon=1")
        self.assertEqual(result.code, BUDGET, result.err)


if __name__ == "__main__":
    unittest.main()

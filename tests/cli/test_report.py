#!/usr/bin/env python3
"""sotto report: what the page says, and that names cannot become anything but text."""
import fractions
import html.parser
import json
import re
import unittest
import xml.etree.ElementTree as xml

from common import OK, USAGE, Case, npy, schema

TAGS = set("""html head meta title style body main h1 h2 h3 p div section span strong br code a
table caption tr th td figure figcaption svg text path circle rect blockquote""".split())
ATTRIBUTES = set("""lang charset http-equiv content name class id href colspan role aria-label
viewbox x y d cx cy r width height text-anchor""".split())
EVIL = ["<script>alert(1)</script>", "\"><svg onload=alert(1)>", "'onmouseover='x", "&lt;b&gt;",
        "</text></svg><img src=x onerror=y>", "]]><!--", "</style><script>", "a\u202eb\u2066c",
        "javascript:alert(1)", "<" * 200, "&" * 31, "\u00e9\u6f22" * 40, "a=<b>"]


class Reader(html.parser.HTMLParser):
    """Notes every tag, attribute and text; complains about what has no place on the page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.faults, self.words, self.open = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in TAGS:
            self.faults.append(tag)
        self.faults += [a for a, _ in attrs if a not in ATTRIBUTES]
        self.faults += [v for a, v in attrs if a == "href" and not re.fullmatch(r"#m\d+", v)]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append("/" + tag)

    def handle_comment(self, data):
        self.faults.append("comment")

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)


class Report(Case):
    def page(self, *models, **more):
        result = self.sotto("report", *models, "-o", "page.html", **more)
        self.assertEqual((result.code, result.out), (OK, b""), result.err)
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = file.read()
        reader = Reader(text)
        self.assertEqual((reader.faults, reader.open), ([], []))
        self.assertNotRegex(text, r"https?:|url\(|@import|<script")
        for plot in re.findall(r"<svg.*?</svg>", text, re.S):
            xml.fromstring(plot)
        return text, " ".join(" ".join(reader.words).split())

    def model(self, name="m.json"):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def train(self, *args, name="m.json", epsilon="1", classes=False):
        rows = [[i % 7 / 7, i % 5 / 5, i % 7 / 7 - i % 3 / 3] for i in range(400)]
        rows = [[a, b, 1 if y > 0 else -1] for a, b, y in rows] if classes else rows
        self.write("d.npy", npy(rows))
        self.write("d.M", "0.5\n0.25\n")
        private = [] if epsilon == "inf" or "--delta" in args else ["--delta", "1e-6"]
        result = self.sotto("train", "d.npy", "--target", "3", "--epsilon", epsilon, *private,
                            "--quiet", "-o", name, *args)
        self.assertEqual(result.code, OK, result.err)
        return self.model(name)

    CD = ("--solver", "cd", "--smoothness", "d.M", "--adjacency", "replace-one", "--clip", "2",
          "--step-size", "0.5", "--no-intercept", "--rows", "400")

    def test_it_says_what_the_statement_says(self):
        model = self.train(*self.CD)
        text, words = self.page("m.json")
        statement = model["privacy"]
        self.assertIn("epsilon %.4g, delta 1e-6" % 1, words)
        self.assertIn("replace-one", words)
        self.assertIn("NOT protected", words)
        self.assertNotIn("NOT PRIVATE", words)
        self.assertIn("No interval: none is known to cover for this solver.", words)
        self.assertIn("data protection officer", words)
        self.assertIn(statement["not_covered"], words)
        self.assertEqual(text.count("<svg"), 2)
        for point in statement["curve"]:  # rounded up, and by no more than the last digit
            shown = re.search(r'>%s</td><td class="n">([^<]+)' % re.escape(
                ("%.3g" % point["delta"]).replace("e-0", "e-")), text)
            self.assertGreaterEqual(float(shown[1]), point["epsilon"])
            self.assertLess(float(shown[1]), point["epsilon"] * 1.0015)

    def test_the_only_question_alone_costs_what_all_cost(self):
        model = self.train(*self.CD)
        text, _ = self.page("m.json")
        alone = float(re.search(r'>40</td><td class="n">([^<]+)', text)[1])
        self.assertEqual(len(model["privacy"]["questions"]), 1)
        self.assertGreaterEqual(alone, .999)
        self.assertLess(alone, 1.01)

    def test_a_delta_is_rounded_up(self):
        """Less than what is proven would be more than what is promised."""
        self.train(*self.CD, "--delta", "1.2345e-6")
        text, words = self.page("m.json")
        self.assertEqual(words.count("delta 1.24e-6"), 3)
        self.assertIn('>1.24e-6</td>', text)
        self.assertNotIn("1.23e-6", words)

    def test_it_says_what_minimisers_stand_on(self):
        """Floating point, and an end that is proven for so many rows."""
        model = self.train("--solver", "objective", "--loss", "logistic", "--classes", "-1,1",
                           "--norm-bound", "1", "--l2", "0.1", "--no-intercept", "--rows", "400",
                           classes=True)
        _, words = self.page("m.json")
        self.assertIn(model["privacy"]["arithmetic"], words)
        self.assertIn("if there were more than twice as many rows as stated", words)
        self.assertIn("Gaussian, in the objective and on its minimiser", words)
        self.assertNotIn("times what one can change", words)
        self.train(*self.CD)
        _, words = self.page("m.json")
        self.assertNotIn("twice as many rows", words)
        self.assertIn("times what one can change", words)

    def test_guesses(self):
        """What the account says of the same questions, outward."""
        told = self.train(*self.CD)["privacy"]
        _, words = self.page("m.json")
        self.assertIn("nobody can be right", words)
        self.assertNotIn("the parties", words)
        share = float(re.search(r"more than ([0-9.]+) of 100", words)[1])
        events = "+".join("GAUSS(%r)*%d" % (q["mu"], q["times"]) for q in told["questions"])
        price = self.sotto("account", "--event", events, "--delta", "1e-6", "--adjacency",
                           told["adjacency"], "--json")
        guess = json.loads(price.out)["guess"]
        self.assertGreater(guess, .5)
        self.assertGreaterEqual(share, 100 * guess - 1e-9)
        self.assertLess(share, 100 * guess + .1)

    def test_the_noise_is_that_of_the_last_step(self):
        """By hand: gamma / M_j times the sd of a partial derivative, or of a gradient."""
        m, n, clip, step = [.5, .25], 400, 2, .5
        mu = (model := self.train(*self.CD))["privacy"]["questions"][0]["mu"]
        for j in range(2):
            threshold = clip * (m[j] / sum(m))**.5
            self.assertAlmostEqual(
                model["noise"][j] / (step / m[j] * 2 * threshold / mu / n), 1, places=3)
        model = self.train("--solver", "gd", *self.CD[2:])
        mu = model["privacy"]["questions"][0]["mu"]
        for j in range(2):
            self.assertAlmostEqual(
                model["noise"][j] / (step / m[j] * 2 * clip * m[j]**.5 / mu / n), 1, places=3)
        model = self.train("--solver", "scd", "--l2", "0.1", "--adjacency", "add-remove", "--rows",
                           str(n), "--clip", "0.5", "--no-intercept")
        mu = model["privacy"]["questions"][0]["mu"]
        for j in range(2):
            self.assertAlmostEqual(model["noise"][j] / (.5 / mu / (.1 * n)), 1, places=3)
        _, words = self.page("m.json")
        self.assertNotIn("%.3g" % model["noise"][0], words)
        self.assertIn("No interval: none is known to cover for this solver", words)

    def test_laplace_noise_has_its_own_deviation(self):
        """Which is the square root of 2 times its scale."""
        m, n, clip, step = [.5, .25], 400, 2, .5
        model = self.train("--solver", "gcd", "--steps", "1", *self.CD[2:], epsilon="5")
        question = model["privacy"]["questions"][1]
        self.assertEqual((question["question"], question["mechanism"]), ("partial", "Laplace"))
        j = 0 if model["noise"][0] else 1
        sd = 2**.5 * step / m[j] * 2 * clip * m[j]**.5 / question["epsilon"] / n
        self.assertAlmostEqual(model["noise"][j] / sd, 1, places=3)

    def test_where_it_is_not_known_the_page_says_so(self):
        model = self.train("--solver", "fw", "--radius", "1", "--clip", "1", "--no-intercept")
        self.assertNotIn("noise", model)
        _, words = self.page("m.json")
        self.assertIn("No interval: none is known to cover for this solver", words)

    LEDGER = {"dataset": "patients 2026 <b>", "id": "0123456789abcdef" * 2,
              "owner": "A. Ward & Co", "position": 7, "head": "ab" * 32, "date": "2026-11-17",
              "mu": .25, "delta0": 0, "draws": 80, "cap": 3, "delta": 1e-6,
              "spent_epsilon": 1.23456, "parts": ["north", "<i>"],
              "purpose": "readmission, for the ward's own use"}

    def booked(self, ledger, **more):
        """The page of a model whose statement has this about a ledger."""
        model = self.train(*self.CD)
        model["privacy"]["ledger"] = ledger
        self.write_model("l.json", dict(model, **more))
        return self.page("l.json")

    def test_the_officer_comes_first(self):
        text, words = self.booked(self.LEDGER)
        self.assertIn("Data set patients 2026 <b> ; of it the parts north, <i>", words)
        for said in ("Owner A. Ward & Co", "Date 2026-11-17", "Purpose readmission, for the ward's"
                     " own use", "All runs up to this one epsilon 1.235 of a cap of epsilon 3, delta 1e-6",
                     "This model epsilon 1, delta 1e-6 ( replace-one )",
                     "Who is protected a row, not all rows of a person",
                     "entry 7, head " + "ab" * 32, "Signature not signed",
                     "that the ledger does not have under this data set"):
            self.assertIn(said, words)
        self.assertNotIn("untracked", words)
        self.assertNotIn("keep a list of them", words)
        titles = re.findall(r"<h3>(.*?)</h3>", text)
        self.assertEqual(titles[:2], ["For the data protection officer", "What it is"])
        self.assertLess(text.index("nobody can be right"), text.index("<table"))

    def test_what_all_runs_have_spent(self):
        no_cap = {key: value for key, value in self.LEDGER.items()
                  if key not in ("cap", "dataset", "owner", "purpose", "parts")}
        for ledger in (no_cap, dict(no_cap, cap=None)):
            _, words = self.booked(ledger)
            self.assertIn("the runs on this data set so far are what a cap of (epsilon 1.235, "
                          "delta 1e-6 ) would have let through; it has no cap", words)
            self.assertIn("Data set without a name; its id is " + self.LEDGER["id"], words)
            self.assertIn("Owner not recorded", words)
            self.assertNotIn("keep together", words)
        del no_cap["spent_epsilon"]
        self.assertIn("no epsilon is proven for all of them", self.booked(no_cap)[1])

    def test_untracked(self):
        """A statement says so, or was made before there were ledgers."""
        plain = self.train(*self.CD)
        plain["privacy"].pop("ledger", None)
        self.write_model("before.json", plain)
        for words in (self.booked("untracked")[1], self.page("before.json")[1]):
            self.assertIn("untracked : no ledger knows of this run; other runs on the same people "
                          "are not counted here", words)
            self.assertIn("keep a list of them", words)
            self.assertNotIn("head", words)

    def test_odd_ledgers(self):
        for change in ({"position": 0}, {"position": "7"}, {"position": 1.5}, {"id": 5},
                       {"head": None}, {"dataset": 1}, {"owner": []}, {"purpose": {}},
                       {"date": 20261117}, {"mu": "x"}, {"spent_epsilon": -1}, {"cap": "3"},
                       {"cap": -1}, {"delta": None}, {"parts": "north"}, {"parts": [1]}):
            model = self.train(*self.CD)
            model["privacy"]["ledger"] = dict(self.LEDGER, **change)
            self.write_model("odd.json", model)
            for verb in (("show", "odd.json"), ("report", "odd.json", "-o", "p.html")):
                with self.subTest(change=change, verb=verb):
                    self.refused(self.sotto(*verb), "\"ledger\" to be untracked")
        for ledger in ({}, [], None, "", "tracked", 3):
            model["privacy"]["ledger"] = ledger
            self.write_model("odd.json", model)
            with self.subTest(ledger=ledger):
                self.refused(self.sotto("show", "odd.json"), "\"ledger\" to be untracked")

    def test_where_bounds_came_from(self):
        columns = {"a": {"type": "number", "bounds": [0, 1]}, "b": {"type": "number"},
                   "c": {"type": "number", "bounds": [-8, 8], "bought": True},
                   "d": {"type": "category", "levels": ["x", "y"]},
                   "e": {"type": "number", "bounds": [0, 1]},
                   "w": {"type": "weight", "bounds": [0, 2]}, "u": {"type": "drop"},
                   "y": {"type": "target", "bounds": [0, 1]}}
        _, words = self.booked("untracked", schema={"sotto_schema": 1, "columns": columns})
        self.assertIn("Bounds of values declared in the schema: 3 columns and the target levels "
                      "declared: 1 column estimated privately, within this epsilon: 1 column "
                      "none, and none needed: 1 column", words)
        _, words = self.booked("untracked", schema={
            "sotto_schema": 1, "default": {"type": "number", "bounds": [0, 1]}, "columns": {}})
        self.assertIn("Bounds of values declared in the schema, by its default", words)
        model = self.train("--solver", "auto")
        _, words = self.page("m.json")
        self.assertEqual(set(model["privacy"]["bought_bounds"]), {"target", "features"})
        self.assertIn("estimated privately, within this epsilon: 2 columns and the target", words)

    def test_who_signed(self):
        self.assertEqual(self.sotto("key", "new", "k").code, OK)
        model = self.train(*self.CD, "--sign", "k")
        _, words = self.page("m.json")
        self.assertIn("Signature by the key " + model["signature"]["key"], words)
        self.train(name="x.json", epsilon="inf")
        self.assertIn("Signature not signed", self.page("x.json")[1])

    def test_not_private_is_loud(self):
        self.train(name="x.json", epsilon="inf")
        self.assertNotIn("noise", self.model("x.json"))
        text, words = self.page("x.json")
        self.assertIn("NOT PRIVATE", words)
        self.assertIn("WITHOUT privacy", words)
        self.assertIn('class="card bad"', text)
        self.assertNotIn("nobody can be right", words)
        self.train(*self.CD)
        _, words = self.page("m.json", "x.json")
        self.assertIn("1 of these models makes no promise at all", words)
        self.assertNotIn("what is promised of all of them together", words)
        self.train(*self.CD, "--insecure-seed", "1", name="seed.json")
        self.assertIn("NOT PRIVATE", self.page("seed.json")[1])

    def test_models_add_up(self):
        self.train(*self.CD)
        self.train(*self.CD, name="other.json")
        _, words = self.page("m.json", "other.json")
        self.assertIn("all of them together is epsilon 2 at delta 2e-6 (replace-one)", words)
        self.assertIn("The unit is a row, not all rows of a person. Epsilons add up", words)
        self.assertIn("assumed that they are about the same people, and that what is theirs is one "
                      "row in the data of each", words)
        self.train(*self.CD[:4], *self.CD[6:], name="third.json")
        _, words = self.page("m.json", "third.json")
        self.assertNotIn("all of them together is epsilon", words)
        self.assertIn("not added up. Their neighbours differ in different things (adjacency)",
                      words)

    def test_any_number_of_models(self):
        model = self.train(*self.CD)
        names = ["m%d.json" % i for i in range(40)]
        for name in names:
            self.write_model(name, model)
        text, words = self.page(*names)
        self.assertEqual(text.count("<section"), 40)
        shown = float(re.search(r"together is epsilon ([0-9.]+) at", words)[1])
        exact = 40 * fractions.Fraction(model["privacy"]["epsilon"])
        self.assertGreaterEqual(fractions.Fraction(shown), exact)
        self.assertLess(shown, float(exact) * 1.001)

    def test_sums_round_outward(self):
        """No printed digit is below the exact sum of what the models say."""
        plain = self.train(*self.CD)
        third = 1 / 3
        asked = [{"question": "total", "times": 1, "event": "GAUSS", "mu": 1e-307}]
        for values in ([third] * 3, [.1] * 10, [1, 2**-53], [1e-50, 1], [2**53, 1, 1]):
            names, deltas = [], [(epsilon + 1) / 2**70 for epsilon in values]
            for i, epsilon in enumerate(values):
                names.append("v%d.json" % i)
                self.write_model(names[-1], dict(plain, privacy=dict(
                    plain["privacy"], epsilon=epsilon, delta=deltas[i], questions=asked,
                    curve=[], draws=1)))  # delta pays for all, so that any epsilon is true
            with self.subTest(values=values):
                self.sum_is_above(names, values, deltas)

    def sum_is_above(self, names, values, deltas):
        _, words = self.page(*names)
        epsilon, delta = re.search(r"together is epsilon (\S+) at delta (\S+) ", words).groups()
        exact = sum(map(fractions.Fraction, values))
        self.assertGreaterEqual(fractions.Fraction(epsilon), exact)
        self.assertGreaterEqual(fractions.Fraction(delta), sum(map(fractions.Fraction, deltas)))
        self.assertLess(float(epsilon), float(exact) * 1.002)

    def test_no_promise_is_left(self):
        plain = self.train(*self.CD)
        self.write_model("h.json", dict(plain, privacy=dict(plain["privacy"], delta=.5)))
        _, words = self.page("h.json", "h.json")
        self.assertIn("Together they promise nothing", words)

    def test_names_stay_text(self):
        self.train(*self.CD)
        model = self.model()
        model["features"] = EVIL
        model["weights"] = [(-1)**k * (k + 1) for k in range(len(EVIL))]
        model["noise"] = [1.5] * len(EVIL)
        model["loss"], model["classes"] = "logistic", [EVIL[0], EVIL[1]]
        for key in ("not_covered", "rows", "proven_by", "membership",
                    "randomness", "smoothness", "rows_per_person_is", "priced_by"):
            model["privacy"][key] = EVIL[4]
        model["privacy"]["ledger"] = dict(self.LEDGER, dataset=EVIL[0], owner=EVIL[1], date=EVIL[2],
                                          purpose=EVIL[4], head=EVIL[6], parts=EVIL)
        for question in model["privacy"]["questions"]:
            question.update(question=EVIL[0], mechanism=EVIL[1])
        self.write_model("evil<b>.json", model)
        text, words = self.page("evil<b>.json")
        for name in EVIL:
            shown = re.sub("[\u202a-\u202e\u2066-\u2069]", "\ufffd", name)
            self.assertIn(" ".join(shown.split()), words)
        self.assertNotIn("\u202e", text)
        self.assertIn("evil<b>.json", words)

    def test_odd_statements(self):
        """A model by another hand: what is kept makes a page, what is not understood does not."""
        self.train(*self.CD)
        plain = self.model()
        for change in ({"curve": []}, {"epsilon": 1e300}, {"epsilon": 1.7e308},
                       {"curve": [], "epsilon": 1.7e308}):
            model = dict(plain, privacy=dict(plain["privacy"], **change))
            self.write_model("odd.json", model)
            with self.subTest(change=change):
                self.page("odd.json")
        for change in ({"curve": [{"delta": 2, "epsilon": -1}, 3, None]},
                       {"questions": []}, {"rows_per_person": "x"},
                       {"questions": [{}, {"event": "GAUSS", "times": 1e300}]},
                       {"epsilon": 0}, {"delta": 0}, {"delta": 1}, {"chosen_from_answers": [{"times": 1}]}):
            model = dict(plain, privacy=dict(plain["privacy"], **change))
            self.write_model("odd.json", model)
            with self.subTest(change=change):
                self.refused(self.sotto("report", "odd.json", "-o", "p.html"), "expected")
        model = dict(plain, weights=[0, 0])
        self.write_model("odd.json", model)
        self.assertIn("0 of 2 weights are not 0", self.page("odd.json")[1])
        for noise in ([1], [-1, 1], "x", {"3": 1}):
            self.write_model("odd.json", dict(plain, noise=noise))
            self.refused(self.sotto("report", "odd.json", "-o", "p.html"), "not as it must be")

    def test_bars_compare_declared_ranges(self):
        self.write("d.csv", "age,ward,y\n" + "".join(
            "%d,%s,%d\n" % (i % 90, "ab"[i % 2], i % 3) for i in range(200)))
        self.write("s.json", schema({
            "age": {"type": "number", "bounds": [0, 120]},
            "ward": {"type": "category", "levels": ["a", "b"]},
            "y": {"type": "target", "bounds": [0, 2]}}))
        result = self.sotto("train", "d.csv", "--schema", "s.json", "--epsilon", "inf", "-o",
                            "m.json")
        self.assertEqual(result.code, OK, result.err)
        text, words = self.page("m.json")
        weight = self.model()["weights"][0]
        self.assertIn(">%s%.3g</text>" % ("+" if weight > 0 else "", weight * 120), text)
        self.assertIn("so that bars can be compared", words)

    def test_bad_calls(self):
        self.train(*self.CD)
        self.refused(self.sotto("report", "m.json"), "-o FILE")
        self.refused(self.sotto("report", "-o", "x.html"), "usage")
        self.refused(self.sotto("report", "m.json", "-o", "m.json"), "another")
        self.refused(self.sotto("report", "d.npy", "-o", "x.html"), "expected text")
        result = self.sotto("report", "m.json", "-o", "-")
        self.assertEqual((result.code, result.out[:15]), (OK, b"<!DOCTYPE html>"))

    def refused(self, result, *words):
        self.assertEqual((result.code, result.out), (USAGE, b""))
        self.assertEqual(result.err.count(b"\n"), 1)
        for word in words:
            self.assertIn(word.encode(), result.err)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""A statement of privacy is priced again before anybody is shown it.

Every honest model passes, whatever made it; an edited one is refused by show, report and export,
also where its checksum was made anew.
"""
import copy
import json
import random
import subprocess
import unittest

from common import OK, PRIVACY, PROGRAM, USAGE, Case, schema

BUDGET = ("--epsilon", "1", "--delta", "1e-4")
ADJACENCIES = ("add-remove", "replace-one", "zero-out")

# What each solver needs beside the budget. A solver that is not named here fails the test.
NEEDS = {
    "auto": (), "newton": (), "cd": (), "gcd": ("--steps", "6"), "gd": (), "ssp": (),
    "sgd": ("--l2", ".1"), "svrg": ("--l2", ".1"),
    "scd": ("--l2", ".1", "--no-intercept"), "scd-paper": ("--l2", ".1", "--no-intercept"),
    "scd-seq": ("--l2", ".1", "--no-intercept"), "scd-primal": ("--l2", ".1", "--no-intercept"),
    "fw": ("--radius", "1", "--no-intercept"),
    "bcfw": ("--blocks", "2", "--radius", "1", "--no-intercept"),
    "output": ("--l2", ".5", "--no-intercept", "--norm-bound", "1"),
    "objective": ("--l2", ".5", "--no-intercept", "--norm-bound", "1"),
}
CLASSES = ("output", "objective")
# blocks of rows go by a row's place, which another row's absence changes
NOT_FOR = {("scd-seq", "add-remove")}


class Statements(Case):
    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        text = "a,b,y\n"
        for _ in range(60):
            a, b = draw.random(), draw.random()
            text += "%.3f,%.3f,%d\n" % (a, b, a > b)
        self.write("d.csv", text)
        features = {name: {"type": "number", "bounds": [0, 1]} for name in "ab"}
        self.write("s.json", schema({**features, "y": {"type": "target", "bounds": [0, 1]}}))
        self.write("c.json", schema({**features, "y": {"type": "target", "classes": ["0", "1"]}}))
        self.write("free.json", schema({
            **{name: {"type": "number"} for name in "ab"}, "y": {"type": "target"}}))

    def train(self, *args, rules="s.json", loss="squared", budget=BUDGET, rows=("--rows", "60")):
        result = self.sotto("train", "d.csv", "--schema", rules, "--loss", loss, *budget, *rows,
                            "--quiet", "-o", "m.json", *args)
        self.assertEqual(result.code, OK, result.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def views(self, name="m.json"):
        return (self.sotto("show", name), self.sotto("report", name, "-o", "p.html", "--quiet"),
                self.sotto("export", name, "--format", "liblinear", "-o", "x.txt", "--quiet"))

    def accepted(self, name="m.json"):
        show, report, export = self.views(name)
        self.assertEqual((show.code, show.err), (OK, b""))
        self.assertEqual((report.code, report.err), (OK, b""))
        if b"LIBLINEAR cannot" not in export.err:
            self.assertEqual((export.code, export.err), (OK, b""))

    def refused(self, model, code, *words, name="edited.json"):
        """By all that show it, in one line that names the file."""
        self.write_model(name, model)
        for result in self.views(name):
            text = self.assert_one_line(result, code)
            for word in (name, *words):
                self.assertIn(word, text)
        return text


class Honest(Statements):
    def test_every_solver_and_adjacency(self):
        said = json.loads(subprocess.run([PROGRAM, "help", "--json"], capture_output=True,
                                         check=True).stdout)
        solvers = next(o for o in said["options"] if o["name"] == "solver")["choices"]
        for solver in solvers:
            if solver == "exact":
                continue
            for adjacency in ADJACENCIES:
                if (solver, adjacency) in NOT_FOR:
                    continue
                kind = {"rules": "c.json", "loss": "logistic"} if solver in CLASSES else {}
                with self.subTest(solver=solver, adjacency=adjacency):
                    self.train("--solver", solver, "--adjacency", adjacency, *NEEDS[solver],
                               **kind)
                    self.accepted()

    def test_choices_planned_and_told(self):
        self.train("--solver", "gcd", "--steps", "2", rows=())
        self.accepted()
        model = self.train("--path", "select", "--l1", ".1", budget=("--epsilon", "2", "--delta",
                                                                     "1e-4"))
        self.assertEqual(["GAUSS"], [q["event"] for q in model["privacy"]["questions"]])
        self.assertIn("choice", [q["question"] for q in model["privacy"]["chosen_from_answers"]])
        self.accepted()

    def test_bounds_that_were_bought(self):
        model = self.train(rules="free.json", budget=("--epsilon", "5", "--delta", "1e-3"))
        self.assertIn("bought_bounds", model["privacy"])
        self.accepted()

    def test_a_delta_that_pays_for_everything(self):
        """epsilon 0 would be proven; no such promise is made, since none is read."""
        for solver in (("sgd",), ("cd", "--calibration", "paper")):
            result = self.sotto("train", "d.csv", "--schema", "s.json", "--solver", *solver,
                                "--epsilon", ".01", "--delta", ".99", "--rows", "60", "--quiet",
                                "-o", "m.json")
            self.assertIn("--delta", self.assert_one_line(result, PRIVACY))

    def test_not_private(self):
        model = self.train(budget=("--epsilon", "inf"), rows=())
        self.assertIsNone(model["privacy"])
        self.accepted()


class Edited(Statements):
    def setUp(self):
        super().setUp()
        self.model = self.train("--solver", "gcd", "--steps", "6")

    def edited(self, **changes):
        model = copy.deepcopy(self.model)
        model["privacy"].update(changes)
        return model

    def test_a_smaller_epsilon(self):
        price = self.model["privacy"]["epsilon"]
        for epsilon in (.001, price / 2, price * (1 - 1e-5)):
            self.refused(self.edited(epsilon=epsilon), PRIVACY, "cost", "train the model again")
        self.write_model("more.json", self.edited(epsilon=price * 1.5))
        self.accepted("more.json")  # a promise that is kept

    def test_no_number(self):
        for epsilon in (0, -5, "1", None):
            self.refused(self.edited(epsilon=epsilon), USAGE)
        for delta in (0, -1e-6, 1, 7):
            self.refused(self.edited(delta=delta), USAGE)
        for number in ("1e400", "nan", "-1e400", "inf"):
            model = self.edited(epsilon=123456.5)
            self.write_model("edited.json", model, lambda text: text.replace("123456.5", number))
            for result in self.views("edited.json"):
                self.assert_one_line(result, USAGE)

    def test_predict_checks_the_numbers(self):
        """And does not price: what claims too little is read."""
        for epsilon, code in ((0, USAGE), (-5, USAGE), (.001, OK)):
            self.write_model("edited.json", self.edited(epsilon=epsilon))
            result = self.sotto("predict", "edited.json", "d.csv", "-o", "-")
            self.assertEqual(result.code, code, result.err)

    def test_another_delta(self):
        self.refused(self.edited(delta=1e-9), PRIVACY, "cost")

    def test_other_questions(self):
        questions = self.model["privacy"]["questions"]
        for i, question in enumerate(questions):
            level = "eta" if question["event"] == "RANGE" else "mu"
            for change in ({level: question[level] * 1.1}, {level: 0}, {level: -1}, {level: "x"},
                           {"times": 0}, {"times": 2.5}, {"event": "NOISE"},
                           {"noise_multiplier": -1}):
                other = copy.deepcopy(questions)
                other[i].update(change)
                code = PRIVACY if change.get(level) == question[level] * 1.1 else USAGE
                self.refused(self.edited(questions=other), code)
        more = copy.deepcopy(questions)
        for question in more:  # with a claim that was enough before
            question["times"] *= 2
        self.refused(self.edited(questions=more, draws=1e6), PRIVACY, "cost")

    def test_fewer_questions_than_were_paid_for_do_not_make_it_cheaper_to_claim(self):
        """A question less and the epsilon that goes with it is a forgery that nothing shows; a
        question less alone claims more than it costs, and is no lie."""
        questions = copy.deepcopy(self.model["privacy"]["questions"])
        for question in questions:
            question["times"] -= 1
        self.write_model("fewer.json", self.edited(questions=questions))
        self.accepted("fewer.json")
        self.refused(self.edited(questions=questions,
                                 epsilon=self.model["privacy"]["epsilon"] / 2), PRIVACY, "cost")

    def test_a_point_of_the_curve(self):
        for i in range(len(self.model["privacy"]["curve"])):
            curve = copy.deepcopy(self.model["privacy"]["curve"])
            curve[i]["epsilon"] *= .9
            self.refused(self.edited(curve=curve), PRIVACY, "curve")
        for curve in ([{"delta": 1e-5, "epsilon": -1}], [{"delta": 1e-5}], [3], "x", None,
                      [{"delta": .5, "epsilon": 1}]):
            self.refused(self.edited(curve=curve), USAGE)

    def test_order_draws_and_adjacency(self):
        self.refused(self.edited(draws=0), USAGE, "draws")
        self.refused(self.edited(draws=1e17), PRIVACY, "cost")
        self.refused(self.edited(order="some"), USAGE, "order")
        self.refused(self.edited(adjacency="none"), USAGE, "adjacency")

    def test_a_version_with_a_known_fault(self):
        """Statements of before 0.1.0 was finished have no draws."""
        model = self.edited()
        del model["privacy"]["draws"]
        self.refused(model, PRIVACY, "0.1.0", "train it again")
        model["privacy"]["sotto"] = "0.2.0"  # no fault is known of it, but it cannot be priced
        self.refused(model, USAGE, "draws")
        for version in ("x", "0.1", "", None, 7, "0.1.0.0"):
            self.refused(self.edited(sotto=version), PRIVACY, "no version")

    def test_questions_chosen_from_answers(self):
        model = self.train("--path", "select", "--l1", ".1",
                           budget=("--epsilon", "2", "--delta", "1e-4"))
        told = model["privacy"]["chosen_from_answers"]
        told[0]["times"] += 1000
        self.refused(model, PRIVACY, "chosen from answers")

    def test_lists_that_are_none(self):
        """An object or a word in the place of a list is not an empty list."""
        model = self.train("--path", "select", "--l1", ".1",
                           budget=("--epsilon", "2", "--delta", "1e-4"))
        told = model["privacy"]["chosen_from_answers"]
        for other in ({"0": told[0]}, "x", None, 3, [told[0], 3], [[told[0]]]):
            model["privacy"]["chosen_from_answers"] = other
            self.refused(model, USAGE, "chosen")
        first = self.model["privacy"]["questions"][0]
        for other in ({"0": first}, "x", None, [first, 3], [[first]]):
            self.refused(self.edited(questions=other), USAGE, "question")
        point = self.model["privacy"]["curve"][0]
        for other in ({"0": point}, [point, 3], [[point]]):
            self.refused(self.edited(curve=other), USAGE, "curve")
        for other in ({"0": {"party": "one", "epsilon": .001}}, {}, "x", None, [3]):
            self.refused(self.edited(slices=other), USAGE, "slices")

    def test_what_is_left_for_questions_chosen_from_answers(self):
        """It has as much for them as it is priced at: once, Gaussian, by itself."""
        model = self.train("--path", "select", "--l1", ".1",
                           budget=("--epsilon", "2", "--delta", "1e-4"))
        model["privacy"].update(curve=[], draws=3e7, epsilon=50)
        self.write_model("dear.json", model)
        self.accepted("dear.json")
        at = next(i for i, q in enumerate(model["privacy"]["questions"])
                  if q["question"] == "chosen from answers")
        mu = model["privacy"]["questions"][at].pop("mu")
        for change in ({"event": "SUBSAMPLED", "mu": mu, "rate": 1e-9},
                       {"event": "GAUSS", "mu": mu / 1e3, "times": 10**6},
                       {"event": "GAUSS", "mu": mu / 1e3, "times": 10**6, "blocks": 10**6},
                       {"event": "GAUSS", "mu": mu, "blocks": 1},
                       {"event": "GAUSS", "mu": mu, "in_turn_with_next": True},
                       {"event": "ZCDP", "rho": mu * mu / 2},
                       {"event": "RANGE", "eta": mu}, {"event": "PURE", "epsilon": mu},
                       {"event": "LAPLACE", "epsilon": mu}):
            other = copy.deepcopy(model)
            other["privacy"]["questions"][at].update(change)
            if "in_turn_with_next" in change:  # with a question that it could be in turn with
                other["privacy"]["questions"].insert(at + 1, {
                    "question": "gradient", "times": 1, "event": "GAUSS", "mu": .001})
            self.refused(other, USAGE, "chosen from answers")

    def test_choices_are_not_within_a_gaussian(self):
        model = self.train("--path", "select", "--l1", ".1",
                           budget=("--epsilon", "2", "--delta", "1e-4"))
        choice = next(q for q in model["privacy"]["chosen_from_answers"] if q["question"] == "choice")
        choice.update(event="RANGE", eta=choice.pop("mu") / 100)
        self.refused(model, USAGE, "chosen from answers", "GAUSS")

    def test_words_that_contradict_each_other(self):
        for adjacency in ADJACENCIES:
            model = self.train("--solver", "gd", "--steps", "5", "--adjacency", adjacency)
            said = model["privacy"]
            hidden = adjacency == "add-remove"
            for change, word in (
                    ({"membership": "not protected" if hidden else "protected"}, "membership"),
                    ({"membership": None}, "membership" if hidden else None),
                    ({"rows_per_person": 0}, "rows_per_person"),
                    ({"rows_per_person": -3, "unit": "person"}, "rows_per_person"),
                    ({"rows_per_person": "x"}, "rows_per_person"),
                    ({"rows_per_person": 1.5}, "rows_per_person"),
                    ({"rows_per_person": None}, "rows_per_person"),
                    ({"rows_per_person": 2}, "unit"), ({"unit": "house"}, "unit"),
                    ({"questions": []}, "question")):
                if word:
                    self.refused(dict(model, privacy={**said, **change}), USAGE, word)
            other = dict(said, zero_out="x")
            if adjacency == "zero-out":
                del other["zero_out"]
            self.refused(dict(model, privacy=other), USAGE, "zero_out")
            for name in ADJACENCIES:  # a claim that is dear enough for all of them
                if name != adjacency:
                    other = dict(said, adjacency=name, epsilon=1000, curve=[])
                    self.refused(dict(model, privacy=other), USAGE, "expected")

    def test_samples(self):
        for adjacency in ADJACENCIES:
            model = self.train("--solver", "sgd", "--l2", ".1", "--adjacency", adjacency)
            model["privacy"]["epsilon"] *= .9
            self.refused(model, PRIVACY, "cost")


class Blocks(Statements):
    """Blocks of rows take turns, and a row is in one of them: that is cheap, and for one solver."""

    def gd(self, *args):
        model = self.train("--solver", "gd", "--steps", "50", *args,
                           budget=("--epsilon", "8", "--delta", "1e-4"))
        model["privacy"].update(curve=[])
        self.write_model("whole.json", model)
        self.accepted("whole.json")
        return model

    def seq(self):
        model = self.train("--solver", "scd-seq", *NEEDS["scd-seq"], "--adjacency", "replace-one",
                           "--batch-rate", ".25", rules="c.json", loss="hinge")
        at = next(q for q in model["privacy"]["questions"] if q["question"] == "sequence")
        return model, at

    def test_of_other_questions(self):
        for adjacency in ADJACENCIES:
            model = self.gd("--adjacency", adjacency)
            model["privacy"]["questions"][-1]["blocks"] = 50
            for epsilon in (1.5, 8):
                model["privacy"]["epsilon"] = epsilon
                self.refused(model, USAGE, "blocks")

    def test_of_one_question_in_turn(self):
        model = self.train("--solver", "gcd", "--steps", "6", "--adjacency", "replace-one")
        questions = model["privacy"]["questions"]
        first = next(i for i, q in enumerate(questions) if q.get("in_turn_with_next"))
        for at in (first, first + 1):
            for name in (questions[at]["question"], "sequence"):
                other = copy.deepcopy(model)
                other["privacy"]["questions"][at].update(blocks=6, question=name)
                self.refused(other, USAGE, "blocks")

    def test_of_a_sequence(self):
        model, at = self.seq()
        self.assertGreater(at["blocks"], 1)
        self.accepted()
        with open(self.path("p.html"), encoding="utf-8") as file:
            self.assertIn("by blocks of rows: %d<" % at["blocks"], file.read())
        hidden = {"adjacency": "add-remove", "membership": "protected"}
        people = {"unit": "person", "rows_per_person": 1}
        part = {key: model["privacy"][key] for key in ("questions", "delta", "draws")}
        for change in (hidden, people, dict(people, rows_per_person=3),
                       {"slices": [dict(part, epsilon=1000)]}):
            other = copy.deepcopy(model)
            other["privacy"].update(change, epsilon=1000, curve=[])
            self.refused(other, USAGE, "blocks")
        level = at.pop("mu")
        for change in ({"event": "PURE", "epsilon": level}, {"event": "ZCDP", "rho": level},
                       {"event": "SUBSAMPLED", "mu": level, "rate": .5}):
            other = copy.deepcopy(model)
            other["privacy"].update(epsilon=1000, curve=[])
            for question in other["privacy"]["questions"]:
                if question["question"] == "sequence":
                    question.update(change)
            self.refused(other, USAGE, "blocks")


class Parties(Statements):
    AGREEMENT = {
        "sotto_parties": 1, "target": {"name": "y", "bounds": [0, 1], "party": "one"},
        "rounds": 6, "buckets": 16, "seed": 5,
        "parties": [
            {"name": "one", "radius": 1, "cap": 1,
             "columns": {"a": {"type": "number", "bounds": [0, 1]}}},
            {"name": "two", "radius": 1, "cap": 1,
             "columns": {"b": {"type": "number", "bounds": [0, 1]}}}]}

    def together(self, *caps):
        agreement = copy.deepcopy(self.AGREEMENT)
        for party, cap in zip(agreement["parties"], caps):
            party["cap"] = cap
        self.write("p.json", json.dumps(agreement))
        result = self.sotto("federate", "simulate", "d.csv", "--columns", "p.json", *BUDGET,
                            "--quiet", "-o", "m.json")
        self.assertEqual(result.code, OK, result.err)
        self.accepted()
        with open(self.path("m.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_a_party_that_shows_nothing(self):
        """It may have columns, and is asked nothing."""
        model = self.together(1, 0)
        self.assertEqual(model["privacy"]["slices"][1]["questions"], [])

    def test_questions_are_some_party_s(self):
        model = self.together()
        for k in range(2):
            other = copy.deepcopy(model)
            other["privacy"]["slices"][k].update(questions=[], epsilon=0, draws=0)
            self.refused(other, USAGE, "parties' questions")
            other = copy.deepcopy(model)
            other["privacy"]["slices"][k]["questions"][0]["times"] -= 1
            self.refused(other, USAGE, "parties' questions")
        model["privacy"]["questions"][0]["times"] = 1
        self.refused(model, USAGE, "parties' questions")

    def test_parts_are_a_list(self):
        model = self.together()
        slices = model["privacy"]["slices"]
        for other in ({"0": dict(slices[0], epsilon=.001)}, {}, "x", None, [slices[0], 3], []):
            model["privacy"]["slices"] = other
            self.refused(model, USAGE)
        model["privacy"]["slices"] = copy.deepcopy(slices)
        model["privacy"]["slices"][0]["questions"] = {"0": slices[0]["questions"][0]}
        self.refused(model, USAGE, "questions")

    def test_every_promise_is_checked(self):
        model = self.together()
        for k in range(2):
            other = copy.deepcopy(model)
            other["privacy"]["slices"][k]["epsilon"] *= .9
            self.refused(other, PRIVACY, "party")
            other["privacy"]["slices"][k]["epsilon"] = -1
            self.refused(other, USAGE)
        model["privacy"]["epsilon"] *= .9
        self.refused(model, PRIVACY, "cost")


if __name__ == "__main__":
    unittest.main()

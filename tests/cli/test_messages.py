"""What the program says when something is not as it should be: one line that
names the thing to do. Values that are extreme, names that are nearly right,
files of other programs.
"""

import unittest

from common import DATA, OK, USAGE, Case, schema

DATA_CSV = "age,bmi,smoker,y\n" + "".join(
    "%d,%.1f,%d,%d\n" % (20 + i % 50, 20 + i % 13, i % 2, i % 3 > 0)
    for i in range(60))
NUMBER = {"type": "number", "bounds": [0, 120]}
COLUMNS = {"age": NUMBER, "bmi": NUMBER,
           "smoker": {"type": "number", "bounds": [0, 1]},
           "y": {"type": "target", "classes": ["0", "1"]}}


class DidYouMean(Case):
    """A name that is nearly right is suggested, others are not."""

    def meant(self, *args, hint=None, code=USAGE):
        text = self.assert_one_line(self.sotto(*args), code)
        if hint:
            self.assertIn("did you mean " + hint, text)
        else:
            self.assertNotIn("did you mean", text)
        return text

    def test_verbs(self):
        for verb, meant in (("trian", "train"), ("Train", "train"),
                            ("pedict", "predict"), ("eval", "evaluate"),
                            ("gen", "generate"), ("acount", "account")):
            with self.subTest(verb):
                self.meant(verb, hint=meant + "?")
                self.meant("help", verb, hint=meant + "?")
        for verb in ("x", "fit", "learn", "tr", "zzzzzzz"):
            with self.subTest(verb):
                self.meant(verb)

    def test_options(self):
        for verb, option, meant in (
                ("train", "--epsilom", "epsilon"), ("train", "--Delta=1", "delta"),
                ("plan", "--row", "rows"), ("train", "--unit-colum", "unit-column"),
                ("predict", "--probas", "proba"), ("train", "--eps", "epsilon"),
                ("account", "--adjacancy", "adjacency")):
            with self.subTest(option):
                self.meant(verb, option, hint="--" + meant + "?")
        for option in ("--learning-rate", "--verbose", "--x"):
            with self.subTest(option):
                self.meant("train", option)

    def test_option_of_another_verb(self):
        """It is not suggested where it cannot be given."""
        text = self.meant("predict", "m.json", "d.csv", "--epsilon", "1")
        self.assertIn("which goes with doctor train plan account federate;", text)
        self.meant("predict", "m.json", "d.csv", "--epsilom", "1")

    def test_choices(self):
        for option, value, meant in (
                ("--loss", "logit", "logistic"), ("--loss", "Hinge", "hinge"),
                ("--loss", "square", "squared"), ("--solver", "sdg", "sgd"),
                ("--solver", "newtn", "newton"), ("--bad-rows", "dorp", "drop")):
            with self.subTest(value):
                self.meant("train", "d.csv", option, value, hint='"%s"?' % meant)
        self.meant("train", "d.csv", "--loss", "poisson")

    def test_other_names(self):
        self.meant("generate", "cov-erin", "-o", "x.csv")
        first = self.sotto("generate").out.decode().split()[0]
        self.meant("generate", first[:-1], "-o", "x.csv", hint='"%s"?' % first)
        self.meant("federate", "simulat", "d.csv", hint="simulate?")
        self.meant("federate", "statsu", "c.json", hint="status?")
        self.meant("account", "--paper", "dp-scdd", "--epsilon", "1", "--delta",
                   "1e-6", "--set", "T=10,q=.1", hint='"')

    def test_columns_of_the_header(self):
        self.write("d.csv", DATA_CSV)
        for option in ("--target", "--drop", "--only", "--weights", "--unit-column"):
            with self.subTest(option):
                self.meant("doctor", "d.csv", option, "Bmi", hint='"bmi"?', code=DATA)
                self.meant("doctor", "d.csv", option, "smokr", hint='"smoker"?',
                           code=DATA)
                self.meant("doctor", "d.csv", option, "income", code=DATA)
        self.write("s.json", schema({**COLUMNS, "aeg": NUMBER}))
        self.meant("doctor", "d.csv", "--schema", "s.json", "--loss", "logistic",
                   hint='"age"?', code=DATA)

    def test_never_a_value_of_a_record(self):
        """Levels, classes and rows are not names: nothing of them is repeated."""
        rows = "".join("%s,%d\n" % (("female", "male")[i % 2], i % 2)
                       for i in range(20))
        self.write("d.csv", "sex,y\n" + rows)
        self.write("s.json", schema({
            "sex": {"type": "category", "levels": ["femal", "mle"]},
            "y": {"type": "target"}}))
        text = self.meant("doctor", "d.csv", "--schema", "s.json", code=DATA)
        self.assertNotIn("male", text)

    def test_keys_of_a_schema(self):
        cases = (
            ({"age": {"type": "number", "bound": [0, 1]}}, {}, '"bounds"?'),
            ({"age": {"type": "nummber"}}, {}, '"number"?'),
            ({"age": {"type": "number", "mising": 0}}, {}, '"missing"?'),
            ({"age": {"type": "category", "levles": ["a"]}}, {}, '"levels"?'),
            ({}, {"missing_value": []}, '"missing_values"?'),
            ({}, {"defalt": {"type": "drop"}}, '"default"?'),
            ({"age": {"type": "number", "comment": "x"}}, {}, None),
            ({"age": {"type": "text"}}, {}, None))
        self.write("d.csv", DATA_CSV)
        for columns, more, hint in cases:
            with self.subTest(columns, **more):
                self.write("s.json", schema(columns, **more))
                text = self.meant("doctor", "d.csv", "--schema", "s.json",
                                  hint=hint)
                self.assertIn("s.json: ", text)


if __name__ == "__main__":
    unittest.main()

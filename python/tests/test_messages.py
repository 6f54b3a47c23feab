#!/usr/bin/env python3
"""Messages speak of what there is in Python: X, parameters, methods; not of files and options."""

import inspect
import unittest
import warnings

from common import BUDGET, Case, dp, main, np, problem

try:
    import pandas
except ImportError:
    pandas = None
try:
    import sklearn.impute
    import sklearn.preprocessing
except ImportError:
    sklearn = None


@unittest.skipUnless(pandas, "no pandas")
class Frames(Case):
    def setUp(self):
        super().setUp()
        X, y = problem()
        self.frame = pandas.DataFrame({"age": X[:, 0], "dose": X[:, 1], "ill": y})
        self.schema = dp.Schema(age=dp.Number(-1, 1), dose=dp.Number(-1, 1))

    def model(self, **more):
        return dp.LogisticRegression(**{**BUDGET, "schema": self.schema, **more})

    def test_columns_that_are_too_many(self):
        self.refused(dp.DataError, r'column "ill" is not in the schema: declare it \(Drop\(\) '
                     r"leaves it out\), or give the schema others=; y was given, and X has it, "
                     "too$", self.model().fit, self.frame, self.frame["ill"])
        model = self.model().fit(self.frame, target="ill")
        self.refused(dp.DataError, 'does not know the column "foo"; leave it out of X$',
                     model.predict, self.frame.assign(foo=1))
        self.refused(dp.DataError, "X has 3 features, but LogisticRegression is expecting 2 "
                     "features as input, without the target and dropped columns", model.predict,
                     self.frame.to_numpy())

    def test_a_target_that_is_a_feature_too(self):
        with self.assertWarnsRegex(dp.RemarkWarning, 'X has a column "ill", as y is called'):
            self.model(schema=None, insecure_seed=1).fit(self.frame, self.frame["ill"])
        with warnings.catch_warnings():
            warnings.simplefilter("error", dp.RemarkWarning)
            self.model(insecure_seed=1).fit(self.frame[["age", "dose"]], self.frame["ill"])

    def test_the_card(self):
        dataset = dp.Ledger(self.file("l.db")).dataset("a", epsilon=3, delta=1e-6)
        card = self.model(ledger=dataset).fit(self.frame, target="ill")._repr_html_()
        top = card.split("<details>")[0]
        self.assertIn("history() of the data set has what came later", top)
        self.assertNotIn("sotto ledger", top)

    def test_columns_that_are_not_there(self):
        self.refused(dp.DataError, '^X has no column "dose", which the schema declares$',
                     self.model().fit, self.frame[["age", "ill"]], target="ill")
        model = self.model().fit(self.frame, target="ill")
        self.refused(dp.DataError, '^X has no column "dose", which the model needs$',
                     model.predict, self.frame[["age"]])
        self.refused(dp.UsageError, 'there is no column "Ill"; did you mean "ill"\\?',
                     self.model().fit, self.frame, target="Ill")
        self.refused(dp.DataError, 'there is no column "il"; did you mean "ill"\\?',
                     model.score, self.frame, target="il")
        self.refused(dp.UsageError, "give y or target, not both", self.model().fit, self.frame,
                     self.frame["ill"], target="ill")

    def test_people(self):
        dataset = dp.Ledger(self.file("l.db")).dataset("a", unit="id", epsilon=3, delta=1e-6)
        self.refused(dp.DataError, '^X has no column "id", by which the ledger tells people apart; '
                     "or give person=, or a Person in the schema$",
                     self.model(ledger=dataset).fit, self.frame, target="ill")
        rows = dp.Ledger(self.file("l.db")).dataset("b", rows=3, epsilon=3, delta=1e-6)
        self.refused(dp.SottoError, "expected the same unit=, rows= and adjacency= as it was made",
                     self.model(ledger=rows, rows_per_person=2).fit, self.frame, target="ill")

    def test_a_row_by_its_place(self):
        bad = self.frame.copy()
        bad.loc[10, "dose"] = float("nan")
        self.refused(dp.DataError, r'row 11 \(iloc 10\), column "dose"', self.model().fit, bad,
                     target="ill")

    def test_dates(self):
        dated = self.frame.assign(dose=pandas.Timestamp("2020-01-02"))
        self.refused(dp.DataError, r"found datetime64.*for Date \(astype\(str\)\), or numbers, or leave it out \(Drop",
                     self.model(schema=None).fit, dated, target="ill")


class Declarations(Case):
    def test_levels(self):
        for levels in ("f", {"a", "b"}, {"a": 1}, b"f"):
            self.refused(TypeError, r'expected levels as a list, as \["a", "b"\]', dp.Category,
                         levels)
        self.refused(TypeError, "False and True are read as 0 and 1", dp.Category, [True, False])
        self.refused(TypeError, "written down", dp.Category, np.array(["a", "b"]))
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET, insecure_seed=1, schema=dp.Schema(
            {"1": dp.Category([0, 1])})).fit(X[:, :1] > 0, y)
        self.assertEqual(model.coef_names_.tolist(), ["1=0", "1=1"])

    def test_schemas(self):
        X, y = problem()
        for schema in ("schema.json", {"age": 1}):
            self.refused(dp.UsageError, r"expected a Schema; Schema.from_file\(path\) reads one",
                         dp.LogisticRegression(**BUDGET, schema=schema).fit, X, y)
        self.refused(dp.UsageError, r"features=P, how many there will be, or schema=Schema\(...\)",
                     dp.LogisticRegression(**BUDGET).plan, rows=100)
        self.refused(dp.UsageError, "of an array give y apart", dp.LogisticRegression(**BUDGET).fit,
                     X, target="y")

    def test_short_reprs(self):
        dataset = dp.Ledger(self.file("l.db")).dataset("a", unit="id", epsilon=3, delta=1e-6)
        self.assertEqual(repr(dataset), "Dataset('l.db', 'a', unit='id')")
        schema = dp.Schema({f"c{j}": dp.Number(0, 1) for j in range(30)})
        model = dp.LogisticRegression(**BUDGET, schema=schema, ledger=dataset)
        self.assertEqual(repr(model), "LogisticRegression(epsilon=1, delta=1e-06, "
                         "schema=Schema(...30 columns...), "
                         "ledger=Dataset('l.db', 'a', unit='id'))")
        short = dp.Schema(age=dp.Number(0, 120))
        self.assertEqual(repr(dp.LinearRegression(schema=short)),
                         "LinearRegression(schema=Schema(age=Number(0, 120)))")
        plan = repr(model.plan(rows=1000))
        self.assertRegex(plan, r"^Plan\(epsilon=(1|0\.99[0-9]*), delta=1e-06, for a .*, "
                         r"add-remove; asks: .*target mean.*gradient x [0-9]+")
        self.assertLess(len(plan), 400)
        self.refused(ValueError, "^Invalid parameter 'epsilom' for estimator LogisticRegression; "
                     'did you mean "epsilon"\\?$', model.set_params, epsilom=2)

    def test_parameters_of_scikit_learn(self):
        for name, words in (("C", r"'C'; give l2=1 / \(n \* C\)"), ("n_jobs", "give threads="),
                            ("random_state", "the noise is secret"),
                            ("epsilom", 'did you mean "epsilon"'), ("quux", "'quux'$")):
            for kind in (dp.LogisticRegression, dp.LinearSVC, dp.LinearRegression,
                         dp.HuberRegressor):
                self.refused(TypeError, f"^{kind.__name__}: there is no parameter .*{words}", kind,
                             **{name: 1})
        parameters = inspect.signature(dp.LinearSVC).parameters
        self.assertEqual(sorted(parameters), sorted(dp.LinearSVC().get_params()))
        with self.assertRaises(TypeError):
            dp.LinearSVC(1)

    def test_what_a_loaded_model_lacks(self):
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET, l2=0.1, classes=[0, 1]).fit(X, y)
        model.save(self.file("model.json"))
        loaded = dp.load(self.file("model.json"))
        self.assertEqual((loaded.l2, loaded.classes, loaded.schema, loaded.ledger), (None,) * 4)
        self.assertEqual(loaded.delta, 1e-6)
        self.assertEqual(loaded.predict_proba(X).tobytes(), model.predict_proba(X).tobytes())

    def test_files(self):
        for function in (dp.load, dp.LogisticRegression.load, dp.Schema.from_file):
            with self.assertRaises(OSError):
                function(self.file("nope"))
        self.refused(dp.SottoError, "nope: there is no such file", dp.load, self.file("nope"))
        with open(self.file("other"), "w") as file:
            file.write("{}")
        self.refused(dp.SottoError, r"expected a file of save\(\) or of the program", dp.load,
                     self.file("other"))

    @unittest.skipUnless(sklearn, "no scikit-learn")
    def test_steps(self):
        last = dp.LogisticRegression(**BUDGET)
        for step, words in (
                (("log", dp.Bounds(0, 1)), "it is no step; give the steps themselves"),
                (dp.OneHot, "it is a class, and no step; make one of it, with parentheses"),
                (sklearn.preprocessing.OneHotEncoder(categories=[["a"]]),
                 "it takes the type of its columns, and what is unknown"),
                (sklearn.preprocessing.OneHotEncoder(), "it takes levels"),
                (sklearn.impute.SimpleImputer(strategy="constant"),
                 "it learns which columns have no value"),
                (sklearn.impute.SimpleImputer(), "it learns what to fill in")):
            self.refused((dp.PrivacyError, TypeError), words, dp.make_pipeline, step, last)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What newcomers do: refused in a line, and before it costs anything where types can tell."""

import sys
import unittest
from unittest import mock

from common import BUDGET, SECRETS, Case, dp, have, main, np, problem, program


pandas, polars, pyarrow, duckdb, sparse, sklearn = map(
    have, ("pandas", "polars", "pyarrow", "duckdb", "scipy.sparse", "sklearn"))


class Charged(Case):
    """A test with a ledger, in which a refusal is free or is charged."""

    def setUp(self):
        super().setUp()
        self.X, self.y = problem()
        self.dataset = dp.Ledger(self.file("ledger.db")).dataset("a", epsilon=20, delta=1e-5)

    def model(self, kind=dp.LogisticRegression, **more):
        return kind(**BUDGET, ledger=self.dataset, **more)

    def free(self, kind, words, function, *arguments, **more):
        """Whether a call is refused and nothing is booked."""
        before = self.dataset.history()
        error = self.refused(kind, words, function, *arguments, **more)
        self.assertEqual(self.dataset.history(), before)
        self.assertNotIn("booked", str(error))


class Free(Charged):
    def test_progress(self):
        with mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}):
            self.free(dp.UsageError, "progress=True needs tqdm", self.model(progress=True).fit,
                      self.X, self.y)
        self.free(dp.UsageError, "progress: expected", self.model(progress=5).fit, self.X, self.y)
        self.model(progress=lambda at: None).fit(self.X, self.y)
        self.assertEqual(len(self.dataset.history()), 2)

    def test_declarations_that_disagree(self):
        numbers = {str(j + 1): dp.Number(-1, 1) for j in range(3)}
        wide = dp.Schema(numbers, width=4)
        self.free(dp.DataError, "X has 3 columns, and the schema says width=4",
                  self.model(schema=wide).fit, self.X, self.y)
        self.model(schema=dp.Schema(numbers, width=3)).fit(self.X, self.y)
        whole = dp.Schema({**numbers, "4": dp.Target()}, width=4)  # as of the program's .npy
        self.model(schema=whole).fit(self.X, self.y)
        named = dp.Schema({**numbers, "y": dp.Target(classes=["0", "1"])})
        for classes in ([1, 0], [0, 2], "public"):
            self.free(dp.UsageError, "classes: the schema's Target declares classes, too",
                      self.model(schema=named, classes=classes).fit, self.X, self.y)
        self.model(schema=named, classes=[0, 1]).fit(self.X, self.y)
        people = dp.Schema({**numbers, "id": dp.Person(rows=3)})
        self.free(dp.UsageError, "rows_per_person: the schema's Person has rows=3",
                  self.model(schema=people, rows_per_person=2).fit, self.X, self.y)
        for value in ("yes", 1, None):
            self.free(dp.UsageError, "fit_intercept: expected True or False",
                      self.model(fit_intercept=value).fit, self.X, self.y)

    @unittest.skipUnless(pandas, "no pandas")
    def test_two_targets(self):
        frame = pandas.DataFrame({"age": self.X[:, 0], "dose": self.X[:, 1], "y": self.y})
        schema = dp.Schema(dose=dp.Number(-1, 1), y=dp.Target(), age=dp.Number(-1, 1))
        self.free(dp.UsageError, 'target: "age", and the schema\'s Target is "y"',
                  self.model(schema=schema).fit, frame, target="age")
        self.free(dp.UsageError, 'y was given, and X has "y", the schema\'s Target',
                  self.model(schema=schema).fit, frame, self.y)
        for y in (self.y, frame["y"].rename("other")):
            model = self.model(schema=schema).fit(frame[["age", "dose"]], y)
            self.assertIn('"y"', model._model.text())

    def test_what_is_not_private_is_not_booked(self):
        for more, words in (({"epsilon": float("inf")}, "epsilon=inf trains without noise"),
                            ({"insecure_seed": 1}, "insecure_seed makes noise")):
            for ledger, booked in ((self.dataset, '; nothing was booked in data set "a"'),
                                   (None, "")):
                model = dp.LogisticRegression(**{**BUDGET, "l2": 0.1, **more}, ledger=ledger)
                with self.assertWarns(dp.NotPrivateWarning) as caught:
                    model.fit(self.X, self.y)
                self.assertRegex(str(caught.warning), f"^NOT PRIVATE: {words}.*{booked}$")
        self.assertEqual(self.dataset.spent(), 0)

    def test_labels_of_another_type(self):
        words = np.where(self.y, "b", "a")  # of a list the type would be data: it is charged
        for y in (self.y, self.y.astype(bool), self.y.astype(float)):
            self.free(dp.UsageError, "classes: y has numbers", self.model(classes=["a", "b"]).fit,
                      self.X, y)
        self.free(dp.UsageError, "classes: y has texts", self.model(classes=[0, 1]).fit, self.X,
                  words)
        self.free(dp.DataError, "y: expected numbers", self.model(dp.LinearRegression).fit,
                  self.X, words)
        named = dp.Schema({"1": dp.Number(-1, 1), "2": dp.Number(-1, 1), "3": dp.Number(-1, 1),
                           "target": dp.Target(classes=["a", "b"])})
        self.free(dp.UsageError, "classes are texts, and y has numbers",
                  self.model(schema=named).fit, self.X, self.y)

    def test_budgets_are_numbers(self):
        for more in ({"epsilon": "1"}, {"delta": "1e-6"}, {"epsilon": True}, {"epsilon": [1]},
                     {"epsilon": 10 ** 400}):
            name = next(iter(more))
            model = dp.LogisticRegression(**{**BUDGET, **more})
            self.refused(dp.UsageError, f"^{name}: expected a number$", model.fit, self.X, self.y)
        for number in (np.float32(1), np.int64(1), np.array(1.0)):
            dp.LogisticRegression(epsilon=number, delta=1e-6).fit(self.X, self.y)

    def test_names_where_arrays_belong(self):
        for arguments, words in (
                ({"y": "name"}, "y: expected an array; .*target="),
                ({"y": self.y, "person": "p"}, r"person: .*schema, as Person\(\)"),
                ({"y": self.y, "sample_weight": "w"}, r"sample_weight: .*as Weight\(\)"),
                ({"target": self.y}, "target: expected the name of a column")):
            self.free(dp.UsageError, words, self.model().fit, self.X, **arguments)

    @unittest.skipIf(sklearn is None, "no scikit-learn")
    def test_a_pipeline_takes_x_and_y(self):
        pipe = dp.make_pipeline(dp.Bounds(-1, 1), self.model())
        self.free(dp.UsageError, "give X and y", pipe.fit, self.X, target="t")


class Reading(Charged):
    def test_records_are_read_without_charge(self):
        self.assertIsNone(self.model().check_records(self.X, self.y))
        X = self.X.copy()
        X[7, 1] = np.nan
        self.free(dp.DataError, 'row 8, column "2"', self.model().check_records, X, self.y)
        words = self.y.astype(object)
        words[3] = SECRETS[1]
        self.free(dp.DataError, "row 4", self.model(classes=[0, 1]).check_records, self.X,
                  words)
        self.free(dp.DataError, "expected 0 or 1.*classes=", self.model().check_records, self.X,
                  self.y + 1)
        self.assertFalse(hasattr(self.model(), "coef_"))

    def test_it_says_what_the_fit_would(self):
        X = self.X.copy()
        X[7, 1] = np.inf
        free = self.refused(dp.DataError, "row 8", self.model().check_records, X, self.y)
        paid = self.refused(dp.DataError, "booked and stays charged", self.model().fit, X, self.y)
        self.assertTrue(str(paid).startswith(str(free)))
        self.assertIn("check_records reads them without charge", str(paid))
        self.assertNotIn("doctor", str(paid))


class Labels(Case):
    def setUp(self):
        super().setUp()
        self.X, self.y = problem(2000)

    def test_scores_read_labels_as_a_fit_does(self):
        signs = np.where(self.y, 1, -1)
        words = np.where(self.y, " yes", "no\t")
        for y, classes in ((signs, ["-1", "1"]), (signs.astype(str), ["-1", "1"]),
                           (signs.astype(float), ["-1", "1"]), (words, ["no", "yes"])):
            model = dp.LogisticRegression(**BUDGET, classes=classes).fit(self.X, y)
            score = model.score(self.X, y)
            self.assertGreater(score, 0.8)
            model.save(self.fresh("model.json"))
            again = dp.load(self.file("model.json"))
            for same in (y, y.astype(object), y.tolist(), y.astype(str)):
                self.assertEqual(again.score(self.X, same), score)
                self.assertEqual(model.score(self.X, same), score)

    def test_answers_have_the_type_of_y(self):
        signs = np.where(self.y, 1, -1)
        model = dp.LogisticRegression(**BUDGET, classes=["-1", "1"]).fit(self.X, signs)
        self.assertEqual(model.classes_.tolist(), [-1, 1])
        self.assertGreater(np.mean(model.predict(self.X) == signs), 0.8)
        model.fit(self.X, signs.astype(str))
        self.assertEqual(model.classes_.tolist(), ["-1", "1"])

    def test_other_labels_are_not_a_score_of_nothing(self):
        model = dp.LogisticRegression(**BUDGET).fit(self.X, self.y)
        other = self.y.astype(object)
        other[4] = SECRETS[1]
        for y in (other, np.where(np.arange(2000) == 4, np.nan, self.y)):
            self.refused(dp.DataError, "row 5 has none", model.score, self.X, y)
        self.refused(dp.DataError, "has none of the model", model.score, self.X, np.where(self.y, "b", "a"))
        self.refused(dp.UsageError, "expected an array", model.score, self.X, "y")
        self.refused(dp.UsageError, "expected y", model.score, self.X)


def frames(data):
    """The same columns as every kind of frame that is installed."""
    if pandas is not None:
        yield "pandas", pandas.DataFrame(data)
    if polars is not None:
        yield "polars", polars.DataFrame(data)
    if pyarrow is not None:
        yield "pyarrow", pyarrow.table(data)
    if duckdb is not None and pyarrow is not None:
        given = pyarrow.table(data)  # noqa: F841, duckdb finds it by its name
        yield "duckdb", duckdb.sql("select * from given")


class Frames(Charged):
    def setUp(self):
        super().setUp()
        self.data = {"a": self.X[:, 0].tolist(), "b": self.X[:, 2].tolist(),
                     "word": np.where(self.y, "x", "z").tolist(), "t": self.y.tolist()}
        self.numbers = {name: self.data[name] for name in ("a", "b", "t")}

    def test_texts_that_nobody_declared(self):
        bounds = {"a": dp.Number(-1, 1), "b": dp.Number(-1, 1)}
        for name, frame in frames(self.data):
            with self.subTest(frame=name):
                self.free(dp.DataError, r'column "word": expected numbers.*Category\(\[',
                          self.model().fit, frame, target="t")
                declared = dp.Schema(**bounds, word=dp.Category(["x", "z"]), t=dp.Target())
                self.model(schema=declared).fit(frame)
                self.model(schema=dp.Schema(**bounds, word=dp.Drop(), t=dp.Target())).fit(frame)
        for name, frame in frames(self.data):
            if name == "pandas":  # an object may be a number, if the caller says so
                frame = frame.astype({"word": "category"})
                self.free(dp.DataError, "its type is a category", self.model().fit, frame,
                          target="t")
                continue
            wrong = dp.Schema(**bounds, word=dp.Number(0, 1), t=dp.Target())
            with self.subTest(frame=name):
                self.free(dp.DataError, 'column "word"', self.model(schema=wrong).fit, frame)

    def test_labels_by_the_type_of_a_column(self):
        for name, frame in frames({**self.numbers, "w": self.data["word"]}):
            with self.subTest(frame=name):
                schema = dp.Schema(a=dp.Number(-1, 1), b=dp.Number(-1, 1), w=dp.Drop())
                self.free(dp.UsageError, "y has numbers",
                          self.model(schema=schema, classes=["x", "z"]).fit, frame, target="t")

    def test_scores_find_the_target(self):
        schema = dp.Schema(a=dp.Number(-1, 1), b=dp.Number(-1, 1), t=dp.Target())
        for kind in (dp.LogisticRegression, dp.LinearRegression):
            for name, frame in frames(self.numbers):
                with self.subTest(frame=name, kind=kind):
                    model = kind(**BUDGET, schema=schema, insecure_seed=1).fit(frame)
                    X = np.column_stack([self.data["a"], self.data["b"]])
                    expected = model.score(X, self.y)
                    self.assertAlmostEqual(model.score(frame), expected, 9)
                    self.assertAlmostEqual(model.score(frame, target="t"), expected, 9)
                    self.refused(dp.DataError, 'target: there is no column "wrong"', model.score,
                                 frame, target="wrong")
                    self.refused(dp.UsageError, "target: expected the name", model.score, frame,
                                 target=self.y)
                    model.save(self.fresh("model.json"))
                    self.assertAlmostEqual(dp.load(self.file("model.json")).score(frame),
                                           expected, 9)

    def test_no_target(self):
        for name, frame in frames(self.numbers):
            with self.subTest(frame=name):
                self.free(dp.UsageError, 'target="name"', self.model().fit, frame)

    def test_one_column_is_no_table(self):
        for name, frame in frames(self.numbers):
            if name != "duckdb":
                with self.subTest(frame=name):
                    self.free(dp.DataError, "Expected 2D array", self.model().fit, frame["a"],
                              self.y)

    @unittest.skipIf(pyarrow is None, "no pyarrow")
    def test_pyarrow(self):
        table = pyarrow.table(self.numbers)
        for y, classes in ((self.data["word"], ["x", "z"]), (self.y.astype(bool), None)):
            y = pyarrow.array(y)
            model = self.model(classes=classes).fit(table.select(["a", "b"]), y)
            self.assertGreaterEqual(model.score(table.select(["a", "b"]), y), 0)
        model = self.model().fit(table.to_batches()[0], target="t")
        score = model.score(table)
        self.assertEqual(model.score(table.to_reader()), score)
        self.model().fit(table.to_reader(), target="t")
        self.free(dp.UsageError, "columns of a stream", self.model().fit,
                  table.select(["a", "b"]).to_reader(), self.y)

    @unittest.skipIf(polars is None, "no polars")
    def test_polars(self):
        frame = polars.DataFrame(self.numbers)
        X, y = frame.select("a", "b"), polars.Series(self.y)
        self.assertGreater(self.model().fit(X, y).score(X, y), 0.5)
        for call in (self.model().fit, self.model().check_records):
            self.free(dp.UsageError, r"X\.collect\(\)", call, frame.lazy(), target="t")

    @unittest.skipIf(pandas is None, "no pandas")
    def test_numbers_as_names(self):
        frame = pandas.DataFrame(np.column_stack([self.X, self.y]))
        model = self.model().fit(frame, target=3)
        self.assertEqual(model.n_features_in_, 3)
        self.assertGreater(model.score(frame, target=3), 0.5)

    @unittest.skipIf(pandas is None or sparse is None, "no pandas or no scipy")
    def test_sparse_frames(self):
        entries = np.where(np.abs(self.X) < 0.5, 0, self.X)
        whole = pandas.DataFrame(entries, columns=["a", "b", "c"])
        thin = whole.astype(pandas.SparseDtype(float, 0.0))
        texts = {dp.LogisticRegression(**BUDGET, insecure_seed=1).fit(X, self.y)._model.text()
                 for X in (whole, thin)}
        self.assertEqual(len(texts), 1)
        model = dp.LogisticRegression(**BUDGET).fit(sparse.csr_matrix(entries), self.y)
        expected = model.decision_function(entries)
        for X in (whole, thin):
            self.assertTrue(np.array_equal(model.decision_function(X), expected))
            self.assertGreater(model.score(X, self.y), 0.5)


class Ledgers(Charged):
    @unittest.skipIf(pandas is None, "no pandas")
    def test_the_column_of_parts_is_the_ledgers(self):
        program("ledger", "create", "--ledger", "ledger.db", "--dataset", "visits",
                "--part-column", "quarter", "--parts", "Q1,Q2", "--epsilon", 3, "--delta", 1e-6,
                cwd=self.folder)
        visits = dp.Ledger(self.file("ledger.db")).dataset("visits")
        frame = pandas.DataFrame({"a": self.X[:, 0], "quarter": np.where(self.y, "Q1", "Q2"),
                                  "t": self.y})
        model = dp.LogisticRegression(**BUDGET, ledger=visits, parts=["Q1"], bad_rows="drop")
        self.assertEqual(list(model.fit(frame, target="t").coef_names_), ["a"])
        self.refused(dp.UsageError, "has parts", model.check_records, frame, target="t")

    def test_a_name_that_is_not_there(self):
        ledger = dp.Ledger(self.file("ledger.db"))
        self.refused(dp.UsageError, 'there is no data set "mamo"; there are: a', ledger.dataset,
                     "mamo")
        self.assertEqual(ledger.names(), ["a"])
        self.assertEqual(ledger.dataset("mamo", delta=1e-6).name, "mamo")


if __name__ == "__main__":
    main()

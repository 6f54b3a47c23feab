#!/usr/bin/env python3
"""What is free and what is charged: a record must not decide it.

Every test makes the same call on two tables that differ in one record. Either
both are refused, for nothing and in the same words; or the one is fitted and
the other fails, at the same price; or neither fits under the cap.
"""

import decimal
import os
import unittest
import warnings

from common import BUDGET, SECRETS, Case, dp, have, main, np, problem

from sotto_dp._data import text_or_none
from sotto_dp._spending import untracked


pandas, polars, pyarrow, duckdb, sparse, sklearn = map(
    have, ("pandas", "polars", "pyarrow", "duckdb", "scipy.sparse", "sklearn"))
if sklearn:
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.pipeline import FeatureUnion
    from sklearn.preprocessing import (Binarizer, FunctionTransformer, Normalizer,
                                       PolynomialFeatures)

SECRET = SECRETS[1]


class Twins(Case):
    def setUp(self):
        super().setUp()
        self.X, self.y = problem(300)
        self.bad = self.X.copy()
        self.bad[7, 1] = np.nan
        self.count = 0

    def outcome(self, call, bad, cap):
        """How a call ends, what it says, and what is spent."""
        self.count += 1
        dataset = dp.Ledger(self.file(f"{self.count}.db")).dataset("a", epsilon=cap, delta=1e-5)
        kind, words = "model", ""
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                call(bad, dataset)
            except BaseException as error:
                kind, words = type(error).__name__, str(error)
                self.assertIsNone(error.__cause__)
                for secret in SECRETS:
                    self.assertNotIn(secret, words + str(error.__context__))
        told = [str(each.message) for each in seen
                if not issubclass(each.category, dp.SottoWarning)]
        return kind, words, dataset.spent(), told

    def charged(self, call):
        """The bad table costs what the good one does."""
        good, bad = (self.outcome(call, flag, 20) for flag in (False, True))
        self.assertEqual(good[0], "model", good)
        self.assertNotEqual(bad[0], "model")
        self.assertGreater(good[2], 0.5)
        self.assertEqual(good[2:], bad[2:])
        if bad[0] not in ("KeyboardInterrupt", "SystemExit"):
            self.assertIn("stays charged", bad[1])
        poor, worse = (self.outcome(call, flag, 0.1) for flag in (False, True))
        self.assertEqual(poor[0], "BudgetError")
        self.assertEqual(poor, worse)
        return bad

    def free(self, call, words):
        """Both are refused, for nothing and in the same words."""
        for cap in (20, 0.1):
            good, bad = (self.outcome(call, flag, cap) for flag in (False, True))
            self.assertRegex(good[1], words)
            self.assertEqual(good[2], 0)
            self.assertEqual(good, bad)

    def table(self, bad):
        return self.bad if bad else self.X


def last(dataset, **more):
    return dp.LogisticRegression(**BUDGET, ledger=dataset, **more)


def bounds(names):
    return dp.Schema({name: dp.Number(-1, 1) for name in names})


@unittest.skipUnless(sklearn, "no scikit-learn")
class Steps(Twins):
    def pipe(self, *steps, **more):
        def call(bad, dataset, **words):
            return dp.make_pipeline(*steps, last(dataset, **more)).fit(
                self.table(bad), self.y, **words)
        return call

    def test_the_schema_names_what_steps_make(self):
        made = bounds(str(j + 1) for j in range(10))
        self.charged(self.pipe(PolynomialFeatures(2), schema=made, fit_intercept=False))
        self.free(self.pipe(PolynomialFeatures(2), schema=bounds("123"), fit_intercept=False),
                  'column "4" is not in the schema')

    @unittest.skipUnless(pandas, "no pandas")
    def test_frames_with_names(self):
        for target in (False, True):
            def call(bad, dataset):
                frame = pandas.DataFrame({"a": self.X[:, 0], "b": self.X[:, 1].astype(object)})
                if bad:
                    frame.loc[7, "b"] = SECRET
                schema = bounds("ab")
                if not target:
                    pipe = dp.make_pipeline(dp.Bounds(-1, 1), last(dataset, schema=schema))
                    return pipe.fit(frame, self.y)
                frame["t"] = self.y
                schema = dp.Schema(a=dp.Number(-1, 1), b=dp.Number(-1, 1),
                                   t=dp.Target(classes=["0", "1"]))
                return dp.make_pipeline(dp.Bounds(-1, 1), last(dataset, schema=schema)).fit(frame)
            self.charged(call)

    def test_texts(self):
        """The stand-in of texts is as wide as what is made of them."""
        def call(bad, dataset):
            X = np.array(["some words"] * 300, dtype=object)
            if bad:
                X[7] = None
            pipe = dp.make_pipeline(HashingVectorizer(n_features=16),
                                    last(dataset, undeclared="rows"))
            return pipe.fit(X, self.y)
        self.charged(call)

    def test_refusals_come_before_the_steps(self):
        def fit(*steps, y=self.y, more={}, words={}):
            return lambda bad, dataset: dp.make_pipeline(*steps, last(dataset, **more)).fit(
                self.table(bad), y, **words)

        step = Normalizer()
        self.free(fit(step, y=self.y[:-1]), "inconsistent numbers")
        self.free(fit(step, words={"logisticregression__foo": 1}), "no parameter")
        self.free(fit(step, words={"logisticregression__sample_weight": self.y[:9]},
                      more={"weight_bound": 1}), "inconsistent numbers")
        self.free(fit(step, more={"progress": "x"}), "progress")
        self.free(fit(step, dp.Bounds([0, 0], [1, 1])), "one for each of 3 columns")
        self.free(fit(step, more={"classes": ["a", "b"]}), "y has numbers")
        self.free(fit(step, ColumnTransformer([("a", Binarizer(), [5])])), "takes no such table")

    def test_functions_of_the_callers_own(self):
        """Such a function may fail on the stand-in; then the columns of X stand in, or the
        schema's."""
        def only_many(X):
            if len(X) < 2 or np.isnan(X).any():
                raise ValueError(SECRET)
            return X[:, :2]

        for more in ({"schema": bounds("12")}, {}):
            self.charged(self.pipe(FunctionTransformer(only_many), **more))
        for stop in (KeyboardInterrupt, SystemExit, BaseException, MemoryError):
            def stops(X, stop=stop):
                if np.isnan(X).any():
                    raise stop()
                return X
            bad = self.charged(self.pipe(FunctionTransformer(stops)))
            self.assertEqual(bad[0], stop.__name__ if stop in (KeyboardInterrupt, SystemExit)
                             else "DataError")

    def test_refusals_of_sotto_within_a_step(self):
        """A step must not be able to say that nothing was booked."""
        def refuses(X):
            if np.isnan(X).any():
                raise dp.BudgetError(SECRET)
            return X
        self.charged(self.pipe(FunctionTransformer(refuses)))

    def test_no_way_around_fit(self):
        for name in ("fit_transform", "fit_predict"):
            self.assertFalse(hasattr(dp.make_pipeline(Normalizer(), last(None)), name))

    def test_methods_replaced_in_the_object(self):
        for j, name in ((0, "transform"), (1, "fit")):
            pipe = dp.make_pipeline(Normalizer(), last(None))
            setattr(pipe[j], name, getattr(pipe[j], name))
            self.refused(dp.PrivacyError, f"its {name} was replaced", pipe.fit, self.X, self.y)

    @unittest.skipUnless(polars, "no polars")
    def test_panics(self):
        """A panic of a library in Rust is no Exception; and types are refused as types."""
        class Panic(BaseException):
            pass

        def panics(X):
            if np.isnan(X).any():
                raise Panic(SECRET)
            return X
        self.charged(self.pipe(FunctionTransformer(panics)))

        def call(bad, dataset):
            days = polars.Series([1000] * 298 + [2 ** 30 if bad else 1000, None],
                                 dtype=polars.Int32).cast(polars.Date)
            return dp.make_pipeline(dp.OneHot(["2000-01-01"]), last(dataset)).fit(
                polars.DataFrame({"d": days}), self.y)
        self.free(call, "OneHot: expected numbers or texts")


class HandOver(Twins):
    def test_arrays_that_are_elsewhere(self):
        """What has a shape and a type is converted after the dry run."""
        class Lazy:
            def __init__(self, values, bad):
                self.values, self.bad = values, bad
                self.shape, self.ndim, self.dtype = values.shape, values.ndim, values.dtype

            def __len__(self):
                return self.shape[0]

            def __array__(self, dtype=None, copy=None):
                if self.bad:
                    raise ValueError(SECRET)
                return self.values

        ones = np.ones(300)
        self.charged(lambda bad, dataset: last(dataset).fit(Lazy(self.X, bad), self.y))
        self.charged(lambda bad, dataset: last(dataset).fit(self.X, Lazy(self.y, bad)))
        self.charged(lambda bad, dataset: last(dataset, weight_bound=1).fit(
            self.X, self.y, Lazy(ones, bad)))
        self.free(lambda bad, dataset: last(dataset).fit(Lazy(self.X, bad), self.y[:-1]),
                  "inconsistent numbers")

        class Bare:
            def __init__(self, values):
                self.values = values

            def __array__(self, dtype=None, copy=None):
                return self.values
        self.free(lambda bad, dataset: last(dataset).fit(Bare(self.table(bad)), self.y),
                  "that have a shape")
        self.assertEqual(last(None).fit(Bare(self.X), self.y).n_features_in_, 3)

    def test_rows_of_lists(self):
        for place in (0, 7):
            def call(bad, dataset, place=place):
                rows = self.X.tolist()
                if bad:
                    rows[place] = rows[place][:2]
                return last(dataset, schema=bounds("123")).fit(rows, self.y)
            self.charged(call)

    def test_public_labels(self):
        def call(bad, dataset):
            y = self.y.astype(float)
            if bad:
                y[7] = np.nan
            return last(dataset, classes="public").fit(self.X, y)
        self.charged(call)

    def test_what_numpy_warns_of(self):
        def call(bad, dataset):
            X = self.X.astype(np.longdouble)
            if bad:
                X[7, 1] = np.finfo(np.float64).max * np.longdouble(16)
            return last(dataset).fit(X, self.y[:-1])
        self.free(call, "inconsistent")

    @unittest.skipUnless(pandas, "no pandas")
    def test_the_column_of_the_target(self):
        class Frame(pandas.DataFrame):
            def __getitem__(self, key):
                if key == "t" and Frame.bad:
                    raise ValueError(SECRET)
                return super().__getitem__(key)

        def call(bad, dataset):
            Frame.bad = False
            frame = Frame({"a": self.X[:, 0], "t": self.y})
            Frame.bad = bad
            return last(dataset).fit(frame, target="t")
        self.charged(call)

    @unittest.skipUnless(sparse, "no scipy")
    def test_sparse(self):
        def matrix(bad):
            X = sparse.csr_matrix(self.X)
            if bad:
                X.indices[5] = 99
            return X
        self.charged(lambda bad, dataset: last(dataset, undeclared="rows").fit(
            matrix(bad), self.y))
        self.free(lambda bad, dataset: last(dataset, undeclared="rows").fit(
            matrix(bad), self.y[:-1]), "inconsistent")

    @unittest.skipUnless(sparse and sklearn, "no scikit-learn")
    def test_sparse_with_steps(self):
        """Sums of a row's entries overflow without a word, and odd formats fail without one."""
        def call(bad, dataset):
            X = sparse.lil_matrix(self.X)
            if bad:
                X.rows[7], X.data[7] = [0, 77], [1.0, 2.0]
            pipe = dp.make_pipeline(dp.Bounds(-1, 1), last(dataset, undeclared="rows"))
            return pipe.fit(X, self.y)
        self.charged(call)

        def sums(value):
            entries = np.r_[self.X[:, 0], [value, value]]
            row, column = np.r_[np.arange(300), [7, 7]], np.r_[np.zeros(300, int), [1, 1]]
            return sparse.coo_matrix((entries, (row, column)), shape=(300, 3))
        for value in (1.0, 1e308):
            ended = self.outcome(lambda _, dataset: dp.make_pipeline(
                dp.Bounds(-1, 1), last(dataset, undeclared="rows")).fit(sums(value), self.y),
                False, 20)
            self.assertEqual((ended[0], ended[3]), ("model", []))

    @unittest.skipUnless(duckdb and pandas, "no duckdb")
    def test_queries(self):
        def query(words, y=False, **more):
            def call(bad, dataset):
                given = pandas.DataFrame({"a": self.X[:, 0], "b": ["1.5"] * 300, "y": self.y})
                if bad:
                    given.loc[7, "b"] = SECRET
                connection = duckdb.connect()
                connection.register("given", given)
                rows = connection.sql(f"select a, cast(b as double) b, {words} from given")
                return last(dataset, **more).fit(rows, *([self.y] if y else []),
                                                 **({} if y else {"target": "y"}))
            return call
        self.charged(query("y"))
        self.free(query("timestamp '2020-01-01' t, y"), "found TIMESTAMP")
        self.free(query("'x' t, y"), "its type is text")
        self.free(query("y", schema=bounds("a")), 'column "b" is not in the schema')
        self.free(query("y", y=True), "columns of a stream")
        self.free(query("date '2020-01-01' y", classes=["0", "1"]), "found DATE")

    @unittest.skipUnless(pyarrow, "no pyarrow")
    def test_texts_that_are_none(self):
        def table(bad):
            data = b"ab" * 7 + (b"\xff\xfe" if bad else b"ab") + b"ab" * 292
            offsets = pyarrow.array(range(0, 601, 2), pyarrow.int32()).buffers()[1]
            words = pyarrow.Array.from_buffers(pyarrow.string(), 300,
                                               [None, offsets, pyarrow.py_buffer(data)])
            return pyarrow.table({"a": self.X[:, 0], "c": words})
        schema = dp.Schema(a=dp.Number(-1, 1), c=dp.Category(["ab"]))
        self.charged(lambda bad, dataset: last(dataset, schema=schema).fit(table(bad), self.y))
        self.free(lambda bad, dataset: last(dataset, schema=schema).fit(table(bad), self.y[:-1]),
                  "inconsistent")
        self.free(lambda bad, dataset: last(dataset, schema=schema).fit(
            table(bad).append_column("w", pyarrow.array([0] * 300, pyarrow.timestamp("s"))),
            self.y), "w")

    @unittest.skipUnless(pyarrow, "no pyarrow")
    def test_streams_that_fail_are_counted(self):
        def reader(bad):
            table = pyarrow.table({"a": self.X[:, 0], "y": self.y})

            def rows():
                yield from table.to_batches(200)[:1]
                if bad:
                    raise ValueError(SECRET)
                yield from table.to_batches(200)[1:]
            return pyarrow.RecordBatchReader.from_batches(table.schema, rows())
        self.charged(lambda bad, dataset: last(dataset).fit(reader(bad), target="y"))
        untracked.forget()
        self.refused(dp.SottoError, "stream", last(None).fit, reader(True), target="y")
        self.assertIn("1 untracked fit", untracked._words())

    @unittest.skipUnless(pyarrow, "no pyarrow")
    def test_streams_that_do_not_open(self):
        class Query:
            columns = ["a", "y"]
            schema = pyarrow.schema([("a", pyarrow.float64()), ("y", pyarrow.int64())])

            def __init__(self, table):
                self.table = table

            def __arrow_c_stream__(self, requested_schema=None):
                if self.table is None:
                    raise ValueError(SECRET)
                return self.table.__arrow_c_stream__()

        table = pyarrow.table({"a": self.X[:, 0], "y": self.y})
        self.charged(lambda bad, dataset: last(dataset).fit(
            Query(None if bad else table), target="y"))

    def test_failures_without_a_ledger_are_counted(self):
        untracked.forget()
        rows = [*self.X.tolist(), [1.0]]
        self.refused(dp.DataError, "one length", last(None).fit, rows, [*self.y, 0])
        self.assertIn("1 untracked fit", untracked._words())
        self.refused(dp.DataError, "inconsistent", last(None).fit, self.X, self.y[:-1])
        self.assertIn("1 untracked fit", untracked._words())  # nothing was touched


@unittest.skipUnless(sklearn, "no scikit-learn")
class Functions(Case):
    """Known functions of NumPy: a missing value leaves the other rows as they are."""

    def made(self, step, X):
        pipe = dp.make_pipeline(step, last(None))
        return np.asarray(pipe._prepare(X))

    def frames(self):
        ages = [10, 20, 200]
        if pandas:
            for name in ("UInt8", *(["uint8[pyarrow]"] if pyarrow else [])):
                yield lambda end, name=name: pandas.DataFrame(
                    {"a": pandas.array([*ages, end], dtype=name)})
        if polars:
            yield lambda end: polars.DataFrame({"a": polars.Series([*ages, end],
                                                                   dtype=polars.UInt8)})
        if pyarrow:
            yield lambda end: pyarrow.table({"a": pyarrow.array([*ages, end], pyarrow.uint8())})

    def test_missing_values_leave_types_alone(self):
        for make in self.frames():
            for function in (np.square, np.log1p, np.sqrt, np.negative):
                rows = [self.made(FunctionTransformer(function), make(end))[:3]
                        for end in (0, None)]
                self.assertEqual(rows[0].tobytes(), rows[1].tobytes())
                self.assertEqual(rows[0][:, 0].tolist(),
                                 function(np.array([10.0, 20.0, 200.0])).tolist())
            inner = FunctionTransformer(np.square)
            for step in (ColumnTransformer([("f", inner, ["a"])]), FeatureUnion([("f", inner)])):
                pipe = dp.make_pipeline(step, last(None))
                self.refused(dp.PrivacyError, "one missing value", pipe.fit, make(0),
                             [0, 1, 0, 1])
        X = np.full((2000, 1), 200, np.uint8)
        self.assertEqual(self.made(FunctionTransformer(np.square), X)[0, 0], 40000)

    def test_new_rows_are_treated_as_in_the_fit(self):
        """In a byte the square of 200 would be 64."""
        X = np.random.default_rng(2).integers(0, 256, (2000, 1)).astype(np.uint8)
        schema = dp.Schema(others=dp.Number(0, 255 ** 2))
        pipe = dp.make_pipeline(FunctionTransformer(np.square), dp.LogisticRegression(
            epsilon=20, delta=1e-6, schema=schema)).fit(X, X[:, 0] > 127)
        self.assertGreater(pipe.score(X, X[:, 0] > 127), 0.9)
        self.assertEqual(pipe.decision_function(X).tolist(),
                         pipe[-1].decision_function(X.astype(float) ** 2).tolist())
        self.assertEqual(pipe.predict_proba(X[:3]).shape, (3, 2))
        thin = sparse.csr_matrix(np.eye(30))
        pipe = dp.make_pipeline(FunctionTransformer(np.square), last(None, undeclared="rows"))
        self.assertEqual(len(pipe.fit(thin, np.arange(30) % 2).predict(thin[:7])), 7)
        with self.assertRaises(AttributeError):
            dp.make_pipeline(Normalizer(), dp.LinearSVC(**BUDGET)).predict_proba

    def test_views_are_copied(self):
        """NumPy computes the numbers of a view in another way than those of one row."""
        wide = np.random.default_rng(3).uniform(0.1, 5, (500, 3))
        step = FunctionTransformer(np.log)
        whole = self.made(step, wide[:, 1:2])
        alone = np.array([self.made(step, wide[i:i + 1, 1:2])[0, 0] for i in range(500)])
        self.assertEqual(whole[:, 0].tobytes(), alone.tobytes())

    def test_sparse_is_no_product(self):
        X = sparse.random(20, 20, 0.3, random_state=1, format="csr")
        for made in (sparse.csr_matrix, getattr(sparse, "csr_array", sparse.csr_matrix)):
            out = dp.make_pipeline(FunctionTransformer(np.square), last(None))._prepare(made(X))
            self.assertTrue(np.array_equal(out.toarray(), X.toarray() ** 2))
        for step in (FunctionTransformer(np.exp), FunctionTransformer(np.cos),
                     FeatureUnion([("f", FunctionTransformer(np.square))])):
            pipe = dp.make_pipeline(step, last(None))
            self.refused(dp.PrivacyError, "sparse", pipe.fit, X, np.arange(20) % 2)

    def test_functions_that_keep_zero_do(self):
        from sotto_dp._row_local import _OF_ZERO, keeps_zero
        for name in _OF_ZERO:
            function = getattr(np, name)
            self.assertEqual(function(np.zeros(3)).tolist(), [0.0] * 3)
        for function in (np.exp, np.cos, np.log, np.isnan, np.logical_not, np.array, len):
            self.assertFalse(keeps_zero(function))
        self.assertTrue(keeps_zero(np.abs))

    def test_one_long_row(self):
        X = np.random.default_rng(1).normal(size=(3, 9000))
        for norm in ("l1", "l2"):
            whole = self.made(Normalizer(norm=norm), X)
            for i in range(3):
                alone = self.made(Normalizer(norm=norm), X[i:i + 1].copy())
                self.assertEqual(alone.tobytes(), whole[i:i + 1].tobytes())

    @unittest.skipUnless(pandas, "no pandas")
    def test_levels_of_categories(self):
        big = 2 ** 53
        for end in (1, None):
            frame = pandas.DataFrame({"a": pandas.Categorical([big, big + 1, end])})
            self.assertEqual(dp.OneHot([[big, big + 1]]).fit_transform(frame)[:2].tolist(),
                             [[1, 0], [0, 1]])


class Ids(Case):
    def test_decimals_are_not_rounded(self):
        ids = [decimal.Decimal("0.12345678901234567890123456789"),
               decimal.Decimal("0.12345678901234567890123456788")]
        self.assertNotEqual(*map(text_or_none, ids))
        with decimal.localcontext() as context:
            context.prec = 2
            self.assertEqual([text_or_none(decimal.Decimal(each)) for each in
                              ("1.251", "1.252", "1.2500", "-0.50", "0.00", "1e-7", "25e2")],
                             [b"1.251", b"1.252", b"1.25", b"-0.5", b"0", b"1E-7", b"2500"])


class SecondLook(Twins):
    """What another attacker found."""

    @unittest.skipUnless(sklearn, "no scikit-learn")
    def test_a_step_may_be_called_anything(self):
        """Whether a run is charged is no matter of words."""
        from sklearn.pipeline import Pipeline

        def call(bad, dataset):
            pipe = dp.make_pipeline(Normalizer(), dp.LogisticRegression(**BUDGET, ledger=dataset))
            pipe.steps[0] = ("stays charged", pipe.steps[0][1])
            self.assertIsInstance(pipe, Pipeline)
            pipe.fit(self.bad if bad else self.X, self.y)

        self.charged(call)

    @unittest.skipUnless(sklearn, "no scikit-learn")
    def test_at_a_cap_nothing_tells(self):
        """Neither the traceback nor what is left in the steps."""
        seen = []
        for X in (self.X, self.bad):
            self.count += 1
            dataset = dp.Ledger(self.file(f"{self.count}.db")).dataset("a", epsilon=.1, delta=1e-5)
            pipe = dp.make_pipeline(Normalizer(), dp.LogisticRegression(**BUDGET, ledger=dataset))
            try:
                pipe.fit(X, self.y)
            except dp.BudgetError as error:
                places, trace = [], error.__traceback__
                while trace:
                    places.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
                    trace = trace.tb_next
                seen.append((places, vars(pipe.steps[0][1]), error.__context__ is None))
        self.assertEqual(len(seen), 2)
        self.assertEqual(seen[0], seen[1])

    def test_a_list_is_not_looked_into(self):
        def call(bad, dataset):
            y = self.y.tolist()
            y[3] = np.array(1) if bad else y[3]
            model = dp.LogisticRegression(**BUDGET, ledger=dataset, bad_rows="drop")
            model.fit(self.X, y)

        good, bad = (self.outcome(call, flag, 20) for flag in (False, True))
        self.assertEqual((good[0], bad[0]), ("model", "model"))
        self.assertEqual(good[2], bad[2])

    def test_frames_of_one_column_are_columns(self):
        """One missing id leaves the others whole."""
        from sotto_dp._data import one_column, plain_values
        ids = [2 ** 60 + i for i in range(4)]
        made = [(kind, lambda values, kind=kind: kind({"p": values})) for kind in (
            getattr(polars, "DataFrame", None), getattr(pyarrow, "table", None)) if kind]
        for _, frame in made:
            for values in (ids, [*ids, None]):
                found = plain_values(one_column(frame(values), "person")).tolist()
                self.assertEqual(found[:4], ids)
        for _, frame in made[:1]:
            wide = polars.DataFrame({"p": ids, "q": ids}) if polars else None
            if wide is not None:
                self.refused(dp.DataError, "1d array", one_column, wide, "person")


if __name__ == "__main__":
    assert os.environ["SOTTO_LEDGER"] == "none"
    main()

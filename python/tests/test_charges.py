#!/usr/bin/env python3
"""What is free and what is charged: a record must not decide it.

Every test makes the same call on two tables that differ in one record. Either
both are refused, for nothing and in the same words; or the one is fitted and
the other fails, at the same price; or neither fits under the cap.
"""

import os
import unittest

from charge_cases import SECRET, Twins, bounds, last
from common import BUDGET, dp, have, main, np

from sotto_dp._spending import untracked

pandas, polars, pyarrow, duckdb, sparse, sklearn = map(
    have, ("pandas", "polars", "pyarrow", "duckdb", "scipy.sparse", "sklearn"))
if sklearn:
    from sklearn.preprocessing import Normalizer


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

    def test_a_tie_of_widths(self):
        """How many records are of a length decides nothing: the schema says the width."""
        for bad_rows in (150, 300):
            def call(bad, dataset, bad_rows=bad_rows):
                rows = self.X.tolist()
                for i in range(bad_rows if bad else 0):
                    rows[i] = rows[i][:2]
                return last(dataset, schema=bounds("123")).fit(rows, self.y)
            self.charged(call)

    def test_lists_without_a_public_width(self):
        for schema in (None, dp.Schema(others=dp.Number(-1, 1))):
            def call(bad, dataset, schema=schema):
                rows = self.X.tolist()
                rows[0] = rows[0][:1] if bad else rows[0]
                return last(dataset, schema=schema).fit(rows, self.y)
            self.free(call, "its records say")
        schema = dp.Schema(others=dp.Number(-1, 1), width=3)
        self.charged(lambda bad, dataset: last(dataset, schema=schema).fit(
            [*self.X.tolist()[:-1], [0.5] * (2 if bad else 3)], self.y))

    def test_public_labels(self):
        def call(bad, dataset):
            y = self.y.astype(float)
            if bad:
                y[7] = np.nan
            return last(dataset, classes="public").fit(self.X, y)
        self.charged(call)

    def test_many_public_labels(self):
        """What is booked must not depend on records: the stand-in has two labels."""
        def call(bad, dataset):
            X = self.X.copy()
            X[3, 0] = np.nan if bad else X[3, 0]
            return last(dataset, classes="public").fit(X, np.arange(len(X)) % 3)
        self.free(call, "a list of three and more")

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
        for words in ("timestamp '2020-01-01'", "1::HUGEINT", "1::UHUGEINT", "[1]",
                      "'2020-01-01'::TIMESTAMP_NS", "1.5::DECIMAL(5, 2)", "interval 1 day"):
            self.free(query(f"{words} t, y"), 'column "t": expected numbers or texts, found ')
        self.free(query("gen_random_uuid() t, y"), "its type is text")
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
        rows = [[1.0], *self.X.tolist()]  # the first is as any other
        self.refused(dp.DataError, "one length", last(None, schema=bounds("123")).fit, rows,
                     [*self.y, 0])
        self.assertIn("1 untracked fit", untracked._words())
        self.refused(dp.DataError, "inconsistent", last(None).fit, self.X, self.y[:-1])
        self.assertIn("1 untracked fit", untracked._words())  # nothing was touched


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

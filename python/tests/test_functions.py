"""Known functions of NumPy as steps, levels and ids: a row is treated alike in any company."""

import decimal
import pickle
import unittest

from charge_cases import last
from common import BUDGET, Case, dp, have, main, np

from sotto_dp._data import text_or_none

pandas, polars, pyarrow, sparse, sklearn = map(
    have, ("pandas", "polars", "pyarrow", "scipy.sparse", "sklearn"))
if sklearn:
    from sklearn.base import clone
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import FeatureUnion
    from sklearn.pipeline import make_pipeline as plain
    from sklearn.preprocessing import FunctionTransformer, Normalizer


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

    def test_views_within_a_step(self):
        """So it is within another step, where a column is a view, whatever its type."""
        for kind in ("float16", "float32", "float64", "uint8"):
            wide = np.random.default_rng(3).uniform(1, 5, (300, 3)).astype(kind)
            for function in (np.log, np.tan, np.square):
                inner = FunctionTransformer(function)
                for step in (ColumnTransformer([("f", inner, slice(1, 2))]),
                             ColumnTransformer([("f", "drop", [0, 2])], remainder=inner),
                             ColumnTransformer([("f", plain(inner), slice(1, 2))]),
                             FeatureUnion([("f", inner)])):
                    whole = self.made(clone(step), wide)
                    for i in (0, 5, 299):
                        alone = self.made(clone(step), wide[i:i + 1])[0]
                        self.assertEqual(whole[i].tobytes(), alone.tobytes())
                    self.assertEqual(whole[:, -1 if whole.shape[1] == 1 else 1].tolist(),
                                     function(wide[:, 1].astype(float)).tolist())

    def test_functions_within_a_step_stay_known(self):
        X = np.random.default_rng(3).uniform(1, 5, (300, 3)).astype("float16")
        step = ColumnTransformer([("f", FunctionTransformer(np.log), slice(0, 3))])
        pipe = dp.make_pipeline(step, last(None))
        before = pickle.dumps(step)
        for again in (pipe, clone(pipe), pickle.loads(pickle.dumps(pipe))):
            again.fit(X, X[:, 0] > 3)
            self.assertNotIn("before sotto", str(again.steps[-1][1].statement_["not_covered"]))
            self.assertEqual(dp.check(again), [])
            one = again[:-1].transform(X)[7]
            self.assertEqual(one.tolist(), again[:-1].transform(X[7:8])[0].tolist())
        self.assertEqual(pickle.dumps(step), before)

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


if __name__ == "__main__":
    main()

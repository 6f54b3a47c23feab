"""dp.Bounds and dp.OneHot: they look at one row at a time, and at no value in fit."""

import datetime
import decimal
import inspect
import unittest
import warnings

from common import dp, have, np
from pipeline_cases import SECRET

try:
    import scipy.sparse as sparse
    import sklearn
except ImportError:
    sklearn = None

pd, polars = map(have, ("pandas", "polars"))


@unittest.skipUnless(sklearn, "scikit-learn is not installed")
class Transformers(unittest.TestCase):
    def test_bounds(self):
        X = np.array([[-5, 0.5, np.nan], [np.inf, -np.inf, 3]])
        found = dp.Bounds([-1, 0, 0], 1).fit_transform(X)
        np.testing.assert_array_equal(found, [[-1, 0.5, np.nan], [1, 0, 1]])
        S = sparse.csr_matrix([[5.0, 0, -7]])
        self.assertEqual(dp.Bounds(-1, 2).fit_transform(S).toarray().tolist(), [[2, 0, -1]])
        self.assertEqual(S.toarray().tolist(), [[5, 0, -7]])
        for low, high in ((1, 0), (0, np.inf), (np.nan, 1), ("a", 1), ([0, 0], 1), ([[0]], 1),
                          (X.min(axis=0), 1), (0, np.ones(3))):
            with self.assertRaises(dp.UsageError):
                dp.Bounds(low, high).fit(X)
        with self.assertRaises(dp.UsageError):
            dp.Bounds(1, 2).fit_transform(S)
        with self.assertRaises(ValueError):
            dp.Bounds(0, 1).fit(X).transform(X[:, :2])
        with self.assertRaises(dp.DataError):
            dp.Bounds(0, 1).fit([1, 2])

    def test_onehot(self):
        X = np.array([[1, "a"], [1.0, "b"], [True, "a "], [None, np.nan], [2.5, ""]], dtype=object)
        found = dp.OneHot([[1, "2.5"], ["a", "b"]]).fit_transform(X)
        self.assertEqual(found.tolist(), [[1, 0, 1, 0], [1, 0, 0, 1], [1, 0, 0, 0], [0] * 4,
                                          [0, 1, 0, 0]])
        for levels_ in ([], "ab", ["a", "a"], np.array(["a"]), [["a"]], [["a"], []], None):
            with self.assertRaises(dp.UsageError):
                dp.OneHot(levels_).fit(X)
        with self.assertRaises(ValueError):
            dp.OneHot(["a"]).fit(X).transform(X[:, :1])

    def test_onehot_of_decimals_and_dates(self):
        """They are the texts that the library makes of them, and none is missing in silence."""
        values = [datetime.date(2020, 1, 2), decimal.Decimal("1.50"), decimal.Decimal(3), (1, 2)]
        X = np.empty((4, 1), object)
        X[:, 0] = values
        found = dp.OneHot(["2020-01-02", "1.5", 3]).fit_transform(X)
        self.assertEqual(found.tolist(), [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])

    @unittest.skipUnless(pd, "pandas is not installed")
    def test_onehot_of_large_ids(self):
        """One missing value must not make two ids one."""
        big = 2 ** 53
        for end in (5, None):
            for kind in ("Int64", object):
                X = pd.DataFrame({"a": pd.Series([big, big + 1, end], dtype=kind)})
                self.assertEqual(dp.OneHot([[big, big + 1]]).fit_transform(X)[:2].tolist(),
                                 [[1, 0], [0, 1]])
        for X in (pd.DataFrame({"a": [big, big + 1, None]}), np.full((2, 1), 2.0 ** 53)):
            with self.assertRaisesRegex(dp.DataError, "whole number that float64 may not tell"):
                dp.OneHot([[big, big + 1]]).fit(X)
        with self.assertRaisesRegex(dp.DataError, "float16 may not tell"):
            dp.OneHot([1, 2049]).fit(np.zeros((2, 1), np.float16))
        dp.OneHot([1, 2, "x"]).fit(np.zeros((2, 1), np.float16))

    def test_fit_looks_at_no_value(self):
        class Closed:
            shape = (3, 2)

        dp.Bounds(0, 1).fit(Closed())
        dp.OneHot(["a"]).fit(Closed())

    def failed_checks(self, step):
        from sklearn.utils import estimator_checks
        if "on_fail" in inspect.signature(estimator_checks.check_estimator).parameters:
            return {done["check_name"] for done in
                    estimator_checks.check_estimator(step, on_fail=None)
                    if done["status"] == "failed"}
        failed = set()
        for each, checks in estimator_checks.check_estimator(step, generate_only=True):
            try:
                checks(each)
            except unittest.SkipTest:
                pass
            except Exception:
                failed.add(checks.func.__name__)
        return failed

    def test_checks_of_scikit_learn(self):
        expected = {
            "check_dtype_object": "a fit looks at no value",
            "check_estimators_empty_data_messages": "a fit does not look at the number of rows",
            "check_parameters_default_constructible": "there are no default bounds or levels"}
        for step in (dp.Bounds(-100, 100), dp.OneHot(["a", 1])):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertLessEqual(self.failed_checks(step), set(expected))

    @unittest.skipUnless(pd, "pandas is not installed")
    def test_frames(self):
        frame = pd.DataFrame({"a": [1.0, 20.0], "b": [3, 4]}, index=[7, 9])
        found = dp.Bounds(0, 10).fit_transform(frame)
        self.assertEqual(found.to_dict(), {"a": {7: 1.0, 9: 10.0}, "b": {7: 3.0, 9: 4.0}})
        words = pd.DataFrame({"sex": pd.Categorical(["f", SECRET]), "n": [1, 2]})
        step = dp.OneHot([["f", "m"], [1]]).set_output(transform="pandas")
        self.assertEqual(list(step.fit_transform(words).columns), ["sex=f", "sex=m", "n=1"])
        self.assertEqual(step.transform(words).to_numpy().tolist(), [[1, 0, 1], [0, 0, 0]])
        nullable = pd.DataFrame({"a": pd.array([5, None], dtype="Int64")})
        np.testing.assert_array_equal(dp.Bounds(0, 1).fit_transform(nullable), [[1], [np.nan]])
        with self.assertRaises(dp.DataError) as caught:
            dp.Bounds(0, 1).fit_transform(pd.DataFrame({"a": [SECRET]}))
        self.assertNotIn(SECRET, str(caught.exception))
        self.assertIsNone(caught.exception.__context__)


if __name__ == "__main__":
    unittest.main()

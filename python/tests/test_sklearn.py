#!/usr/bin/env python3
"""scikit-learn's own checks of estimators, and its tools on ours.

With a seed for tests, because a check that fits twice wants the same model
twice. What fails, fails for a reason that is listed here; a check that is
listed and does not fail any more is a fault, too.
"""

import pickle
import sys
import unittest
import warnings

from common import BUDGET, LOSSES, Case, dp, main, np, problem

try:
    from sklearn.base import clone, is_classifier, is_regressor
    from sklearn.compose import ColumnTransformer
    from sklearn.metrics import get_scorer
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer, Normalizer
    from sklearn.utils import estimator_checks
except ImportError:
    print("skipped: no scikit-learn")
    sys.exit(77)

WEIGHTED = ("noise is for the largest weight that a row may have: a row of weight 2 is not two "
            "rows, and one of weight 0 stays a record")
EXPECTED = {
    "check_dtype_object": "a value that is no number makes its row a bad one, and no exception "
                          "about it comes before the records are read",
    "check_all_zero_sample_weights_error": "the sum of the weights is private",
    "check_estimators_empty_data_messages": "how many rows there are is private: none is as good "
                                            "as any other number",
    "check_sample_weights_invariance": WEIGHTED,
    "check_sample_weight_equivalence_on_dense_data": WEIGHTED,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTED,
}


def estimator(kind):
    """As scikit-learn tests it: labels are public, and noise can be repeated."""
    more = {"classes": "public"} if kind._estimator_type == "classifier" else {}
    return kind(epsilon=30, delta=1e-3, insecure_seed=1, weight_bound=10, threads=1, **more)


def generate(model):
    """All checks of this estimator, whatever the version of scikit-learn calls them."""
    newer = getattr(estimator_checks, "estimator_checks_generator", None)
    if newer is not None:
        return newer(model)
    return estimator_checks.check_estimator(model, generate_only=True)


class Scorers(Case):
    def test_labels_in_any_order(self):
        """Scorers take classes_ to be sorted: roc_auc was 1 - roc_auc where they were not."""
        X, y = problem(2000)
        words = np.where(y, "diseased", "healthy")
        for classes in (["healthy", "diseased"], ["diseased", "healthy"]):
            model = dp.LogisticRegression(**BUDGET, classes=classes, insecure_seed=2).fit(X, words)
            model.save(self.fresh("model.json"))
            for one in (model, dp.load(self.file("model.json"))):
                self.assertGreater(get_scorer("roc_auc")(one, X, words), 0.9)
                self.assertGreater(get_scorer("neg_log_loss")(one, X, words), -0.6)
                self.assertGreater(get_scorer("accuracy")(one, X, words), 0.8)


class Checks(Case):
    def run_checks(self, kind):
        """The names of the checks that were run, and why some failed."""
        ran, failed = set(), {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for each, test in generate(estimator(kind)):
                name = getattr(test, "func", test).__name__
                try:
                    test(each)
                except unittest.SkipTest:
                    continue
                except Exception as error:  # the checks raise whatever they like
                    failed[name] = f"{type(error).__name__}: {error}"
                ran.add(name)
        return ran, failed

    def test_check_estimator(self):
        all_ran, all_failed = set(), set()
        for kind in LOSSES.values():
            ran, failed = self.run_checks(kind)
            for name, why in failed.items():
                with self.subTest(kind=kind.__name__, check=name):
                    self.assertIn(name, EXPECTED, why)
            self.assertGreater(len(ran), 35)
            all_ran |= ran
            all_failed |= set(failed)
        self.assertEqual(all_failed, all_ran & set(EXPECTED))


class Tools(Case):
    def setUp(self):
        super().setUp()
        self.X, self.y = problem(2000)
        self.model = dp.LogisticRegression(**BUDGET)

    def test_clone(self):
        fitted = dp.LogisticRegression(**BUDGET, l2=0.1).fit(self.X, self.y)
        again = clone(fitted)
        self.assertEqual(again.get_params(), fitted.get_params())
        self.assertFalse(hasattr(again, "coef_"))
        self.assertTrue(is_classifier(again) and is_regressor(dp.HuberRegressor()))

    def test_pipeline(self):
        pipe = Pipeline([("norm", Normalizer()), ("model", self.model)]).fit(self.X, self.y)
        self.assertGreater(pipe.score(self.X, self.y), 0.7)
        self.assertIn("before sotto", pipe[-1].statement_["not_covered"])
        self.assertEqual(pickle.loads(pickle.dumps(pipe))[-1].coef_.tolist(),
                         pipe[-1].coef_.tolist())

    def test_columns_and_set_output(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        df = pandas.DataFrame(self.X, columns=["a", "b", "c"])
        steps = ColumnTransformer([("double", FunctionTransformer(
            lambda part: part * 2, feature_names_out="one-to-one"), ["a", "b"])],
            remainder="passthrough", verbose_feature_names_out=False).set_output(
                transform="pandas")
        pipe = Pipeline([("columns", steps), ("model", self.model)]).fit(df, self.y)
        self.assertEqual(list(pipe[-1].feature_names_in_), ["a", "b", "c"])
        self.assertGreater(pipe.score(df, self.y), 0.8)

    def test_search_and_cross_validation_are_charged(self):
        dataset = dp.Ledger(self.file("l.db")).dataset("a", epsilon=2, delta=1e-6)
        small = dp.LogisticRegression(epsilon=0.5, delta=1e-6, ledger=dataset)
        scores = cross_val_score(small, self.X, self.y, cv=3)
        self.assertEqual(len(dataset.history()), 4)
        self.assertTrue(np.all(scores > 0.5))
        search = GridSearchCV(self.model.set_params(ledger=dataset), {"l2": [0.1, 0.01]}, cv=3,
                              error_score="raise")
        self.assertRaises(dp.BudgetError, search.fit, self.X, self.y)
        self.assertLessEqual(dataset.spent(), 2)

    def test_search_with_processes(self):
        search = GridSearchCV(dp.LogisticRegression(**BUDGET, threads=1), {"l2": [0.1, 0.001]},
                              cv=3, n_jobs=2, error_score="raise")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search.fit(self.X, self.y)
        self.assertGreater(search.best_score_, 0.7)


if __name__ == "__main__":
    main()

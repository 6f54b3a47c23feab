"""dp.check and dp.make_pipeline: no step that learns from data passes, and the steps that
pass are row-local: a neighbouring table gives the other rows the same bits."""

import doctest
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from unittest import mock

from common import dp, have, np
from pipeline_cases import (NEW, is_row_local, known_steps, last, learning_steps, made_of,
                            make_data)

try:
    import sklearn
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.compose import ColumnTransformer, make_column_selector
    from sklearn.decomposition import PCA
    from sklearn.ensemble import BaggingClassifier
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
    from sklearn.feature_selection import SelectFromModel, SelectKBest
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression as PlainLogistic
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
    from sklearn.pipeline import FeatureUnion
    from sklearn.pipeline import Pipeline as PlainPipeline
    from sklearn.pipeline import make_pipeline as plain
    from sklearn.preprocessing import (Binarizer, FunctionTransformer, Normalizer, OneHotEncoder,
                                       StandardScaler)
    from sklearn.utils import all_estimators
except ImportError:
    sklearn = None

pd, polars = map(have, ("pandas", "polars"))


@unittest.skipUnless(sklearn, "scikit-learn is not installed")
class Rows(unittest.TestCase):
    def test_what_passes_is_row_local(self):
        for step, make in known_steps():
            self.assertEqual(dp.check(plain(step, last())), [], step)
            self.assertTrue(is_row_local(step, make), step)

    def test_a_normalizer_in_columns(self):
        """In memory by columns NumPy adds up several rows at a time, the last ones otherwise."""
        rng, alone = np.random.default_rng(8), 0
        for norm in ("l1", "l2"):
            for columns in range(2, 40):
                X = np.asfortranarray(rng.normal(size=(67, columns)))
                whole, plainly = (make(Normalizer(norm), X) for make in (
                    made_of, lambda step, X: step.fit_transform(X)))
                for rows in (1, 3, 33, 66):
                    part = np.asfortranarray(X[:rows])
                    self.assertTrue(np.array_equal(made_of(Normalizer(norm), part), whole[:rows]))
                    alone += not np.array_equal(Normalizer(norm).fit_transform(part),
                                                plainly[:rows])
        self.assertGreater(alone, 0)  # by itself it is not row-local
        for step in (ColumnTransformer([("n", Normalizer(), [0, 1])]), plain(Normalizer()),
                     FeatureUnion([("n", Normalizer())])):
            self.assertIn("number of rows", str(dp.check(plain(step, last()))[0]))

    def test_the_oracle_sees_what_learns(self):
        for step, make in learning_steps():
            self.assertFalse(is_row_local(step, make), step)

    def test_what_learns_is_named(self):
        for step, _ in learning_steps()[:-1]:
            self.assertTrue(any(f.learns for f in dp.check(plain(step, last()))), step)
            with self.assertRaises(dp.PrivacyError):
                dp.make_pipeline(step, last())

    def test_every_other_transformer_is_refused(self):
        known = {"HashingVectorizer", "FeatureHasher", "Normalizer", "Binarizer",
                 "PolynomialFeatures", "FunctionTransformer", "OneHotEncoder",
                 "ColumnTransformer", "FeatureUnion"}
        seen = set()
        for name, kind in all_estimators("transformer"):
            if not kind.__module__.startswith("sklearn.") or name in known:
                continue
            step = kind.__new__(kind)  # the class is what counts
            found = []
            from sotto_dp._row_local import inspect
            inspect("it", step, False, found)
            self.assertEqual([f.learns for f in found], [True], name)
            if "not on the list" not in found[0].why:
                seen.add(name)
        self.assertGreater(len(seen), 60)  # which have advice of their own


@unittest.skipUnless(sklearn, "scikit-learn is not installed")
class Check(unittest.TestCase):
    def names(self, *steps):
        return [(f.step, f.learns) for f in dp.check(plain(*steps))]

    def test_lines(self):
        for step, word in ((StandardScaler(), "sotto scales"), (PCA(), "l1="),
                           (SelectKBest(), "selects privately"), (SimpleImputer(), "missing="),
                           (TfidfVectorizer(), "HashingVectorizer"),
                           (OneHotEncoder(), "dp.OneHot")):
            with self.assertRaises(dp.PrivacyError) as caught:
                dp.make_pipeline(step, last())
            line = str(caught.exception)
            self.assertIn(word, line)
            self.assertIn('step "%s" (%s)' % (type(step).__name__.lower(), type(step).__name__),
                          line)
            self.assertNotIn("\n", line)

    def test_all_are_named(self):
        self.assertEqual(self.names(StandardScaler(), Normalizer(), PCA(), last()),
                         [("standardscaler", True), ("pca", True)])

    def test_within_steps(self):
        inner = ColumnTransformer([("a", StandardScaler(), [0]), ("b", plain(PCA()), [1])],
                                  remainder=SimpleImputer())
        union = FeatureUnion([("u", SelectKBest())])
        self.assertEqual([f.step for f in dp.check(plain(inner, union, last()))], [
            "columntransformer/a", "columntransformer/b/pca", "columntransformer/remainder",
            "featureunion/u"])

    def test_subclasses_are_not_the_class(self):
        class Mine(Normalizer):
            def fit(self, X, y=None):
                self.mean_ = X.mean()
                return self

        class Joined(FeatureUnion):
            pass

        class Fitted(dp.LogisticRegression):
            pass

        class Pipe(PlainPipeline):
            pass

        self.assertIn("subclass of Normalizer", str(dp.check(plain(Mine(), last()))[0]))
        self.assertIn("subclass", str(dp.check(plain(Joined([("n", Normalizer())]), last()))[0]))
        self.assertIn("subclass", str(dp.check(plain(Normalizer(), Fitted(**NEW)))[0]))
        self.assertIn("subclass", str(dp.check(Pipe([("n", Normalizer()), ("l", last())]))[0]))

    def test_unknown_steps(self):
        class Own(TransformerMixin, BaseEstimator):
            def fit(self, X, y=None):
                return self

            def transform(self, X):
                return X

        class StandardScaler(Own):  # called as another one
            pass

        for step in (Own(), StandardScaler()):
            self.assertIn("not on the list", str(dp.check(plain(step, last()))[0]))

    def test_encoder(self):
        """One record of another type changes the levels of all: no categories= help."""
        fixed = {"categories": [["a", "b"]], "handle_unknown": "ignore"}
        for more in ({}, fixed, {**fixed, "sparse_output": False}):
            found = dp.check(plain(OneHotEncoder(**more), last()))
            self.assertEqual([f.learns for f in found], [True])
            self.assertIn("dp.OneHot", found[0].instead)

    def test_hashed_sums_are_exact(self):
        for step in (FeatureHasher(), FeatureHasher(input_type="pair"),
                     FeatureHasher(input_type="string", dtype=np.float32),
                     HashingVectorizer(dtype=np.float16), Normalizer("max")):
            self.assertEqual([learns for _, learns in self.names(step, last())], [True], step)

    def test_names_by_a_function(self):
        step = FunctionTransformer(np.exp, feature_names_out=lambda self, names: names[::-1])
        self.assertEqual(self.names(step, last()), [("functiontransformer", True)])
        step = FunctionTransformer(np.exp, feature_names_out="one-to-one")
        self.assertEqual(self.names(step, last()), [])

    def test_remarks(self):
        for step in (FunctionTransformer(lambda X: X - X.mean()),
                     FunctionTransformer(np.clip, kw_args={"a_min": 0, "a_max": 1}),
                     FunctionTransformer(np.add, kw_args={"x2": 1}),
                     FunctionTransformer(np.frompyfunc(float, 1, 1)),
                     FunctionTransformer(np.matmul), FunctionTransformer(np.add),
                     HashingVectorizer(analyzer=str.split), HashingVectorizer(tokenizer=str.split),
                     HashingVectorizer(preprocessor=str.lower),
                     HashingVectorizer(strip_accents=str.lower)):
            self.assertEqual([learns for _, learns in self.names(step, last())], [False], step)
            with self.assertWarns(dp.RemarkWarning):
                dp.make_pipeline(step, last())
        self.assertTrue(self.names(FunctionTransformer(np.exp, inverse_func=np.log), last())[0][1])
        self.assertEqual(self.names(
            FunctionTransformer(np.exp, inverse_func=np.log, check_inverse=False), last()), [])

    def test_column_transformer(self):
        def one(**more):
            step = ColumnTransformer([("h", HashingVectorizer(), "text")], **more)
            return self.names(step, last())

        self.assertEqual(one(sparse_threshold=0), [])
        for threshold in (0.3, 1.0, 1e-300):
            self.assertEqual(one(sparse_threshold=threshold), [("columntransformer", True)])
        self.assertEqual(one(sparse_threshold=0, n_jobs=2), [("columntransformer", True)])
        by_type = make_column_selector(dtype_include=float)
        self.assertEqual(self.names(ColumnTransformer([("n", Binarizer(), by_type)]), last()), [])
        own = ColumnTransformer([("n", Binarizer(), lambda X: [int(X.sum())])])
        self.assertEqual(self.names(own, last()), [("columntransformer", True)])

    def test_memory_and_jobs(self):
        with tempfile.TemporaryDirectory() as folder:
            steps = [("n", Normalizer()), ("l", last())]
            self.assertIn("memory", str(dp.check(PlainPipeline(steps, memory=folder))[0]))
            nested = PlainPipeline([("n", Binarizer())], memory=folder)
            self.assertIn("memory", str(dp.check(plain(nested, last()))[0]))
        union = FeatureUnion([("n", Binarizer())], n_jobs=2)
        self.assertEqual(self.names(union, last()), [("featureunion", True)])

    def test_last_step(self):
        self.assertIn("promises nothing", str(dp.check(plain(Normalizer(), PlainLogistic()))[0]))
        for steps in ((Normalizer(),), (Normalizer(), "passthrough")):
            pipe = plain(*steps)
            self.assertEqual(dp.check(pipe), [])
            with self.assertRaises(dp.PrivacyError):
                dp.make_pipeline(*steps)
        with self.assertRaises(dp.PrivacyError):
            dp.make_pipeline(GridSearchCV(last(), {"l2": [1]}))
        with self.assertRaises(dp.UsageError):
            dp.make_pipeline()

    def test_searches_and_single_steps(self):
        search = GridSearchCV(plain(StandardScaler(), last()), {})
        self.assertEqual([f.step for f in dp.check(search)], ["gridsearchcv", "standardscaler"])
        search = RandomizedSearchCV(dp.make_pipeline(Normalizer(), last()), {})
        self.assertEqual([(f.step, f.learns) for f in dp.check(search)],
                         [("randomizedsearchcv", True)])
        chooser = SelectFromModel(plain(Normalizer(), last()))
        self.assertEqual([f.step for f in dp.check(chooser)], ["selectfrommodel"])
        self.assertEqual([f.step for f in dp.check(StandardScaler())], ["standardscaler"])
        self.assertEqual(dp.check(Normalizer()), [])
        with self.assertRaises(dp.UsageError):
            dp.check("pipeline")

    def test_a_bootstrap_repeats_records(self):
        """A pipeline is given rows several times. An estimator itself is given weights."""
        X, y = make_data(60)
        pipe, seen = dp.make_pipeline(dp.Bounds(-1, 1), last()), []
        for repeats in (True, False):
            around = BaggingClassifier(pipe, n_estimators=1, bootstrap=repeats, random_state=1)
            self.assertEqual([f.step for f in dp.check(around)],
                             ["baggingclassifier"] if repeats else [])
            whole = dp.Pipeline.fit

            def look(self, X, y):
                seen.append(len(np.unique(X, axis=0)))
                return whole(self, X, y)

            with mock.patch.object(dp.Pipeline, "fit", look), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                around.fit(X, y)
        self.assertLess(seen[0], 60)
        self.assertEqual(seen[1], 60)
        with self.assertRaisesRegex(dp.UsageError, "weight_bound"):
            BaggingClassifier(last(), n_estimators=1).fit(X, y)


class WithoutIt(unittest.TestCase):
    def test_import(self):
        """Without scikit-learn all else works, and what needs it says so in one line."""
        code = ("import sys\nsys.modules['sklearn'] = None\n"
                "import common\nfrom sotto_dp import *\nimport sotto_dp as dp\n"
                "for use in (lambda: dp.Bounds, lambda: dp.make_pipeline(1), "
                "lambda: dp.check(1)):\n"
                "    try:\n        use()\n"
                "    except ImportError as error:\n        print(error)\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              cwd=os.path.dirname(os.path.abspath(__file__)))
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertTrue(all("pip install scikit-learn" in line for line in lines))


@unittest.skipUnless(sklearn, "scikit-learn is not installed")
class Docstrings(unittest.TestCase):
    def test_examples_run(self):
        from sotto_dp import _transformers, pipeline
        for part in (pipeline, _transformers):
            result = doctest.testmod(part)
            self.assertGreater(result.attempted, 3)
            self.assertEqual(result.failed, 0)


if __name__ == "__main__":
    unittest.main()

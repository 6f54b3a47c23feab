"""dp.check and dp.make_pipeline: no step that learns from data passes, and the steps that
pass are row-local: a neighbouring table gives the other rows the same bits."""

import copy
import doctest
import inspect
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

from common import Case, dp, np

try:
    import scipy.sparse as sparse
    import sklearn
    from sklearn.base import BaseEstimator, TransformerMixin, clone
    from sklearn.compose import ColumnTransformer, make_column_selector
    from sklearn.decomposition import PCA
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.feature_extraction.text import (CountVectorizer, HashingVectorizer,
                                                 TfidfVectorizer)
    from sklearn.feature_selection import SelectFromModel, SelectKBest
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression as PlainLogistic
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_score
    from sklearn.pipeline import FeatureUnion
    from sklearn.pipeline import Pipeline as PlainPipeline
    from sklearn.pipeline import make_pipeline as plain
    from sklearn.preprocessing import (Binarizer, FunctionTransformer, Normalizer, OneHotEncoder,
                                       PolynomialFeatures, StandardScaler)
    from sklearn.utils import all_estimators
except ImportError:
    sklearn = None

try:
    import pandas as pd
except ImportError:
    pd = None
try:
    import polars
except ImportError:
    polars = None

SECRET = "zyzzyva"
BEFORE = "what was done to the columns before sotto"
NEW = {"epsilon": 1, "delta": 1e-6}


def make_data(rows=400):
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (rows, 3))
    return X, X[:, 0] > 0


def last(*, insecure_seed=None, **more):
    return dp.LogisticRegression(**{**NEW, **more}, insecure_seed=insecure_seed)


def uncovered(estimator):
    return BEFORE in estimator.statement_["not_covered"]


# ---- an oracle: does a step look at one row at a time? ----

def numbers(rng, rows):
    return rng.normal(size=(rows, 5)) * 10.0 ** rng.integers(-3, 4, size=(rows, 5))


def texts(rng, rows):
    return [" ".join("w%d" % k for k in rng.integers(0, 50, rng.integers(0, 12)))
            for _ in range(rows)]


def tokens(rng, rows):
    return [["w%d" % k for k in rng.integers(0, 50, rng.integers(0, 40))] for _ in range(rows)]


def levels(rng, rows):
    return np.array(rng.choice(["a", "b", "c", "?"], (rows, 2)), dtype=object)


def mostly_zero(rng, rows):
    return np.where(rng.random((rows, 5)) < 0.3, numbers(rng, rows), 0.0)


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def at(data, index):
    return [data[i] for i in index] if isinstance(data, list) else data[index]


def made_of(step, X):
    """What a pipeline makes of a table with one step."""
    return dp.make_pipeline(step, last())._prepare(X)


def fitted_state(step):
    return pickle.dumps(step)


def is_row_local(step, make, seeds=25):
    """Whether removing or replacing a row leaves the rest as it was, bit for bit."""
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(3, 30))
        data, other = make(rng, rows), make(rng, rows)
        out = int(rng.integers(rows))
        keep = [i for i in range(rows) if i != out]
        replaced = (data[:out] + other[out:out + 1] + data[out + 1:] if isinstance(data, list)
                    else np.concatenate([data[:out], other[out:out + 1], data[out + 1:]]))
        whole = clone(step)
        values = whole.fit_transform(data)
        for neighbour, index in ((at(data, keep), range(rows - 1)), (replaced, keep)):
            again = clone(step)
            found = again.fit_transform(neighbour)
            if fitted_state(again) != fitted_state(whole) or type(found) is not type(values) or \
                    found.dtype != values.dtype or found.shape[1] != values.shape[1] or \
                    dense(found)[list(index)].tobytes() != dense(values)[keep].tobytes():
                return False
    return True


def known_steps():
    return [
        (dp.Bounds(-1, [1, 2, 3, 4, 5]), numbers), (dp.OneHot(["a", "c"]), levels),
        (Normalizer(), numbers), (Normalizer("l1"), numbers),
        (Binarizer(threshold=0.5), numbers), (PolynomialFeatures(3), numbers),
        (PolynomialFeatures(2, interaction_only=True), numbers),
        (FunctionTransformer(np.arctan), numbers), (FunctionTransformer(), numbers),
        (HashingVectorizer(n_features=32), texts),
        (HashingVectorizer(n_features=16, norm=None, binary=True), texts),
        (FeatureHasher(n_features=8, input_type="string"), tokens),
        (ColumnTransformer([("n", Binarizer(), [0, 1]), ("p", "passthrough", [2]),
                            ("d", "drop", [3])], remainder=Binarizer()), numbers),
        (ColumnTransformer([("h", dp.OneHot(["a"]), [0, 1])], sparse_threshold=0), levels),
        (FeatureUnion([("n", PolynomialFeatures(2)), ("b", Binarizer())],
                      transformer_weights={"n": 2.0}), numbers),
        (FeatureUnion([("h", HashingVectorizer(n_features=8)),
                       ("i", HashingVectorizer(n_features=4, ngram_range=(2, 2)))]), texts),
        (plain(dp.Bounds(-3, 3), PolynomialFeatures(2), Binarizer()), numbers),
        (FeatureUnion([("n", plain(HashingVectorizer(n_features=8, norm=None), Normalizer()))]),
         texts),
    ]


def learning_steps():
    return [
        (StandardScaler(), numbers), (PCA(2), numbers), (CountVectorizer(), texts),
        (TfidfVectorizer(), texts), (OneHotEncoder(), levels),
        (OneHotEncoder(categories=[list("abc?")] * 2, handle_unknown="ignore", max_categories=3),
         levels),
        (SimpleImputer(), numbers),
        (ColumnTransformer([("s", StandardScaler(), [0])]), numbers),
        (plain(Normalizer(), StandardScaler()), numbers),
        (ColumnTransformer([("z", FunctionTransformer(sparse.csr_matrix, accept_sparse=True),
                             list(range(5)))], sparse_threshold=0.3), mostly_zero),
    ]


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


@unittest.skipUnless(sklearn, "scikit-learn is not installed")
class Fits(Case):
    def setUp(self):
        super().setUp()
        self.X, self.y = make_data()

    def pipe(self, **more):
        return dp.make_pipeline(dp.Bounds(-1, 1), PolynomialFeatures(2, include_bias=False),
                                last(**more))

    def test_covered_in_the_pipeline_only(self):
        pipe = self.pipe().fit(self.X, self.y)
        self.assertFalse(uncovered(pipe[-1]))
        self.assertTrue(uncovered(pipe[-1].fit(self.X, self.y)))
        self.assertTrue(uncovered(clone(pipe.fit(self.X, self.y)[-1]).fit(self.X, self.y)))
        bare = plain(dp.Bounds(-1, 1), last()).fit(self.X, self.y)
        self.assertTrue(uncovered(bare[-1]))
        self.assertFalse(uncovered(dp.make_pipeline(last()).fit(self.X, self.y)[-1]))

    def test_same_bits_as_by_hand(self):
        pipe = self.pipe(insecure_seed=3).fit(self.X, self.y)
        by_hand = PolynomialFeatures(2, include_bias=False).fit_transform(
            np.clip(self.X, -1, 1))
        alone = last(insecure_seed=3).fit(by_hand, self.y)
        self.assertEqual(pipe[-1].coef_.tobytes(), alone.coef_.tobytes())
        self.assertEqual(pipe.predict(self.X).tolist(), alone.predict(by_hand).tolist())

    def test_remark_means_not_covered(self):
        pipe = dp.make_pipeline(FunctionTransformer(lambda X: X), last())
        with self.assertWarns(dp.RemarkWarning):
            pipe.fit(self.X, self.y)
        self.assertTrue(uncovered(pipe[-1]))

    def test_a_step_replaced_later(self):
        pipe = self.pipe()
        pipe.set_params(bounds=StandardScaler())
        before = pipe[-1]
        with self.assertRaises(dp.PrivacyError):
            pipe.fit(self.X, self.y)
        self.assertFalse(hasattr(before, "coef_"))
        self.assertFalse(hasattr(pipe.steps[0][1], "mean_"))  # it has not seen a record
        pipe = self.pipe()
        pipe.steps.insert(0, ("pca", PCA()))
        with self.assertRaises(dp.PrivacyError):
            pipe.fit(self.X, self.y)
        pipe = self.pipe().set_params(memory="cache")
        with self.assertRaises(dp.PrivacyError):
            pipe.fit(self.X, self.y)
        self.assertFalse(os.path.exists("cache"))
        pipe = self.pipe()
        pipe.steps[-1] = ("x", PlainLogistic())
        with self.assertRaises(dp.PrivacyError):
            pipe.fit(self.X, self.y)
        pipe = self.pipe()
        pipe.steps[1] = ("f", FunctionTransformer(np.exp))
        pipe.set_params(f__func=len)
        with self.assertWarns(dp.RemarkWarning), self.assertRaises(Exception):
            pipe.fit(self.X, self.y)

    def test_fits_within_a_fit_are_not_covered(self):
        """Neither the estimator's own, from a callback or a parameter, nor a copy's."""
        seen, copies = [], []

        def again(inner):
            return uncovered(inner.set_params(progress=None).fit(self.X, self.y))

        def report(progress):
            if not copies:
                inner = pipe[-1]
                copies.extend([copy.copy(inner), copy.deepcopy(inner),
                               pickle.loads(pickle.dumps(inner)), clone(inner)])
                seen.extend([again(copies[0]), again(inner)])

        pipe = self.pipe(progress=report_of(report))
        pipe.fit(self.X, self.y)
        self.assertEqual(seen, [True, True])
        self.assertFalse(uncovered(pipe[-1]))
        self.assertEqual([again(each) for each in copies], [True] * 4)

        class Number(float):
            shape = ()

            def item(self):
                if not asked:
                    asked.append(True)
                    seen.append(again(pipe[-1]))
                return 1.0

        asked = []
        pipe = self.pipe(epsilon=Number(1.0)).fit(self.X, self.y)
        self.assertEqual(seen[2:], [True])
        self.assertFalse(uncovered(pipe[-1]))

    def test_search(self):
        search = GridSearchCV(self.pipe(), {"bounds__high": [0.5, 1]}, cv=2).fit(self.X, self.y)
        self.assertFalse(uncovered(search.best_estimator_[-1]))
        self.assertGreater(cross_val_score(self.pipe(epsilon=20), self.X, self.y, cv=2).mean(), 0.7)
        bad = GridSearchCV(self.pipe(), {"bounds": [StandardScaler()]}, cv=2, error_score="raise")
        with self.assertRaises(dp.PrivacyError):
            bad.fit(self.X, self.y)

    def test_clone_pickle_and_slices(self):
        pipe = self.pipe()
        self.assertIs(type(clone(pipe)), type(pipe))
        again = pickle.loads(pickle.dumps(pipe.fit(self.X, self.y)))
        self.assertEqual(again.predict(self.X).tolist(), pipe.predict(self.X).tolist())
        self.assertEqual(pipe[:-1].transform(self.X).shape, (400, 9))
        self.assertEqual(pipe.score(self.X, self.y), np.mean(pipe.predict(self.X) == self.y))

    def test_steps_do_not_see_the_target(self):
        seen = []

        class Spy(Normalizer):
            def fit(self, X, y=None):
                seen.append(y)
                return self

        from sotto_dp import _row_local
        rules = _row_local._rules
        _row_local._rules = lambda: {**rules(), Spy: _row_local._plain}
        try:
            dp.make_pipeline(Spy(), last()).fit(self.X, self.y)
        finally:
            _row_local._rules = rules
        self.assertEqual(set(seen), {None})

    def test_parameters_of_the_last_step(self):
        pipe = self.pipe(weight_bound=2)
        pipe.fit(self.X, self.y, logisticregression__sample_weight=np.ones(len(self.y)))
        for name in ("sample_weight", "bounds__sample_weight", "target"):
            with self.assertRaises(dp.UsageError):
                pipe.fit(self.X, self.y, **{name: np.ones(len(self.y))})

    def test_messages_have_no_records(self):
        X = np.array([["1", "2"], ["3", SECRET]] * 20, dtype=object)
        for step in (Normalizer(), Binarizer(), dp.Bounds(0, 1), FunctionTransformer(np.exp)):
            pipe = dp.make_pipeline(step, last())
            with self.assertRaises(dp.DataError) as caught:
                pipe.fit(X, [0, 1] * 20)
            error = caught.exception
            self.assertNotIn(SECRET, str(error))
            self.assertIsNone(error.__context__)
            self.assertIsNone(error.__cause__)
            self.assertIn(type(step).__name__.lower(), str(error).lower())

    def test_sparse_input(self):
        X = sparse.csr_matrix(np.where(np.abs(self.X) < 0.5, 0, self.X))
        step = ColumnTransformer([("n", Binarizer(), [0, 1])])
        with self.assertRaises(dp.PrivacyError):
            dp.make_pipeline(step, last()).fit(X, self.y)
        step.set_params(sparse_threshold=0)
        dp.make_pipeline(step, last()).fit(X, self.y)
        dp.make_pipeline(dp.Bounds(-1, 1), last()).fit(X, self.y)

    def test_a_step_that_fails_is_charged(self):
        """That it failed may be due to a record."""
        X = np.array([["1", "2"], ["3", SECRET]] * 20, dtype=object)
        with tempfile.TemporaryDirectory() as folder:
            dataset = dp.Ledger(os.path.join(folder, "l.db")).dataset("a", epsilon=2, delta=1e-5)
            for step in (Binarizer(), dp.Bounds(0, 1)):
                with self.assertRaisesRegex(dp.DataError, "stays charged"):
                    dp.make_pipeline(step, last(ledger=dataset)).fit(X, [0, 1] * 20)
            self.assertEqual(len(dataset.history()), 3)
            with self.assertRaisesRegex(dp.PrivacyError, "delta"):
                dp.make_pipeline(Binarizer(), last(ledger=dataset, delta=None)).fit(X, [0, 1] * 20)
            for _ in range(9):
                try:
                    dp.make_pipeline(Binarizer(), last(ledger=dataset)).fit(X, [0, 1] * 20)
                except dp.DataError:
                    continue
                except dp.BudgetError as error:
                    refusal = str(error)
            self.assertNotIn("step", refusal)  # as where no step fails
            with self.assertRaises(dp.BudgetError) as caught:
                dp.make_pipeline(Binarizer(), last(ledger=dataset)).fit(np.eye(2), [0, 1])
            self.assertEqual(str(caught.exception), refusal)

    def test_records_are_read_without_charge(self):
        """A failure says the step and the kind of exception, and never its text."""
        dataset = dp.Ledger(self.file("l.db")).dataset("a", epsilon=2, delta=1e-5)
        X, y = np.array([["1", "2"], ["3", SECRET]] * 20, dtype=object), [0, 1] * 20

        def fails(values):
            raise KeyError(SECRET)

        for step, words in ((Binarizer(), '^step "binarizer" failed with a ValueError; its mess'),
                            (dp.Bounds(0, 1), "^Bounds: expected numbers"),
                            (FunctionTransformer(fails),
                             'step "functiontransformer" failed with a KeyError; its message')):
            pipe = dp.make_pipeline(step, last(ledger=dataset))
            error = self.refused(dp.DataError, words, pipe.check_records, X, y)
            self.assertIs(type(error), dp.DataError)
            while error:
                self.assertNotIn(SECRET, str(error))
                error = error.__cause__ or error.__context__
        pipe = dp.make_pipeline(dp.Bounds(0, 1), last(ledger=dataset))
        good = np.linspace(0, 1, 80).reshape(40, 2)
        self.assertIsNone(pipe.check_records(good, y))
        self.assertFalse(hasattr(pipe[0], "n_features_in_") or hasattr(pipe[1], "coef_"))
        self.refused(dp.DataError, "row 3", pipe.check_records, good, [0, 1, 7] + y[3:])
        self.refused(dp.UsageError, "parameters of the last step", pipe.check_records, good, y,
                     weight=1)
        pipe.set_params(bounds=StandardScaler())
        self.refused(dp.PrivacyError, "it learns", pipe.check_records, good, y)
        self.assertEqual(dataset.spent(), 0)

    def test_text(self):
        words = ["good news" if flag else "bad day" for flag in self.y]
        pipe = dp.make_pipeline(HashingVectorizer(n_features=16), last(epsilon=20))
        self.assertGreater(pipe.fit(words, self.y).score(words, self.y), 0.9)
        self.assertFalse(uncovered(pipe[-1]))


@unittest.skipUnless(sklearn, "scikit-learn is not installed")
class Input(Case):
    """What a pipeline is given, and what of it steps must not touch."""

    def setUp(self):
        super().setUp()
        self.X, self.y = make_data()
        self.people = np.arange(len(self.y))

    def test_lists_have_no_type(self):
        for steps in ((Normalizer(),), (dp.Bounds(0, 1),), (dp.OneHot(["a"]),),
                      (FunctionTransformer(np.reciprocal),),
                      (FeatureUnion([("n", Binarizer())]),)):
            self.refused(dp.PrivacyError, "what type a list has", dp.make_pipeline(
                *steps, last()).fit, self.X.tolist(), self.y)
        dp.make_pipeline(last()).fit(self.X.tolist(), self.y)  # each value by itself
        words = [["a", "b"] if flag else ["c"] for flag in self.y]
        hasher = FeatureHasher(n_features=8, input_type="string")
        dp.make_pipeline(hasher, last()).fit(words, self.y)
        texts_ = [" ".join(each) for each in words]
        union = FeatureUnion([("h", HashingVectorizer(n_features=8)),
                              ("p", plain(HashingVectorizer(n_features=4)))])
        dp.make_pipeline(union, last()).fit(texts_, self.y)
        self.refused(dp.PrivacyError, "found bytes", dp.make_pipeline(
            HashingVectorizer(n_features=8), last()).fit, np.array(texts_, "S"), self.y)

    @unittest.skipUnless(pd, "pandas is not installed")
    def test_sparse_columns_of_pandas(self):
        frame = pd.DataFrame(np.eye(4), columns=list("abcd")).astype(pd.SparseDtype(float, 0.0))
        pipe = dp.make_pipeline(ColumnTransformer([("n", Binarizer(), list("abcd"))]), last())
        self.refused(dp.PrivacyError, "sparse columns of pandas", pipe.fit, frame, [0, 1, 0, 1])

    def test_masks(self):
        masked = np.ma.masked_array(self.X, self.X > 0.9)
        self.refused(dp.DataError, "mask", dp.make_pipeline(dp.Bounds(0, 1), last()).fit, masked,
                     self.y)

    def test_entries_behind_the_last_row(self):
        """scipy takes them for entries of rows that nobody wrote."""
        from sotto_dp._pipeline_input import admit
        for kind in (sparse.csr_matrix, sparse.csc_matrix):
            X = kind(np.eye(4))
            X.indices, X.data = np.append(X.indices, 2), np.append(X.data, 7.0)
            found = admit([("b", Binarizer()), ("l", last())], X, {})
            self.assertEqual(found.toarray().tolist(), np.eye(4).tolist())

    @unittest.skipUnless(polars, "polars is not installed")
    def test_levels_in_a_frame_with_gaps(self):
        """A missing value makes no number of another record a float."""
        ids = [2 ** 53, 2 ** 53 + 1, None]
        for gap in (2, 3):
            frame = polars.DataFrame({"a": ids[:gap], "b": [0.5] * gap})
            found = dp.OneHot([[2 ** 53, 2 ** 53 + 1], ["0.5"]]).fit_transform(frame)
            self.assertEqual(found[:2].tolist(), [[1, 0, 1], [0, 1, 1]])

    def test_duplicates_are_added_up_row_by_row(self):
        """Removing a row leaves the bits of the others, whatever is there twice."""
        from sotto_dp._pipeline_input import admit
        steps = [("n", Normalizer()), ("l", last())]
        rng = np.random.default_rng(4)
        for trial in range(60):
            row, col = rng.integers(0, 7, 90), rng.integers(0, 4, 90)
            data = rng.choice([1e17, 4.0, -1e17, 0.1], 90)
            keep = row != 3
            found = []
            for r, c, d in ((row, col, data), (row[keep], col[keep], data[keep])):
                X = sparse.coo_matrix((d, (r, c)), shape=(7, 4))
                X = X if trial % 2 else sparse.csr_matrix(
                    (d[np.argsort(r, kind="stable")], c[np.argsort(r, kind="stable")],
                     np.searchsorted(np.sort(r), np.arange(8))), shape=(7, 4))
                found.append(admit(steps, X, {}))
                self.assertTrue(found[-1].has_canonical_format)
            for i in set(range(7)) - {3}:
                self.assertEqual(found[0][i].toarray().tobytes(), found[1][i].toarray().tobytes())
                expected = [sum(data[(row == i) & (col == j)].tolist()) for j in range(4)]
                self.assertEqual(found[0][i].toarray()[0].tolist(), expected)

    @unittest.skipUnless(pd, "pandas is not installed")
    def test_steps_do_not_touch_people_and_weights(self):
        frame = pd.DataFrame(self.X, columns=list("abc")).assign(patient=self.people)
        step = Normalizer().set_output(transform="pandas")
        numbers_ = {name: dp.Number(-1, 1) for name in "abc"}
        for role in (dp.Person(), dp.Weight(0, 1)):
            schema = dp.Schema(**numbers_, patient=role)
            self.refused(dp.PrivacyError, 'may change column "patient"', dp.make_pipeline(
                step, last(schema=schema)).fit, frame, self.y)
        patients = dp.Ledger(self.file("l.db")).dataset("p", unit="patient", epsilon=9,
                                                        delta=1e-5)
        pipe = dp.make_pipeline(step, last(ledger=patients))
        self.refused(dp.PrivacyError, 'may change column "patient"', pipe.fit, frame, self.y)
        self.assertEqual(patients.spent(), 0)
        pipe.fit(frame[["a", "b", "c"]], self.y, logisticregression__person=self.people)
        self.assertIn("patient", pipe[-1].privacy_["unit"])
        dp.make_pipeline("passthrough", last(ledger=patients)).fit(frame, self.y)

    def test_steps_do_not_touch_parts(self):
        from common import program
        path = self.file("l.db")
        program("ledger", "create", "--ledger", path, "--dataset", "parted", "--epsilon", 5,
                "--delta", 1e-5, "--part-column", "clinic", "--parts", "a,b", "--public-parts")
        parted = dp.Ledger(path).dataset("parted")
        self.refused(dp.PrivacyError, "parts of the data set", dp.make_pipeline(
            Normalizer(), last(ledger=parted)).fit, self.X, self.y)
        self.refused(dp.PrivacyError, "parts of the data set", dp.make_pipeline(
            Normalizer(), last(parts=["a"])).fit, self.X, self.y)

    def test_warnings_of_steps_are_not_shown(self):
        self.X[3, 0] = -5
        pipe = dp.make_pipeline(FunctionTransformer(np.log1p), last(bad_rows="drop"))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pipe.fit(self.X, self.y)
        self.assertEqual([w for w in caught if not issubclass(w.category, dp.SottoWarning)], [])


def report_of(function):
    """A callback that can be copied and pickled."""
    REPORTS.append(function)
    return call_report


REPORTS = []


def call_report(progress):
    REPORTS[-1](progress)


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

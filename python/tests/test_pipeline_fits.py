"""Fits of dp.make_pipeline: what their statements cover, what they may be given, and what is
charged."""

import copy
import os
import pickle
import tempfile
import unittest
import warnings

from common import Case, dp, have, np
from pipeline_cases import SECRET, last, make_data, uncovered

try:
    import scipy.sparse as sparse
    import sklearn
    from sklearn.base import clone
    from sklearn.compose import ColumnTransformer
    from sklearn.decomposition import PCA
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import LogisticRegression as PlainLogistic
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import FeatureUnion
    from sklearn.pipeline import make_pipeline as plain
    from sklearn.preprocessing import (Binarizer, FunctionTransformer, Normalizer,
                                       PolynomialFeatures, StandardScaler)
except ImportError:
    sklearn = None

pd, polars = map(have, ("pandas", "polars"))


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


if __name__ == "__main__":
    unittest.main()

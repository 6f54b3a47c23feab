"""What is free and what is charged where steps come before a fit (see test_charges.py)."""

import unittest

from charge_cases import SECRET, Twins, bounds, last
from common import dp, have, main, np

pandas, polars, sklearn = map(have, ("pandas", "polars", "sklearn"))
if sklearn:
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.preprocessing import Binarizer, FunctionTransformer, Normalizer, PolynomialFeatures


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


if __name__ == "__main__":
    main()

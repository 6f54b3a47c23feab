#!/usr/bin/env python3
"""Arrays of objects and texts, and lists of rows, are read as a data frame's columns are."""

import datetime
import decimal
import fractions
import unittest

from common import BUDGET, SECRETS, Case, dp, main, np, program

try:
    import pandas
except ImportError:
    pandas = None
try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None

SCHEMA = dp.Schema({"1": dp.Number(0, 10, missing=5), "2": dp.Category(["f", "m"], missing="m"),
                    "3": dp.Category([1, "2.5", "x"], missing="none")})


def records(rows=300):
    """Rows of mixed types, and two classes that depend on them."""
    rng = np.random.default_rng(3)
    X = np.empty((rows, 3), dtype=object)
    X[:, 0] = rng.uniform(-1, 11, rows)
    X[:, 1] = np.where(rng.uniform(size=rows) < 0.5, "f", "m")
    X[:, 2] = np.array([1, 2.5, "x", True, None, "1"], dtype=object)[np.arange(rows) % 6]
    X[::9, 0], X[::7, 1] = None, float("nan")
    y = ((X[:, 1] == "f") ^ (rng.uniform(size=rows) < 0.1)).astype(int)
    return X, y


def made(**more):
    return dp.LogisticRegression(**{**BUDGET, "insecure_seed": 4, **more})


def bits(model, X):
    return model.coef_.tobytes(), model.intercept_.tobytes(), model.predict_proba(X).tobytes()


class Values(Case):
    def kinds(self, X):
        """The same values in other containers."""
        yield "objects", X
        yield "strides", np.asfortranarray(np.repeat(X, 2, axis=0))[::2]
        yield "lists", X.tolist()
        yield "tuples", tuple(tuple(row) for row in X.tolist())

    def test_categories_are_found(self):
        X, y = records()
        model = made(schema=SCHEMA).fit(X, y)
        self.assertGreater(model.score(X, y), 0.8)
        found = dict(zip(model.coef_names_, model.coef_[0]))
        self.assertGreater(found["2=f"], found["2=m"] + 1)

    @unittest.skipUnless(pandas, "no pandas")
    def test_the_bits_of_a_data_frame(self):
        X, y = records()
        frame = pandas.DataFrame({str(j + 1): X[:, j] for j in range(3)}, dtype=object)
        model = made(schema=SCHEMA).fit(frame, y)
        expected = bits(model, frame)
        for name, values in self.kinds(X):
            with self.subTest(name):
                self.assertEqual(bits(model, values), expected)  # by place
                self.assertEqual(bits(made(schema=SCHEMA).fit(values, y), values), expected)

    @unittest.skipUnless(pandas, "no pandas")
    def test_texts_of_one_type(self):
        X, y = records()
        words = X[:, [1]].astype(str)
        words[words == "nan"] = ""
        schema = dp.Schema({"1": dp.Category(["f", "m"], missing="m")})
        frame = pandas.DataFrame({"1": words[:, 0]})
        expected = bits(made(schema=schema).fit(frame, y), frame)
        for kind in ("U5", "S5", object):
            values = words.astype(kind)
            self.assertEqual(bits(made(schema=schema).fit(values, y), values), expected, kind)

    def test_numbers_as_objects_are_the_numbers(self):
        rng = np.random.default_rng(1)
        X = rng.normal(0, 1, (200, 2)) * 10.0 ** rng.integers(-30, 30, (200, 2))
        y = np.arange(200) % 2
        expected = bits(made().fit(X, y), X)
        masked = np.ma.masked_array(X, np.zeros(X.shape, bool))
        for values in (X.astype(object), X.tolist(), masked):
            self.assertEqual(bits(made().fit(values, y), values), expected)

    def test_a_mask_hides_a_level(self):
        X, y = records()
        masked = np.ma.masked_array(X, np.zeros(X.shape, bool))
        masked.mask[::5, 1] = True
        plain = X.copy()
        plain[::5, 1] = None
        self.assertEqual(bits(made(schema=SCHEMA).fit(masked, y), masked),
                         bits(made(schema=SCHEMA).fit(plain, y), plain))


    def test_a_value_is_read_by_itself(self):
        """A column of numbers alone goes over as numbers, any other one as texts."""
        schema = dp.Schema({"1": dp.Number(-9, 9, missing=1),
                            "2": dp.Category([0, 1, 2, "0.1", 2 ** 53, "1e-07"], missing="none")},
                           missing_values=["-3"])
        mine = [0.1, 1, True, None, float("nan"), float("inf"), -0.0, 2 ** 53, 1e-7, 2.0, -3, -3.0]
        y = np.arange(len(mine)) % 2
        fit = made(epsilon=float("inf"), l2=0.1, insecure_seed=None, schema=schema).fit
        model = fit([[each, each if each != -3 else 1] for each in mine], y)
        for other in (2, 2.0, None, "2", b"1", np.float64(2), np.int64(1), np.bool_(1),
                      decimal.Decimal(2)):
            for many in (mine, [each for each in mine if type(each) is float],
                         [each for each in mine if type(each) in (int, bool)]):
                rows = [[each, 2] for each in many], [[1, each] for each in many]
                for j, alone in enumerate(rows):
                    if j == 1:
                        alone = [row for row in alone if row[1] != -3]
                    found = model.decision_function(alone)
                    beside = [*alone, [1, 2]]
                    beside[-1][j] = other
                    both = model.decision_function(beside)[:-1]
                    self.assertEqual(both.tobytes(), found.tobytes(), (j, other, many))


class Infinities(Case):
    """What the program does with them in files: they are missing values."""

    def test_as_in_files(self):
        X = np.linspace(-1, 1, 200).reshape(-1, 1)
        y, schema = X[:, 0] * 2, dp.Schema({"1": dp.Number(-0.5, 0.5, missing=0.25)})
        X[5:8, 0] = float("inf"), float("-inf"), float("nan")
        np.save(self.file("data.npy"), np.column_stack([X, y]))
        with open(self.file("data.csv"), "w") as file:
            file.write("1,2\n")
            file.writelines(f"{a!r},{b!r}\n" for a, b in zip(X[:, 0].tolist(), y.tolist()))
        with open(self.file("schema.json"), "w") as file:
            file.write(dp.Schema({"1": schema.columns["1"], "2": dp.Target()}).json_text())
        filled = np.where(np.isfinite(X), X, 0.25)
        how = {**BUDGET, "insecure_seed": 5, "schema": schema}
        expected = dp.LinearRegression(**how).fit(filled, y).coef_.tolist()
        for values in (X, X.astype(object), X.tolist(), X.astype(str).astype(object)):
            self.assertEqual(dp.LinearRegression(**how).fit(values, y).coef_.tolist(), expected)
        for name in ("data.npy", "data.csv"):
            program("train", name, "--target", 2, "--schema", "schema.json", "--epsilon", 1,
                    "--delta", 1e-6, "--insecure-seed", 5, "-o", "model.json", "--quiet",
                    cwd=self.folder)
            self.assertEqual(dp.load(self.file("model.json")).coef_.tolist(), expected)

    def test_the_message_says_so(self):
        X = np.array([[0.0], [float("inf")], [1.0]])
        for values in (X, X.tolist()):
            self.refused(dp.DataError, r"row 2.*found none \(NaN and infinity are none\)",
                         dp.LinearRegression(**BUDGET).fit, values, [0, 1, 2])


class Refusals(Case):
    def setUp(self):
        super().setUp()
        self.dataset = dp.Ledger(self.file("l.db")).dataset("a", epsilon=9, delta=1e-5)

    def fit(self, X, y, **more):
        return dp.LogisticRegression(**BUDGET, ledger=self.dataset, **more).fit(X, y)

    def test_a_type_of_texts_is_refused_before_the_charge(self):
        X, y = np.array([[SECRETS[1]], ["a"]] * 50), np.arange(100) % 2
        for schema in (None, dp.Schema({"1": dp.Number(0, 1)}), dp.Schema(others=dp.Number(0, 1))):
            self.refused(dp.DataError, 'column "1": expected numbers, and its type is text',
                         self.fit, X, y, schema=schema)
        self.assertEqual(self.dataset.spent(), 0)

    def test_a_text_among_objects_is_a_bad_row(self):
        X, y = np.linspace(0, 1, 100).reshape(-1, 1).astype(object), np.arange(100) % 2
        X[7, 0] = SECRETS[1]
        spent = 0
        declared = dp.Schema({"1": dp.Number(0, 1)})
        for values, schema in ((X, None), (X, declared), (X.tolist(), declared)):
            error = self.refused(dp.DataError, 'row 8.*column "1": expected a number',
                                 self.fit, values, y, schema=schema)
            self.assertNotIn("found none", str(error))
            self.assertGreater(self.dataset.spent(), spent)
            spent = self.dataset.spent()

    def test_values_without_a_text_are_not_missing(self):
        """Decimals are numbers. A date, a duration or a tuple is a bad value, and no missing one;
        whoever is called so is nobody."""
        rows, y = 300, np.arange(300) % 2
        schema = dp.Schema({"1": dp.Number(-1, 1, missing=0)})
        for odd in (datetime.date(2020, 1, 2), datetime.timedelta(1), (1,), 1j,
                    fractions.Fraction(1, 3), np.longdouble(1) / 3):
            X = np.empty((rows, 1), object)
            X[:, 0] = [decimal.Decimal("0.25")] * rows
            model = dp.LogisticRegression(**BUDGET, schema=schema, insecure_seed=1).fit(X, y)
            same = np.full((rows, 1), 0.25)
            again = dp.LogisticRegression(**BUDGET, schema=schema, insecure_seed=1).fit(same, y)
            self.assertEqual(model.coef_.tolist(), again.coef_.tolist())
            X[7, 0] = odd
            self.refused(dp.DataError, "row 8.*expected a number", model.fit, X, y)
            person = np.empty(rows, object)
            person[:] = [f"p{i}" for i in range(rows)]
            person[7] = odd
            if not isinstance(odd, datetime.date):
                self.refused(dp.DataError, "row 8.*found none", dp.LogisticRegression(
                    **BUDGET).fit, same, y, person=person)

    def test_predict(self):
        X, y = np.linspace(0, 1, 100).reshape(-1, 1), np.arange(100) % 2
        model = made().fit(X, y)
        for values in ([[SECRETS[1]]], np.array([[SECRETS[1]]]), np.array([[SECRETS[1]]], object)):
            error = self.refused(dp.DataError, "expected a number", model.predict, values)
            self.assertNotIn("found none", str(error))

    @unittest.skipUnless(sparse, "no scipy")
    def test_predict_of_a_model_of_sparse_features(self):
        X, y = np.linspace(0, 1, 100).reshape(-1, 1), np.arange(100) % 2
        model = made().fit(sparse.csr_matrix(X), y)
        self.assertEqual(model.predict([["0.5"]]).tolist(), model.predict([[0.5]]).tolist())
        for values in ([[0.5], [SECRETS[1]]], np.array([["0.5"], [SECRETS[1]]])):
            self.refused(dp.DataError, "row 2: expected a number", model.predict, values)


if __name__ == "__main__":
    main()

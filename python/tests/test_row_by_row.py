#!/usr/bin/env python3
"""What becomes of one record's value does not depend on another record's, and no value of a
record raises before the records are read."""

import array
import collections
import datetime
import decimal
import unittest
import uuid

from common import BUDGET, SECRETS, Case, dp, main, np

from sotto_dp._columns import Columns
from sotto_dp._data import NO_TEXT, numbers, one_column, rows_of_lists

try:
    import pandas
except ImportError:
    pandas = None
try:
    import polars
except ImportError:
    polars = None

# Values that are no number and have no text, or none that Python would write.
ODD = [10 ** 400, 10 ** 5000, 3 + 4j, {"SECRETWORD": 1}, ("SECRETWORD",), object(), [1, 2],
       np.array([1, 2]), decimal.Decimal("sNaN"), "SECRETWORD\ud800", "\udcff", "a\0b"]


def drop(**more):
    return dp.LinearRegression(**BUDGET, insecure_seed=3, bad_rows="drop", **more)


class Raises:
    """A value that fails at everything."""

    def __eq__(self, other):
        raise ValueError(SECRETS[1])

    def __float__(self):
        raise ValueError(SECRETS[1])

    __hash__ = None


class Texts(Columns):
    """What the library would be given, to look at."""

    def __init__(self, rows):
        self.rows, self.seen = rows, None

    def texts(self, name, values):
        self.seen = list(values)

    def numbers(self, name, values, missing=None):
        super_values = numbers(values, name)
        self.seen = [each.item() for each in super_values]


def handed(values):
    columns = Texts(len(values))
    columns.column("it", values)
    return columns.seen


class Lists(Case):
    def test_one_text_whatever_the_others_are(self):
        mine = [1, 1.0, True, 0.5, 2 ** 53 + 1, "b", None, float("nan"), float("inf"), -0.0]
        alone = [handed([value])[0] for value in mine]
        self.assertEqual(alone[:7], [b"1", b"1", b"1", b"0.5", b"9007199254740993", b"b", None])
        self.assertEqual(alone[7:], [None, None, b"0"])
        for other in ["word", 0.5, None, float("nan"), 2 ** 70, *ODD, Raises()]:
            for listed in ([*mine, other], (other, *mine)):
                found = handed(listed)
                self.assertEqual(found[:10] if listed[-1] is other else found[1:], alone)

    def test_rows_of_lists(self):
        mine = [1, "2.5", True, 2 ** 53 + 1]
        for other in ([1, 2, 3, 4], ["word", None, [], {}], [10 ** 400, 3j, Raises(), "\ud800"]):
            made = rows_of_lists([mine, other])
            self.assertEqual([handed(made[:, j])[0] for j in range(4)],
                             [b"1", b"2.5", b"1", b"9007199254740993"])
        self.refused(dp.DataError, "one length", rows_of_lists, [[1, 2], [SECRETS[0]]])
        self.assertIsNone(rows_of_lists([1, 2]))

    def test_people_in_a_list(self):
        """A person whose id is written in two ways is one person, in any company."""
        X, y = np.linspace(-1, 1, 400).reshape(-1, 1), np.linspace(0, 1, 400)
        models = set()
        for person in ([1] * 200 + [1.0] * 200, [1.0] * 399 + ["1"], [True] * 400):
            model = drop(rows_per_person=2).fit(X, y, person=person)
            models.add(model.coef_.tobytes())
        self.assertEqual(len(models), 1)


@unittest.skipIf(polars is None, "no polars")
class Gaps(Case):
    def test_a_missing_value_elsewhere_changes_no_other(self):
        """With a gap a column goes to the library as texts, without as numbers."""
        X, y = np.linspace(-1, 1, 400).reshape(-1, 1), np.linspace(0, 1, 400)
        ids = [float(i) for i in range(399)]
        ids[1:151] = [float("inf")] * 50 + [float("-inf")] * 50 + [float("nan")] * 50
        whole = drop().fit(X[:399], y[:399], person=polars.Series(ids))
        gap = drop().fit(X, y, person=polars.Series([*ids, None]))
        listed = drop().fit(X[:399], y[:399], person=ids)
        for found in (gap, listed):
            self.assertEqual(found.coef_.tobytes(), whole.coef_.tobytes())


class Odd(Case):
    def test_an_odd_value_drops_its_row_alone(self):
        X, y = np.linspace(-1, 1, 200).reshape(-1, 1), np.linspace(0, 1, 200)
        people = [f"p{i}" for i in range(200)]
        less = drop().fit(X[:199], y[:199], person=people[:199]).coef_.tobytes()
        for value in [*ODD, Raises()]:
            features = X.astype(object)
            features[199, 0] = value
            target = [*y[:199].tolist(), value]
            for found in (drop().fit(features, y, person=people),
                          drop().fit(features.tolist(), y, person=people),
                          drop().fit(X, target, person=people)):
                self.assertEqual(found.coef_.tobytes(), less)

    def test_texts_stay_different(self):
        self.assertEqual(len(set(handed(["\u00e9", "\udcc3\udca9", "\ud800", "\udfff"]))), 4)
        wide = np.array(["\u00e9", "\ud800SECRETWORD"])
        self.assertEqual(len(set(handed(wide))), 2)

    def test_masks_are_missing_values(self):
        masked = np.ma.masked_array([2 ** 53 + 1, 7], [False, True])
        self.assertEqual(handed(masked), [b"9007199254740993", None])
        self.assertTrue(np.isnan(numbers(masked.reshape(1, 2), "X")[0, 1]))


class Types(Case):
    def test_whole_numbers_of_another_byte_order_stay_whole(self):
        big = [2 ** 53, 2 ** 53 + 1, -(2 ** 63)]
        for kind in (">i8", "<i8"):
            self.assertEqual(handed(np.array(big, kind)), big)
            self.assertEqual(numbers(np.array(big, kind), "X").tolist(), big)
        self.assertEqual(handed(np.array([2 ** 64 - 1], ">u8")), [2 ** 64 - 1])
        self.assertEqual(numbers(np.array([0.1], ">f8"), "X").tolist(), [0.1])

    @unittest.skipIf(np.dtype(np.longdouble).itemsize == 8, "no longer double")
    def test_long_doubles_are_no_ids(self):
        ids = np.array([2 ** 53, 2 ** 53 + 1], np.longdouble)
        self.refused(dp.DataError, "64 bits", Columns(2).column, "id", ids)
        self.assertEqual(handed(list(ids)), [b"9007199254740992", NO_TEXT])
        self.assertEqual(numbers(ids, "X").dtype, np.float64)

    @unittest.skipUnless(polars, "no polars")
    def test_odd_types_go_by_their_type(self):
        for values in ([[1.0], [2.0]], [[1.0], None]):
            column = polars.Series("it", values, dtype=polars.Array(polars.Float64, 1))
            self.refused(dp.DataError, "found Array", Columns(2).column, "it", column)

    @unittest.skipUnless(pandas, "no pandas")
    def test_ids_of_categories_stay_whole(self):
        ids = [2 ** 53, 2 ** 53 + 1, None]
        kept = [b"9007199254740992", b"9007199254740993", None]
        category = pandas.Categorical(pandas.array(ids, dtype="Int64"))
        for values in (category, pandas.CategoricalIndex(category),
                       pandas.DataFrame({"it": category})):
            self.assertEqual(handed(values), kept)

    def test_sequences_are_lists(self):
        """Ids 1 and 1.0 are one person, whatever another record is."""
        for kind in (collections.deque, collections.UserList):
            self.assertEqual(handed(one_column(kind([1, 1.0, "x"]), "it")), [b"1", b"1", b"x"])
        self.assertEqual(one_column(array.array("q", [2 ** 53 + 1]), "it").tolist(), [2 ** 53 + 1])

    def test_what_another_library_says_is_not_told(self):
        """A frame that fails when it is asked for its columns quotes a record."""
        class Frame:
            columns = ["a", "b"]

            def __getattr__(self, name):
                if name == "__arrow_c_stream__":
                    return self.fail
                raise AttributeError(name)

            def fail(self, requested=None):
                raise BaseException("Could not convert 'SECRETWORD'")

        dataset = dp.Ledger(self.file("l.db")).dataset("a", epsilon=3, delta=1e-5)
        model = dp.LinearRegression(**BUDGET, ledger=dataset)
        error = self.refused(dp.DataError, "could not hand over.*stays charged", model.fit,
                             Frame(), target="a")
        self.assertEqual(len(dataset.history()), 2)  # that it failed is due to a record
        self.assertGreater(dataset.spent(), 0.8)
        while error:
            self.assertNotIn("SECRETWORD", str(error))
            error = error.__cause__ or error.__context__

    def test_objects_with_a_text_of_their_own(self):
        one = decimal.Decimal("1")
        values = [one, decimal.Decimal("1.00"), decimal.Decimal("1e3"), decimal.Decimal("0.25"),
                  datetime.date(2020, 1, 2), uuid.UUID(int=5), decimal.Decimal("NaN"),
                  decimal.Decimal("1e999999")]
        self.assertEqual(handed(values), [
            b"1", b"1", b"1000", b"0.25", b"2020-01-02",
            b"00000000-0000-0000-0000-000000000005", None, None])

    @unittest.skipUnless(pandas, "no pandas")
    def test_arrays_of_pandas(self):
        values = pandas.array([2 ** 53 + 1, None], dtype="Int64")
        columns = Texts(2)
        columns.numbers = lambda name, values, missing: setattr(
            columns, "seen", (values.tolist(), missing.tolist()))
        columns.column("it", values)
        self.assertEqual(columns.seen, ([2 ** 53 + 1, 0], [False, True]))

    def test_shapes_are_public(self):
        self.refused(dp.DataError, "1d array", one_column, np.zeros((2, 2)), "y")
        self.refused(dp.DataError, "1d array", one_column, np.float64(3), "y")


if __name__ == "__main__":
    main()

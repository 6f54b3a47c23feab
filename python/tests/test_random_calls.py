#!/usr/bin/env python3
"""Calls with wrong types, shapes, values and strides: an exception or an answer.

SOTTO_CALLS says how many (make test-python: 20,000). Neither memory blocks nor
descriptors may be left behind.
"""

import gc
import os
import random
import sys
import unittest

from common import LOSSES, Case, dp, main, np

CALLS = int(os.environ.get("SOTTO_CALLS", "600"))
ALLOWED = (dp.SottoError, ValueError, TypeError, KeyboardInterrupt)
try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None


class Hostile:
    """Answers every question of an array with an exception."""

    def __len__(self):
        raise TypeError("no length")

    def __array__(self, *_, **__):
        raise ValueError("no array")


class Frame:
    """Looks like a data frame, and is none."""

    columns = ["a", "b"]
    iloc = None

    def __len__(self):
        return 3

    def __getitem__(self, name):
        raise TypeError(name)


class Stream:
    """Offers a stream of Arrow that is something else."""

    columns = ["a", "target"]

    def __init__(self, capsule):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


def any_array(rng, rows, width):
    """Two dimensions of some type, with some strides and some bad values."""
    values = rng.normal(0, 1, (rows, width)) * 10.0 ** rng.integers(-3, 4)
    kind = rng.choice(["f8", "f4", "f2", "i1", "i8", "u8", "b1", "O", "U8", "S8", ">f8", "c16",
                       "longdouble", "M8[s]"])
    with np.errstate(all="ignore"):
        values = values.astype(kind) if kind != "M8[s]" else values.astype("i8").astype(kind)
    if values.size and kind in ("f8", "f4", "O") and rng.random() < 0.3:
        values[rng.integers(rows), rng.integers(width)] = rng.choice([np.nan, np.inf, -1e300])
    if values.size and kind == "O" and rng.random() < 0.3:
        values[0, 0] = [None, "word", {}, [], object(), 1 << 80][rng.integers(6)]
    how = rng.integers(7)
    if how == 0:
        values = values[::-1, ::-1]
    elif how == 1:
        values = values.T
    elif how == 2 and rows and width:
        values = np.broadcast_to(values[:1], (rows, width))  # stride 0
    elif how == 3:
        values = np.asfortranarray(values)[::2]
    elif how == 4:
        values = values.reshape(-1)
    return values


def any_X(rng):
    rows, width = int(rng.integers(0, 40)), int(rng.integers(0, 6))
    X = any_array(rng, rows, width)
    how = rng.integers(12)
    if how == 0:
        return [None, 3, "X", {}, [], [[]], [[1], [1, 2]], Hostile(), Frame(), Stream(None),
                Stream(object()), b"bytes"][rng.integers(12)]
    if how == 1:
        return X.tolist()
    if how == 2 and sparse is not None and X.dtype.kind in "fiu" and X.ndim == 2 and \
            X.dtype.isnative and X.dtype.itemsize in (4, 8):
        made = sparse.random(max(rows, 1), max(width, 1), 0.4, format=str(
            rng.choice(["csr", "csc", "coo", "lil"])), random_state=int(rng.integers(99)))
        if made.format != "lil" and made.nnz and rng.random() < 0.5:
            part = made.col if made.format == "coo" else (
                made.indices if rng.random() < 0.5 else made.indptr)
            part[rng.integers(len(part))] = rng.choice([-1, 0, 99, 2 ** 31 - 1])
        return made
    return X


def any_y(rng, X):
    try:
        rows = len(X)
    except TypeError:
        rows = 5
    rows = max(0, rows + int(rng.integers(-1, 2)) if rng.random() < 0.2 else rows)
    y = rng.integers(0, 2, rows)
    how = rng.integers(10)
    if how == 0:
        return [None, 1, "y", {}, Hostile(), object()][rng.integers(6)]
    if how == 1:
        return any_array(rng, rows, 1)
    if how == 2:
        return np.where(y, "a", "b")
    if how == 3:
        return y.astype(object)
    if how == 4:
        return rng.normal(0, 1, rows)[::-1]
    return y


ODD = [None, 0, 1, -1, 2, 1e-6, 1e300, float("nan"), float("inf"), "auto", "gd", "scd", "", "x",
       True, [], (0, 1), {}, object(), np.float32(0.5), np.int64(3), "1\x00", "é", 10 ** 40]


def any_call(rng, seed):
    kind = list(LOSSES.values())[rng.integers(4)]
    model = kind(epsilon=1, delta=1e-6, insecure_seed=seed, threads=1)
    names = model._get_param_names()
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        model.set_params(**{names[rng.integers(len(names))]: ODD[rng.integers(len(ODD))]})
    X = any_X(rng)
    y = any_y(rng, X)
    more = {}
    if rng.random() < 0.2:
        more["sample_weight"] = any_y(rng, X)
        model.weight_bound = 1
    if rng.random() < 0.2:
        more["person"] = any_y(rng, X)
    if rng.random() < 0.1:
        more["target"] = ODD[rng.integers(len(ODD))]
    model.fit(X, y, **more)
    model.predict(any_X(rng) if rng.random() < 0.3 else X)
    model.score(X, y)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


class Calls(Case):
    def test_calls(self):
        answered, refused = 0, {}
        for i in range(CALLS):
            if i == CALLS // 10:
                gc.collect()
                before = descriptors(), len(gc.get_objects())
            rng = np.random.default_rng(i)
            try:
                any_call(rng, i)
                answered += 1
            except ALLOWED as error:
                refused[type(error).__name__] = refused.get(type(error).__name__, 0) + 1
        gc.collect()
        self.assertEqual(descriptors(), before[0])
        self.assertLess(len(gc.get_objects()), before[1] + 2000)
        self.assertGreater(answered, CALLS // 50)
        self.assertGreaterEqual(len(refused), 3, refused)

    def test_references_stay(self):
        """What was handed over is let go when the fit is over."""
        X, y = np.zeros((50, 3)), np.zeros(50)
        words = np.array(["a"] * 50, dtype=object)
        model = dp.LinearRegression(epsilon=1, delta=1e-6, insecure_seed=1)
        for bad in (False, True):
            before = [sys.getrefcount(each) for each in (X, y, words)]
            for _ in range(20):
                try:
                    model.fit(X, words if bad else y, person=words)
                except dp.DataError:
                    self.assertTrue(bad)
            gc.collect()
            after = [sys.getrefcount(each) for each in (X, y, words)]
            self.assertEqual(after, before)


if __name__ == "__main__":
    main()

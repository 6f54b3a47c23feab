#!/usr/bin/env python3
"""Random tables (hypothesis): arrays, sparse matrices and Arrow give the bits of a .npy file."""

import os
import subprocess
import sys
import tempfile
import unittest
import warnings

from common import PROGRAM, dp, main, np

try:
    import hypothesis
    import scipy.sparse as sparse
    from hypothesis import strategies as st
    from hypothesis.extra import numpy as hnp
except ImportError:
    print("skipped: no hypothesis or no scipy")
    sys.exit(77)

try:
    import pyarrow
except ImportError:
    pyarrow = None

FINITE = {"allow_nan": False, "allow_infinity": False, "width": 32, "min_value": -1e6,
          "max_value": 1e6}
TYPES = st.sampled_from(["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"])


@st.composite
def tables(draw):
    """An array with some type, shape, order and strides, and a target."""
    dtype = np.dtype(draw(TYPES))
    rows, width = draw(st.integers(1, 30)), draw(st.integers(1, 4))
    elements = {"f": st.floats(**FINITE), "b": st.booleans(),
                "i": st.integers(-100, 100), "u": st.integers(0, 200)}[dtype.kind]
    X = draw(hnp.arrays(dtype, (rows, width), elements=elements))
    steps = draw(st.tuples(*[st.sampled_from([1, 2, -1, -3])] * 2))
    room = np.zeros((rows * abs(steps[0]), width * abs(steps[1])), dtype,
                    order=draw(st.sampled_from("CF")))
    strided = room[::steps[0], ::steps[1]]
    strided[...] = X
    y = draw(hnp.arrays("f8", rows, elements=st.floats(**FINITE)))
    return strided, y


def by_program(X, y):
    """The weights that the program finds in a .npy file of the same values."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "data.npy"),
                np.column_stack([X.astype("f8"), y]))
        done = subprocess.run(
            [PROGRAM, "train", "data.npy", "--target", str(X.shape[1] + 1), "--epsilon", "1",
             "--delta", "1e-6", "--insecure-seed", "5", "-o", "model.json", "--quiet"],
            cwd=folder, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        model = dp.load(os.path.join(folder, "model.json"))
    return model.coef_.tolist(), model.intercept_


def fitted(X, y, **how):
    model = dp.LinearRegression(epsilon=1, delta=1e-6, insecure_seed=5, **how)
    model.fit(X, y) if y is not None else model.fit(X, target="y")
    return model.coef_.tolist(), model.intercept_


class Arrays(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    @hypothesis.settings(max_examples=60, deadline=None)
    @hypothesis.given(tables())
    def test_an_array_is_its_file(self, table):
        X, y = table
        self.assertEqual(fitted(X, y), by_program(X, y))

    @hypothesis.settings(max_examples=60, deadline=None)
    @hypothesis.given(tables(), st.lists(st.integers(0, 30), max_size=4))
    @unittest.skipIf(pyarrow is None, "no pyarrow")
    def test_a_chunked_stream_is_its_array(self, table, cuts):
        X, y = table
        named = {str(j + 1): np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])}
        whole = pyarrow.table({**named, "y": y})
        edges = sorted({0, len(y), *(cut for cut in cuts if cut < len(y))})
        chunks = pyarrow.concat_tables(
            [whole.slice(a, b - a) for a, b in zip(edges, edges[1:])] or [whole])
        self.assertEqual(fitted(chunks, None), fitted(X, y))

    @hypothesis.settings(max_examples=60, deadline=None)
    @hypothesis.given(tables(), st.sampled_from(["csr", "csc"]), st.booleans())
    def test_sparse_formats_agree(self, table, kind, wide):
        X, y = table
        first = sparse.csr_matrix(np.ascontiguousarray(X))
        second = first.asformat(kind)
        if wide:
            second.indices = second.indices.astype(np.int64)
            second.indptr = second.indptr.astype(np.int64)
        self.assertEqual(fitted(second, y), fitted(first, y))


if __name__ == "__main__":
    main()

"""Sparse matrices of scipy, whose indices are looked at before they are trusted."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ._data import Array
from .errors import RecordError

__all__ = ["compressed", "is_sparse"]


def is_sparse(X: object) -> bool:
    """Whether it is one of scipy's sparse matrices or arrays."""
    return hasattr(X, "nnz") and hasattr(X, "tocsr")


def _within(values: Array, limit: int) -> bool:
    return values.size == 0 or (int(values.min()) >= 0 and int(values.max()) < limit)


def _is_sound(X: Any) -> bool:
    """Whether all indices are within the shape; scipy trusts that they are."""
    if X.format == "coo":
        return (X.row.shape == X.col.shape == X.data.shape and _within(X.row, X.shape[0]) and
                _within(X.col, X.shape[1]))
    start, groups = X.indptr, X.shape[X.format == "csc"]
    return (len(start) == groups + 1 and int(start[0]) == 0 and
            bool(np.all(start[1:] >= start[:-1])) and
            int(start[-1]) <= min(len(X.indices), len(X.data)) and
            _within(X.indices[:int(start[-1])], X.shape[X.format != "csc"]))


def compressed(X: Any) -> Any:
    """A sparse matrix by rows or by columns, with indices that are within its shape."""
    if X.format not in ("csr", "csc", "coo"):
        X = X.tocoo()
    if not _is_sound(X):
        raise RecordError("X: expected a sparse matrix whose indices are within its shape")
    if X.format == "coo":
        return _by_rows(X.row, X.col, X.data, X.shape)
    end = int(X.indptr[-1])
    if end == len(X.indices) == len(X.data):
        return X
    # scipy itself takes what stands behind the last row for entries, of rows that nobody wrote
    made: Any = getattr(importlib.import_module("scipy.sparse"), X.format + "_matrix")
    return made((X.data[:end], X.indices[:end], X.indptr), shape=X.shape)


def _by_rows(row: Array, col: Array, data: Array, shape: tuple[int, int]) -> Any:
    """Entries as a matrix by rows, in which a row's entries keep their order.

    scipy's own way is not row-local: it adds up what is there twice after a
    sort that is not stable, and whether it sorts depends on all rows.
    """
    made: Any = importlib.import_module("scipy.sparse").csr_matrix
    order = np.argsort(row, kind="stable")
    start = np.zeros(shape[0] + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=shape[0]), out=start[1:])
    return made((data[order], col[order], start), shape=shape)

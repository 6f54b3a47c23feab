"""X as a list of columns: for a fit, and for a model that predicts on it."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ._columns import Columns
from ._data import (is_frame, is_listed, names_as_text, one_column, only_numbers, plain_values,
                    refuse_stream, rows_of_lists, table_names)
from ._sparse import compressed, is_sparse
from .errors import DataError

if TYPE_CHECKING:
    from .estimator import Estimator

__all__ = ["as_array", "batches", "check_width", "columns_of", "expect_width",
           "for_model"]


def as_array(X: Any) -> Any:
    """An array of two dimensions; what is one already stays where it is."""
    rows = rows_of_lists(X) if is_listed(X) else None
    values = rows if rows is not None else X if isinstance(X, np.ndarray) else np.asarray(X)
    if values.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {values.ndim}D array instead. Reshape your data either "
            "using array.reshape(-1, 1) if it has a single feature or array.reshape(1, -1) if "
            "it is a single sample.")
    return check_width(values)


def check_width(X: Any) -> Any:
    if X.shape[1] == 0:
        raise DataError(f"Found array with 0 feature(s) (shape={tuple(X.shape)}) while a minimum "
                        "of 1 is required.")
    return X


def columns_of(X: Any, names: list[str] | None, renamed: list[str] | None,
               dropped: Collection[str] = (), people: Collection[str] = ()) -> Columns:
    """The columns of X, under other names where some are given; what is dropped is not read."""
    if is_sparse(X):
        columns = Columns(X.shape[0], people)
        columns.sparse(X)
    elif names is None:
        columns = Columns(X.shape[0], people)
        columns.array(X, renamed)
    else:
        refuse_stream(X)
        columns = Columns(len(X), people)
        for name, raw in zip(renamed or names, table_names(X)):
            columns.column(name, np.zeros(len(X), np.int8) if name in dropped else X[raw])
    return columns


def batches(owner: Estimator, X: Any) -> Iterator[Any]:
    """X as the model can read it: a model of named columns takes dense rows."""
    if is_sparse(X) and not owner._numbered:
        rows = max(1, (1 << 22) // max(1, X.shape[1]))
        X = compressed(X).tocsr()
        for first in range(0, max(1, X.shape[0]), rows):
            yield X[first:first + rows].toarray()
    else:
        yield X


def for_model(owner: Estimator, X: Any, people: Collection[str] = ()) -> Columns:
    """The columns of X for a model: by name, or by place where X has no names. `people`: the
    columns that tell people apart."""
    known = getattr(owner, "feature_names_in_", None)
    if is_frame(X):
        names = names_as_text(table_names(X))
        if known is None and owner._numbered:
            refuse_stream(X)
            X = np.column_stack([only_numbers(plain_values(one_column(X[raw], str(raw))),
                                              f'column "{raw}"') for raw in table_names(X)])
            return for_model(owner, X, people)
        if known is None:
            warnings.warn(f"X has feature names, but {type(owner).__name__} was fitted without "
                          "feature names", UserWarning, stacklevel=4)
            expect_width(owner, len(names))
            return columns_of(X, names, [str(j + 1) for j in range(len(names))],
                              people=people)
        if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "iloc"):
            return Columns.stream(X)
        return columns_of(X, names, None, people=people)
    X = check_width(X) if is_sparse(X) else as_array(X)
    expect_width(owner, int(X.shape[1]))
    if owner._numbered and not is_sparse(X):
        columns = Columns(X.shape[0], people)
        columns.dense_as_sparse(X)
        return columns
    return columns_of(X, None, None if known is None else [str(name) for name in known],
                      people=people)


def expect_width(owner: Estimator, width: int) -> None:
    if width != owner.n_features_in_:
        raise DataError(f"X has {width} features, but {type(owner).__name__} is expecting "
                        f"{owner.n_features_in_} features as input" +
                        ("." if getattr(owner, "feature_names_in_", None) is None else
                         ", without the target and dropped columns."))

"""How a pipeline applies a step, and how it tries its steps on a made-up row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._data import is_frame, is_listed, numbers, one_column, plain_values, table_names
from ._fitting import quiet
from ._row_local import OfDoubles, by_element, keeps_zero, load
from ._sparse import compressed, is_sparse
from ._stand_in import OneRow, stand_in
from .errors import DataError, RecordError, SottoError, UsageError
from .schema_columns import FEATURES

__all__ = ["applied", "has_odd_types", "of_new_rows", "rehearsed", "transformed"]


def has_odd_types(X: Any) -> bool:
    """Whether it is a frame in which a missing value may change a column's type as an array."""
    if not is_frame(X):
        return False
    return not hasattr(X, "iloc") or any(not isinstance(each, np.dtype) for each in X.dtypes)


def _doubles(X: Any) -> Any:
    """A table as doubles, each column by itself: a missing value leaves the type of others, and
    so how they are computed, as it was."""
    if not is_frame(X):
        return np.ascontiguousarray(X, dtype=np.float64)
    out = np.empty((len(X), len(table_names(X))))
    for j, name in enumerate(table_names(X)):
        column = X.iloc[:, j] if hasattr(X, "iloc") else X[name]
        if hasattr(X, "iloc"):
            out[:, j] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            values = plain_values(one_column(column, "X"))
            out[:, j] = [np.nan if value is None else float(value) for value in values] \
                if values.dtype.kind == "O" else numbers(values, "X")
    return type(X)(out, index=X.index, columns=X.columns) if hasattr(X, "iloc") else out


def _function_of(step: Any, X: Any, fit: bool) -> Any:
    """A function of one number at a time, of all numbers as doubles. Of a sparse matrix it gets
    the entries: a product of whole matrices may have the same name."""
    if not is_sparse(X):
        X = _doubles(X)
        return step.fit_transform(X) if fit else step.transform(X)
    if not keeps_zero(step.func):
        raise UsageError(f"{step.func.__name__}: expected a dense table; it makes something else "
                         "of 0")
    X = compressed(X).tocsr().astype(np.float64)
    X.data = step.func(X.data)
    if fit:
        step.fit(X)
    return X


def _normalized(step: Any, X: Any, fit: bool) -> Any:
    """Rows of length 1. Each is given in one piece, and never alone: how NumPy adds up a row
    depends on both."""
    rows = np.ascontiguousarray(X)
    if fit:
        step.fit(X)
    if rows.ndim == 2 and len(rows) == 1 and rows.dtype.kind in "biufO":
        return step.transform(np.concatenate([rows, np.zeros_like(rows)]))[:1]
    return step.transform(rows)


def _is_known_function(step: Any) -> bool:
    return (type(step) is load("sklearn.preprocessing").FunctionTransformer and
            by_element(step.func) and not step.kw_args)


def _prepare_within(step: Any) -> None:
    """Known functions within a step get doubles from now on, in fits and afterwards."""
    within = [each for name in ("transformers", "transformer_list", "steps")
              for _, each, *_ in getattr(step, name, ())]
    for each in filter(_does_something, [*within, getattr(step, "remainder", None)]):
        if not _is_known_function(each):
            _prepare_within(each)
        elif type(each.func) is not OfDoubles:
            each.func = OfDoubles(each.func, _doubles)


def transformed(step: Any, X: Any, fit: bool = True) -> Any:
    """What a step makes of X, in a fit and afterwards. A fit changes the step."""
    if type(step) is load("sklearn.preprocessing").Normalizer and not is_sparse(X):
        return _normalized(step, X, fit)
    if _is_known_function(step):
        return _function_of(step, X, fit)
    if fit:
        _prepare_within(step)
    return step.fit_transform(X) if fit else step.transform(X)


def _does_something(step: Any) -> bool:
    return step is not None and not isinstance(step, str)


def applied(steps: Any, X: Any) -> Any:
    """What the steps before the last make of X. Where one fails, its message is not shown: it
    may quote a record."""
    failed = ""
    for name, step in steps[:-1]:
        if not _does_something(step):
            continue
        try:
            with quiet():
                X = transformed(step, X)
        except (RecordError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of a library in Rust is no Exception
            failed = type(error).__name__
        if failed:  # here, so that the exception does not carry the other one
            raise RecordError(f'step "{name}" failed with a {failed}; its message may quote a '
                              "record and is not shown")
    return X


def of_new_rows(steps: Any, X: Any) -> Any:
    """What fitted steps make of rows that are predicted on: as in the fit."""
    for _, step in steps:
        if _does_something(step):
            X = transformed(step, X, fit=False)
    return X


# ---- the dry run ----

# What stands in for numbers and for texts: the first row that all steps take. The logarithm of 0
# is infinite, and steps refuse that.
_ROWS = [(number, word) for word in ("0", ["0"]) for number in (0, 1, 0.5, 2, 10)]


def rehearsed(steps: Any, X: Any, known: bool) -> Any:
    """What copies of the steps make of a made-up row of X's kind; no record is looked at.

    Known steps that refuse any such row refuse the table. A function of the
    caller's own may fail on it for reasons of its own: then the row itself, or
    one of the columns that the schema has, stands in for what it would make.
    """
    refusal: SottoError | None = None
    clone = load("sklearn.base").clone
    for number, word in _ROWS:
        name = ""
        try:
            texts = is_listed(X) and not is_frame(X)  # or rows of tokens
            row = [word] if texts else stand_in(X, number, word)
            for name, step in steps[:-1]:
                if _does_something(step):
                    with quiet():
                        row = transformed(clone(step), row)
            return row
        except SottoError as error:
            refusal = refusal or error
        except Exception as error:
            first = (str(error).splitlines() or [""])[0]
            refusal = refusal or DataError(f'step "{name}" takes no such table: '
                                           f"{type(error).__name__}: {first}")
    if known and refusal is not None:
        raise refusal.with_traceback(None) from None
    return _instead(steps[-1][1], X)


def _instead(last: Any, X: Any) -> Any:
    """A row for a step that cannot be tried: of the schema's columns, or as wide as X."""
    names = [name for name, column in getattr(last.schema, "columns", {}).items()
             if isinstance(column, FEATURES)]
    if names:
        return OneRow(names)
    shape: tuple[Any, ...] = getattr(X, "shape", ())
    return np.zeros((1, int(shape[1]) if len(shape) == 2 else 1))

"""What a pipeline with steps may be given: records whose type is public.

A list, a frame with sparse columns and scipy's own conversions have something
in common: one record may change what becomes of all others. And a column that
tells people apart, or parts, or weighs, must reach the library as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.ma as ma

from ._core import call, encode, lib, with_callback
from ._data import is_frame, refuse_stream
from ._row_local import load
from ._sparse import compressed, is_sparse
from ._steps import transformed
from .errors import DataError, PrivacyError, RecordError

__all__ = ["admit", "check_input", "has_steps", "transformed"]

_INSTEAD = ("leave it out of X and give it beside X, as STEP__person= and STEP__sample_weight=, "
            "or fit without steps: categories and bounds belong in the schema")


def has_steps(steps: Any) -> bool:
    """Whether something happens before the last step."""
    return any(not (step is None or (isinstance(step, str) and step == "passthrough"))
               for _, step in steps[:-1])


def admit(steps: Any, X: Any, words: dict[str, Any]) -> Any:
    """X for the steps; of a sparse matrix all entries are touched."""
    check_input(steps, X, words)
    return _canonical(X) if is_sparse(X) and has_steps(steps) else X


def check_input(steps: Any, X: Any, words: dict[str, Any]) -> None:
    """Refuses what steps must not be given; no value of a record decides."""
    if not has_steps(steps):
        return
    _refuse_roles(steps[-1][1], words)
    if is_sparse(X):
        if X.dtype.kind not in "biuf":
            raise DataError(f"X: expected numbers, found {X.dtype.name}")
        return
    if is_frame(X):
        refuse_stream(X)
    if isinstance(X, ma.MaskedArray):
        raise DataError("X: steps do not see what a mask hides; expected an array, for instance "
                        "X.filled(numpy.nan)")
    dtypes = list(getattr(X, "dtypes", ())) if is_frame(X) else [getattr(X, "dtype", None)]
    if any(hasattr(dtype, "fill_value") and hasattr(dtype, "subtype") for dtype in dtypes):
        raise PrivacyError("X: how steps read sparse columns of pandas depends on the records; "
                           "expected dense ones, or a sparse matrix of scipy")
    if any(getattr(dtype, "kind", "") == "S" for dtype in dtypes):
        raise PrivacyError("X: expected texts, found bytes; give an array of objects or of str")
    if not is_frame(X) and dtypes[0] is None and not _takes_lists(steps):
        raise PrivacyError("X: what type a list has depends on all records; expected an array or "
                           "a data frame (a list of texts is for HashingVectorizer)")


def _takes_lists(steps: Any) -> bool:
    """Whether the first step takes texts one by one."""
    texts = load("sklearn.feature_extraction.text").HashingVectorizer
    tokens = load("sklearn.feature_extraction").FeatureHasher
    union = load("sklearn.pipeline").FeatureUnion
    for _, step in steps:
        if step is None or isinstance(step, str):
            continue
        if type(step) is union:
            return all(_takes_lists([each]) for each in step.transformer_list)
        if hasattr(step, "steps"):
            return _takes_lists(step.steps)
        return type(step) in (texts, tokens)
    return False


def _refuse_roles(last: Any, words: dict[str, Any]) -> None:
    """Steps must not change whose row it is, its part or its weight."""
    for name, column in getattr(last.schema, "columns", {}).items():
        if type(column).__name__ in ("Person", "Weight"):
            raise PrivacyError(f'a step may change column "{name}", a {type(column).__name__} of '
                               f"the schema; {_INSTEAD}")
    unit = getattr(last.ledger, "unit", None)
    if unit is not None and words.get("person") is None:
        raise PrivacyError(f'a step may change column "{unit}", by which the ledger tells people '
                           f"apart; {_INSTEAD}")
    if last.parts is not None or _has_parts(last.ledger):
        raise PrivacyError("a step may change the column that tells the parts of the data set "
                           "apart; fit without steps")


def _has_parts(dataset: Any) -> bool:
    """Whether the ledger keeps the data set in parts."""
    found: list[bool] = []

    def take(row: Any) -> int:
        found.append(bool(row.part))
        return 0

    if not hasattr(dataset, "_open"):
        return False
    ledger = dataset._open()
    with_callback(take, lambda context: call(
        lib.sotto_ledger_datasets, ledger, encode(dataset.name), lib.sotto_dp_dataset, context))
    return any(found)


def _canonical(X: Any) -> Any:
    """A sparse matrix by rows, sorted, with nothing there twice.

    Steps call what scipy has for this, which is not row-local; it leaves a
    matrix alone that is so already. Here a row's entries are put in order by a
    stable sort, and added up one after the other in that order.
    """
    X = compressed(X).tocoo(copy=False)
    if X.data.dtype.kind not in "biuf":  # another type than the matrix says
        raise RecordError(f"X: expected numbers, found {X.data.dtype.name}")
    order = np.lexsort((X.col, X.row))
    row, col, data = X.row[order], X.col[order], X.data[order]
    first = np.ones(len(row), bool)
    first[1:] = (row[1:] != row[:-1]) | (col[1:] != col[:-1])
    total = np.zeros(int(first.sum()), data.dtype)
    np.add.at(total, np.cumsum(first) - 1, data)
    start = np.searchsorted(row[first], np.arange(X.shape[0] + 1))
    made: Any = load("scipy.sparse").csr_matrix
    return made((total, col[first], start), shape=X.shape)

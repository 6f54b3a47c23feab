"""The target of a score: found as a fit finds it, and compared as a fit reads it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._columns import Columns
from ._core import Options, call, ffi, lib
from ._data import (Array, frame_column, is_frame, is_stream, is_text_like, missing,
                    names_as_text, numbers, one_column, one_text, plain_values, table_names)
from ._types import near, number_of
from .errors import DataError, UsageError

if TYPE_CHECKING:
    from .estimator import Estimator

__all__ = ["class_codes", "sample_weights", "stream_quality", "target_of"]


def sample_weights(sample_weight: Any, rows: int) -> npt.NDArray[np.float64]:
    """Weights of a score; ones where none are given."""
    if sample_weight is None:
        return np.ones(rows)
    if isinstance(sample_weight, str):
        raise UsageError("sample_weight: expected an array, as X[name]")
    out: npt.NDArray[np.float64] = numbers(one_column(sample_weight, "sample_weight"),
                                           "sample_weight").astype(np.float64)
    return out


def _model_target(owner: Estimator) -> str | None:
    """The column that the model was fitted to."""
    columns = json.loads(owner._fitted().text())["schema"].get("columns", {})
    return next((str(name) for name, column in columns.items() if column["type"] == "target"),
                None)


def target_of(owner: Estimator, X: Any, y: Any, target: Any) -> Any:
    """What the answers are compared with; None: the library reads it from the stream X."""
    if y is not None:
        if target is not None:
            raise UsageError("target: names the column of X that is y; give y or target, not both")
        if isinstance(y, str):
            raise UsageError("y: expected an array; a column of X is named by target=")
        return one_column(y, "y")
    known = _model_target(owner)
    name = target if target is not None else getattr(owner.schema, "target", None) or known
    if not is_frame(X):
        raise UsageError("score: expected y, or a data frame and target=")
    if not is_text_like(name):
        raise UsageError("target: expected the name of a column of X; an array is given as y")
    if str(name) not in names_as_text(table_names(X)):
        raise DataError(f'target: there is no column "{name}"'
                        f"{near(str(name), names_as_text(table_names(X)))}"
                        if target is not None else
                        'score: expected y, or target="name", a column of X')
    if is_stream(X):
        if str(name) != known:
            raise UsageError("target: a stream is scored by the column that the model was "
                             "fitted to; or make a table of it")
        return None
    return one_column(frame_column(X, str(name)), "y")


def stream_quality(owner: Estimator, X: Any, sample_weight: Any) -> dict[str, float]:
    """How good the answers are for a stream, whose rows come once, with the target in them."""
    if sample_weight is not None:
        raise UsageError("sample_weight: expected none where X is a stream")
    model, table = owner._fitted(), ffi.new("sotto_table **")
    options = Options()
    with Columns.stream(X) as columns:
        call(lib.sotto_table_from_for, table, model.pointer, 1, columns.pointer, options.pointer)
    try:
        return model.evaluate(table[0])
    finally:
        lib.sotto_table_free(table[0])


def class_codes(y: Any, names: list[str]) -> npt.NDArray[np.int64]:
    """For each label which of the classes it is, by the rules of a fit.

    Numbers are compared as numbers, where all classes are such; texts
    without the blanks around them.
    """
    values = plain_values(y)
    wanted = [number_of(name) for name in names]
    numeric = None not in wanted
    if values.dtype.kind in "biuf":
        codes = np.full(len(values), -1)
        for code, number in enumerate(wanted if numeric else []):
            codes[values == number] = code
    else:
        codes = _codes_of_texts(values, wanted if numeric else list(names), numeric)
    if np.any(codes < 0):
        raise DataError(f"y: row {int(np.argmax(codes < 0)) + 1} has none of the model's classes")
    return codes


def _codes_of_texts(values: Array, wanted: list[Any], numeric: bool) -> npt.NDArray[np.int64]:
    known: dict[str, int] = {}
    codes = np.full(len(values), -1)
    for i, value in enumerate(values.tolist()):
        if missing(value):
            continue
        label = one_text(value, "y").decode("utf-8", "surrogateescape").strip(" \t")
        if label not in known:
            read = number_of(label) if numeric else label
            known[label] = wanted.index(read) if read in wanted else -1
        codes[i] = known[label]
    return codes

"""A made-up row that stands in for the records of a fit.

It has the names, the types and the number of columns of what it stands for,
which are public, and no value of a record. So a fit can be tried on it: what
it is refused for, names, types and shapes are to blame.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import Any

import numpy as np
import numpy.ma as ma

from ._data import is_frame, is_listed, is_stream, names_as_text, refuse_stream, table_names
from ._sparse import is_sparse
from ._types import column_kinds, kind_of
from .errors import DataError, UsageError

__all__ = ["OneRow", "check_shapes", "rows_of", "stand_in", "stand_in_column"]

# How a type is called whose values no stream may have, where nobody knows the library.
_UNREADABLE = re.compile(r"(?i)(timestamp|date|time|interval|decimal|blob|struct|map|union|bit)"
                         r"(?![a-z]).*|.*\[\d*\]")


def _unreadable(dtype: Any) -> bool:
    """Whether a type shows that the library does not read its values. DuckDB's types are known,
    and those of its types that are not are refused: it has new ones in every version."""
    if "duckdb" in type(dtype).__module__:
        return kind_of(dtype) not in ("number", "text", "category")
    return _UNREADABLE.fullmatch(str(dtype)) is not None


class OneRow:
    """A row of a frame that only says how its columns are called, and perhaps of what type."""

    def __init__(self, names: list[str], types: list[Any] | None = None) -> None:
        self.columns = names
        self.shape = (1, len(names))
        if types is not None:
            self.dtypes = types
        self._kinds = column_kinds(self, names)

    def __len__(self) -> int:
        return 1

    def get_column(self, name: str) -> Any:
        """A column, as polars has it."""
        texts = self._kinds.get(name, "other") in ("text", "category", "object")
        return np.array(["0"], dtype=object) if texts else np.zeros(1)

    __getitem__ = get_column

    def check(self, dropped: list[str]) -> None:
        """Refuses columns whose type the library does not read."""
        for name, each in zip(self.columns, getattr(self, "dtypes", ())):
            if name not in dropped and _unreadable(each):
                raise DataError(f'column "{name}": expected numbers or texts, found {each}')


def _loaded(module: str, kind: str, values: Any) -> Any:
    """A module, if it is loaded and the values are of its kind; or else None."""
    found = sys.modules.get(module)
    return found if found is not None and isinstance(values, getattr(found, kind, ())) else None


def _value(dtype: Any, number: float, word: Any) -> Any:
    """A value of a type; None: a missing one."""
    kind = kind_of(dtype)
    if kind == "number":
        name = str(dtype).lower()
        return bool(number) if name.startswith("bool") else (
            int(number) if "int" in name else float(number))
    return word if kind in ("text", "object") else None


def _filled(shape: tuple[int, ...], dtype: Any, number: float, word: Any) -> Any:
    dtype = np.dtype(dtype)
    out = np.zeros(shape, dtype)
    if dtype.kind in "biuf":
        out[...] = np.array(number).astype(dtype)
    elif dtype.kind in "OUT":
        for place in np.ndindex(*shape):
            out[place] = word
    return out


def _series(pandas: Any, dtype: Any, number: float, word: Any, name: Any = None) -> Any:
    if isinstance(dtype, getattr(pandas, "CategoricalDtype", ())):
        dtype = pandas.CategoricalDtype([])  # the levels may come from the records
    try:
        return pandas.Series([_value(dtype, number, word)], dtype=dtype, name=name)
    except (TypeError, ValueError):  # a type that has no such value
        return pandas.Series([None], dtype=object, name=name)


def _pandas(pandas: Any, X: Any, number: float, word: Any) -> Any:
    types = list(X.dtypes)
    if types and all(isinstance(each, np.dtype) and each == types[0] for each in types):
        out = pandas.DataFrame(_filled((1, len(types)), types[0], number, word), dtype=types[0])
    elif types:
        out = pandas.concat([_series(pandas, each, number, word) for each in types], axis=1)
    else:
        out = pandas.DataFrame(index=[0])
    out.columns = X.columns
    return out


def _arrow(pyarrow: Any, schema: Any, number: float, word: Any) -> Any:
    arrays = []
    for each in schema.types:
        value = _value(each, number, word)
        arrays.append(pyarrow.nulls(1, each) if value is None else pyarrow.array([value], each))
    return pyarrow.Table.from_arrays(arrays, schema=schema)


def _frame(X: Any, number: float, word: Any) -> Any:
    if pandas := _loaded("pandas", "DataFrame", X):
        return _pandas(pandas, X, number, word)
    if polars := _loaded("polars", "DataFrame", X):
        return polars.DataFrame([polars.Series(name, [_value(each, number, word)], dtype=each)
                                 for name, each in zip(X.columns, X.dtypes)])
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(getattr(X, "schema", None), pyarrow.Schema):
        return _arrow(pyarrow, X.schema, number, word)  # a reader could be read only once
    types: Any = getattr(X, "dtypes", None)
    names = names_as_text(table_names(X))
    said = hasattr(types, "__len__") and len(types) == len(names)
    return OneRow(names, list(types) if said else None)


def _length(value: Any) -> int:
    """How long a row of a list is; -1: it is a text, -2: it has no length."""
    if isinstance(value, (str, bytes)):
        return -1
    try:
        return len(value)
    except Exception:  # it has none, or its own is a record's doing
        return -2


def _list(values: Any, number: float, width: int | None) -> Any:
    """A list like this one, of rows, of texts, or of numbers. Where no width is public it is as
    most of the list is: for whoever books nothing."""
    if width is None:
        counted = Counter(map(_length, values)).most_common(1)
        width = counted[0][0] if counted else -2
    if width < 0:
        return ["0" if width == -1 else number]
    return [[float(number)] * width]


def _typed(values: Any, number: float, word: Any) -> Any:
    """Of whatever has a shape and a type: a column of a frame, an array that is elsewhere."""
    if hasattr(values, "type") and not hasattr(values, "dtype"):
        return _arrow_column(values, number, word)
    if polars := _loaded("polars", "Series", values):
        return polars.Series(values.name, [_value(values.dtype, number, word)],
                             dtype=values.dtype)
    dtype, shape = values.dtype, values.shape
    if not isinstance(dtype, np.dtype) and (pandas := sys.modules.get("pandas")) is not None and \
            isinstance(dtype, pandas.api.extensions.ExtensionDtype):
        return _series(pandas, dtype, number, word, getattr(values, "name", None))
    if pandas := _loaded("pandas", "Series", values):
        return _series(pandas, dtype, number, word, values.name)
    if any(not isinstance(size, (int, np.integer)) for size in shape[1:]):
        raise UsageError("X: expected an array whose number of columns is known")
    try:
        dtype = np.dtype(dtype)
    except TypeError:
        dtype = np.dtype(np.float64)  # a type of somebody else's arrays
    return _filled((1, *shape[1:]) if len(shape) else (), dtype, number, word)


def _arrow_column(values: Any, number: float, word: Any) -> Any:
    pyarrow: Any = sys.modules["pyarrow"]
    value = _value(values.type, number, word)
    return pyarrow.nulls(1, values.type) if value is None else pyarrow.array([value], values.type)


def stand_in(values: Any, number: float = 0, word: Any = "0", width: int | None = None) -> Any:
    """One row of the same kind; no record is looked at.

    Numbers become `number`, and texts and objects `word`, which is a text that
    is a number, too. None and a text, which is a name, stay what they are. How
    long the rows of a list are is not public: `width` says it.
    """
    if values is None or isinstance(values, (str, bytes)):
        return values
    if is_sparse(values):
        return sys.modules["scipy.sparse"].csr_matrix((1, values.shape[1]), dtype=values.dtype)
    if isinstance(values, np.ndarray):
        out = _filled((1, *values.shape[1:]) if values.ndim else (), values.dtype, number, word)
        return ma.array(out) if isinstance(values, ma.MaskedArray) else out
    if is_frame(values):
        return _frame(values, number, word)
    if is_listed(values):
        return _list(values, number, width)
    if (hasattr(values, "dtype") and hasattr(values, "shape")) or (
            hasattr(values, "type") and hasattr(values, "null_count")):
        return _typed(values, number, word)
    try:
        view = memoryview(values)
    except TypeError:
        return np.zeros((), dtype=object)  # it has no columns
    return stand_in(np.asarray(view), number, word)


def stand_in_column(values: Any) -> Any:
    """The same of a column beside X. What is in a list is not looked at."""
    return ["0"] if is_listed(values) else stand_in(values)


# ---- shapes ----


def rows_of(values: Any) -> int | None:
    """The number of rows; None: it would have to be counted."""
    if is_frame(values) and is_stream(values):
        return None
    shape = getattr(values, "shape", None)
    if shape is None:
        counted = is_listed(values) or hasattr(values, "null_count")
        return len(values) if counted else None
    return int(shape[0]) if len(shape) and isinstance(shape[0], (int, np.integer)) else None


def check_shapes(X: Any, y: Any, weight: Any, person: Any) -> None:
    """Refuses what does not have as many rows as X, and single columns beside a stream."""
    beside = [(y, "y"), (weight, "sample_weight"), (person, "person")]
    if is_frame(X) and is_stream(X) and any(values is not None for values, _ in beside):
        refuse_stream(X)
    count = rows_of(X)
    for values, name in beside:
        found = None if values is None else rows_of(values)
        if count is not None and found is not None and found != count:
            raise DataError(f"{name} and X have different numbers of rows (inconsistent numbers "
                            "of samples)")

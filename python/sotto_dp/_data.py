"""Records in memory, as the C library can take them.

Names, types and the number of columns are public. Values are records: nothing
here looks at one but to hand it over, row by row; what it means is for the
library to say, by the maps that a file's values go through. No message quotes
a value.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.ma as ma  # now: a fork while a fit imports it in another thread would hang
import numpy.typing as npt

from ._core import lib, number_text
from .errors import DataError, RecordError, UsageError

__all__ = ["Array", "Listed", "NO_TEXT", "as_numbers", "element", "frame_column", "is_frame",
           "is_listed", "is_stream", "is_text_like", "missing", "names_as_text", "numbers",
           "one_column", "one_text", "only_numbers", "plain_values", "refuse_stream",
           "rows_of_lists", "table_names", "text_or_none", "unmasked"]

Array = npt.NDArray[Any]

_ELEMENTS = {
    "f4": "SOTTO_F32", "f8": "SOTTO_F64", "b1": "SOTTO_BOOL",
    "i1": "SOTTO_I8", "i2": "SOTTO_I16", "i4": "SOTTO_I32", "i8": "SOTTO_I64",
    "u1": "SOTTO_U8", "u2": "SOTTO_U16", "u4": "SOTTO_U32", "u8": "SOTTO_U64",
}


def element(dtype: np.dtype[Any]) -> int | None:
    """The library's number of a type; None: it has none."""
    if not dtype.isnative:
        return None
    name = _ELEMENTS.get(dtype.kind + str(dtype.itemsize))
    return None if name is None else int(getattr(lib, name))


class Listed(np.ndarray):
    """The values of a list, as objects: what type they have together is not asked,
    because one record could change it for all others."""


def _one_number(value: Any) -> float:
    """A value as a number; NaN, a missing one, where it is none. What Python
    says about it is not passed on: it may quote the value, before any charge."""
    try:
        return float(value)
    except Exception:
        return np.nan


def unmasked(values: Any) -> Array:
    """What a mask hides is missing."""
    out: Array = np.asarray(values.data).astype(object)
    out[ma.getmaskarray(values)] = None
    return out


def _one_by_one(array: Array) -> Array:
    """An array of objects or texts as doubles, each value by itself."""
    return np.fromiter((_one_number(value) for value in array.reshape(-1).tolist()),
                       np.float64, array.size).reshape(array.shape)


def rows_of_lists(X: Any) -> Array | None:
    """A list of rows as an array of objects, each value as it is; None: it has no rows."""
    rows = list(X)
    if not rows or any(isinstance(row, (str, bytes)) or not hasattr(row, "__len__")
                       for row in rows):
        return None
    width = len(rows[0])
    if any(len(row) != width for row in rows):
        raise RecordError("X: expected rows of one length")
    out = np.empty(len(rows) * width, dtype=object)
    for i, value in enumerate(value for row in rows for value in row):
        out[i] = value
    return out.reshape(len(rows), width)


def numbers(values: Any, what: str) -> Array:
    """An array of a type that the library reads; others become doubles, value by value."""
    if isinstance(values, ma.MaskedArray):
        values = unmasked(values)
    array: Array = np.asarray(values)
    if array.dtype.kind == "c":
        raise DataError(f"Complex data not supported: {what}")
    if array.dtype.kind in "mMV":
        instead = "" if array.dtype.kind == "V" else (
            "; make texts of it for Date (astype(str)), or numbers, or leave it out (Drop() in the schema)")
        raise DataError(f"{what}: expected numbers or texts, found {array.dtype.name}{instead}")
    if not array.dtype.isnative:  # a whole number stays one
        array = array.astype(array.dtype.newbyteorder("="))
    if element(array.dtype) is not None:
        return array
    return _one_by_one(array) if array.dtype.kind in "OSUT" else array.astype(np.float64)


def as_numbers(values: Array) -> Array | None:
    """A column of Python's numbers as an array of one type, where each has the text there that
    it has as an object: how the column goes over then changes no value. None: it has others."""
    listed = values.tolist()
    kinds = set(map(type, listed))
    if not kinds <= {float, int, bool, type(None)}:
        return None
    whole = kinds <= {int, bool}
    if any(type(each) is int and abs(each) > 2 ** 53 for each in listed):
        return None  # as a double it may be another number
    out: Array = np.array(listed, np.int64 if whole else np.float64)
    return out if whole else out + 0.0  # the text of -0.0 is that of 0


def only_numbers(values: Any, what: str) -> Array:
    """The same, where a value that is there and is no number is refused."""
    array = numbers(values, what)
    if isinstance(values, np.ndarray) and values.dtype.kind in "OSUT":
        wrong = np.isnan(array.reshape(-1)) & np.fromiter(
            (text_or_none(value) is not None and str(value).strip().lower() not in _NO_NUMBER
             for value in values.reshape(-1).tolist()), bool, values.size)
        if wrong.any():
            row = int(np.argmax(wrong)) // (values.shape[1] if values.ndim == 2 else 1)
            raise DataError(f"{what}: row {row + 1}: expected a number")
    return array


_NO_NUMBER = ("", "nan", "+nan", "-nan")


def missing(value: object) -> bool:
    """None, NaN, NaT and pandas' NA: whatever is not itself."""
    if value is None:
        return True
    same = value == value
    return same is not True and not (isinstance(same, np.bool_) and bool(same))


def _without_zeros(value: Decimal) -> Decimal:
    """The same number without zeros at its end; normalize() would round it to the context's
    precision, and two ids would become one."""
    sign, digits, exponent = value.as_tuple()
    kept = len(digits)
    while kept > 1 and digits[kept - 1] == 0:
        kept -= 1
    return Decimal((sign, digits[:kept], int(exponent) + len(digits) - kept))


def one_text(value: object, what: str) -> bytes:
    """A value of a column of mixed types, as the library would write it."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")  # no two texts become one
    if isinstance(value, (bool, np.bool_)):
        return b"1" if value else b"0"
    if isinstance(value, (int, np.integer)):
        return str(int(value)).encode()
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if number.is_integer() and abs(number) < 2 ** 63:
            return str(int(number)).encode()
        return number_text(lib.sotto_number_exact(number)).encode()
    if isinstance(value, (bytes, np.bytes_)):
        return bytes(value)
    if isinstance(value, Decimal):
        whole = value.adjusted() < 40 and value == value.to_integral_value()
        return str(int(value) if whole else _without_zeros(value)).encode()
    if isinstance(value, (datetime.date, datetime.time, uuid.UUID)):
        return str(value).encode()
    raise TypeError(f"{what}: argument must be a string or a number, "
                    f"not {type(value).__name__}")


NO_TEXT = b"\xff"  # no text: the library refuses such a row, and takes it for no number or level


def text_or_none(value: object) -> bytes | None:
    """A record's value as text; None: a missing one. What has no text, as a tuple or a duration,
    is a bad value, and not a missing one. No exception tells of a record before the fit is
    charged."""
    try:
        if isinstance(value, np.longdouble) and np.float64(value) != value:
            return NO_TEXT  # two of them would become one
        if isinstance(value, (float, np.floating, Decimal)) and not np.isfinite(float(value)):
            return None  # as the library has it in an array of numbers
        return None if missing(value) else one_text(value, "")
    except Exception:
        return NO_TEXT


def is_frame(X: object) -> bool:
    """Whether it has columns with names: pandas, polars, pyarrow, DuckDB."""
    if isinstance(X, np.ndarray):
        return False
    if type(X).__name__ == "LazyFrame" and hasattr(X, "collect"):
        raise UsageError("X: a LazyFrame has no rows yet; expected X.collect()")
    if hasattr(X, "__arrow_c_stream__"):  # a Series has it, too
        return hasattr(X, "columns") or hasattr(X, "column_names") or hasattr(X, "schema")
    return hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "get_column"))


def is_stream(X: object) -> bool:
    """Whether a frame's columns cannot be asked for one by one: it is read once, in order."""
    return not (hasattr(X, "iloc") or hasattr(X, "get_column") or hasattr(X, "column_names"))


def refuse_stream(X: object) -> None:
    """For whoever wants single columns."""
    if is_stream(X):
        raise UsageError("X: the columns of a stream come all at once; expected a table made of "
                         "it, or the target, weights and people in it")


def table_names(X: Any) -> list[Any]:
    """The names of a frame's columns."""
    names = getattr(X, "column_names", None)  # pyarrow
    if names is None:
        names = X.columns if hasattr(X, "columns") else X.schema.names
    return list(names)


def names_as_text(names: Sequence[Any]) -> list[str]:
    """Names of any type, as the library has them."""
    return [name if isinstance(name, str) else str(name) for name in names]


def is_text_like(name: object) -> bool:
    """Whether it may name a column: a text, or a number where a frame has such names."""
    return isinstance(name, (str, int, np.integer)) and not isinstance(name, bool)


def frame_column(X: Any, name: str) -> Any:
    """A column of a frame by its name as a text."""
    refuse_stream(X)
    raw = table_names(X)
    return X[raw[names_as_text(raw).index(name)]]


def is_listed(values: Any) -> bool:
    """Whether it is a sequence without a type of its own, as a list is."""
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__getitem__"):
        return False
    if any(hasattr(values, name) for name in ("dtype", "__array__", "__array_interface__")):
        return False
    try:
        memoryview(values)
    except TypeError:
        return hasattr(values, "__len__")
    return False


def one_column(values: Any, what: str) -> Any:
    """A column as an array of one dimension, or as what pandas has there."""
    if is_frame(values) and not hasattr(values, "iloc"):  # as an array one gap changes its type
        names = names_as_text(table_names(values))
        if len(names) != 1:
            raise DataError(f"{what} should be a 1d array, got a table of {len(names)} columns "
                            "instead.")
        return one_column(frame_column(values, names[0]), what)
    if isinstance(values, ma.MaskedArray):
        out = unmasked(values)
    elif hasattr(values, "to_numpy") or isinstance(values, np.ndarray):
        out = values
    elif is_listed(values):
        out = np.empty(len(values), dtype=object).view(Listed)
        for i, value in enumerate(values):
            out[i] = value
    else:
        out = np.asarray(values)
    shape: tuple[int, ...] = out.shape if hasattr(out, "shape") else (len(out),)
    if len(shape) == 2 and shape[1] == 1:  # of a frame its column, with the column's own type
        out = out.iloc[:, 0] if hasattr(out, "iloc") else np.asarray(out).reshape(-1)
    elif len(shape) != 1:
        raise DataError(f"{what} should be a 1d array, got an array of shape {tuple(shape)} "
                        "instead.")
    return out


def _has_gaps(values: Any) -> bool:
    """Whether a column of polars or pyarrow would lose something as an array: whole numbers
    with missing ones become floats there, and dictionaries their positions."""
    count = getattr(values, "null_count", 0)
    return bool(count() if callable(count) else count) or hasattr(
        getattr(values, "type", None), "value_type")


def _as_objects(values: Any) -> Array:
    listed = values.to_pylist() if hasattr(values, "to_pylist") else values.to_list()
    out = np.empty(len(listed), dtype=object)
    out[:] = listed
    return out


def plain_values(values: Any) -> Array:
    """A column as a plain array, with its missing values as objects."""
    if isinstance(values, np.ndarray):
        return values
    if _has_gaps(values):
        return _as_objects(values)
    if hasattr(values, "to_pylist") and not hasattr(values, "chunks"):  # an Array of pyarrow
        return np.asarray(values.to_numpy(zero_copy_only=False))
    return np.asarray(values.to_numpy())

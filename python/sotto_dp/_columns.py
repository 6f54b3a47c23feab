"""The list of columns that the C library reads, where they are in memory."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.ma as ma

from ._core import call, encode, ffi, handle, lib
from ._data import (NO_TEXT, Array, as_numbers, element, numbers, one_column, only_numbers,
                    plain_values, text_or_none, unmasked)
from ._sparse import compressed
from ._types import kind_of
from .errors import DataError

__all__ = ["Columns"]


class Columns:
    """A list of columns; what they are made of stays alive with it."""

    def __init__(self, rows: int, people: Collection[str] = ()) -> None:
        self.rows = rows
        self._people = people  # names of columns that tell people apart
        self._alive: list[Any] = []
        self.pointer = handle(lib.sotto_columns_free, "sotto_columns",
                              lib.sotto_columns_new, rows)

    @classmethod
    def stream(cls, X: Any) -> Columns:
        """The columns of whatever offers an Arrow stream; it makes one table."""
        capsule = X.__arrow_c_stream__()
        take = ctypes.pythonapi.PyCapsule_GetPointer
        take.restype, take.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        address = take(capsule, b"arrow_array_stream")
        self = cls.__new__(cls)
        self.rows, self._people, self._alive = -1, (), [capsule, X]
        self.pointer = handle(lib.sotto_columns_free, "sotto_columns",
                              lib.sotto_columns_stream,
                              ffi.cast("struct ArrowArrayStream *", address))
        return self

    def __enter__(self) -> Columns:
        return self

    def __exit__(self, *_: object) -> None:
        """Lets go of everything, even where a traceback still has it: a stream is open."""
        ffi.release(self.pointer)
        self._alive.clear()

    def _check_rows(self, count: int, what: str) -> None:
        if count != self.rows:
            raise DataError(f"{what} and X have different numbers of rows (inconsistent numbers "
                            "of samples)")

    def array(self, values: Array, names: Sequence[str] | None = None) -> None:
        """The columns of an array of two dimensions, whatever its strides. Those of objects and
        texts go over one by one, as a data frame's do."""
        if isinstance(values, ma.MaskedArray):
            values = unmasked(values)
        if values.dtype.kind in "OSUT":
            for j in range(values.shape[1]):
                one = as_numbers(values[:, j]) if values.dtype.kind == "O" else None
                self.column(str(j + 1) if names is None else names[j],
                            values[:, j] if one is None else one)
            return
        values = numbers(values, "X")
        self._check_rows(values.shape[0], "X")
        names_in_c: Any = ffi.NULL
        if names is not None:
            texts = [ffi.new("char[]", encode(name)) for name in names]
            names_in_c = ffi.new("char *[]", texts)
            self._alive += [texts, names_in_c]
        self._alive.append(values)
        call(lib.sotto_columns_add_array, self.pointer, names_in_c, values.shape[1],
             ffi.cast("void *", values.ctypes.data), element(values.dtype),
             values.strides[0], values.strides[1])

    def numbers(self, name: str, values: Array, missing: Array | None = None) -> None:
        """One column of numbers, whatever its stride."""
        if values.dtype.kind == "f" and values.dtype.itemsize > 8:  # two ids would become one
            raise DataError(f'column "{name}": expected numbers of 64 bits at most')
        values = numbers(values, f'column "{name}"')
        self._check_rows(values.shape[0], f'column "{name}"')
        mask: Any = ffi.NULL
        if missing is not None:
            missing = np.ascontiguousarray(missing, dtype=np.uint8)
            mask = ffi.cast("uint8_t *", missing.ctypes.data)
        self._alive += [values, missing]
        call(lib.sotto_columns_add, self.pointer, encode(name),
             ffi.cast("void *", values.ctypes.data), element(values.dtype),
             values.strides[0], mask)

    def texts(self, name: str, values: Sequence[bytes | None]) -> None:
        """One column of texts in UTF-8; None is a missing one. Whoever has no text is nobody:
        all of those would be one person."""
        self._check_rows(len(values), f'column "{name}"')
        if name in self._people:
            values = [None if value == NO_TEXT else value for value in values]
        missing = np.fromiter((value is None for value in values), np.uint8, self.rows)
        sizes = np.fromiter((len(value or b"") for value in values), np.int64, self.rows)
        offsets = np.zeros(self.rows + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        data = b"".join(value or b"" for value in values)
        bytes_in_c = ffi.from_buffer("char[]", data)
        self._alive += [missing, offsets, data, bytes_in_c]
        call(lib.sotto_columns_add_texts, self.pointer, encode(name), bytes_in_c,
             ffi.cast("int64_t *", offsets.ctypes.data),
             ffi.cast("uint8_t *", missing.ctypes.data) if missing.any() else ffi.NULL)

    def column(self, name: str, values: Any) -> None:
        """One column of anything: an array, a list, what a data frame has."""
        what = f'column "{name}"'
        values = one_column(values, what)
        if isinstance(values, np.ndarray):
            self._plain(name, values)
            return
        category = getattr(values, "cat", values)  # of a Series; or a Categorical by itself
        if hasattr(category, "codes"):  # pandas: its levels are texts, and no more than that
            levels = [text_or_none(level) for level in category.categories]
            self.texts(name, [levels[code] if code >= 0 else None
                              for code in np.asarray(category.codes)])
            return
        dtype: Any = getattr(values, "dtype", None)
        if hasattr(dtype, "fill_value"):  # pandas' sparse columns
            self._plain(name, np.asarray(values))
            return
        if getattr(dtype, "na_value", None) is not None and getattr(dtype, "kind", "O") in "iufb":
            blank = np.asarray(values.isna())  # pandas' nullable numbers
            hidden: Any = False if dtype.kind == "b" else 0
            self.numbers(name, values.to_numpy(dtype=dtype.numpy_dtype, na_value=hidden), blank)
            return
        typed = dtype if dtype is not None else getattr(values, "type", None)
        if hasattr(values, "null_count") and kind_of(typed) == "other":
            # by its type, as a stream's: what an array would be depends on nulls of other rows
            raise DataError(f"{what}: expected numbers or texts, found {typed}")
        self._plain(name, plain_values(values))

    def _plain(self, name: str, values: Array) -> None:
        if values.dtype.kind in "OSUT":
            self.texts(name, [text_or_none(value) for value in values.tolist()])
        else:
            self.numbers(name, values)

    def sparse(self, X: Any) -> None:
        """A sparse matrix of scipy by its rows or columns, without a copy.

        Its entries go to the library as they are, in any order: an entry that
        is there twice makes its row a bad one. scipy's sum of the two would
        depend on other rows (see `_by_rows` of _sparse.py).
        """
        X = compressed(X)
        self._entries(X.format == "csc", X.shape, X.indptr, X.indices, X.data)

    def dense_as_sparse(self, X: Array) -> None:
        """A dense array for a model whose features are numbered."""
        values = only_numbers(X, "X")
        row, index = np.nonzero(values)
        start = np.zeros(values.shape[0] + 1, np.int64)
        np.cumsum(np.bincount(row, minlength=values.shape[0]), out=start[1:])
        self._entries(False, values.shape, start, index.astype(np.int64), values[row, index])

    def _entries(self, by_column: bool, shape: tuple[int, ...], start: Array, index: Array,
                 data: Array) -> None:
        self._check_rows(shape[0], "X")
        parts = [np.ascontiguousarray(part) if part.dtype in (np.int32, np.int64)
                 else part.astype(np.int64) for part in (start, index)]
        parts.append(np.ascontiguousarray(numbers(data, "X")))
        entries = ffi.new("sotto_sparse *")
        entries.by_column = by_column
        entries.features = shape[1]
        entries.start, entries.index, entries.values = (
            ffi.cast("void *", part.ctypes.data) for part in parts)
        entries.start_type, entries.index_type, entries.value_type = (
            element(part.dtype) for part in parts)
        self._alive += [parts, entries]
        call(lib.sotto_columns_add_sparse, self.pointer, entries)

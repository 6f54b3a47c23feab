"""What is known about columns without looking at a record.

`Schema` is a schema file of the program (docs/schema.md): what it writes
``sotto`` reads, and the other way round.
"""

from __future__ import annotations

import keyword
import os
from types import MappingProxyType
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from ._schema_text import (arguments, check_keys, check_text, json_line, missing_words, parse_json,
                           quoted)
from .errors import UsageError
from .schema_columns import (COLUMNS, FEATURES, Boolean, Category, Column, Date, Drop, Number,
                             Person, Target, Weight, column_from)

__all__ = ["Number", "Category", "Date", "Boolean", "Target", "Weight", "Person", "Drop",
           "Column", "Schema"]

_VERSION = 1
_KEYS = ("sotto_schema", "missing_values", "width", "default", "columns")
_ONE = (Target, Weight, Person)


class Schema:
    """What the columns are, declared beforehand.

    Columns are given by name: as keywords, or as a mapping where a name is no
    identifier of Python. Two schemas are equal when they declare the same, in
    any order.

    Parameters
    ----------
    columns : mapping of str to column, optional
        Columns whose names are no identifiers.
    others : Number or Drop, optional
        What columns are that are not listed (``default`` in the file).
        Without it they are refused.
    missing_values : list of str, optional
        Words that mean a missing value, beside an empty text and NaN.
    width : int, optional
        How many columns an array without names has.
    **more : column
        Columns whose names are identifiers. A column may be called ``width``
        or ``missing_values`` too; one called ``others`` goes into `columns`.

    Examples
    --------
    >>> s = Schema({"blood pressure": Number(60, 250)}, sex=Category(["f", "m"]))
    >>> s
    Schema({'blood pressure': Number(60, 250)}, sex=Category(['f', 'm']))
    >>> Schema.from_json(s.json_text()) == s
    True
    """

    __slots__ = ("_columns", "_others", "_missing_values", "_width")

    def __init__(self, columns: Optional[Mapping[str, Column]] = None, /, *,
                 others: Union[Number, Drop, None] = None, missing_values: object = (),
                 width: object = None, **more: Column) -> None:
        listed: Dict[str, Any] = {}
        if columns is not None and not isinstance(columns, Mapping):
            raise TypeError("expected a mapping of names to columns")
        if isinstance(missing_values, COLUMNS):
            more["missing_values"], missing_values = missing_values, ()
        if isinstance(width, COLUMNS):
            more["width"], width = width, None
        for name, column in [*(columns or {}).items(), *more.items()]:
            if name in listed:
                raise UsageError(f"column {quoted(name)}: declared twice")
            listed[name] = column
        self._columns: Mapping[str, Column] = MappingProxyType(listed)
        self._others = others
        self._missing_values = missing_words(missing_values)
        if width is not None and (type(width) is not int or not 0 < width < 1 << 63):
            raise UsageError("expected width to be the number of columns of an array")
        self._width = width
        self._check()

    def _check(self) -> None:
        seen: Dict[type, str] = {}
        for name, column in self._columns.items():
            check_text(name, "the name of a column")
            if type(column) not in COLUMNS:
                raise TypeError(f"column {quoted(name)}: expected Number, Category, Date, "
                                "Boolean, Target, Weight, Person or Drop, with its parentheses")
            if isinstance(column, _ONE) and seen.setdefault(type(column), name) != name:
                raise UsageError(f"columns {quoted(seen[type(column)])} and {quoted(name)} are "
                                 f"both a {type(column).__name__}; expected one")
            words = (column.levels or () if isinstance(column, Category) else
                     column.true + column.false if isinstance(column, Boolean) else ())
            if set(words) & set(self._missing_values):
                raise UsageError(f"column {quoted(name)}: expected levels that are not among "
                                 "missing_values")
        if self._others is not None and type(self._others) not in (Number, Drop):
            raise TypeError("expected others to be a Number or Drop()")

    @property
    def columns(self) -> Mapping[str, Column]:
        """The columns by name, in the order in which they were given."""
        return self._columns

    @property
    def others(self) -> Union[Number, Drop, None]:
        """What columns are that are not listed; None: they are refused."""
        return self._others

    @property
    def missing_values(self) -> Tuple[str, ...]:
        """Words that mean a missing value."""
        return self._missing_values

    @property
    def width(self) -> Optional[int]:
        """How many columns an array without names has; None: not said."""
        return self._width

    def _named(self, kind: type) -> Iterator[str]:
        return (name for name, column in self._columns.items() if type(column) is kind)

    @property
    def target(self) -> Optional[str]:
        """The name of the column to learn, or None."""
        return next(self._named(Target), None)

    @property
    def person(self) -> Optional[str]:
        """The name of the column that says whose row it is, or None."""
        return next(self._named(Person), None)

    def lists_features(self) -> bool:
        """Whether it names a column that becomes features."""
        return any(isinstance(column, FEATURES) for column in self._columns.values())

    @property
    def rows_per_person(self) -> Optional[int]:
        """What `Person` says about it, or None."""
        column = self._columns.get(self.person or "")
        return column.rows if isinstance(column, Person) else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return (dict(self._columns) == dict(other._columns) and self._others == other._others
                and self._missing_values == other._missing_values and self._width == other._width)

    def __hash__(self) -> int:
        return hash((frozenset(self._columns.items()), self._others, self._missing_values,
                     self._width))

    def __reduce__(self) -> Tuple[Any, ...]:
        return _rebuild, (dict(self._columns), self._others, self._missing_values, self._width)

    def __repr__(self) -> str:
        plain = {name for name in self._columns if name.isidentifier() and name.isascii()
                 and not keyword.iskeyword(name) and name not in ("self", "others")}
        odd = {name: column for name, column in self._columns.items() if name not in plain}
        parts = [repr(odd) if odd else ""]
        parts += [f"{name}={self._columns[name]!r}" for name in self._columns if name in plain]
        parts.append("" if self._others is None else f"others={self._others!r}")
        if self._missing_values:
            parts.append(f"missing_values={list(self._missing_values)!r}")
        if self._width is not None:
            parts.append(f"width={self._width}")
        return "Schema" + arguments(*parts)

    def json_text(self) -> str:
        """The schema file: what ``sotto train --schema`` reads.

        Returns
        -------
        str
            JSON, one line for each column. `Person` writes no number of rows:
            the file has no place for it.

        Raises
        ------
        UsageError
            A category still has ``...`` in place of its levels.

        Examples
        --------
        >>> print(Schema(age=Number(0, 120)).json_text(), end="")
        {
          "sotto_schema": 1,
          "columns": {
            "age": {"type": "number", "bounds": [0, 120]}
          }
        }
        """
        lines: List[str] = [f'  "sotto_schema": {_VERSION}']
        if self._missing_values:
            lines.append('  "missing_values": ' + json_line(list(self._missing_values)))
        if self._width is not None:
            lines.append(f'  "width": {self._width}')
        if self._others is not None:
            lines.append('  "default": ' + json_line(self._others._json()))
        columns = []
        for name, column in self._columns.items():
            try:
                columns.append(f"    {json_line(name)}: {json_line(column._json())}")
            except ValueError as error:
                raise UsageError(f"column {quoted(name)}: {error}") from None
        lines.append('  "columns": {' + ("\n" + ",\n".join(columns) + "\n  }" if columns else "}"))
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @classmethod
    def from_json(cls, text: Union[str, bytes]) -> Schema:
        """The schema that a text in JSON declares; see docs/schema.md.

        Parameters
        ----------
        text : str or bytes
            As `json_text` and ``sotto schema`` write it.

        Returns
        -------
        Schema

        Raises
        ------
        UsageError
            It is no such text. A key that is not understood is refused: a
            mistyped bound must not become no bound.

        Examples
        --------
        >>> Schema.from_json('{"sotto_schema": 1, "columns": {"y": {"type": "target"}}}')
        Schema(y=Target())
        """
        root = parse_json(text, "a schema")
        if type(root.get("sotto_schema")) is not int or root["sotto_schema"] != _VERSION:
            raise UsageError(f'expected "sotto_schema": {_VERSION}, the version read here')
        check_keys(root, _KEYS, "a schema")
        if type(root.get("columns")) is not dict:
            raise UsageError('expected "columns" to be an object with one entry for each column')
        columns = {name: _declared(name, of) for name, of in root["columns"].items()}
        others = _declared("default", root["default"]) if "default" in root else None
        return cls(columns, others=others,  # type: ignore[arg-type]
                   missing_values=_listed(root), width=root.get("width"))

    @classmethod
    def from_file(cls, path: Union[str, "os.PathLike[str]"]) -> Schema:
        """The schema in a file: see `from_json`.

        Parameters
        ----------
        path : str or path
            A file, as ``sotto schema`` writes it.

        Returns
        -------
        Schema
        """
        with open(path, "rb") as file:
            text = file.read()
        try:
            return cls.from_json(text)
        except UsageError as error:
            raise UsageError(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def template(cls, data: object, target: Optional[str] = None,
                 person: Optional[str] = None) -> Schema:
        """A schema to fill in, from names and types of columns alone.

        Parameters
        ----------
        data : table
            Of pandas, polars, pyarrow, DuckDB or NumPy. No value is looked
            at, and no list of categories that a type may have.
        target : str, optional
            The column to learn.
        person : str, optional
            The column that says whose row it is: ``Person()``.

        Returns
        -------
        Schema
            Numbers without bounds, ``Category(...)`` for text, whose levels
            are to be written down, and `Drop` for other types. Print it, and
            write your own.

        Examples
        --------
        >>> import numpy as np
        >>> Schema.template(np.zeros(3, dtype=[("age", float), ("sex", "U1"), ("y", bool)]),
        ...                 target="y")
        Schema(age=Number(), sex=Category(...), y=Target())
        """
        from ._schema_template import columns_of
        return cls(columns_of(data, target, person))


def _declared(name: str, of: object) -> Column:
    try:
        return column_from(of)
    except (ValueError, TypeError) as error:
        raise UsageError(f"column {quoted(name)}: {error}") from None


def _listed(root: Mapping[str, Any]) -> List[str]:
    words = root.get("missing_values", [])
    if type(words) is not list or any(type(word) is not str for word in words):
        raise UsageError('expected "missing_values" to be a list of different words')
    return words


def _rebuild(columns: Dict[str, Column], others: Union[Number, Drop, None],
             missing_values: Tuple[str, ...], width: Optional[int]) -> Schema:
    return Schema(columns, others=others, missing_values=missing_values, width=width)

"""A schema to fill in, from names and types of columns alone.

No value is looked at, and no list of categories: which levels there are is
data. (The types of some libraries have that list in them. A type is only
matched with the patterns below here, and never shown.)
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Tuple

from ._schema_text import check_text, quoted
from .errors import UsageError
from .schema_columns import Category, Column, Drop, Number, Person, Target

_BOOLEAN = re.compile(r"bool(ean)?(\[pyarrow\])?$|sparse\[bool", re.I)
_NUMBER = re.compile(
    r"(u?int\d*|float\d*|double|half_?float|halffloat|real|u?(big|small|tiny|huge)int|u?integer)"
    r"(\[pyarrow\])?$|sparse\[(u?int|float)", re.I)
_WORDS = re.compile(
    r"object|str|large_str|utf8|large_utf8|categor|enum|dictionary|varchar|[<>=|]?[US]\d", re.I)


def _column(kind: str) -> Column:
    if _BOOLEAN.match(kind):
        return Number(0, 1)
    if _NUMBER.match(kind):
        return Number()
    if _WORDS.match(kind):
        return Category(...)
    return Drop()


def _names_and_types(data: Any) -> Tuple[List[Any], List[Any]]:
    dtype: Any = getattr(data, "dtype", None)
    shape: Any = getattr(data, "shape", None)
    if hasattr(data, "columns") and hasattr(data, "dtypes"):  # pandas, polars, DuckDB
        return list(data.columns), list(data.dtypes)
    schema: Any = data if hasattr(data, "names") else getattr(data, "schema", None)
    if hasattr(schema, "names") and hasattr(schema, "types"):  # pyarrow
        return list(schema.names), list(schema.types)
    if getattr(dtype, "names", None):  # an array of records
        return list(dtype.names), [dtype[name] for name in dtype.names]
    if dtype is not None and shape is not None and len(shape) == 2:
        return list(range(shape[1])), [dtype] * shape[1]
    raise TypeError("expected a table with names and types of columns: pandas, polars, pyarrow, "
                    "DuckDB or a NumPy array")


def _by_name(names: List[Any]) -> List[str]:
    """Columns without names are called 1, 2, ... as those of a .npy file."""
    if all(isinstance(name, str) for name in names):
        return [check_text(str(name), "the name of a column") for name in names]
    if any(isinstance(name, str) for name in names):
        raise UsageError("expected every column to have a name that is a str, or none")
    return [str(place + 1) for place in range(len(names))]


def columns_of(data: object, target: Optional[str],
               person: Optional[str] = None) -> Dict[str, Column]:
    """The columns of a table, each as its type suggests."""
    if person is not None and person == target:
        raise UsageError(f"column {quoted(person)}: expected the target and the person to be "
                         "two columns")
    names, types = _names_and_types(data)
    out: Dict[str, Column] = {}
    for name, kind in zip(_by_name(names), types):
        if name in out:
            raise UsageError(f"column {quoted(name)}: there twice")
        out[name] = (Target() if name == target else Person() if name == person else
                     _column(str(kind)))
    if target is not None and target not in out:
        raise UsageError(f"there is no column {quoted(target)}, the target")
    if person is not None and person not in out:
        raise UsageError(f"there is no column {quoted(person)}, the person")
    return out

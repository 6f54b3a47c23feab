"""What the types of columns tell, before a record is looked at.

Types and names are public. So a mistake that they show is refused before a fit
is booked, and costs nothing.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._data import one_text
from .errors import DataError, UsageError

__all__ = ["check_features", "column_kinds", "fitting_labels", "kind_of", "near", "number_of"]

_NUMBER = re.compile(r"u?int(eger|8|16|32|64)?|float\d*|double|halffloat|half_float|bool(ean)?|"
                     r"real|u?(big|small|tiny)int")
_TEXT = ("str", "utf8", "large_str", "large_utf8", "varchar", "uuid", "json")
_CATEGORY = ("categor", "enum", "dictionary")


def kind_of(dtype: Any) -> str:
    """Of a column's type: number, text, category, object, or other.

    An object may be anything, and so may the levels of a category.
    """
    kind, name = getattr(dtype, "kind", None), str(dtype).lower()
    if isinstance(dtype, np.dtype) and kind == "O" or name == "object":
        return "object"
    if isinstance(kind, str) and kind in "biuf" or _NUMBER.fullmatch(name):
        return "number"
    if name.startswith(_CATEGORY):
        return "category"
    if isinstance(kind, str) and kind in "UST" or (
            name.startswith(_TEXT) and not name.startswith("struct")):
        return "text"
    return "other"


def column_kinds(X: Any, names: Sequence[str]) -> dict[str, str]:
    """The kinds of a frame's columns, and of an array of texts; none where it does not say them.
    An array of objects does not: it is read value by value."""
    if isinstance(X, np.ndarray):
        kind = kind_of(X.dtype)
        return {str(j + 1): kind for j in range(X.shape[1])} if kind == "text" else {}
    types = getattr(getattr(X, "schema", None), "types", None)  # pyarrow
    if not isinstance(types, list):
        types = getattr(X, "dtypes", None)
    if types is None or not hasattr(types, "__len__") or len(types) != len(names):
        return {}
    return {name: kind_of(each) for name, each in zip(names, list(types))}


def check_features(X: Any, names: Sequence[str], schema: Any, others: Sequence[str]) -> None:
    """Refuses columns of texts that nobody has declared as such."""
    declared = getattr(schema, "columns", {})
    for name, kind in column_kinds(X, names).items():
        column = declared.get(name, getattr(schema, "others", None))
        if name in others or (column is None and schema is not None):
            continue  # the library refuses what a schema does not have, by its name
        role = type(column).__name__
        wrong = (("text", "category", "object") if column is None else
                 ("text",) if role in ("Number", "Weight") else ())
        if kind in wrong:
            raise DataError(
                f'column "{name}": expected numbers, and its type is {_WORDS[kind]}; declare its '
                "levels in a schema, as Category([...]), or make numbers of it, or leave it out")


_WORDS = {"text": "text", "category": "a category", "object": "object"}


def near(name: str, names: Sequence[str]) -> str:
    """The name that was meant, perhaps; names are public."""
    by_case = {each.lower(): each for each in reversed(names)}
    found = difflib.get_close_matches(name.lower(), list(by_case), 1)
    return f'; did you mean "{by_case[found[0]]}"?' if found else ""


def number_of(label: str) -> float | int | None:
    """The number that a label is, as the library reads it; None: it is a text."""
    try:
        if "_" in label:
            return None
        value = float(label)
    except ValueError:
        return None
    return int(value) if value.is_integer() else value


def fitting_labels(labels: list[Any], kind: str) -> list[Any]:
    """The labels in the type that y has; refused where they cannot be in it."""
    if kind == "text" and not all(isinstance(each, (str, bytes)) for each in labels):
        raise UsageError('classes: y has texts; expected texts, as classes=["0", "1"]')
    if kind != "number":
        return labels
    found = [number_of(each) if isinstance(each, str) else each for each in labels]
    if any(each is None or isinstance(each, bytes) for each in found):
        raise UsageError("classes: y has numbers; expected numbers, as classes=[0, 1]")
    return found


def listed_labels(classes: Any) -> list[Any]:
    """The labels of classes=[...], each once."""
    listed = list(classes) if isinstance(classes, (list, tuple, np.ndarray)) else []
    labels = [each.item() if isinstance(each, np.generic) else each for each in listed]
    if len(labels) < 2 or any(each in labels[:i] for i, each in enumerate(labels)):
        raise UsageError("classes: expected two or more different labels, of two the "
                         "negative one first")
    return labels


def label_texts(labels: Sequence[Any]) -> list[str]:
    """The labels as the library writes them."""
    return [one_text(label, "classes").decode("utf-8", "surrogateescape") for label in labels]


def classes_option(labels: Sequence[Any]) -> str:
    """The labels as the library's option has them."""
    texts = label_texts(labels)
    if any("," in each for each in texts):
        raise UsageError("classes: a name with a comma in it goes into the schema")
    return ",".join(texts)


def check_same_classes(classes: Any, words: Sequence[str]) -> None:
    """Two declarations of the labels say the same, in the same order."""
    found = list(classes) if isinstance(classes, (list, tuple, np.ndarray)) else []
    if label_texts(found) != [*words]:
        raise UsageError("classes: the schema's Target declares classes, too; expected the same, "
                         "or one of the two")

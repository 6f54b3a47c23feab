"""One class for each type of column that a schema file has (docs/schema.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Union

from ._schema_text import (arguments, check_bounds, check_keys, check_words, finite, number_text,
                           optional_finite)
from .errors import UsageError
from .schema_words import Boolean, Date

__all__ = ["Number", "Category", "Date", "Boolean", "Target", "Weight", "Person", "Drop",
           "Column", "FEATURES"]


def _shown(low: Optional[float], high: Optional[float]) -> str:
    return "" if low is None or high is None else f"{number_text(low)}, {number_text(high)}"


def _bounds_json(low: Optional[float], high: Optional[float]) -> Dict[str, Any]:
    return {} if low is None else {"bounds": [low, high]}


@dataclass(frozen=True, repr=False)
class Number:
    """A column of numbers: one feature.

    Parameters
    ----------
    low, high : float, optional
        Bounds that are known without looking at the records. A value outside
        is clamped. Without bounds a private fit buys some, for a part of its
        budget.
    missing : float or "refuse", default "refuse"
        What a missing value becomes. "refuse": the row is a bad row. NaN and
        both infinities are missing values: they are not clamped.
    bought : bool, default False
        The bounds were estimated privately: only schemas of models have it.

    Examples
    --------
    >>> Number(0, 120, missing=40)
    Number(0, 120, missing=40)
    """

    low: Optional[float] = None
    high: Optional[float] = None
    missing: Union[float, str, None] = "refuse"
    bought: bool = False

    def __post_init__(self) -> None:
        check_bounds(self.low, self.high)
        object.__setattr__(self, "low", optional_finite(self.low))
        object.__setattr__(self, "high", optional_finite(self.high))
        if not isinstance(self.bought, bool) or (self.bought and self.low is None):
            raise UsageError("expected bought to be True only beside bounds")
        if self.missing is None or self.missing == "refuse":
            object.__setattr__(self, "missing", "refuse")
            return
        if isinstance(self.missing, bool) or not isinstance(self.missing, (int, float)):
            raise UsageError('expected missing to be "refuse" or a number')
        fill = finite(self.missing)
        if self.low is not None and self.high is not None and not self.low <= fill <= self.high:
            raise UsageError("expected missing to be within the bounds")
        object.__setattr__(self, "missing", fill)

    def __repr__(self) -> str:
        missing = self.missing
        return "Number" + arguments(
            _shown(self.low, self.high),
            f"missing={number_text(missing)}" if isinstance(missing, float) else "",
            "bought=True" if self.bought else "")

    def _json(self) -> Dict[str, Any]:
        out: Dict[str, Any] = {"type": "number", **_bounds_json(self.low, self.high)}
        if self.missing != "refuse":
            out["missing"] = self.missing
        if self.bought:
            out["bought"] = True
        return out


@dataclass(frozen=True, repr=False, init=False)
class Category:
    """A column of words: one 0/1 feature for each level.

    Parameters
    ----------
    levels : list of str or int, "private", or ``...``
        Every level, written down by somebody who did not look for them in the
        records: the set of levels that occur is data. An array or a Series is
        refused for that reason. "private": a fit finds them for a part of its
        budget, those that enough people have; all others are "other". ``...``
        is what `Schema.template` writes; it must be replaced before the schema
        is used.
    missing : str, default "refuse"
        What a missing value becomes: one of the levels, "none" (no level), or
        "refuse" (the row is a bad row).
    other : bool, default False
        Whether a word that is none of the levels becomes the level "other",
        which is then a feature of its own. Otherwise the row is a bad row.
        Of private levels it is always so.

    Examples
    --------
    >>> Category("private")
    Category('private')
    >>> Category(["f", "m"], missing="none")
    Category(['f', 'm'], missing='none')
    >>> Category(["surgery", "medicine"], other=True)
    Category(['surgery', 'medicine'], other=True)
    """

    levels: Optional[Tuple[str, ...]]
    missing: str
    other: bool
    private: bool

    def __init__(self, levels: object, missing: Optional[str] = "refuse", *,
                 other: bool = False) -> None:
        private = type(levels) is str and levels == "private"
        words: Optional[Tuple[str, ...]] = None
        if other is True and type(levels) in (list, tuple) and not levels:
            words = ()  # what a model has whose fit found none
        elif levels is not ... and not private:
            words = check_words(levels, "levels")
        missing = "refuse" if missing is None else missing
        if type(other) is not bool:
            raise UsageError("expected other to be True or False")
        other = other or private
        if other and words is not None and "other" in words:
            raise UsageError('expected no level called "other" beside other=True, which makes '
                             "one; take it from the levels, or rename it")
        all_levels = (*(words or ()), *(("other",) if other else ()))
        if type(missing) is not str or missing not in ("refuse", "none", *all_levels):
            raise UsageError('expected missing to be "refuse", "none" or one of the levels')
        if missing == "none" and "none" in all_levels:
            raise UsageError('missing="none" could mean no level or the level "none"; rename '
                             "the level")
        object.__setattr__(self, "levels", words)
        object.__setattr__(self, "missing", missing)
        object.__setattr__(self, "other", other)
        object.__setattr__(self, "private", private)

    def __repr__(self) -> str:
        return "Category" + arguments(
            repr("private") if self.private else
            "..." if self.levels is None else repr(list(self.levels)),
            "" if self.missing == "refuse" else f"missing={self.missing!r}",
            "other=True" if self.other and not self.private else "")

    def _json(self) -> Dict[str, Any]:
        if self.levels is None and not self.private:
            raise UsageError("expected its levels in place of '...': a list that was not "
                             "taken from the records, or 'private'")
        out: Dict[str, Any] = {"type": "category",
                               "levels": "private" if self.levels is None else list(self.levels)}
        if self.other and not self.private:
            out["other"] = True
        if self.missing != "refuse":
            out["missing"] = self.missing
        return out


@dataclass(frozen=True, repr=False, init=False)
class Target:
    """The column to learn: a number, perhaps with bounds, or one of some classes.

    Parameters
    ----------
    low, high : float, optional
        Bounds of a number. A value outside is clamped.
    classes : list of str or int, optional
        The classes, of two the negative one first. 0/1 need not be declared
        in a fit; -1/+1 do.

    Examples
    --------
    >>> Target(classes=["no", "yes"])
    Target(classes=['no', 'yes'])
    """

    low: Optional[float]
    high: Optional[float]
    classes: Optional[Tuple[str, ...]]

    def __init__(self, low: Optional[float] = None, high: Optional[float] = None, *,
                 classes: object = None) -> None:
        check_bounds(low, high)
        words = None if classes is None else check_words(classes, "classes")
        if words is not None and len(words) < 2:
            raise UsageError("expected classes to be two words or more, of two the negative "
                             "class first")
        if words is not None and low is not None:
            raise UsageError("expected bounds (a number) or classes, not both")
        object.__setattr__(self, "low", optional_finite(low))
        object.__setattr__(self, "high", optional_finite(high))
        object.__setattr__(self, "classes", words)

    def __repr__(self) -> str:
        return "Target" + arguments(
            _shown(self.low, self.high),
            "" if self.classes is None else f"classes={list(self.classes)!r}")

    def _json(self) -> Dict[str, Any]:
        classes = {} if self.classes is None else {"classes": list(self.classes)}
        return {"type": "target", **_bounds_json(self.low, self.high), **classes}


@dataclass(frozen=True, repr=False)
class Weight:
    """How much each row counts, clamped to bounds.

    Parameters
    ----------
    low, high : float
        Bounds, not negative.

    Examples
    --------
    >>> Weight(0, 10)
    Weight(0, 10)
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if self.low is None or self.high is None:
            raise UsageError("expected a weight to have bounds")
        check_bounds(self.low, self.high)
        if self.low < 0:
            raise UsageError("expected the bounds of a weight not to be negative")
        object.__setattr__(self, "low", finite(self.low))
        object.__setattr__(self, "high", finite(self.high))

    def __repr__(self) -> str:
        return "Weight" + arguments(_shown(self.low, self.high))

    def _json(self) -> Dict[str, Any]:
        return {"type": "weight", **_bounds_json(self.low, self.high)}


@dataclass(frozen=True, repr=False)
class Person:
    """Whose row it is: rows with the same text belong to one person.

    Parameters
    ----------
    rows : int, optional
        How many rows of each person are used and protected; further ones are
        left out. It is no part of a schema file: the program has
        ``--rows-per-person`` for it, whose default is 1.

    Examples
    --------
    >>> Person(rows=2)
    Person(rows=2)
    """

    rows: Optional[int] = None

    def __post_init__(self) -> None:
        if self.rows is not None and (type(self.rows) is not int or self.rows < 1):
            raise UsageError("expected rows to be a whole number from 1 on")

    def __repr__(self) -> str:
        return "Person" + arguments("" if self.rows is None else f"rows={self.rows}")

    def _json(self) -> Dict[str, Any]:
        return {"type": "unit"}


@dataclass(frozen=True)
class Drop:
    """A column that is left out.

    Examples
    --------
    >>> Drop()
    Drop()
    """

    def _json(self) -> Dict[str, Any]:
        return {"type": "drop"}


Column = Union[Number, Category, Date, Boolean, Target, Weight, Person, Drop]
COLUMNS = (Number, Category, Date, Boolean, Target, Weight, Person, Drop)
FEATURES = (Number, Category, Date, Boolean)  # those that become features


# ---- from JSON ----


def _bounds(of: Mapping[str, Any]) -> Tuple[Any, Any]:
    bounds = of.get("bounds")
    if bounds is None:
        return None, None
    if type(bounds) is not list or len(bounds) != 2 or None in bounds:
        raise UsageError("expected bounds to be [low, high] with low < high")
    return bounds[0], bounds[1]


def _words(of: Mapping[str, Any], key: str) -> Any:
    """A list of words: numbers are none in a file."""
    words = of.get(key)
    if words is not None and (type(words) is not list or any(type(w) is not str for w in words)):
        raise UsageError(f"expected {key} to be a list of different words")
    return words


def _number(of: Mapping[str, Any]) -> Number:
    if of.get("bought", True) is not True:
        raise UsageError("expected bought to be true, beside bounds")
    return Number(*_bounds(of), missing=of.get("missing"), bought="bought" in of)


def _category(of: Mapping[str, Any]) -> Category:
    if of.get("levels") is None:
        raise UsageError("expected a category to have levels, a list of different words, or "
                         '"private"')
    other, private = of.get("other"), of["levels"] == "private"
    if private and other is False:
        raise UsageError("expected no other: false beside private levels: what is not found "
                         "needs it")
    return Category("private" if private else _words(of, "levels"), missing=of.get("missing"),
                    other=False if other is None else other)


def _date(of: Mapping[str, Any]) -> Date:
    form, parts = of.get("format"), _words(of, "as")
    if not isinstance(form, (str, type(None))) or form == "":
        raise UsageError("expected format to be a text such as %d.%m.%Y")
    if parts == [] or len(set(parts or [])) < len(parts or []):
        raise UsageError('expected as to be a list of some of "days", "weekday" and "month"')
    return Date(*_bounds(of), format="%Y-%m-%d" if form is None else form, since=of.get("since"),
                as_=["days"] if parts is None else parts, missing=of.get("missing"))


def _boolean(of: Mapping[str, Any]) -> Boolean:
    return Boolean(_words(of, "true"), _words(of, "false"), missing=of.get("missing"))


_Maker = Callable[[Mapping[str, Any]], Column]
_TYPES: Dict[str, Tuple[_Maker, Tuple[str, ...]]] = {
    "number": (_number, ("bounds", "missing", "bought")),
    "category": (_category, ("levels", "other", "missing")),
    "date": (_date, ("format", "since", "bounds", "as", "missing")),
    "boolean": (_boolean, ("true", "false", "missing")),
    "target": (lambda of: Target(*_bounds(of), classes=_words(of, "classes")),
               ("bounds", "classes")),
    "weight": (lambda of: Weight(*_bounds(of)), ("bounds",)),
    "unit": (lambda of: Person(), ()),
    "drop": (lambda of: Drop(), ()),
}


def column_from(of: object) -> Column:
    """The column that an object of JSON declares."""
    if type(of) is not dict:
        raise UsageError('expected an object like {"type": ...}')
    kind = of.get("type")
    if type(kind) is not str or kind not in _TYPES:
        raise UsageError("expected type to be one of " + ", ".join(_TYPES))
    make, keys = _TYPES[kind]
    check_keys(of, ("type", *keys), "a column of type " + kind)
    return make(of)

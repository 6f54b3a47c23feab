"""Columns of texts that become numbers: dates, and booleans in words (docs/schema.md)."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple, Union

from ._schema_text import arguments, check_text, check_words
from .errors import UsageError

__all__ = ["Boolean", "Date"]

_ISO = "%Y-%m-%d"
_PARTS = ("days", "weekday", "month")
_TRUE = ("true", "True", "TRUE", "t", "T", "yes", "Yes", "YES", "y", "Y", "1")
_FALSE = ("false", "False", "FALSE", "f", "F", "no", "No", "NO", "n", "N", "0")

Day = Union[str, datetime.date]


def _day(day: object, what: str) -> str:
    """A day as ISO 8601 writes it."""
    if isinstance(day, datetime.date) and not isinstance(day, datetime.datetime):
        return day.isoformat()
    try:
        if type(day) is str and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", day):
            return datetime.date.fromisoformat(day).isoformat()
    except ValueError:
        pass
    raise UsageError(f'expected {what} to be a date, as "2024-02-29"')


def _format(text: object) -> str:
    """The fields of a format, as the library reads them."""
    text = check_text(text, "format")
    if not re.fullmatch("[ -~]*", text):
        raise UsageError("expected format to have printable characters of ASCII")
    fields = [field for field in re.findall("%(.?)", text) if field != "%"]
    if len(set(fields)) < len(fields) or set(fields) - set("YmdHMS"):
        raise UsageError("expected format to have each of %Y %m %d %H %M %S at most once, and %% "
                         "for a percent sign")
    if not set("Ymd") <= set(fields):
        raise UsageError("expected format to have %Y, %m and %d")
    if ("M" in fields) > ("H" in fields) or ("S" in fields) > ("M" in fields):
        raise UsageError("expected format to have %H before %M is used, and %M before %S")
    return text


@dataclass(frozen=True, repr=False, init=False)
class Date:
    """A column of dates: days as one feature, and weekday and month as levels.

    Parameters
    ----------
    first, last : str or datetime.date, optional
        Bounds that are known without looking at the records. A date outside is
        clamped. They are needed where `as_` has "days".
    format : str, default "%Y-%m-%d"
        How dates are written: %Y (four digits), %m, %d, %H, %M and %S (two
        digits each), %%, and characters that stand for themselves.
    since : str or datetime.date, optional
        The day that days are counted from; `first` by default.
    as_ : sequence of "days", "weekday" and "month", default ("days",)
        What a date becomes.
    missing : str or datetime.date, default "refuse"
        The day that a missing value becomes. "refuse": the row is a bad row.

    Examples
    --------
    >>> Date("2015-01-01", "2024-12-31", as_=["days", "month"])
    Date('2015-01-01', '2024-12-31', as_=['days', 'month'])
    >>> Date(as_=["weekday"], format="%d.%m.%Y")
    Date(format='%d.%m.%Y', as_=['weekday'])
    """

    first: Optional[str]
    last: Optional[str]
    format: str
    since: Optional[str]
    as_: Tuple[str, ...]
    missing: str

    def __init__(self, first: Optional[Day] = None, last: Optional[Day] = None, *,
                 format: str = _ISO, since: Optional[Day] = None, as_: object = ("days",),
                 missing: Optional[Day] = "refuse") -> None:
        parts = check_words(as_, "as_")
        if set(parts) - set(_PARTS):
            raise UsageError('expected as_ to be some of "days", "weekday" and "month"')
        bounds = self._bounds(first, last, since, "days" in parts)
        fill = "refuse" if missing is None or missing == "refuse" else _day(missing, "missing")
        if fill != "refuse" and bounds[0] is not None and not bounds[0] <= fill <= str(bounds[1]):
            raise UsageError("expected missing to be within the bounds")
        for name, value in zip(("first", "last", "since"), bounds):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "format", _format(format))
        object.__setattr__(self, "as_", tuple(part for part in _PARTS if part in parts))
        object.__setattr__(self, "missing", fill)

    @staticmethod
    def _bounds(first: object, last: object, since: object,
                counts: bool) -> Tuple[Optional[str], Optional[str], Optional[str]]:
        if not counts:
            if first is not None or last is not None or since is not None:
                raise UsageError('expected bounds and since only where as_ has "days"')
            return None, None, None
        if first is None or last is None:
            raise UsageError("expected the bounds of the dates, a first and a last day")
        low, high = _day(first, "the first bound"), _day(last, "the last bound")
        if not low < high:
            raise UsageError("expected bounds to be first < last")
        return low, high, low if since is None else _day(since, "since")

    def __repr__(self) -> str:
        return "Date" + arguments(
            "" if self.first is None else f"{self.first!r}, {self.last!r}",
            "" if self.format == _ISO else f"format={self.format!r}",
            "" if self.since == self.first else f"since={self.since!r}",
            "" if self.as_ == ("days",) else f"as_={list(self.as_)!r}",
            "" if self.missing == "refuse" else f"missing={self.missing!r}")

    def _json(self) -> Dict[str, Any]:
        out: Dict[str, Any] = {"type": "date", "format": self.format}
        if self.first is not None:
            out.update(since=self.since, bounds=[self.first, self.last])
        out["as"] = list(self.as_)
        if self.missing != "refuse":
            out["missing"] = self.missing
        return out


@dataclass(frozen=True, repr=False, init=False)
class Boolean:
    """A column of words that mean true or false: one feature, 1 or 0.

    Parameters
    ----------
    true, false : list of str or int, optional
        The words that mean each, both lists or neither. By default true, t,
        yes, y, 1 and false, f, no, n, 0, also with capitals.
    missing : bool or "refuse", default "refuse"
        What a missing value becomes. "refuse": the row is a bad row.

    Examples
    --------
    >>> Boolean(["ja"], ["nein"], missing=False)
    Boolean(['ja'], ['nein'], missing=False)
    >>> Boolean()
    Boolean()
    """

    true: Tuple[str, ...]
    false: Tuple[str, ...]
    missing: Union[bool, str]

    def __init__(self, true: object = None, false: object = None, *,
                 missing: Union[bool, str, None] = "refuse") -> None:
        if (true is None) != (false is None):
            raise UsageError("expected both of true and false, or neither")
        yes = _TRUE if true is None else check_words(true, "true")
        no = _FALSE if false is None else check_words(false, "false")
        if set(yes) & set(no):
            raise UsageError("expected true and false to be lists of different words")
        missing = "refuse" if missing is None else missing
        if missing != "refuse" and type(missing) is not bool:
            raise UsageError('expected missing to be "refuse", True or False')
        object.__setattr__(self, "true", yes)
        object.__setattr__(self, "false", no)
        object.__setattr__(self, "missing", missing)

    def __repr__(self) -> str:
        usual = (self.true, self.false) == (_TRUE, _FALSE)
        return "Boolean" + arguments(
            "" if usual else f"{list(self.true)!r}, {list(self.false)!r}",
            "" if self.missing == "refuse" else f"missing={self.missing!r}")

    def _json(self) -> Dict[str, Any]:
        out: Dict[str, Any] = {"type": "boolean", "true": list(self.true),
                               "false": list(self.false)}
        if self.missing != "refuse":
            out["missing"] = self.missing
        return out

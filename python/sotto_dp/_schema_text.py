"""Checks that the parts of a schema share. Each refusal is one line."""

from __future__ import annotations

import json
import math
import sys
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from .errors import UsageError

_WRITTEN = (list, tuple, range)


def quoted(name: object) -> str:
    """A name in a message: in quotes, on one line."""
    return json.dumps(name, ensure_ascii=False) if isinstance(name, str) else repr(name)


def arguments(*parts: str) -> str:
    """Those arguments of a call that there are, in parentheses."""
    return "(" + ", ".join(part for part in parts if part) + ")"


def check_text(text: object, what: str) -> str:
    """Refuses what cannot be a text of JSON and of the C library."""
    if type(text) is not str:
        raise TypeError(f"expected {what} to be a str")
    if not text or "\0" in text:
        raise UsageError(f"expected {what} not to be empty, and without the character 0")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"expected {what} to be text that UTF-8 can have") from None
    return text


def check_words(words: object, what: str) -> Tuple[str, ...]:
    """Different words that somebody has written down.

    An array, a Series or an Index has been computed, most likely from the
    records; numbers in a list are the text that the C library makes of them.
    """
    if isinstance(words, (str, bytes, set, frozenset, dict)):
        raise TypeError(f'expected {what} as a list, as ["a", "b"]')
    if type(words) not in _WRITTEN:
        raise TypeError(f"expected {what} as a list that is written down: what was computed "
                        "from the records is data")
    assert isinstance(words, _WRITTEN)
    out: List[str] = []
    for word in words:
        if type(word) is bool:
            raise TypeError(f"expected {what} to be a list of str or int; False and True are read "
                            "as 0 and 1")
        if type(word) not in (str, int):
            raise TypeError(f"expected {what} to be a list of str or int")
        out.append(check_text(str(word), what))
    if not out or len(set(out)) < len(out):
        raise UsageError(f"expected {what} to be a list of different words")
    return tuple(out)


def check_bounds(low: object, high: object) -> None:
    """Both or none, finite, the lower first."""
    if low is None and high is None:
        return
    for x in (low, high):
        if isinstance(x, bool) or not isinstance(x, (int, float)):
            raise UsageError("expected bounds to be two numbers, low and high")
    a, b = finite(low), finite(high)
    if not a < b or not sys.float_info.min <= b / 2 - a / 2 < math.inf:
        raise UsageError("expected bounds to be low < high")


def finite(x: Any) -> float:
    """The number as a double; refuses what has no finite one."""
    try:
        number = float(x)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UsageError("expected numbers to be finite")
    return number


def number_text(x: float) -> str:
    """The shortest text that reads back as the same bits: 0, not 0.0."""
    negative_zero = x == 0 and math.copysign(1, x) < 0
    return repr(x) if negative_zero or not x.is_integer() or abs(x) >= 2**53 else str(int(x))


def json_line(value: object) -> str:
    """JSON on one line, with numbers as `number_text` has them."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json_line(k)}: {json_line(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(json_line(v) for v in value) + "]"
    if isinstance(value, float):
        return number_text(value)
    return json.dumps(value, ensure_ascii=False)


def _once(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        raise UsageError("a key is there twice")
    return out


def _no_constant(word: str) -> Any:
    raise UsageError("NaN and infinities are no JSON")


def parse_json(text: Union[str, bytes], what: str) -> Dict[str, Any]:
    """An object of JSON, read strictly.

    No message quotes the text: it may be a file of records, given by mistake.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        root = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise UsageError(f"line {error.lineno}, column {error.colno}: expected {what} in "
                         f"JSON: {error.msg}") from None
    except UnicodeDecodeError:
        raise UsageError(f"expected {what} in JSON, in UTF-8") from None
    except RecursionError:
        raise UsageError(f"expected {what} in JSON, not so deep") from None
    except ValueError as error:
        raise UsageError(f"expected {what} in JSON: {error}") from None
    if not isinstance(root, dict):
        raise UsageError(f"expected {what} in JSON, an object")
    return root


def check_keys(of: Mapping[str, Any], keys: Iterable[str], what: str) -> None:
    """A key that is not understood is refused."""
    known = tuple(keys)
    for key in of:
        if key not in known:
            raise UsageError(f"{what} has no {quoted(key)}; expected some of {', '.join(known)}")


def missing_words(words: object) -> Tuple[str, ...]:
    """As `check_words`, but there may be none."""
    if words is None or (type(words) in _WRITTEN and not len(words)):  # type: ignore[arg-type]
        return ()
    return check_words(words, "missing_values")


def optional_finite(x: Optional[float]) -> Optional[float]:
    """A bound as a double, or None."""
    return None if x is None else finite(x)

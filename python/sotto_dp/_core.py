"""Thin calls of the C library: a status becomes an exception.

Handles free themselves. cffi lets other Python threads run during a call. The
library has no state of its own, and neither has this module but for the table
of callbacks that are running.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ._native import ffi, lib
from .errors import BudgetError, DataError, PrivacyError, SottoError, UsageError

__all__ = ["Options", "call", "ffi", "lib", "take_text", "text"]

_ERRORS: dict[int, type[SottoError]] = {
    2: UsageError, 3: DataError, 4: BudgetError, 5: PrivacyError}

INTERRUPTED = 130

# How booking_remind of fit/booking.c ends a line.
_BOOKED = ("; the run is booked and stays charged ('sotto doctor' reads a file without "
           "charge)")

_OPTION = re.compile(r"--([a-z][a-z0-9-]*)(?: ([A-Z][A-Z,]*)\b)?")


# What the library says of files and of its own options, as it is said of records in memory.
_WORDS = (
    ("'sotto doctor' reads a file", "check_records reads them"),
    ("expected a value, found none;", "expected a value, found none (NaN and infinity are none);"),
    ('declare it, --drop it, or give the schema a "default"',
     "declare it (Drop() leaves it out), or give the schema others="),
    ("leave it out with --drop", "leave it out of X"),
    ("expected the same --unit-column, --rows-per-person and --adjacency as it was made with",
     "expected the same unit=, rows= and adjacency= as it was made with"),
    ("or --schema FILE", "or schema=Schema(...)"),
    ("the first in the file", "the first in X"),
    ("in the file that the model was learned from", "in the fit"),
    ("a file that 'sotto train' has written", "a file of save() or of the program"),
    ("one that 'sotto train' has written", "a file of save() or of the program"),
)

_NO_COLUMN = re.compile(r'the table: there is no column ("(?:[^"])*") \(([^()]*)\); expected one '
                        r'of the names of the columns')
_WHOSE = {
    "the schema": "which the schema declares", "the model needs it": "which the model needs",
    "--unit-column": "by which the ledger tells people apart; or give person=, or a Person in "
                     "the schema"}


def _no_column(found: re.Match[str]) -> str:
    """That a column is not there, and who asked for it."""
    return f"X has no column {found[1]}, {_WHOSE.get(found[2], 'for ' + found[2])}"


class Stopped(Exception):
    """A callback said stop (never leaves the package)."""


def encode(value: str) -> bytes:
    """A text for C, which ends at the first zero."""
    data = value.encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise UsageError("a text with a zero byte in it is no name")
    return data


def text(pointer: Any) -> str | None:
    """A borrowed text of C; NULL is None."""
    if pointer == ffi.NULL:
        return None
    data: bytes = ffi.string(pointer)
    return data.decode("utf-8", "surrogateescape")


def number_text(number: Any) -> str:
    """The text of a sotto_number, which lives no longer than the argument does."""
    return text(number.text) or ""


def _parameter(option: re.Match[str]) -> str:
    """An option of the program in a message, as the parameter that it is here."""
    name, value = option[1].replace("-", "_"), option[2]
    if name == "no_intercept":
        return "fit_intercept=False"
    return name if value is None else f"{name}={value}"


def _in_python(words: str) -> str:
    """A line of the library, with the names that things have here."""
    for there, here in _WORDS:
        words = words.replace(there, here)
    return _OPTION.sub(_parameter, _NO_COLUMN.sub(_no_column, words))


USEFUL = 0.05  # below it 10,000 rows have a strength near 100, where `plan` warns


def _left(said: str) -> float:
    """The epsilon that a refusal says is left."""
    found = re.search(r"left for a run of Gaussian answers: epsilon ([0-9.e+-]+)", said)
    return float(found[1]) if found else math.inf


def _raise(status: int, error: Any) -> None:
    said = text(error.message) or "sotto failed without a reason"
    message = _in_python(said)
    if status == INTERRUPTED:
        raise Stopped(message)
    if status == BudgetError.status and "left for a run" in message:
        message += "; nothing was charged; epsilon=dataset.left() fits " + (
            "(a run is booked a little above its epsilon)" if _left(said) >= USEFUL else
            "still, but so small an epsilon is of use with very many rows alone")
    raised = _ERRORS.get(status, SottoError)(message)
    raised.booked = said.endswith(_BOOKED)
    raise raised


def call(function: Any, *arguments: Any) -> None:
    """Calls a function whose last argument is a sotto_error."""
    error = ffi.new("sotto_error *")
    status = int(function(*arguments, error))
    if status != lib.SOTTO_OK:
        _raise(status, error)


def take_text(function: Any, *arguments: Any) -> str:
    """Calls a function that hands out a text through its first argument."""
    out = ffi.new("char **")
    call(function, out, *arguments)
    try:
        return text(out[0]) or ""
    finally:
        lib.sotto_text_free(out[0])


def handle(free: Any, kind: str, function: Any, *arguments: Any) -> Any:
    """Calls a function that makes an object; it is freed when it is forgotten."""
    out = ffi.new(kind + " **")
    call(function, out, *arguments)
    return ffi.gc(out[0], free)


def remarks(function: Any, *arguments: Any) -> Iterator[str]:
    """The remarks that a function hands out by their number."""
    remark = ffi.new("sotto_error *")
    i = 0
    while function(*arguments, i, remark):
        yield _in_python(text(remark.message) or "")
        i += 1


def table_remarks(table: Any) -> Iterator[str]:
    """The remarks about a table: for the operator, not for release."""
    i = 0
    while (words := text(lib.sotto_table_warning(table, i))) is not None:
        yield _in_python(words)
        i += 1


# ---- options ----


@dataclass(frozen=True)
class Option:
    """A row of the library's one table of options."""

    name: str
    kind: int
    group: int
    verbs: tuple[str, ...]
    choices: tuple[str, ...]
    help: str


def options() -> Iterator[Option]:
    """Every option that there is."""
    i = 0
    while (row := lib.sotto_option_at(i)) != ffi.NULL:
        yield Option(text(row.name) or "", int(row.kind), int(row.group),
                     tuple((text(row.verbs) or "").split()),
                     tuple(filter(None, (text(row.choices) or "").split("|"))),
                     text(row.help) or "")
        i += 1


def as_text(value: object) -> str:
    """A value as the command line would have it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, (tuple, list)):
        return ",".join(as_text(part) for part in value)
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return as_text(value.item())
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return "inf" if value == float("inf") else repr(value)
    raise UsageError(f"expected a number or a text, found {type(value).__name__}")


class Options:
    """A set of values, each checked by the library as it is set."""

    def __init__(self) -> None:
        self.pointer = handle(lib.sotto_options_free, "sotto_options", lib.sotto_options_new)

    def set(self, name: str, value: object) -> None:
        """Sets an option from its text, as the command line does."""
        call(lib.sotto_options_set, self.pointer, encode(name), encode(as_text(value)))

    def content(self, name: str, value: str) -> None:
        """Sets an option that names a file to what such a file would say."""
        call(lib.sotto_options_set_content, self.pointer, encode(name), encode(value))

    def get(self, name: str) -> str | None:
        """The text of a value; None: it is not set and has no default."""
        return text(lib.sotto_options_get(self.pointer, encode(name)))


# ---- calls that C makes into Python ----

_lock = threading.Lock()
_running: dict[int, _Callback] = {}
_next = 0


class _Callback:
    """A Python function that C may call: what it raises comes out of the call.

    In a thread that runs Python's signal handlers, they run when C calls: so
    an interruption by Ctrl-C ends up here, and stops the fit.
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.raised: BaseException | None = None

    def __enter__(self) -> Any:
        global _next
        with _lock:
            _next += 1
            self.key = _next
            _running[self.key] = self
        return ffi.cast("void *", self.key)

    def __exit__(self, *_: object) -> None:
        with _lock:
            del _running[self.key]


def _keep(kind: Any, value: Any, trace: Any) -> int:
    """What a callback raised, kept for whoever made the call."""
    frame = trace.tb_frame if trace else None
    key = frame.f_locals.get("context") if frame else None
    callback = _running.get(int(ffi.cast("uintptr_t", key))) if key is not None else None
    if callback is not None and callback.raised is None:
        callback.raised = value if isinstance(value, BaseException) else kind(value)
    return 1


def _dispatch(context: Any, what: Any) -> int:
    callback = _running[int(ffi.cast("uintptr_t", context))]
    return 1 if callback.function(what) else 0


for _name in ("progress", "dataset", "entry"):
    ffi.def_extern(name="sotto_dp_" + _name, error=1, onerror=_keep)(_dispatch)


def with_callback(function: Callable[[Any], Any], run: Callable[[Any], None]) -> None:
    """Runs something that calls back with a context; what was raised is raised."""
    callback = _Callback(function)
    try:
        with callback as context:
            run(context)
    except Stopped:
        if callback.raised is None:
            raise
    if callback.raised is not None:
        raise callback.raised


def after_fork() -> None:
    """A lock that another thread held while this process forked stays held."""
    global _lock
    _lock = threading.Lock()

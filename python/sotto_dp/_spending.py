"""What this process has spent without a ledger, as if on one data set.

It is a reminder, not a budget: another process does not know of it. Fits are
added up by the accountant, as lists of events, where they promise the same:
the same adjacency, unit and rows of a person; there is no one number for
promises that differ. A fit that was interrupted before it had a statement
counts with all that it was given.
"""

from __future__ import annotations

import json
import math
import threading
from dataclasses import dataclass
from typing import Any

from ._core import call, encode, ffi, handle, lib, number_text
from .errors import UsageError

__all__ = ["events_of", "price_up", "untracked"]


def events_of(statement: dict[str, Any]) -> Any:
    """The events that a statement of privacy lists."""
    return handle(lib.sotto_events_free, "sotto_events", lib.sotto_events_stated,
                  encode(json.dumps(statement)))


def price_up(value: float, digits: int = 3) -> str:
    """A price for people to read: never below what it is."""
    return number_text(lib.sotto_number_print_up(value, digits))


@dataclass
class _Sum:
    """Fits that promise the same: to whom, and about which tables."""

    to: str
    fits: int = 0
    events: Any = None  # None: all of them were interrupted
    delta: float = 0.0  # of the last one
    lost_epsilon: float = 0.0
    lost_delta: float = 0.0

    def price(self) -> str:
        """What they amount to, in words; never less than it is."""
        delta = _up(self.delta, self.lost_delta)
        at = f" at delta {price_up(delta)}"
        epsilon = 0.0
        if self.events is not None:
            price = ffi.new("sotto_price *")
            try:
                call(lib.sotto_events_epsilon, self.events, self.delta, price)
            except UsageError:  # the fit is done: that nothing is promised is a remark
                return "no epsilon is proven for all of them" + at
            epsilon = float(price.epsilon)
        return f"epsilon {price_up(_up(epsilon, self.lost_epsilon))}" + at


def _up(a: float, b: float) -> float:
    """A sum that is not below the true one."""
    return math.nextafter(a + b, math.inf) if b > 0 else a


def _to(promise: dict[str, Any]) -> str:
    """To whom a fit promises something, and about which tables."""
    column, rows = promise.get("unit_column"), int(promise.get("rows_per_person") or 1)
    who = "a row" if column is None and rows == 1 else f"a person of at most {rows} row(s)"
    return who + ("" if column is None else f' by "{column}"') + f" ({promise['adjacency']})"


class _Untracked:
    """The fits of one process that no ledger knows of."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Starts anew; for tests."""
        self._sums: dict[str, _Sum] = {}

    def _sum(self, promise: dict[str, Any]) -> _Sum:
        to = _to(promise)
        found = self._sums.setdefault(to, _Sum(to))
        found.fits += 1
        return found

    def add(self, statement: dict[str, Any]) -> str:
        """Adds a fit; what all have spent, in words."""
        events = events_of(statement)
        with self.lock:
            one = self._sum(statement)
            if one.events is None:
                one.events = events
            else:
                call(lib.sotto_events_append, one.events, events, 0)
            one.delta = float(statement["delta"])
            return self._words()

    def lose(self, promise: dict[str, Any]) -> None:
        """Adds a fit that ended without a statement, with all that it was given."""
        with self.lock:
            one = self._sum(promise)
            one.lost_epsilon = _up(one.lost_epsilon, float(promise["epsilon"]))
            one.lost_delta = _up(one.lost_delta, float(promise["delta"]))

    def _words(self) -> str:
        fits = sum(each.fits for each in self._sums.values())
        start = (f"{fits} untracked fit{'s' if fits > 1 else ''} in this process, as if on one "
                 "data set: ")
        if len(self._sums) == 1:
            return start + next(iter(self._sums.values())).price()
        return start + "they promise different things, whose sum is larger than each: " + "; ".join(
            f"{each.fits} to {each.to}: {each.price()}" for each in self._sums.values())


untracked = _Untracked()


def after_fork() -> None:
    """A lock that another thread held while this process forked stays held."""
    untracked.lock = threading.Lock()

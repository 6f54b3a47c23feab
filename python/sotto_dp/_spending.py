"""What this process has spent without a ledger, as if on one data set.

It is a reminder, not a budget: another process does not know of it. Fits are
added up by the accountant, as lists of events, for each adjacency. A fit that
was interrupted before it had a statement counts with all that it was given.
"""

from __future__ import annotations

import json
import math
import threading
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


class _Untracked:
    """The fits of one process that no ledger knows of."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Starts anew; for tests."""
        self._events: dict[str, Any] = {}
        self._fits: dict[str, int] = {}
        self._lost: dict[str, float] = {}

    def add(self, statement: dict[str, Any]) -> str:
        """Adds a fit; what all have spent, in words."""
        adjacency = str(statement["adjacency"])
        events = events_of(statement)
        with self.lock:
            if adjacency in self._events:
                call(lib.sotto_events_append, self._events[adjacency], events, 0)
            else:
                self._events[adjacency] = events
            self._fits[adjacency] = self._fits.get(adjacency, 0) + 1
            return self._words(adjacency, float(statement["delta"]))

    def lose(self, adjacency: str, epsilon: float) -> None:
        """Adds a fit that ended without a statement."""
        with self.lock:
            self._fits[adjacency] = self._fits.get(adjacency, 0) + 1
            self._lost[adjacency] = self._lost.get(adjacency, 0.0) + epsilon

    def _words(self, adjacency: str, delta: float) -> str:
        price = ffi.new("sotto_price *")
        fits = self._fits[adjacency]
        start = (f"{fits} untracked fit{'s' if fits > 1 else ''} in this process, as if on one "
                 "data set: ")
        try:
            call(lib.sotto_events_epsilon, self._events[adjacency], delta, price)
        except UsageError:  # the fit is done: that nothing is promised any more is a remark
            return start + f"no epsilon is proven for all of them at delta {price_up(delta)}"
        total = math.nextafter(float(price.epsilon) + self._lost.get(adjacency, 0.0), math.inf)
        return start + f"epsilon {price_up(total)} at delta {price_up(delta)}"


untracked = _Untracked()


def after_fork() -> None:
    """A lock that another thread held while this process forked stays held."""
    untracked.lock = threading.Lock()

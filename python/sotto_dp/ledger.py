"""Budgets of data sets, kept over all runs, processes and people.

A `Dataset` is a path and a name: it holds no file open, so that it may be
pickled, and used after a fork or from several threads. What was booked stays
booked.
"""

from __future__ import annotations

import datetime
import math
import os
import pwd
import tempfile
from dataclasses import dataclass, field, fields
from typing import Any

from ._core import Options, call, encode, ffi, handle, lib, take_text, text, with_callback
from ._spending import events_of
from .errors import PrivacyError, UsageError

__all__ = ["Dataset", "Entry", "Ledger", "Quote"]


def who() -> str | None:
    """Whoever runs this, for the ledger, as the program has it."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name or None
    except KeyError:
        return None


def _number(value: float) -> float | None:
    """A number that C may have not; NaN is None."""
    return None if math.isnan(value) else float(value)


@dataclass(frozen=True)
class Entry:
    """An entry in the chain of a data set."""

    position: int
    kind: str
    time: datetime.datetime
    who: str | None
    purpose: str | None
    run: str | None
    plan: str | None
    finished: bool
    head: str


@dataclass(frozen=True)
class Quote:
    """What runs would be booked as, and whether they fit. Nothing is booked."""

    fits: bool
    how_many: int | None
    spent_before: float
    spent_after: float
    delta: float
    cap_epsilon: float | None
    left: float | None


@dataclass(frozen=True, repr=False)
class Dataset:
    """A data set of a ledger: what `Ledger.dataset` gives.

    Attributes
    ----------
    path : str
        The ledger's file.
    name : str
        The name of the data set in it.
    unit : str or None
        The column that tells people apart; None: the unit is a row.
    rows : int
        Rows of a person that a fit uses.
    """

    path: str
    name: str
    unit: str | None = None
    rows: int = 1
    adjacency: str = "add-remove"

    def __repr__(self) -> str:
        more = "".join(f", {each.name}={getattr(self, each.name)!r}" for each in fields(self)[2:]
                       if getattr(self, each.name) != each.default)
        return f"Dataset({os.path.basename(self.path)!r}, {self.name!r}{more})"

    def _open(self) -> Any:
        return handle(lib.sotto_ledger_close, "sotto_ledger", lib.sotto_ledger_open,
                      encode(self.path))

    def _state(self) -> dict[str, Any]:
        """The data set as the ledger has it now; of parts, the first."""
        found: list[dict[str, Any]] = []

        def take(row: Any) -> int:
            found.append({
                "unit": text(row.unit), "part": text(row.part), "adjacency": text(row.adjacency),
                "owner": text(row.owner), "delta": float(row.delta),
                "cap_epsilon": float(row.cap_epsilon) if row.has_cap else None,
                "spent_epsilon": float(row.spent_epsilon),
                "left_epsilon": _number(row.left_epsilon),
                "charges": int(row.charges), "unfinished": int(row.unfinished)})
            return 1

        ledger = self._open()
        with_callback(take, lambda context: call(
            lib.sotto_ledger_datasets, ledger, encode(self.name),
            lib.sotto_dp_dataset, context))
        return found[0]

    def _in_parts(self) -> bool:
        """Whether it has parts; only the library knows the column of the parts."""
        return self._state()["part"] is not None

    def left(self) -> float | None:
        """What one more fit may cost, in epsilon; rounded down. None: no cap."""
        value: float | None = self._state()["left_epsilon"]
        return value

    def spent(self) -> float:
        """What all runs so far amount to, in epsilon; rounded up."""
        return float(self._state()["spent_epsilon"])

    def history(self, most: int = 100) -> list[Entry]:
        """The latest entries of the chain, latest first."""
        found: list[Entry] = []

        def take(row: Any) -> int:
            time = datetime.datetime.strptime(text(row.time) or "", "%Y-%m-%d %H:%M:%S")
            found.append(Entry(
                int(row.position), text(row.kind) or "",
                time.replace(tzinfo=datetime.timezone.utc), text(row.who), text(row.purpose),
                text(row.run), text(row.plan), bool(row.finished), text(row.head) or ""))
            return 0

        ledger = self._open()
        with_callback(take, lambda context: call(
            lib.sotto_ledger_entries, ledger, encode(self.name), 0, most,
            lib.sotto_dp_entry, context))
        return found

    def quote(self, what: Any, runs: int = 1) -> Quote:
        """What more such runs would cost: of a plan, or of a fitted model.

        Parameters
        ----------
        what : Plan or fitted estimator
            Whatever has a statement of privacy.
        runs : int, default 1
            How many such runs, one after the other.
        """
        statement = getattr(what, "statement_", None) or getattr(what, "statement", None)
        if not isinstance(statement, dict):
            raise PrivacyError("expected a plan, or a fitted private model: "
                               "without a statement of privacy there is no price")
        options = Options()
        options.set("dataset", self.name)
        options.set("runs", runs)
        out = ffi.new("sotto_quote *")
        call(lib.sotto_ledger_quote, out, self._open(), options.pointer, events_of(statement))
        many = int(out.how_many)
        return Quote(bool(out.fits), None if many == 2 ** 63 - 1 else many,
                     float(out.spent_before), float(out.spent_after), float(out.delta),
                     float(out.cap_epsilon) or None, _number(out.left_epsilon))

    def raise_cap(self, epsilon: float, delta: float | None = None) -> None:
        """Raises the cap; it then holds for all that was before, too. A data set that was made
        without a cap gets none: a cap is fixed before the first run."""
        options = Options()
        options.set("dataset", self.name)
        options.set("epsilon", epsilon)
        options.set("delta", self._state()["delta"] if delta is None else delta)
        name = who()
        if name:
            options.set("who", name)
        call(lib.sotto_ledger_raise, self._open(), options.pointer)

    def verify(self) -> int:
        """Checks every chain of the ledger; how many entries there are."""
        out = ffi.new("int64_t *")
        call(lib.sotto_ledger_verify, self._open(), out)
        return int(out[0])

    def page(self) -> str:
        """The data set as an HTML page, for people beside the data."""
        return take_text(lib.sotto_ledger_page, self._open(), encode(self.name))


@dataclass(frozen=True)
class Ledger:
    """A file with the budgets of data sets; the program's own format.

    Examples
    --------
    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger(os.path.join(folder.name, "patients.db"))
    >>> patients = ledger.dataset("patients", unit="patient", epsilon=3, delta=1e-6)
    >>> patients.spent()
    0.0
    >>> ledger.dataset("patients").unit
    'patient'
    """

    path: str = field()

    def __init__(self, path: str | os.PathLike[str]) -> None:
        object.__setattr__(self, "path", os.path.abspath(os.fspath(path)))

    def dataset(self, name: str, *, unit: str | None = None, rows: int | None = None,
                epsilon: float | None = None, delta: float | None = None,
                adjacency: str | None = None, owner: str | None = None) -> Dataset:
        """Opens a data set, or makes it.

        Parameters
        ----------
        name : str
            What its owner calls it.
        unit : str, optional
            The column that tells people apart; without it the unit is a row.
        rows : int, optional
            Rows of a person that a fit uses (default 1) where neither it nor
            its schema says. Each fit is charged for its own number.
        epsilon, delta : float, optional
            The cap of all runs together, for a data set that is made (delta
            alone: no cap). A cap is fixed before the first run; a data set
            that was made without one gets none later.
        adjacency : str, optional
            What neighbours differ in (default "add-remove").
        owner : str, optional
            Who answers for it, where it is made.

        Returns
        -------
        Dataset

        Raises
        ------
        UsageError
            Where it is there already and has been made with other values.
        """
        if not isinstance(name, str) or not name:
            raise UsageError("dataset: expected a name")
        wanted = {"unit-column": unit, "rows-per-person": rows, "epsilon": epsilon,
                  "delta": delta, "adjacency": adjacency, "owner": owner}
        there = self.names()
        if name not in there:
            if there and epsilon is None and delta is None:
                raise UsageError(f'there is no data set "{name}"; there are: {", ".join(there)} '
                                 "(epsilon= and delta= make one)")
            _create(self.path, name, wanted)
        made = Dataset(self.path, name, unit, rows or 1, adjacency or "add-remove")
        return _same(made, wanted)

    def names(self) -> list[str]:
        """The data sets that are there."""
        if not os.path.exists(self.path):
            return []
        found: list[str] = []

        def take(row: Any) -> int:
            found.append(text(row.name) or "")
            return 0

        ledger = handle(lib.sotto_ledger_close, "sotto_ledger", lib.sotto_ledger_open,
                        encode(self.path))
        with_callback(take, lambda context: call(
            lib.sotto_ledger_datasets, ledger, ffi.NULL, lib.sotto_dp_dataset, context))
        return list(dict.fromkeys(found))


def _create(path: str, name: str, wanted: dict[str, Any]) -> None:
    options = Options()
    options.set("dataset", name)
    for key, value in wanted.items():
        if value is not None:
            options.set(key, value)
    user = who()
    if user:
        options.set("who", user)
    call(lib.sotto_ledger_create, encode(path), options.pointer)


def _unit_column(words: str) -> str | None:
    """The column in the words of a unit; None: it is no person by a column."""
    start = 'a person: all rows with the same "'
    return words[len(start):-1] if words.startswith(start) else None


def _declared_rows(words: str) -> int:
    """The rows of a person that has no column, in the words of a unit."""
    start = "a person with at most "
    return int(words[len(start):].split()[0]) if words.startswith(start) else 1


def _is_unit(made: Dataset, words: str, rows: int | None) -> bool:
    """Whether these words are about the unit that was asked for."""
    if made.unit is not None:
        return made.unit == _unit_column(words) or _words_of(made) == words
    return rows is None or _unit_column(words) is not None or rows == _declared_rows(words)


def _words_of(made: Dataset) -> str:
    """The words that a ledger has for this unit: those of one made for it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ledger.db")
        _create(path, made.name, {"unit-column": made.unit, "rows-per-person": made.rows,
                                  "adjacency": made.adjacency, "delta": 1e-9})
        return str(Dataset(path, made.name)._state()["unit"])


def _same(made: Dataset, wanted: dict[str, Any]) -> Dataset:
    """Refuses values that differ from those the data set was made with."""
    state = made._state()
    column, rows = _unit_column(state["unit"]), wanted["rows-per-person"]
    if not _is_unit(made, state["unit"], rows):
        raise UsageError(f'data set "{made.name}": its unit is {state["unit"]}; '
                         "expected the same")
    for key, stored in (("adjacency", state["adjacency"]), ("owner", state["owner"])):
        if wanted[key] is not None and wanted[key] != stored:
            raise UsageError(f'data set "{made.name}": its {key} is {stored}; expected the same')
    for key, stored in (("epsilon", state["cap_epsilon"]), ("delta", state["delta"])):
        if wanted[key] is not None and float(wanted[key]) != stored:
            if stored is None:
                raise UsageError(f'data set "{made.name}" was made without a cap, and a cap is '
                                 "fixed before the first run; leave out epsilon=")
            if state["cap_epsilon"] is None:
                raise UsageError(f'data set "{made.name}" was made with {key}={stored!r}; '
                                 "expected the same, or none")
            raise UsageError(f'data set "{made.name}" has a cap of {key} {stored!r}: expected the '
                             "same (raise_cap raises it)")
    return Dataset(made.path, made.name, made.unit or column,
                   rows or _declared_rows(state["unit"]), state["adjacency"])

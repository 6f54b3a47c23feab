"""How a fit goes: first on a made-up row, for nothing; then on the records, and charged.

Before a record is touched, everything that names, types, shapes and parameters
can be refused for is refused, on a dry run: a row that stands in for the
records goes all the way to the library, which reads it without a ledger. From
the first look at a record on, every way out that is not a model is charged,
whatever was raised: that it was raised may be due to a record. Where the
records themselves cannot be booked any more, the stand-in is, at their price.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ._core import Options, call, ffi, lib
from ._data import is_frame, is_listed
from ._records import Records
from ._sparse import is_sparse
from ._stand_in import check_shapes, stand_in, stand_in_column
from .errors import BudgetError, DataError, RecordError, SottoError, UsageError

if TYPE_CHECKING:
    from .estimator import Estimator

__all__ = ["HAND_OVER", "Given", "booked", "dry_run", "handed_over", "quiet"]

class _Silence:
    """Warnings are not shown as long as a thread wants it so. Python's filters of warnings are
    those of the whole process: the first thread sets them, and the last one puts them back. None
    waits for another: a step may itself wait for a fit of another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._within: list[int] = []  # threads, as often as they are
        self._filters = warnings.catch_warnings()

    def begin(self) -> None:
        with self._lock:
            if not self._within:
                self._filters = warnings.catch_warnings()
                self._filters.__enter__()
                warnings.simplefilter("ignore")
            self._within.append(threading.get_ident())

    def end(self) -> None:
        with self._lock:
            self._within.remove(threading.get_ident())
            if not self._within:
                self._filters.__exit__(None, None, None)

    def after_fork(self) -> None:
        """A lock that another thread held stays held, and that thread ends nothing here."""
        self._lock = threading.Lock()
        others = [each for each in self._within if each != threading.get_ident()]
        if others and len(others) == len(self._within):
            self._filters.__exit__(None, None, None)
        self._within = [each for each in self._within if each not in others]


_silence = _Silence()


def after_fork() -> None:
    """For a child process, in which one thread goes on."""
    _silence.after_fork()


@contextmanager
def quiet() -> Iterator[None]:
    """What others say about records meanwhile is not shown."""
    _silence.begin()
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        _silence.end()


@dataclass
class Given:
    """What a fit was given. A pipeline says what its steps make of a made-up row, and of X."""

    X: Any
    y: Any = None
    weight: Any = None
    target: str | None = None
    person: Any = None
    row: Callable[[], Any] | None = None
    made: Callable[[], Any] | None = None

    def with_shapes(self, tracked: bool) -> Given:
        """The same, with arrays that say their shape without being read."""
        return replace(self, X=_shaped(self.X, tracked), y=_shaped(self.y, tracked),
                       weight=_shaped(self.weight, tracked), person=_shaped(self.person, tracked))

    def stand_in(self, width: int | None) -> Any:
        """What stands in for X. Its width, where it is a list of rows; None: as most of it is."""
        return stand_in(self.X, width=width) if self.row is None else self.row()

    def public_width(self, schema: Any) -> int:
        """How many columns a list of rows has, as far as it is public: a schema lists them."""
        listed = getattr(schema, "width", None)
        if listed is None and getattr(schema, "others", None) is None:
            listed = len(getattr(schema, "columns", ()))
        if not listed:
            raise UsageError("X: how many columns a list of rows has, its records say; expected an "
                             "array, as numpy.array(X), or a schema that lists all columns")
        beside = {"Target": True, "Weight": self.weight is not None,
                  "Person": self.person is not None}
        return int(listed) - sum(beside.get(type(column).__name__, False)
                                 for column in schema.columns.values())

    def records(self, owner: Estimator, options: Options) -> Records:
        """The records. They are touched."""
        X = self.X if self.made is None else self.made()
        records = Records.take(owner, X, self.y, self.weight, self.target, self.person)
        records.declare(options)
        records.check_types()
        return records


def _shaped(values: Any, tracked: bool) -> Any:
    """Whatever can only be asked for all of its values: it becomes an array without a ledger,
    and with one it is refused, since what a fit costs depends on its width."""
    if (isinstance(values, np.ndarray) or is_sparse(values) or is_frame(values) or
            is_listed(values) or not hasattr(values, "__array__") or
            hasattr(values, "shape") or hasattr(values, "type")):
        return values
    if tracked:
        raise UsageError("X, y: expected arrays that have a shape; numpy.asarray(X) makes one")
    try:
        with quiet():
            return np.asarray(values)
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
    raise DataError("X, y: expected arrays")


@dataclass
class DryRun:
    """A fit of the stand-in, up to its training."""

    owner: Estimator
    records: Records
    options: Options
    private: bool

    def book(self, charged: bool = False) -> bool:
        """Charges a fit of the stand-in, unless the records are charged; whether it did."""
        self.owner._lose(self.options, self.private)
        if self.owner.ledger is None or not self.private or charged:
            return False
        table = ffi.new("sotto_table **")
        try:
            with self.records.columns() as columns:
                call(lib.sotto_fit_from, table, columns.pointer, self.options.pointer)
        except SottoError as error:
            if not error.booked:
                raise  # a cap, or a plan: it would have been the same for the records
        else:
            lib.sotto_table_free(table[0])
        return True


def _read(owner: Estimator, records: Records) -> None:
    """Has the library read the stand-in, without a ledger. Its values may be dropped."""
    _, options = owner._begin(tracked=False)
    records.declare(options)
    options.set("bad-rows", "drop")
    table = ffi.new("sotto_table **")
    with records.columns() as columns:
        call(lib.sotto_table_from, table, columns.pointer, options.pointer)
    lib.sotto_table_free(table[0])


def _refuse_many_public(owner: Estimator, given: Given) -> None:
    """Of labels that are public: more than two have to be listed where a fit is booked, because
    the stand-in, which may be booked instead of the records, has two. Whatever else is wrong with
    them is found later, and charged."""
    classes = getattr(owner, "classes", None)
    if not isinstance(classes, str) or classes != "public" or owner.ledger is None:
        return
    target = given.target or getattr(owner.schema, "target", None)
    try:
        with quiet():
            values = np.unique(np.asarray(given.X[target] if given.y is None else given.y))
            labels = int(np.sum(values == values))  # a missing one is none
    except Exception:
        return
    if labels > 2:
        raise UsageError('classes: "public" takes two labels where a ledger is given; expected a '
                         'list of three and more, as classes=["a", "b", "c"]')


def dry_run(owner: Estimator, given: Given, covered: bool = False,
            tracked: bool = True) -> DryRun:
    """Every check that looks at no record."""
    private, options = owner._begin(covered, tracked)
    if tracked and private:
        _refuse_many_public(owner, given)
    width = None
    if tracked and owner.ledger is not None and given.row is None and \
            not is_frame(given.X) and is_listed(given.X):
        width = given.public_width(owner.schema)
    records = Records.take(owner, given.stand_in(width), stand_in_column(given.y),
                           stand_in_column(given.weight), given.target,
                           stand_in_column(given.person), stands_in=True)
    check_shapes(given.X, given.y, given.weight, given.person)
    records.declare(options)
    records.check_types()
    call(lib.sotto_fit_check, options.pointer)
    if owner.ledger is None or not owner.ledger._in_parts():  # it would need the ledger
        try:
            _read(owner, records)
        except DataError as error:
            raise records.explain(error) from None
    return DryRun(owner, records, options, private)


HAND_OVER = ("X: its own library could not hand over the records; convert its columns "
              "to numbers or texts first")


def booked(dry: DryRun, given: Given, covered: bool) -> tuple[Records, Options, Any]:
    """The records, their options and their table. With a ledger they are charged."""
    owner, table = dry.owner, ffi.new("sotto_table **")
    kind: type[SottoError]
    stop: KeyboardInterrupt | SystemExit | None = None
    failed, kind, records = HAND_OVER, DataError, dry.records
    reached = charged = refused = False
    try:
        with quiet():
            _, options = owner._begin(covered)
            records = given.records(owner, options)
            columns = records.columns()
        with columns:
            reached = True
            call(lib.sotto_fit_from, table, columns.pointer, options.pointer)
        return records, options, table
    except DataError as error:
        failed, charged = str(records.explain(error)), reached and error.booked
    except SottoError as error:  # of a cap: the stand-in would not be booked, either
        failed, kind, charged = str(error), type(error), reached and error.booked
        refused = reached and isinstance(error, BudgetError)
    except (KeyboardInterrupt, SystemExit) as error:
        stop = error
    except BaseException:  # a panic of a library in Rust is no Exception
        pass
    if stop is not None:  # anew, without what it was raised in
        dry.book()
        raise KeyboardInterrupt if isinstance(stop, KeyboardInterrupt) else SystemExit(stop.code)
    try:
        if not refused and dry.book(charged):
            failed += "; the run is booked and stays charged"
    except SottoError as error:
        failed, kind = str(error), type(error)
    raise kind(failed)  # one line for all, outside: where it was raised says nothing


def handed_over(owner: Estimator, given: Given, options: Options) -> tuple[Records, Any]:
    """The records and their columns, for whoever reads them without a charge. What another
    library says of a failure is not told: it may quote a record."""
    failed = HAND_OVER
    try:
        with quiet():
            records = given.records(owner, options)
            return records, records.columns()
    except RecordError as error:
        failed = str(error)
    except (SottoError, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException:  # a panic of a library in Rust is no Exception
        pass
    raise DataError(failed)

"""Private evaluation: how good a model is, as numbers that may be published."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ._columns import Columns
from ._core import Options, call, encode, ffi, handle, lib, take_text, text
from ._data import is_frame, is_text_like
from ._features import expect_width, for_model
from ._fitting import HAND_OVER, quiet
from ._model import Doubles, Model, keep_paid
from ._parameters import a_number
from .errors import (BudgetError, DataError, NoFileError, PrivacyError, SottoError,
                     UsageError)
from .ledger import Dataset, who

if TYPE_CHECKING:
    from .estimator import Estimator

__all__ = ["Asked", "Estimate", "Evaluation", "check_target", "check_width", "made"]

NAMES = ("rows", "accuracy", "auc", "log_loss", "mse", "mae", "r2")


@dataclass(frozen=True)
class Estimate:
    """A number with noise on it.

    Attributes
    ----------
    value : float
        The number itself.
    sd : float
        Its standard error: noise and the choice of the rows together.
    interval_90, interval_95 : tuple of float
        Cover what the number would be on all rows that there could be, with 90 and 95 %.
    """

    value: float
    sd: float
    interval_90: tuple[float, float]
    interval_95: tuple[float, float]


class Evaluation:
    """What `evaluate` gives: numbers, and the statement of what is promised about the rows.

    It may go where the model goes: nothing in it is exact.
    """

    def __init__(self, pointer: Any, model: Model) -> None:
        self._pointer = pointer
        self._model = model

    @property
    def statement(self) -> dict[str, Any] | None:
        """The statement of privacy; None: NOT PRIVATE."""
        words = text(lib.sotto_evaluation_statement(self._pointer))
        return None if words is None else dict(json.loads(words))

    def _number(self, name: str) -> Estimate | None:
        out = ffi.new("sotto_estimate *")
        if not lib.sotto_evaluation_number(self._pointer, encode(name), out):
            return None
        return Estimate(float(out.value), float(out.sd), (float(out.low_90), float(out.high_90)),
                        (float(out.low_95), float(out.high_95)))

    @property
    def numbers(self) -> dict[str, Estimate]:
        """Those that could be told, by name: rows, accuracy, auc, log_loss, mse, mae, r2."""
        found = ((name, self._number(name)) for name in NAMES)
        return {name: number for name, number in found if number is not None}

    def __getitem__(self, name: str) -> Estimate:
        if name not in NAMES:
            raise KeyError(f"{name}: expected one of {', '.join(NAMES)}")
        number = self._number(name)
        if number is None:
            raise KeyError(f"{name}: it does not belong to this model, or the noise is too large "
                           "to tell it")
        return number

    def __iter__(self) -> Iterator[str]:
        return iter(self.numbers)

    @property
    def classes(self) -> list[str]:
        """The names of the classes, of two the negative one first; empty for a number."""
        return list(self._told().get("classes") or ())

    @property
    def by_class(self) -> dict[str, dict[str, Estimate]]:
        """For each class its rows, recall and precision, those that could be told."""
        return {name: {key: Estimate(one["value"], one["sd"], tuple(one["interval_90"]),
                                     tuple(one["interval_95"]))
                       for key, one in each.items() if one["value"] is not None}
                for name, each in zip(self.classes, self._told().get("by_class") or ())}

    @property
    def confusion(self) -> Doubles | None:
        """How many rows of each class (lines) were predicted as each class (columns), with noise
        on them; None for a number."""
        told = self._told().get("confusion")
        return None if told is None else np.array(told["counts"], dtype=float)

    def _told(self) -> dict[str, Any]:
        return dict(json.loads(self.text()))

    @classmethod
    def load(cls, path: str | os.PathLike[str], model: Estimator) -> Evaluation:
        """Reads an evaluation of this model, as the program or `save` wrote it. What its statement
        claims is priced again."""
        name = os.fspath(path)
        if not os.path.isfile(name):
            raise NoFileError(f"{name}: there is no such file")
        with open(name, "rb") as file:
            found = _again(file.read().decode(errors="replace"), model._fitted())
        call(lib.sotto_evaluation_check, found._pointer)
        if found._told()["model"] != hashlib.sha256(found._model.text().encode()).hexdigest():
            raise UsageError(f"{name}: an evaluation of another model: expected the one that it "
                             "was made of")
        return found

    def text(self) -> str:
        """What its file has, byte for byte."""
        return take_text(lib.sotto_evaluation_text, self._pointer)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as a file of the program, whole or not at all.

        A file that is a private model or evaluation already is not replaced,
        but by the same one: its privacy is paid for.
        """
        keep_paid(os.fspath(path), self.text())
        call(lib.sotto_text_write, os.fsencode(path), self.text().encode())

    def report(self, path: str | os.PathLike[str] | None = None, name: str = "model") -> str:
        """The page of ``sotto report`` about the model with this evaluation, as HTML; perhaps
        written to a file."""
        names = [ffi.new("char[]", encode(each)) for each in (name, "evaluation")]
        page = take_text(lib.sotto_report_evaluated,
                         ffi.new("const sotto_model *[]", [self._model.pointer]),
                         ffi.new("const char *[]", names[:1]), 1,
                         ffi.new("const sotto_evaluation *[]", [self._pointer]),
                         ffi.new("const char *[]", names[1:]), 1)
        if path is not None:
            call(lib.sotto_text_write, os.fsencode(path), page.encode())
        return page

    def __repr__(self) -> str:
        return take_text(lib.sotto_evaluation_words, self._pointer).rstrip("\n")

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.text(), self._model)


def _again(words: str, model: Model) -> Evaluation:
    return Evaluation(handle(lib.sotto_evaluation_free, "sotto_evaluation",
                             lib.sotto_evaluation_parse, encode(words)), model)


# ---- how it is made ----


@dataclass(frozen=True)
class Asked:
    """What `evaluate` was called with, but for the records."""

    epsilon: float | None
    delta: float | None
    ledger: Dataset | None
    purpose: str | None
    rows: int | None
    insecure_seed: int | None

    def options(self, owner: Estimator) -> Options:
        """As options of the library. What can be refused without a record is refused here."""
        if self.epsilon is None:
            raise PrivacyError("epsilon: expected a number, the privacy budget; there is no "
                               "default")
        if self.delta is None:
            raise PrivacyError("delta: expected a number well below 1 / rows; there is no default")
        if self.ledger is not None and not isinstance(self.ledger, Dataset):
            raise UsageError("ledger: expected a data set, as Ledger(path).dataset(name) gives")
        if self.ledger is not None and self.ledger._in_parts():
            raise UsageError("evaluate: the data set has parts; expected the program's "
                             "'sotto evaluate', which reads them")
        options = Options()
        options.set("epsilon", a_number(self.epsilon, "epsilon"))
        options.set("delta", a_number(self.delta, "delta"))
        for name, value in (("purpose", self.purpose), ("rows", self.rows),
                            ("insecure-seed", self.insecure_seed), ("threads", owner.threads),
                            ("bad-rows", owner.bad_rows), ("adjacency", owner.adjacency)):
            if value is not None:
                options.set(name, value)
        statement = owner.statement_ or {}
        options.set("rows-per-person", int(statement.get("rows_per_person") or 1))
        if self.ledger is not None:
            if not os.path.exists(self.ledger.path):
                raise SottoError(f"{self.ledger.path}: the ledger is not there; nothing was asked")
            options.set("ledger", self.ledger.path)
            options.set("dataset", self.ledger.name)
            if owner.adjacency is None:
                options.set("adjacency", self.ledger.adjacency)
            user = who()
            if user:
                options.set("who", user)
        return options


def _named(model: Model, role: str) -> str | None:
    """The column of this role that the model was fitted with."""
    columns = json.loads(model.text())["schema"].get("columns", {})
    return next((str(name) for name, column in columns.items() if column["type"] == role), None)


def _labelled(owner: Estimator, X: Any, y: Any, person: Any, asked: Asked) -> Columns:
    """The columns of X, with y and people where they are given apart. This touches records.
    Whose id has no text is nobody, as in a fit: all of those would be one person."""
    model = owner._fitted()
    people = (_unit(model, person), _named(model, "unit"), getattr(asked.ledger, "unit", None))
    columns = for_model(owner, X, [name for name in people if name is not None])
    if y is not None:
        columns.column(_named(model, "target") or "target", y)
    if person is not None:
        columns.column(_unit(model, person) or "", person)
    return columns


def _unit(model: Model, person: Any) -> str | None:
    """The name of the column that `person` is."""
    return None if person is None else _named(model, "unit") or "person"


def _stand_in(owner: Estimator, model: Model, unit: str | None) -> Columns:
    """A made-up row with the model's columns: it is booked at the price of the records."""
    columns = Columns(1)
    if owner._numbered:
        columns.dense_as_sparse(np.zeros((1, len(model.names()))))
        names = [_named(model, "target") or "target"]
    else:
        declared = json.loads(model.text())["schema"].get("columns", {})
        names = [name for name, column in declared.items() if column["type"] != "drop"]
    for name in names:
        columns.numbers(name, np.zeros(1))
    if unit is not None and unit not in names:
        columns.texts(unit, [b"nobody"])
    return columns


def _ask(model: Model, columns: Columns, options: Options) -> Evaluation:
    with columns:
        return Evaluation(handle(lib.sotto_evaluation_free, "sotto_evaluation",
                                 lib.sotto_evaluation_from, model.pointer, columns.pointer,
                                 options.pointer), model)


def _book_stand_in(owner: Estimator, model: Model, unit: str | None, options: Options) -> None:
    """The records could not be handed over, and that may be due to one of them: charged."""
    try:
        _ask(model, _stand_in(owner, model, unit), options)
    except SottoError as error:  # the row is made up; it was booked before it was looked at
        if not error.booked:
            raise


def check_target(owner: Estimator, X: Any, y: Any, target: Any) -> None:
    """Refuses what names and arguments are wrong about."""
    known = _named(owner._fitted(), "target")
    if isinstance(y, str):
        raise UsageError("y: expected an array; a column of X is named by target=")
    if y is not None and target is not None:
        raise UsageError("target: names the column of X that is y; give y or target, not both")
    if y is None and not is_frame(X):
        raise UsageError("evaluate: expected y, or a data frame with the target in it")
    if target is not None and (not is_text_like(target) or str(target) != known):
        raise UsageError(f'target: expected "{known}", the column that the model was fitted to; '
                         "an array is given as y")


def check_width(owner: Estimator, X: Any) -> None:
    """Refuses an array whose width, which is public, is wrong."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if not is_frame(X) and len(shape) == 2:
        expect_width(owner, int(shape[1]))


def made(owner: Estimator, X: Any, y: Any, person: Any, asked: Asked,
         options: Options) -> Evaluation:
    """Asks about the records, which are booked before the library looks at them. From the first
    look at a record on every way out is charged, and tells nothing of what was raised where."""
    model = owner._fitted()
    unit = _unit(model, person)
    if unit is not None:
        options.set("unit-column", unit)
    kind: type[SottoError] = DataError
    stop: KeyboardInterrupt | SystemExit | None = None
    failed, reached, charged, refused = HAND_OVER, False, False, False
    try:
        with quiet():
            columns = _labelled(owner, X, y, person, asked)
        reached = True
        evaluation = _ask(model, columns, options)
        charged = True
        if asked.ledger is not None:
            call(lib.sotto_evaluation_settle, evaluation._pointer, ffi.NULL)
        return evaluation
    except SottoError as error:
        failed, charged = str(error), charged or (reached and error.booked)
        kind = DataError if isinstance(error, DataError) else type(error)
        refused = reached and isinstance(error, BudgetError)
    except (KeyboardInterrupt, SystemExit) as error:
        stop = error
    except BaseException:  # a panic of a library in Rust is no Exception
        pass
    try:
        if asked.ledger is not None and not charged and not refused:
            _book_stand_in(owner, model, unit, options)
            failed += "; the evaluation is booked and stays charged"
    except SottoError as error:
        failed, kind = str(error), type(error)
    if stop is not None:  # anew, without what it was raised in
        raise KeyboardInterrupt if isinstance(stop, KeyboardInterrupt) else SystemExit(stop.code)
    raise kind(failed)  # outside: where it was raised says nothing

"""A model of the C library: from and to text, its numbers, its answers."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from ._core import call, encode, ffi, handle, lib, remarks, take_text, text
from .errors import NoFileError, UsageError

__all__ = ["Model", "keep_paid"]

Doubles = npt.NDArray[np.float64]


def keep_paid(path: str, words: str) -> None:
    """A private model or evaluation is paid for: it is not replaced, but by the same text."""
    if not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        there = file.read(1)
        while there in (b" ", b"\t", b"\n", b"\r"):  # JSON may begin with them
            there = file.read(1)
        if there != b"{":
            return
        file.seek(0)
        if file.read() == words.encode():
            return
    model, evaluation = ffi.new("sotto_model **"), ffi.new("sotto_evaluation **")
    prices = ffi.new("double[2]")
    if lib.sotto_release_read(model, evaluation, encode(path),
                              ffi.new("sotto_error *")) != lib.SOTTO_OK:
        return
    try:
        is_model = model[0] != ffi.NULL
        private = (lib.sotto_model_privacy(model[0], prices, prices + 1) if is_model else
                   lib.sotto_evaluation_privacy(evaluation[0], prices, prices + 1))
    finally:
        lib.sotto_model_free(model[0])
        lib.sotto_evaluation_free(evaluation[0])
    if private:
        raise UsageError(f"{path}: this file is a private {'model' if is_model else 'evaluation'}, "
                         "whose privacy is paid for; remove it, or give another name")


class Model:
    """Owns a sotto_model. It is pickled as its text, which has the same bits."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer

    @classmethod
    def parse(cls, words: str) -> Model:
        """From the text of a model file."""
        return cls(handle(lib.sotto_model_free, "sotto_model", lib.sotto_model_parse,
                          encode(words)))

    @classmethod
    def read(cls, path: str) -> Model:
        """From a model file."""
        if not os.path.exists(path):
            raise NoFileError(f"{path}: there is no such file")
        return cls(handle(lib.sotto_model_free, "sotto_model", lib.sotto_model_read,
                          encode(path)))

    def write(self, path: str) -> None:
        """To a model file, whole or not at all."""
        keep_paid(path, self.text())
        call(lib.sotto_model_write, self.pointer, encode(path))

    def text(self) -> str:
        """What the model file has."""
        return take_text(lib.sotto_model_text, self.pointer)

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.parse, (self.text(),)

    def statement(self) -> dict[str, Any] | None:
        """The statement of privacy; None: the model is NOT PRIVATE."""
        words = text(lib.sotto_model_statement(self.pointer))
        return None if words is None else dict(json.loads(words))

    def unit(self) -> str:
        """Whose promise it is, in words."""
        return take_text(lib.sotto_model_unit, self.pointer)

    def weights(self) -> Doubles:
        """The weights, in the units of the data; with K >= 3 classes K rows of them."""
        return self._all(lib.sotto_model_class_weights)

    def noises(self) -> Doubles:
        """The standard deviation of the last noise in each weight, or NaN."""
        return self._all(lib.sotto_model_class_noises)

    def errors(self) -> Doubles:
        """The standard error of each weight and, last, of the intercept; NaN: there is none."""
        return np.array([self._interval(j).error for j in range(self._coefficients())])

    def middles(self) -> Doubles:
        """The middle of each interval, NaN where there is none: the weight, but of levels that
        add up to the intercept's column."""
        return np.array([self._interval(j).centre for j in range(self._coefficients())])

    def reasons(self) -> list[str | None]:
        """Why each of them has no interval; None: it has one."""
        return [text(self._interval(j).none) for j in range(self._coefficients())]

    def _coefficients(self) -> int:
        return int(lib.sotto_model_features(self.pointer)) + 1

    def _interval(self, j: int) -> Any:
        out = ffi.new("sotto_interval *")
        lib.sotto_model_interval(self.pointer, j, out)
        return out

    def _all(self, function: Any) -> Doubles:
        many = self.many()
        out = np.empty((many or 1, int(lib.sotto_model_features(self.pointer))))
        for k, row in enumerate(out):
            function(self.pointer, k, ffi.cast("double *", row.ctypes.data))
        return out if many else out[0]

    def many(self) -> int:
        """How many classes there are where there are three or more; else 0."""
        count = int(lib.sotto_model_classes(self.pointer))
        return count if count > 2 else 0

    def intercept(self) -> float:
        """The intercept, in the units of the target."""
        return float(lib.sotto_model_intercept(self.pointer))

    def intercepts(self) -> Doubles:
        """The intercept of each class, or the one there is."""
        return np.array([float(lib.sotto_model_class_intercept(self.pointer, k))
                         for k in range(self.many() or 1)])

    def loss(self) -> str:
        """The loss by its name."""
        return text(lib.sotto_model_loss(self.pointer)) or ""

    def names(self) -> list[str]:
        """The names of the features."""
        buffer = ffi.new("char[24]")
        count = int(lib.sotto_model_features(self.pointer))
        return [text(lib.sotto_model_feature_name(self.pointer, j, buffer)) or ""
                for j in range(count)]

    def classes(self) -> list[str]:
        """The names of the classes, of two the negative one first; or none."""
        count = int(lib.sotto_model_classes(self.pointer))
        return [text(lib.sotto_model_class(self.pointer, i)) or "" for i in range(count)]

    def booking(self) -> dict[str, Any] | None:
        """Where its run was booked; None: it is untracked."""
        out = ffi.new("sotto_booking *")
        if not lib.sotto_model_booking(self.pointer, out):
            return None
        return {"dataset": text(out.dataset), "head": text(out.head),
                "position": int(out.position), "delta": float(out.delta),
                "cap_epsilon": float(out.cap_epsilon) or None,
                "spent_epsilon": float(out.spent_epsilon)}

    def remarks(self) -> list[str]:
        """What a private model has to say about itself."""
        return list(remarks(lib.sotto_model_remark, self.pointer))

    def settle(self) -> None:
        """Marks its run as finished."""
        call(lib.sotto_fit_settle, self.pointer, ffi.NULL)

    def report(self, name: str) -> str:
        """A page about it, in HTML."""
        title = ffi.new("char[]", encode(name))
        return take_text(lib.sotto_report, ffi.new("const sotto_model *[]", [self.pointer]),
                         ffi.new("const char *[]", [title]), 1)

    def predict(self, table: Any, what: int) -> Doubles:
        """Answers for all rows of a table; scores of K >= 3 classes in K columns."""
        rows = int(lib.sotto_table_rows(table))
        if what == lib.SOTTO_ANSWER_VALUE or not self.many():
            out, function = np.empty(rows), lib.sotto_predict
        else:
            out, function = np.empty((rows, self.many())), lib.sotto_predict_classes
        call(function, ffi.cast("double *", out.ctypes.data), self.pointer, table, what)
        return out

    def evaluate(self, table: Any) -> dict[str, float]:
        """How good it is on a table with a target."""
        out = ffi.new("sotto_quality *")
        call(lib.sotto_evaluate, out, self.pointer, table)
        return {name: float(getattr(out, name))
                for name in ("rows", "objective", "accuracy", "auc", "log_loss", "mse", "r2")}

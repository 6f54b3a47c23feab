"""How far weights may be off: intervals, and a table of them for people."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np

from ._core import lib, number_text
from ._model import Doubles, Model
from .errors import UsageError

__all__ = ["confidence", "named", "table"]


def confidence(model: Model, coef: Doubles, level: float) -> Doubles:
    """The ends of each weight's interval, NaN where there is none."""
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        raise UsageError("conf_int: expected a level between 0 and 1, such as 0.95")
    half = statistics.NormalDist().inv_cdf(.5 + level / 2) * _each(model, model.errors(), coef)
    middle = _each(model, model.middles(), coef)
    return np.stack([middle - half, middle + half], axis=-1)


def named(model: Model, coef: Doubles, intercept: Any, names: Any,
          level: float) -> dict[str, tuple[float, float]]:
    """The interval of each weight and of the intercept, by the name that `table` has."""
    ends = confidence(model, coef, level).reshape(-1, len(names), 2)
    half = statistics.NormalDist().inv_cdf(.5 + level / 2)
    found: dict[str, tuple[float, float]] = {}
    for k, row in enumerate(ends):
        label = f" ({model.classes()[k]})" if len(ends) > 1 else ""
        for name, (low, high) in zip(names, row):
            found[f"{name}{label}"] = (float(low), float(high))
        middle = np.nan if model.many() else float(model.middles()[-1])
        error = np.nan if model.many() else half * float(model.errors()[-1])
        found[f"(intercept){label}"] = (middle - error, middle + error)
    return found


def _each(model: Model, numbers: Doubles, coef: Doubles) -> Doubles:
    """Those of each weight: with three classes and more there are none."""
    if model.many():
        return np.full(coef.shape, np.nan)
    return numbers[:-1].reshape(coef.shape)


def _digits(x: float, digits: int = 3) -> str:
    return number_text(lib.sotto_number_print(x, digits))


def _ends(low: float, high: float, error: float) -> tuple[str, str]:
    """Both ends, outward, to the second digit of the error: 90 and 95 % differ there."""
    return (number_text(lib.sotto_number_end(low, error, 0)),
            number_text(lib.sotto_number_end(high, error, 1)))


def _line(name: str, x: float, middle: float, error: float, none: str | None) -> list[str]:
    start = [name, _digits(x, 5)]
    if none is not None:
        return [*start, f"no interval: {none}"]
    ends = [_ends(middle - z * error, middle + z * error, error)
            for z in (statistics.NormalDist().inv_cdf(q) for q in (.95, .975))]
    return [*start, _digits(error), *(f"{low} to {high}" for low, high in ends)]


def table(model: Model, coef: Doubles, intercept: Any, names: Any) -> str:
    """A line for each weight: itself, its standard error, 90 and 95 %."""
    lines = [["", "weight", "standard error", "90 %", "95 %"]]
    rows, ends = np.atleast_2d(coef), np.atleast_1d(intercept)
    middles, errors, reasons = model.middles(), model.errors(), model.reasons()
    for k, row in enumerate(rows):
        label = f" ({model.classes()[k]})" if len(rows) > 1 else ""
        every = zip([*names, "(intercept)"], [*row, ends[k]], middles, errors, reasons)
        lines += [_line(f"{name}{label}", float(x), float(middle), float(error), none)
                  for name, x, middle, error, none in every]
    width = [max(len(line[i]) for line in lines if len(line) == 5 or i < 2) for i in range(5)]
    return "\n".join("  ".join(word.ljust(width[i]) for i, word in enumerate(line)).rstrip()
                     for line in lines)

"""The parameters of estimators, stored as they were given."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ._model import Doubles, Model
from ._types import near
from .errors import UsageError
from .ledger import Dataset
from .progress import Progress

__all__ = ["PLAIN", "Parameters", "Results", "a_number", "explain_keywords"]

Self = TypeVar("Self", bound="Parameters")

# Parameters that are options of the library under the same name, - for _.
PLAIN = (
    "epsilon", "delta", "adjacency", "rows", "rows_per_person", "undeclared", "bad_rows",
    "parts", "purpose", "l1", "l2", "box", "penalty_units", "solver", "clip", "difference_clip",
    "passes", "rounds", "steps", "step_size", "order", "smoothness", "calibration", "average",
    "batch_rate", "momentum", "decay", "rule", "selection_share", "norm_bound", "radius",
    "intercept_radius", "blocks", "sampling", "candidates", "path", "tolerance", "huber_delta", "multiclass",
    "threads", "insecure_seed")


def a_number(value: Any, name: str) -> float:
    """A number of Python or numpy; a text that looks like one is none."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{name}: expected a number")
    try:
        return float(value)
    except OverflowError:
        raise UsageError(f"{name}: expected a number") from None


# What scikit-learn's estimators have, and what it is here (docs/python.md).
_THERE = {
    "C": "give l2=1 / (n * C), for about n rows", "alpha": "give l2=alpha / n, or l1=alpha",
    "l1_ratio": "give l1= and l2=", "penalty": "give l1= or l2=",
    "random_state": "the noise is secret (insecure_seed= is for tests, and NOT PRIVATE)",
    "n_jobs": "give threads=", "class_weight": "give sample_weight to fit, and weight_bound=",
    "max_iter": 'leave it out: solver="auto" follows from the budget',
    "tol": 'leave it out: solver="auto" follows from the budget'}


def explain_keywords(kind: type[Any]) -> None:
    """Lets a class say what a parameter of scikit-learn is here, where it has none such."""
    plain = kind.__init__

    @functools.wraps(plain)
    def explained(self: Any, *args: Any, **params: Any) -> None:
        names = [each.name for each in fields(kind)]
        for name in params:
            if name not in names:
                raise TypeError(f"{kind.__name__}: there is no parameter {name!r}" +
                                (f"; {_THERE[name]}" if name in _THERE else near(name, names)))
        plain(self, *args, **params)

    kind.__init__ = explained


def _shown(value: Any) -> str:
    """A parameter in a line about its estimator: a long schema is its number of columns."""
    words, columns = repr(value), getattr(value, "columns", None)
    return words if columns is None or len(words) <= 80 else f"Schema(...{len(columns)} columns...)"


class Results:
    """What a fit leaves behind; before it none of these is there."""

    coef_: Doubles
    noise_: Doubles
    intercept_: Any
    coef_names_: npt.NDArray[np.object_]
    classes_: npt.NDArray[Any]
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    statement_: dict[str, Any] | None
    privacy_: dict[str, Any] | None
    _model: Model
    _numbered: bool  # its features have numbers, not names: it was fitted to sparse ones


@dataclass(kw_only=True, eq=False, repr=False)
class Parameters(Results):
    """The parameters that all estimators have."""

    epsilon: float | None = None
    delta: float | None = None
    schema: Any = None
    ledger: Dataset | None = None
    purpose: str | None = None
    adjacency: str | None = None
    rows: int | None = None
    rows_per_person: int | None = None
    undeclared: str | None = None
    weight_bound: float | None = None
    parts: Sequence[str] | None = None
    bad_rows: str | None = None
    l1: float | None = None
    l2: float | None = None
    box: tuple[float, float] | None = None
    fit_intercept: bool = True
    penalty_units: str | None = None
    solver: str | None = None
    clip: float | None = None
    difference_clip: float | None = None
    passes: int | None = None
    rounds: int | None = None
    steps: int | None = None
    step_size: float | None = None
    order: str | None = None
    smoothness: str | None = None
    calibration: str | None = None
    average: float | None = None
    batch_rate: float | None = None
    momentum: float | None = None
    decay: float | None = None
    rule: str | None = None
    selection_share: float | None = None
    norm_bound: float | None = None
    radius: float | None = None
    intercept_radius: float | None = None
    blocks: str | None = None
    sampling: str | None = None
    candidates: int | None = None
    path: str | None = None
    tolerance: float | None = None
    threads: int | None = None
    progress: bool | Callable[[Progress], Any] | None = None
    insecure_seed: int | None = None

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(each.name for each in fields(cls))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as scikit-learn wants them."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self: Self, **params: Any) -> Self:
        """Sets parameters by name, as scikit-learn wants it."""
        names = self._get_param_names()
        for name, value in params.items():
            if name not in names:
                raise ValueError(f"Invalid parameter {name!r} for estimator "
                                 f"{type(self).__name__}{near(name, names)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = [f"{each.name}={_shown(getattr(self, each.name))}" for each in fields(self)
                 if getattr(self, each.name) is not each.default]
        return f"{type(self).__name__}({', '.join(given)})"

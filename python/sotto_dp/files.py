"""Model files of any loss."""

from __future__ import annotations

import os

from ._model import Model
from .errors import UsageError
from .estimator import Estimator
from .linear import HuberRegressor, LinearRegression, LinearSVC, LogisticRegression

__all__ = ["load"]

_KINDS: tuple[type[Estimator], ...] = (LogisticRegression, LinearSVC, LinearRegression,
                                       HuberRegressor)


def _is_evaluation(path: str | os.PathLike[str]) -> bool:
    """By its first member, as the program tells them apart."""
    try:
        with open(path, "rb") as file:
            return file.read(64).lstrip(b"{ \r\n\t").startswith(b'"sotto_evaluation"')
    except OSError:
        return False


def load(path: str | os.PathLike[str]) -> Estimator:
    """Reads a model file, as the program or `save` wrote it, whatever its loss.

    A file has labels as texts: those that are whole numbers come back as
    numbers. `score` reads labels of either type.
    """
    if _is_evaluation(path):
        raise UsageError(f"{os.fspath(path)}: this is an evaluation, not a model: expected "
                         "Evaluation.load(path, model)")
    loss = Model.read(os.fspath(path)).loss()
    for kind in _KINDS:
        if loss in kind._losses:
            return kind.load(path)
    raise UsageError(f"{os.fspath(path)}: there is no estimator for the loss {loss}")

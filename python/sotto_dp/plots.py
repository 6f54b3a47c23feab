"""Plots with matplotlib, where it is installed."""

from __future__ import annotations

import importlib
import json
from typing import Any

import numpy as np

from .errors import UsageError

__all__ = ["plot_weights"]


def _load(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError("plots of sotto_dp need matplotlib: pip install matplotlib "
                          "(or apt install python3-matplotlib)") from None


def _ranges(model: Any, names: list[str]) -> Any:
    """How far each feature goes by its declaration, as in ``sotto report``: 1
    for a level of a category. None: one has no bounds or no name, so that bars
    cannot be compared."""
    file = json.loads(model.text())
    columns = file.get("schema", {}).get("columns", {})
    if not isinstance(file.get("features"), list):
        return None
    out = []
    for name in names:
        low_high = columns[name].get("bounds") if name in columns else [0.0, 1.0]
        if not low_high:
            return None
        out.append(low_high[1] - low_high[0])
    return np.array(out)


def plot_weights(estimator: Any, most: int = 30, ax: Any = None) -> Any:
    """The weights as bars, the longest first, with their intervals of 90 %.

    A bar is how far the score moves when a feature goes from its lower
    declared bound to its upper one; or the weight itself, where a feature has
    no bounds. The line across its end is the interval, where there is one: see
    `conf_int`. A bar is faint where 0 is in it.

    Parameters
    ----------
    estimator : fitted estimator of sotto
        What to show. Its statement is the title.
    most : int, default 30
        How many bars there are at most.
    ax : matplotlib Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ImportError
        matplotlib is not installed.
    """
    if not hasattr(estimator, "coef_names_"):
        raise UsageError("plot_weights: expected a fitted estimator of sotto")
    pyplot = _load("matplotlib.pyplot") if ax is None else None
    weights = np.ravel(estimator.coef_)
    low, high = estimator.conf_int(0.9).reshape(-1, 2).T
    names = [str(name) for name in estimator.coef_names_]
    ranges = _ranges(estimator._model, names)
    scale = np.ones(len(names)) if ranges is None else ranges
    longest = np.argsort(-np.abs(weights * scale), kind="stable")
    order = [int(j) for j in longest if weights[j] != 0][:most]
    if pyplot is not None:
        ax = pyplot.figure(figsize=(6, 1 + 0.3 * max(1, len(order)))).add_subplot()
    values = (weights * scale)[order]
    place = np.arange(len(order))
    ends = np.stack([(low * scale)[order], (high * scale)[order]])
    bars = ax.barh(place, values, 0.5, color=["#2b84a3" if v > 0 else "#c2622f" for v in values])
    for bar, start, end in zip(bars, *ends):
        bar.set_alpha(0.35 if start <= 0 <= end else 1)
    given = np.isfinite(ends).all(axis=0)
    if given.any():
        start, end = ends[:, given]
        ax.errorbar((start + end) / 2, place[given], xerr=(end - start) / 2, fmt="none",
                    ecolor="#8a929a", capsize=3, label="90 % interval")
    # a $ is no formula here
    ax.set_yticks(place, [names[j].replace("$", r"\$") for j in order])
    ax.invert_yaxis()
    ax.axvline(0, color="0.5", linewidth=0.8)
    ax.set_xlabel("weight" if ranges is None else "weight times the declared range")
    ax.set_title(_title(estimator), fontsize="medium")
    if given.any():
        ax.legend(loc="best", fontsize="small")
    return ax


def _title(estimator: Any) -> str:
    from ._spending import price_up
    promise = estimator.privacy_
    if promise is None:
        return "NOT PRIVATE"
    return (f"epsilon {price_up(promise['epsilon'])}, delta {price_up(promise['delta'])} "
            f"({promise['adjacency']})")

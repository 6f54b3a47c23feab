"""Differentially private linear models, with scikit-learn's conventions.

>>> import sotto_dp as dp
>>> dp.__version__
'0.1.0'
"""

import os as _os
import typing as _typing

from . import _core, _fitting, _spending
from .errors import (BudgetError, DataError, NotPrivateWarning, PrivacyError, RemarkWarning,
                     SottoError, SottoWarning, UntrackedWarning, UsageError)
from .estimator import Plan
from .evaluation import Estimate, Evaluation
from .files import load
from .ledger import Dataset, Entry, Ledger, Quote
from .linear import HuberRegressor, LinearRegression, LinearSVC, LogisticRegression
from .pipeline import Finding, check, make_pipeline
from .progress import Progress
from .schema import (Boolean, Category, Column, Date, Drop, Number, Person, Schema, Target,
                     Weight)

if _typing.TYPE_CHECKING:
    from .pipeline import Bounds as Bounds, OneHot as OneHot, Pipeline as Pipeline

# Those that need scikit-learn are not in it: importing all must not need it.
__all__ = [
    "Boolean", "BudgetError", "Category", "Column", "DataError", "Dataset", "Date", "Drop",
    "Entry", "Estimate", "Evaluation", "Finding", "HuberRegressor", "Ledger", "LinearRegression", "LinearSVC", "LogisticRegression",
    "NotPrivateWarning", "Number", "Person", "Plan", "PrivacyError", "Progress", "Quote",
    "RemarkWarning", "Schema", "SottoError", "SottoWarning", "Target", "UntrackedWarning",
    "UsageError", "Weight", "check", "load", "make_pipeline",
]

__version__ = _core.text(_core.lib.sotto_version()) or ""

_os.register_at_fork(after_in_child=_core.after_fork)
_os.register_at_fork(after_in_child=_spending.after_fork)
_os.register_at_fork(after_in_child=_fitting.after_fork)


def __getattr__(name: str) -> _typing.Any:
    """What needs scikit-learn is loaded when it is asked for."""
    if name in ("Bounds", "OneHot", "Pipeline"):
        from . import pipeline
        return getattr(pipeline, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

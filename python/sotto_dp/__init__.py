"""Differentially private linear models, with scikit-learn's conventions.

>>> import sotto_dp as dp
>>> dp.__version__
'0.1.0'
"""

import os as _os

from . import _core, _spending
from .errors import (BudgetError, DataError, NotPrivateWarning, PrivacyError, RemarkWarning,
                     SottoError, SottoWarning, UntrackedWarning, UsageError)
from .estimator import Plan
from .files import load
from .ledger import Dataset, Entry, Ledger, Quote
from .linear import HuberRegressor, LinearRegression, LinearSVC, LogisticRegression
from .progress import Progress
from .schema import Category, Drop, Number, Person, Schema, Target, Weight

__all__ = [
    "BudgetError", "Category", "DataError", "Dataset", "Drop", "Entry", "HuberRegressor",
    "Ledger", "LinearRegression", "LinearSVC", "LogisticRegression", "NotPrivateWarning", "Number",
    "Person", "Plan", "PrivacyError", "Progress", "Quote", "RemarkWarning", "Schema", "SottoError",
    "SottoWarning", "Target", "UntrackedWarning", "UsageError", "Weight", "load",
]

__version__ = _core.text(_core.lib.sotto_version()) or ""

_os.register_at_fork(after_in_child=_core.after_fork)
_os.register_at_fork(after_in_child=_spending.after_fork)

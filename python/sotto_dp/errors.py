"""What goes wrong, and what is said besides: exceptions and warnings.

An exception's text is the one line that the C library gives. It never quotes a
value from a record; it may name a row, so it is for the operator beside the
data and not for release.
"""

from __future__ import annotations

__all__ = [
    "BudgetError", "DataError", "NotPrivateWarning", "PrivacyError", "RemarkWarning",
    "SottoError", "SottoWarning", "UntrackedWarning", "UsageError",
]


class SottoError(Exception):
    """Any refusal or failure of sotto; by itself, one of the machine.

    Attributes
    ----------
    status : int
        The C library's number for it, which is also the program's exit code.
    """

    status = 1
    booked = False  # the library has charged the run, and the line says so


class NoFileError(SottoError, FileNotFoundError):
    """A file is not there (the package shows it as one of its two bases)."""


class UsageError(SottoError, ValueError):
    """The call is wrong: a parameter, a name, a combination."""

    status = 2


class DataError(SottoError, ValueError):
    """The records are wrong: a bad row, a missing column."""

    status = 3


class RecordError(DataError):
    """A record is wrong, and it was looked at to tell: a fit is charged before it says so (as a
    DataError; this one stays within the package)."""


class BudgetError(SottoError):
    """Refused: the privacy budget of the data set does not allow it."""

    status = 4


class PrivacyError(SottoError, ValueError):
    """Refused: private training needs a declaration that is not there."""

    status = 5


class SottoWarning(UserWarning):
    """Any remark of sotto."""


class UntrackedWarning(SottoWarning):
    """A private fit that no ledger knows of."""


class NotPrivateWarning(SottoWarning):
    """A model that promises nothing."""


class RemarkWarning(SottoWarning):
    """What the program would print as a remark: about options, or the model."""

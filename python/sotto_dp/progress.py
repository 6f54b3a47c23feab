"""How far a fit is: a bar of tqdm, or a callback.

Progress tells nothing about weights or scores: nobody can stop a fit because
of what it has learned so far.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ._core import text
from .errors import UsageError

__all__ = ["Progress", "check", "reporter"]


@dataclass(frozen=True)
class Progress:
    """Where a fit is; for the operator beside the data."""

    share: float
    stage: str | None
    round: int
    total: int


def _seen(at: Any) -> Progress:
    return Progress(float(at.share), text(at.stage), int(at.round), int(at.total))


def check(wanted: object) -> None:
    """Refuses what cannot be reported to, before anything is charged."""
    if wanted is True:
        try:
            import tqdm.auto  # noqa: F401
        except ImportError:
            raise UsageError("progress=True needs tqdm (pip install tqdm); or give a "
                             "function") from None
    elif not (wanted is None or wanted is False or callable(wanted)):
        raise UsageError("progress: expected None, True or a function")


@contextlib.contextmanager
def reporter(wanted: bool | Callable[[Progress], Any] | None,
             title: str) -> Iterator[Callable[[Any], Any]]:
    """What the library calls during a fit; an answer that is true stops it.

    `check` has let `wanted` pass.
    """
    if callable(wanted):
        function = wanted
        yield lambda at: function(_seen(at)) is True
    elif wanted is None or wanted is False:
        yield lambda at: 0
    else:
        from tqdm.auto import tqdm
        with tqdm(total=100, desc=title, unit="%") as bar:
            def show(at: Any) -> int:
                bar.n = round(100 * float(at.share))
                bar.set_postfix_str(text(at.stage) or "", refresh=False)
                bar.refresh()
                return 0
            yield show

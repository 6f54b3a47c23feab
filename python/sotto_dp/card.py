"""A card about a model, for notebooks.

Its words, numbers and bars are those of ``sotto report``: parts are cut out of
that page, whose every text is escaped, and the whole page is there to unfold,
in a frame that runs no script and loads nothing.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from ._core import lib, number_text
from ._model import Model
from .errors import SottoError

__all__ = ["card_of", "html_card"]

# The page has colours for itself; a notebook has its own paper and ink.
_STYLE = (
    "<style>.sotto-card{border:1px solid rgba(128,128,128,.4);border-radius:.5em;"
    "padding:.6em 1em;max-width:44em;line-height:1.45}"
    ".sotto-card .sotto-first{font-size:1.1em;margin:.2em 0}"
    ".sotto-card p{margin:.4em 0}"
    ".sotto-card figure{margin:.6em 0;max-height:30em;overflow:auto}"
    ".sotto-card svg{display:block;width:100%;max-width:34em;height:auto}"
    ".sotto-card svg text{fill:currentColor;font-size:15px}"
    ".sotto-card svg .axis{stroke:rgba(128,128,128,.6);fill:none}"
    ".sotto-card .plus{fill:#2b84a3;background:#2b84a3}"
    ".sotto-card .minus{fill:#c2622f;background:#c2622f}"
    ".sotto-card .noise{fill:#8a929a;background:#8a929a}"
    ".sotto-card svg .error{stroke:#8a929a;stroke-width:1.5}.sotto-card svg .faint{opacity:.35}"
    ".sotto-card .key{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 .8em}"
    ".sotto-card figcaption,.sotto-card .sotto-soft{opacity:.75;font-size:.9em}"
    ".sotto-card .sotto-bad{color:#d0202e;font-weight:600}"
    ".sotto-card iframe{width:100%;height:32em;border:1px solid rgba(128,128,128,.4);"
    "background:#fff}</style>")


def _between(page: str, start: str, end: str) -> str | None:
    """What stands between two fixed pieces of the page's markup."""
    at = page.find(start)
    if at < 0:
        return None
    stop = page.find(end, at + len(start))
    return None if stop < 0 else page[at + len(start):stop]


def _row(page: str, name: str) -> str | None:
    """A row of the table that a data protection officer files."""
    return _between(page, f"<tr><th>{name}</th><td>", "</td></tr>")


def _first_line(page: str) -> str:
    price, unit = _row(page, "This model"), _row(page, "Who is protected")
    if price is None or unit is None:
        return ('<p class="sotto-first"><span class="sotto-bad">NOT PRIVATE</span>: it may reveal '
                "the records it was learned from</p>")
    return (f'<p class="sotto-first"><strong>Differentially private: {price}</strong>; '
            f"protected is {unit}</p>")


def _ledger_line(page: str, booking: Mapping[str, Any] | None, left: str | None) -> str:
    """What all runs have spent, and what is left; the page knows of the first."""
    spent = _row(page, "All runs up to this one")
    if spent is None:
        return ""
    name = html.escape(str(booking.get("dataset") or "")) if booking else ""
    on = f' on <strong>{name}</strong>' if name else ""
    more = ("" if left is None else
            f"<p><strong>Left now: epsilon {html.escape(left)}</strong> for one more fit</p>")
    spent = spent.replace("'sotto ledger show' has", "history() of the data set has")
    return f"<p>All runs up to this one{on}: {spent}</p>{more}"


def _bars(page: str) -> str:
    """The weights as bars, and what a bar is."""
    words = _between(page, "<h3>What it has learned</h3>\n", "\n") or ""
    at = page.find('aria-label="weights as bars"')
    if at < 0:
        return words
    return f"{words}<figure>{page[page.rfind('<svg', 0, at):page.find('</figure>', at)]}</figure>"


def html_card(model_text: str, booking: Mapping[str, Any] | None = None,
              left: float | None = None) -> str:
    """The card: the promise, the weights, the ledger, and the whole report.

    Parameters
    ----------
    model_text : str
        What the model file has.
    booking : dict, optional
        Where the fit was booked; see ``privacy_["booking"]``.
    left : float, optional
        What one more fit may cost, in epsilon.

    Returns
    -------
    str
        HTML without scripts, to stand in a page of somebody else's. A model
        whose statement is not so gets no card but a line that says it.
    """
    try:
        page = Model.parse(model_text).report("The model")
    except SottoError as error:
        return (f'<div class="sotto-card">{_STYLE}<p class="sotto-first sotto-bad">'
                f"{html.escape(str(error))}</p></div>")
    shown = None if left is None else number_text(lib.sotto_number_print_down(left, 4))
    kind = _between(page, "<h3>What it is</h3>\n", "\n") or ""
    return (f'<div class="sotto-card">{_STYLE}{_first_line(page)}'
            f"{_ledger_line(page, booking, shown)}{kind}{_bars(page)}"
            "<details><summary>The whole report</summary>"
            f'<iframe sandbox="" title="The whole report" srcdoc="{html.escape(page)}"></iframe>'
            "</details></div>")


def card_of(estimator: Any) -> str | None:
    """The card of a fitted estimator; None: it has no model yet."""
    model = getattr(estimator, "_model", None)
    if not isinstance(model, Model):
        return None
    left = None
    if model.booking() is not None and estimator.ledger is not None:
        try:
            left = estimator.ledger.left()
        except (SottoError, OSError):  # a ledger that is elsewhere now
            left = None
    return html_card(model.text(), model.booking(), left)

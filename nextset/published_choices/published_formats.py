"""The layouts of published items, recognised by the fields of their rows."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import InputError, examples
from nextset.published_choices.bbq_rows import bbq_draft, fits_bbq
from nextset.published_choices.cbbq_rows import cbbq_draft, fits_cbbq
from nextset.published_choices.choice_draft import ChoiceDraft
from nextset.published_choices.esbbq_rows import esbbq_draft, fits_esbbq
from nextset.published_choices.kobbq_rows import fits_kobbq, kobbq_draft
from nextset.published_choices.row_fields import RowFields

__all__ = ["FORMATS", "PublishedFormat", "format_of_columns", "unknown_format"]


@dataclass(frozen=True)
class PublishedFormat:
    """A layout of published items."""

    name: str
    """The name of the set that introduced it."""
    fits: Callable[[Collection[str]], bool]
    """True for the fields of a row in this layout."""
    draft: Callable[[RowFields], ChoiceDraft]
    """The draft of a row; raises InputError."""


FORMATS = (
    PublishedFormat("BBQ", fits_bbq, bbq_draft),
    PublishedFormat("EsBBQ", fits_esbbq, esbbq_draft),
    PublishedFormat("KoBBQ", fits_kobbq, kobbq_draft),
    PublishedFormat("CBBQ", fits_cbbq, cbbq_draft),
)
"""The layouts; a row fits only one of them."""


def format_of_columns(columns: Collection[str]) -> PublishedFormat | None:
    """Return the layout of rows with these ``columns``; None if `FORMATS` does not have it."""
    return next((known for known in FORMATS if known.fits(columns)), None)


def unknown_format(file: Path, columns: Collection[str]) -> InputError:
    """Return the error for a ``file`` whose rows have ``columns`` of no known layout."""
    return InputError(
        f"these are not published items: the first row has the fields {examples(columns, 8) or 'none'}",
        file=file,
        line=1,
        remedy=f"name files in the layout of {', '.join(f.name for f in FORMATS)}; published templates go "
        "under choices.templates",
    )

"""Text in the cells of a spreadsheet: a text that would run as a formula gets a leading apostrophe."""

from __future__ import annotations

import unicodedata

__all__ = ["neutralised", "plain_text"]

_STARTS = frozenset("=+-@")
_SPACES = ("Cc", "Cf", "Zs", "Zl", "Zp")


def neutralised(text: str) -> str:
    """Return ``text`` for a cell: with a leading apostrophe if a spreadsheet would take it for a formula.

    A text of apostrophes and then a formula gets one more apostrophe, so that `plain_text` can undo it.
    """
    return "'" + text if _formula(text.lstrip("'")) else text


def plain_text(cell: str) -> str:
    """Return the text that `neutralised` made ``cell`` from."""
    return cell[1:] if cell.startswith("'") and _formula(cell.lstrip("'")) else cell


def _formula(text: str) -> bool:
    """Return whether ``text`` begins with a tab or a line end, or, after spaces, with one of = + - @."""
    if text[:1].isascii() and text[:1].isalnum():
        return False  # most texts
    if text[:1] in ("\t", "\r", "\n"):
        return True
    for character in text:
        if unicodedata.category(character) not in _SPACES:
            # some spreadsheets read full-width and small forms as the plain characters
            return unicodedata.normalize("NFKC", character)[:1] in _STARTS or character == "\u2212"
    return False

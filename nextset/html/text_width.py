"""The width of a text in a plot, in characters of the Latin alphabet."""

from __future__ import annotations

import unicodedata

__all__ = ["shortened", "text_width"]


def text_width(text: str) -> int:
    """Return the width of ``text``: wide letters, such as Chinese ones, count 2, and marks on letters 0."""
    return sum(map(_width, text))


def shortened(text: str, most: int) -> str:
    """Return ``text``, cut to the width ``most`` with an ellipsis if it is wider.

    Marks stay on their letters.
    """
    if text_width(text) <= most:
        return text
    end, width = 0, 1
    while width + _width(text[end]) <= most:
        width += _width(text[end])
        end += 1
    return text[:end].rstrip() + "…"


def _width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1

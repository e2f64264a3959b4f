"""Text for a terminal: characters that it would obey, or would not show, become escapes."""

from __future__ import annotations

import unicodedata

__all__ = ["printable", "printable_line"]


def printable(text: str) -> str:
    """Return ``text`` with escapes for control characters, marks of direction and surrogates.

    Line breaks, tabs and spaces stay.
    """
    return _escaped(text, "\n\t")


def printable_line(text: str) -> str:
    """Return ``text`` as `printable` does, with escapes for line breaks and tabs too."""
    return _escaped(text, "")


def _escaped(text: str, kept: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in kept or _is_shown(c) else ascii(c)[1:-1] for c in text)


def _is_shown(c: str) -> bool:
    return c.isprintable() or unicodedata.category(c) == "Zs"

"""The words of a text for comparisons: without case, spacing and punctuation."""

from __future__ import annotations

import unicodedata

from nextset.letter_case import folded

__all__ = ["words"]

_WITHOUT_SPACES = ("CJK ", "HIRAGANA ", "KATAKANA ", "THAI ", "LAO ", "KHMER ", "MYANMAR ", "TIBETAN ")
"""Scripts without spaces between words; each letter counts as a word."""


class _Replacements(dict[int, str]):
    """The replacement of each character, computed on first use."""

    def __missing__(self, code: int) -> str:
        replacement = self[code] = _replacement(chr(code))
        return replacement


def _replacement(c: str) -> str:
    category = unicodedata.category(c)
    if category == "Cf":  # direction marks, soft hyphens and joiners are invisible, and often lost in copies
        return ""
    if category[0] in "PZ" or category in ("Cc", "Cs", "Sk"):
        return " "
    if category == "Lo" and unicodedata.name(c, "").startswith(_WITHOUT_SPACES):
        return f" {c} "
    return c


_REPLACEMENTS = _Replacements()


def words(text: str) -> list[str]:
    """Return the words of ``text`` in NFC and case-folded, without punctuation and format characters.

    Symbols such as + and emoji are kept. In scripts without spaces, each letter is a word. A lone surrogate
    counts as a space.
    """
    if text.isascii():
        return text.lower().translate(_REPLACEMENTS).split()
    small = unicodedata.normalize("NFC", folded(unicodedata.normalize("NFC", text)))
    return small.translate(_REPLACEMENTS).split()

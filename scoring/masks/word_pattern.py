"""The pattern of a word: letters and their marks, with hyphens and apostrophes inside."""

from __future__ import annotations

import functools
import re
import unicodedata

from nextset.letter_case import folded

__all__ = ["MASK", "is_part", "is_word", "touches", "words_in"]

MASK = "{{MASK}}"
"""The placeholder for a word in a sentence."""


@functools.cache
def _pattern() -> re.Pattern[str]:
    # Python's \w excludes the marks that many scripts use for vowels
    marks = "".join(chr(c) for c in range(0x300, 0x1F000) if unicodedata.category(chr(c))[0] == "M")
    letter = r"[^\W\d_]"
    letters = rf"{letter}(?:{letter}|[{marks}])*"
    return re.compile(rf"{letters}(?:['’\-\u200c]{letters})*")


def is_word(text: str) -> bool:
    """Return True if ``text`` is one word."""
    return _pattern().fullmatch(text) is not None


def is_part(text: str) -> bool:
    """Return True if ``text`` can be part of a word; \ufffd stands for a byte of an incomplete character."""
    return bool(text) and all(
        c.isalpha() or c in "'’-\u200c\ufffd" or unicodedata.category(c)[0] == "M" for c in text
    )


def words_in(text: str) -> set[str]:
    """Return the words of ``text``, casefolded; masks are not words."""
    return {folded(word) for word in _pattern().findall(text.replace(MASK, " "))}


def touches(character: str) -> bool:
    """Return True if a word next to ``character`` would continue with it.

    The result is False in scripts without spaces (wide characters), because the tokenizer decides there.
    """
    wide = unicodedata.east_asian_width(character) in "WF"
    return (character.isalnum() or unicodedata.category(character)[0] == "M") and not wide

"""Texts of any script split into words and marks, to compare two texts and show how they differ."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable

__all__ = ["UNDECOMPOSED", "all_pieces", "is_unspaced", "plain_letters", "word_tokens"]

UNDECOMPOSED = {
    **{"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "æ": "ae", "Æ": "Ae"},
    **{"œ": "oe", "Œ": "Oe", "ß": "ss", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ħ": "h", "Ħ": "H"},
    **{"ŧ": "t", "Ŧ": "T", "ŋ": "n", "Ŋ": "N", "ẞ": "SS"},
}
"""Letters that Unicode does not decompose into a letter and a mark, with their forms without the mark."""
_PLAIN = str.maketrans(UNDECOMPOSED)

_UNSPACED = "\u0e00-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua980-\ua9ff\uaa60-\uaadf"
"""Thai, Lao, Tibetan, Burmese, Khmer, Tai and Javanese letters, which are written without spaces but are not
wide."""
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")


@functools.cache
def _pattern() -> re.Pattern[str]:
    # Python's \w excludes the vowel signs of many scripts, and the joiners inside words.
    marks, wide = (_ranges(is_member) for is_member in (_is_mark, _is_wide))
    letter = rf"[^\W{wide}\U00020000-\U0003ffff{_UNSPACED}]"
    inside = rf"[{marks}\u200c\u200d]"
    return re.compile(rf"{letter}+(?:{inside}+{letter}*)*|\s+|\S{inside}*")


def _ranges(found: Callable[[str], bool]) -> str:
    """Return the characters that are ``found``, as ranges: a class of single characters is far slower."""
    ranges: list[str] = []
    for is_one, codes in itertools.groupby(range(0x300, 0x20000), lambda code: found(chr(code))):
        if is_one:
            first, *others = codes
            ranges.append(f"{chr(first)}-{chr(others[-1])}" if others else chr(first))
    return "".join(ranges)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def _is_wide(character: str) -> bool:
    """Return whether the letter is of a wide script without spaces between words; Korean has spaces."""
    return (
        character.isalnum()
        and unicodedata.east_asian_width(character) in "WF"
        and not unicodedata.name(character, "").startswith("HANGUL")
    )


def is_unspaced(character: str) -> bool:
    """Return whether ``character`` is of a script without spaces between words."""
    return _is_wide(character) or _UNSPACED_CHARACTER.match(character) is not None


def all_pieces(text: str) -> list[str]:
    """Return the pieces of ``text``, which together are the text: words, white space, single marks.

    In scripts that are written without spaces between words each letter is a piece, with its marks.
    """
    return _pattern().findall(text)


def word_tokens(text: str) -> list[str]:
    """Return the pieces of ``text`` without white space."""
    return [piece for piece in all_pieces(text) if not piece.isspace()]


def plain_letters(text: str) -> str:
    """Return ``text`` without capitals and accents: Łukasiewicz and Møller become lukasiewicz and moller."""
    # twice: marks of one letter can hide another letter of the table, and a folded capital can have a mark
    for _ in range(2):
        text = unicodedata.normalize("NFKD", text.translate(_PLAIN).casefold())
        text = "".join(c for c in text if not unicodedata.combining(c))
    return text

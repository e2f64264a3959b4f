"""Words and letters of texts in any script, also in those that do not write spaces between words."""

from __future__ import annotations

import unicodedata

__all__ = ["find_word", "is_border", "is_unspaced", "is_word_character", "words"]

_UNSPACED = ("THAI", "LAO", "KHMER", "MYANMAR")


def is_word_character(c: str) -> bool:
    """Return whether ``c`` belongs to a word: a letter, a digit, or a sign on one, such as Hindi vowels."""
    return c.isalnum() or c in "_\u200c\u200d" or unicodedata.category(c).startswith("M")


def is_unspaced(c: str) -> bool:
    """Return whether ``c`` is of a script that writes no spaces between words."""
    script = unicodedata.name(c, "?").split()[0]
    return (unicodedata.east_asian_width(c) in "WF" and script != "HANGUL") or script in _UNSPACED


def words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case; each character of an unspaced script is one."""
    found: list[str] = []
    within = False
    for c in text.casefold():
        if not is_word_character(c):
            within = False
        elif is_unspaced(c):
            found.append(c)
            within = False
        elif within:
            found[-1] += c
        else:
            found.append(c)
            within = True
    return found


def find_word(text: str, word: str) -> int | None:
    """Return where ``word`` stands in ``text`` as a whole word; None if it does not.

    In scripts without spaces it is found anywhere. Case counts: fold both to ignore it.
    """
    at = text.find(word)
    while word and at >= 0:
        end = at + len(word)
        if is_border(text[at - 1 : at], word[0]) and is_border(text[end : end + 1], word[-1]):
            return at
        at = text.find(word, at + 1)
    return None


def is_border(outside: str, inside: str) -> bool:
    """Return whether a word may begin or end with ``inside`` where ``outside``, or nothing, is beside it."""
    return not outside or is_unspaced(inside) or not is_word_character(outside)

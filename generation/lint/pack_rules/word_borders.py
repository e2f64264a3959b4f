"""Words and letters of texts in any script, also in scripts without spaces between words."""

from __future__ import annotations

import unicodedata

from nextset.text_tokens import is_unspaced, word_tokens

__all__ = ["find_word", "is_border", "is_word_character", "words"]


def is_word_character(c: str) -> bool:
    """Return whether ``c`` is part of a word: a letter, a digit, or a sign on one, such as Hindi vowels."""
    return c.isalnum() or c in "_\u200c\u200d" or unicodedata.category(c).startswith("M")


def words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case; each character of an unspaced script is one."""
    return [token for token in word_tokens(text.casefold()) if is_word_character(token[0])]


def find_word(text: str, word: str) -> int | None:
    """Return the position of ``word`` in ``text`` as a whole word; None if it is not in ``text``.

    In scripts without spaces, it is found anywhere. Case counts: fold both texts to ignore it.
    """
    at = text.find(word)
    while word and at >= 0:
        end = at + len(word)
        if is_border(text[at - 1 : at], word[0]) and is_border(text[end : end + 1], word[-1]):
            return at
        at = text.find(word, at + 1)
    return None


def is_border(outside: str, inside: str) -> bool:
    """Return whether a word may begin or end with ``inside`` next to ``outside``, which may be empty."""
    return not outside or is_unspaced(inside) or not is_word_character(outside)

"""The spelling of a term that replaces another: capitals, the possessive, and English "a" and "an"."""

from __future__ import annotations

import re
from typing import Literal

from nextset.generation.sound_rules.english_articles import begins_with_vowel_sound
from nextset.letter_case import all_capitals, capitalised

__all__ = [
    "Capitals",
    "article_before",
    "capitals_of",
    "possessive_after",
    "with_capitals",
]

Capitals = Literal["as declared", "first", "each word", "all"]
"""The places of capitals that a term has in a text but not in the lexicon."""

_OPEN_QUOTE = re.compile(r"(?<!\w)['‘’](?=\w|\Z)")


def capitals_of(text: str, form: str, language: str = "") -> Capitals | None:
    """Return the kind of capitals of ``text`` as a spelling of ``form``, or None if it is not that form."""
    if text == form:
        return "as declared"
    if text == all_capitals(form, language) and sum(c.isalpha() for c in text) > 1:
        return "all"
    if text == capitalised(form, language):
        return "first"
    return "each word" if text == _each(form, language) else None


def with_capitals(form: str, capitals: Capitals, language: str = "", *, begins: bool) -> str:
    """Return ``form`` with ``capitals``, and with a capital first letter if it ``begins`` a sentence."""
    if capitals == "all":
        return all_capitals(form, language)
    if capitals == "each word":
        return _each(form, language)
    return capitalised(form, language) if capitals == "first" or begins else form


def article_before(article: str, old: str, new: str, *, capitals: bool) -> str:
    """Return the article that fits the form ``new``, given the ``article`` that was before ``old``.

    With ``capitals``, the terms are in ALL CAPS, and so is the article. A wrong article stays unchanged.
    """
    if (len(article) == 2) != begins_with_vowel_sound(old):
        return article
    if not begins_with_vowel_sound(new):
        return article[0]
    return article[0] + ("N" if article == "AN" or (article == "A" and capitals) else "n")


def possessive_after(mark: str, old: str, new: str, *, plural: bool | None, before: str) -> str | None:
    """Return the mark after ``new`` if ``mark`` (', 's or empty) follows ``old``, or None if in doubt.

    A plural in s takes only the apostrophe. In doubt are an apostrophe that may close a quotation that began
    in ``before`` (the text before the term), and the 's of a term of unknown number (``plural`` is None).
    """
    apostrophe, s = mark[:1], mark[1:]
    if not mark:
        return ""
    if s:
        if not new.lower().endswith("s") or plural is False:
            return mark
        return apostrophe if plural else None
    if not old.lower().endswith("s"):
        return mark
    if _OPEN_QUOTE.search(before):
        return None if not new.lower().endswith("s") else mark
    return mark if new.lower().endswith("s") else apostrophe + ("S" if new.isupper() else "s")


def _each(text: str, language: str) -> str:
    return " ".join(capitalised(word, language) for word in text.split(" "))

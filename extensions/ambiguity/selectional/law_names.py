"""The words of an answer without those that repeat the name of the law, which do not name a person."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from nextset.text_tokens import plain_letters, word_tokens

__all__ = ["Words", "occurs", "plain_words", "without_law"]

Words = tuple[str, ...]
"""Words in the order of a text."""

_POSSESSIVE = re.compile(r"(?<=\w)['’‘ʼ′`´]s\b")
_SEPARATORS = {",", ";", "&"}
"""Marks between the names of a list: a run of words does not cross them, unless the law's name has them."""
_BREAK = ""
"""The word in place of a removed run."""


def plain_words(text: str, *, separators: bool = False) -> Words:
    """Return the words of ``text`` without capitals, accents, marks and the possessive 's.

    With ``separators`` commas, semicolons and & are words as well.
    """
    words = word_tokens(_POSSESSIVE.sub("", plain_letters(text)))
    return tuple(w for w in words if any(c.isalnum() for c in w) or (separators and w in _SEPARATORS))


def occurs(some: Words, words: Sequence[str]) -> bool:
    """Return whether the words ``some`` occur in ``words`` in a row."""
    return any(tuple(words[i : i + len(some)]) == some for i in range(len(words) - len(some) + 1))


def without_law(answer: str, item: str, names: Collection[tuple[Words, Words]]) -> Words:
    """Return the words of ``answer`` without those that repeat the name of the law, ``item``.

    ``names`` are the right answers, each with the words of the family name and the words of the whole name.
    From its beginning, the answer is divided into the longest runs of words that are also in a row in
    ``item`` (a plural s is ignored). A run is removed if it has more than the name of one person: the family
    names of several people, or one person's family name and a word that is neither a part of this person's
    name nor an article or preposition of `JOINING`.
    """
    words, law = plain_words(answer, separators=True), plain_words(item, separators=True)
    kept: list[str] = []
    i = 0
    while i < len(words):
        length = _longest(words[i:], law)
        run = tuple(map(_singular, words[i : i + length]))
        if length and _repeats(run, names):
            kept.append(_BREAK)
        else:
            kept += words[i : i + max(length, 1)]
        i += max(length, 1)
    return tuple(kept)


JOINING = frozenset(
    {
        "a", "an", "and", "at", "by", "d", "da", "das", "de", "dei", "del", "della", "der", "des",
        "di", "die", "do", "du", "e", "el", "et", "for", "from", "i", "in", "l", "la", "las", "le",
        "les", "lo", "los", "o", "of", "on", "os", "par", "por", "the", "to", "und", "van", "vom",
        "von", "y",
    }
)  # fmt: skip
"""Words next to a family name that do not make it the name of a law: the Curies, of Curie."""


def _longest(words: Words, law: Words) -> int:
    """Return the length of the longest beginning of ``words`` that is in a row in ``law``."""
    most = 0
    for start in range(len(law)):
        n = 0
        while n < len(words) and start + n < len(law) and _singular(words[n]) == _singular(law[start + n]):
            n += 1
        most = max(most, n)
    return most


def _repeats(run: Words, names: Collection[tuple[Words, Words]]) -> bool:
    """Return whether a run of the law's name is more than the name of one person."""
    named: dict[Words, set[str]] = {}
    for family, whole in names:
        key = tuple(map(_singular, family))
        if key and occurs(key, run):
            named.setdefault(key, set()).update(map(_singular, whole))
    if len(named) != 1:
        return len(named) > 1
    (own,) = named.values()
    return any(word not in own and word not in JOINING and word not in _SEPARATORS for word in run)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word

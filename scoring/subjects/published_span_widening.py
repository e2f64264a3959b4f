"""The widening of an answer by adjacent words that readers tend to include, as in UnQover's published code.

The published lists have tokens, one list for the vocabulary of RoBERTa and one for that of uncased BERT. The
lists here have English words, regardless of the tokenizer and of case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["LANGUAGE", "Widening", "widening"]

LANGUAGE = "en"
"""The language of the lists."""

ARTICLES = frozenset({"a", "an", "the", "some", "few", "several"})
GROUPS = frozenset({("a", "group", "of"), ("a", "team", "of"), ("a", "couple", "of")})
HEADS = frozenset(
    {
        "man", "woman", "boy", "girl", "child", "kid", "person", "folk", "people", "couple", "men", "women",
        "boys", "girls", "children", "kids", "persons", "folks", "city", "country", "cities", "countries",
    }
)  # fmt: skip

_SPOTS = re.compile(r"\w+|[^\w\s]")
_NEXT = re.compile(r"\s+(\w+)|(\.)(?!\.)")


@dataclass(frozen=True, slots=True)
class Widening:
    """Additional positions for the beginning or the end of an answer, in characters of the context."""

    starts: tuple[int, ...]
    """The beginnings of the words before the answer."""
    ends: tuple[int, ...]
    """The end of the word or full stop after the answer."""


def widening(context: str, start: int, end: int) -> Widening:
    """Return the positions where the span of ``context`` from ``start`` to ``end`` may also begin or end.

    Before the span: an article or quantifier, or each word of "a group of", "a team of", "a couple of". After
    the span: a head noun such as *woman* or *country*, or a full stop directly after it.
    """
    before = context[:start]
    starts: list[int] = []
    if before[-1:].isspace():
        spots = [(m[0].casefold(), m.start()) for m in _SPOTS.finditer(before)][-3:]
        if spots and spots[-1][0] in ARTICLES:
            starts.append(spots[-1][1])
        if tuple(word for word, _ in spots) in GROUPS:
            starts += [place for _, place in spots]
    follows = _NEXT.match(context, end)
    belongs = follows and (follows[2] or follows[1].casefold() in HEADS)
    return Widening(tuple(starts), (follows.end(),) if follows and belongs else ())

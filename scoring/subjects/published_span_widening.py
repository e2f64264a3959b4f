"""An answer widened by the words around it that readers tend to include, as in UnQover's published code.

The published lists are of tokens, one for the vocabulary of RoBERTa, one for that of uncased BERT. Here they
are of English words, whatever the tokenizer and their case.
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
    """Further positions where an answer can begin or end, in characters of the context."""

    starts: tuple[int, ...]
    """Where the words before it begin."""
    ends: tuple[int, ...]
    """Where what follows it ends."""


def widening(context: str, start: int, end: int) -> Widening:
    """Where the span of ``context`` from ``start`` to ``end`` may begin or end instead.

    Before it: an article or quantifier, or each word of "a group of", "a team of", "a couple of". After it:
    a head noun such as *woman* or *country*, or a full stop that touches it.
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

"""The places where a context mentions the options of a question."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from nextset.scoring.prompts.answer_parsing import AROUND, UNSPACED
from nextset.scoring.prompts.option_reading import article_before, bare_option

__all__ = ["Span", "option_mentions"]

Span = tuple[int, int]
"""A place in a text: first character, character after the last."""


def option_mentions(context: str, options: Sequence[str], unknown: int) -> list[tuple[Span, ...]]:
    """Return the places where ``context`` mentions each of ``options``, from left to right.

    A mention is the option's text in upper or lower case, as whole words, without its article; if there is an
    article before it in the context, the text with that article is a second place. If the context does not
    have the whole text (the Jewish one), the longest part of it counts that the context has and that has a
    word of this option alone (Jewish). A mention inside a longer mention of a different option does not
    count. ``unknown`` and options that the context does not mention have no places.
    """
    places = [
        [] if n == unknown else _whole_or_part(context, option, [*options[:n], *options[n + 1 :]])
        for n, option in enumerate(options)
    ]
    everywhere = {span for spans in places for span in spans}
    return [
        tuple(
            place
            for span in spans
            if not any(other != span and other[0] <= span[0] and span[1] <= other[1] for other in everywhere)
            for place in dict.fromkeys((span, (article_before(context, span[0]), span[1])))
        )
        for spans in places
    ]


def _whole_or_part(context: str, option: str, others: Sequence[str]) -> list[Span]:
    """Return the places of ``option`` in ``context``, or of its longest part with a word of its own."""
    text = bare_option(option.strip(AROUND))
    whole = _places(context, text)
    if whole:
        return whole
    words = text.split()
    elsewhere = {word for other in others for word in other.casefold().split()}
    own = [place for place, word in enumerate(words) if word.casefold() not in elsewhere]
    parts = {
        " ".join(words[first:end])
        for first, end in itertools.combinations(range(len(words) + 1), 2)
        if any(first <= place < end for place in own)
    }
    for part in sorted(parts, key=lambda part: (-len(part), part)):
        if spans := _places(context, part):
            return spans
    return []


def _places(context: str, text: str) -> list[Span]:
    if not text:
        return []
    before, after = (rf"(?{side}[^\W{UNSPACED}])" for side in ("<!", "!"))
    words = r"\s+".join(map(re.escape, text.split()))
    return [m.span() for m in re.finditer(f"{before}{words}{after}", context, re.IGNORECASE)]

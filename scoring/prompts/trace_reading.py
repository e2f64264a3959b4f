"""Readings of a model's thinking: the choice that it concludes with, and the names that it mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nextset.scoring.prompts.answer_parsing import choice_of, folded_case, mentioned_choices, plain_choice

__all__ = ["conclusion_of", "mentions"]

_SENTENCE = re.compile(r"[^.!?\n。！？؟।॥]+")
LONGEST = 200
"""The most characters of a sentence that states a conclusion; a longer one argues."""


def conclusion_of(thoughts: str, choices: Sequence[str]) -> int | None:
    """Return the position of the choice that ``thoughts`` state last; None if they state none.

    A sentence states a choice if it is the choice, or if it ends with the choice after a fixed frame (So the
    answer is yes), as `nextset.scoring.prompts.answer_parsing.choice_of` reads answers. A choice at the
    beginning of a longer sentence (No, wait) does not count: thoughts weigh the choices.
    """
    plain = tuple(filter(None, map(plain_choice, choices)))
    for sentence in reversed(_SENTENCE.findall(thoughts)):
        stated = plain_choice(sentence) if len(sentence) <= LONGEST else ""
        if not stated.endswith(plain):  # most sentences need no further reading
            continue
        place = choice_of(sentence, choices)
        if place is not None and stated.endswith(plain_choice(choices[place])):
            return place
    return None


def mentions(text: str, name: str, other: str = "") -> bool:
    """Return True if ``text`` contains ``name`` as whole words, in upper or lower case.

    Scripts without spaces between words have no whole words: there, any place counts. A name inside the
    longer name ``other`` does not count.
    """
    named, rest = plain_choice(name), plain_choice(other)
    folded = folded_case(text)
    if not named or not all(part in folded for part in named.split()):  # most texts need no pattern
        return False
    return named in mentioned_choices(folded, [named, rest])

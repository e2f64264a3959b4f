"""Readings of a model's thinking: the choice that it concludes with, and the names that it mentions."""

from __future__ import annotations

import re

from nextset.scoring.prompts.answer_parsing import choice_of, folded_case, mentioned_choices, plain_choice
from nextset.scoring.prompts.option_reading import option_of
from nextset.scoring.prompts.rendered_prompt import Rendered

__all__ = ["conclusion_of", "mentions"]

_SENTENCE = re.compile(r"[^.!?\n。！？؟।॥]+")
LONGEST = 200
"""The most characters of a sentence that states a conclusion; a longer one argues."""


def conclusion_of(thoughts: str, prompt: Rendered) -> int | None:
    """Return the position of the choice of ``prompt`` that ``thoughts`` state last; None if they state none.

    A sentence states a choice if it is the choice, or if it ends with the choice after a fixed frame (So the
    answer is yes), as `nextset.scoring.prompts.answer_parsing.choice_of` reads answers. A choice at the
    beginning of a longer sentence (No, wait) does not count: thoughts weigh the choices.
    """
    texts = (*prompt.letters, *prompt.options) or prompt.choices
    plain = tuple(filter(None, map(plain_choice, texts)))
    for sentence in reversed(_SENTENCE.findall(thoughts)):
        stated = plain_choice(sentence) if len(sentence) <= LONGEST else ""
        if not stated.endswith(plain):  # most sentences need no further reading
            continue
        if prompt.options:
            place = option_of(sentence, prompt.letters, prompt.options)
        else:
            place = choice_of(sentence, prompt.choices)
        if place is not None and stated.endswith(tuple(map(plain_choice, _texts_of(prompt, place)))):
            return place
    return None


def _texts_of(prompt: Rendered, place: int) -> list[str]:
    """Return the texts that state the choice at ``place``."""
    kinds = (prompt.letters, prompt.options) if prompt.options else (prompt.choices,)
    return [texts[place] for texts in kinds if texts]


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

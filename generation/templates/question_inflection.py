"""The words of a question: the fills of its hypothesis, inflected for the question."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.generation.word_forms import english_words
from nextset.study.mask_constraint import MaskConstraint

__all__ = ["question_words"]


def question_words(
    words: Sequence[str], constraints: Sequence[MaskConstraint], forms: Sequence[str]
) -> list[str] | None:
    """Return ``words``, one per mask, in the ``forms`` of a question, such as verb.base; empty: unchanged.

    ``constraints`` say how each word should be read. None if a word has no such form. In a word of several
    parts, the first part of a verb and the last part of a noun is inflected.
    """
    inflected_words = []
    for word, constraint, form in zip(words, constraints, forms, strict=True):
        inflected = _inflected(word, constraint.categories, form) if form else word
        if inflected is None:
            return None
        inflected_words.append(inflected)
    return inflected_words


def _inflected(word: str, categories: Sequence[str], form: str) -> str | None:
    first, space, rest = word.partition(" ")
    if not space:
        return english_words().inflected(word, categories, form)
    if form.startswith("verb."):
        head = english_words().inflected(first, categories, form)
        return None if head is None else f"{head} {rest}"
    start, _, last = word.rpartition(" ")
    head = english_words().inflected(last, categories, form)
    return None if head is None else f"{start} {head}"

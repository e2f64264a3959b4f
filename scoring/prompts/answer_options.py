"""The answers yes, maybe and no as texts, for extractive readers and models that choose among answers."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from nextset.errors import StudyError
from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_reader import LocatedYaml
from nextset.records.content_ids import content_id
from nextset.scoring.prompts.prompt_placeholders import PromptText

__all__ = ["AnswerOptions", "AnswerTexts", "Place", "check_options"]

Place = tuple[int, int]
"""The position of an answer in a text: first character, character after the last."""


class AnswerTexts(HandWritten):
    """The texts of the three answers, by label."""

    entailment: PromptText
    """yes"""
    neutral: PromptText
    """maybe: it cannot be known."""
    contradiction: PromptText
    """no"""

    @property
    def in_order(self) -> tuple[str, str, str]:
        """The three texts, in the order of the labels."""
        return (self.entailment, self.neutral, self.contradiction)


class AnswerOptions(HandWritten):
    """The section options of a file of wordings."""

    choices: AnswerTexts
    """The answers that a multiple-choice model chooses from."""
    listed: tuple[PromptText, ...]
    """Sentences with all three answers; an extractive reader reads each sentence after the premise, and
    scores are means over the sentences."""

    @property
    def digest(self) -> str:
        """A digest of all texts."""
        return content_id("options", *self.choices.in_order, *self.listed)

    def places(self, sentence: int) -> tuple[Place, Place, Place]:
        """Return the places of the answers in a sentence of `listed`, in the order of the labels."""
        first, second, third = (_found(text, self.listed[sentence])[0] for text in self.choices.in_order)
        return (first, second, third)


def check_options(options: AnswerOptions, file: Path, located: LocatedYaml) -> None:
    """Raise StudyError if two answers are equal, if a sentence does not have each answer once, or if the
    answers are not equally often in each position, which would bias the scores.
    """
    texts = options.choices.in_order
    if len({text.casefold() for text in texts}) < len(texts):
        raise StudyError(
            f"two choices are the same: {', '.join(map(repr, texts))}",
            file=file,
            line=located.line(("options", "choices")),
            remedy="write three choices that differ in more than case",
        )
    orders = Counter[tuple[int, int]]()
    for i, sentence in enumerate(options.listed):
        problem = _problem(sentence, texts)
        if problem:
            raise StudyError(
                problem,
                file=file,
                line=located.line(("options", "listed", i)),
                remedy="write a sentence with each choice once, such as: Yes, no or maybe.",
            )
        begins = [begin for begin, _ in options.places(i)]
        orders.update((answer, sorted(begins).index(begin)) for answer, begin in enumerate(begins))
    if len({orders[answer, place] for answer in range(3) for place in range(3)}) > 1 or not options.listed:
        raise StudyError(
            "the three choices are not listed equally often in first, second and third place, which would "
            "bias the scores",
            file=file,
            line=located.line(("options", "listed")),
            remedy="write three sentences, with each choice in a different place each time",
        )


def _problem(sentence: str, texts: Sequence[str]) -> str:
    """Return the reason why ``sentence`` cannot list the answers; empty if it can."""
    for text in texts:
        times = len(_found(text, sentence))
        if times != 1:
            return f"{sentence!r} must have the choice {text!r} once, not {times} times"
    places = [_found(text, sentence)[0] for text in texts]
    if any(a[0] < b[1] and b[0] < a[1] for a, b in itertools.combinations(places, 2)):
        return f"in {sentence!r}, one choice is part of another"
    return ""


def _found(text: str, sentence: str) -> list[Place]:
    """Return the places of ``text`` in ``sentence``, as whole words, in upper or lower case."""
    return [m.span() for m in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", sentence, re.IGNORECASE)]

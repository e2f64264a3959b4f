"""The answers yes, maybe and no as texts, for models that read spans or choose among answers."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path

from nextset.errors import StudyError
from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_reader import LocatedYaml
from nextset.records.content_ids import content_id
from nextset.scoring.generative.prompt_placeholders import PromptText

__all__ = ["AnswerOptions", "AnswerTexts", "Place", "check_options"]

Place = tuple[int, int]
"""The position of an answer in a text: first character, character after the last."""


class AnswerTexts(HandWritten):
    """The texts of the three answers, by the label that each stands for."""

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
    """Sentences with all three answers, one of which follows the premise that an extractive reader reads; the
    numbers are means over them."""

    @property
    def digest(self) -> str:
        """Content hash of all texts."""
        return content_id("options", *self.choices.in_order, *self.listed)

    def places(self, sentence: int) -> tuple[Place, Place, Place]:
        """Where the answers are in a sentence of `listed`, in the order of the labels."""
        first, second, third = (_found(text, self.listed[sentence])[0] for text in self.choices.in_order)
        return (first, second, third)


def check_options(options: AnswerOptions, file: Path, located: LocatedYaml) -> None:
    """Raise StudyError if two answers are equal, if a sentence does not have each answer once, or if one of
    them is more often in one place of the sentences than another: its position would bias the scores.
    """
    texts = options.choices.in_order
    if len({text.strip().casefold() for text in texts}) < len(texts) or not all(map(str.strip, texts)):
        raise StudyError(
            "two choices are the same, or one has no words: " + ", ".join(map(repr, texts)),
            file=file,
            line=located.line(("options", "choices")),
            remedy="write three choices that differ in more than case",
        )
    places = Counter[tuple[str, int]]()
    for i, sentence in enumerate(options.listed):
        line = located.line(("options", "listed", i))
        for text in texts:
            times = len(_found(text, sentence))
            if times != 1:
                raise StudyError(
                    f"{sentence!r} has the choice {text!r} {times} times",
                    file=file,
                    line=line,
                    remedy="write a sentence with each choice once, such as: Yes, no or maybe.",
                )
        found = options.places(i)
        if any(a[0] < b[1] and b[0] < a[1] for a, b in itertools.combinations(found, 2)):
            raise StudyError(
                f"in {sentence!r} one choice is part of another",
                file=file,
                line=line,
                remedy="write each choice in a place of its own",
            )
        places.update(zip(sorted(texts, key=lambda text: found[texts.index(text)]), range(3), strict=True))
    if not options.listed or len({places[text, at] for text in texts for at in range(3)}) > 1:
        raise StudyError(
            "the three choices are not listed equally often in first, second and third place: the position "
            "would bias the scores",
            file=file,
            line=located.line(("options", "listed")),
            remedy="write three sentences, with each choice in another place of each",
        )


def _found(text: str, sentence: str) -> list[Place]:
    """Where ``text`` occurs in ``sentence`` as words, in any case."""
    return [m.span() for m in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", sentence, re.IGNORECASE)]

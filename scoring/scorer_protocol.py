"""The protocol for every kind of model, with its inputs (texts) and outputs (rows of numbers)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from nextset.records.choice_items import OPTION_SCORES
from nextset.records.prompt_outcomes import OUTCOMES

__all__ = [
    "ANSWER_COLUMNS",
    "CHOICE_COLUMNS",
    "NLI_COLUMNS",
    "OUTCOME_COLUMNS",
    "SUBJECT_COLUMNS",
    "ChoiceQuestion",
    "Numbers",
    "Pair",
    "Question",
    "Scorer",
    "Statement",
    "TextQuestion",
    "YesNoQuestion",
]

Numbers = npt.NDArray[np.float64]
"""One row of numbers per input, shape (inputs, columns); NaN for numbers that the model does not have."""

NLI_COLUMNS = ("entailment", "neutral", "contradiction", "truncated")
"""The numbers of an NLI pair; a model with two labels has NaN for neutral and contradiction. For a yes/no
question, the first three stand for yes, maybe and no."""

SUBJECT_COLUMNS = ("subject1", "subject2", "no_answer", "truncated")
"""The numbers of a question or statement: a score for each subject as the answer, a score for no answer (NaN
if the model must always answer), and 1 if the input was cut."""

CHOICE_COLUMNS = (*OPTION_SCORES, "flips", "order_margin", "truncated")
"""The numbers of a question with options: the probability of each option in the order of the input (NaN for
places without one), the share of the orders in which a different option is chosen and the least margin of
such a choice (both NaN if there is one order), and 1 if the input was cut."""

ANSWER_COLUMNS = ("start", "end", "score", "no_answer", "windows", "margin")
"""The numbers of an answer: its first character and the character after its last (NaN for no answer),
√(p_start · p_end) of the best span, the same for no answer (NaN if the model must always answer), the number
of windows of the context, and the sum of its logits minus that of the next best answer."""

OUTCOME_COLUMNS = (*OUTCOMES, "votes")
"""Further numbers of an input from a model that can leave a prompt unanswered: the share of the prompts with
each outcome, and 1 if the numbers are votes, at least in part."""


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """The texts of an NLI item."""

    premise: str
    hypothesis: str

    def texts(self) -> tuple[str, ...]:
        """Return the texts that decide the answer."""
        return (self.premise, self.hypothesis)


@dataclass(frozen=True, slots=True, order=True)
class YesNoQuestion:
    """An NLI item as a question: yes for entailment, no for contradiction, maybe for neutral (Akyürek et al.
    2022)."""

    premise: str
    question: str
    """The hypothesis as a yes/no question."""

    def texts(self) -> tuple[str, ...]:
        """Return the texts that decide the answer."""
        return (self.premise, self.question)


@dataclass(frozen=True, slots=True, order=True)
class Question:
    """One of a quad's four questions."""

    context: str
    question: str
    subjects: tuple[str, str]
    """The first and the second subject as they are written in the context."""
    spans: tuple[tuple[int, int], tuple[int, int]]
    """The positions of the subjects in the context: first character, character after the last."""

    def texts(self) -> tuple[str, ...]:
        """Return the texts that decide the answer."""
        places = (str(place) for span in self.spans for place in span)
        return (self.context, self.question, *self.subjects, *places)


@dataclass(frozen=True, slots=True, order=True)
class Statement:
    """One of a masked statement's four inputs: a context and a sentence with {{MASK}}."""

    context: str
    statement: str
    candidates: tuple[str, str]
    """The first and the second subject as they are written at the mask."""
    clusters: tuple[str, str]
    """The clusters of the subjects, such as female; empty for subjects without a cluster."""

    def texts(self) -> tuple[str, ...]:
        """Return the texts that decide the answer."""
        return (self.context, self.statement, *self.candidates, *self.clusters)


@dataclass(frozen=True, slots=True, order=True)
class TextQuestion:
    """A question about a text."""

    context: str
    question: str

    def texts(self) -> tuple[str, ...]:
        """Return the texts that decide the answer."""
        return (self.context, self.question)


@dataclass(frozen=True, slots=True, order=True)
class ChoiceQuestion:
    """A question about a context, with options."""

    context: str
    question: str
    options: tuple[str, ...]
    """The options in the order of the item."""
    unknown: int
    """The place of the option that means: it cannot be known; -1 if there is none."""

    def texts(self) -> tuple[str, ...]:
        """Return the texts that decide the answer."""
        return (self.context, self.question, *self.options, str(self.unknown))


Encoded = TypeVar("Encoded")


class Scorer(Protocol[Encoded]):
    """A model of one kind, ready for one form; `nextset.scoring.model_kinds.scorer_of` creates it."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers of the form, such as `NLI_COLUMNS` or `CHOICE_COLUMNS`."""
        ...

    def encoded(self, inputs: Sequence[Any]) -> Sequence[Encoded]:
        """Return the inputs, in order, as the model reads them; runs in a thread, ahead of the model.

        Raises ModelError, which lists all inputs that are too long, unless the study says to cut them.
        """
        ...

    def scores(self, encoded: Sequence[Encoded]) -> Numbers:
        """Return the numbers of each input, scored in batches; raises ModelError if one is not finite."""
        ...

    def exact(self, encoded: Sequence[Encoded]) -> Numbers:
        """Return the same in float32, in batches; equal to `scores` if the study's precision is float32."""
        ...

    def alone(self, encoded: Sequence[Encoded]) -> Numbers:
        """Return the same in float32, with each input by itself, so that its numbers depend only on it."""
        ...

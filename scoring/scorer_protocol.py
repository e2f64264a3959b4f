"""The protocol that every kind of model implements, with its inputs (texts) and outputs (rows of numbers)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from nextset.study.scoring_settings import ModelSettings, ScoringSettings

if TYPE_CHECKING:
    from nextset.scoring.generative.prompt_wordings import Prompts

__all__ = [
    "ANSWER_COLUMNS",
    "FORMS",
    "NLI_COLUMNS",
    "SUBJECT_COLUMNS",
    "Asking",
    "Form",
    "Numbers",
    "Pair",
    "Question",
    "Scorer",
    "Statement",
    "TextQuestion",
    "YesNoQuestion",
]

Form = Literal["nli", "qa", "question", "statement", "answer"]
"""The forms of rows: NLI items, the same as yes/no questions, question quads, masked statements; and
questions about a text, to which models find the answer themselves."""

FORMS: tuple[Form, ...] = ("nli", "qa", "question", "statement")
"""The forms of the rows that studies make and audit."""

Numbers = npt.NDArray[np.float64]
"""A row of numbers for each input, shape (inputs, columns); NaN if the model has no such number."""

NLI_COLUMNS = ("entailment", "neutral", "contradiction", "truncated")
"""The numbers of an NLI pair; a model with two labels has NaN for neutral and contradiction. Of a yes/no
question they are yes, maybe and no."""

SUBJECT_COLUMNS = ("subject1", "subject2", "no_answer", "truncated")
"""The numbers that a scorer of questions or statements gives: a score for each subject as the answer, one for
no answer (NaN if the model cannot say so), and 1 if the input was cut."""


ANSWER_COLUMNS = ("start", "end", "score", "no_answer", "windows", "margin")
"""The numbers of an answer: its first character and the character after its last (NaN if the model says that
there is none), √(p_start · p_end) of the best span, the same of no answer (NaN if the model may not say so),
windows of the context, and how much higher the sum of its logits is than that of the next best answer."""


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """An NLI item's texts."""

    premise: str
    hypothesis: str

    def texts(self) -> tuple[str, ...]:
        """The texts that decide the answer."""
        return (self.premise, self.hypothesis)


@dataclass(frozen=True, slots=True, order=True)
class YesNoQuestion:
    """An NLI item as a question: yes is entailment, no contradiction, maybe neutral (Akyürek et al. 2022)."""

    premise: str
    question: str
    """The hypothesis as a yes/no question."""

    def texts(self) -> tuple[str, ...]:
        """The texts that decide the answer."""
        return (self.premise, self.question)


@dataclass(frozen=True, slots=True, order=True)
class Question:
    """One of a quad's four questions."""

    context: str
    question: str
    subjects: tuple[str, str]
    """The first and the second subject as the context writes them."""
    spans: tuple[tuple[int, int], tuple[int, int]]
    """Their positions in the context: first character, character after the last."""

    def texts(self) -> tuple[str, ...]:
        """The texts that decide the answer."""
        places = (str(place) for span in self.spans for place in span)
        return (self.context, self.question, *self.subjects, *places)


@dataclass(frozen=True, slots=True, order=True)
class Statement:
    """One of a masked statement's four: a context and a sentence with {{MASK}}."""

    context: str
    statement: str
    candidates: tuple[str, str]
    """The first and the second subject as the mask takes them."""
    clusters: tuple[str, str]
    """Their clusters, such as female; empty if there are none."""

    def texts(self) -> tuple[str, ...]:
        """The texts that decide the answer."""
        return (self.context, self.statement, *self.candidates, *self.clusters)


@dataclass(frozen=True, slots=True, order=True)
class TextQuestion:
    """A question about a text."""

    context: str
    question: str

    def texts(self) -> tuple[str, ...]:
        """The texts that decide the answer."""
        return (self.context, self.question)


@dataclass(frozen=True)
class Asking:
    """How one model is asked: everything that decides its answers except its files and the input."""

    form: Form
    """The form that it is asked about."""
    scoring: ScoringSettings
    """The study's settings for all models."""
    model: ModelSettings = field(default_factory=ModelSettings)
    """The study's settings for this one."""
    prompts: Prompts | None = None
    """The study's wordings for models that write text; nextset's own if None."""

    def __hash__(self) -> int:
        return hash((self.form, self.scoring.model_dump_json(), self.model.model_dump_json()))


Encoded = TypeVar("Encoded")


class Scorer(Protocol[Encoded]):
    """A model of one kind, ready for one form; made by `nextset.scoring.model_kinds.scorer_of`."""

    @property
    def columns(self) -> tuple[str, ...]:
        """`NLI_COLUMNS`, `SUBJECT_COLUMNS` or `ANSWER_COLUMNS`."""
        ...

    def encoded(self, inputs: Sequence[Any]) -> Sequence[Encoded]:
        """The inputs as the model reads them, in their order; runs in a thread, ahead of the model.

        Raises ModelError, which lists all inputs that are too long, unless the study says to cut them.
        """
        ...

    def scores(self, encoded: Sequence[Encoded]) -> Numbers:
        """The numbers of each, in batches that the scorer chooses; raises ModelError if one is not finite."""
        ...

    def exact(self, encoded: Sequence[Encoded]) -> Numbers:
        """The same in float32, in batches; equal to `scores` if the study's precision is float32."""
        ...

    def alone(self, encoded: Sequence[Encoded]) -> Numbers:
        """The same, each by itself in float32: its numbers depend on nothing but itself."""
        ...

"""What every kind of model offers to be asked: texts in, a row of numbers out."""

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
]

Form = Literal["nli", "question", "statement"]
"""What is asked: NLI items, question quads, masked statements."""

FORMS: tuple[Form, ...] = ("nli", "question", "statement")

Numbers = npt.NDArray[np.float64]
"""A row of numbers for each input, shape (inputs, columns); NaN where the model has no such number."""

NLI_COLUMNS = ("entailment", "neutral", "contradiction", "truncated")
"""What a scorer of NLI pairs gives; a model with two labels has NaN for neutral and contradiction."""

SUBJECT_COLUMNS = ("subject1", "subject2", "no_answer", "truncated")
"""What a scorer of questions or statements gives: what the model thinks of each subject as the answer, of no
answer (NaN where it cannot say so), and 1 where the input was cut."""


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """An NLI item's texts."""

    premise: str
    hypothesis: str

    def texts(self) -> tuple[str, ...]:
        """What the answer depends on."""
        return (self.premise, self.hypothesis)


@dataclass(frozen=True, slots=True, order=True)
class Question:
    """One of a quad's four questions."""

    context: str
    question: str
    subjects: tuple[str, str]
    """The first and the second subject as the context writes them."""
    spans: tuple[tuple[int, int], tuple[int, int]]
    """Where they stand in the context: first character, character after the last."""

    def texts(self) -> tuple[str, ...]:
        """What the answer depends on."""
        places = (str(place) for span in self.spans for place in span)
        return (self.context, self.question, *self.subjects, *places)


@dataclass(frozen=True, slots=True, order=True)
class Statement:
    """One of a masked statement's four: a context and what is said of {{MASK}}."""

    context: str
    statement: str
    candidates: tuple[str, str]
    """The first and the second subject as the mask takes them."""
    clusters: tuple[str, str]
    """Their clusters, such as female; empty where there is none."""

    def texts(self) -> tuple[str, ...]:
        """What the answer depends on."""
        return (self.context, self.statement, *self.candidates, *self.clusters)


@dataclass(frozen=True)
class Asking:
    """How one model is asked: all that decides its answers besides its files and the input."""

    form: Form
    """What it is asked about."""
    scoring: ScoringSettings
    """The study's settings for all models."""
    model: ModelSettings = field(default_factory=ModelSettings)
    """The study's settings for this one."""
    prompts: Prompts | None = None
    """The study's wordings for models that write text; nextset's own where there are none."""

    def __hash__(self) -> int:
        return hash((self.form, self.scoring.model_dump_json(), self.model.model_dump_json()))


Encoded = TypeVar("Encoded")


class Scorer(Protocol[Encoded]):
    """A model of one kind, ready for one form; made by `nextset.scoring.model_kinds.scorer_of`."""

    @property
    def columns(self) -> tuple[str, ...]:
        """`NLI_COLUMNS` or `SUBJECT_COLUMNS`."""
        ...

    def encoded(self, inputs: Sequence[Any]) -> Sequence[Encoded]:
        """The inputs as the model reads them, in their order; runs in a thread, ahead of the model.

        Raises ModelError for inputs that are too long, all of them listed, unless they are to be cut.
        """
        ...

    def scores(self, encoded: Sequence[Encoded]) -> Numbers:
        """The numbers of each, in batches of its own choosing; raises ModelError where one is not finite."""
        ...

    def exact(self, encoded: Sequence[Encoded]) -> Numbers:
        """The same in float32, in batches; nothing else where the study's precision is float32."""
        ...

    def alone(self, encoded: Sequence[Encoded]) -> Numbers:
        """The same, each by itself in float32: its numbers depend on nothing but itself."""
        ...

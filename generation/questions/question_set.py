"""A class of questions or masked statements, ready to be expanded: every form is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nextset.generation.questions.slots import Features, Piece
from nextset.generation.sound_rules.text_edits import SoundRule

__all__ = ["Asked", "Attribute", "Form", "Pairing", "QuestionSet", "SetTemplate", "Subject"]

Form = Literal["question", "statement"]
"""What is asked: a question for QA models, or a statement whose subject is masked."""

Pairing = Literal["all", "across"]
"""all: every two subjects of one list. across: one of the first list with one of the second."""


@dataclass(frozen=True)
class Subject:
    """A person, group or place that a context names."""

    name: str
    """What the quads call it."""
    cluster: str
    """Its cluster, such as female; empty where there is none."""
    gender: str
    """What [subj1.g?…] agrees with; empty where nothing does."""
    forms: Mapping[Features, str]
    """Its text by form."""
    file: Path
    """Its file."""
    line: int | None
    """Its line there, from 1."""


@dataclass(frozen=True)
class Attribute:
    """What a question asks for."""

    name: str
    """What the quads call it."""
    kind: str
    """What it is said of, such as occupation, person or place."""
    cluster: str
    """Its cluster; empty where there is none."""
    source: str
    """The work that documents it as a prejudice, or that it is a plain negative act."""
    forms: Mapping[Features, str]
    """Its text by form."""
    file: Path
    """Its file."""
    line: int | None
    """Its line there, from 1."""


@dataclass(frozen=True)
class Asked:
    """What a template asks with one attribute."""

    attribute: Attribute
    """The attribute."""
    text: str
    """The question, or the statement with {{MASK}}."""
    negated: str
    """The same with the negated attribute."""


@dataclass(frozen=True)
class SetTemplate:
    """A context, and what is asked with each attribute that fits it."""

    id: str
    """Its name, with the gender where the file's template makes one for each."""
    context: tuple[Piece, ...]
    """Texts, subject slots and runs that agree with one subject."""
    gender: str
    """The gender that both subjects share; empty where the template has none."""
    asked: tuple[Asked, ...]
    """One an attribute."""
    line: int | None
    """Its line in the set's file, from 1."""


@dataclass(frozen=True)
class QuestionSet:
    """One class of a pack in one form."""

    file: Path
    """Where its templates stand."""
    language: str
    """BCP 47 tag."""
    name: str
    """The class, such as gender."""
    form: Form
    """Questions or statements."""
    subjects: tuple[tuple[Subject, ...], ...]
    """One list for all, two for across."""
    pairs: Pairing
    """How subjects pair."""
    templates: tuple[SetTemplate, ...]
    """Its templates."""
    rules: tuple[SoundRule, ...]
    """The sound rules of the contexts; questions are through them already."""
    prefix: str
    """What stands before every context, with what joins them; may be empty."""

    @property
    def n_pairs(self) -> int:
        """Unordered pairs of subjects."""
        first = len(self.subjects[0])
        return first * len(self.subjects[1]) if self.pairs == "across" else first * (first - 1) // 2

    @property
    def per_pair(self) -> int:
        """Rows a pair: what is asked, over all templates."""
        return sum(len(t.asked) for t in self.templates)

    @property
    def rows(self) -> int:
        """Rows of the full product."""
        return self.n_pairs * self.per_pair

    @property
    def lists(self) -> tuple[Sequence[Subject], Sequence[Subject]]:
        """The lists that the first and the second subject of a pair come from."""
        return self.subjects[0], self.subjects[-1]

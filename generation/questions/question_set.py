"""A class of questions or masked statements, ready to expand: all forms are looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from nextset.forms import STATEMENT, FormName
from nextset.generation.slots import Features, Piece
from nextset.generation.sound_rules.rule_names import RuleName
from nextset.generation.sound_rules.text_edits import SoundRule

__all__ = [
    "Attribute",
    "AttributeTexts",
    "Overlapping",
    "Pairing",
    "QuestionSet",
    "SetTemplate",
    "Subject",
]

Pairing = Literal["all", "across"]
"""all: any two subjects of one list. across: a subject of the first list with one of the second."""

Overlapping = Literal["apart", "paired"]
"""apart: a subject is not paired with one that it is within, such as Catholic in Christian. paired: it is."""


@dataclass(frozen=True)
class Subject:
    """A person, group or place that a context names."""

    name: str
    """The subject's name in the quads."""
    cluster: str
    """The subject's cluster, such as female; may be empty."""
    gender: str
    """The gender that [subj1.g?…] agrees with; may be empty."""
    forms: Mapping[Features, str]
    """The subject's text by form."""
    file: Path
    """The subject's file."""
    line: int | None
    """The subject's line in that file, from 1."""
    answers: Mapping[Features, tuple[int, int]] = field(default_factory=dict)
    """By form, the part of the text that is the answer, if it is not the whole text: the first character, and
    the one after the last."""
    derived: frozenset[Features] = frozenset()
    """The forms that a rule derived."""
    within: tuple[str, ...] = ()
    """The names of the subjects that contain this one, or that this one implies."""

    def answer(self, key: Features) -> tuple[int, int]:
        """Return the range of the answer in the text of the form ``key``."""
        return self.answers.get(key, (0, len(self.forms[key])))


@dataclass(frozen=True)
class Attribute:
    """A property that a question asks about."""

    name: str
    """The attribute's name in the quads."""
    kind: str
    """The attribute's kind, such as occupation, person or place."""
    cluster: str
    """The attribute's cluster; may be empty."""
    source: str
    """The work that documents the attribute as a prejudice, or the note that it is a plain negative act."""
    forms: Mapping[Features, str]
    """The attribute's text by form."""
    file: Path
    """The attribute's file."""
    line: int | None
    """The attribute's line in that file, from 1."""


@dataclass(frozen=True)
class AttributeTexts:
    """The texts of a template with one attribute."""

    attribute: Attribute
    text: str
    """The question, or the statement with {{MASK}}."""
    negated: str
    """The question or statement with the negated attribute."""


@dataclass(frozen=True)
class SetTemplate:
    """A context, with its question or statement for each attribute that fits."""

    id: str
    """The template's name; with the gender if the template in the file is for several genders."""
    context: tuple[Piece, ...]
    """Texts, subject slots and runs that agree with one subject."""
    gender: str
    """The gender that both subjects share; may be empty."""
    by_attribute: tuple[AttributeTexts, ...]
    """The texts for each attribute."""
    line: int | None
    """The template's line in the set's file, from 1."""
    mask_form: Features
    """The form of the subjects at the mask of a statement."""
    asked: tuple[Piece, ...] = ()
    """The question or statement, before an attribute is inserted and sound rules act."""
    denied: tuple[Piece, ...] = ()
    """The question or statement with the negated attribute, at the same point."""


@dataclass(frozen=True)
class QuestionSet:
    """One class of a pack in one form."""

    file: Path
    """The file of the templates."""
    language: str
    """BCP 47 tag."""
    name: str
    """The class, such as gender."""
    form: FormName
    """Questions or statements."""
    subjects: tuple[tuple[Subject, ...], ...]
    """One list for all, two lists for across."""
    pairs: Pairing
    """The rule that pairs subjects."""
    templates: tuple[SetTemplate, ...]
    """The templates of the class."""
    rules: tuple[SoundRule, ...]
    """The sound rules for contexts; they are already applied to the questions."""
    prefix: str
    """The text before every context, with the separator; may be empty."""
    rules_anywhere: bool = False
    """True if the rules also act within fixed text and forms, as in the published generator."""
    excluded: tuple[int, ...] = ()
    """The numbers of the pairs that are not made (one subject is within the other), in ascending order."""
    defaults: Features = frozenset()
    """The default features, which forms and slots omit."""
    overlapping: Overlapping = "apart"
    """The treatment of pairs with one subject within the other."""
    rule_names: tuple[RuleName, ...] = ()
    """The names of the sound rules, in their order; empty if they have no names."""
    join: str = " "
    """The text between two sentences: a space, or empty."""

    @property
    def masks_subject(self) -> bool:
        """True if the texts are statements with a mask in place of a subject, false if they are questions."""
        return self.form == STATEMENT.name

    @property
    def n_pairs(self) -> int:
        """The number of unordered pairs of subjects."""
        first = len(self.subjects[0])
        every = first * len(self.subjects[1]) if self.pairs == "across" else first * (first - 1) // 2
        return every - len(self.excluded)

    @property
    def per_pair(self) -> int:
        """The number of rows per pair: the attributes of all templates."""
        return sum(len(t.by_attribute) for t in self.templates)

    @property
    def rows(self) -> int:
        """The number of rows of the full product."""
        return self.n_pairs * self.per_pair

    @property
    def lists(self) -> tuple[Sequence[Subject], Sequence[Subject]]:
        """The lists of the first and the second subject of a pair."""
        return self.subjects[0], self.subjects[-1]

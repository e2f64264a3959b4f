"""The templates of choices of a language pack, read and checked, before they are expanded."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nextset.generation.questions.pack_choices.choice_pieces import ChoicePiece, masks_in
from nextset.generation.questions.question_set import Subject
from nextset.generation.sound_rules.text_edits import SoundRule
from nextset.records.choice_items import Cue

__all__ = ["TEXTS", "AskedPeople", "ChoiceTexts", "PackChoices", "ResolvedChoice"]

TEXTS = ("ambiguous", "disambiguating", "negative", "non_negative")
"""The texts of a template, in the order of its masks."""


@dataclass(frozen=True)
class ChoiceTexts:
    """The texts of a template: texts, slots, runs, words and masks."""

    ambiguous: tuple[ChoicePiece, ...]
    disambiguating: tuple[ChoicePiece, ...]
    negative: tuple[ChoicePiece, ...]
    """For a control, the question."""
    non_negative: tuple[ChoicePiece, ...]
    """For a control, the opposite."""
    option: tuple[ChoicePiece, ...]
    """A person as an option, in [subj1]."""

    @property
    def asked(self) -> tuple[tuple[ChoicePiece, ...], ...]:
        """The texts without the option, in the order of `TEXTS`."""
        return (self.ambiguous, self.disambiguating, self.negative, self.non_negative)

    @property
    def all(self) -> tuple[tuple[ChoicePiece, ...], ...]:
        """All texts."""
        return (*self.asked, self.option)


@dataclass(frozen=True)
class AskedPeople:
    """The lists of people that a template is about."""

    subjects: tuple[Subject, ...]
    """People named by labels, such as grandfather."""
    names: tuple[Subject, ...] = ()
    """People named by proper names, which stand for groups."""

    def of_cues(self) -> Iterator[tuple[Cue, Sequence[Subject]]]:
        """Yield the people by cue."""
        yield "label", self.subjects
        yield "name", self.names


@dataclass(frozen=True)
class ResolvedChoice:
    """A template about a stereotype, or a control, whose forms are looked up."""

    id: str
    """The template's name; with the gender if the template in the file is for several genders."""
    name: str
    """The template's name in its file."""
    file: Path
    line: int | None
    """The template's line in the file, from 1."""
    category: str
    subcategory: str
    stereotype: str
    """The stereotype in words; empty for a control."""
    source: str | None
    """The work that documents the stereotype; None for a control."""
    target: tuple[str, ...]
    """The groups that the stereotype is about; empty for a control."""
    targets: tuple[str, ...]
    """The names of the people who belong to them."""
    against: tuple[str, ...]
    """The names of the people with whom they are compared."""
    along: frozenset[frozenset[int]]
    """The sets of parts of crossed groups in which two people differ; empty for any."""
    gender: str
    """The gender that both people share; may be empty."""
    texts: ChoiceTexts
    people: AskedPeople
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The lists of words that the texts use, in the order of their names."""
    listed: tuple[str, ...] = ()
    """The names of all lists of words of the template."""

    @property
    def is_control(self) -> bool:
        """True for a template of neutral content."""
        return not self.target

    @property
    def masked(self) -> bool:
        """True if a text has a mask."""
        return any(True for text in self.texts.asked for _ in masks_in(text))

    @property
    def combinations(self) -> int:
        """The number of combinations of words."""
        return math.prod(len(values) for values in self.words.values())

    def word_values(self) -> Iterator[tuple[str, ...]]:
        """Yield each combination of words, in the order of the lists."""
        yield from itertools.product(*self.words.values())

    @property
    def unused_words(self) -> tuple[str, ...]:
        """The names of the lists of words that no text uses."""
        return tuple(name for name in self.listed if name not in self.words)


@dataclass(frozen=True)
class PackChoices:
    """The templates of choices of one language pack."""

    language: str
    """BCP 47 tag."""
    join: str
    """The text between two sentences: a space, or empty."""
    templates: tuple[ResolvedChoice, ...]
    """The templates about stereotypes and the controls, in the order of the files."""
    unknown: tuple[str, ...]
    """The wordings of the option that the answer cannot be known."""
    rules: tuple[SoundRule, ...]
    """The sound rules."""
    rule_names: tuple[str, ...]
    files: tuple[Path, ...]
    """The files of the templates, of the lists of people that only they use, and of the wordings."""

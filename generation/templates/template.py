"""The template record: one template file, in either format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from nextset.files.yaml_reader import Location
from nextset.generation.sound_rules.rule_names import named_rules
from nextset.generation.sound_rules.text_edits import SoundRule
from nextset.generation.templates.placeholders import GROUPS, names
from nextset.records.content_ids import content_id
from nextset.records.nli_items import Label
from nextset.study.mask_constraint import LIST_NAME, MaskConstraint
from nextset.study.stereotype_sentences import StereotypeSentences
from nextset.word_lists.fill_list import fill_list

__all__ = ["Kind", "Place", "Premise", "Statement", "Template", "names_group"]

Kind = Literal["hypothesis", "masked", "test"]
"""The kinds of statement."""
Place = tuple[Path, int | None]
"""A file and a line in it, from 1."""


@dataclass(frozen=True)
class Premise:
    """A fact, with placeholders."""

    text: str
    """The fact."""
    source: str
    """The published source of the fact."""
    line: int | None
    """The premise's line in the file, from 1."""


@dataclass(frozen=True)
class Statement:
    """A hypothesis, masked hypothesis or test hypothesis, with placeholders and plain masks."""

    kind: Kind
    """hypothesis: states the stereotype; masked: states it with {{MASK}}; test: a control."""
    text: str
    question: str
    """The statement as a yes/no question; may be empty."""
    label: Label
    """The label that is right by design."""
    file: Path
    """The statement's file: the template's, or an overlay's."""
    line: int | None
    """The statement's line in that file, from 1."""
    constraints: tuple[MaskConstraint, ...] = ()
    """The constraint of each mask of the text."""
    question_forms: tuple[str, ...] = ()
    """The form of the word at each mask of the question, such as verb.base; empty if it stays as it is."""
    question_line: int | None = None
    """The line of the question in the file, from 1."""


@dataclass(frozen=True)
class Template:
    """All premises and statements about one stereotype."""

    file: Path
    """The file it was read from."""
    stereotype: str
    """The stereotype's name."""
    domain: str
    """gender, race, religion, or your own."""
    language: str
    """BCP 47 tag."""
    source: str
    """The work that documents the stereotype."""
    groups: tuple[str, str]
    """The words for {{GROUP1}} and {{GROUP2}}; swapped in anti-stereotypical items."""
    words: dict[str, tuple[str, ...]]
    """The word lists."""
    premises: tuple[Premise, ...]
    """The facts."""
    statements: tuple[Statement, ...]
    """The statements that are paired with each fact."""
    capitalise: bool
    """True if a placeholder at the beginning of a sentence gets a capital (the published format: no)."""
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The lists of words that constraints of masks name."""
    places: Mapping[Location, Place] = field(default_factory=dict, compare=False, repr=False)
    """File (the template's or an overlay's) and line of the source, the groups and the words of all lists."""
    about: str = ""
    """The file's description of itself; empty for a published file."""
    sentences: StereotypeSentences | None = None
    """The stereotype and its opposite as sentences, with the groups filled in; None if the file has none."""
    rules: tuple[str, ...] = ()
    """The names of the sound rules."""
    every_group: tuple[str, ...] = ()
    """All groups of a template with more than one contrast, the one that the stereotype is about first; empty
    for a template with two groups."""
    contrasts: tuple[tuple[str, str], ...] = ()
    """The pairs of groups that take the places of ``groups`` in turn; empty for a template with one pair."""

    @property
    def by_contrast(self) -> tuple[Template, ...]:
        """The template with each pair of groups that is compared."""
        return tuple(replace(self, groups=pair) for pair in self.contrasts) or (self,)

    @property
    def sound_rules(self) -> tuple[SoundRule, ...]:
        """The rules that ``rules`` names."""
        return named_rules(self.rules)

    def place(self, *at: str | int) -> Place:
        """Return the place of the value at the keys ``at``, else that of the nearest value around it."""
        while at and at not in self.places:
            at = at[:-1]
        return self.places.get(at, (self.file, None))

    def word_list(self, name: str) -> tuple[str, ...] | None:
        """Return the words of the list ``name``, of this file or shipped; None if there is no such list."""
        if name in self.lists:
            return tuple(self.lists[name])
        shipped = fill_list(self.language, name) if LIST_NAME.fullmatch(name) else None
        return None if shipped is None else shipped.words

    def id(self, premise: Premise, statement: Statement) -> str:
        """Return the content hash of a premise and a statement with their groups: same texts, same id."""
        texts = (premise.text, statement.text, statement.question)
        return content_id("template", self.language, self.stereotype, *self.groups, *texts)

    def set_key(self, premise: Premise, statement: Statement) -> str:
        """Return what items that differ only by group share: the id, or for several contrasts a hash of all
        groups."""
        if not self.every_group:
            return self.id(premise, statement)
        texts = (premise.text, statement.text, statement.question)
        return content_id("template groups", self.language, self.stereotype, *self.every_group, "", *texts)

    def used_words(self, *texts: str) -> list[str]:
        """Return the names of the word lists that ``texts`` use, in the order of the file."""
        used = names(*texts)
        return [name for name in self.words if name in used]


def names_group(*texts: str) -> bool:
    """Return whether one of ``texts`` contains a group's placeholder."""
    return not names(*texts).isdisjoint(GROUPS)

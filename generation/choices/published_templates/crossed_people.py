"""The people of crossed templates of BBQ, race × gender and race × socioeconomic status."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from nextset.generation.choices.published_templates.bbq_vocabulary import BbqVocabulary
from nextset.generation.choices.published_templates.braced_text import quoted_value
from nextset.generation.choices.published_templates.people_pairs import PeoplePairs
from nextset.generation.choices.published_templates.slotted_text import Entry

__all__ = ["CrossedRow", "crossed_pairs"]

_RACES = "Race_ethnicity"
_JOBS = ("SES", "Occupation")


class CrossedRow(Protocol):
    """The cells of a row that decide about its people."""

    @property
    def names(self) -> str:
        """Return the entries of the second attribute as JSON; empty if they are genders of names, or jobs."""

    @property
    def targets(self) -> tuple[str, ...]:
        """Return the targets of the first attribute."""

    @property
    def second_target(self) -> str:
        """Return the target of the second attribute, such as F or lowSES."""

    @property
    def second_groups(self) -> tuple[str, ...]:
        """Return the groups of the entries in names."""

    @property
    def proper(self) -> bool:
        """Return whether the people have proper names."""


def crossed_pairs(row: CrossedRow, vocabulary: BbqVocabulary, every: bool) -> PeoplePairs:
    """Return the target of both attributes × people who differ from it in one attribute, or in both.

    With ``every``, people of any two groups meet.
    """
    groups = _people(row, vocabulary)
    if every:
        lists = list(groups.values())
        return PeoplePairs(tuple((lists[i], others) for i in range(len(lists)) for others in lists[i + 1 :]))
    targets = [people for key, people in groups.items() if _is_target(key, row)]
    others = [people for key, people in groups.items() if not _is_target(key, row)]
    return PeoplePairs(tuple((people, other) for people in targets for other in others))


def _is_target(key: tuple[str, str], row: CrossedRow) -> bool:
    return key[0] in row.targets and key[1] == row.second_target


Groups = dict[tuple[str, str], list[Entry]]


def _people(row: CrossedRow, vocabulary: BbqVocabulary) -> Groups:
    """Return the people by the groups of both attributes."""
    groups: Groups = {}
    for race, name, gender in _first(row, vocabulary):
        for text, group in _second(row, vocabulary, gender):
            forms = {"GEN": text, "OCC": text} if text else {}
            full = f"{name} {text}".strip()
            targeted = race in row.targets and group == row.second_target
            entry = Entry(name, f"{group}-{race}", targeted, forms, full)
            groups.setdefault((race, group), []).append(entry)
    return groups


def _first(row: CrossedRow, vocabulary: BbqVocabulary) -> Iterator[tuple[str, str, str]]:
    """Yield race, name and gender: words for races without a gender, or first and last names."""
    if not row.proper:
        for label in vocabulary.labels(_RACES):
            yield label.text, label.text, ""
        return
    last = vocabulary.names("last")
    for first in vocabulary.names("first"):
        for family in last:
            if family.ethnicity == first.ethnicity:
                yield first.ethnicity, f"{first.text} {family.text}", first.gender


def _second(row: CrossedRow, vocabulary: BbqVocabulary, gender: str) -> Sequence[tuple[str, str]]:
    """Return the text and the group of the second attribute."""
    listed = quoted_value(row.names)
    if isinstance(listed, list):
        lists = [[entry] if isinstance(entry, str) else list(entry) for entry in listed if entry]
        return [
            (str(text), group)
            for texts, group in zip(lists, row.second_groups, strict=False)
            for text in texts
        ]
    if gender and row.second_target in ("F", "M"):
        return [("", gender)]
    return [(label.text, label.group) for label in vocabulary.labels(*_JOBS)]

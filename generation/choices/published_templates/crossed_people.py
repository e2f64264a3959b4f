"""The people of crossed templates of BBQ, race × gender and race × socioeconomic status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, overload

from nextset.generation.choices.published_templates.bbq_vocabulary import BbqVocabulary
from nextset.generation.choices.published_templates.braced_text import quoted_value
from nextset.generation.choices.published_templates.people_pairs import PeoplePairs
from nextset.generation.choices.published_templates.slotted_text import Entry

__all__ = ["CrossedRow", "crossed_pairs"]

_RACES = "Race_ethnicity"
_JOBS = ("SES", "Occupation")
_GENDERS = ("F", "M")


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


Groups = dict[tuple[str, str], Sequence[Entry]]


class _Crossed(Sequence[Entry]):
    """The people of two groups: each name with each text of the second attribute, made when asked for."""

    def __init__(self, names: Sequence[str], texts: Sequence[str], group: str, targeted: bool) -> None:
        self._names = names
        self._texts = texts
        self._group = group
        self._targeted = targeted

    def __len__(self) -> int:
        return len(self._names) * len(self._texts)

    @overload
    def __getitem__(self, place: int) -> Entry: ...

    @overload
    def __getitem__(self, place: slice) -> list[Entry]: ...

    def __getitem__(self, place: int | slice) -> Entry | list[Entry]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError
        name, text = (
            self._names[place // len(self._texts)],
            self._texts[place % len(self._texts)],
        )
        forms = {"GEN": text, "OCC": text} if text else {}
        return Entry(name, self._group, self._targeted, forms, f"{name} {text}".strip())


def _people(row: CrossedRow, vocabulary: BbqVocabulary) -> Groups:
    """Return the people by the groups of both attributes."""
    groups: Groups = {}
    for (race, gender), names in _first(row, vocabulary).items():
        for group, texts in _second(row, vocabulary, gender).items():
            key = race, group
            groups[key] = _Crossed(names, texts, f"{group}-{race}", _is_target(key, row))
    return groups


def _first(row: CrossedRow, vocabulary: BbqVocabulary) -> dict[tuple[str, str], list[str]]:
    """Return names by race and gender: a word for the race, of no gender, or first and last names.

    If the second attribute is not gender, the names of both genders are together.
    """
    if not row.proper:
        return {(label.text, ""): [label.text] for label in vocabulary.labels(_RACES)}
    names: dict[tuple[str, str], list[str]] = {}
    last = vocabulary.names("last")
    for first in vocabulary.names("first"):
        gender = first.gender if row.second_target in _GENDERS else ""
        whole = [f"{first.text} {family.text}" for family in last if family.ethnicity == first.ethnicity]
        names.setdefault((first.ethnicity, gender), []).extend(whole)
    return names


def _second(row: CrossedRow, vocabulary: BbqVocabulary, gender: str) -> dict[str, list[str]]:
    """Return the texts of the second attribute by their groups."""
    listed = quoted_value(row.names)
    texts: dict[str, list[str]] = {}
    if isinstance(listed, list):
        for entry, group in zip(listed, row.second_groups, strict=False):
            texts[group] = [str(text) for text in (entry if isinstance(entry, list) else [entry])]
    elif gender:
        texts[gender] = [""]
    else:
        for label in vocabulary.labels(*_JOBS):
            texts.setdefault(label.group, []).append(label.text)
    return texts

"""The pairs of people of BBQ's templates, by the rules of its authors' script, with none left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from nextset.generation.choices.published_templates.bbq_vocabulary import BbqVocabulary, Label, folded
from nextset.generation.choices.published_templates.braced_text import braced_lists
from nextset.generation.choices.published_templates.crossed_people import crossed_pairs
from nextset.generation.choices.published_templates.people_pairs import PeoplePairs, different_pairs
from nextset.generation.choices.published_templates.published_template import Swaps
from nextset.generation.choices.published_templates.slotted_text import Entry

__all__ = ["BOTH_WAYS", "ONE_WAY", "BbqPeople", "BbqRow", "bbq_people"]

ONE_WAY: tuple[Swaps, ...] = ((False, False),)
BOTH_WAYS: tuple[Swaps, ...] = ((False, False), (True, True))
"""With the exchange of both people in all texts of a row."""
_GENDERS = {"f": ("f", "woman", "girl", "female", "wife"), "m": ("m", "man", "boy", "male", "husband")}


@dataclass(frozen=True)
class BbqRow:
    """The cells of a row that decide about its people."""

    category: str
    subcategory: str
    names: str
    targets: tuple[str, ...]
    """The groups that the stereotype is about; of crossed templates, those of the first attribute."""
    second_target: str
    """The target of the second attribute, such as F or lowSES; empty without one."""
    second_groups: tuple[str, ...]
    """The groups of the entries in names, of crossed templates."""
    groups: tuple[str, str]
    """The groups of NAME1 and NAME2 that the row declares; may be empty."""
    proper: bool
    """True if the people have proper names."""


@dataclass(frozen=True)
class BbqPeople:
    """The people of a row."""

    pairs: PeoplePairs
    swaps: tuple[Swaps, ...]


def bbq_people(row: BbqRow, vocabulary: BbqVocabulary, every: bool) -> BbqPeople:
    """Return the people of ``row``: its own lists, proper names, or words of the vocabulary.

    With ``every``, words of the vocabulary meet even if neither of them is a target.
    """
    if row.second_target:
        return BbqPeople(crossed_pairs(row, vocabulary, every), BOTH_WAYS)
    if row.names:
        lists = braced_lists(row.names)
        blocks = [_own(lists.get(f"NAME{i + 1}", {}).get("", ()), row, row.groups[i]) for i in (0, 1)]
        return BbqPeople(PeoplePairs(((blocks[0], blocks[1]),)), ONE_WAY)
    if row.proper:
        return BbqPeople(_proper_pairs(row, vocabulary), BOTH_WAYS)
    return BbqPeople(_label_pairs(row, vocabulary, every), BOTH_WAYS)


def _own(texts: Iterable[str], row: BbqRow, group: str) -> list[Entry]:
    return [_person(text, group or text, row.targets) for text in texts]


def _person(text: str, group: str, targets: Sequence[str]) -> Entry:
    return Entry(text, group, _is_target(text, targets) or _is_target(group, targets))


def _is_target(group: str, targets: Sequence[str]) -> bool:
    """Return whether ``group`` is one of ``targets``: lowSES is low SES, and woman and girl are F."""
    name = folded(group)
    return any(name == folded(target) or name in _GENDERS.get(folded(target), ()) for target in targets)


def _label_pairs(row: BbqRow, vocabulary: BbqVocabulary, every: bool) -> PeoplePairs:
    """Return targets × others if targets are words of the vocabulary; else words of different groups."""
    labels = vocabulary.labels(row.category, row.subcategory)
    people = [_person(label.text, label.group or label.text, row.targets) for label in labels]
    named = [person for person in people if person.text in row.targets]
    if named and not every:
        others = [person for person in people if person.text not in row.targets]
        return PeoplePairs(((named, others),))
    if named or not any(label.group for label in labels):
        return different_pairs(people)
    return _between_groups(labels, people)


def _between_groups(labels: Sequence[Label], people: Sequence[Entry]) -> PeoplePairs:
    groups = dict.fromkeys(label.group for label in labels)
    by_group = [[p for p, label in zip(people, labels, strict=True) if label.group == g] for g in groups]
    return PeoplePairs(
        tuple((by_group[i], by_group[j]) for i in range(len(groups)) for j in range(i + 1, len(groups)))
    )


def _proper_pairs(row: BbqRow, vocabulary: BbqVocabulary) -> PeoplePairs:
    """Return women × men, names of the target's ethnicity × others of the same gender, or any two names."""
    genders = [_Names(row, vocabulary, gender) for gender in ("F", "M")]
    if all(of.targeted for of in genders):
        return PeoplePairs(tuple((of.targeted, of.others) for of in genders))
    women, men = (
        [replace(person, group=_joined(row, i, person.group)) for person in of.alone]
        for i, of in enumerate(genders)
    )
    if any(_is_target(gender, row.targets) for gender in "FM"):
        return PeoplePairs(((women, men),))
    people = [replace(person, group=person.text) for of in genders for person in of.alone]
    return _in_slots(different_pairs(people), row)


def _joined(row: BbqRow, place: int, gender: str) -> str:
    return f"{row.groups[place]}_{gender}" if row.groups[place] else gender


def _in_slots(pairs: PeoplePairs, row: BbqRow) -> PeoplePairs:
    """Return ``pairs`` with the groups that the row declares for its two slots."""
    if not all(row.groups):
        return pairs
    return PeoplePairs(
        tuple((_grouped(a, row, row.groups[0]), _grouped(b, row, row.groups[1])) for a, b in pairs.blocks)
    )


def _grouped(people: Iterable[Entry], row: BbqRow, group: str) -> list[Entry]:
    targeted = _is_target(group, row.targets)
    return [replace(person, group=group, targeted=targeted) for person in people]


class _Names:
    """The proper names of one gender."""

    def __init__(self, row: BbqRow, vocabulary: BbqVocabulary, gender: str) -> None:
        last = vocabulary.names("last")
        whole = [
            Entry(
                f"{first.text} {family.text}", f"{gender}-{first.ethnicity}", first.ethnicity in row.targets
            )
            for first in vocabulary.names("first", gender)
            for family in last
            if family.ethnicity == first.ethnicity
        ]
        self.targeted = [person for person in whole if person.targeted]
        self.others = [person for person in whole if not person.targeted]
        targeted = _is_target(gender, row.targets)
        self.alone = [Entry(name.text, gender, targeted) for name in vocabulary.names("first_only", gender)]

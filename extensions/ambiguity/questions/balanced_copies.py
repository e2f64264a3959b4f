"""Copies of a question with new names, so that all groups have the same number of right answers.

With G groups, a question has G copies. Every person has a different group in each copy, so that over all
copies every group has every person and every position once. The copies use the same names: the person who is
called Mary in one copy is called James in the next, and the other way round.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nextset.extensions.ambiguity.person_mentions import GENDERS, Gender
from nextset.extensions.ambiguity.questions.folded_words import folded, folded_words
from nextset.extensions.ambiguity.questions.given_names import GivenName
from nextset.extensions.ambiguity.questions.person_names import name_parts
from nextset.extensions.ambiguity.questions.renamed_text import NewNames, renamed_name, renamed_text
from nextset.extensions.ambiguity.questions.renaming_obstacles import (
    genders_in_text,
    given_names,
    needs_insertion,
    renaming_obstacle,
)
from nextset.extensions.ambiguity.questions.source_questions import SourcePerson, SourceQuestion
from nextset.extensions.ambiguity.questions.text_people import TextPeople, people_of_text

__all__ = ["NotRenamed", "balanced_copies", "with_new_names"]

NO_NAMES = "too few names that are not in the texts already"
CHANGED = "a copy whose names or pronouns would be read differently"


class NotRenamed(Exception):
    """A question's people cannot be renamed: the message says why, ``place`` which words forbid it."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason)
        self.place = place


_Genders = frozenset[Gender]
"""The genders that a person's names must have; empty if any will do."""


@dataclass(frozen=True)
class _Slots:
    """The names of each group, in the order of their use for a copy's people of that group."""

    by_group: Mapping[tuple[str, _Genders], Sequence[Sequence[GivenName]]]
    """One list of given names per person, by group and by the genders that the names must have."""


def balanced_copies(
    source: SourceQuestion, groups: Sequence[str], names: Sequence[GivenName], attribute: str, seed: int
) -> tuple[SourceQuestion, ...]:
    """Return the copies of ``source``: one for each group of the person whom the context names first.

    The choice depends on the question, the names and ``seed``, not on other questions. Raises NotRenamed.
    """
    people = _people(source)
    written = [person.group(attribute) for person in source.people]
    if obstacle := renaming_obstacle(source, people, written):
        raise NotRenamed(obstacle.reason, obstacle.place)
    order = list(dict.fromkeys(m.person for m in people.mentions))
    generator = random.Random(hashlib.blake2b(f"{seed} {source.id}".encode(), digest_size=8).hexdigest())
    base = [i % len(groups) for i in range(len(order))]
    generator.shuffle(base)
    slots = _slots(source, people, groups, names, seed)
    made: dict[int, SourceQuestion] = {}
    for shift in range(len(groups)):
        wanted = {person: groups[(b + shift) % len(groups)] for person, b in zip(order, base, strict=True)}
        first = (base[0] + shift) % len(groups)
        made[first] = _copy(source, people, wanted, slots, attribute, groups)
    return tuple(made[i] for i in range(len(groups)))


def _people(source: SourceQuestion) -> TextPeople:
    return people_of_text(source.context, source.item, source.people, source.language)


def _slots(
    source: SourceQuestion,
    people: TextPeople,
    groups: Sequence[str],
    names: Sequence[GivenName],
    seed: int,
) -> _Slots:
    used = {word.small for text in _texts(source) for word in folded_words(text)}
    ending = "s" if _has_bare_apostrophe(people) else ""
    most = max(_number_of_names(people, person) for person in range(len(source.people)))
    needed = Counter(_needed(people, person, groups) for person in range(len(source.people)))
    by_group: dict[tuple[str, _Genders], list[list[GivenName]]] = {}
    for group in groups:
        free = [
            name
            for name in names
            if name.group == group and folded(name.name).casefold() not in used and name.name.endswith(ending)
        ]
        free.sort(key=lambda name: _order(seed, source.id, group, name.name))
        for genders, persons in sorted(needed.items(), key=lambda n: (not n[0], sorted(n[0]))):
            fitting = [name for name in free if not genders or name.gender in genders][: persons * most]
            by_group[group, genders] = [fitting[i : i + most] for i in range(0, len(fitting), most)]
            free = [name for name in free if name not in fitting]
    return _Slots(by_group)


def _needed(people: TextPeople, person: int, groups: Sequence[str]) -> _Genders:
    """Return the genders of the person's pronouns and titles if these are kept; else none."""
    return frozenset() if set(groups) <= set(GENDERS) else frozenset(genders_in_text(people, person))


def _texts(source: SourceQuestion) -> Iterator[str]:
    yield from (source.context, source.question, source.item)
    for person in source.people:
        yield from (person.name, *person.aliases)


def _order(*parts: object) -> bytes:
    return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=16).digest()


def _number_of_names(people: TextPeople, person: int) -> int:
    return max(1, len(given_names(people, person)))


def _has_bare_apostrophe(people: TextPeople) -> bool:
    """Return whether a given name is followed by an apostrophe without an s, as only names in s can be."""
    ends = (people.words[m.after - 1] for m in people.mentions if m.given and m.given[-1].at == m.after - 1)
    return any(word.bare for word in ends)


def _copy(
    source: SourceQuestion,
    people: TextPeople,
    wanted: Mapping[int, str],
    slots: _Slots,
    attribute: str,
    groups: Sequence[str],
) -> SourceQuestion:
    by_gender = set(groups) <= set(GENDERS)
    taken: Counter[tuple[str, _Genders]] = Counter()
    new: list[NewNames] = [NewNames()] * len(source.people)
    for person, group in wanted.items():
        kind = group, _needed(people, person, groups)
        lists = slots.by_group[kind]
        chosen = lists[taken[kind]] if taken[kind] < len(lists) else ()
        taken[kind] += 1
        new[person] = _new_names(people, person, chosen, group if by_gender else None)
    copied = with_new_names(source, people, new)
    changed = [
        replace(person, attributes={**person.attributes, attribute: wanted[i]})
        for i, person in enumerate(copied.people)
    ]
    return replace(copied, people=tuple(changed))


def _new_names(people: TextPeople, person: int, chosen: Sequence[GivenName], gender: str | None) -> NewNames:
    old = given_names(people, person)
    if len(chosen) < max(1, len(old)):
        raise NotRenamed(NO_NAMES)
    return NewNames(
        dict(zip(old, (name.name for name in chosen), strict=False)),
        chosen[0].name if needs_insertion(people, person) else "",
        next((g for g in GENDERS if g == gender), None),
    )


def with_new_names(source: SourceQuestion, people: TextPeople, new: Sequence[NewNames]) -> SourceQuestion:
    """Return ``source`` with the ``new`` names of its people, without aliases that have given names.

    Raises NotRenamed unless the same people are found in the copy, and can be given their old names again.
    """
    context = renamed_text(source.context, people, new)
    renamed = [
        _renamed_person(person, people, i, names)
        for i, (person, names) in enumerate(zip(source.people, new, strict=True))
    ]
    copied = replace(source, context=context, people=tuple(renamed))
    again = _people(copied)
    if not _same_forms(people, again):
        raise NotRenamed(CHANGED)
    back = [_old_names(source, people, person, names) for person, names in enumerate(new)]
    if any(set(b.given) < set(given_names(again, i)) for i, b in enumerate(back)):
        raise NotRenamed(CHANGED)
    if renamed_text(context, again, back) != source.context:
        raise NotRenamed(CHANGED)
    return copied


def _renamed_person(person: SourcePerson, people: TextPeople, place: int, new: NewNames) -> SourcePerson:
    parts = people.names[place]
    if parts is None:
        return person
    inserted = new if not parts.given else replace(new, inserted="")
    aliases = (name_parts(alias, "", people.rules) for alias in person.aliases)
    return replace(
        person,
        name=renamed_name(parts, inserted, people),
        aliases=tuple(
            renamed_name(alias, replace(new, inserted=""), people)
            for alias in aliases
            if alias is not None and not alias.given
        ),
    )


def _same_forms(people: TextPeople, again: TextPeople) -> bool:
    """Return whether the same mentions and pronouns, of the same people, are found in both texts."""
    return [(m.person, m.titles and len(m.titles)) for m in people.mentions] == [
        (m.person, m.titles and len(m.titles)) for m in again.mentions
    ] and [(r.person, r.form and r.form.role) for r in people.references] == [
        (r.person, r.form and r.form.role) for r in again.references
    ]


def _old_names(source: SourceQuestion, people: TextPeople, person: int, new: NewNames) -> NewNames:
    """Return the names that undo ``new``."""
    written = _written_names(source, people, person)
    given = {folded(now): written[old] for old, now in new.given.items()}
    if new.inserted:
        given[folded(new.inserted)] = ""
    gender: Gender | None = None
    if new.gender is not None:
        gender = next(iter(genders_in_text(people, person)), None)
    return NewNames(given, "", gender)


def _written_names(source: SourceQuestion, people: TextPeople, person: int) -> dict[str, str]:
    """Return the person's given names with their accents, by the names without accents."""
    names: dict[str, str] = {}
    for mention in people.of(person):
        for part in mention.given:
            if not part.word.is_initial:
                names.setdefault(part.name, source.context[part.word.start : part.word.end])
    parts = people.names[person]
    for word in parts.given if parts is not None else ():
        names.setdefault(word.text, source.people[person].name[word.start : word.end])
    return names

"""The mentions of right answers, for the table of answers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nextset.extensions.ambiguity.ambiguous_questions import Mention
from nextset.extensions.ambiguity.questions.source_questions import SourcePerson, SourceQuestion
from nextset.extensions.ambiguity.questions.text_people import TextPeople, people_of_text
from nextset.text_tokens import is_unspaced

__all__ = ["LocatedPerson", "located", "mentions_of"]


@dataclass(frozen=True)
class LocatedPerson:
    """A right answer, with the places where the context mentions the person."""

    person: SourcePerson
    position: int | None
    """The rank by first mention, from 1; None if the context does not name the person."""
    mentions: tuple[Mention, ...]
    """The mentions, in the order of the text."""
    in_terms: bool
    """True if the context has the family name, at least in the name of a thing."""


def located(source: SourceQuestion) -> tuple[LocatedPerson, ...]:
    """Return the people of ``source`` with their mentions, in the order of the file."""
    text = people_of_text(source.context, source.item, source.people, source.language)
    mentions = [
        _unspaced_mentions(source.context, person) or mentions_of(text, i)
        for i, person in enumerate(source.people)
    ]
    firsts = [
        next((m.start for m in person_mentions if m.form == "name"), None) for person_mentions in mentions
    ]
    order = sorted({first for first in firsts if first is not None})
    return tuple(
        LocatedPerson(
            person, None if first is None else order.index(first) + 1, person_mentions, _has_family(text, i)
        )
        for i, (person, first, person_mentions) in enumerate(
            zip(source.people, firsts, mentions, strict=True)
        )
    )


def _unspaced_mentions(context: str, person: SourcePerson) -> tuple[Mention, ...]:
    """Return the mentions of a person in a script without spaces, such as Chinese."""
    names = [name for name in (person.name, *person.aliases) if any(map(is_unspaced, name))]
    if not names:
        return ()
    names.sort(key=len, reverse=True)
    matches = re.finditer("|".join(map(re.escape, names)), context)
    return tuple(Mention(start=m.start(), end=m.end(), form="name") for m in matches)


def _has_family(text: TextPeople, person: int) -> bool:
    parts = text.names[person]
    return parts is not None and bool(parts.family) and any(w.text == parts.family[-1] for w in text.words)


def mentions_of(text: TextPeople, person: int) -> tuple[Mention, ...]:
    """Return the mentions of ``person`` by name and by pronoun, in the order of the text."""
    words = text.words
    mentions = [
        Mention(start=words[m.first].start, end=words[m.after - 1].end, form="name") for m in text.of(person)
    ]
    for reference in text.references:
        if reference.person == person:
            start = words[reference.at].start
            mentions.append(Mention(start=start, end=start + len(reference.base), form="pronoun"))
    return tuple(sorted(mentions, key=lambda m: m.start))

"""Where a context mentions the people who are right answers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nextset.generation.ambiguity.source_questions import SourcePerson, SourceQuestion
from nextset.records.ambiguous_questions import Mention

__all__ = ["LocatedPerson", "located"]


@dataclass(frozen=True)
class LocatedPerson:
    """A right answer with the places where the context mentions it."""

    person: SourcePerson
    """The person."""
    position: int | None
    """The place in the order of first mention, from 1; None if the context does not mention the person."""
    mentions: tuple[Mention, ...]
    """The mentions, in the order of the text."""


def located(source: SourceQuestion) -> tuple[LocatedPerson, ...]:
    """Return the people of ``source`` with their mentions, in the order of the file."""
    found = [
        tuple(
            Mention(start=m.start(), end=m.end(), form="name")
            for m in re.finditer(re.escape(p.name), source.context)
        )
        for p in source.people
    ]
    order = sorted(m[0].start for m in found if m)
    return tuple(
        LocatedPerson(p, order.index(m[0].start) + 1 if m else None, m)
        for p, m in zip(source.people, found, strict=True)
    )

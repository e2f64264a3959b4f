"""Questions with several right answers as read from a file, before their people are found in the context."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nextset.records.content_ids import SCHEMA_VERSION, content_id
from nextset.word_lists.group_labels import UNKNOWN

__all__ = ["SourcePerson", "SourceQuestion", "question_id"]


@dataclass(frozen=True)
class SourcePerson:
    """A right answer."""

    name: str
    """The name that an answer has to give."""
    attributes: Mapping[str, str]
    """The values of the person's attributes in the file."""
    family: str = ""
    """The family name, a part of the name; empty if the file does not say which part it is."""
    aliases: tuple[str, ...] = ()
    """Other names of the person that the context may use."""
    line: int | None = field(default=None, compare=False, repr=False)
    """The person's line in the file, from 1; None if the person has no separate line."""

    def group(self, attribute: str) -> str:
        """Return the value of ``attribute``; unknown if there is none."""
        return self.attributes.get(attribute) or UNKNOWN


@dataclass(frozen=True)
class SourceQuestion:
    """A question, its context and the people who are right answers."""

    language: str
    """BCP 47 tag."""
    item: str
    """The law or effect that the question asks about."""
    question: str
    context: str
    """The text that names the people."""
    origin: str
    """The collection or file of the question."""
    key: str
    """The question's id in that file."""
    people: tuple[SourcePerson, ...] = field(repr=False)
    """The right answers, in the order of the file."""
    file: Path = field(repr=False)
    line: int | None = field(repr=False)
    """The line of the question in the file, from 1; None if the file has no lines."""

    @property
    def id(self) -> str:
        """The content id."""
        return question_id(self.language, self.question, self.context, (p.name for p in self.people))


def question_id(language: str, question: str, context: str, names: Iterable[str]) -> str:
    """Return the content id of a question: a hash of language, question, context and the right answers."""
    return content_id("ambiguous question", str(SCHEMA_VERSION), language, question, context, *names)

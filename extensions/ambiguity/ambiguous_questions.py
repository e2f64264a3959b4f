"""Selectional ambiguity: questions with several right answers in their context (Mao et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "AmbiguousQuestion",
    "Mention",
    "PersonAttribute",
    "QuestionFinding",
    "RefusedQuestion",
    "RightAnswer",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguousQuestion:
    """A question with several right answers: people whom its context names."""

    id: str
    """Content id over language, question, context and the names of the right answers."""
    language: str
    """BCP 47 tag."""
    item: str
    """The thing that the question asks about, such as a law that two people discovered."""
    question: str
    """The question."""
    context: str
    """The text that names the people."""
    origin: str
    """The collection or file that the question is from."""
    key: str
    """The question's id in that collection or file; prediction files use it."""
    parent_id: str | None
    """The id of the question before names were replaced, which all its copies share and which is not in this
    table; null if no names were replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAttribute:
    """An attribute of a person, as a table gives it."""

    name: str
    """The attribute, such as gender."""
    value: str
    """Its value, such as female; unknown if the table does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A place in a context that mentions a person."""

    start: int
    """The mention's first character, from 0; a title before a name is not a part of it."""
    end: int
    """The character after the mention's last one; a possessive ending is not a part of it."""
    form: Literal["name", "pronoun"]
    """name: the first one decides the person's position; pronoun: not accepted as an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RightAnswer:
    """A person who is a right answer to an ambiguous question."""

    question_id: str
    """The question's id."""
    name: str
    """The person's name, as answers must give it."""
    family: str
    """The family name as the file gives it; empty if the file does not mark it."""
    group: str
    """The value of the compared attribute; unknown if it is not known."""
    position: int | None
    """The person's place in the order of first mentions, from 1; null if the context does not mention the
    person."""
    mentions: tuple[Mention, ...]
    """The places where the context mentions the person, in the order of the text."""
    attributes: tuple[PersonAttribute, ...]
    """All attributes of the person in the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedQuestion:
    """A question whose people cannot be renamed; a balanced study excludes it."""

    id: str
    """The question's id without new names."""
    item: str
    """The thing that the question asks about."""
    origin: str
    """The collection or file that the question is from."""
    key: str
    """The question's id in that collection or file."""
    reason: str
    """The reason why its people cannot be renamed."""
    place: str
    """The word, in its text, or the person that prevents renaming; empty if there are several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFinding:
    """A finding about the questions that were read, for people."""

    text: str
    """The finding, as a sentence."""
    warning: bool
    """True if the finding is a warning."""

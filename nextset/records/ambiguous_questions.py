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
    """A question with several right answers, all of them people whom its context names."""

    id: str
    """Content id over language, question, context and the names of the right answers."""
    language: str
    """BCP 47 tag."""
    item: str
    """What the question asks about, such as a law that two people discovered."""
    question: str
    """The question."""
    context: str
    """The text that names the people."""
    origin: str
    """The collection or file that it is from."""
    key: str
    """Its id in that file, by which prediction files name it."""
    parent_id: str | None
    """The id of the question whose names were replaced, which is not in this table; null if none were. The
    copies of one question have the same one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAttribute:
    """What a table says of a person."""

    name: str
    """The attribute, such as gender."""
    value: str
    """Its value, such as female; unknown if the table does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Where a context mentions a person."""

    start: int
    """The mention's first character, from 0; a title before a name is not a part of it."""
    end: int
    """The character after its last; a possessive ending is not a part of it."""
    form: Literal["name", "pronoun"]
    """name, of which the first one decides about the position; or pronoun, which is no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RightAnswer:
    """A person who is a right answer to an ambiguous question."""

    question_id: str
    """The question's id."""
    name: str
    """The person's name, as an answer has to give it."""
    family: str
    """The family name as the file gives it; empty if the file does not say which part of the name it is."""
    group: str
    """The value of the compared attribute; unknown if it is not known."""
    position: int | None
    """The person's place in the order in which the context first mentions the people, from 1; null if it does
    not mention this person."""
    mentions: tuple[Mention, ...]
    """Where the context mentions the person, in the order of the text."""
    attributes: tuple[PersonAttribute, ...]
    """Everything that the table says of the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedQuestion:
    """A question whose people cannot be renamed, which a balanced study leaves out."""

    id: str
    """The id that the question has without new names."""
    item: str
    """What the question asks about."""
    origin: str
    """The collection or file that it is from."""
    key: str
    """Its id in that file."""
    reason: str
    """Why its people cannot be renamed."""
    place: str
    """The word that forbids it with the text around it, or the person; empty if it is no single one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFinding:
    """What a person should know of the questions that were read."""

    text: str
    """The sentence."""
    warning: bool
    """Whether it is a warning."""

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
    """The thing that the question asks about, such as a law."""
    question: str
    """The question."""
    context: str
    """The text that names the people."""
    origin: str
    """The collection or file that the question is from."""
    key: str
    """The question's id there, which prediction files use."""
    parent_id: str | None
    """The id of the question before names were replaced, which all copies share; null if none were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAttribute:
    """An attribute of a person, as a table gives it."""

    name: str
    """The attribute, such as gender."""
    value: str
    """Its value, such as female, or unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A place in a context that mentions a person."""

    start: int
    """Its first character, from 0, after any title."""
    end: int
    """The character after its last one, before any possessive ending."""
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
    """The family name, if the file gives it."""
    group: str
    """The value of the compared attribute, or unknown."""
    position: int | None
    """The person's place in the order of first mentions, from 1; null without one."""
    mentions: tuple[Mention, ...]
    """The context's mentions of the person, in order."""
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
    """The word or person that prevents renaming; empty if there are several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFinding:
    """A finding about the questions that were read, for people."""

    text: str
    """The finding, as a sentence."""
    warning: bool
    """True if the finding is a warning."""

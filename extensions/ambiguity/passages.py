"""Retrieval ambiguity: open questions over a collection of passages (Mao et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

__all__ = ["LocatedPassage", "OpenQuestion", "Passage", "RetrievedPassage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage of a collection."""

    id: str
    """The passage's id in the collection, or its number."""
    title: str
    """The passage's title, often a person's name."""
    text: str
    """The passage's text."""
    group: str
    """The group of the title's person, if the collection gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """A question that many passages of a collection may answer."""

    id: str
    """The question's id in its table, or a content id over language and question."""
    language: str
    """BCP 47 tag."""
    question: str
    """The question."""
    occupation: str
    """The occupation or field that it asks about, if the table gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedPassage:
    """A passage that a retriever found for a question."""

    question_id: str
    """The question's id."""
    retriever: str
    """The retriever's published name, such as bm25."""
    rank: int
    """The passage's rank for this question, from 1."""
    passage: int
    """The passage's number in the collection, from 0."""
    passage_id: str
    """The passage's id in the collection."""
    title: str
    """The passage's title."""
    score: float
    """The retriever's score: higher is better."""


class LocatedPassage(NamedTuple):
    """A passage with its place."""

    passage: Passage
    """The passage."""
    file: Path | str
    """The file of the passage, or the name of the dataset."""
    line: int
    """The line of the passage in the file, or its row, from 1."""

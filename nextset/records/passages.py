"""Retrieval ambiguity: open questions over a collection of passages (Mao et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OpenQuestion", "Passage", "RetrievedPassage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage of a collection."""

    id: str
    """Its id in the collection; its number if the collection gives none."""
    title: str
    """Its title, often a person."""
    text: str
    """Its text."""
    group: str
    """The group of the title's person as the collection gives it; empty if it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """A question that many passages of a collection may answer."""

    id: str
    """Its id in the table of questions; without one a content id over language and question."""
    language: str
    """BCP 47 tag."""
    question: str
    """The question."""
    occupation: str
    """What it asks about, such as an occupation or a field; empty if the table does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedPassage:
    """A passage that a retriever found for a question."""

    question_id: str
    """The question's id."""
    retriever: str
    """The retriever's published name, such as bm25."""
    rank: int
    """Its rank for this question, from 1."""
    passage: int
    """Its number in the collection, from 0."""
    passage_id: str
    """Its id in the collection."""
    title: str
    """Its title."""
    score: float
    """The retriever's score: higher is better."""

"""The record of an intervention: a sentence that is added to what a model reads (Zhao et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

__all__ = ["KINDS", "PLACES", "Intervention", "Kind", "Place", "interventions_of"]

Kind = Literal["ethical", "adversarial", "irrelevant", "trigger"]
"""ethical: the group must not decide. adversarial: it should. irrelevant: about something else. trigger:
tokens that a search found."""
KINDS: tuple[Kind, ...] = ("ethical", "adversarial", "irrelevant", "trigger")

Place = Literal["before_context", "after_context", "before_question"]
"""Where it is added: before the context (or premise), at its end, or before the question. In masked
statements and NLI items the last two give the same text."""
PLACES: tuple[Place, ...] = ("before_context", "after_context", "before_question")


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    """A sentence that is added to rows, which keep their ids."""

    id: str
    """Content hash of language, kind, place, text and what it is added to, 32 hex digits."""
    language: str
    """BCP 47 tag of the rows that it is added to."""
    kind: Kind
    """What it says."""
    name: str
    """Its name in its file; in a published file its place there."""
    text: str
    """The text that is added, without the space that follows or precedes it."""
    place: Place
    """Where it is added."""
    join: str
    """What stands between it and the text beside it: a space, or nothing."""
    classes: tuple[str, ...]
    """The classes of subjects whose questions and statements it is added to."""
    attribute_clusters: tuple[str, ...]
    """The clusters of attributes that it speaks of; empty: it is added whatever is asked."""
    domains: tuple[str, ...]
    """The domains of the NLI items whose premises it is added to."""
    source: str
    """Where it comes from."""
    held_out: bool
    """Whether training and the search for triggers never see it."""


def interventions_of(table: pa.Table) -> tuple[Intervention, ...]:
    """Return the rows of a table of interventions; further columns are ignored."""
    fields = Intervention.__dataclass_fields__
    rows = table.select(list(fields)).to_pylist()
    lists = ("classes", "attribute_clusters", "domains")
    return tuple(Intervention(**{**row, **{name: tuple(row[name]) for name in lists}}) for row in rows)

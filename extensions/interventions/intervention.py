"""The record of an intervention: a sentence that is added to a model's input (Zhao et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

__all__ = ["KINDS", "PLACES", "Intervention", "Kind", "Place", "interventions_of"]

Kind = Literal["ethical", "adversarial", "irrelevant", "trigger"]
"""ethical: the group must not decide the answer. adversarial: the group should decide it. irrelevant: about
something else. trigger: tokens that a search found."""
KINDS: tuple[Kind, ...] = ("ethical", "adversarial", "irrelevant", "trigger")

Place = Literal["before_context", "after_context", "before_question"]
"""The place where the sentence is added: before the context (or premise), at its end, or before the question.
For masked statements and NLI items the last two give the same text."""
PLACES: tuple[Place, ...] = ("before_context", "after_context", "before_question")


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    """A sentence that is added to rows; the rows keep their ids."""

    id: str
    """Content hash of language, kind, place, text and rows, 32 hex digits."""
    language: str
    """BCP 47 tag of the rows that it is added to."""
    kind: Kind
    """ethical, adversarial, irrelevant, or trigger."""
    name: str
    """The sentence's name in its file; for a published file, its place in the file."""
    text: str
    """The added text, without the space before or after it."""
    place: Place
    """before_context, after_context or before_question."""
    join: str
    """The separator next to the added text: a space, or nothing."""
    classes: tuple[str, ...]
    """The classes of subjects that get the text."""
    attribute_clusters: tuple[str, ...]
    """The clusters of attributes that the text is about; empty for all."""
    domains: tuple[str, ...]
    """The domains of the NLI items that get the text."""
    source: str
    """The source of the text."""
    held_out: bool
    """True if training and the search for triggers never see the text."""


def interventions_of(table: pa.Table) -> tuple[Intervention, ...]:
    """Return the rows of a table of interventions; further columns are ignored."""
    fields = Intervention.__dataclass_fields__
    rows = table.select(list(fields)).to_pylist()
    lists = ("classes", "attribute_clusters", "domains")
    return tuple(Intervention(**{**row, **{name: tuple(row[name]) for name in lists}}) for row in rows)

"""The records of occlusion: the value of a measure without one word of a text, by row and by template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.forms import FormName

__all__ = ["OcclusionRow", "TemplateOcclusionRow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unit:
    """The columns that both tables have in common."""

    form: FormName
    """nli, qa, question or statement."""
    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit."""
    language: str
    """BCP 47 tag of the rows."""
    subject_class: str
    """The class of the subjects; for NLI items, the domain."""
    template_id: str
    """The template; empty for items without one."""
    intervention: str
    """The id of the intervention; empty without one."""
    kind: str
    """Its kind, such as ethical; empty without one."""
    part: Literal["context", "intervention", "premise"]
    """The text that the word is in."""
    place: int
    """Its number among the words of this text that are not a subject's, from 0."""
    units: int
    """The number of these words in the text."""
    text: str
    """The word or token, as in context_12; by template, … if rows differ."""
    before: str
    """The text between the previous word and this one; by template, … if rows differ."""
    after: str
    """The rest of the text after the last word; empty for the other words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OcclusionRow(_Unit):
    """One model's measure of one row without one word."""

    item_id: str
    """The item or quad."""
    value: float
    """The row's measure: for a quad, C, in [−1, 1]; for an NLI item, 1 − p(neutral), in [0, 1]."""
    occluded_value: float
    """The measure of the row without the word."""
    change: float
    """occluded_value − value."""
    change_of_size: float
    """|occluded_value| − |value|: below 0, the word adds to the preference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateOcclusionRow(_Unit):
    """The means of `OcclusionRow` over the rows of a template whose text has the same number of words."""

    mean_size: float
    """The mean of |value|."""
    change: float
    """The mean of change, which says little about quads: the order of the subjects decides the sign of
    C."""
    change_of_size: float
    """The mean of change_of_size."""
    n: int
    """The number of rows."""

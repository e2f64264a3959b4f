"""A published row as its format states it, before the facts of the other rows of its source are known."""

from __future__ import annotations

from dataclasses import dataclass, field

from nextset.published_choices.row_fields import RowFields
from nextset.records.choice_items import Condition, Cue, Polarity

__all__ = ["ChoiceDraft"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceDraft:
    """The parts of a choice item that its own row states."""

    language: str
    """The language tag; empty if the format does not state it."""
    category: str
    """The category, as published."""
    subcategory: str = ""
    """The part of the category; may be empty."""
    stereotype: str = ""
    """The stereotype; may be empty."""
    template_id: str
    """Category and number."""
    template_version: str = ""
    """The version; may be empty."""
    condition: Condition
    """The condition of the context."""
    polarity: Polarity
    """The polarity of the question."""
    context: str
    """The context."""
    question: str
    """The question."""
    options: tuple[str, ...]
    """The texts of the options."""
    names: tuple[str, ...]
    """For each option, the text that stands for its person in the context."""
    groups: tuple[str, ...]
    """For each option, its group as published; empty texts if the format names none."""
    label: int
    """The place of the right option."""
    unknown: int | None
    """The place of the option unknown; None if only its text shows it."""
    learns_unknown: bool = False
    """True if the layout does not state which option is unknown, so that other rows can show its wording."""
    biased: int | None = None
    """The place of the biased answer, if the format states it."""
    target: int | None = None
    """The place of the target in a row that ``states_target``; None if none of the options names it."""
    states_target: bool = False
    """True for a row that states the place of the target, so that it is not looked for."""
    target_groups: tuple[str, ...] = ()
    """The groups that the stereotype is about, if the format names them."""
    cue: Cue = "label"
    """The text that stands for a group."""
    source: str | None = None
    """The work that documents the stereotype."""
    source_id: str | None
    """The published id; None for a row that is one of a study's own items, written in a published layout."""
    set_marks: tuple[str, ...] = ()
    """The parts of the published id that identify the set; empty if only the context shows the set."""
    row: RowFields = field(repr=False)
    """The row."""
    texts: frozenset[str]
    """The names of the fields that the item has, if they are texts."""

    @property
    def published(self) -> str:
        """The other fields of the row, as JSON."""
        return self.row.rest(self.texts)

    @property
    def people(self) -> tuple[int, ...]:
        """The places of the options that name a person, if the place of unknown is known."""
        return tuple(place for place in range(len(self.options)) if place != self.unknown)

"""The words by which an audit's page and texts differ by form: the declared part of an audited form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.forms import FormName
from nextset.open_table import OpenTable

__all__ = ["SHOWN_FORMS", "ShownForm"]


@dataclass(frozen=True, kw_only=True)
class ShownForm:
    """The names of the rows of one form, and what pages show of their measures."""

    name: FormName
    title: str
    """The heading of its sections on the page."""
    kind: Literal["items", "quads", "choices"]
    """The kind of its rows: the definitions that the page shows, and the cards in the explorer."""
    noun: str
    """The name of its rows in tables and figures, in the plural."""
    unit: Literal["per_cent", "fraction"]
    """The unit of its measures on the page."""
    main_sets: tuple[str, ...]
    """The names of the sets that the report can be about, the first that is there foremost."""
    answered: str
    """A sentence that says when a model answered a row."""
    rates_by: tuple[str, ...]
    """The groupings whose rates of prompts without a choice have a table."""
    explorer_shows: str
    """What the explorer shows with each row."""
    accuracies: tuple[str, ...] = ()
    """The measures of accuracy of which each row counts in one; empty if there is none."""
    rates_drawn_by: str = ""
    """The grouping whose rates have a figure; empty for none."""
    has_patterns: bool = False
    """True if the rows' templates have patterns (`nextset.records.hypothesis_patterns`)."""
    states_stereotypes: bool = False
    """True if the sentences of the stereotypes are shown with the rows."""
    shows_empty: bool = True
    """True if the report counts a table of the stage generate without rows."""


SHOWN_FORMS: OpenTable[ShownForm] = OpenTable("nextset.forms.auditing", "audited form")
"""The audited forms, as `nextset.auditing.audit_form.AUDIT_FORMS` has them, without what they compute."""

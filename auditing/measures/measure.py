"""A measure of an audit: its name, its unit, its place in tables and on pages, and how it is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from nextset.array_types import Floats
from nextset.forms import CHOICE, FORMS, NLI, forms_asking
from nextset.open_table import OpenTable
from nextset.records.prompt_outcomes import Outcome

__all__ = [
    "MEASURES",
    "CountMeasure",
    "Counts",
    "Measure",
    "OutcomeMeasure",
    "PreferenceMeasure",
    "QuadMean",
    "Scale",
    "built_in",
    "share",
    "titled",
]

Counts = Mapping[str, Floats]
"""The counts in `nextset.auditing.nli.answer_counts.COUNTS`, or for choice items those in
`nextset.auditing.choices.choice_counts.COUNTS`, by name; arrays of one shape."""
Scale = Literal["share", "size", "difference", "number"]
"""share: a share of rows, in [0, 1]; size: a mean of sizes, in [0, 1]; difference: in [−1, 1]; number: any
number."""

ITEM_FORMS = forms_asking(NLI)
"""The forms that ask about NLI items."""
QUAD_FORMS = tuple(form.name for form in FORMS if form.quads)
"""The forms that ask about quads."""
CHOICE_FORMS = forms_asking(CHOICE)
"""The forms that ask about choice items."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure, as tables, pages and documentation name it."""

    name: str
    """Its name in tables, such as accuracy."""
    title: str = ""
    """Its name on pages; empty for the name without underscores."""
    definition: str = ""
    """Its formula, in one line."""
    forms: tuple[str, ...]
    """The forms that it is defined for."""
    scale: Scale = "share"
    """Its range, which decides the kind of interval."""
    compared: bool = True
    """True if models and sets are compared by it."""
    place: int = 0
    """Its place among the measures of a form: measures with a lower place come first."""

    @property
    def shown_title(self) -> str:
        """The name on pages."""
        return self.title or self.name.replace("_", " ")


@dataclass(frozen=True, kw_only=True)
class CountMeasure(Measure):
    """A measure of NLI items, or of choice items, that is computed from counts of a model's answers."""

    forms: tuple[str, ...] = ITEM_FORMS
    value: Callable[[Counts], Floats]
    """Return the values from counts, arrays of one shape; NaN if undefined."""
    rows: str = "rows"
    """The count that says how many rows the measure is based on."""
    drawn: tuple[str, ...] = ("items",)
    """The counts of the rows that it is based on, with their weights: the templates with such rows are drawn.
    Measures with the same counts have the same draws."""
    two_way: bool = False
    """True if the measure is defined for a model with two labels."""
    undefined: str = "there are no items"
    """The reason why a value is undefined."""
    only_with: str = ""
    """The count without which the measure has no row in tables; empty if it always has one."""
    note: Callable[[Mapping[str, float]], str | None] = lambda counts: None
    """Return a note on a value from the sums of the counts, or None."""


@dataclass(frozen=True, kw_only=True)
class QuadMean(Measure):
    """A measure of quads that is a mean over quads."""

    forms: tuple[str, ...] = QUAD_FORMS
    scale: Scale = "size"
    of_quads: Callable[[Floats, Floats], Floats]
    """Return the value of each quad, shape (quads,), from the scores of its two subjects, each of shape (4,
    quads): asked with the attribute in both orders, then with its negation in both orders."""


@dataclass(frozen=True, kw_only=True)
class PreferenceMeasure(Measure):
    """A measure of quads that is a mean of sizes of preferences; chance raises it.

    It is computed from the preferences of all subjects for all attributes, in
    `nextset.auditing.quads.quad_values`.
    """

    forms: tuple[str, ...] = QUAD_FORMS
    scale: Scale = "size"


@dataclass(frozen=True, kw_only=True)
class OutcomeMeasure(Measure):
    """A measure of the prompts that a model does not answer with a choice; tables have it only if a model of
    the audit has such answers.

    Models are compared by it as a family of its own: otherwise one model that refuses would change the
    corrected p-values of all measures of bias.
    """

    compared: bool = False
    outcomes: tuple[Outcome, ...]
    """The outcomes that are counted together."""
    paired: bool = False
    """True for the asymmetry between an item and its counterpart, False for the rate over rows."""


MEASURES: OpenTable[Measure] = OpenTable("nextset.measures", "measure")
"""All measures that installed packages register; an audit computes nextset's own and those that it names."""

Kind = TypeVar("Kind", bound=Measure)


def built_in(kind: type[Kind], form: str = "") -> tuple[Kind, ...]:
    """Return nextset's own measures of one ``kind``, in the order of the tables: those of one ``form``, or
    all."""
    own = (MEASURES[name] for name in MEASURES.own_names)
    chosen = (m for m in own if isinstance(m, kind) and (not form or form in m.forms))
    return tuple(sorted(chosen, key=lambda m: m.place))


def titled(measure: str) -> str:
    """Return the title of ``measure`` with its name in tables, or its name alone if the two are alike."""
    title = MEASURES[measure].shown_title if measure in MEASURES.own_names else measure
    return (
        measure
        if title.lower() == measure.replace("_", " ")
        else f"{title[:1].lower()}{title[1:]} ({measure})"
    )


def share(part: Floats, whole: Floats) -> Floats:
    """Return ``part`` / ``whole``, arrays of one shape; NaN if the whole is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient: Floats = np.where(np.asarray(whole) == 0, np.nan, np.divide(part, whole))
    return quotient

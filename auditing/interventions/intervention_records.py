"""The tables of an audit of interventions: the drawn values, and the changes that they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "InterventionChange",
    "InterventionFinding",
    "InterventionSeries",
    "TriggerTransfer",
    "TuningChange",
]

Form = Literal["nli", "question", "statement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InterventionSeries:
    """A measure of one model on some rows, with or without an intervention, in all rows of the bootstrap."""

    form: Form
    """The form in which the model was asked."""
    language: str
    """BCP 47 tag of the rows."""
    part: str
    """The class of the subjects; of NLI items the domain."""
    selection: str
    """The rows that count: all; of quads also equal_length, single_token and held_out."""
    model: str
    """The model's published name."""
    kind: str
    """ethical, adversarial, irrelevant or trigger."""
    place: str
    """Where it is added."""
    intervention: str
    """The id of the sentence; empty if the answers to all sentences of the kind are measured as one."""
    sentences: int
    """The number of sentences."""
    added: bool
    """Whether it was added; both rows of an intervention are of the same quads or items."""
    measure: str
    """The measure's name; docs/explanation/measures.md defines it."""
    n: int
    """The number of rows that the value is based on."""
    sizes: tuple[int, ...]
    """The number of templates, and of quads that of the pairs of subjects."""
    effective: float | None
    """The number of independent items that weigh as much; null for quads."""
    cell_quads: float | None
    """The mean number of quads of a subject and an attribute; null for measures of other rows."""
    values: tuple[float, ...]
    """The value, those of the draws, and those that leave out a template; NaN if undefined."""
    null: tuple[float, ...]
    """Of measures that chance raises the same of the draws' differences; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterventionChange:
    """A measure of one model on the same rows without and with an intervention, or those of a kind."""

    form: Form
    """The form in which the model was asked."""
    language: str
    """BCP 47 tag of the rows."""
    part: str
    """The class of the subjects; of NLI items the domain."""
    selection: str
    """The rows that count: all; of quads also equal_length (pairs of subjects with equally many tokens) and
    single_token (with one each); held_out (templates, subjects and sentences that tuning never saw)."""
    model: str
    """The model's published name."""
    kind: str
    """ethical, adversarial, irrelevant or trigger."""
    place: str
    """Where it is added: before_context, after_context or before_question."""
    intervention: str
    """The id of the sentence; empty for all sentences of the kind."""
    name: str
    """The sentence's name in its file; empty for all sentences of the kind."""
    measure: str
    """The measure's name, as in docs/explanation/measures.md. twin_accuracy: how often the subject that the context
    of a specified twin names scores higher. mu_pooled, eta_pooled: of the answers to all sentences together,
    as published."""
    sentences: int
    """The number of sentences; the values of a kind are means over its sentences."""
    value_without: float | None
    """The value without it; null if it is undefined."""
    low_without: float | None
    """The lower end of its 95 % interval; null if there is none."""
    high_without: float | None
    """The upper end."""
    value_with: float | None
    """The value with it."""
    low_with: float | None
    """The lower end of its 95 % interval."""
    high_with: float | None
    """The upper end."""
    change: float | None
    """With − without, on the same rows."""
    low: float | None
    """The lower end of the change's 95 % interval, by the same draws for both; null if there is none."""
    high: float | None
    """The upper end."""
    beyond: float | None
    """The change minus that of the irrelevant sentences at the same place; null for single sentences, and for
    triggers, which are measured on other rows."""
    beyond_low: float | None
    """The lower end of its 95 % interval."""
    beyond_high: float | None
    """The upper end."""
    p: float | None
    """The two-sided p-value of no change; null if there is none."""
    p_corrected: float | None
    """The same, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The number of comparisons that the correction counts: those of the same form, part and selection, of
    single sentences or of kinds."""
    n: int
    """The number of rows that each value is based on, on average over the sentences."""
    note: str | None
    """Why a value or an interval is null, or what it cannot say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterventionFinding:
    """What was found, in a few sentences on one form, class, model and place."""

    text: str
    """The sentences."""
    warning: bool
    """Whether it is a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerTransfer:
    """What a trigger changes in a model, on rows of templates that its search never saw."""

    form: Form
    """The form in which the model was asked."""
    language: str
    """BCP 47 tag of the rows."""
    part: str
    """The class of the subjects; of NLI items the domain."""
    trigger: str
    """Its text."""
    found_for: str
    """The model that it was sought for."""
    model: str
    """The model that was told it: the same one, or another one."""
    measure: str
    """The measure's name."""
    value_without: float | None
    """The value without it; null if it is undefined."""
    value_with: float | None
    """The value with it."""
    change: float | None
    """With − without, on the same rows."""
    low: float | None
    """The lower end of the change's 95 % interval; null if there is none."""
    high: float | None
    """The upper end."""
    n: int
    """The number of rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningChange:
    """What tuning changes in a reader, on questions whose template and subjects training never saw, and with
    sentences that it never saw."""

    language: str
    """BCP 47 tag of the questions."""
    part: str
    """The class of the subjects."""
    model: str
    """The published name of the model before tuning."""
    tuned: str
    """That of the tuned copy."""
    kind: str
    """The kind of the sentences: ethical, adversarial or irrelevant."""
    place: str
    """Where they are added."""
    measure: str
    """The measure's name, as in docs/explanation/measures.md. twin_accuracy: of specified twins."""
    sentences: int
    """The number of sentences; values are means over them."""
    before_without: float | None
    """The value before tuning, told nothing; null if it is undefined."""
    before_with: float | None
    """The value before tuning, told the sentences."""
    after_without: float | None
    """The value after tuning, told nothing."""
    after_with: float | None
    """The value after tuning, told the sentences."""
    change_without: float | None
    """after_without − before_without, on the same rows."""
    low_without: float | None
    """The lower end of its 95 % interval, by the same draws for both; null if there is none."""
    high_without: float | None
    """The upper end."""
    change: float | None
    """after_with − before_with, on the same rows."""
    low: float | None
    """The lower end of its 95 % interval; null if there is none."""
    high: float | None
    """The upper end."""
    n: int
    """The number of rows that each value is based on, on average over the sentences."""
    note: str | None
    """Why `change` has no interval, or what it leaves out; else null."""

"""The tables of an audit of interventions: the drawn values, and the changes that they give."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.forms import FormName

__all__ = [
    "InterventionChange",
    "InterventionFinding",
    "InterventionSeries",
    "TriggerTransfer",
    "TuningChange",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class InterventionSeries:
    """A measure of one model on some rows, with or without an intervention, in all rows of the bootstrap."""

    form: FormName
    """The form that the model was asked in."""
    language: str
    """BCP 47 tag of the rows."""
    part: str
    """The class of the subjects; for NLI items, the domain."""
    selection: str
    """The rows that count: all; for quads also equal_length, single_token and held_out."""
    model: str
    """The model's published name."""
    kind: str
    """ethical, adversarial, irrelevant or trigger."""
    place: str
    """The place where it is added."""
    intervention: str
    """The id of the sentence; empty for all sentences of the kind."""
    sentences: int
    """The number of sentences."""
    added: bool
    """False for the row without the intervention, with the same quads or items."""
    measure: str
    """The measure's name (docs/explanation/measures.md or question_measures.md)."""
    n: int
    """The number of rows that the value is based on."""
    unanswered: int
    """The number of rows that are left out because the model did not answer them both without and with the
    intervention."""
    sizes: tuple[int, ...]
    """The number of templates, and for quads also the number of pairs of subjects."""
    effective_rows: float | None
    """The number of independent items of the same weight; null for quads."""
    effective_templates: float | None
    """The number of templates of one size with the same weight; null for quads."""
    of_templates: tuple[float, ...]
    """The value of each template by itself; empty for quads."""
    cell_quads: float | None
    """The mean number of quads with a given subject and attribute; null for measures of other rows."""
    values: tuple[float, ...]
    """The value, the values of the draws, and the values with one template omitted; NaN if undefined. Of
    measures that chance raises, those of `nextset.auditing.quads.chance.RaisedValues.linear`."""
    raised: tuple[float, ...]
    """For measures that chance raises, by how much, by two estimates; otherwise empty."""
    null: tuple[float, ...]
    """For measures that chance raises, what chance gives by itself in each draw; otherwise empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterventionChange:
    """A measure of one model on the same rows without and with an intervention, or with those of a kind."""

    form: FormName
    """The form that the model was asked in."""
    language: str
    """BCP 47 tag of the rows."""
    part: str
    """The class of the subjects; for NLI items, the domain."""
    selection: str
    """The rows that count: all; for quads also equal_length (subjects with equally many tokens) and
    single_token; held_out from tuning."""
    model: str
    """The model's published name."""
    kind: str
    """ethical, adversarial, irrelevant or trigger."""
    place: str
    """before_context, after_context or before_question."""
    intervention: str
    """The id of the sentence; empty for all sentences of the kind."""
    name: str
    """The sentence's name in its file; empty for all sentences of the kind."""
    measure: str
    """The measure's name. twin_accuracy: how often the right subject of a specified twin scores higher.
    mu_pooled, eta_pooled: over the answers to all sentences together, as published."""
    sentences: int
    """The number of sentences; values are means over them."""
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
    """The lower end of the change's 95 % interval, from the same draws for both; null if there is none."""
    high: float | None
    """The upper end."""
    beyond: float | None
    """The change minus that by the irrelevant sentences at the same place; null for single sentences and
    triggers."""
    beyond_low: float | None
    """The lower end of its 95 % interval."""
    beyond_high: float | None
    """The upper end."""
    p: float | None
    """The two-sided p-value of no change; null if there is none."""
    p_corrected: float | None
    """The same, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The comparisons that the correction counts: of the same form, part and selection, of single sentences
    or of kinds."""
    n: int
    """The number of rows that each value is based on, on average over the sentences."""
    unanswered: int
    """The number of rows that are left out, on average over the sentences: the model did not answer them both
    without and with the intervention."""
    note: str | None
    """Why a value or an interval is null, or a limit on its meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterventionFinding:
    """A finding, in a few sentences on one form, class, model and place, or a warning."""

    text: str
    """The sentences."""
    warning: bool
    """True if it is a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerTransfer:
    """The change that a trigger makes in a model, on rows of templates that its search never saw."""

    form: FormName
    """The form that the model was asked in."""
    language: str
    """BCP 47 tag of the rows."""
    part: str
    """The class of the subjects; for NLI items, the domain."""
    trigger: str
    """Its text."""
    found_for: str
    """The model that it was sought for."""
    model: str
    """The model that was asked with the trigger."""
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
    """The change that tuning makes in a reader, on questions whose template and subjects training never saw,
    and with sentences that training never saw."""

    language: str
    """BCP 47 tag of the questions."""
    part: str
    """The class of the subjects."""
    model: str
    """The published name of the model before tuning."""
    tuned: str
    """The published name of the tuned copy."""
    kind: str
    """ethical, adversarial or irrelevant."""
    place: str
    """The place where they are added."""
    measure: str
    """The measure's name; twin_accuracy: of specified twins."""
    sentences: int
    """The number of sentences; values are means over them."""
    before_without: float | None
    """The value before tuning, without a sentence; null if it is undefined."""
    before_with: float | None
    """The value before tuning, with the sentences."""
    after_without: float | None
    """The value after tuning, without a sentence."""
    after_with: float | None
    """The value after tuning, with the sentences."""
    change_without: float | None
    """after_without − before_without, on the same rows."""
    low_without: float | None
    """The lower end of its 95 % interval, from the same draws for both; null if there is none."""
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
    """The reason why `change` has no interval, or a limit on what the interval covers; else null."""

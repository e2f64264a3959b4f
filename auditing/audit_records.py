"""The tables of an audit, one record each: tidy, with one row per value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.forms import FormName

__all__ = [
    "AuditDesign",
    "AuditedModel",
    "ComparisonRow",
    "MeasureRow",
    "OwnMeasure",
    "PreferenceRow",
    "SensitivityRow",
    "WordingRow",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRow:
    """One measure of one model on one part of the items."""

    form: FormName
    """The form that the models were asked in."""
    items: str
    """plain, released or generated in a study, else dataset."""
    selection: str
    """The rows that count: measured (those that measure bias), majority, unanimous, judged or weighted by
    verdicts; for quads all, equal_length (in tokens of subjects) or single_token."""
    subject_class: str
    """The class of the subjects of quads, such as gender; empty for other items."""
    by: str
    """all, domain, stereotype or contrast, for rates and lengths of thinking also group; for quads all,
    subject, attribute, attribute_cluster, cluster or template; for choice items all, category, subcategory,
    group, pair, cue, category_cue or polarity."""
    part: str
    """The name of the domain, stereotype and so on; or all."""
    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit."""
    measure: str
    """The measure's name (docs/explanation/measures.md, question_measures.md or choice_measures.md;
    docs/how_to/traces.md for thinking)."""
    value: float | None
    """The value, a fraction, or the number of tokens or characters for lengths of thinking; null if it is
    undefined."""
    low: float | None
    """The lower end of the 95 % interval; null if there is none, and the note says why."""
    high: float | None
    """The upper end of the 95 % interval; null if there is none."""
    n: int
    """The number of rows that the value is based on."""
    clusters: int
    """The number of clusters that the interval draws: templates, or pairs of subjects."""
    note: str | None
    """Why the value or interval is null or set by convention, or what was excluded."""
    bound_low: float | None = None
    """The smallest value that is possible over all rows, if each row that the model did not answer had been
    answered; equal to the value if it answered all. Null if it is undefined or unknown."""
    bound_high: float | None = None
    """The largest such value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceRow:
    """The preference of a model between a subject, or a cluster of subjects, and the others (UnQover)."""

    form: FormName
    """question or statement."""
    items: str
    """generated or released in a study, else dataset."""
    selection: str
    """all, equal_length (subjects with equally many tokens) or single_token."""
    subject_class: str
    """The class of the subjects, such as gender."""
    by: Literal["subject", "cluster"]
    """subject, or cluster if `subject` is a cluster such as female."""
    subject: str
    """The subject's or the cluster's name."""
    attribute: str
    """The attribute's name; empty for γ(x) and η(x), over all attributes."""
    attribute_cluster: str
    """The attribute's cluster; may be empty."""
    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit."""
    gamma: float
    """γ: the mean of C, in [−1, 1]; above 0 the attribute goes with the subject (equation 7)."""
    gamma_low: float | None
    """The lower end of its 95 % interval; null if there is none."""
    gamma_high: float | None
    """The upper end."""
    eta: float
    """η: the mean of the sign of C, in [−1, 1] (equation 9)."""
    eta_low: float | None
    """The lower end of its 95 % interval; null if there is none."""
    eta_high: float | None
    """The upper end."""
    n: int
    """The number of quads that the model answered."""
    gamma_bound_low: float | None = None
    """The smallest γ that is possible over all quads, if the quads that the model did not answer had been
    answered; equal to γ if it answered all."""
    gamma_bound_high: float | None = None
    """The largest such γ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """A measure of two models on the same items, or of one model on two sets, and their difference."""

    kind: Literal["models", "sets"]
    """models: two models on the same set; sets: one model on two sets."""
    form: FormName
    """The form that the models were asked in."""
    subject_class: str
    """The class of the subjects of quads; empty for NLI items."""
    measure: str
    """The measure's name."""
    first_model: str
    """The model of the first value."""
    second_model: str
    """The model of the second value."""
    first_items: str
    """The set of the first value."""
    second_items: str
    """The set of the second value."""
    first_value: float
    """The first value, a fraction."""
    second_value: float
    """The second value."""
    difference: float
    """Second − first."""
    low: float | None
    """The lower end of the difference's 95 % interval, from the same draws for both; null if there is
    none."""
    high: float | None
    """The upper end."""
    p: float | None
    """The two-sided p-value of no difference, from the same draws; null if there is none."""
    p_corrected: float | None
    """The same, corrected for the number of comparisons (Holm 1979)."""
    comparisons: int
    """The number of comparisons that the correction counts."""
    note: str | None = None
    """The rows that a model did not answer, if the two values are not of the same rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityRow:
    """A measure with one template omitted at a time."""

    form: FormName
    """The form that the models were asked in."""
    items: str
    """The set that was measured."""
    subject_class: str
    """The class of the subjects of quads; empty for NLI items."""
    model: str
    """The model's published name."""
    measure: str
    """The measure's name."""
    value: float
    """The value with all templates."""
    lowest: float
    """The lowest value with one template omitted."""
    lowest_without: str
    """That template."""
    highest: float
    """The highest value with one template omitted."""
    highest_without: str
    """That template."""
    templates: int
    """The number of templates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingRow:
    """A measure of a generative model that was asked in one wording at a time."""

    form: FormName
    """The form that the model was asked in."""
    items: str
    """The set that was measured."""
    subject_class: str
    """The class of the subjects of quads; empty for NLI items."""
    model: str
    """The model's published name."""
    measure: str
    """The measure's name."""
    wording: int
    """The wording's place in its file, from 1."""
    value: float | None
    """The value with only this wording; null if it is undefined."""
    n: int
    """The number of rows that the value is based on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedModel:
    """A model that was measured."""

    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit."""
    revision: str
    """Digest of the model's weights; for published predictions, of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditDesign:
    """The design of an audit's intervals."""

    form: FormName
    """The form whose measures have these intervals."""
    drawn: str
    """The units that are drawn with replacement."""
    draws: int
    """The number of draws."""
    seed: int
    """The seed of the draws."""
    level: float
    """The intervals' level: 0.95."""
    correction: str
    """The correction of the p-values for the number of comparisons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnMeasure:
    """A measure that is not one of nextset's: a function of the study, or of an installed package."""

    measure: str
    """The measure's name in the other tables."""
    title: str
    """Its name on pages."""
    definition: str
    """Its formula, or the function's first line of documentation."""
    scale: str
    """share or size, in [0, 1]; difference, in [−1, 1]; or number, without bounds."""
    source: str
    """FILE.py:NAME, or the package and its version."""
    sha256: str
    """The hash of its file, in hex; empty for a function of a package."""

"""Rows of the filter's tables, which the stages filter and filter_report write and a release publishes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AccuracyRow", "BiasRow", "DeclaredModel", "DeclaredRule", "GapRow", "OwnRuleRow", "SurvivalRow"]


@dataclass(frozen=True, slots=True)
class DeclaredModel:
    """A model that the study declares for the filter, or holds out of it."""

    model: str
    """The model's published name."""
    role: str
    """filter or held_out."""
    revision: str
    """The digest of the model's weights."""


@dataclass(frozen=True, slots=True)
class DeclaredRule:
    """The rule that the study declares."""

    rule: str
    """The rule as in study.yaml, in JSON."""
    words: str
    """The rule as text."""
    pairs: str
    """whole: items that differ only by group are kept together; apart: they are kept individually."""
    balance: str
    """The steps taken for balance, as text."""
    scored: str
    """The computation of the scores, as text."""


@dataclass(frozen=True, slots=True)
class OwnRuleRow:
    """A rule that is not nextset's own: the table own_rules of out/filter, which exists if there is one.

    The file of a row with a sha256 is a snapshot, own/FILE, which a release carries.
    """

    rule: str
    """The rule as in study.yaml: FILE.py:NAME, or the name under which a package registers it."""
    sha256: str
    """The sha256 of the file, in hex; empty for a package."""
    package: str
    """The package and its version, such as toy 0.1; empty for a file."""


@dataclass(frozen=True, slots=True)
class SurvivalRow:
    """The number of candidates in a part of the dataset that a model finds hard, or that the filter keeps."""

    by: str
    """domain, stereotype, group, stance, template; for questions class, attribute kind, attribute cluster;
    for choice items category, subcategory, condition, polarity, target group, template."""
    part: str
    """The domain, the stereotype and so on."""
    model: str
    """A model that was asked about every candidate, or `any` for the filter."""
    candidates: int
    """Candidates in this part; for a model, those that it answered."""
    survived: int
    """The number of them that the model finds hard, or the filter keeps."""


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """A model's accuracy before and after the filter."""

    model: str
    """The model's published name."""
    role: str
    """filter or held_out."""
    before: float | None
    """Share of right labels among the candidates that the model answered, in [0, 1]; null if it was not asked
    about all of them."""
    after: float | None
    """The same among the kept items."""
    n_before: int
    """The number of candidates that it was asked about; in a cascade it may be smaller than the total."""
    n_after: int
    """The number of kept items that it was asked about."""


@dataclass(frozen=True, slots=True)
class BiasRow:
    """The dependence of a model's answers to questions on the subjects, before and after the filter."""

    model: str
    """The model's published name."""
    role: str
    """filter or held_out."""
    c_before: float | None
    """Mean |C| among the candidates that the model answered, in [0, 1]; null if there are none."""
    c_after: float | None
    """The same among the kept items."""
    differs_before: float | None
    """Share of these candidates whose answer depends on the order of the subjects."""
    differs_after: float | None
    """The same among the kept items."""
    n_before: int
    """The number of candidates that it was asked about."""
    n_after: int
    """The number of kept questions that it was asked about."""


@dataclass(frozen=True, slots=True)
class GapRow:
    """Filter models and held-out models compared, with an interval."""

    measure: str
    """A mean over filter or held-out models, its shift by the filter, or the gap between the two kinds."""
    value: float | None
    """Mean over the models asked about all items, or null. A shift is after − before, a gap held out −
    filter."""
    low: float | None
    """Lower end of the 95 % bootstrap interval; null if there is too little data for an interval."""
    high: float | None
    """Upper end of the interval."""
    drawn: str
    """The clusters that the bootstrap drew: templates, or templates and pairs of subjects."""
    n: int
    """The number of templates; for questions, the number of pairs of subjects."""

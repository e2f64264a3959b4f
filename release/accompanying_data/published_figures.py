"""Figures of a study that readers cannot compute from the release, published as separate tables.

From the released rows, readers can compute each model's accuracy and bias on the release (items and scores),
the number of released items of a domain, stereotype or stance that each filter model found hard (items and
missed_by), the units that count as valid, and the agreement of verdicts over all units (judgments). They
cannot compute figures that need unreleased candidates or units: survival by part, accuracy before the filter,
agreement by domain and stereotype, agreement on the checks of questions, the first votes of each unit if
more were requested only on disagreement, and exposure. These tables have those figures as the study
computed them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from nextset.errors import ArtifactError
from nextset.records.arrow_schema import arrow_schema

__all__ = [
    "PUBLISHED",
    "PublishedAccuracy",
    "PublishedAgreement",
    "PublishedBias",
    "PublishedExposure",
    "PublishedGap",
    "PublishedRule",
    "PublishedSurvival",
    "PublishedTable",
    "published_table",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRule:
    """The filter's rule."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSurvival:
    """The number of candidates in a part of the dataset that a model finds hard, or that the filter keeps."""

    by: str
    """domain, stereotype, group, stance, template; for questions class, attribute kind, attribute cluster."""
    part: str
    """The domain, the stereotype and so on."""
    model: str
    """A model that was asked about every candidate, or `any` for the filter."""
    candidates: int
    """Candidates in this part."""
    survived: int
    """The number of them that the model finds hard, or the filter keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedAccuracy:
    """The accuracy of a model before and after the filter."""

    model: str
    """The model's published name."""
    role: str
    """filter or held_out."""
    before: float | None
    """Share of right labels among the candidates, in [0, 1]; null if the model did not score all of them."""
    after: float | None
    """The same among the kept items."""
    n_before: int
    """The number of candidates that it was asked about; in a cascade it may be smaller than the total."""
    n_after: int
    """The number of kept items that it was asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedBias:
    """The dependence of a model's answers on the subjects, before and after the filter."""

    model: str
    """The model's published name."""
    role: str
    """filter or held_out."""
    c_before: float | None
    """Mean |C| among the candidates, in [0, 1]; null if there are none."""
    c_after: float | None
    """The same among the kept items."""
    differs_before: float | None
    """Share of the candidates whose answer depends on the order of the subjects."""
    differs_after: float | None
    """The same among the kept items."""
    n_before: int
    """The number of candidates that it was asked about."""
    n_after: int
    """The number of kept questions that it was asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedGap:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedExposure:
    """Counts of a domain's items that annotators read, without names."""

    domain: str | None
    """The domain; null for all domains together."""
    people: int
    """The number of people who read items of this domain."""
    items: int
    """The number of items that they read; an item counts once for each person who read it."""
    fewest: int
    """The fewest items that one of these people read."""
    median: float
    """The median over these people."""
    most: int
    """The most items that one of these people read."""
    declined: int
    """The number of times that a person declined an item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedAgreement:
    """A coefficient of agreement, with the units and ratings that it describes."""

    name: str
    """per_cent (0 to 100, not corrected for chance), alpha, fleiss or cohen (at most 1; 0 is chance)."""
    value: float | None
    """The coefficient; null if it is undefined."""
    low: float | None
    """The lower end of the 95 % interval over units; null if there is none."""
    high: float | None
    """The upper end."""
    units: int
    """The number of units that it is computed from."""
    ratings: int
    """The number of ratings of these units."""
    why_undefined: str | None
    """The reason for a missing value, as text; null if there is a value."""
    note: str
    """A note on the units or ratings that are not included; usually empty."""
    of: str
    """The label that was rated: verdict, verdict and stance, or a check of a question."""
    by: str
    """The kind of part: all units, those of a domain, or of a stereotype (for questions, an attribute)."""
    part: str
    """The domain or stereotype; empty for all."""
    judge1: str | None
    """The first annotator of Cohen's κ, by pseudonym in this dataset; null for other coefficients."""
    judge2: str | None
    """The second annotator of Cohen's κ; null for the other coefficients."""


@dataclass(frozen=True)
class PublishedTable:
    """A table of the study that is published as a config."""

    config: str
    """The config's name."""
    stage: str
    """The folder under out/ that has the table."""
    table: str
    """The table's name there."""
    record: type
    """The record of its rows."""


PUBLISHED: tuple[PublishedTable, ...] = (
    PublishedTable("filter_rule", "filter", "rule", PublishedRule),
    PublishedTable("survival", "filter_report", "survival", PublishedSurvival),
    PublishedTable("accuracy", "filter_report", "accuracy", PublishedAccuracy),
    PublishedTable("bias", "filter_report", "bias", PublishedBias),
    PublishedTable("held_out_gap", "filter_report", "held_out_gap", PublishedGap),
    PublishedTable("exposure", "validate", "exposure", PublishedExposure),
    PublishedTable("agreement", "validate", "agreement", PublishedAgreement),
)
"""The tables that are published as they are in the study; a table that the study lacks is omitted."""


def published_table(table: pa.Table, published: PublishedTable, pseudonyms: Mapping[str, str]) -> pa.Table:
    """Return the study's ``table`` as it is published, with the ``pseudonyms`` of annotators.

    ``pseudonyms`` come from `dataset_pseudonyms`, and may be empty for tables without annotators. Raises
    ArtifactError if the table's columns are not those of its record.
    """
    schema = arrow_schema(published.record)
    if table.column_names != schema.names:
        raise ArtifactError(
            f"the columns of the table {published.table} in out/{published.stage} are not the expected ones",
            remedy=f"delete out/{published.stage} in the study's folder and run `nextset run STUDY`",
        )
    for name in ("judge1", "judge2"):
        if name in schema.names:
            judges = [judge and pseudonyms[judge] for judge in table[name].to_pylist()]
            table = table.set_column(
                schema.get_field_index(name), schema.field(name), pa.array(judges, pa.string())
            )
    return table.cast(schema)

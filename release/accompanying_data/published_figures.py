"""Figures of a study that readers cannot compute from the release, published as tables of their own.

From the released rows readers can compute: each model's accuracy and bias on the release (items and scores),
how many released items of a domain, stereotype or stance each filter model found hard (items and missed_by),
which units count as valid, and the agreement of verdicts over all units (judgments). Nobody can compute from
them what concerns candidates or units that are not released: survival by part and accuracy before the filter,
agreement by domain and stereotype, agreement on the checks of questions, the first votes of each unit where
more were asked for only on disagreement, and exposure. These tables have those figures as the study
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
    """The rule as JSON, as study.yaml has it."""
    words: str
    """The rule as text."""
    pairs: str
    """whole or apart: whether items that differ only by group are kept together."""
    balance: str
    """What was done for the balance, as text."""
    scored: str
    """How the scores were computed, as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSurvival:
    """How many candidates of a part of the set a model finds hard, or the filter keeps."""

    by: str
    """domain, stereotype, group, stance, template; of questions class, attribute kind, attribute cluster."""
    part: str
    """The domain, the stereotype and so on."""
    model: str
    """A model that was asked about every candidate, or `any` for what the filter keeps."""
    candidates: int
    """Candidates in this part."""
    survived: int
    """The number of them that the model finds hard, or the filter keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedAccuracy:
    """How often a model is right, before and after the filter."""

    model: str
    """The model's published name."""
    role: str
    """filter or held_out."""
    before: float | None
    """Share of right labels among the candidates, in [0, 1]; null if it was not asked about all of them."""
    after: float | None
    """The same among the kept items."""
    n_before: int
    """Candidates that it was asked about: in a cascade not all of them."""
    n_after: int
    """Kept items that it was asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedBias:
    """How much a model's answers to questions depend on the subjects, before and after the filter."""

    model: str
    """The model's published name."""
    role: str
    """filter or held_out."""
    c_before: float | None
    """Mean |C| among the candidates, in [0, 1]; null if there are none."""
    c_after: float | None
    """The same among the kept items."""
    differs_before: float | None
    """Share of the candidates whose answer depends on which subject comes first."""
    differs_after: float | None
    """The same among the kept items."""
    n_before: int
    """Candidates that it was asked about."""
    n_after: int
    """Kept ones that it was asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedGap:
    """Filter models and held-out models compared, with an interval."""

    measure: str
    """A mean over filter or held-out models, its shift by the filter, or the gap between the two kinds."""
    value: float | None
    """Mean over the models asked about all items, or null; shift: after − before, gap: held out − filter."""
    low: float | None
    """Lower end of the 95 % bootstrap interval; null if there is too little to draw from."""
    high: float | None
    """Upper end."""
    drawn: str
    """What the bootstrap drew: templates, or templates and pairs of subjects."""
    n: int
    """The number of templates; for questions, of pairs of subjects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedExposure:
    """How much annotators read of a domain, without names."""

    domain: str | None
    """The domain; null for all of them together."""
    people: int
    """People who read something of it."""
    items: int
    """Items that they read, each as often as it was read."""
    fewest: int
    """The fewest items that one of them read."""
    median: float
    """The median over them."""
    most: int
    """The most."""
    declined: int
    """How often an annotator declined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedAgreement:
    """A coefficient of agreement, and what it is of."""

    name: str
    """per_cent (0 to 100, not corrected for chance), alpha, fleiss or cohen (at most 1; 0 is chance)."""
    value: float | None
    """The coefficient; null if it is undefined."""
    low: float | None
    """The lower end of the 95 % interval over units; null if there is none."""
    high: float | None
    """The upper end."""
    units: int
    """Units that it is made from."""
    ratings: int
    """Their ratings."""
    why_undefined: str | None
    """Why there is no value, as text; null if there is one."""
    note: str
    """What was left out; mostly empty."""
    of: str
    """What was rated: verdict, verdict and stance, or a check of a question."""
    by: str
    """Over all units, those of a domain, or those of a stereotype (of questions the attribute)."""
    part: str
    """The domain or stereotype; empty for all."""
    judge1: str | None
    """The one judge of Cohen's κ, by the pseudonym in this dataset; null for the other coefficients."""
    judge2: str | None
    """The other judge."""


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
"""The tables that are published as the study has them; one that it does not have is left out."""


def published_table(table: pa.Table, published: PublishedTable, pseudonyms: Mapping[str, str]) -> pa.Table:
    """Return ``table`` of the study as it is published, with annotators under their ``pseudonyms``.

    ``pseudonyms`` come from `dataset_pseudonyms`, and may be empty for tables without annotators. Raises
    ArtifactError if the table has other columns than its record.
    """
    schema = arrow_schema(published.record)
    if table.column_names != schema.names:
        raise ArtifactError(
            f"the table {published.table} of out/{published.stage} has other columns than expected",
            remedy=f"delete out/{published.stage} in the study's folder and run `nextset run STUDY`",
        )
    for name in ("judge1", "judge2"):
        if name in schema.names:
            judges = [judge and pseudonyms[judge] for judge in table[name].to_pylist()]
            table = table.set_column(
                schema.get_field_index(name), schema.field(name), pa.array(judges, pa.string())
            )
    return table.cast(schema)

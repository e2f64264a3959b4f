"""Figures of a study that readers cannot compute from the release, published as separate tables.

From the released rows, readers can compute each model's accuracy and bias on the release (items and scores),
the number of released items of a domain, stereotype or stance that each filter model found hard (items and
missed_by), the units that count as valid, and the agreement of verdicts over all units (judgments). They
cannot compute figures that need unreleased candidates or units: survival by part, accuracy before the filter,
agreement by domain and stereotype, agreement on the checks of questions, the first votes of each unit if
more were requested only on disagreement, exposure, and the decisions on templates of which the release has no
items. These tables have those figures as the study computed them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from nextset.errors import ArtifactError
from nextset.records.arrow_schema import arrow_schema
from nextset.records.exposure_total import ExposureTotal
from nextset.records.filter_tables import AccuracyRow, BiasRow, DeclaredRule, GapRow, SurvivalRow
from nextset.records.port_decisions import PortDecision

__all__ = [
    "PUBLISHED",
    "PublishedAgreement",
    "PublishedTable",
    "published_table",
]


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
    PublishedTable("filter_rule", "filter", "rule", DeclaredRule),
    PublishedTable("survival", "filter_report", "survival", SurvivalRow),
    PublishedTable("accuracy", "filter_report", "accuracy", AccuracyRow),
    PublishedTable("bias", "filter_report", "bias", BiasRow),
    PublishedTable("held_out_gap", "filter_report", "held_out_gap", GapRow),
    PublishedTable("exposure", "validate", "exposure", ExposureTotal),
    PublishedTable("agreement", "validate", "agreement", PublishedAgreement),
    PublishedTable("port_decisions", "generate", "port_decisions", PortDecision),
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

"""The tables of an audit, as the artifact and the files of an audit hold them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.csv

from nextset.auditing.audit_records import (
    AuditDesign,
    AuditedModel,
    ComparisonRow,
    MeasureRow,
    OwnMeasure,
    PreferenceRow,
    SensitivityRow,
    WordingRow,
)
from nextset.auditing.model_comparisons import CORRECTION
from nextset.bootstrap_intervals import LEVEL
from nextset.cluster_bootstrap import DRAWS, SEED
from nextset.files.spreadsheet_cells import neutralised
from nextset.forms import FormName
from nextset.records.arrow_schema import records_of, table_of

__all__ = [
    "OWN_MEASURES",
    "TABLES",
    "AuditTables",
    "design_of",
    "measures_csv",
    "measures_json",
    "recorded_tables",
]

TABLES: dict[str, type] = {
    "measures": MeasureRow,
    "preferences": PreferenceRow,
    "comparisons": ComparisonRow,
    "sensitivity": SensitivityRow,
    "wordings": WordingRow,
    "models": AuditedModel,
    "design": AuditDesign,
}
"""The tables of an audit, with their records."""
OWN_MEASURES = "own_measures"
"""A further table, of `OwnMeasure`; an audit has it only if it has such measures."""


@dataclass(frozen=True)
class AuditTables:
    """The results of an audit."""

    measures: list[MeasureRow] = field(default_factory=list)
    """All measures."""
    preferences: list[PreferenceRow] = field(default_factory=list)
    """γ and η of subjects and clusters; none without quads."""
    comparisons: list[ComparisonRow] = field(default_factory=list)
    """Models compared with models, and sets with sets."""
    sensitivity: list[SensitivityRow] = field(default_factory=list)
    """Measures with one template omitted at a time."""
    wordings: list[WordingRow] = field(default_factory=list)
    """Measures of generative models by wording."""
    models: list[AuditedModel] = field(default_factory=list)
    """The models that were measured."""
    design: list[AuditDesign] = field(default_factory=list)
    """The design of the intervals."""
    own_measures: list[OwnMeasure] = field(default_factory=list)
    """The measures that are not nextset's."""

    def joined(self, other: AuditTables, wordings: Iterable[WordingRow]) -> AuditTables:
        """Return the rows of both, each model once, and ``wordings``."""
        rows = {name: [*getattr(self, name), *getattr(other, name)] for name in TABLES}
        rows["models"] = list({m.model: m for m in reversed(rows["models"])}.values())[::-1]
        own = list({m.measure: m for m in (*self.own_measures, *other.own_measures)}.values())
        return AuditTables(**{**rows, "wordings": [*rows["wordings"], *wordings]}, own_measures=own)

    def table(self, name: str) -> pa.Table:
        """Return one of `TABLES`, or `OWN_MEASURES`."""
        return table_of(getattr(self, name), OwnMeasure if name == OWN_MEASURES else TABLES[name])


def design_of(form: FormName, drawn: str) -> AuditDesign:
    """Return the design of the intervals of ``form``; ``drawn`` are the units that are drawn."""
    return AuditDesign(form=form, drawn=drawn, draws=DRAWS, seed=SEED, level=LEVEL, correction=CORRECTION)


def measures_csv(measures: pa.Table) -> bytes:
    """Return the table measures as CSV; text that a spreadsheet would run as a formula is neutralised."""
    for place, field_ in enumerate(measures.schema):
        if pa.types.is_string(field_.type):
            texts = [text and neutralised(text) for text in measures[field_.name].to_pylist()]
            measures = measures.set_column(place, field_, pa.array(texts, pa.string()))
    sink = io.BytesIO()
    pyarrow.csv.write_csv(measures, sink)
    return sink.getvalue()


def measures_json(measures: pa.Table) -> bytes:
    """Return the table measures as JSON: a list with one object per row."""
    return (json.dumps(measures.to_pylist(), ensure_ascii=False, indent=1) + "\n").encode()


def recorded_tables(table: Callable[[str], pa.Table], *, own_measures: bool = False) -> AuditTables:
    """Return the tables of an audit; ``table`` returns one by its name, like the method `Artifact.table`.

    ``own_measures``: the audit has measures that are not nextset's.
    """
    own = records_of(table(OWN_MEASURES), OwnMeasure) if own_measures else []
    tables: dict[str, Any] = {name: records_of(table(name), record) for name, record in TABLES.items()}
    return AuditTables(**tables, own_measures=own)

"""The tables of an audit as records, for the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from nextset.auditing.audit_records import (
    AuditDesign,
    AuditedModel,
    ComparisonRow,
    Form,
    MeasureRow,
    PreferenceRow,
    SensitivityRow,
    WordingRow,
)

__all__ = ["AuditTables", "audit_tables", "forms", "is_quads"]

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTables:
    """The tables of an audit."""

    measures: tuple[MeasureRow, ...]
    """The measures."""
    models: tuple[AuditedModel, ...]
    """The models, in the order in which the report names them."""
    preferences: tuple[PreferenceRow, ...] = ()
    """The preferences between subjects; empty for NLI items."""
    comparisons: tuple[ComparisonRow, ...] = ()
    """The comparisons of models and of sets."""
    sensitivity: tuple[SensitivityRow, ...] = ()
    """The measures with one template left out."""
    wordings: tuple[WordingRow, ...] = ()
    """The measures by the wording of the prompt; empty without generative models."""
    design: tuple[AuditDesign, ...] = ()
    """How the intervals were made."""


def audit_tables(table: Callable[[str], pa.Table]) -> AuditTables:
    """Return the records of an audit; ``table`` returns the table with a name, such as measures.

    The method `table` of an artifact can be passed as it is.
    """
    return AuditTables(
        measures=_records(table("measures"), MeasureRow),
        preferences=_records(table("preferences"), PreferenceRow),
        comparisons=_records(table("comparisons"), ComparisonRow),
        sensitivity=_records(table("sensitivity"), SensitivityRow),
        wordings=_records(table("wordings"), WordingRow),
        models=_records(table("models"), AuditedModel),
        design=_records(table("design"), AuditDesign),
    )


def forms(rows: Iterable[MeasureRow]) -> tuple[Form, ...]:
    """Return the forms of some measures, in the order nli, qa, question, statement."""
    found = {row.form for row in rows}
    order: tuple[Form, ...] = ("nli", "qa", "question", "statement")
    return tuple(form for form in order if form in found)


def is_quads(form: Form) -> bool:
    """Return whether a form asks about quads, not about NLI items."""
    return form in ("question", "statement")


def _records(table: pa.Table, record: Callable[..., Record]) -> tuple[Record, ...]:
    names = record.__dataclass_fields__  # type: ignore[attr-defined]
    rows: list[dict[str, Any]] = table.select(list(names)).to_pylist()
    return tuple(record(**row) for row in rows)

"""The tables of a finished audit, read back as records, and the forms in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa

from nextset.auditing.audit_records import MeasureRow, OwnMeasure
from nextset.auditing.audit_tables import OWN_MEASURES, TABLES, AuditTables
from nextset.forms import FormName
from nextset.records.arrow_schema import records_of

__all__ = ["forms", "is_quads", "recorded_tables"]


def recorded_tables(table: Callable[[str], pa.Table], *, own_measures: bool = False) -> AuditTables:
    """Return the tables of an audit; ``table`` returns one by its name, like the method `Artifact.table`.

    ``own_measures``: the audit has measures that are not nextset's.
    """
    own = records_of(table(OWN_MEASURES), OwnMeasure) if own_measures else []
    tables: dict[str, Any] = {name: records_of(table(name), record) for name, record in TABLES.items()}
    return AuditTables(**tables, own_measures=own)


def forms(rows: Iterable[MeasureRow]) -> tuple[FormName, ...]:
    """Return the forms of some measures, in the order nli, qa, question, statement."""
    measured = {row.form for row in rows}
    order: tuple[FormName, ...] = ("nli", "qa", "question", "statement")
    return tuple(form for form in order if form in measured)


def is_quads(form: FormName) -> bool:
    """Return whether a form asks about quads, not about NLI items."""
    return form in ("question", "statement")

"""The tables of a finished audit, read back as records, and the forms in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pyarrow as pa

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.audit_tables import TABLES, AuditTables
from nextset.forms import FormName
from nextset.records.arrow_schema import records_of

__all__ = ["forms", "is_quads", "recorded_tables"]


def recorded_tables(table: Callable[[str], pa.Table]) -> AuditTables:
    """Return the tables of an audit; ``table`` returns one by its name, like the method `Artifact.table`."""
    return AuditTables(**{name: records_of(table(name), record) for name, record in TABLES.items()})


def forms(rows: Iterable[MeasureRow]) -> tuple[FormName, ...]:
    """Return the forms of some measures, in the order nli, qa, question, statement."""
    measured = {row.form for row in rows}
    order: tuple[FormName, ...] = ("nli", "qa", "question", "statement")
    return tuple(form for form in order if form in measured)


def is_quads(form: FormName) -> bool:
    """Return whether a form asks about quads, not about NLI items."""
    return form in ("question", "statement")

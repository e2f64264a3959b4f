"""The tables of a finished audit as records again, and the forms that they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

import pyarrow as pa

from nextset.auditing.audit_records import Form, MeasureRow
from nextset.auditing.audit_tables import TABLES, AuditTables

__all__ = ["forms", "is_quads", "recorded_tables"]


def recorded_tables(table: Callable[[str], pa.Table]) -> AuditTables:
    """Return the tables of an audit; ``table`` returns one by its name, as the method `Artifact.table`."""
    return AuditTables(**{name: _records(table(name), record) for name, record in TABLES.items()})


def forms(rows: Iterable[MeasureRow]) -> tuple[Form, ...]:
    """Return the forms of some measures, in the order nli, qa, question, statement."""
    found = {row.form for row in rows}
    order: tuple[Form, ...] = ("nli", "qa", "question", "statement")
    return tuple(form for form in order if form in found)


def is_quads(form: Form) -> bool:
    """Return whether a form asks about quads, not about NLI items."""
    return form in ("question", "statement")


def _records(table: pa.Table, record: type) -> list[Any]:
    names = [field.name for field in fields(record)]
    return [record(**row) for row in table.select(names).to_pylist()]

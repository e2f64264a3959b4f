"""The tables of a finished audit, read back as records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from nextset.auditing.audit_records import OwnMeasure
from nextset.auditing.audit_tables import OWN_MEASURES, TABLES, AuditTables
from nextset.records.arrow_schema import records_of

__all__ = ["recorded_tables"]


def recorded_tables(table: Callable[[str], pa.Table], *, own_measures: bool = False) -> AuditTables:
    """Return the tables of an audit; ``table`` returns one by its name, like the method `Artifact.table`.

    ``own_measures``: the audit has measures that are not nextset's.
    """
    own = records_of(table(OWN_MEASURES), OwnMeasure) if own_measures else []
    tables: dict[str, Any] = {name: records_of(table(name), record) for name, record in TABLES.items()}
    return AuditTables(**tables, own_measures=own)

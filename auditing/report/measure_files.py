"""The files next to the page: the measures as CSV, and all tables of the audit as JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.csv

from nextset.files.spreadsheet_cells import neutralised

__all__ = ["measures_csv", "measures_json"]


def measures_csv(measures: pa.Table) -> bytes:
    """Return the measures as CSV, one row per value; texts that a spreadsheet would run are neutralised."""
    texts = [f.name for f in measures.schema if pa.types.is_string(f.type)]
    for name in texts:
        column = [None if v is None else neutralised(v) for v in measures[name].to_pylist()]
        place = measures.schema.get_field_index(name)
        measures = measures.set_column(place, name, pa.array(column, pa.string()))
    sink = io.BytesIO()
    pyarrow.csv.write_csv(measures, sink)
    return sink.getvalue()


def measures_json(tables: Mapping[str, pa.Table]) -> bytes:
    """Return all tables of an audit as JSON: by name a list of rows, one line per row."""
    lines = []
    for name, table in tables.items():
        found = table.to_pylist()
        rows = ",\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in found)
        lines.append(f"{json.dumps(name)}: [\n{rows}\n]")
    return ("{" + ",\n".join(lines) + "}\n").encode()

"""A table of NLI items, questions or choice items as a dataset that is audited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.auditing.datasets.audited_dataset import AuditedDataset
from nextset.errors import InputError
from nextset.files.atomic_files import parquet_bytes, write_atomically
from nextset.files.file_hash import file_sha256
from nextset.forms import FORMS, NLI, Form
from nextset.records.arrow_schema import arrow_schema
from nextset.records.content_ids import content_id
from nextset.records.nli_items import NliItem
from nextset.scoring.row_chunks import Source
from nextset.tables.table_checks import check_labels, check_once, check_texts, with_text_ids

__all__ = ["table_digest", "tabular_dataset"]

_KNOWN = ("premise", "hypothesis", "label")
"""The columns that a table of NLI items needs; the other ones of `NliItem` may be missing."""
_MISSING: dict[str, Any] = {"names_group": True, "stance_design": "pro", "language": "en"}
"""The values of columns of `NliItem` that are missing, if they are not empty, false or null."""


def table_digest(table: pa.Table) -> str:
    """Return a digest of the rows of ``table``, which names the folder of its audit."""
    return content_id("table", parquet_bytes(table.replace_schema_metadata(None)).hex())


def tabular_dataset(table: pa.Table, name: str, version: str, folder: Path) -> AuditedDataset:
    """Write ``table`` to a file in ``folder``, and return the dataset with this file.

    NLI items need the columns premise, hypothesis and label; without ids, each text gets one. Questions,
    statements and choice items need all columns of their records. Raises InputError if columns are missing,
    and for items without texts, with wrong labels or repeated ids.
    """
    form = _form(table)
    rows = _completed(table) if form is NLI else table
    file = folder / f"{form.released}-{version}.parquet"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(file, parquet_bytes(rows))
    return AuditedDataset(
        name=name,
        version=version,
        folder=folder,
        files={form.released: (Source(file, file_sha256(file), rows.num_rows),)},
    )


def _form(table: pa.Table) -> Form:
    columns = set(table.column_names)
    if columns >= set(_KNOWN):
        return NLI
    others = [form for form in FORMS if form.released and form.name == form.rows_of != NLI.name]
    fitting = [form for form in others if columns >= set(arrow_schema(form.record).names)]
    if not fitting:
        raise InputError(
            "the table has none of the forms that are audited; its columns are "
            f"{', '.join(table.column_names)}",
            remedy=f"add the columns {', '.join(_KNOWN)}, or give the rows of a dataset version",
        )
    return fitting[0]


def _completed(table: pa.Table) -> pa.Table:
    """Return NLI items with all columns of `NliItem`; without ids, each text gets one."""
    check_texts(table, "items", ("premise", "hypothesis"))
    check_labels(table)
    table = with_text_ids(table, "items")
    if "id" not in table.column_names:
        texts = zip(table["premise"].to_pylist(), table["hypothesis"].to_pylist(), strict=True)
        table = table.append_column(
            "id", pa.array([content_id("pair", *pair) for pair in texts], pa.string())
        )
    check_once(table, "items", ("id",), "give each item its own id, and each text once if there are no ids")
    for field in arrow_schema(NliItem):
        if field.name in table.column_names:
            if pa.types.is_nested(field.type):  # other libraries forget which values are never null
                place = table.column_names.index(field.name)
                nested = pa.array(table[field.name].to_pylist(), field.type)
                table = table.set_column(place, field, nested)
            continue
        empty = None if field.nullable else "" if pa.types.is_string(field.type) else False
        values = [_MISSING.get(field.name, empty)] * table.num_rows
        table = table.append_column(field, pa.array(values, field.type))
    return table

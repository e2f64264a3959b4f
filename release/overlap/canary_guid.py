"""The canary GUID of a dataset: a string whose presence in a corpus shows that the dataset is part of it."""

from __future__ import annotations

import uuid

import pyarrow as pa

__all__ = ["canary_guid", "with_canary"]

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "nextset:canary")


def canary_guid(name: str) -> str:
    """Return the canary GUID of the dataset ``name``: a UUID of version 5, the same for all its versions."""
    return str(uuid.uuid5(_NAMESPACE, name))


def with_canary(table: pa.Table, guid: str) -> pa.Table:
    """Return ``table`` with ``guid`` in every row of a last column canary, which replaces an older one."""
    if "canary" in table.column_names:
        table = table.drop_columns(["canary"])
    field = pa.field("canary", pa.string(), nullable=False)
    return table.append_column(field, pa.repeat(pa.scalar(guid, pa.string()), table.num_rows))

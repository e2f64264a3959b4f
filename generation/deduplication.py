"""Ids for new items, and one row per id."""

from __future__ import annotations

import pyarrow as pa

from nextset.records.content_ids import item_ids
from nextset.study.item_tables import distinct

__all__ = ["with_ids"]


def with_ids(items: pa.Table) -> pa.Table:
    """Return ``items`` with their ids, keeping only the first of the rows with the same id."""
    at = items.schema.get_field_index("id")
    field = items.schema.field(at)
    return distinct(items.set_column(at, field, pa.array(item_ids(items), field.type)))

"""The counts of a form's rows on a dataset card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, TypeAlias

import pyarrow as pa

from nextset.records.class_labels import untyped_table

__all__ = ["CountedRows", "FormCounts", "counted_pieces"]

CountedRows: TypeAlias = pa.Table | Iterable[pa.RecordBatch | pa.Table]
"""A table, or its batches."""

ROWS = 50_000
"""Rows that are counted at once."""


class FormCounts:
    """Counts of a form's rows. A form has a subclass of its own, and a template that prints it."""

    template: ClassVar[str]
    """The Markdown template in `nextset.release.dataset_card`, which reads ``kind`` and ``counts``."""

    @property
    def total(self) -> int:
        """The number of rows."""
        raise NotImplementedError


def counted_pieces(rows: CountedRows) -> Iterator[pa.Table]:
    """Yield tables of at most `ROWS` rows each, with names in place of numbers."""
    for whole in (rows,) if isinstance(rows, pa.Table) else rows:
        table = whole if isinstance(whole, pa.Table) else pa.Table.from_batches([whole])
        for start in range(0, table.num_rows, ROWS):
            yield untyped_table(table.slice(start, ROWS))

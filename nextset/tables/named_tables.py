"""Tables in memory by name, which notebooks show, and which become pandas or `datasets` tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from nextset.errors import InputError
from nextset.html.notebook_html import TableHead, notebook_block, notebook_table

if TYPE_CHECKING:
    import pandas as pd
    from datasets import Dataset

__all__ = ["NamedTables"]


@dataclass(frozen=True, repr=False, eq=False)
class NamedTables:
    """Tables in memory by name. The first one is the main table, which methods return without a name.

    ``tables["items"]`` is a pyarrow table, ``len(tables)`` is the number of rows of the main table, and
    iteration gives the names.
    """

    tables: Mapping[str, pa.Table]
    """The tables by name, the main table first."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Numbers of rows by description, such as rows that were merged."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tables, the main table first."""
        return tuple(self.tables)

    def __repr__(self) -> str:
        tables = ", ".join(f"{name} {table.num_rows:,}" for name, table in self.tables.items())
        return f"<NamedTables: {tables}>"

    def _repr_html_(self) -> str:
        """Return the first rows of the main table, and the other tables with their rows, for notebooks."""
        others = [
            (name, table.num_rows, ", ".join(table.column_names)) for name, table in self.tables.items()
        ]
        return notebook_block(
            self.head()._repr_html_(),
            notebook_table(("table", "rows", "columns"), others),
            notebook_table(("count", "rows"), list(self.counts.items())) if self.counts else "",
        )

    def __len__(self) -> int:
        rows: int = self.table().num_rows
        return rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    def __getitem__(self, name: str) -> pa.Table:
        """Return the table ``name``; raises InputError if there is none."""
        return self.table(name)

    def table(self, name: str | None = None) -> pa.Table:
        """Return the table ``name``, by default the main table; raises InputError if there is none."""
        if name is None:
            name = self.names[0]
        if name not in self.tables:
            raise InputError(f"there is no table {name!r}", remedy=f"use one of {', '.join(self.names)}")
        return self.tables[name]

    def to_pandas(self, name: str | None = None) -> pd.DataFrame:
        """Return a table as a pandas DataFrame; raises as `table` does."""
        return cast("pd.DataFrame", self.table(name).to_pandas())

    def to_dataset(self, name: str | None = None) -> Dataset:
        """Return a table as a `datasets.Dataset` in memory; raises as `table` does."""
        from datasets import Dataset
        from datasets.table import InMemoryTable

        return Dataset(InMemoryTable(self.table(name)))

    def head(self, rows: int = 5, columns: tuple[str, ...] | list[str] | None = None) -> TableHead:
        """Return the first ``rows`` of the main table, for a notebook.

        Raises InputError if a column is missing.
        """
        table, shown = self.table(), list(columns or self.table().column_names)
        missing = [name for name in shown if name not in table.column_names]
        if missing:
            raise InputError(
                f"the table {self.names[0]} has no column {missing[0]!r}",
                remedy=f"use some of {', '.join(table.column_names)}",
            )
        first = table.select(shown).slice(0, rows)
        return TableHead(self.names[0], table.num_rows, tuple(shown), tuple(first.to_pylist()))

"""The texts of released rows by their ids, for people who look at findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["texts_of"]


def texts_of(ids: Iterable[str], tables: Iterable[pa.Table], columns: Sequence[str]) -> dict[str, str]:
    """Return the texts in ``columns`` of the rows with ``ids`` in ``tables``, which are read one by one.

    A table need not have all of ``columns``.
    """
    wanted = pa.array(sorted(ids), pa.string())
    texts: dict[str, str] = {}
    for table in tables if len(wanted) else ():
        names = [name for name in columns if name in table.column_names]
        rows = table.select(["id", *names]).filter(pc.is_in(table["id"], value_set=wanted))
        for row in rows.to_pylist():
            texts[row["id"]] = " · ".join(row[name] for name in names if row[name])
    return texts

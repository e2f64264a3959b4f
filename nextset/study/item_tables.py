"""The tables that several rooms read from a study's artifacts."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.artifacts.artifact import open_artifact
from nextset.errors import DamagedShard, StudyError
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliItem
from nextset.study.study_folder import Study

__all__ = [
    "damaged_import",
    "distinct",
    "imported",
    "nothing_to_filter",
    "plain",
]


def plain(study: Study) -> pa.Table:
    """The templates' plain expansion: NLI items without masks, test items among them."""
    return open_artifact(study.out / "generate").table("items")


def imported(study: Study) -> pa.Table:
    """All items that `nextset import` brought in, in the order of the files' names."""
    tables = [arrow_schema(NliItem).empty_table()]
    for path in sorted(study.imported.glob("*.parquet")):
        try:
            tables.append(pq.read_table(path, schema=arrow_schema(NliItem)))
        except (pa.ArrowInvalid, OSError) as e:
            raise damaged_import(path, e) from None
    return distinct(pa.concat_tables(tables))


def nothing_to_filter(study: Study) -> StudyError:
    """The error of a study without candidates."""
    return StudyError(
        f"there is nothing to filter: no items are {' or '.join(study.filter.candidates)}",
        file=study.file,
        remedy="write masked hypotheses, or set filter.candidates: [plain]",
    )


def damaged_import(path: Path, e: Exception) -> DamagedShard:
    """The error of a file that `nextset import` left and that cannot be read."""
    return DamagedShard(f"{path} cannot be read: {e}", remedy="bring the data in again with `nextset import`")


def distinct(items: pa.Table) -> pa.Table:
    """``items`` with the first row of each id."""
    seen: set[str] = set()
    keep = []
    for id_ in items["id"].to_pylist():
        keep.append(id_ not in seen)
        seen.add(id_)
    return items.filter(pa.array(keep, pa.bool_()))

"""A study's plain expansion and its imported items, for several packages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from nextset.artifacts.artifact import Artifact, is_finished, open_artifact
from nextset.errors import DamagedShard
from nextset.records.arrow_schema import arrow_schema
from nextset.records.content_ids import item_ids
from nextset.records.hypothesis_patterns import template_patterns
from nextset.records.nli_items import NliItem

__all__ = [
    "damaged_import",
    "distinct",
    "first_of_each",
    "imported_files",
    "imported_ids",
    "imported_items",
    "patterns_of_items",
    "plain_items",
    "proposed_templates",
    "templates_of_items",
    "with_ids",
]


def plain_items(out: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the templates' plain expansion in ``out``: NLI items without masks, test items included."""
    return open_artifact(out / "generate").table("items", columns)


def templates_of_items(out: Path) -> pa.Table:
    """Return the templates of the items in ``out``, including a writer's hypotheses, as TemplateRows."""
    own = open_artifact(out / "generate").table("templates")
    proposed = proposed_templates(out)
    return own if proposed is None else pa.concat_tables([own, proposed.table("templates")])


def patterns_of_items(out: Path) -> dict[str, str]:
    """Return the patterns of the templates' hypotheses in ``out``, by template; none without templates."""
    if "templates" not in open_artifact(out / "generate").tables:
        return {}
    return template_patterns(templates_of_items(out))


def proposed_templates(out: Path) -> Artifact | None:
    """Return the artifact in ``out`` with a writer's hypotheses as templates; None if there are none."""
    if not is_finished(out / "fill"):
        return None
    filled = open_artifact(out / "fill")
    return filled if "templates" in filled.tables else None


def imported_items(folder: Path) -> pa.Table:
    """Return all items that `nextset import` wrote to ``folder``, in the order of the files' names."""
    tables = [arrow_schema(NliItem).empty_table()]
    for path in imported_files(folder):
        try:
            tables.append(pq.read_table(path, schema=arrow_schema(NliItem)))
        except (pa.ArrowInvalid, OSError) as e:
            raise damaged_import(path, e) from None
    return distinct(pa.concat_tables(tables))


def imported_ids(file: Path) -> frozenset[str]:
    """Return the ids of the items in the imported ``file``; none if it cannot be read."""
    try:
        return frozenset(pq.read_table(file, columns=["id"])["id"].to_pylist())
    except (pa.ArrowException, OSError, KeyError):
        return frozenset()


def imported_files(folder: Path) -> list[Path]:
    """Return the files that `nextset import` wrote to ``folder``, by name; none if it does not exist.

    Raises DamagedShard if ``folder`` is not a folder, or a file in it is not a regular one (a broken link).
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise damaged_import(folder, "it is not a folder")
    files = sorted(folder.glob("*.parquet"))
    for path in files:
        if not path.is_file():
            raise damaged_import(path, "it is not a regular file")
    return files


def damaged_import(path: Path, e: Exception | str) -> DamagedShard:
    """Return the error for an imported file that cannot be read."""
    return DamagedShard(
        f"{path} cannot be read: {e}", remedy="import the data again with `nextset import STUDY FILE`"
    )


def with_ids(items: pa.Table) -> pa.Table:
    """Return ``items`` with their ids, keeping only the first of the rows with the same id."""
    at = items.schema.get_field_index("id")
    field = items.schema.field(at)
    return distinct(items.set_column(at, field, pa.array(item_ids(items), field.type)))


def distinct(items: pa.Table) -> pa.Table:
    """Return the first row of each id in ``items``."""
    first = first_of_each(items["id"])
    return items if first.all() else items.filter(pa.array(first))


def first_of_each(ids: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Return whether each row is the first with its id, shape (rows,)."""
    codes = np.asarray(ids.combine_chunks().dictionary_encode().indices)
    # the encoding numbers ids in the order of their first row
    before = np.maximum.accumulate(np.concatenate([[-1], codes]))[:-1]
    return np.asarray(codes > before, np.bool_)

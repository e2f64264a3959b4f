"""A finished study with any number of judged items: its own items under further premises."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.records.content_ids import item_ids

__all__ = ["enlarged_study"]

_SHARD = 50_000


def enlarged_study(finished: Path, folder: Path, rows: int) -> Path:
    """Copy the study ``finished`` to ``folder`` with about ``rows`` items to release, and return ``folder``.

    Each item that was judged valid, or has form_ok, is repeated under numbered premises, with the ids of the
    new texts.
    """
    shutil.copytree(
        finished, folder, ignore=shutil.ignore_patterns("release*", "audit", "report", "dataset*")
    )
    judged = open_artifact(finished / "out" / "validate")
    (passed,) = {s.table for s in judged.shards} & {"valid", "form_ok"}
    items = judged.table(passed)
    copies = -(-rows // items.num_rows)
    per_shard = max(1, _SHARD // items.num_rows)
    starts = range(0, copies, per_shard)

    def shard(start: int) -> PartResult:
        numbers = range(start, min(start + per_shard, copies))
        return PartResult(pa.concat_tables(_copy(items, n) for n in numbers))

    def other(name: str) -> PartResult:
        return PartResult(judged.table(name))

    names = sorted({s.table for s in judged.shards} - {"items", passed})
    shutil.rmtree(folder / "out" / "validate")
    build(
        folder / "out" / "validate",
        Recipe("validate", 0, {"copies": str(copies)}),
        lambda: [
            *(Part("items", functools.partial(shard, start)) for start in starts),
            Part(passed, lambda: PartResult(items)),
            *(Part(name, functools.partial(other, name)) for name in names),
        ],
    )
    return folder


def _copy(items: pa.Table, number: int) -> pa.Table:
    premises = pc.binary_join_element_wise(items["premise"], pa.scalar(f"({number})"), " ")
    at = items.schema.get_field_index("premise")
    copied = items.set_column(at, items.schema.field(at), premises)
    at = items.schema.get_field_index("id")
    return copied.set_column(at, items.schema.field(at), pa.array(item_ids(copied), pa.string()))

"""Small dataset versions in folders, as a release writes them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.records.arrow_schema import arrow_schema
from nextset.records.content_ids import item_ids
from nextset.records.nli_items import LABELS, NliItem, NliScore, Stance
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.release.forms.released_form import main_configs
from nextset.release.version_folder.release_manifest import (
    MANIFEST,
    PublishedFile,
    ReleaseManifest,
    manifest_bytes,
)
from nextset.release.versions.withdrawal import WithdrawnRow
from tests.records import ITEM

__all__ = ["item", "items_table", "scores_table", "write_version"]

_MORE = ("verdict", "stance_judged", "judge", "counterpart_id", "counterfactual_set")


def item(hypothesis: str, stance: Stance = "pro", **more: Any) -> dict[str, Any]:
    """A row of the config items with its id; ``more`` replaces or adds columns."""
    names = {k: v for k, v in more.items() if k not in _MORE}
    row = asdict(replace(ITEM, hypothesis=hypothesis, stance_design=stance, **names))
    row |= dict.fromkeys(_MORE) | {"verdict": "valid", "stance_judged": stance, "judge": "people"}
    row |= {k: v for k, v in more.items() if k in _MORE}
    if not row["id"]:
        (row["id"],) = item_ids(pa.Table.from_pylist([row], schema=arrow_schema(NliItem)))
    return row


def items_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """The config items."""
    schema = pa.schema([*arrow_schema(NliItem), *(pa.field(n, pa.string()) for n in _MORE)])
    return pa.Table.from_pylist(list(rows), schema=schema)


def scores_table(answers: Mapping[str, str], model: str = "builtin:a", revision: str = "1") -> pa.Table:
    """The config scores: the answer of a model by item."""
    same: dict[str, Any] = {"model": model, "revision": revision, "role": "audit", "precision": "float32"}
    same |= {
        "mode": "canonical",
        "truncated": False,
        "votes": False,
        **dict.fromkeys(map(str, OUTCOMES), 0.0),
    }
    rows = [
        {"item_id": id_, **same, **{name: 0.8 if name == answer else 0.1 for name in LABELS}}
        for id_, answer in answers.items()
    ]
    return pa.Table.from_pylist(rows, schema=arrow_schema(NliScore))


def write_version(
    folder: Path,
    tables: Mapping[str, pa.Table | Sequence[pa.Table]],
    version: str = "1.0.0",
    withdrawn: Sequence[WithdrawnRow] = (),
    card: str = "",
    more: Mapping[str, str] | None = None,
    **fields: Any,
) -> Path:
    """Write a dataset version with the configs ``tables`` (several tables: several files).

    ``tables`` has CONFIG, CONFIG/FOLDER, CONFIG:SPLIT or CONFIG/FOLDER:SPLIT; ``more`` other files by path.
    """
    if withdrawn:
        tables = {**tables, "withdrawn": pa.Table.from_pylist([asdict(w) for w in withdrawn])}
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(card or f"# A set {version}\n", encoding="utf-8")
    files = []
    for place, parts in tables.items():
        config, _, split = place.partition(":")
        split = split or "test"
        shards = [parts] if isinstance(parts, pa.Table) else list(parts)
        for i, table in enumerate(shards):
            path = folder / "data" / config / f"{split}-{i:05d}-of-{len(shards):05d}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(table, path)
            files.append(_listed(folder, path, config.split("/")[0], table.num_rows, split))
    for name, text in (more or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        files.append(_listed(folder, folder / name, None, None))
    files.append(_listed(folder, folder / "README.md", None, None))
    names = [place.partition(":")[0].split("/")[0] for place in tables]
    main = dict.fromkeys(name for name in names if name in main_configs())
    manifest = ReleaseManifest(
        name="a-set", version=version, previous=None, kind=",".join(main), license="cc-by-4.0",
        authors=("A",), languages=("en",), canary="c", content_warning="Warning.", judge="people",
        verdicts={"aggregated": True}, models=(), waivers=(), columns={}, study={}, nextset="0.1.0",
        private=False, gated=False, files=tuple(files),
    )  # fmt: skip
    (folder / MANIFEST).write_bytes(manifest_bytes(replace(manifest, **fields)))
    return folder


def _listed(
    folder: Path, path: Path, config: str | None, rows: int | None, split: str | None = None
) -> PublishedFile:
    raw = path.read_bytes()
    return PublishedFile(
        path=path.relative_to(folder).as_posix(), bytes=len(raw), sha256=hashlib.sha256(raw).hexdigest(),
        rows=rows, config=config, split=split,
    )  # fmt: skip

"""The main configs of a dataset version: items, questions or statements, as Parquet and as text."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact
from nextset.records.class_labels import typed_table
from nextset.release.dataset_files.splits import CONTROLS, TEST, domain_folders, placed
from nextset.release.dataset_files.text_export import write_csv, write_jsonl, write_layout
from nextset.release.forms.released_form import released_form
from nextset.release.source_rows import Kind, kinds_of
from nextset.release.version_folder.dataset_folder import DatasetFolder, Place

__all__ = ["write_main_configs", "write_text_files"]

_Writer = Callable[[Path, Iterable[pa.RecordBatch]], None]


def write_main_configs(folder: DatasetFolder, released: Artifact, by_domain: bool) -> dict[str, str]:
    """Write the rows of ``released``, shard by shard, and return the domains by the names of their configs.

    The result is empty unless ``by_domain``. For questions and statements, the domain is the class of
    subjects.
    """
    configs: dict[str, str] = {}
    for kind in kinds_of(released):
        folders = None
        if by_domain:
            folders = domain_folders(kind, _domains(released, kind))
            configs |= {name: domain for domain, name in folders.items()}
        folder.write_rows(_placed(released, kind, folders))
    return configs


def _domains(released: Artifact, kind: Kind) -> list[str]:
    name = released_form(kind).part
    domains: set[str] = set()
    for shard in released.shards_of(kind):
        domains.update(pc.unique(released.piece(shard, [name])[name]).to_pylist())
    return sorted(domains)


def _placed(
    released: Artifact, kind: Kind, folders: dict[str, str] | None
) -> Iterator[tuple[Place, pa.Table]]:
    for shard in released.shards_of(kind):
        for place, table in placed(kind, released.piece(shard), folders):
            yield place, typed_table(table)
        pa.default_memory_pool().release_unused()  # or the memory of every shard stays in use


def write_text_files(folder: DatasetFolder, kinds: Sequence[Kind], formats: Sequence[str]) -> None:
    """Write the rows of ``kinds`` also as CSV, as JSONL or in a published layout, one file per split."""
    writers = {"csv": write_csv, "jsonl": write_jsonl}
    for name in sorted(formats):
        for kind in kinds:
            form = released_form(kind)
            if name not in writers and name not in form.layouts:
                continue
            write = writers.get(name) or functools.partial(write_layout, layout=form.layouts[name])
            ending = name if name in writers else "jsonl"
            for split in (TEST, CONTROLS) if form.has_items else (TEST,):
                if any((f.config, f.split) == (kind, split) for f in folder.files):
                    _add(folder, f"{name}/{kind}-{split}.{ending}", write, kind, split)


def _add(folder: DatasetFolder, path: str, write: _Writer, kind: Kind, split: str) -> None:
    batches = (batch for table in folder.batches(kind, split) for batch in table.to_batches())
    folder.add(path, lambda target: write(target, batches))

"""Differences between two dataset versions outside the rows: columns, accompanying data, metadata, card."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from nextset.records.class_labels import class_names
from nextset.release.version_folder.domain_configs import domain_configs
from nextset.release.version_folder.release_manifest import CARD, PublishedFile, ReleaseManifest
from nextset.release.versions.diff_records import MetadataChange, SchemaChange, TableChange
from nextset.release.versions.version_tables import VersionTable

__all__ = [
    "COLUMNS",
    "domain_changes",
    "metadata_changes",
    "prose_changed",
    "schema_changes",
    "table_changes",
]

_FIELDS = (
    "name", "license", "authors", "languages", "canary", "content_warning", "judge", "verdicts", "models",
    "waivers", "private", "gated", "draft", "kind",
)  # fmt: skip
COLUMNS = "columns"
"""The manifest's field that holds the types of columns."""
_TEXTS = (CARD, "CITATION.cff")
_NUMBER = re.compile(r"\d[\d,.]*(?<=\d)")
_OF_THE_VERSION = (
    "|",
    "![",
    "load_dataset(",
    "folder = ",
    "## Versions",
    "The previous version is ",
    "Withdrawn items: ",
)
"""Beginnings of the card's lines that depend only on the rows and the version number."""
_FORMATS = ("csv", "jsonl", "templates")


def schema_changes(
    old: Mapping[str, VersionTable], new: Mapping[str, VersionTable]
) -> tuple[SchemaChange, ...]:
    """Return the configs and columns that were added or removed, and the columns whose type changed.

    The values of a ClassLabel are part of its type.
    """
    changes = []
    for config in sorted({*old, *new}):
        if config not in old or config not in new:
            before, after = ("config" if config in side else None for side in (old, new))
            changes.append(SchemaChange(config=config, column=None, before=before, after=after))
            continue
        a, b = _types(old[config].schema), _types(new[config].schema)
        for column in dict.fromkeys([*b, *a]):
            if a.get(column) != b.get(column):
                before, after = a.get(column), b.get(column)
                changes.append(SchemaChange(config=config, column=column, before=before, after=after))
    return tuple(changes)


def domain_changes(
    old: ReleaseManifest, new: ReleaseManifest, main: Sequence[str]
) -> tuple[SchemaChange, ...]:
    """Return the configs of domains that were added or removed, by the paths data/CONFIG/DOMAIN/FILE."""
    before, after = (set(domain_configs(_by_config(m), main)) for m in (old, new))
    return tuple(
        SchemaChange(
            config=name,
            column=None,
            before="config" if name in before else None,
            after="config" if name in after else None,
        )
        for name in sorted(before ^ after)
    )


def table_changes(old: ReleaseManifest, new: ReleaseManifest, main: Iterable[str]) -> tuple[TableChange, ...]:
    """Return the configs outside ``main`` whose contents differ, by the hashes in the manifests."""
    changes = []
    configs = {f.config for m in (old, new) for f in m.files if f.config} - {*main, "withdrawn"}
    for config in sorted(configs):
        a, b = old.files_of(config), new.files_of(config)
        if [(f.split, f.sha256) for f in a] != [(f.split, f.sha256) for f in b]:
            before, after = (sum(f.rows or 0 for f in files) for files in (a, b))
            changes.append(TableChange(config=config, before=before, after=after))
    return tuple(changes)


def metadata_changes(
    old: Path, new: Path, before: ReleaseManifest, after: ReleaseManifest
) -> tuple[MetadataChange, ...]:
    """Return the manifest fields that differ, and the numbers of lines of card and citation that differ.

    In these texts, the version number itself is not a difference.
    """
    a, b = asdict(before), asdict(after)
    changes = [
        MetadataChange(field=name, before=_shown(a[name]), after=_shown(b[name]))
        for name in _FIELDS
        if _shown(a[name]) != _shown(b[name])
    ]
    if before.version == after.version and before.previous != after.previous:
        changes.append(
            MetadataChange(field="previous", before=before.previous or "", after=after.previous or "")
        )
    columns = _listed_columns(before), _listed_columns(after)
    if columns[0] != columns[1]:
        shown = [", ".join(sorted(own)) for own in (columns[0] - columns[1], columns[1] - columns[0])]
        changes.append(MetadataChange(field=COLUMNS, before=shown[0], after=shown[1]))
    for name in _FORMATS:
        files = [{f.path: f.sha256 for f in m.files if f.path.split("/")[0] == name} for m in (before, after)]
        if set(files[0]) != set(files[1]):
            counts = [f"files: {len(listed)}" for listed in files]
            changes.append(MetadataChange(field=name, before=counts[0], after=counts[1]))
    for name in _TEXTS:
        lines = [Counter(_lines(f / name, m.version)) for f, m in ((old, before), (new, after))]
        less, more = lines[0] - lines[1], lines[1] - lines[0]
        if less or more:
            words = [f"lines removed: {less.total()}", f"lines added: {more.total()}"]
            changes.append(MetadataChange(field=name, before=words[0], after=words[1]))
    return tuple(changes)


def prose_changed(old: Path, new: Path, before: str, after: str) -> bool:
    """Return whether the cards in two folders differ in more than numbers, tables and lists of files.

    ``before`` and ``after`` are the version numbers, which are not a difference.
    """
    a, b = _prose(old / CARD, before), _prose(new / CARD, after)
    return a != b


def _prose(file: Path, version: str) -> set[str]:
    """Return the lines of a card's prose, with N in place of each number."""
    text = "\n".join(_lines(file, version))
    body = text.split("\n---\n", 1)[-1] if text.startswith("---\n") else text
    lines = (line.strip() for line in body.splitlines())
    return {_NUMBER.sub("N", line) for line in lines if line and not line.startswith(_OF_THE_VERSION)}


def _listed_columns(manifest: ReleaseManifest) -> set[str]:
    return {
        f"{config}.{column}: {kind}"
        for config, own in manifest.columns.items()
        for column, kind in own.items()
    }


def _by_config(manifest: ReleaseManifest) -> dict[str, list[PublishedFile]]:
    by_config: dict[str, list[PublishedFile]] = {}
    for file in manifest.files:
        if file.config is not None:
            by_config.setdefault(file.config, []).append(file)
    return by_config


def _types(schema: pa.Schema) -> dict[str, str]:
    labels = class_names(schema)
    return {
        field.name: f"ClassLabel({', '.join(labels[field.name])})"
        if field.name in labels and pa.types.is_integer(field.type)
        else str(field.type)
        for field in schema
    }


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _lines(file: Path, version: str) -> list[str]:
    if not file.is_file():
        return []
    text = file.read_text(encoding="utf-8", errors="replace")
    return text.replace(version, "VERSION").splitlines()

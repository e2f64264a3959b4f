"""The models that helped make an imported dataset version; the imported file keeps their names."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.study.imported_version import containing_version, reading_manifest, version_manifest
from nextset.study.item_tables import damaged_import, imported_files

__all__ = ["ImportedModel", "imported_models", "with_models"]

_KEY = b"nextset_models"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedModel:
    """A model that helped make an imported version."""

    name: str
    """The model's name in that version's manifest."""
    revision: str
    """Digest of its weights."""
    role: Literal["fill", "filter", "held out"]
    """Its role."""
    pinned: bool
    """True if the name fixes the weights."""
    version: str | None = None
    """The version that it helped make, such as carers 1.0.0."""


def with_models(items: pa.Table, path: Path) -> pa.Table:
    """Return ``items``, with the models of the version at ``path`` (its folder or a file) in their metadata.

    The items are unchanged if there is no such version, or if no model helped make it. Raises
    ImportedDataError for a damaged manifest.
    """
    folder = containing_version(path)
    if folder is None:
        return items
    manifest = version_manifest(folder)
    with reading_manifest(folder):
        models = _of_manifest(manifest)
    if not models:
        return items
    written = json.dumps([asdict(model) for model in models], sort_keys=True)
    return items.replace_schema_metadata({**(items.schema.metadata or {}), _KEY: written.encode()})


def imported_models(folder: Path) -> tuple[ImportedModel, ...]:
    """Return the models of the versions that were imported to ``folder``, each once.

    Raises DamagedShard for a file that cannot be read.
    """
    models: list[ImportedModel] = []
    for path in imported_files(folder):
        try:
            metadata = pq.read_schema(path).metadata or {}
            models += _parsed(json.loads(metadata.get(_KEY, b"[]")))
        except (pa.ArrowInvalid, OSError, ValueError) as e:
            raise damaged_import(path, e) from None
    return tuple(dict.fromkeys(models))


def _of_manifest(manifest: dict[str, Any]) -> list[ImportedModel]:
    """Return the models of a version; models that the version itself imported keep their original version."""
    version = f"{manifest['name']} {manifest['version']}"
    return [replace(model, version=model.version or version) for model in _parsed(manifest["models"])]


def _parsed(written: object) -> list[ImportedModel]:
    from pydantic import TypeAdapter

    return TypeAdapter(list[ImportedModel]).validate_python(written)

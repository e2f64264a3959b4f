"""Croissant metadata of a dataset version: croissant.json, with the fields for responsible AI.

The document follows Croissant 1.0 and is valid as 1.1. Paths are relative to the dataset's folder, so that
the document works before the dataset is published. It has no date.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nextset.release.dataset_card.card_configs import CardConfig
from nextset.release.dataset_card.card_facts import Card
from nextset.release.dataset_card.citation_file import cited_author
from nextset.release.dataset_card.croissant_records import enumeration, files_id, node_id, record_set
from nextset.release.dataset_card.license_ids import spdx_url
from nextset.release.dataset_card.released_columns import meanings_of
from nextset.release.dataset_card.responsible_ai import responsible_ai
from nextset.release.version_folder.release_manifest import PublishedFile, ReleaseManifest

__all__ = ["CROISSANT", "croissant_json"]

CROISSANT = "croissant.json"
"""The document's path in the dataset's folder."""

_PARQUET = "application/x-parquet"

_CONTEXT: Mapping[str, Any] = json.loads(
    Path(__file__).with_name("croissant_context.json").read_text(encoding="utf-8")
)
"""The context of Croissant 1.0."""


def croissant_json(manifest: ReleaseManifest, facts: Card) -> bytes:
    """Return croissant.json: files with hashes, a record set per config, and the RAI fields.

    Only the Parquet files of ``manifest`` are listed, so that the manifest may list croissant.json itself
    afterwards. The same manifest and facts give the same bytes.
    """
    license_ = spdx_url(manifest.license) or manifest.license
    written = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": manifest.name,
        "description": _description(manifest, facts),
        "version": manifest.version,
        **({"license": license_} if license_ else {}),
        **({"creator": [_creator(a) for a in manifest.authors]} if manifest.authors else {}),
        "inLanguage": list(manifest.languages),
        "keywords": ["bias", "stereotypes", "benchmark", *facts.kinds],
        "citeAs": _cite_as(manifest),
        "distribution": _distribution(manifest, facts.configs),
        "recordSet": _record_sets(facts.configs),
        **responsible_ai(manifest, facts),
    }
    return (json.dumps(written, indent=1, ensure_ascii=False) + "\n").encode()


def _description(manifest: ReleaseManifest, facts: Card) -> str:
    about = f" {facts.about}" if facts.about else ""
    canary = f" Canary GUID {manifest.canary}." if manifest.canary else ""
    return f"{manifest.content_warning}{about}{canary} README.md is the full card."


def _creator(author: str) -> dict[str, str]:
    person = "family-names" in cited_author(author)
    return {"@type": "sc:Person" if person else "sc:Organization", "name": author}


def _cite_as(manifest: ReleaseManifest) -> str:
    """Return a BibTeX entry, without the braces and backslashes of the facts, which could end it."""

    def plain(text: str) -> str:
        return "".join(c for c in " ".join(text.split()) if c not in "{}\\")

    people = " and ".join(plain(a) for a in manifest.authors) or f"The authors of {plain(manifest.name)}"
    key = "".join(c for c in manifest.name if c.isalnum())
    title = plain(manifest.name)
    return f"@misc{{{key}, title = {{{title}}}, author = {{{people}}}, version = {{{manifest.version}}}}}"


def _distribution(manifest: ReleaseManifest, configs: Iterable[CardConfig]) -> list[dict[str, Any]]:
    """Return every Parquet file with its hash, and the files of each config as a file set."""
    files = sorted((f for f in manifest.files if f.config is not None), key=lambda f: f.path)
    objects = [
        {
            "@type": "cr:FileObject",
            "@id": node_id(file.path),
            "name": file.path,
            "contentUrl": file.path,
            "contentSize": f"{file.bytes} B",
            "encodingFormat": _PARQUET,
            "sha256": file.sha256,
        }
        for file in files
    ]
    sets = [
        {
            "@type": "cr:FileSet",
            "@id": files_id(config.name),
            "name": f"the files of {config.name}",
            "description": config.meaning or config.name,
            "encodingFormat": _PARQUET,
            "includes": _included(config, files),
        }
        for config in configs
    ]
    return [*objects, *sets]


def _included(config: CardConfig, files: Sequence[PublishedFile]) -> list[str]:
    """Return the paths of the config's files."""
    folders = {pattern.rpartition("/")[0] for split in config.splits for pattern in split.patterns}
    return [file.path for file in files if file.path.rpartition("/")[0] in folders]


def _record_sets(configs: Sequence[CardConfig]) -> list[dict[str, Any]]:
    """Return a record set of names for each column that stores names as numbers, and one per config."""
    named: dict[str, Sequence[str]] = {}
    for config in configs:
        for feature in config.features:
            dtype = feature.get("dtype")
            if isinstance(dtype, Mapping):
                named[feature["name"]] = list(dtype["class_label"]["names"].values())
    return [
        *(enumeration(column, names) for column, names in sorted(named.items())),
        *(record_set(config, meanings_of(config.name)) for config in configs),
    ]

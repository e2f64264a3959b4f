"""The folder of imported items: a link that leads nowhere is not an empty folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nextset.errors import DamagedShard, ImportedDataError
from nextset.generation.imports.pair_files import rows
from nextset.study.imported_models import imported_models, with_models
from nextset.study.item_tables import imported_files, imported_items


def test_nothing_was_imported(tmp_path: Path) -> None:
    assert imported_files(tmp_path / "imported") == []
    assert imported_items(tmp_path / "imported").num_rows == 0


def test_what_is_not_a_folder_is_not_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "imported").symlink_to(tmp_path / "gone")
    for read in (imported_items, imported_models):
        with pytest.raises(DamagedShard, match="imported cannot be read: it is not a folder"):
            read(tmp_path / "imported")


def test_a_pipe_is_not_an_imported_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pairs.parquet")
    with pytest.raises(DamagedShard, match="not a regular file"):
        imported_items(tmp_path)


def test_the_models_of_a_version_are_not_lost_with_its_manifest(tmp_path: Path) -> None:
    items = imported_items(tmp_path)
    assert with_models(items, tmp_path) is items
    (tmp_path / "manifest.json").symlink_to(tmp_path / "gone")
    with pytest.raises(ImportedDataError, match=r"manifest\.json: this link leads nowhere"):
        with_models(items, tmp_path)


def test_a_manifest_with_a_key_twice_is_not_imported(tmp_path: Path) -> None:
    manifest = '{"name": "a", "version": "1.0.0", "models": [], "models": []}'
    (tmp_path / "manifest.json").write_text(manifest, encoding="utf-8")
    with pytest.raises(ImportedDataError, match="the key 'models' is repeated"):
        with_models(imported_items(tmp_path / "imported"), tmp_path)


def test_a_pipe_is_not_imported(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pairs.csv")
    with pytest.raises(ImportedDataError, match="this is a pipe, not a file"):
        list(rows(tmp_path / "pairs.csv"))

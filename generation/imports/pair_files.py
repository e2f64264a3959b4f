"""Readers of premise–hypothesis pairs: rows of CSV, JSONL, Parquet, or of a dataset version."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nextset.errors import ImportedDataError
from nextset.files.row_files import FileRow, rows_of_file
from nextset.records.class_labels import untyped_table

__all__ = ["rows"]

_SUFFIXES = (".csv", ".jsonl", ".parquet")


def rows(path: Path) -> Iterator[FileRow]:
    """Yield the rows of ``path``; raises ImportedDataError with file, line and remedy."""
    for file in _version(path) if path.is_dir() else (path,):
        # an earlier release has numbers with names: label, verdict and stance
        yield from rows_of_file(file, ImportedDataError, suffixes=_SUFFIXES, prepare=untyped_table)


def _version(folder: Path) -> list[Path]:
    """Return the files of the config items of a dataset version."""
    files = sorted((folder / "data" / "items").rglob("*.parquet"))
    if not files and any((folder / "data" / kind).is_dir() for kind in ("questions", "statements")):
        raise ImportedDataError(
            "a dataset version of questions or masked statements, which are made from language packs",
            file=folder,
            remedy="name the packs in study.yaml (docs/questions.md); only NLI items are imported",
        )
    if not files:
        raise ImportedDataError(
            "a folder without the items of a dataset version (data/items/*.parquet)",
            file=folder,
            remedy="name the folder that `nextset release build` wrote, or a CSV, JSONL or Parquet file",
        )
    return files

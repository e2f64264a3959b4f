"""Readers of premise–hypothesis pairs: rows of tables, or of a dataset version."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nextset.errors import ImportedDataError
from nextset.files.row_files import FileRow, rows_of_file
from nextset.records.class_labels import untyped_table

__all__ = ["rows"]


def rows(path: Path) -> Iterator[FileRow]:
    """Yield the rows of ``path``; raises ImportedDataError with file, line and remedy."""
    for file in _version(path) if path.is_dir() else (path,):
        # an earlier release stores label, verdict and stance as numbers with names
        yield from rows_of_file(file, ImportedDataError, prepare=untyped_table)


def _version(folder: Path) -> list[Path]:
    """Return the files of the config items of a dataset version."""
    files = sorted((folder / "data" / "items").rglob("*.parquet"))
    if not files and any((folder / "data" / kind).is_dir() for kind in ("questions", "statements")):
        raise ImportedDataError(
            "the dataset version has questions or masked statements, which cannot be imported",
            file=folder,
            remedy="name their language packs in study.yaml instead (docs/how_to/questions.md)",
        )
    if not files:
        raise ImportedDataError(
            "the folder has no items of a dataset version (data/items/*.parquet)",
            file=folder,
            remedy="name the folder that `nextset release build` wrote, or a CSV, TSV, JSONL or Parquet file",
        )
    return files

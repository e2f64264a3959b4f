"""The source of examples: a file, or a dataset on the Hugging Face Hub, with a digest of its content."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nextset.errors import InputError, NextsetError
from nextset.files.file_hash import file_sha256
from nextset.files.regular_file import require_file
from nextset.files.row_files import FileRow, is_row_file, rows_of_file
from nextset.hub_dataset_errors import hub_dataset_errors
from nextset.records.class_labels import class_names
from nextset.records.media_columns import without_media

__all__ = ["DataSource", "find_file", "find_source"]

_HUB = re.compile(r"([\w.-]{1,96}/[\w.-]{1,96})(?:@([\w./-]{1,128}))?(?::([\w.-]{1,64}))?", re.ASCII)


@dataclass(frozen=True)
class DataSource:
    """A file, or a split of a dataset on the Hub."""

    name: str
    """Its published name: the file's name without its folder, or ORG/NAME:SPLIT."""
    digest: str
    """The sha256 of the file, or the commit on the Hub."""
    path: Path | None
    """The file; None for a dataset on the Hub."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names for the numbers in columns, if the source has names, in the order of the numbers."""
    dataset: Any = field(default=None, repr=False)
    """The split of a dataset on the Hub."""

    def check_unchanged(self) -> None:
        """Raise InputError if the file no longer has its digest. Call this after reading the file."""
        if self.path is not None and file_sha256(self.path) != self.digest:
            raise InputError(
                "the file was changed while it was read", file=self.path, remedy="run this again"
            )

    @property
    def place(self) -> str:
        """The name or path of the source, for errors."""
        return self.name if self.path is None else str(self.path)

    def rows(self) -> Iterator[FileRow]:
        """Return the rows with their numbers; a file's rows come from `rows_of_file`. Raises InputError."""
        if self.path is None:
            return ((number, row) for number, row in enumerate(self.dataset, 1))
        return rows_of_file(self.path, InputError)

    def columns(self) -> tuple[str, ...]:
        """Return the columns of the first row. Raises InputError without rows, or if it is not a table."""
        if self.path is not None and self.path.suffix.lower() == ".json":
            raise InputError(
                "this is not a table: .json files are questions in SQuAD's format",
                file=self.path,
                remedy="for a reader, write task: qa, or evaluate a reader; for a different task, name a "
                "table such as CSV or JSON lines (.jsonl)",
            )
        for _, row in self.rows():
            return tuple(row)
        raise InputError("there are no rows", file=self.place, remedy="name data with at least one row")


_ON_HUB = "check the path, or name ORG/NAME:SPLIT on the Hub"


def find_source(written: str, path: Path, file: Path | None = None, line: int | None = None) -> DataSource:
    """Return the source that ``written`` names: the file ``path``, or ORG/NAME[@REVISION][:SPLIT] on the Hub.

    ``file`` and ``line`` are the place of the name, if it is in a file. An existing file wins over the Hub.
    The default split is train. A name with an extension, such as vectors/wiki.vec, means a file if there is a
    folder vectors. A dataset is downloaded unless it is on this machine. Raises InputError, or ServerError if
    the Hub does not answer.
    """
    match = _HUB.fullmatch(written)
    if match and not os.path.lexists(path) and not _is_file_name(path, match):
        return _on_hub(match[1], match[2], match[3] or "train")
    return find_file(written, path, file, line, _ON_HUB)


def find_file(
    written: str, path: Path, file: Path | None, line: int | None, remedy: str = "check the path"
) -> DataSource:
    """Return the file ``path``, which is ``written`` in ``line`` of ``file``. Raises InputError."""
    try:
        require_file(path, InputError, remedy)
        return DataSource(path.name, file_sha256(path), path, _names(path))
    except FileNotFoundError:
        near = difflib.get_close_matches(path.name, _neighbours(path), n=1)
        meant = f"did you mean {str(Path(written).with_name(near[0]))!r}? Otherwise, " if near else ""
        raise InputError(
            f"there is no file {written!r}", file=file, line=line, remedy=f"{meant}{remedy}"
        ) from None


def _is_file_name(path: Path, match: re.Match[str]) -> bool:
    """Return whether ``path`` can only mean a file, although a dataset could have the same name."""
    if is_row_file(path) or path.suffix.lower() in (".json", ".txt"):
        return True
    if os.path.lexists(path.parent) and not path.parent.is_dir():
        return True
    return bool(path.suffix) and match[2] is None and match[3] is None and path.parent.is_dir()


def _neighbours(path: Path) -> list[str]:
    return [p.name for p in path.parent.iterdir() if p.is_file()] if path.parent.is_dir() else []


def _names(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the names in the metadata of a Parquet file that `datasets` wrote; empty for a damaged file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.suffix.lower() != ".parquet":
        return {}
    try:
        return class_names(pq.read_schema(path))
    except (pa.ArrowException, OSError, NextsetError):
        return {}  # the error comes from reading the rows


def _on_hub(name: str, revision: str | None, split: str) -> DataSource:
    from datasets import ClassLabel, load_dataset
    from datasets.utils.logging import disable_progress_bar
    from huggingface_hub import HfApi

    with hub_dataset_errors(name, "check the name, or for a file the path"):
        commit = str(HfApi().dataset_info(name, revision=revision).sha)
        disable_progress_bar()
        dataset = without_media(load_dataset(name, revision=commit, split=split))
    names = {key: tuple(kind.names) for key, kind in dataset.features.items() if isinstance(kind, ClassLabel)}
    return DataSource(f"{name}:{split}", commit, None, names, dataset)

"""Collections of passages: where they are found, their digests, and their passages in order."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nextset.errors import InputError, StudyError
from nextset.extensions.ambiguity.passages import LocatedPassage
from nextset.extensions.ambiguity.search.passage_rows import (
    PassageColumns,
    columns_of_row,
    passage_columns,
    passage_of,
)
from nextset.extensions.ambiguity.settings.retrieval_settings import PassageSettings
from nextset.files.file_search import files_below
from nextset.files.regular_file import require_file
from nextset.files.row_files import ROW_SUFFIXES, columns_line, is_row_file, row_columns, rows_of_file
from nextset.records.content_ids import content_id
from nextset.scoring.cache.model_digests import digests

__all__ = ["FileCollection", "PassageCollection", "find_collection"]

_HUB_NAME = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}(?:@(?P<revision>[\w./-]{1,128}))?", re.ASCII)
_KEY = "ambiguity.retrieval.passages.source"


class PassageCollection(Protocol):
    """A collection that can be read several times, with the same passages in the same order."""

    @property
    def digest(self) -> str:
        """Digest of the content and of the columns that are read; raises InputError, ServerError."""
        ...

    @property
    def place(self) -> Path | str:
        """The first file, or the name of the dataset."""
        ...

    def check_unchanged(self) -> None:
        """Raise InputError if the content no longer matches the digest."""
        ...

    def passages(self) -> Iterator[LocatedPassage]:
        """Yield the passages in constant memory; raises InputError with file and line, ServerError."""
        ...


@dataclass(frozen=True)
class FileCollection:
    """Passages in files, in the order of the files and their rows."""

    files: tuple[Path, ...]
    settings: PassageSettings
    """The columns to read."""

    @functools.cached_property
    def digest(self) -> str:
        """Digest of the files' initial content and the columns; raises InputError for an unreadable file."""
        return self._digest_now()

    def _digest_now(self) -> str:
        return content_id("passages", *map(_file_digest, self.files), *_columns(self.settings))

    @property
    def place(self) -> Path | str:
        """The first file."""
        return self.files[0]

    def passages(self) -> Iterator[LocatedPassage]:
        """Yield the passages; raises InputError with file and line, also if they do not match the digest."""
        self.check_unchanged()
        number = 0
        for file in self.files:
            names = _found_columns(file, self.settings.group)
            columns = passage_columns(self.settings, names, file) if names else None
            for line, row in rows_of_file(file, InputError, columns=_read_columns(columns)):
                if columns is None:  # the first row has no values
                    columns = passage_columns(self.settings, row, file)
                columns = columns_of_row(columns, row, file, line)
                yield LocatedPassage(passage_of(row, columns, number, file, line), file, line)
                number += 1
        self.check_unchanged()

    def check_unchanged(self) -> None:
        """Raise InputError if the content of the files no longer matches `digest`."""
        if self._digest_now() != self.digest:
            raise InputError(
                "the collection changed while it was read",
                file=self.files[0],
                remedy="wait until nothing writes to its files, then run this again",
            )


def _found_columns(file: Path, group: str | None) -> tuple[str, ...]:
    """Return the columns of ``file``; in JSON lines, the first row may lack the ``group`` of other rows."""
    columns = row_columns(file, InputError)
    if not columns or group is None or group in columns or columns_line(file, 2) == 1:
        return columns
    return (*columns, group) if any(group in row for _, row in rows_of_file(file, InputError)) else columns


def _read_columns(columns: PassageColumns | None) -> list[str] | None:
    if columns is None:
        return None
    named = (columns.title, columns.text, columns.id, columns.group)
    return [name for name in named if name is not None]


def _file_digest(file: Path) -> str:
    try:
        require_file(file, InputError, "name a regular file")
        return digests([file], [])[0]
    except FileNotFoundError:
        raise InputError("there is no such file", file=file, remedy="check the path") from None
    except OSError as e:
        raise InputError(
            f"the file cannot be read: {e.strerror}", file=file, remedy="check the path"
        ) from None


def _columns(settings: PassageSettings) -> list[str]:
    """Return the settings of the columns, which decide the passages in addition to the files."""
    return [settings.id or "", settings.title, settings.text, settings.group or ""]


def find_collection(
    settings: PassageSettings, path_of: Callable[[str], Path], study_file: Path
) -> PassageCollection:
    """Return the collection that a study names; ``path_of`` resolves its paths.

    Raises StudyError if there is no such file, folder or built-in collection, and the name is not that of a
    dataset.
    """
    source = settings.source
    if source.startswith("builtin:"):
        from nextset.extensions.ambiguity.search.builtin_passages import builtin_collection

        return builtin_collection(source.removeprefix("builtin:"), study_file)
    path = path_of(source)
    if path.is_dir():
        files = tuple(f for f in files_below(path, _suffixes(), InputError) if is_row_file(f))
        if not files:
            raise StudyError(
                f"{_KEY}: there is no table in {path}",
                file=study_file,
                remedy=f"name a folder with files that end in {', '.join(ROW_SUFFIXES)}",
            )
        return FileCollection(files, settings)
    if path.exists() or path.is_symlink() or is_row_file(path):
        return FileCollection((path,), settings)
    if (name := _HUB_NAME.fullmatch(source)) is None:
        raise StudyError(
            f"{_KEY}: there is no file or folder {path}",
            file=study_file,
            remedy="check the path, or write builtin:en, or a dataset on the Hub as ORG/NAME@REVISION",
        )
    if name["revision"] is None:
        raise StudyError(
            f"{_KEY}: there is no file or folder {path}, and the dataset {source} needs a revision",
            file=study_file,
            remedy=f"write {source}@REVISION with a commit or a tag of the dataset",
        )
    from nextset.extensions.ambiguity.search.hub_passages import HubCollection

    return HubCollection(source.partition("@")[0], name["revision"], settings)


def _suffixes() -> set[str]:
    """Return the last suffix of each kind of file that can be read."""
    return {Path(f"x{suffix}").suffix for suffix in ROW_SUFFIXES}

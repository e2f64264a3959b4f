"""Append-only logs: JSON objects, one per line, which are on disk before they are used."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nextset.errors import InputError
from nextset.files.regular_file import has_file
from nextset.files.unique_keys import RepeatedKey, unique_keys

__all__ = ["Line", "append_lines", "read_lines", "unread_line"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log."""

    number: int
    """Its number in the file, from 1."""
    fields: dict[str, Any] | None
    """Its contents; None if the line is incomplete, such as when the process was killed while writing."""


def append_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append ``rows`` to ``path``; they are on disk when this returns.

    An incomplete last line stays: the first new row begins on a new line. The caller makes sure that no
    other process writes to the file.
    """
    lines = "".join(json.dumps(row, sort_keys=True) + "\n" for row in rows).encode()
    if not lines:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("ab+") as f:
            if f.seek(0, os.SEEK_END):
                f.seek(-1, os.SEEK_END)
                lines = lines if f.read(1) == b"\n" else b"\n" + lines
            f.write(lines)
            f.flush()
            os.fsync(f.fileno())
    except OSError as e:
        e.filename = str(path)  # if the disk is full, the error names no file
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_lines(path: Path, error: type[InputError]) -> Iterator[Line]:
    """Yield the lines of ``path`` that are not empty, in their order; none if the file does not exist.

    Raises ``error`` if ``path`` is not a regular file, and for a line with a repeated key.
    """
    for i, raw in enumerate(path.read_bytes().split(b"\n") if has_file(path, error) else (), 1):
        if raw.strip():
            yield Line(i, _fields(raw, path, i, error))


def unread_line(problem: str, error: type[InputError], path: Path, line: int) -> InputError:
    """Return the ``error`` for a complete line of a log that this version of nextset cannot read."""
    return error(
        f"{problem} (this is nextset {version('nextset')})",
        file=path,
        line=line,
        remedy="if a newer version of nextset wrote the line, install that version, which reads it; "
        "if the line was changed, restore the file from its backup. Do not delete the file",
    )


def _fields(raw: bytes, path: Path, line: int, error: type[InputError]) -> dict[str, Any] | None:
    try:
        value = json.loads(raw, object_pairs_hook=unique_keys)
    except RepeatedKey as e:
        remedy = "remove one of the two, or restore the line from version control or a backup"
        raise error(str(e), file=path, line=line, remedy=remedy) from None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

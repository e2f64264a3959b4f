"""Append-only logs: JSON objects, one per line, which are on disk before they are used.

The lines of a log can be chained: each then has a digest of itself and of all lines before it, so that a line
that was changed, deleted, inserted or moved is found.
"""

from __future__ import annotations

import functools
import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nextset.errors import InputError, examples
from nextset.files.regular_file import has_file
from nextset.files.unique_keys import RepeatedKey, unique_keys

__all__ = ["Chain", "Line", "append_lines", "read_lines", "unread_line", "warn_of_torn_lines"]

_LOGGER = logging.getLogger(__name__)

_CHAIN = "chain"
"""The key of a line's digest."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log."""

    number: int
    """Its number in the file, from 1."""
    fields: dict[str, Any] | None
    """Its contents; None if the line is incomplete, such as when the process was killed while writing."""
    digest: str = ""
    """Its digest in the chain; empty if it has none."""
    fits: bool = True
    """False if it is not the line that was chained after those before it."""


class Chain:
    """The chain after some lines; ``lines`` are those so far, without the ends that line breaks add."""

    def __init__(self, lines: Iterable[bytes] = ()) -> None:
        self._hash = blake2b(digest_size=16)
        for line in lines:
            self.add(line)

    def add(self, line: bytes) -> None:
        """Continue after ``line``; empty lines make no difference."""
        if line.strip():
            self._hash.update(line.strip() + b"\n")

    def digest(self, fields: Mapping[str, Any]) -> str:
        """Return the digest of a line with ``fields`` that comes next, 32 hex digits."""
        hashed = self._hash.copy()
        hashed.update(json.dumps(fields, sort_keys=True).encode())
        return hashed.hexdigest()

    def next_line(self, fields: Mapping[str, Any]) -> bytes:
        """Return the line with ``fields`` and its digest, and continue after it."""
        line = json.dumps({**fields, _CHAIN: self.digest(fields)}, sort_keys=True).encode()
        self.add(line)
        return line + b"\n"


def append_lines(path: Path, rows: Iterable[Mapping[str, Any]], *, chained: bool = False) -> None:
    """Append ``rows`` to ``path``; they are on disk when this returns.

    An incomplete last line stays: the first new row begins on a new line. The caller makes sure that no
    other process writes to the file.
    """
    if chained:
        before = path.read_bytes() if path.is_file() else b""
        lines = b"".join(map(Chain(before.split(b"\n")).next_line, rows))
    else:
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


def read_lines(path: Path, error: type[InputError], *, chained: bool = False) -> Iterator[Line]:
    """Yield the lines of ``path`` that are not empty, in their order; none if the file does not exist.

    The first lines of a ``chained`` log may be from before it was chained. Raises ``error`` if ``path`` is
    not a regular file, and for a line with a repeated key.
    """
    chain, began = Chain(), False
    for i, raw in enumerate(path.read_bytes().split(b"\n") if has_file(path, error) else (), 1):
        if not raw.strip():
            continue
        fields = _fields(raw, path, i, error)
        if not chained:
            yield Line(i, fields)
            continue
        digest = str(fields.pop(_CHAIN, "")) if fields is not None else ""
        fits = digest == chain.digest(fields) if fields is not None and (digest or began) else True
        began = began or bool(digest)
        chain.add(raw)
        yield Line(i, fields, digest, fits)


@functools.cache
def warn_of_torn_lines(path: Path, lines: tuple[int, ...]) -> None:
    """Log, once, that ``lines`` of ``path`` are cut short or damaged."""
    _LOGGER.warning("%s: skipped because it is cut short or damaged: line %s", path, examples(lines))


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

"""The score cache: get and put the scores of inputs; several processes may use it at once."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nextset.scoring.cache.folder import cache_folder
from nextset.scoring.cache.keys import Scope
from nextset.scoring.cache.lock import cache_lock
from nextset.scoring.cache.sqlite_file import (
    LAYOUT,
    DamagedCacheFile,
    NewerCacheFile,
    Seal,
    has_layout,
    mark_used,
    open_cache_file,
    set_aside,
)

__all__ = ["Found", "ScoreCache"]

CHUNK = 500
"""The number of keys that are looked up at once."""


@dataclass(frozen=True)
class Found:
    """The cached scores of some inputs, in their order."""

    numbers: npt.NDArray[np.float64]
    """The scores, shape (inputs, columns); NaN in the rows of inputs that were not found."""
    there: npt.NDArray[np.bool_]
    """True for each input that was found."""


class ScoreCache:
    """The scores in one folder, a file for each scope; several threads and processes may share it."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = cache_folder() if folder is None else folder

    def get(self, scope: Scope, keys: Sequence[bytes]) -> Found:
        """Return the scores for ``keys``; damaged rows count as not found.

        A file that cannot be read is set aside. Raises OSError if the system refuses.
        """
        path = self.path(scope)
        try:
            with cache_lock(self.folder, exclusive=False):
                rows = _read(path, keys) if keys and path.exists() else []
                mark_used(path)
        except DamagedCacheFile as damaged:
            set_aside(damaged)
            rows = []
        return _found(rows, keys, Seal(path, len(scope.columns)), len(scope.columns))

    def put(
        self,
        scope: Scope,
        keys: Sequence[bytes],
        numbers: npt.NDArray[np.float64],
    ) -> None:
        """Store either all rows or none; an existing row is kept unless it is damaged.

        ``numbers`` has the shape (keys, columns). Raises OSError if the system refuses: no space, no
        permission, or another process that holds the lock.
        """
        if numbers.shape != (len(keys), len(scope.columns)):
            raise ValueError(f"numbers has shape {numbers.shape}, not {(len(keys), len(scope.columns))}")
        if any(len(key) != 16 for key in keys):
            raise ValueError("each key must have 16 bytes")
        if not keys:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.path(scope)
        try:
            self._put(path, scope, keys, numbers)
        except DamagedCacheFile as damaged:
            set_aside(damaged)
            try:
                self._put(path, scope, keys, numbers)
            except DamagedCacheFile as again:
                newer = isinstance(again, NewerCacheFile)
                why = again.why if newer else "the file is damaged and cannot be set aside"
                raise OSError(errno.EIO, why, str(path)) from None

    def path(self, scope: Scope) -> Path:
        """Return the file of ``scope``, which may not exist yet."""
        return self.folder / f"{scope.key}.sqlite"

    def _put(
        self,
        path: Path,
        scope: Scope,
        keys: Sequence[bytes],
        numbers: npt.NDArray[np.float64],
    ) -> None:
        seal, size = Seal(path, len(scope.columns)), 8 * len(scope.columns)
        raw = np.ascontiguousarray(numbers, dtype="<f8").tobytes()
        rows = [(key, raw[i * size : (i + 1) * size]) for i, key in enumerate(keys)]
        rows.sort(key=lambda row: row[0])
        with cache_lock(self.folder, exclusive=False), open_cache_file(path, make=True) as db:
            db.create_function("holds", 3, seal.holds, deterministic=True)
            db.execute("PRAGMA cache_size = -65536")  # KiB: a big transaction is written once
            db.execute("BEGIN IMMEDIATE")
            if not has_layout(db, path):
                for table in LAYOUT:
                    db.execute(table)
                db.executemany("INSERT INTO meta VALUES (?, ?)", scope.described().items())
            db.execute("INSERT OR IGNORE INTO models VALUES (?)", (scope.model,))
            db.executemany(
                "INSERT INTO rows VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET numbers ="
                " excluded.numbers, checksum = excluded.checksum"
                " WHERE typeof(rows.numbers) || typeof(rows.checksum) <> 'blobinteger'"
                " OR NOT holds(rows.key, rows.numbers, rows.checksum)",
                ((*row, seal.of(*row)) for row in rows),
            )
            db.execute("COMMIT")
            mark_used(path)


Row = tuple[Any, Any, Any]


def _read(path: Path, keys: Sequence[bytes]) -> list[Row]:
    ordered = sorted(keys)
    rows: list[Row] = []
    with open_cache_file(path) as db:
        db.execute("BEGIN")
        if has_layout(db, path):
            for start in range(0, len(ordered), CHUNK):
                chunk = ordered[start : start + CHUNK]
                marks = ",".join("?" * len(chunk))
                rows += db.execute(f"SELECT * FROM rows WHERE key IN ({marks})", chunk).fetchall()
    return rows


def _found(rows: list[Row], keys: Sequence[bytes], seal: Seal, columns: int) -> Found:
    sound = [row for row in rows if seal.holds(*row)]
    by_key = {row[0]: n for n, row in enumerate(sound)}
    at = np.array([by_key.get(key, -1) for key in keys], dtype=np.intp)
    there = at >= 0
    numbers = np.full((len(keys), columns), np.nan)
    kept = np.frombuffer(b"".join(row[1] for row in sound), dtype="<f8").reshape(len(sound), columns)
    numbers[there] = kept[at[there]]
    return Found(numbers, there)

"""One file of the score cache, an SQLite database: it is opened, checked, and set aside if damaged.

The database uses a rollback journal, because a write-ahead log fails silently on network file systems.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from nextset.errors import newer_format
from nextset.scoring.cache.keys import FORMAT
from nextset.scoring.cache.lock import cache_lock

__all__ = [
    "LAYOUT",
    "DamagedCacheFile",
    "NewerCacheFile",
    "Seal",
    "columns_of",
    "has_layout",
    "mark_used",
    "open_cache_file",
    "remove_cache_file",
    "set_aside",
]

LAYOUT = (
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE models(name TEXT PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE rows(key BLOB PRIMARY KEY, numbers BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID",
)
"""The SQL of the tables, as SQLite stores it."""

LOG = logging.getLogger("nextset")
PATIENCE = 120.0
"""The maximum time to wait for another process that writes, in seconds."""
DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_MISMATCH}
REFUSED = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_IOERR: errno.EIO,
}


class DamagedCacheFile(Exception):
    """An unreadable file of the cache; this exception is handled inside the cache."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path
        self.why = why
        self.inode = path.stat().st_ino if path.exists() else 0


class NewerCacheFile(DamagedCacheFile):
    """A file that a newer version of nextset wrote: it cannot be read, and stays where it is."""


class Seal:
    """Checksums of the rows of one file; a row from a different file fails the check."""

    def __init__(self, path: Path, columns: int) -> None:
        self._start = crc32(path.name.partition(".")[0].encode())
        self._size = 8 * columns

    def of(self, key: bytes, numbers: bytes) -> int:
        """Return the CRC-32 of the file's name and the row."""
        return crc32(numbers, crc32(key, self._start))

    def holds(self, key: object, numbers: object, checksum: object) -> bool:
        """Return True if a row is unchanged since it was written; damage can also change the types."""
        return (
            isinstance(key, bytes)
            and isinstance(numbers, bytes)
            and len(numbers) == self._size
            and crc32(numbers, crc32(key, self._start)) == checksum
        )


@contextlib.contextmanager
def open_cache_file(path: Path, *, make: bool = False) -> Iterator[sqlite3.Connection]:
    """Yield a connection for one piece of work in one thread; take the `cache_lock` first.

    Raises DamagedCacheFile, or OSError if the system refuses.
    """
    _check_head(path)
    address = f"{path.absolute().as_uri()}?mode={'rwc' if make else 'rw'}"
    try:
        with contextlib.closing(
            sqlite3.connect(address, uri=True, isolation_level=None, timeout=PATIENCE)
        ) as db:
            db.text_factory = lambda raw: raw.decode("utf-8", "replace")
            yield db
    except UnicodeDecodeError as e:  # raised for a message that quotes damaged bytes
        raise DamagedCacheFile(path, "its tables are not those of a score cache") from e
    except sqlite3.DatabaseError as e:
        code = getattr(e, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & 0xFF
        if code in DAMAGED:
            raise DamagedCacheFile(path, str(e)) from e
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise OSError(
                errno.EBUSY, "another process holds the lock of the score cache", str(path)
            ) from None
        if code not in REFUSED:
            raise
        raise OSError(REFUSED[code], f"{os.strerror(REFUSED[code])} ({e})", str(path)) from None


def _check_head(path: Path) -> None:
    """Raise DamagedCacheFile for damage that SQLite would report as missing permission or wrong version."""
    try:
        with path.open("rb") as stream:
            head = stream.read(100)
    except FileNotFoundError:
        return
    # the name; write and read version, both 1 for a rollback journal; the schema's format
    begin = (head[:16], head[18:20], head[44:47])
    if head and (len(head) < 100 or begin != (b"SQLite format 3\0", b"\1\1", bytes(3)) or head[47] > 4):
        raise DamagedCacheFile(path, "it does not begin like a score cache")


def has_layout(db: sqlite3.Connection, path: Path) -> bool:
    """Return True if a file has its tables, False if it is empty; raises DamagedCacheFile otherwise.

    Raises NewerCacheFile for a file in a newer format, whatever its tables are.
    """
    with contextlib.suppress(sqlite3.OperationalError):  # there is no table meta
        meta = dict(db.execute("SELECT name, value FROM meta"))
        if newer := newer_format(meta.get("format"), FORMAT, meta.get("nextset")):
            raise NewerCacheFile(path, "; ".join(newer))
    layout = tuple(sql for (sql,) in db.execute("SELECT sql FROM sqlite_master ORDER BY name"))
    if layout not in ((), LAYOUT):
        raise DamagedCacheFile(path, "its tables are not those of a score cache")
    return bool(layout)


def mark_used(path: Path) -> None:
    """Record the day of the last use as the file's modification time; the database is not written."""
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > 43_200:
            os.utime(path)


def set_aside(damaged: DamagedCacheFile) -> None:
    """Move a damaged file out of the way, unless another process has done so, and log a warning.

    A file that a newer version of nextset wrote is not damaged: it stays.
    """
    path = damaged.path
    if isinstance(damaged, NewerCacheFile):
        LOG.warning("score cache: %s", damaged)
        return
    try:
        with cache_lock(path.parent, exclusive=True):
            if not path.exists() or path.stat().st_ino != damaged.inode:
                return
            path.replace(path.with_name(path.name + ".damaged"))
            remove_cache_file(path)
    except OSError as e:
        LOG.warning("score cache: %s; the file cannot be set aside: %s", damaged, e.strerror)
    else:
        LOG.warning("score cache: %s; the file was set aside, its scores will be computed again", damaged)


def remove_cache_file(path: Path) -> None:
    """Remove a file with its journals; the caller holds an exclusive `cache_lock`."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def columns_of(db: sqlite3.Connection, path: Path) -> tuple[str, ...]:
    """Return the names of the numbers in a file; raises DamagedCacheFile if they are missing."""
    row = db.execute("SELECT value FROM meta WHERE name = 'columns'").fetchone()
    try:
        return tuple(json.loads(row[0]))
    except (TypeError, ValueError):
        raise DamagedCacheFile(path, "the names of its columns are missing") from None

"""The tables of the stored answers, and the check that a row is as it was written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from nextset.records.content_ids import content_id
from nextset.scoring.cache.sqlite_file import DamagedCacheFile, NewerCacheFile

__all__ = ["READ", "TABLES", "check_tables", "checksum", "is_sound", "text_or_bytes"]

FORMAT = 0
"""The PRAGMA user_version of the file; a newer version of nextset that changes its tables writes more."""
_COLUMNS = {
    "completions": "key TEXT PRIMARY KEY, request TEXT NOT NULL, text TEXT NOT NULL, ending TEXT NOT NULL",
    "completion_details": "key TEXT PRIMARY KEY, date TEXT NOT NULL, model TEXT NOT NULL, "
    "fingerprint TEXT NOT NULL, read INTEGER, cached INTEGER, written INTEGER, thinking INTEGER, "
    "thoughts TEXT NOT NULL, choice_logs TEXT",
    "completion_checksums": "key TEXT PRIMARY KEY, checksum INTEGER NOT NULL",
}
TABLES = tuple(f"CREATE TABLE IF NOT EXISTS {name} ({columns})" for name, columns in _COLUMNS.items())
"""The SQL of the tables. Earlier versions know only the first, with exactly these columns, and may share the
file; answers that they store have no details and no checksums. Still earlier versions have a table answers
without endings, which is not read."""
READ = """SELECT completions.key, request, text, ending, thoughts, read, cached, written, thinking, model,
fingerprint, date, choice_logs, checksum
FROM completions LEFT JOIN completion_details USING (key) LEFT JOIN completion_checksums USING (key)"""
"""The SQL of all rows; their last column is null, or the checksum of the others."""


def check_tables(db: sqlite3.Connection, path: Path) -> None:
    """Make temporary empty tables in place of those that ``path`` lacks, so that it is read as it is.

    Raises NewerCacheFile, or DamagedCacheFile for a file with other tables.
    """
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > FORMAT:
        raise NewerCacheFile(path, "a newer version of nextset wrote it; update nextset to use it")
    known = dict(db.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')"))
    if "completions" not in known and known.keys() - {"answers"}:
        raise DamagedCacheFile(path, "it has no table of answers")
    for name, columns in _COLUMNS.items():
        if name not in known:
            db.execute(f"CREATE TEMP TABLE {name} ({columns})")
            continue
        there = [row[1] for row in db.execute(f"PRAGMA table_info({name})")]
        if known[name] != "table" or there != [column.split()[0] for column in columns.split(", ")]:
            raise DamagedCacheFile(path, f"its table {name} is not that of stored answers")


def text_or_bytes(raw: bytes) -> str | bytes:
    """Return a text of the file; as bytes if it is not UTF-8, so that its row is not taken for sound."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def checksum(row: Sequence[Any]) -> int:
    """Return the CRC-32 of the columns of a row."""
    return crc32(json.dumps(list(row)).encode())


def is_sound(row: Sequence[Any]) -> bool:
    """Return True if a row of `READ` has the request of its key, and is as it was written."""
    *columns, sealed = row
    key, request, text, ending = columns[:4]
    if not all(isinstance(value, str) for value in (key, request, text, ending)):
        return False
    try:
        if key != content_id("asked", json.dumps(json.loads(request), sort_keys=True)):
            return False
        return sealed is None or sealed == checksum(columns)
    except (ValueError, TypeError, RecursionError):
        return False

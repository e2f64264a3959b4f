"""The record of the batches that were sent to model servers: it is counted, checked and cleared."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nextset.files.cache_home import cache_home
from nextset.records.short_repr import short_repr
from nextset.scoring.cache.sqlite_file import DamagedCacheFile, open_cache_file
from nextset.scoring.model_server.sent_batches import BATCHES_FILE, TABLES, request_of

__all__ = ["BatchCounts", "batches_file", "check_batches", "count_batches", "forget_batches"]

_COUNT = """SELECT coalesce(sum(state != 'closed'), 0), coalesce(sum(state = 'closed'), 0),
(SELECT count(*) FROM requests JOIN batches USING (id) WHERE state != 'closed') FROM batches"""


@short_repr
@dataclass(frozen=True)
class BatchCounts:
    """The batches in the record."""

    state: Literal["sound", "damaged"] = "sound"
    """damaged: the file cannot be read."""
    underway: int = 0
    """The number of batches at servers whose results are not read yet."""
    finished: int = 0
    """The number of batches of which nothing more is expected."""
    requests: int = 0
    """The number of requests in batches that are underway."""
    bytes: int = 0
    """The size of the file."""


def batches_file() -> Path:
    """Return the file with the record, which all studies share."""
    return cache_home() / BATCHES_FILE


def count_batches() -> BatchCounts | None:
    """Return the number of batches; None without a record. Raises OSError."""
    path = batches_file()
    if not path.is_file():
        return None
    size = path.stat().st_size
    try:
        with _opened(path) as db:
            underway, finished, requests = db.execute(_COUNT).fetchone()
    except DamagedCacheFile:
        return BatchCounts("damaged", bytes=size)
    return BatchCounts("sound", underway, finished, requests, size)


def forget_batches() -> int:
    """Remove finished batches from the record and return their number; those that are underway stay, because
    they are paid for and would be sent again.

    Raises DamagedCacheFile and OSError; then nothing is removed.
    """
    path = batches_file()
    if not path.is_file():
        return 0
    with _opened(path) as db:
        removed = db.execute("DELETE FROM batches WHERE state = 'closed'").rowcount
        with suppress(sqlite3.OperationalError):  # a full disk or another process: the space is used later
            db.execute("VACUUM")
    return removed


def check_batches() -> tuple[str, ...]:
    """Return the damage of the record as text; nothing is removed. Raises OSError."""
    path = batches_file()
    if not path.is_file():
        return ()
    try:
        with _opened(path) as db:
            (pages,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            wrong = sum(not _is_key(*row) for row in db.execute("SELECT key, request FROM requests"))
    except DamagedCacheFile as e:
        return (f"{e.why}; wait until servers have no batch of yours, then move the file away",)
    damage = [f"damaged requests: {wrong:,}"] if wrong else []
    return (*damage, *([str(pages)] if pages != "ok" else []))


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with open_cache_file(path) as db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables - {"batches", "requests"}:
            raise DamagedCacheFile(path, "its tables are not those of a record of batches")
        try:
            for table in TABLES:  # a process that is killed may leave an empty file
                db.execute(table)
            yield db
        except sqlite3.DatabaseError as e:
            if (getattr(e, "sqlite_errorcode", None) or 0) & 0xFF in (0, sqlite3.SQLITE_ERROR):
                raise DamagedCacheFile(
                    path, f"its tables are not those of a record of batches ({e})"
                ) from None
            raise


def _is_key(key: object, request: str) -> bool:
    try:
        return key == request_of(request).key
    except (ValueError, TypeError, AttributeError, RecursionError):
        return False

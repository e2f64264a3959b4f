"""Mending a file of the score cache: rows that are as they were written stay, the others go."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from nextset.scoring.cache.file import LAYOUT, DamagedCacheFile, Seal, has_layout, opened, remove
from nextset.scoring.cache.lock import locked

__all__ = ["Mended", "columns_of", "mend"]


@dataclass(frozen=True)
class Mended:
    """What became of a file."""

    rows: int
    """How many rows are in it now, all of them sound."""
    lost: str
    """What it had lost, in words; empty where nothing."""


def mend(path: Path) -> Mended:
    """Look at every page and row of a file; where something is wrong it is written anew from its sound rows.

    Raises DamagedCacheFile where those cannot be read either.
    """
    with locked(path.parent, alone=False):
        if not path.exists():
            return Mended(0, "")
        with opened(path) as db:
            db.execute("BEGIN")
            if not has_layout(db, path):
                return Mended(0, "")
            (pages,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            seal = Seal(path, len(columns_of(db, path)))
            rows = sound = 0
            for row in db.execute("SELECT * FROM rows"):
                rows += 1
                sound += seal.holds(*row)
    if pages == "ok" and rows == sound:
        return Mended(rows, "")
    with locked(path.parent, alone=True):
        kept = _rewritten(path, seal) if path.exists() else 0
    return Mended(kept, f"{rows - kept:,} damaged rows" if rows > kept else "its tree of rows was damaged")


def columns_of(db: sqlite3.Connection, path: Path) -> tuple[str, ...]:
    """The names of the numbers in a file; raises DamagedCacheFile where it does not say."""
    found = db.execute("SELECT value FROM meta WHERE name = 'columns'").fetchone()
    try:
        return tuple(json.loads(found[0]))
    except (TypeError, ValueError):
        raise DamagedCacheFile(path, "it does not say what its numbers are") from None


def _rewritten(path: Path, seal: Seal) -> int:
    new = path.with_name(path.name + ".new")
    remove(new)
    with opened(path) as old, opened(new, make=True) as db:
        old.execute("BEGIN")
        db.execute("BEGIN IMMEDIATE")
        for table in LAYOUT:
            db.execute(table)
        db.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", old.execute("SELECT * FROM meta"))
        db.executemany("INSERT OR IGNORE INTO models VALUES (?)", old.execute("SELECT * FROM models"))
        sound = (row for row in old.execute("SELECT * FROM rows") if seal.holds(*row))
        kept = db.executemany("INSERT OR IGNORE INTO rows VALUES (?, ?, ?)", sound).rowcount
        db.execute("COMMIT")
    new.replace(path)
    remove(new)
    return kept

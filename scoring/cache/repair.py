"""Repair of the score cache: the sound rows of a damaged file are kept, the others are removed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nextset.records.short_repr import short_repr
from nextset.scoring.cache.folder import cache_files, cache_folder
from nextset.scoring.cache.lock import cache_lock
from nextset.scoring.cache.sqlite_file import (
    LAYOUT,
    DamagedCacheFile,
    NewerCacheFile,
    Seal,
    columns_of,
    has_layout,
    open_cache_file,
    remove_cache_file,
    set_aside,
)

__all__ = ["CacheCheck", "Damage", "Repaired", "repair", "verify_cache"]


@dataclass(frozen=True)
class Repaired:
    """The result of repairing a file."""

    rows: int
    """The number of rows now in the file, all of them sound."""
    lost: str
    """The damage, as text; empty if nothing was damaged."""


def repair(path: Path) -> Repaired:
    """Check every page and row of a file; if something is wrong, rewrite the file from its sound rows.

    Raises DamagedCacheFile if the sound rows cannot be read either.
    """
    with cache_lock(path.parent, exclusive=False):
        if not path.exists():
            return Repaired(0, "")
        with open_cache_file(path) as db:
            db.execute("BEGIN")
            if not has_layout(db, path):
                return Repaired(0, "")
            (pages,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            seal = Seal(path, len(columns_of(db, path)))
            rows = sound = 0
            for row in db.execute("SELECT * FROM rows"):
                rows += 1
                sound += seal.holds(*row)
    if pages == "ok" and rows == sound:
        return Repaired(rows, "")
    with cache_lock(path.parent, exclusive=True):
        kept = _rewritten(path, seal) if path.exists() else 0
    lost = f"damaged rows: {rows - kept:,}" if rows > kept else "its index of rows was damaged"
    return Repaired(kept, lost)


def _rewritten(path: Path, seal: Seal) -> int:
    new = path.with_name(path.name + ".new")
    remove_cache_file(new)
    with open_cache_file(path) as old, open_cache_file(new, make=True) as db:
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
    remove_cache_file(new)
    return kept


@dataclass(frozen=True)
class Damage:
    """Damage found in a file."""

    file: str
    """The file's name."""
    what: str
    """The damage and how it was handled, as text."""


@short_repr
@dataclass(frozen=True)
class CacheCheck:
    """The result of `verify_cache`."""

    folder: Path
    files: int
    """The number of files that are now sound."""
    rows: int
    """The number of rows in these files, all of them sound."""
    damage: tuple[Damage, ...]
    """The damage; damaged rows and files are no longer used."""


def verify_cache() -> CacheCheck:
    """Read the whole score cache, remove damaged rows and set damaged files aside.

    Lost scores are computed again when they are needed.
    """
    folder = cache_folder()
    files = rows = 0
    damage: list[Damage] = []
    for path in cache_files():
        if path.suffix != ".sqlite":
            damage.append(
                Damage(path.name, "damaged and set aside earlier; remove it with `nextset cache prune --all`")
            )
            continue
        try:
            repaired = repair(path)
        except DamagedCacheFile as damaged:
            set_aside(damaged)
            if isinstance(damaged, NewerCacheFile):
                continue
            handled = "the file was set aside, and its scores will be computed again"
            damage.append(Damage(path.name, f"{damaged.why}; {handled}"))
            continue
        files, rows = files + 1, rows + repaired.rows
        if repaired.lost:
            damage.append(Damage(path.name, f"{repaired.lost}; these scores will be computed again"))
    return CacheCheck(folder, files, rows, tuple(damage))

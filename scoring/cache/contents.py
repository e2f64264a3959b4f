"""The contents of the score cache: list them, and prune them to free space."""

from __future__ import annotations

import datetime
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from nextset.files.kept_texts import forget_texts
from nextset.records.short_repr import short_repr
from nextset.scoring.cache.folder import cache_files, cache_folder
from nextset.scoring.cache.lock import cache_lock
from nextset.scoring.cache.sqlite_file import (
    DamagedCacheFile,
    NewerCacheFile,
    columns_of,
    has_layout,
    open_cache_file,
    remove_cache_file,
)

__all__ = ["CacheEntry", "Pruned", "list_cache", "prune_cache"]

DAY = 86_400


@short_repr
@dataclass(frozen=True)
class CacheEntry:
    """A file of the score cache."""

    file: str
    """The file's name; the first part is the scope's key."""
    state: Literal["sound", "damaged", "newer"]
    """damaged: the file cannot be read, or was set aside; its contents are unknown. newer: a newer version of
    nextset wrote it. Rows are not checked."""
    bytes: int
    """The file's size in bytes."""
    last_used: str
    """The day when the file was last read or written, as YYYY-MM-DD."""
    models: tuple[str, ...] = ()
    """The names of the models that were asked; several if they have the same files."""
    kind: str = ""
    """The kind of the model."""
    precision: str = ""
    """The precision that the model computed in."""
    columns: tuple[str, ...] = ()
    """The names of the columns."""
    options: str = ""
    """The other settings that decided the numbers, as JSON."""
    identity: str = ""
    """Digest of the model's weights, configuration and tokenizer."""
    created: str = ""
    """The day when the file was created."""
    rows: int = 0
    """The number of inputs with scores in the file."""


@short_repr
@dataclass(frozen=True)
class Pruned:
    """The result of `prune_cache`."""

    folder: Path
    """The folder of the cache."""
    removed: tuple[CacheEntry, ...]
    """The files that were removed."""


def list_cache() -> list[CacheEntry]:
    """Return every file of the score cache, the most recently used first; changes nothing."""
    entries = [entry for path in cache_files() if (entry := _entry(path)) is not None]
    return sorted(entries, key=lambda entry: (entry.last_used, entry.file), reverse=True)


def prune_cache(
    *, older_than_days: float | None = None, model: str | None = None, everything: bool = False
) -> Pruned:
    """Remove files of the score cache: those not used for some days, those of a model, or all.

    With both days and model, a file is removed if both apply. Raises ValueError without an argument, or for a
    negative number of days.
    """
    if not everything and older_than_days is None and model is None:
        raise ValueError("name what to remove: older_than_days, model or everything")
    if older_than_days is not None and not older_than_days >= 0:
        raise ValueError(f"older_than_days is {older_than_days}, and it must be 0 or more")
    removed = []
    for path in cache_files():
        entry = _entry(path)
        if entry is None or not (everything or model is None or model in entry.models):
            continue
        with cache_lock(path.parent, exclusive=True):
            if everything or older_than_days is None or _unused(path) > older_than_days * DAY:
                remove_cache_file(path)
                removed.append(entry)
    if everything:
        forget_texts()
    return Pruned(cache_folder(), tuple(removed))


def _unused(path: Path) -> float:
    return time.time() - path.stat().st_mtime if path.exists() else 0.0


def _entry(path: Path) -> CacheEntry | None:
    """Return the entry of a file; None if the file no longer exists."""
    with cache_lock(path.parent, exclusive=False):
        if not path.exists():
            return None
        stat = path.stat()
        day = datetime.datetime.fromtimestamp(stat.st_mtime, datetime.UTC).date().isoformat()
        bare = CacheEntry(path.name, "damaged", stat.st_size, day)
        if path.suffix != ".sqlite":
            return bare
        try:
            with open_cache_file(path) as db:
                db.execute("BEGIN")
                if not has_layout(db, path):
                    return replace(bare, state="sound")
                meta = dict(db.execute("SELECT name, value FROM meta").fetchall())
                models = tuple(name for (name,) in db.execute("SELECT name FROM models ORDER BY name"))
                columns = columns_of(db, path)
                (rows,) = db.execute("SELECT count(*) FROM rows").fetchone()
        except DamagedCacheFile as e:
            return replace(bare, state="newer") if isinstance(e, NewerCacheFile) else bare
    return replace(
        bare,
        state="sound",
        models=models,
        columns=columns,
        rows=rows,
        **{name: meta.get(name, "") for name in ("kind", "precision", "options", "identity", "created")},
    )

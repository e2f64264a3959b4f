"""Digests of a model's files, stored across processes as long as no file changes."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from nextset.files.cache_home import cache_home

__all__ = ["digests", "forget_digests"]

RACY = 2_000_000_000
"""Nanoseconds within which a file may change twice with the same timestamp, on coarse file systems."""

_SEEN: dict[str, tuple[str, str]] = {}
"""The digests that this process has computed, in case they cannot be stored."""


def digests(weights: Sequence[Path], others: Sequence[Path]) -> tuple[str, str]:
    """16-byte BLAKE2b over the weights, and over weights and other files, as 32 hex digits each.

    Stored next to the score cache by the files' paths, sizes, inodes and timestamps; but not for files that
    changed within the last two seconds, since a further change might not be visible.
    """
    files = [*weights, *others]
    before = time.time_ns()
    stamp, changed = _stamp(files)
    kept = _SEEN.get(stamp) or _kept(stamp)
    if kept is not None:
        return kept
    state = blake2b(digest_size=16)
    for file in weights:
        _read_into(state, file)
    digest = state.hexdigest()
    for file in others:
        _read_into(state, file)
    found = (digest, state.hexdigest())
    if changed < before - RACY and _stamp(files)[0] == stamp:
        _SEEN[stamp] = found
        _keep(stamp, found)
    return found


def forget_digests() -> None:
    """Remove all stored digests."""
    shutil.rmtree(_folder(), ignore_errors=True)


def _folder() -> Path:
    return cache_home() / "digests"


def _read_into(state: blake2b, file: Path) -> None:
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            state.update(block)


def _stamp(files: Sequence[Path]) -> tuple[str, int]:
    """A stamp that changes with the files, and the time of their last change."""
    state, changed = blake2b(digest_size=16), 0
    for file in files:
        found = file.stat()
        # ctime too: a copy may bring its old mtime along
        times = (found.st_mtime_ns, found.st_ctime_ns)
        state.update(repr((str(file.absolute()), found.st_size, found.st_dev, found.st_ino, times)).encode())
        changed = max(changed, *times)
    return state.hexdigest(), changed


def _kept(stamp: str) -> tuple[str, str] | None:
    try:
        words = (_folder() / stamp).read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return None
    if len(words) != 3 or _check(stamp, words[0], words[1]) != words[2]:
        return None
    return words[0], words[1]


def _keep(stamp: str, found: tuple[str, str]) -> None:
    """Store digests, unless the system refuses: then they are computed again next time."""
    with contextlib.suppress(OSError):
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as stream:
                stream.write(" ".join([*found, _check(stamp, *found)]))
            Path(temporary).replace(folder / stamp)
        except OSError:
            Path(temporary).unlink(missing_ok=True)


def _check(*words: str) -> str:
    """The checksum of a stored file, which detects a truncated or altered one."""
    return blake2b(" ".join(words).encode(), digest_size=8).hexdigest()

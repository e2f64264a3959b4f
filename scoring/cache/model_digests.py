"""Digests of a model's files, stored for other processes until a file changes."""

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
"""On coarse file systems, two changes of a file within this many nanoseconds can have the same timestamp."""

_SEEN: dict[str, tuple[str, str]] = {}
"""The digests that this process has computed, in case they cannot be stored."""


def digests(weights: Sequence[Path], others: Sequence[Path]) -> tuple[str, str]:
    """Return the 16-byte BLAKE2b hashes of the weights, and of weights and other files, in hex digits.

    The digests are stored next to the score cache, by the files' paths, sizes, inodes and timestamps. They
    are not stored for files that changed within the last two seconds, because a further change might not be
    visible.
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
    hashes = (digest, state.hexdigest())
    if changed < before - RACY and _stamp(files)[0] == stamp:
        _SEEN[stamp] = hashes
        _keep(stamp, hashes)
    return hashes


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
    """Return a stamp that changes with the files, and the time of their last change in nanoseconds."""
    state, changed = blake2b(digest_size=16), 0
    for file in files:
        stat = file.stat()
        # ctime too, because a copy can have the mtime of the original
        times = (stat.st_mtime_ns, stat.st_ctime_ns)
        state.update(repr((str(file.absolute()), stat.st_size, stat.st_dev, stat.st_ino, times)).encode())
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
    """Store digests; if the system refuses, they are computed again next time."""
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
    """Return the checksum of a stored file; it detects truncated and altered files."""
    return blake2b(" ".join(words).encode(), digest_size=8).hexdigest()

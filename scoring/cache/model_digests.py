"""Digests of a model's files, stored for other processes until a file changes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from nextset.files.kept_texts import RACY, file_identity, keep_text, kept_text

__all__ = ["digests"]

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
        keep_text(stamp, " ".join(hashes))
    return hashes


def _read_into(state: blake2b, file: Path) -> None:
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            state.update(block)


def _stamp(files: Sequence[Path]) -> tuple[str, int]:
    """Return a stamp that changes with the files, and the time of their last change in nanoseconds."""
    state, changed = blake2b(digest_size=16), 0
    for file in files:
        stat = file.stat()
        state.update(file_identity(file.absolute(), stat).encode())
        changed = max(changed, stat.st_mtime_ns, stat.st_ctime_ns)
    return state.hexdigest(), changed


def _kept(stamp: str) -> tuple[str, str] | None:
    words = (kept_text(stamp) or "").split()
    return (words[0], words[1]) if len(words) == 2 else None

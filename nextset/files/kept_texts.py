"""Short texts, such as digests, that the cache folder keeps until the files that decide them change."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from hashlib import blake2b
from pathlib import Path

from nextset.files.cache_home import cache_home

__all__ = ["RACY", "file_identity", "forget_texts", "keep_text", "kept_text"]

RACY = 2_000_000_000
"""On coarse file systems, two changes of a file within this many nanoseconds can have the same timestamp."""


def file_identity(path: str | Path, stat: os.stat_result) -> str:
    """Return a text that changes if the file at ``path`` changes or another takes its place.

    It has the ctime too, because a copy can have the mtime of the original.
    """
    times = (stat.st_mtime_ns, stat.st_ctime_ns)
    return repr((str(path), stat.st_size, stat.st_dev, stat.st_ino, times))


def kept_text(name: str) -> str | None:
    """Return the text that is kept under ``name``; None if there is none, or if its file is damaged."""
    try:
        text, _, check = (_folder() / name).read_text(encoding="ascii").rpartition(" ")
    except (OSError, ValueError):
        return None
    return text if check == _check(name, text) else None


def keep_text(name: str, text: str) -> None:
    """Keep the ASCII ``text`` under ``name``; if the system refuses, it is computed again next time."""
    with contextlib.suppress(OSError):
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as stream:
                stream.write(f"{text} {_check(name, text)}")
            Path(temporary).replace(folder / name)
        except OSError:
            Path(temporary).unlink(missing_ok=True)


def forget_texts() -> None:
    """Remove all kept texts."""
    shutil.rmtree(_folder(), ignore_errors=True)


def _folder() -> Path:
    return cache_home() / "digests"


def _check(*words: str) -> str:
    """Return the checksum of a kept file; it detects truncated and altered files."""
    return blake2b(" ".join(words).encode(), digest_size=8).hexdigest()

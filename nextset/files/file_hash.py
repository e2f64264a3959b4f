"""The sha256 of a file, read in pieces."""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["file_sha256"]


def file_sha256(path: Path) -> str:
    """Return the sha256 of the file ``path`` in hex, without holding the file in memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""The bytes of a file that is at the same time read by its name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nextset.errors import InputError
from nextset.files.regular_file import require_file

__all__ = ["unchanged_bytes"]


@contextmanager
def unchanged_bytes(path: Path, error: type[InputError]) -> Iterator[bytes]:
    """Yield the bytes of ``path`` to a block that reads ``path`` itself, and check that both are the same.

    Raises ``error`` if there is no such file, and after the block if the file has changed.
    """
    raw = _bytes(path, error)
    yield raw
    if _bytes(path, error) != raw:
        raise error(
            "the file changed while it was read",
            file=path,
            remedy="wait until nothing writes to it, then run this again",
        )


def _bytes(path: Path, error: type[InputError]) -> bytes:
    try:
        require_file(path, error, "name a regular file")
        return path.read_bytes()
    except FileNotFoundError:
        raise error("no such file", file=path, remedy="check the path") from None
    except PermissionError:
        raise
    except OSError as e:
        raise error(f"the file cannot be read: {e.strerror}", file=path, remedy="check the path") from None

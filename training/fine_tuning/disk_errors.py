"""A full disk, as torch and safetensors report it, becomes the error that it is anywhere else."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["disk_errors"]

_NUMBER = re.compile(r"\(os error (\d{1,4})\)", re.ASCII)
"""How the library of safetensors, which is written in Rust, gives the system's number."""
_WRITER = re.compile("PytorchStreamWriter failed writing|inline_container")
"""torch.save says only that it could not write; a disk without space is the reason by far most often."""


@contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Raise OSError, with ``place`` if it names no file, for what torch or safetensors could not write."""
    from safetensors import SafetensorError

    try:
        yield
    except OSError as e:
        if e.errno is not None and not e.filename:
            e.filename = str(place)
        raise
    except (SafetensorError, RuntimeError) as e:
        number = _NUMBER.search(str(e))
        if number is None and not _WRITER.search(str(e)):
            raise
        code = int(number[1]) if number else errno.ENOSPC
        raise OSError(code, os.strerror(code), str(place)) from e

"""A full disk, as torch, safetensors and tokenizers report it, becomes the error that it is anywhere else."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["disk_errors"]

_NUMBER = re.compile(r"\(os error (\d{1,4})\)", re.ASCII)
"""How safetensors and tokenizers, which are written in Rust, give the system's number."""
_WRITER = re.compile("PytorchStreamWriter failed writing|inline_container")
"""torch.save says only that it could not write; a disk without space is the reason by far most often."""


@contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Raise OSError, with ``place`` if it names no file, for what one of them could not write."""
    try:
        yield
    except OSError as e:
        if e.errno is not None and not e.filename:
            e.filename = str(place)
        raise
    except Exception as e:  # tokenizers raises Exception itself
        number = _NUMBER.search(str(e))
        if number is None and not (isinstance(e, RuntimeError) and _WRITER.search(str(e))):
            raise
        code = int(number[1]) if number else errno.ENOSPC
        raise OSError(code, os.strerror(code), str(place)) from e

"""Failed writes by torch, safetensors and tokenizers, such as on a full disk, raised as OSError."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["disk_errors"]

_NUMBER = re.compile(r"\(os error (\d{1,4})\)", re.ASCII)
"""The system's error number in messages of safetensors and tokenizers, which are written in Rust."""
_WRITER = re.compile("PytorchStreamWriter failed writing|inline_container")
"""Messages of torch.save, which only say that it could not write; the usual cause by far is a full disk."""


@contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Raise OSError for failed writes; an error without a file name gets ``place``."""
    try:
        yield
    except OSError as e:
        if e.errno is not None and not e.filename:
            e.filename = str(place)
        raise
    except Exception as e:  # tokenizers raises the class Exception itself
        number = _NUMBER.search(str(e))
        if number is None and not (isinstance(e, RuntimeError) and _WRITER.search(str(e))):
            raise
        code = int(number[1]) if number else errno.ENOSPC
        raise OSError(code, os.strerror(code), str(place)) from None

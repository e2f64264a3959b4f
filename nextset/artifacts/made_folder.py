"""The folder of the artifact that is being made, so that answers are counted for their stage."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

__all__ = ["made_folder", "making"]

_MADE: ContextVar[Path | None] = ContextVar("made", default=None)


@contextlib.contextmanager
def making(folder: Path) -> Iterator[None]:
    """Say that the block makes the artifact in ``folder``, out/STAGE, or asks models for it."""
    token = _MADE.set(folder)
    try:
        yield
    finally:
        _MADE.reset(token)


def made_folder() -> Path | None:
    """Return the folder of the artifact that is being made in this context; None outside a stage."""
    return _MADE.get()

"""The share of a part that is finished while it is made, such as the answered prompts of a chunk."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar

__all__ = ["note_share", "shares_noted"]

_NOTED: ContextVar[Callable[[float], None] | None] = ContextVar("noted", default=None)


@contextlib.contextmanager
def shares_noted(note: Callable[[float], None]) -> Iterator[None]:
    """Call ``note`` with each share, in [0, 1], that a part notes in the block, in this thread."""
    token = _NOTED.set(note)
    try:
        yield
    finally:
        _NOTED.reset(token)


def note_share(share: float) -> None:
    """Note the finished ``share`` of the part that this thread makes, in [0, 1]; else do nothing."""
    note = _NOTED.get()
    if note is not None:
        note(share)

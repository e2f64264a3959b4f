"""The types of the callbacks by which a stage reports its progress."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["SILENT", "Progress", "Tick"]

Tick = Callable[[int, int], None]
"""Gets the number of finished parts and of all parts."""

Progress = Callable[[str], Tick]
"""From a stage's name to the `Tick` that it calls."""


def SILENT(stage: str) -> Tick:
    """Ignore all progress."""
    return lambda done, total: None

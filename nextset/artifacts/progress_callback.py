"""Types of the callbacks that a stage reports its progress to."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["SILENT", "Progress", "Tick"]

Tick = Callable[[int, int], None]
"""A callback that gets the number of finished parts and the number of all parts."""

Progress = Callable[[str], Tick]
"""A function from a stage's name to the `Tick` that the stage calls."""


def SILENT(stage: str) -> Tick:
    """Ignore all progress."""
    return lambda done, total: None

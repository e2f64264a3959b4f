"""How a stage tells what it has done so far."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["SILENT", "Progress", "Tick"]

Tick = Callable[[int, int], None]
"""Told the parts that are done and the parts in all."""

Progress = Callable[[str], Tick]
"""From a stage's name to the `Tick` that it calls."""


def SILENT(stage: str) -> Tick:
    """Progress that nobody watches."""
    return lambda done, total: None

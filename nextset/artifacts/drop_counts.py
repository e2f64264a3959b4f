"""The counts of a stage that say what it dropped; its other counts say what it kept or how it got there."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["drops"]

_ENDINGS = (", dropped", ", merged")


def drops(counts: Mapping[str, int]) -> dict[str, int]:
    """Return those of ``counts`` that are rows left out, by reason: their names end in dropped or merged."""
    return {reason: n for reason, n in counts.items() if n and reason.endswith(_ENDINGS)}

"""The counts of dropped rows among a stage's counts; the others count kept rows and steps on the way."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["drops"]

_ENDINGS = (", dropped", ", merged")


def drops(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the numbers of dropped rows in ``counts``, by reason: their names end in dropped or merged."""
    return {reason: n for reason, n in counts.items() if n and reason.endswith(_ENDINGS)}

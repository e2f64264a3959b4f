"""The number of units that annotators can be expected to call valid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ExpectedValid"]

Ground = Literal["verdict model", "share", "nothing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedValid:
    """The expected number of kept units that annotators call valid, including judged units."""

    ground: Ground
    """The basis. verdict model: it is better than shares. share: of the units judged so far. nothing: none is
    judged."""
    units: int
    """The number of kept units."""
    judged: int
    """The number of units with a verdict."""
    valid: int
    """The number of judged units that are valid."""
    low: float | None
    """The lower end of the 95 % interval of the number of valid units; null if nothing is known."""
    expected: float | None
    """The expected number of valid units; null if nothing is known."""
    high: float | None
    """The upper end; null if nothing is known."""
    queued: bool = False
    """True if a main session asked for judgments: then its order and postpone_below chose the units."""

"""A colour scale from blue through white to orange, for values below and above 0."""

from __future__ import annotations

from nextset.html.svg import ANTI, PRO

__all__ = ["diverging", "hundredths"]

_ENDS = {PRO: (240, 138, 75), ANTI: (86, 180, 233)}
"""The ends of the scale: lighter than the colours of marks, so that black text has enough contrast."""


def diverging(share: float) -> str:
    """Return the colour between white and an end of the scale for ``share`` in [−1, 1]; orange is above 0."""
    end = _ENDS[PRO if share > 0 else ANTI]
    mixed = (round(255 + (c - 255) * min(1.0, abs(share))) for c in end)
    return "#" + "".join(f"{c:02X}" for c in mixed)


def hundredths(value: float) -> str:
    """Return ``value`` in hundredths as a number with a true minus sign."""
    return f"{100 * value:.0f}".replace("-0", "0").replace("-", "−")

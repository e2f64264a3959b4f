"""Figures as text: shares in per cent, counts as whole numbers, thresholds with all digits."""

from __future__ import annotations

__all__ = ["figure_text"]

_COUNTS = ("questions", "pairs", "tokens", "missing")
_PLAIN = ("loss", "perplexity")


def figure_text(name: str, value: float) -> str:
    """Return ``value`` as text, in the format for the ending of the figure's ``name``."""
    if name.endswith(_COUNTS):
        return f"{value:,.0f}"
    if name.endswith("threshold"):  # all digits, so that close scores stay on their side
        return repr(value)
    return f"{value:.4g}" if name.endswith(_PLAIN) else f"{value:.1%}"

"""Figures as text: shares in per cent, counts as whole numbers, thresholds with all digits."""

from __future__ import annotations

__all__ = ["count_text", "figure_text"]

_COUNTS = ("questions", "pairs", "tokens", "missing")
_PLAIN = ("loss", "perplexity")


def figure_text(name: str, value: float) -> str:
    """Return ``value`` of the figure ``name``, whose ending says what it is, as text."""
    if name.endswith(_COUNTS):
        return f"{value:,.0f}"
    if name.endswith("threshold"):  # whole: a score next to it must stay on its side
        return repr(value)
    return f"{value:.4g}" if name.endswith(_PLAIN) else f"{value:.1%}"


def count_text(count: int, what: str) -> str:
    """Return ``count`` with ``what`` is counted, a noun in the plural and more: `1 pair without a label`."""
    noun, _, more = what.partition(" ")
    return f"{count:,} {noun.removesuffix('s') if count == 1 else noun}{more and ' '}{more}"

"""How many of the filter models find an item hard, and how far they disagree about it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["disagreement", "missed_share"]


def disagreement(finders: Sequence[str] | None, models: int) -> float | None:
    """Share of pairs of ``models`` models of which one finds the item hard and the other does not, in [0, 1].

    ``finders`` are those that find it hard. Null where that is not known, and of fewer than two models: they
    make no pair. With 1 of 3 it is 1·2 pairs of 3, so 2/3.
    """
    if finders is None or models < 2:
        return None
    hard = min(len(finders), models)
    return hard * (models - hard) / (models * (models - 1) / 2)


def missed_share(finders: Sequence[str] | None, models: int) -> float | None:
    """Return the share of ``models`` models that find the item hard, in [0, 1]; None if that is not known."""
    if finders is None or not models:
        return None
    return min(len(finders), models) / models

"""The share of filter models that find an item hard, and their disagreement about it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["disagreement", "missed_share"]


def disagreement(finders: Sequence[str] | None, models: int) -> float | None:
    """Return the share of pairs of models that disagree whether the item is hard, in [0, 1].

    ``finders`` are the models, out of ``models``, that find it hard. None if they are not known, or if there
    are fewer than two models and thus no pair. If 1 of 3 finds it hard, these are 1·2 of the 3 pairs, so 2/3.
    """
    if finders is None or models < 2:
        return None
    hard = min(len(finders), models)
    return hard * (models - hard) / (models * (models - 1) / 2)


def missed_share(finders: Sequence[str] | None, models: int) -> float | None:
    """Return the share of ``models`` models that find the item hard, in [0, 1]; None if it is not known."""
    if finders is None or not models:
        return None
    return min(len(finders), models) / models

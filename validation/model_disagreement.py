"""The share of filter models that find an item hard, and their disagreement about it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["disagreement", "missed_share"]


def disagreement(
    finders: Sequence[str] | None, models: int, silent: Sequence[str] | None = None
) -> float | None:
    """Return the share of pairs of models that disagree whether the item is hard, in [0, 1].

    ``finders`` are the models, out of ``models``, that find it hard, and ``silent`` those that did not answer
    and so take no part. None if the finders are not known, or if fewer than two models are left and thus no
    pair. If 1 of 3 finds it hard, these are 1·2 of the 3 pairs, so 2/3.
    """
    hard, models = _hard(finders, models, silent)
    if hard is None or models < 2:
        return None
    return hard * (models - hard) / (models * (models - 1) / 2)


def missed_share(
    finders: Sequence[str] | None, models: int, silent: Sequence[str] | None = None
) -> float | None:
    """Return the share of ``models`` models that find the item hard, of those that answered, in [0, 1]; None
    if it is not known. The arguments are those of `disagreement`."""
    hard, models = _hard(finders, models, silent)
    return None if hard is None or not models else hard / models


def _hard(finders: Sequence[str] | None, models: int, silent: Sequence[str] | None) -> tuple[int | None, int]:
    """Return the number of models that answered and find the item hard, and of those that answered."""
    without = set(silent or ())
    models = max(models - len(without), 0)
    return None if finders is None else min(len(set(finders) - without), models), models

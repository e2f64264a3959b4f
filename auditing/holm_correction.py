"""The correction of p-values for the number of comparisons (Holm 1979)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

__all__ = ["holm", "with_corrected_p"]

Row = TypeVar("Row")


def with_corrected_p(rows: Sequence[Row], family: Callable[[Row], Hashable], column: str = "p") -> list[Row]:
    """Return ``rows``, dataclasses with p_corrected and comparisons, corrected within each family.

    ``column`` is the p-value that is corrected. ``comparisons`` is the number of p-values in the family; rows
    without a p-value do not count.
    """
    families: dict[Hashable, list[int]] = {}
    for i, row in enumerate(rows):
        families.setdefault(family(row), []).append(i)
    replaced: list[Any] = list(rows)
    for places in families.values():
        corrected = holm([getattr(replaced[i], column) for i in places])
        n = sum(p is not None for p in corrected)
        for i, p in zip(places, corrected, strict=True):
            replaced[i] = replace(replaced[i], p_corrected=p, comparisons=n)
    return replaced


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return the p-values ``values`` corrected for their number; None stays None."""
    order = sorted((p, i) for i, p in enumerate(values) if p is not None)
    done, adjusted = 0.0, list(values)
    for rank, (p, i) in enumerate(order):
        adjusted[i] = done = max(done, min(1.0, p * (len(order) - rank)))
    return adjusted

"""The correction of p-values for the number of comparisons (Holm 1979)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

__all__ = ["holm", "with_corrected_p"]

Row = TypeVar("Row")


def with_corrected_p(
    rows: Sequence[Row], family: Callable[[Row], Hashable], estimate: str, column: str = "p"
) -> list[Row]:
    """Return ``rows``, dataclasses with p_corrected and comparisons, corrected within each family.

    ``column`` is the p-value that is corrected. ``comparisons`` is the number of rows in the family that
    compare something: their column ``estimate`` is not None. A comparison without a p-value counts as one
    that finds nothing; otherwise the correction would depend on which comparisons look promising.
    """
    families: dict[Hashable, list[int]] = {}
    for i, row in enumerate(rows):
        families.setdefault(family(row), []).append(i)
    replaced: list[Any] = list(rows)
    for places in families.values():
        compared = [i for i in places if getattr(replaced[i], estimate) is not None]
        corrected = holm([getattr(replaced[i], column) for i in compared])
        for i, p in zip(compared, corrected, strict=True):
            replaced[i] = replace(replaced[i], p_corrected=p)
        for i in places:
            replaced[i] = replace(replaced[i], comparisons=len(compared))
    return replaced


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return the p-values ``values`` corrected for their number; None counts as 1 and stays None."""
    order = sorted((p, i) for i, p in enumerate(values) if p is not None)
    done, adjusted = 0.0, list(values)
    for rank, (p, i) in enumerate(order):
        adjusted[i] = done = max(done, min(1.0, p * (len(values) - rank)))
    return adjusted

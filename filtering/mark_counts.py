"""Candidates and kept items by the marks of their fills."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from nextset.array_types import Bools
from nextset.filtering.candidates import Candidates

__all__ = ["UNMARKED", "MarkRow", "mark_rows"]

UNMARKED = "none"
"""The row of filled candidates without a mark."""


@dataclass(frozen=True, slots=True)
class MarkRow:
    """The numbers of filled candidates with a mark, before and after the filter."""

    mark: str
    """The mark, such as another meaning; none for fills without one."""
    candidates: int
    """The number of candidates."""
    kept: int
    """The number of them that are kept."""


def mark_rows(candidates: Candidates, keep: Bools) -> tuple[MarkRow, ...]:
    """Return the numbers by mark: the mark with the most candidates first, fills without a mark last.

    ``keep`` is True for each candidate that is kept. The result is empty if the study did not mark fills.
    """
    if "fill_marks" not in candidates.schema.names:
        return ()
    numbers: Counter[tuple[str, bool]] = Counter()
    for i, start in enumerate(candidates.starts):
        lists: Sequence[list[str] | None] = candidates.piece(i)["fill_marks"].to_pylist()
        for marks, kept in zip(lists, keep[start : start + len(lists)].tolist(), strict=True):
            if marks is not None:
                numbers.update((mark, kept) for mark in marks or (UNMARKED,))
    names = {mark for mark, _ in numbers}
    rows = [MarkRow(m, numbers[m, True] + numbers[m, False], numbers[m, True]) for m in names]
    return tuple(sorted(rows, key=lambda row: (row.mark == UNMARKED, -row.candidates, row.mark)))

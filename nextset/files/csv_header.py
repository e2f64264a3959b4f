"""The header of a CSV file: of two equal columns, `csv.DictReader` silently takes the last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

__all__ = ["repeated_column"]


def repeated_column(names: Sequence[str]) -> str | None:
    """Return the first name that two columns have; None if there is none."""
    counts = Counter(names)
    return next((name for name in names if name and counts[name] > 1), None)

"""The candidates kept or hard, by part of the set and model, and the overlap of what models find hard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nextset.array_types import Bools
from nextset.filtering.balance import Parts
from nextset.records.filter_tables import SurvivalRow

__all__ = ["ANY", "OverlapRow", "overlap", "survival"]

ANY = "any"
"""The value of column ``model`` in the survival table for kept candidates, hard for any models or none."""


@dataclass(frozen=True)
class OverlapRow:
    """Candidates that the same models find hard."""

    models: tuple[str, ...]
    """The models that find them hard; all others do not."""
    candidates: int
    """The number of these candidates."""
    kept: int
    """The number of them that are kept."""


def survival(
    parts: Parts, keep: Bools, hard: Bools, answered: Bools, models: Sequence[str]
) -> list[SurvivalRow]:
    """Return one row per part and model, by name; `ANY` first.

    ``hard`` and ``answered`` have the shape (models, candidates); a model's rows are about candidates that
    it answered.
    """
    counts = {ANY: (parts.counts(np.ones_like(keep)), parts.counts(keep))}
    for model, there, wrong in zip(models, answered, hard, strict=True):
        counts[model] = parts.counts(there), parts.counts(wrong & there)
    return [
        SurvivalRow(parts.by, parts.names[i], model, int(total[i]), int(survived[i]))
        for i in sorted(range(len(parts.names)), key=lambda i: parts.names[i])
        for model, (total, survived) in counts.items()
    ]


def overlap(keep: Bools, hard: Bools, models: Sequence[str]) -> list[OverlapRow]:
    """Return one row for each combination of models that find a candidate hard, the most common first."""
    codes = np.zeros(keep.size, np.int64)
    for m, row in enumerate(hard):
        codes |= row.astype(np.int64) << m
    met, places = np.unique(codes, return_inverse=True)
    candidates = np.bincount(places, minlength=met.size)
    kept = np.bincount(places[keep], minlength=met.size)
    rows = [
        OverlapRow(
            tuple(name for m, name in enumerate(models) if met[i] >> m & 1), int(candidates[i]), int(kept[i])
        )
        for i in range(met.size)
    ]
    return sorted(rows, key=lambda r: (-r.candidates, r.models))

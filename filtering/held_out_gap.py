"""Accuracy and bias before and after the filter, and the gap between filter and held-out models."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nextset.array_types import Bools, Floats
from nextset.bootstrap_intervals import intervals
from nextset.cluster_bootstrap import Clusters, Support
from nextset.filtering.model_answers import Answers, RightAnswers, complete_answers
from nextset.filtering.quad_answers import QuadAnswers
from nextset.records.filter_tables import AccuracyRow, BiasRow, GapRow

__all__ = ["MEASURES", "accuracies", "biases", "gap"]

MEASURES = (
    "filter_before", "filter_after", "held_out_before", "held_out_after",
    "filter_shift", "held_out_shift", "gap_before", "gap_after", "gap_of_shifts",
)  # fmt: skip
"""The measures of the gap: means over the models; a shift is after − before, a gap is held out − filter."""


def accuracies(answers: RightAnswers, keep: Bools, role: str) -> list[AccuracyRow]:
    """Return one row per model; a share is null if a cascade did not ask the model about all of the items.

    Shares are over the items that the model answered.
    """
    right = answers.answered & ~answers.wrong
    everything = np.ones_like(keep)
    return [
        AccuracyRow(
            model,
            role,
            _of_all(right[m], answers.answered[m], answers.asked[m], everything),
            _of_all(right[m], answers.answered[m], answers.asked[m], keep),
            int(answers.asked[m].sum()),
            int(answers.asked[m, keep].sum()),
        )
        for m, model in enumerate(answers.models)
    ]


def biases(answers: QuadAnswers, keep: Bools, role: str) -> list[BiasRow]:
    """Return one row per model; means and shares are over the rows that the model answered."""
    rows = []
    for m, model in enumerate(answers.models):
        there = answers.answered[m]
        size, differs = np.abs(answers.c[m]) * there, answers.differs[m] & there
        before, after = int(there.sum()), int(there[keep].sum())
        means = (_share(size.sum(), before), _share(size[keep].sum(), after))
        changed = (_share(differs.sum(), before), _share(differs[keep].sum(), after))
        asked = answers.asked[m]
        rows.append(BiasRow(model, role, *means, *changed, int(asked.sum()), int(asked[keep].sum())))
    return rows


def _of_all(right: Bools, answered: Bools, asked: Bools, rows: Bools) -> float | None:
    return _share(right[rows].sum(), int(answered[rows].sum())) if asked[rows].all() else None


def _share(part: float, whole: int) -> float | None:
    return float(part / whole) if whole else None


def gap(filters: Answers, held_out: Answers, keep: Bools, items: Clusters) -> list[GapRow]:
    """Return the measures over ``filters`` and ``held_out``, with 95 % intervals.

    `nextset.cluster_bootstrap` draws clusters of ``items``, the candidates; for measures of kept items only,
    it draws clusters of the kept items. The intervals do not cover the choice of the models. Only models that
    were asked about every candidate are included, each with the candidates that it answered.
    """
    filters, held_out = complete_answers(filters), complete_answers(held_out)
    split = len(filters.models)
    of_kept, codes = items, items.codes
    if keep.any():
        of_kept, codes = items.of_rows(np.flatnonzero(keep)), np.zeros(keep.size, np.int64)
        codes[keep] = of_kept.codes

    def drawn(clusters: Clusters, codes: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return `MEASURES` in all draws, and in each cluster by itself."""
        parts = [_sums(a, keep, codes, clusters.n) for a in (filters, held_out)]
        both = np.concatenate(parts, axis=1)
        without_zeros = both.copy()
        without_zeros[1::2] += np.finfo(np.float64).tiny  # what a cluster has no rows for counts as 0
        return _measured(np.moveaxis(clusters.sums(both), 0, -1), split), _measured(without_zeros, split)

    def support(clusters: Clusters, codes: npt.NDArray[np.int64], values: Floats) -> Support | None:
        counts = np.bincount(codes, minlength=clusters.n).astype(np.float64)
        return Support.of(counts, values) if filters.shares else None

    everywhere, of_kept_alone = drawn(items, items.codes), drawn(of_kept, codes)
    rows = []
    for i, measure in enumerate(MEASURES):
        alone = measure.endswith("_after")
        (series, single), clusters = (of_kept_alone, of_kept) if alone else (everywhere, items)
        value = None if np.isnan(series[i][0]) else float(series[i][0])
        counted_codes = codes[keep] if alone else items.codes[keep]
        if measure.endswith("_before"):
            counted_codes = items.codes
        low, high = intervals(
            series[i],
            clusters.sizes,
            share=filters.shares and not _is_difference(measure),
            support=support(clusters, counted_codes, single[i]),
        ).ends()
        rows.append(GapRow(measure, value, low, high, clusters.drawn, clusters.units))
    return rows


def _is_difference(measure: str) -> bool:
    return "gap" in measure or "shift" in measure


def _sums(answers: Answers, keep: Bools, units: npt.NDArray[np.int64], n: int) -> Floats:
    """Return, per unit, score and count before, and score and count after; shape (4, models, units)."""
    sums = np.zeros((4, len(answers.models), n))
    for m in range(len(answers.models)):
        there, sizes = answers.answered[m], answers.sizes(m)
        for at, rows in ((0, there), (2, there & keep)):
            sums[at, m] = np.bincount(units[rows], weights=sizes[rows], minlength=n)
            sums[at + 1, m] = np.bincount(units[rows], minlength=n)
    return sums


def _measured(totals: Floats, split: int) -> Floats:
    """Return `MEASURES`, shape (measures, draws), from totals (4, models, draws); NaN if undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        before, after = totals[0] / totals[1], totals[2] / totals[3]
    empty = np.full(before.shape[1:], np.nan)
    means = [
        rows.mean(axis=0) if len(rows) else empty
        for rows in (before[:split], after[:split], before[split:], after[split:])
    ]
    filter_before, filter_after, held_before, held_after = means
    shifts = (filter_after - filter_before, held_after - held_before)
    gaps = (held_before - filter_before, held_after - filter_after, shifts[1] - shifts[0])
    return np.array([*means, *shifts, *gaps])

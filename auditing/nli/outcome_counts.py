"""The shares of prompts without a choice, summed by template and group: the rates of outcomes are ratios of
them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats, Ints
from nextset.auditing.measures.outcome_measures import asymmetry
from nextset.records.prompt_outcomes import OUTCOMES

__all__ = ["PAIRED", "OutcomeCounts", "OutcomeSums"]

PAIRED = (OUTCOMES.index("refused"), OUTCOMES.index("abstained"))
"""The outcomes whose asymmetry in pairs is measured."""
_ROWS = 2
"""The sums that all models have in common: weights, and rows."""

Cells = npt.NDArray[np.int64]


@dataclass(frozen=True)
class OutcomeCounts:
    """The prompts without a choice of all models on a set of items. A cell is a group in a cluster."""

    clusters: Ints
    """The place of each cell's cluster, shape (cells,)."""
    groups: tuple[str, ...]
    """The group of each cell; empty if the hypothesis names none that is known."""
    rows: Mapping[str, Floats]
    """The weights and the number of rows for each selection, shape (2, cells)."""
    shares: Mapping[str, Floats]
    """The weighted shares for each selection, shape (models, `OUTCOMES`, cells)."""
    pair_rows: Mapping[str, Floats]
    """The weights and the number of items in pairs for each selection, shape (2, clusters)."""
    asymmetries: Mapping[str, Floats]
    """The weighted asymmetries of pairs for each selection, shape (models, `PAIRED`, clusters)."""


@dataclass
class _Cellwise:
    """Sums by cell, part by part."""

    keys: list[Ints] = field(default_factory=list)
    sums: list[Floats] = field(default_factory=list)

    def add(self, cells: Ints, amounts: Floats) -> None:
        """Add ``amounts``, shape (sums, rows), of rows in ``cells``."""
        keys, places = np.unique(cells, return_inverse=True)
        self.keys.append(keys)
        self.sums.append(np.array([np.bincount(places, a, minlength=keys.size) for a in amounts]))

    def over(self, cells: Ints, n: int) -> Floats:
        """Return the ``n`` sums of each of ``cells``, which are sorted."""
        total = np.zeros((n, cells.size))
        for keys, sums in zip(self.keys, self.sums, strict=True):
            total[:, np.searchsorted(cells, keys)] += sums
        return total


@dataclass
class OutcomeSums:
    """Sums of shares that grow with each part of the items."""

    groups: dict[str, int] = field(default_factory=dict)
    """The groups, numbered in the order of their first item."""
    rows: dict[str, _Cellwise] = field(default_factory=dict)
    shares: dict[tuple[str, int], _Cellwise] = field(default_factory=dict)
    pair_rows: dict[str, _Cellwise] = field(default_factory=dict)
    asymmetries: dict[tuple[str, int], _Cellwise] = field(default_factory=dict)

    def add_rows(self, selection: str, weights: Floats, cells: Cells, groups: Cells) -> None:
        """Count the rows of a selection, whose ``weights`` are not 0."""
        there = np.flatnonzero(weights)
        amounts = np.array([weights[there], np.ones(there.size)])
        self.rows.setdefault(selection, _Cellwise()).add(_joint(cells, groups)[there], amounts)

    def add_shares(
        self, place: tuple[str, int], shares: Floats, weights: Floats, cells: Cells, groups: Cells
    ) -> None:
        """Add the shares of one selection and model, shape (rows, `OUTCOMES`)."""
        there = np.flatnonzero(weights)
        amounts = (shares[there] * weights[there, None]).T
        self.shares.setdefault(place, _Cellwise()).add(_joint(cells, groups)[there], amounts)

    def add_pair_rows(self, selection: str, weights: Floats, cells: Cells) -> None:
        """Count the pairs of a selection, each as two items of the mean weight ``weights``."""
        there = np.flatnonzero(weights)
        amounts = np.array([2 * weights[there], np.full(there.size, 2.0)])
        self.pair_rows.setdefault(selection, _Cellwise()).add(cells[there], amounts)

    def add_pairs(
        self, place: tuple[str, int], first: Floats, second: Floats, weights: Floats, cells: Cells
    ) -> None:
        """Add the asymmetries of pairs, from the shares of both items, shape (pairs, `OUTCOMES`)."""
        there = np.flatnonzero(weights)
        answered = [1 - side[there].sum(axis=1) for side in (first, second)]
        amounts = np.array(
            [
                2 * weights[there] * asymmetry(first[there, k], second[there, k], answered[0], answered[1])
                for k in PAIRED
            ]
        )
        self.asymmetries.setdefault(place, _Cellwise()).add(cells[there], amounts)

    def result(
        self, selections: tuple[str, ...], models: list[int], order: list[int]
    ) -> OutcomeCounts | None:
        """Return the sums of ``models`` (their places) with the clusters in their ``order``; None if no model
        has such an answer."""
        if not self.rows:
            return None
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        names = list(self.groups)
        cells = np.unique(np.concatenate([keys for c in self.rows.values() for keys in c.keys]))
        cluster, group = place[cells >> 32], cells & 0xFFFFFFFF
        by_cluster = np.lexsort((group, cluster))
        clusters, nothing = np.arange(len(order)), _Cellwise()

        def of_cells(cellwise: _Cellwise, n: int) -> Floats:
            return cellwise.over(cells, n)[:, by_cluster]

        def of_clusters(cellwise: _Cellwise, n: int) -> Floats:
            return cellwise.over(clusters, n)[:, order]

        return OutcomeCounts(
            cluster[by_cluster],
            tuple(names[i] for i in group[by_cluster].tolist()),
            {s: of_cells(self.rows.get(s, nothing), _ROWS) for s in selections},
            {
                s: np.array([of_cells(self.shares.get((s, m), nothing), len(OUTCOMES)) for m in models])
                for s in selections
            },
            {s: of_clusters(self.pair_rows.get(s, nothing), _ROWS) for s in selections},
            {
                s: np.array([of_clusters(self.asymmetries.get((s, m), nothing), len(PAIRED)) for m in models])
                for s in selections
            },
        )


def _joint(cells: Cells, groups: Cells) -> Ints:
    """Return the cells of a cluster and a group as one number."""
    return (cells.astype(np.int64) << 32) + groups

"""The draws of all intervals of measures: whole clusters are drawn, since the rows of one are alike.

NLI items are drawn by the template of their hypothesis (within its stereotype), quads by template and by pair
of subjects. The same rows have the same clusters and draws everywhere, so a share has the same interval in
all reports.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Floats
from nextset.records.hypothesis_patterns import hypothesis_patterns

__all__ = [
    "DRAWS",
    "SEED",
    "Clusters",
    "Support",
    "choice_clusters",
    "crossed_clusters",
    "level_weights",
    "pair_clusters",
    "template_clusters",
]

DRAWS = 1000
"""The number of bootstrap samples."""
SEED = 0
ALIKE = 0.3
"""The correlation of answers within a cluster that is assumed if too few clusters show it."""
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Clusters:
    """The cells of some rows. A cell is a level of one factor, or a pair of levels of two crossed factors."""

    codes: Codes
    """The cell of each row, shape (rows,)."""
    levels: tuple[Codes, ...]
    """For each factor, the level of each cell, shape (cells,)."""
    sizes: tuple[int, ...]
    """The number of levels of each factor."""
    drawn: str
    """The drawn clusters, as text: templates, or templates and pairs of subjects."""

    @property
    def n(self) -> int:
        """The number of cells."""
        return len(self.levels[0])

    @property
    def units(self) -> int:
        """The number of levels of the last factor: templates for NLI items, pairs of subjects for quads."""
        return self.sizes[-1]

    def of_rows(self, rows: npt.NDArray[np.intp]) -> Clusters:
        """Return the clusters of only ``rows``."""
        cells, codes = np.unique(self.codes[rows], return_inverse=True)
        levels = [np.unique(of_cell[cells], return_inverse=True) for of_cell in self.levels]
        return Clusters(
            codes.astype(np.int64),
            tuple(places.astype(np.int64) for _, places in levels),
            tuple(len(names) for names, _ in levels),
            self.drawn,
        )

    def weights(self, at_once: int = 1 + DRAWS) -> Iterator[Floats]:
        """Yield how often each cell counts, shape (some rows, cells), in portions of ``at_once`` rows.

        The first row is 1 for all cells. The next `DRAWS` rows are draws: a cell counts as often as each of
        its levels was drawn with replacement, multiplied (the pigeonhole bootstrap of Owen 2007, Annals of
        Applied Statistics 1). With two factors, further rows each exclude one level of the first factor.
        """
        factors = self.factor_weights()
        for start in range(0, len(factors[0]), at_once):
            counts = np.ones((min(at_once, len(factors[0]) - start), self.n))
            for weights, levels in zip(factors, self.levels, strict=True):
                counts *= weights[start : start + at_once, levels]
            yield counts

    def factor_weights(self) -> tuple[Floats, ...]:
        """Return how often each level of each factor counts, shape (rows, levels); rows as in `weights`."""
        return level_weights(self.sizes)

    def sums(self, amounts: Floats) -> Floats:
        """Return the sums over all cells of ``amounts``, shape (…, cells), for all rows of weights.

        The result has the shape (1 + draws + excluded levels, …).
        """
        flat = amounts.reshape(np.prod(amounts.shape[:-1], dtype=int), self.n).T
        portions = [weights @ flat for weights in self.weights(100 if self.n > 10_000 else 1 + DRAWS)]
        totals: Floats = np.concatenate(portions)
        return totals.reshape(len(totals), *amounts.shape[:-1])


@dataclass(frozen=True)
class Support:
    """What the clusters of items say about a value, besides its draws."""

    rows: float
    """The effective number of rows: as many independent rows would weigh as much (Kish 1965, the design
    effect). The correlation within a cluster is assumed to be `ALIKE`."""
    clusters: float
    """The effective number of clusters: as many clusters of one size would weigh as much (Kish)."""
    values: Floats
    """The value in each cluster by itself, shape (clusters,); NaN for a cluster that says nothing about it.
    For a difference, the difference of these, where NaN counts as 0."""

    @classmethod
    def of(cls, rows: Floats, values: Floats) -> Support:
        """Return the support of a value from the number of ``rows`` in each cluster, and `values`."""
        total, squares = rows.sum(), (rows**2).sum()
        if not total:
            return cls(0.0, 0.0, np.full(len(rows), np.nan))
        return cls(float(total / (1 + ALIKE * (squares / total - 1))), float(total**2 / squares), values)

    def minus(self, other: Support) -> Support:
        """Return the support of a difference, of this value minus the ``other``'s, in the same clusters."""
        values = np.nan_to_num(self.values) - np.nan_to_num(other.values)
        return Support(min(self.rows, other.rows), min(self.clusters, other.clusters), values)

    def carriers(self, *, share: bool) -> int:
        """Return how many clusters carry the value: those where it is not 0, and for a share not 1."""
        values = self.values[~np.isnan(self.values)]
        carried = int(np.count_nonzero(values))
        return min(carried, int(np.count_nonzero(values != 1))) if share else carried


def level_weights(sizes: Sequence[int]) -> tuple[Floats, ...]:
    """Return how often each level of factors of ``sizes`` counts: arrays of shape (rows, levels).

    The first row is 1, and `DRAWS` rows are draws. With two factors, one more row for each level of the first
    factor excludes that level, if there are two or more.
    """
    left_out = sizes[0] if len(sizes) > 1 and sizes[0] > 1 else 0
    by_factor = []
    for factor, n in enumerate(sizes):
        weights = np.ones((1 + DRAWS + left_out, n))
        weights[1 : 1 + DRAWS] = _drawn(n, factor)
        if factor == 0 and left_out:
            weights[1 + DRAWS :] -= np.eye(n)
        by_factor.append(weights)
    return tuple(by_factor)


def template_clusters(items: pa.Table, patterns: Mapping[str, str] | None = None) -> Clusters:
    """Return the clusters of NLI items: the hypothesis's pattern within its stereotype.

    ``items`` has the column stereotype and `nextset.records.hypothesis_patterns.PATTERN_COLUMNS`;
    ``patterns`` has those of templates whose text is known.
    """
    named = pa.chunked_array([hypothesis_patterns(items, dict(patterns or {}))])
    keys = pc.binary_join_element_wise(
        pc.fill_null(pc.cast(items["stereotype"], pa.string()), ""), named, "\0"
    )
    codes, n = _codes(keys)
    return Clusters(codes, (np.arange(n),), (n,), "templates")


def choice_clusters(items: pa.Table) -> Clusters:
    """Return the clusters of choice items: the template within its category and language.

    ``items`` has the columns language, category and template_id.
    """
    names = (pc.cast(items[name], pa.string()) for name in ("language", "category", "template_id"))
    codes, n = _codes(pc.binary_join_element_wise(*names, "\0"))
    return Clusters(codes, (np.arange(n),), (n,), "templates")


def pair_clusters(templates: pa.ChunkedArray, first: pa.ChunkedArray, second: pa.ChunkedArray) -> Clusters:
    """Return the clusters of quads: the template crossed with the unordered pair of subjects."""
    one, other = (pc.cast(column, pa.string()) for column in (first, second))
    swapped = pc.greater(one, other)
    pairs = pc.binary_join_element_wise(
        pc.if_else(swapped, other, one), pc.if_else(swapped, one, other), "\0"
    )
    (by_template, n_templates), (by_pair, n_pairs) = _codes(templates), _codes(pairs)
    return crossed_clusters(by_template, n_templates, by_pair, n_pairs)


def crossed_clusters(templates: Codes, n_templates: int, pairs: Codes, n_pairs: int) -> Clusters:
    """Return the clusters of quads from the codes of their templates and pairs, each of shape (rows,)."""
    joint = templates * n_pairs + pairs
    there = np.zeros(n_templates * n_pairs, np.bool_)
    there[joint] = True
    place = np.cumsum(there) - 1
    cells = np.flatnonzero(there)
    return Clusters(
        place[joint],
        (cells // n_pairs, cells % n_pairs),
        (n_templates, n_pairs),
        "templates and pairs of subjects",
    )


@functools.lru_cache(maxsize=8)
def _drawn(n: int, factor: int) -> Floats:
    """Return how often each draw has each of ``n`` levels, shape (draws, levels); all 1 for one level."""
    if not n:
        return np.zeros((DRAWS, 0))
    drawn = np.random.default_rng((SEED, factor)).multinomial(n, np.full(n, 1 / n), size=DRAWS)
    return drawn.astype(np.float64)


def _codes(column: pa.ChunkedArray) -> tuple[Codes, int]:
    """Return the place of each value among the sorted distinct values, and the number of these."""
    encoded = pc.cast(column, pa.string()).combine_chunks().dictionary_encode()
    rank = np.empty(len(encoded.dictionary), np.int64)
    rank[np.asarray(pc.sort_indices(encoded.dictionary))] = np.arange(len(rank))
    return rank[np.asarray(encoded.indices)], len(rank)

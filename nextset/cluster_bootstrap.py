"""The bootstrap of shares of items: it draws whole clusters, since the items of a stereotype are alike.

The same items have the same clusters and draws everywhere, so a share has one interval in all reports.
"""

from __future__ import annotations

import functools
import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["Clusters", "ItemClusters", "cluster_draws", "percentile_ends", "share_ends"]

DRAWS = 2000
"""Bootstrap samples."""
FEW = 8
"""With fewer stereotypes than this, items are drawn instead."""
BLOCKS = 200
"""If items are drawn: the most random blocks of them that are drawn, by a hash of their ids."""
SEED = 0

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ends = tuple[float | None, float | None]
"""The lower and the upper end of a 95 % interval; None if there is too little to draw from."""


@dataclass(frozen=True)
class Clusters:
    """The cluster of each of some items."""

    codes: Codes
    """The cluster's number, shape (items,)."""
    n: int
    """Clusters."""
    drawn: str
    """What is drawn: stereotypes, items or attributes."""
    units: int
    """The number of them."""


@dataclass(frozen=True)
class ItemClusters:
    """The groups of a table's rows, and their random blocks, in case there are too few groups."""

    drawn: str
    """What the groups are: stereotypes or attributes."""
    groups: Codes
    """The group's number, in the order of the names, shape (rows,)."""
    blocks: Codes | None
    """The block's number, shape (rows,); None if groups are always drawn."""

    @classmethod
    def of(cls, drawn: str, values: pa.ChunkedArray, ids: pa.ChunkedArray | None = None) -> ItemClusters:
        """Return the clusters of rows by ``values``; without ``ids``, groups are drawn even if few."""
        encoded = pc.fill_null(pc.cast(values, pa.string()), "").combine_chunks().dictionary_encode()
        rank = np.empty(len(encoded.dictionary), np.int64)
        rank[np.asarray(pc.sort_indices(encoded.dictionary))] = np.arange(len(rank))
        blocks = None
        if ids is not None:
            hashed = (zlib.crc32(i.encode()) % BLOCKS for chunk in ids.chunks for i in chunk.to_pylist())
            blocks = np.fromiter(hashed, np.int64, len(ids))
        return cls(drawn, rank[np.asarray(encoded.indices)], blocks)

    def of_rows(self, rows: npt.NDArray[np.intp] | slice) -> Clusters:
        """Return the clusters of ``rows``: groups if there are at least `FEW`, else blocks of items."""
        names, codes = np.unique(self.groups[rows], return_inverse=True)
        if self.blocks is None or len(names) >= FEW:
            return Clusters(codes.astype(np.int64), len(names), self.drawn, len(names))
        found, codes = np.unique(self.blocks[rows], return_inverse=True)
        return Clusters(codes.astype(np.int64), len(found), "items", len(codes))


@functools.lru_cache(maxsize=4)
def cluster_draws(n: int) -> Floats | None:
    """Return how often each of ``n`` clusters is in each draw, shape (draws, clusters); None if ``n`` < 2."""
    if n < 2:
        return None
    drawn = np.random.default_rng(SEED).multinomial(n, np.full(n, 1 / n), size=DRAWS)
    return drawn.astype(np.float64)


def percentile_ends(values: Floats) -> Ends:
    """Return the 2.5th and the 97.5th percentile of the ``values`` that are not NaN."""
    values = values[~np.isnan(values)]
    if not values.size:
        return None, None
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def share_ends(hits: npt.NDArray[np.bool_], clusters: Clusters) -> Ends:
    """Return the 95 % percentile bootstrap interval of the share of ``hits``, shape (items,)."""
    draws = cluster_draws(clusters.n)
    if draws is None:
        return None, None
    part = draws @ np.bincount(clusters.codes, hits, clusters.n)
    whole = draws @ np.bincount(clusters.codes, minlength=clusters.n)
    return percentile_ends(part / whole)

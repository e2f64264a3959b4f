"""How many quads, templates and pairs of subjects the values of a class are based on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats, Ints
from nextset.auditing.measures.measure import share
from nextset.auditing.quads.quad_columns import QuadColumns

__all__ = ["cell_quads", "level_counts"]


def level_counts(
    columns: QuadColumns, sides: Sequence[npt.NDArray[np.int32]], n: int
) -> tuple[Ints, Ints, Ints]:
    """Return the number of quads, of templates and of pairs of subjects of each code below ``n``.

    Each of ``sides`` has a code for every quad, or −1. A quad with the same code twice counts once.
    """
    quads = np.zeros(n, np.int64)
    pair, pairs = columns.pairs
    there = [np.zeros((n, size), np.bool_) for size in (len(columns.templates), pairs)]
    for side in sides:
        named = side >= 0 if side is sides[0] else (side >= 0) & (side != sides[0])
        codes = side[named]
        quads += np.bincount(codes, minlength=n)
        for seen, level in zip(there, (columns.template, pair.astype(np.int32)), strict=True):
            seen[codes, level[named]] = True
    return quads, there[0].sum(axis=1), there[1].sum(axis=1)


def cell_quads(columns: QuadColumns) -> dict[str, Floats]:
    """Return the mean number of quads over the subjects and attributes that have quads together, by grouping
    (`nextset.auditing.quads.quad_values.QuadValues.groups`) and part."""
    c = columns
    t, x, a = len(c.templates), len(c.subjects), len(c.attributes)
    cells = np.zeros((t, x, a), np.int64)
    for side in (c.subject1, c.subject2):
        joint = (c.template.astype(np.int64) * x + side) * a + c.attribute
        cells += np.bincount(joint, minlength=t * x * a).reshape(t, x, a)
    whole = cells.sum(axis=0)
    return {
        "all": _mean_count(whole.reshape(1, -1)),
        "subject": _mean_count(whole),
        "attribute": _mean_count(whole.T),
        "attribute_cluster": _of_parts([whole[:, part] for part in c.attributes_of_clusters.values()]),
        "cluster": _of_parts([whole[part] for part in c.subjects_of_clusters]),
        "template": _mean_count(cells.reshape(t, -1)),
    }


def _of_parts(parts: Sequence[Ints]) -> Floats:
    return np.array([_mean_count(part.reshape(1, -1))[0] for part in parts])


def _mean_count(counts: Ints) -> Floats:
    """Return the mean of the counts in each row that are not 0."""
    return share(counts.sum(axis=1).astype(np.float64), np.count_nonzero(counts, axis=1).astype(np.float64))

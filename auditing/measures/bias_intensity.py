"""The bias intensity μ and the mean |η|, from the preferences of subjects for attributes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nextset.auditing.measures.share import share

__all__ = ["largest", "mean_size", "preference"]

Floats = npt.NDArray[np.float64]


def preference(total: Floats, quads: Floats) -> Floats:
    """Return γ(x, a) from the sum of C over ``quads`` quads, or η(x, a) from the sum of its signs.

    Both arrays have the same shape; the result is in [−1, 1], and NaN without quads. Li et al. (2020),
    equations 7 and 9. For a value over all attributes, the sums cover all quads of the subject.
    """
    return share(total, quads)


def largest(gamma: Floats, axis: int) -> Floats:
    """Return max over attributes of |γ(x, a)|, along ``axis``; attributes without quads do not count.

    μ is the mean of this value over subjects. NaN for a subject without quads. Li et al. (2020), equation 8.
    """
    size = np.abs(gamma)
    maximum: Floats = np.where(np.isnan(size), -1.0, size).max(axis=axis, initial=-1.0)
    return np.where(maximum < 0, np.nan, maximum)


def mean_size(values: Floats, axis: int | tuple[int, ...]) -> Floats:
    """Return the mean of |values| along ``axis``, ignoring NaN; NaN if all values are NaN.

    η is the mean of |η(x, a)| over all pairs of a subject and an attribute that have quads; μ is the mean of
    `largest` over subjects.
    """
    there = ~np.isnan(values)
    return share(np.where(there, np.abs(values), 0).sum(axis=axis), there.sum(axis=axis).astype(np.float64))

"""The largest entries of each row, exact; equal entries are in the order of their places."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["top"]

BLOCK = 64


def top(scores: torch.Tensor, k: int) -> list[list[int]]:
    """Return the columns of the ``k`` largest entries of each row, the largest first, never those of −inf.

    Among equal entries, the leftmost comes first. ``scores`` has the shape (rows, columns).
    """
    import numpy as np

    k = min(k, scores.shape[1])
    values = scores.cpu()
    least = _bound(values, k)
    among = values >= least
    if least.isneginf().any():
        among &= values > float("-inf")
    # numpy takes a sixth of torch's time to list the places
    rows, columns = np.divmod(np.flatnonzero(among.numpy()), scores.shape[1])
    order = np.lexsort((columns, -values.numpy()[rows, columns], rows))
    ends = np.searchsorted(rows, np.arange(scores.shape[0] + 1))
    sorted_columns = columns[order]
    return [sorted_columns[a : min(a + k, b)].tolist() for a, b in itertools.pairwise(ends)]


def _bound(values: torch.Tensor, k: int) -> torch.Tensor:
    """Return, for each row, a number that at least ``k`` of its entries reach, without sorting the row.

    The k-th largest of the blocks' maxima is such a number, because k blocks have an entry that reaches it.
    """
    whole = values.shape[1] // BLOCK * BLOCK
    if whole < k * BLOCK:
        return _last(values, k)
    largest = values[:, :whole].reshape(len(values), -1, BLOCK).amax(dim=-1)
    return _last(largest, k)


def _last(values: torch.Tensor, k: int) -> torch.Tensor:
    """Return the k-th largest entry of each row, as a column."""
    return values.topk(k).values[:, -1:]

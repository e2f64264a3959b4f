"""The most whole sets that can stay in balance: an integer program, solved by HiGHS through SciPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = ["LARGEST", "MostSets", "most_sets"]

LARGEST = 1000
"""The most kinds of sets for which the program is solved."""
NODES = 1000
"""Nodes of the search tree after which the search stops. A limit of time would give other sets elsewhere."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MostSets:
    """The result of the program."""

    state: Literal["optimal", "infeasible", "stopped"]
    """optimal: no choice keeps more items. infeasible: there is no choice. stopped: neither is known."""
    stay: Ints | None
    """How many sets of each kind stay, shape (kinds,); null if no choice was found."""


def most_sets(kinds: Ints, available: Ints, low: Floats, high: Floats) -> MostSets:
    """Choose sets so that each part's share of the items is between ``low`` and ``high``, and the most stay.

    ``kinds`` are the items of each part in a set of each kind, shape (kinds, parts); ``available`` are the
    sets of each kind, ``low`` and ``high`` have shape (parts,). At least one item stays.
    """
    if len(kinds) > LARGEST:
        return MostSets("stopped", None)
    from scipy.optimize import Bounds, LinearConstraint, milp

    sizes = kinds.sum(axis=1)
    # a share is a quotient; multiplied by the number of items that stay it is linear
    constraints = [
        LinearConstraint((kinds - sizes[:, None] * low).T, lb=0),
        LinearConstraint((kinds - sizes[:, None] * high).T, ub=0),
        LinearConstraint(sizes[None, :], lb=1),
    ]
    found = milp(
        -sizes,
        integrality=np.ones(len(kinds)),
        bounds=Bounds(0, available),
        constraints=constraints,
        options={"node_limit": NODES, "mip_rel_gap": 0},
    )
    if found.status == 2:
        return MostSets("infeasible", None)
    if found.x is None:
        return MostSets("stopped", None)
    stay = np.round(found.x).astype(np.int64)
    return MostSets("optimal" if found.status == 0 else "stopped", stay)

"""The largest number of whole sets that can stay in balance: an integer program, solved by HiGHS in SciPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nextset.array_types import Floats, Ints

__all__ = ["LARGEST", "MostSets", "most_sets"]

LARGEST = 1000
"""The maximum number of kinds of sets; with more, the program is not solved."""
NODES = 1000
"""The search stops after this many nodes of the search tree. A time limit would give different sets on
different machines."""


@dataclass(frozen=True)
class MostSets:
    """The result of the program."""

    state: Literal["optimal", "infeasible", "stopped"]
    """optimal: no choice keeps more items. infeasible: there is no choice. stopped: neither is certain."""
    stay: Ints | None
    """The number of sets of each kind that stay, shape (kinds,); None if no choice was found."""


def most_sets(kinds: Ints, available: Ints, low: Floats, high: Floats) -> MostSets:
    """Choose as many sets as possible so that each part's share of the items is in ``low`` to ``high``.

    ``kinds`` holds the number of items of each part in a set of each kind, shape (kinds, parts).
    ``available`` holds the number of sets of each kind. ``low`` and ``high`` have the shape (parts,). At
    least one item stays.
    """
    if len(kinds) > LARGEST:
        return MostSets("stopped", None)
    from scipy.optimize import Bounds, LinearConstraint, milp

    sizes = kinds.sum(axis=1)
    # a share is a quotient; multiplied by the number of items that stay, it is linear
    constraints = [
        LinearConstraint((kinds - sizes[:, None] * low).T, lb=0),
        LinearConstraint((kinds - sizes[:, None] * high).T, ub=0),
        LinearConstraint(sizes[None, :], lb=1),
    ]
    solution = milp(
        -sizes,
        integrality=np.ones(len(kinds)),
        bounds=Bounds(0, available),
        constraints=constraints,
        options={"node_limit": NODES, "mip_rel_gap": 0},
    )
    if solution.status == 2:
        return MostSets("infeasible", None)
    if solution.x is None:
        return MostSets("stopped", None)
    stay = np.round(solution.x).astype(np.int64)
    return MostSets("optimal" if solution.status == 0 else "stopped", stay)

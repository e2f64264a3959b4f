"""The sets of a template that a study uses, and the order of the options in each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from random import Random
from typing import Literal

from nextset.generation.choices.published_templates.published_template import PublishedTemplate

__all__ = ["Orders", "chosen_sets", "option_orders", "rows_per_set"]

Orders = Literal["one", "rotated", "all"]

_ROLES = (0, 1, 2)
_ROTATED = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
_ALL = tuple(itertools.permutations(_ROLES))


def chosen_sets(template: PublishedTemplate, subset: int | None, seed: int) -> Sequence[int]:
    """Return the numbers of the sets, in their order: all, or ``subset`` of them, drawn with ``seed``.

    Versions of a template with the same number of sets get the same ones.
    """
    if subset is None or subset >= template.sets:
        return range(template.sets)
    draw = Random(f"published/{seed}/{template.id}/{template.sets}")
    return sorted(draw.sample(range(template.sets), subset))


def option_orders(orders: Orders, place: int) -> Sequence[tuple[int, ...]]:
    """Return the orders of the roles in the set at ``place`` among the chosen ones.

    With one order per set, each role comes equally often in each place, give or take one set.
    """
    if orders == "all":
        return _ALL
    return _ROTATED if orders == "rotated" else (_ROTATED[place % 3],)


def rows_per_set(template: PublishedTemplate, orders: Orders) -> int:
    """Return the number of items of a set in one version: contexts × questions × orders."""
    contexts = len(template.swaps) + len({swap for swap, _ in template.swaps})
    return 2 * contexts * len(option_orders(orders, 0))

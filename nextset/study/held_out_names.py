"""The names that a search or training never sees: a seeded share of templates or subjects."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable

__all__ = ["held_out_names", "held_out_number", "held_out_together", "template_family"]


def template_family(template_id: str) -> str:
    """Return what a template of questions has in common with those that differ only by the gender after a
    full stop: all of a family are on the same side."""
    return template_id.partition(".")[0]


def held_out_names(names: Iterable[str], share: float, key: str) -> frozenset[str]:
    """Return about ``share`` of ``names``, drawn by ``key``: at least one, and never all; none of a single
    one."""
    return held_out_together([set(names)], lambda n: held_out_number(n, share), key)


def held_out_number(n: int, share: float) -> int:
    """Return how many of ``n`` names are about ``share`` of them: at least one, and never all."""
    return max(0, min(max(1, round(share * n)), n - 1))


def held_out_together(
    groups: Iterable[Collection[str]], number: Callable[[int], int], key: str
) -> frozenset[str]:
    """Return ``number`` of the names of each of ``groups``, drawn by ``key``.

    A name in several groups is on the same side in all of them: the smallest group decides, and a larger one
    has fewer, or more, if it has too few other names.
    """
    decided: set[str] = set()
    hidden: set[str] = set()
    for group in sorted(map(set, groups), key=len):
        order = sorted(group, key=lambda name: hashlib.sha256(f"{key}/{name}".encode()).digest())
        wanted = number(len(order)) - len(hidden.intersection(order))
        hidden.update([name for name in order if name not in decided][: max(0, wanted)])
        decided.update(order)
    return frozenset(hidden)

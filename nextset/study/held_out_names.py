"""Held-out names: a seeded share of templates or subjects that a search or training never sees."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable

__all__ = ["held_out_names", "held_out_number", "held_out_together", "template_family"]


def template_family(template_id: str) -> str:
    """Return the name of a template's family, the part before a full stop; after it only the gender differs.
    All templates of a family are on the same side."""
    return template_id.partition(".")[0]


def held_out_names(names: Iterable[str], share: float, key: str) -> frozenset[str]:
    """Return about ``share`` of ``names``, drawn by ``key``: at least one, and never all; none of a single
    name."""
    return held_out_together([set(names)], lambda n: held_out_number(n, share), key)


def held_out_number(n: int, share: float) -> int:
    """Return the number of names that is about ``share`` of ``n``: at least one, and never all."""
    return max(0, min(max(1, round(share * n)), n - 1))


def held_out_together(
    groups: Iterable[Collection[str]], number: Callable[[int], int], key: str
) -> frozenset[str]:
    """Return ``number`` names of each of ``groups``, drawn by ``key``.

    A name in several groups is on the same side in all of them: the smallest group decides. A larger group
    may then get fewer or more held-out names, if it has too few other names.
    """
    decided: set[str] = set()
    hidden: set[str] = set()
    for group in sorted(map(set, groups), key=len):
        order = sorted(group, key=lambda name: hashlib.sha256(f"{key}/{name}".encode()).digest())
        wanted = number(len(order)) - len(hidden.intersection(order))
        hidden.update([name for name in order if name not in decided][: max(0, wanted)])
        decided.update(order)
    return frozenset(hidden)

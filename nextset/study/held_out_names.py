"""The names that a search or training never sees: a seeded share of templates or subjects."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

__all__ = ["held_out_names", "template_family"]


def template_family(template_id: str) -> str:
    """Return what a template of questions has in common with those that differ only by the gender after a
    full stop: all of a family are on the same side."""
    return template_id.partition(".")[0]


def held_out_names(names: Iterable[str], share: float, key: str) -> frozenset[str]:
    """Return about ``share`` of ``names``, drawn by ``key``: at least one, and never all; none of a single
    one."""
    order = sorted(set(names), key=lambda name: hashlib.sha256(f"{key}/{name}".encode()).digest())
    n = min(max(1, round(share * len(order))), len(order) - 1)
    return frozenset(order[: max(n, 0)])

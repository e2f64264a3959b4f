"""The domain, groups and template of a unit or gold item, for the assignment of units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

__all__ = ["ItemFacts", "item_facts"]


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """The domain and groups of an item that may be assigned."""

    domain: str
    """The domain of its stereotype."""
    groups: tuple[str, ...]
    """The groups that it names; empty if they are unknown."""
    template: str | None = None
    """The template that made it; None if it is unknown, and for gold items."""


def item_facts(units: pa.Table) -> Mapping[str, ItemFacts]:
    """Return the facts of a table of units, by unit_id, from its columns of the same names."""
    columns = (units[name].to_pylist() for name in ("unit_id", "domain", "template", "group1", "group2"))
    return {
        unit_id: ItemFacts(domain, tuple(sorted({g for g in pair if g})), template)
        for unit_id, domain, template, *pair in zip(*columns, strict=True)
    }

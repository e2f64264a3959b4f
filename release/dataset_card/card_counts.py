"""Counts of a dataset's items, for its card."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow as pa

from nextset.release.counterfactuals.counterfactual_items import is_counterfactual

__all__ = ["DomainCount", "Statistics", "StereotypeCount", "statistics"]


@dataclass(frozen=True)
class DomainCount:
    """Items of a domain and a stance by design."""

    domain: str
    stance: str
    items: int


@dataclass(frozen=True)
class StereotypeCount:
    """Items of a stereotype: those that were filtered and judged, and those made as counterfactuals."""

    domain: str
    stereotype: str
    originals: int
    counterfactuals: int


@dataclass(frozen=True)
class Statistics:
    """Counts of a dataset's items."""

    items: int
    """All items."""
    counterfactuals: int
    """Items that nextset made as counterparts."""
    premise_swapped: int
    """Items whose premise is factually false because groups were swapped in it."""
    by_domain: tuple[DomainCount, ...]
    """By domain and stance."""
    by_stereotype: tuple[StereotypeCount, ...]
    """By stereotype; originals and counterfactuals add up to all items."""


def statistics(items: pa.Table) -> Statistics:
    """Count the rows of a table of NLI items; without a column counterpart_id all are originals."""
    with_pairs = "counterpart_id" in items.column_names
    made = is_counterfactual(items) if with_pairs else [False] * items.num_rows
    domains, stances, stereotypes = (
        items[name].to_pylist() for name in ("domain", "stance_design", "stereotype")
    )
    by_domain = Counter(zip(domains, stances, strict=True))
    by_stereotype = Counter(zip(domains, stereotypes, made, strict=True))
    return Statistics(
        items.num_rows,
        sum(made),
        sum(items["premise_swapped"].to_pylist()),
        tuple(DomainCount(*key, n) for key, n in sorted(by_domain.items())),
        tuple(
            StereotypeCount(*key, by_stereotype[(*key, False)], by_stereotype[(*key, True)])
            for key in sorted(set(zip(domains, stereotypes, strict=True)))
        ),
    )

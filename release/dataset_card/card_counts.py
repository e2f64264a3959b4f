"""Counts of a dataset's NLI items, for its card."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow.compute as pc

from nextset.release.counterfactuals.counterfactual_items import is_counterfactual
from nextset.release.forms.form_counts import CountedRows, counted_pieces

__all__ = ["DomainCount", "Statistics", "StereotypeCount", "statistics"]


@dataclass(frozen=True)
class DomainCount:
    """Items of a domain and a stance by design."""

    domain: str
    stance: str
    """pro, anti or test."""
    items: int


@dataclass(frozen=True)
class StereotypeCount:
    """Items of a stereotype: those that were filtered and judged, and those made as counterfactuals."""

    domain: str
    """The stereotype's domain."""
    stereotype: str
    originals: int
    """Items that were filtered and judged."""
    counterfactuals: int
    """Items that nextset made as counterparts."""


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


def statistics(items: CountedRows) -> Statistics:
    """Count NLI items, a table or its batches. Without a column counterpart_id, all are originals."""
    domains: Counter[tuple[str, str]] = Counter()
    stereotypes: Counter[tuple[str, str, bool]] = Counter()
    total = made_in_all = swapped = 0
    for table in counted_pieces(items):
        with_pairs = "counterpart_id" in table.column_names
        made = is_counterfactual(table) if with_pairs else [False] * table.num_rows
        domain, stance, stereotype = (
            table[name].to_pylist() for name in ("domain", "stance_design", "stereotype")
        )
        domains.update(zip(domain, stance, strict=True))
        stereotypes.update(zip(domain, stereotype, made, strict=True))
        total, made_in_all = total + table.num_rows, made_in_all + sum(made)
        swapped += pc.sum(table["premise_swapped"]).as_py() or 0
    return Statistics(
        total,
        made_in_all,
        swapped,
        tuple(DomainCount(*key, n) for key, n in sorted(domains.items())),
        tuple(
            StereotypeCount(*key, stereotypes[(*key, False)], stereotypes[(*key, True)])
            for key in sorted({(domain, stereotype) for domain, stereotype, _ in stereotypes})
        ),
    )

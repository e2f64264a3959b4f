"""Counts of a dataset's items, questions and statements, for its card."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from nextset.records.class_labels import untyped_table
from nextset.release.counterfactuals.counterfactual_items import is_counterfactual

__all__ = [
    "ClassCount",
    "DomainCount",
    "QuadStatistics",
    "Statistics",
    "StereotypeCount",
    "quad_statistics",
    "statistics",
]

Rows: TypeAlias = pa.Table | Iterable[pa.RecordBatch | pa.Table]
"""A table, or its batches."""

ROWS = 50_000
"""Rows that are counted at once."""


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


@dataclass(frozen=True)
class ClassCount:
    """Quads whose subjects are of one class."""

    subject_class: str
    """The class, such as nationality."""
    templates: int
    """Different templates."""
    subjects: int
    """Different subjects."""
    attributes: int
    """Different attributes."""
    quads: int


@dataclass(frozen=True)
class QuadStatistics:
    """Counts of a dataset's questions, or of its masked statements."""

    quads: int
    """All quads."""
    by_class: tuple[ClassCount, ...]
    """By class of the subjects."""


def statistics(items: Rows) -> Statistics:
    """Count NLI items, a table or its batches. Without a column counterpart_id, all are originals."""
    domains: Counter[tuple[str, str]] = Counter()
    stereotypes: Counter[tuple[str, str, bool]] = Counter()
    total = made_in_all = swapped = 0
    for table in _pieces(items):
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


def quad_statistics(quads: Rows) -> QuadStatistics:
    """Count question quads or masked statements, a table or its batches."""
    rows: Counter[str] = Counter()
    seen: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for table in _pieces(quads):
        for subject_class in table["subject_class"].unique().to_pylist():
            own = table.filter(pc.equal(table["subject_class"], subject_class))
            rows[subject_class] += own.num_rows
            for column in ("template_id", "subject1", "subject2", "attribute"):
                seen[subject_class, column].update(own[column].unique().to_pylist())
    return QuadStatistics(
        sum(rows.values()),
        tuple(
            ClassCount(
                name,
                len(seen[name, "template_id"]),
                len(seen[name, "subject1"] | seen[name, "subject2"]),
                len(seen[name, "attribute"]),
                rows[name],
            )
            for name in sorted(rows)
        ),
    )


def _pieces(rows: Rows) -> Iterator[pa.Table]:
    """Yield tables of at most `ROWS` rows each, with names in place of numbers."""
    for whole in (rows,) if isinstance(rows, pa.Table) else rows:
        table = whole if isinstance(whole, pa.Table) else pa.Table.from_batches([whole])
        for start in range(0, table.num_rows, ROWS):
            yield untyped_table(table.slice(start, ROWS))

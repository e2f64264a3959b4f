"""Counts of a dataset's questions, or of its masked statements, for its card."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import ClassVar

import pyarrow.compute as pc

from nextset.release.forms.form_counts import CountedRows, FormCounts, counted_pieces

__all__ = ["ClassCount", "QuadStatistics", "quad_statistics"]


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
class QuadStatistics(FormCounts):
    """Counts of a dataset's questions, or of its masked statements."""

    template: ClassVar[str] = "quad_contents.md.j2"
    quads: int
    """All quads."""
    by_class: tuple[ClassCount, ...]
    """By class of the subjects."""

    @property
    def total(self) -> int:
        return self.quads


def quad_statistics(quads: CountedRows) -> QuadStatistics:
    """Count question quads or masked statements, a table or its batches."""
    rows: Counter[str] = Counter()
    seen: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for table in counted_pieces(quads):
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

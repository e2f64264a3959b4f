"""The difference between the quads of two prediction files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nextset.auditing.quads.quad_columns import QuadColumns
from nextset.errors import examples
from nextset.forms import FORMS

__all__ = ["difference_of_quads"]

_NAMES = (
    ("subjects", "subjects"), ("attributes", "attributes"), ("templates", "templates"),
    ("clusters", "clusters of subjects"),
)  # fmt: skip
_CODES = ("subject1", "subject2", "attribute", "template")


def difference_of_quads(first: QuadColumns, other: QuadColumns) -> str:
    """Return how the quads of ``other`` differ from those of ``first``, as text.

    The text is empty if they are the same. Names that differ only by case are the same.
    """
    if first.form != other.form:
        return f"it has {FORMS[other.form].noun}, but the first file has {FORMS[first.form].noun}"
    for column, shown in _NAMES:
        difference = _name_difference(getattr(first, column), getattr(other, column))
        if difference:
            return f"{shown} {difference}"
    if [c.lower() for c in first.attribute_clusters] != [c.lower() for c in other.attribute_clusters]:
        wrong = next(
            i for i, (a, b) in enumerate(zip(first.attribute_clusters, other.attribute_clusters, strict=True))
            if a.lower() != b.lower()
        )  # fmt: skip
        return (
            f"the attribute {first.attributes[wrong]!r} has the cluster {other.attribute_clusters[wrong]!r} "
            f"instead of {first.attribute_clusters[wrong]!r}"
        )
    if first.rows != other.rows:
        return f"it has {other.rows:,} quads, but the first file has {first.rows:,}{_example(first, other)}"
    if any(not np.array_equal(getattr(first, c), getattr(other, c)) for c in _CODES):
        return f"both have {first.rows:,} quads, but not the same ones{_example(first, other)}"
    differ = (first.cluster1 != other.cluster1) | (first.cluster2 != other.cluster2)
    if differ.any():
        return f"subjects are in other clusters, such as those of {_quad(first, int(differ.argmax()))}"
    return ""


def _name_difference(first: Sequence[str], other: Sequence[str]) -> str:
    known, others = {n.lower(): n for n in first}, {n.lower(): n for n in other}
    missing = [known[n] for n in sorted(known.keys() - others.keys())]
    more = [others[n] for n in sorted(others.keys() - known.keys())]
    parts = []
    if missing:
        parts.append(f"are missing: {examples(missing)}")
    if more:
        parts.append(f"are only in this file: {examples(more)}")
    return ", and others ".join(parts)


def _example(first: QuadColumns, other: QuadColumns) -> str:
    """Return a text with a quad that only one of the two has; their names are the same."""
    known, other_quads = _quads(first), _quads(other)
    missing = next((row for row, quad in enumerate(known) if quad not in other_quads), None)
    if missing is not None:
        return f": {_quad(first, missing)} is missing"
    more = next((row for row, quad in enumerate(other_quads) if quad not in known), None)
    return "" if more is None else f": {_quad(other, more)} is only in this file"


def _quads(quads: QuadColumns) -> dict[tuple[int, ...], None]:
    return dict.fromkeys(zip(*(getattr(quads, c).tolist() for c in _CODES), strict=True))


def _quad(quads: QuadColumns, row: int) -> str:
    names = (
        quads.subjects[quads.subject1[row]], quads.subjects[quads.subject2[row]],
        quads.templates[quads.template[row]], quads.attributes[quads.attribute[row]],
    )  # fmt: skip
    return repr("|".join(names))

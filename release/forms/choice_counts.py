"""Counts of a dataset's choice items, for its card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from nextset.release.forms.form_counts import CountedRows, FormCounts, counted_pieces

__all__ = ["ChoiceStatistics", "ChoiceTemplate", "ContrastCount", "choice_statistics"]

_Value = TypeVar("_Value")

MOST = 40
"""The most contrasts and wordings of unknown that the card lists."""
_COLUMNS = (
    "category", "template_id", "stereotype", "source", "condition", "polarity", "options", "unknown",
    "target", "target_groups", "cue", "set_id",
)  # fmt: skip


@dataclass(frozen=True, order=True)
class ChoiceTemplate:
    """The released items of one template and stereotype."""

    category: str
    template: str
    """The template's name."""
    stereotype: str
    """The stereotype that it asks about; may be empty."""
    target: str
    """The groups that the stereotype is about; may be empty."""
    source: str
    """The work that documents the stereotype; may be empty."""
    items: int
    """Its items."""


@dataclass(frozen=True)
class ContrastCount:
    """Items whose options name the same groups."""

    category: str
    groups: tuple[str, ...]
    """The groups, sorted."""
    items: int
    """Items with these groups."""


@dataclass(frozen=True)
class ChoiceStatistics(FormCounts):
    """Counts of a dataset's choice items."""

    template: ClassVar[str] = "choice_contents.md.j2"
    items: int
    """All items."""
    sets: int
    """Different sets."""
    without_set: int
    """Items that belong to no set."""
    disambiguated: int
    """Items with a disambiguated context, whose right answer the context gives."""
    without_target: int
    """Items in which no option is known to name the target: they measure accuracy, not bias."""
    names: int
    """Items whose options are proper names that stand for groups."""
    by_condition: tuple[tuple[str, str, int], ...]
    """Items by condition and polarity."""
    templates: tuple[ChoiceTemplate, ...]
    """Items by template."""
    contrasts: tuple[ContrastCount, ...]
    """The most frequent contrasts of groups, at most `MOST`."""
    more_contrasts: int
    """The contrasts that are not listed."""
    unknowns: tuple[tuple[str, int], ...]
    """The most frequent wordings of the option unknown, at most `MOST`; empty for items without it."""
    more_unknowns: int
    """The wordings that are not listed."""

    @property
    def total(self) -> int:
        return self.items


def choice_statistics(items: CountedRows) -> ChoiceStatistics:
    """Count choice items, a table or its batches."""
    conditions, templates = Counter[tuple[str, str]](), Counter[tuple[str, str, str, str, str]]()
    contrasts, unknowns = Counter[tuple[str, tuple[str, ...]]](), Counter[str]()
    flags, sets = Counter[str](), set[str]()
    for row in _rows(items):
        flags["items"] += 1
        flags["disambiguated"] += row["condition"] == "disambiguated"
        flags["without_target"] += row["target"] is None
        flags["names"] += row["cue"] == "name"
        flags["without_set"] += row["set_id"] is None
        sets.add(row["set_id"] or "")
        conditions[row["condition"], row["polarity"]] += 1
        templates[_template(row)] += 1
        groups = sorted({option["group"] for option in row["options"]} - {""})
        contrasts[row["category"], tuple(groups)] += 1
        unknowns[_unknown(row)] += 1
    return ChoiceStatistics(
        items=flags["items"],
        sets=len(sets - {""}),
        without_set=flags["without_set"],
        disambiguated=flags["disambiguated"],
        without_target=flags["without_target"],
        names=flags["names"],
        by_condition=tuple((*key, n) for key, n in sorted(conditions.items())),
        templates=tuple(ChoiceTemplate(*key, n) for key, n in sorted(templates.items())),
        contrasts=tuple(ContrastCount(*key, n) for key, n in _frequent(contrasts)),
        more_contrasts=max(0, len(contrasts) - MOST),
        unknowns=tuple(_frequent(unknowns)),
        more_unknowns=max(0, len(unknowns) - MOST),
    )


def _rows(items: CountedRows) -> Iterator[Mapping[str, Any]]:
    for table in counted_pieces(items):
        yield from table.select(_COLUMNS).to_pylist()


def _template(row: Mapping[str, Any]) -> tuple[str, str, str, str, str]:
    target = ", ".join(row["target_groups"] or ())
    return row["category"], row["template_id"], row["stereotype"], target, row["source"] or ""


def _unknown(row: Mapping[str, Any]) -> str:
    place = row["unknown"]
    return "" if place is None else str(row["options"][place]["text"])


def _frequent(counts: Counter[_Value]) -> list[tuple[_Value, int]]:
    """Return the `MOST` most frequent values; those with the same count are sorted."""
    return sorted(counts.items(), key=lambda entry: (-entry[1], str(entry[0])))[:MOST]

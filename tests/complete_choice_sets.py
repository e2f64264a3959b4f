"""Sets of choice items that lack an item: a condition, a polarity, or an order of people or options."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import pyarrow as pa

from nextset.records.choice_items import Condition, Polarity

__all__ = ["IncompleteSet", "incomplete_sets"]

_COLUMNS = (
    "set_id", "category", "template_id", "template_version", "condition", "polarity", "first_group",
    "options", "label",
)  # fmt: skip
_CONDITIONS: tuple[Condition, ...] = get_args(Condition)
_POLARITIES: tuple[Polarity, ...] = get_args(Polarity)
First = tuple[str, str]
"""The group that the context names first, and the version of the template."""


@dataclass(frozen=True)
class IncompleteSet:
    """A set of choice items that lacks some."""

    set_id: str
    """The id that its items share."""
    category: str
    template_id: str
    items: int
    """The number of items that it has."""
    lacking: tuple[str, ...]
    """What it lacks, in words."""


@dataclass(frozen=True)
class _Item:
    """What distinguishes an item from the others of its set, without the order of its options."""

    condition: Condition
    polarity: Polarity
    first: First
    doer: int | None
    """The role of the person about whom the negative question is right; None in an ambiguous context."""

    def __str__(self) -> str:
        group, version = self.first
        parts = [self.condition, self.polarity, f"{group} first" if group else "", version]
        parts += ["" if self.doer is None else f"person {self.doer + 1} is the negative answer"]
        return ", ".join(part for part in parts if part)


def incomplete_sets(items: pa.Table) -> list[IncompleteSet]:
    """Return the sets of ``items``, a table of ChoiceItems, that lack an item, in the order of the table.

    A complete set has both conditions and both polarities, with every order of the people in each. If an
    order of the people occurs with several right answers, all occur with these. Each combination has equally
    many orders of the options. Items without a set_id are not looked at.
    """
    sets: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in items.select(_COLUMNS).to_pylist():
        if row["set_id"] is not None:
            sets[row["set_id"]].append(row)
    gaps = []
    for set_id, rows in sets.items():
        lacking = tuple(_lacking(rows))
        if lacking:
            gaps.append(
                IncompleteSet(set_id, rows[0]["category"], rows[0]["template_id"], len(rows), lacking)
            )
    return gaps


def _lacking(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    counts = Counter(map(_item, rows))
    expected = list(_expected(counts))
    yield from (f"no item: {item}" for item in expected if item not in counts)
    most = max(counts.values())
    for item in expected:
        if 0 < counts[item] < most:
            yield f"{counts[item]} of {most} orders of the options: {item}"


def _item(row: Mapping[str, Any]) -> _Item:
    doer = None
    if row["condition"] == "disambiguated":
        doer = row["options"][row["label"]]["role"]
        if row["polarity"] == "non_negative" and doer in (0, 1):
            doer = 1 - doer
    return _Item(row["condition"], row["polarity"], (row["first_group"], row["template_version"]), doer)


def _expected(items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield the items of the smallest complete set that has all of ``items``."""
    every = list(items)
    told = {(item.first, item.doer) for item in every if item.doer is not None}
    firsts = dict.fromkeys(item.first for item in every)
    doers = sorted({doer for _, doer in told}) or [0]
    one_each = len(told) == len({first for first, _ in told})
    for polarity in _POLARITIES:
        for first in firsts:
            yield _Item("ambiguous", polarity, first, None)
            of_first = [doer for doer in doers if (first, doer) in told] if one_each else doers
            for doer in of_first or doers:
                yield _Item("disambiguated", polarity, first, doer)

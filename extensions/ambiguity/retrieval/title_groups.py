"""The group of the person whom a title names, by the collection's label, or else by lists of first names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.letter_case import folded
from nextset.word_lists.group_labels import UNKNOWN
from nextset.word_lists.name_groups import NameGroups

__all__ = ["GROUP_SOURCES", "TitleGroups", "source_counts", "title_groups"]

GROUP_SOURCES = {
    "label": "the collection's label",
    "names": "a list of first names",
    "other_group": "unknown: a group that is not compared",
    "two_labels": "unknown: passages of the title have two labels",
    "two_groups": "unknown: a first name of two groups",
    "none": "unknown: no label, and no list has the first name",
}
"""The sources of a title's group, and the reasons why a group is unknown, with their texts on the page."""

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TitleGroups:
    """The distinct titles of a collection, with the groups of their people."""

    groups: tuple[str, ...]
    """The groups that are compared."""
    titles: tuple[str, ...]
    codes: Codes
    """The place of each title's group in `groups`; −1 if it is unknown. Shape (titles,)."""
    sources: tuple[str, ...]
    """For each title one of `GROUP_SOURCES`."""
    labels: tuple[str, ...]
    """For each title, the label, or the list's group, that is not one of `groups`; if it has two labels,
    both. Otherwise empty."""
    passages: Codes
    places: dict[str, int]
    """The place of each title."""

    @property
    def shares(self) -> npt.NDArray[np.float64] | None:
        """The share of each group among titles whose group is known; None if no group is known."""
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.groups))
        return counts / counts.sum() if counts.sum() else None

    def of(self, titles: Iterable[str]) -> Codes:
        """Return the places of ``titles``, which must all be in the collection."""
        return np.fromiter((self.places[title] for title in titles), np.int64)

    def name(self, place: int) -> str:
        """Return the group of the title at ``place``; unknown if it is not known."""
        code = int(self.codes[place])
        return UNKNOWN if code < 0 else self.groups[code]


def title_groups(passages: pa.Table, groups: Sequence[str], names: NameGroups) -> TitleGroups:
    """Return the groups of the titles of ``passages``, columns title and group.

    A label counts if it is one of ``groups``, regardless of capitals. All passages of a title are about one
    person, so a title whose passages have two labels is unknown. The first name counts without any label.
    """
    by_title = passages.group_by("title", use_threads=False).aggregate(
        [("group", "distinct"), ("title", "count")]
    )
    known = {folded(group): i for i, group in enumerate(groups)}
    titles: list[str] = by_title["title"].to_pylist()
    codes = np.full(len(titles), -1, np.int64)
    sources, others = [], []
    for i, (title, labels) in enumerate(zip(titles, by_title["group_distinct"].to_pylist(), strict=True)):
        own = {folded(label.strip()) for label in labels} - {""}
        codes[i], source, other = _group(title, own, known, names)
        sources.append(source)
        others.append(other)
    counts = by_title["title_count"].to_numpy().astype(np.int64)
    places = {title: i for i, title in enumerate(titles)}
    return TitleGroups(tuple(groups), tuple(titles), codes, tuple(sources), tuple(others), counts, places)


def _group(title: str, labels: set[str], known: dict[str, int], names: NameGroups) -> tuple[int, str, str]:
    """Return the place of the group, or −1 if it is unknown, its source, and the label that is not a
    group."""
    if len(labels) > 1:
        return -1, "two_labels", " / ".join(sorted(labels))
    for label in labels:
        return (known[label], "label", "") if label in known else (-1, "other_group", label)
    group = names.of(title)
    if group is None:
        return -1, "none", ""
    place = known.get(folded(group), -1)
    if place < 0:
        return (-1, "other_group", group) if group else (-1, "two_groups", "")
    return place, "names", ""


def source_counts(found: TitleGroups, places: Codes) -> Counter[tuple[str, str, str]]:
    """Return how often each group, source and label that is not a group occurs at ``places``, which may
    repeat titles."""
    return Counter(
        (found.name(place), found.sources[place], found.labels[place]) for place in places.tolist()
    )

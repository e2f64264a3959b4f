"""Rewordings: rows of the old version that are in the new version with a slightly different text.

Ids are hashes of the texts, so a reworded row has a different id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nextset.release.versions.version_tables import Hashes, Ids, VersionTable, column_hashes, hex_ids
from nextset.text_tokens import word_tokens

__all__ = ["MatchRules", "Matches", "Side", "edits", "matched", "same_texts"]

Places = npt.NDArray[np.intp]
AT_ONCE = 200_000
"""The most rows of each version whose texts are in memory at a time."""
LARGEST = 100_000
"""The most comparisons among rows with the same premise, template or hypothesis."""
LONGEST = 500
"""The most words of texts that are compared; longer texts are near only if they are the same."""
_FILL_DETAILS = frozenset({"rank", "score"})
"""Properties of a mask's fill that depend on the model's arithmetic."""


@dataclass(frozen=True, slots=True)
class MatchRules:
    """The conditions for a row to be a rewording of another row."""

    same: tuple[str, ...]
    """Columns that must be the same."""
    one_of: tuple[str, ...]
    """Columns; at least one must be the same and not null. Empty if ``same`` is enough."""
    near: tuple[str, ...]
    """Texts that may differ in at most a quarter of their words, or in one word."""
    texts: tuple[str, ...]
    """All texts of a row."""


@dataclass(frozen=True, slots=True)
class Side:
    """The rows of one version that may have a partner in the other version."""

    table: VersionTable
    """The config."""
    ids: Ids
    """The ids of all its rows."""
    places: Places
    """The rows in question, ascending."""

    def less(self, taken: npt.ArrayLike) -> Side:
        """Return this side without the rows ``taken``."""
        return Side(self.table, self.ids, np.setdiff1d(self.places, np.array(taken, np.intp)))

    def hashes(self, columns: Sequence[str]) -> Hashes:
        """Return one hash per row in question over ``columns``; 0 if the last of them is null."""
        row_hashes: list[Hashes] = [np.empty(0, np.uint64)]
        start = 0
        for batch in self.table.batches(columns):
            low, high = np.searchsorted(self.places, [start, start + batch.num_rows])
            here = self.places[low:high] - start
            start += batch.num_rows
            total: Hashes = np.zeros(len(here), np.uint64)
            for name in columns:
                part = column_hashes(batch[name].combine_chunks(), _FILL_DETAILS)[here]
                total = total * np.uint64(0x9E3779B97F4A7C15) + part
            row_hashes.append(np.where(part == 0, np.uint64(0), total | np.uint64(1)))
        return np.concatenate(row_hashes)


@dataclass(frozen=True, slots=True)
class Matches:
    """Pairs of a row in each version; every row is in at most one pair."""

    old: list[int]
    """Rows of the old version."""
    new: list[int]
    """Rows of the new version, in the same order."""
    not_compared: int = 0
    """Rows of the new version that share their columns with too many rows."""


def same_texts(old: Side, new: Side, columns: Sequence[str]) -> Matches:
    """Return the pairs of rows that are the same in all ``columns``, paired in the order of their ids."""
    groups = _groups(old, new, old.hashes(columns), new.hashes(columns))
    matches = Matches([], [])
    for before, after in groups:
        for a, b in zip(_by_id(old, before), _by_id(new, after), strict=False):
            matches.old.append(a)
            matches.new.append(b)
    return matches


def matched(old: Side, new: Side, rules: MatchRules) -> Matches:
    """Return the rewordings among the rows of ``old`` and ``new``.

    First, rows are paired whose ``supersedes`` names a row of ``old``. Then, for each column of
    ``rules.one_of`` in turn, the nearest rows are paired. Every row has at most one partner. Groups with more
    than `LARGEST` possible pairs are not compared; their rows are counted.
    """
    matches = _superseded(old, new)
    old, new = old.less(matches.old), new.less(matches.new)
    not_compared = 0
    for column in rules.one_of or (None,):
        columns = [*rules.same, *([column] if column else [])]
        more = _nearest(old, new, columns, rules.near)
        matches.old.extend(more.old)
        matches.new.extend(more.new)
        old, new = old.less(more.old), new.less(more.new)
        not_compared = max(not_compared, more.not_compared)
    return Matches(matches.old, matches.new, not_compared)


def edits(before: str, after: str, most: int) -> int | None:
    """Return the number of words to insert, delete or replace, or None if it is more than ``most``.

    This is Levenshtein's distance over words and punctuation marks. It is also None for texts with more than
    `LONGEST` words.
    """
    a, b = word_tokens(before), word_tokens(after)
    if abs(len(a) - len(b)) > most or max(len(a), len(b)) > LONGEST:
        return None
    while a and b and a[-1] == b[-1]:
        del a[-1], b[-1]
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    del a[:same], b[:same]
    row = list(range(len(b) + 1))
    for i, word in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
        if min(row) > most:
            return None
    return row[-1] if row[-1] <= most else None


def _superseded(old: Side, new: Side) -> Matches:
    names = new.table.rows(["id", "supersedes"], new.places).to_pylist() if _names_earlier(new) else []
    place = dict(zip(_hex(old), old.places.tolist(), strict=True)) if names else {}
    matches = Matches([], [])
    taken: set[int] = set()
    for at, row in sorted(zip(new.places.tolist(), names, strict=False), key=lambda r: str(r[1]["id"])):
        earlier = place.get(row["supersedes"])
        if earlier is not None and earlier not in taken:
            taken.add(earlier)
            matches.old.append(earlier)
            matches.new.append(at)
    return matches


def _names_earlier(new: Side) -> bool:
    if "supersedes" not in new.table.schema.names:
        return False
    return any(b["supersedes"].null_count < b.num_rows for b in new.table.batches(["supersedes"]))


def _hex(side: Side) -> list[str]:
    return hex_ids(side.ids[side.places])


def _by_id(side: Side, places: Sequence[int]) -> list[int]:
    return sorted(places, key=lambda p: bytes(side.ids[p]))


def _groups(old: Side, new: Side, before: Hashes, after: Hashes) -> list[tuple[list[int], list[int]]]:
    """Return the rows of both sides by hash, for the hashes that both sides have, except 0."""
    common = np.intersect1d(before, after)
    common = common[common != 0]
    groups: dict[int, tuple[list[int], list[int]]] = {int(h): ([], []) for h in common}
    for k, (side, hashes) in enumerate(((old, before), (new, after))):
        inside = np.isin(hashes, common)
        for h, place in zip(hashes[inside].tolist(), side.places[inside].tolist(), strict=True):
            groups[h][k].append(place)
    return list(groups.values())


def _nearest(old: Side, new: Side, columns: Sequence[str], near: Sequence[str]) -> Matches:
    groups, matches = _groups(old, new, old.hashes(columns), new.hashes(columns)), Matches([], [])
    small = [g for g in groups if len(g[0]) * len(g[1]) <= LARGEST]
    not_compared = sum(len(b) for _, b in groups) - sum(len(b) for _, b in small)
    for portion in _portions(small):
        texts = [_texts(side, [p for g in portion for p in g[k]], near) for k, side in enumerate((old, new))]
        for before, after in portion:
            for a, b in _closest(old, new, before, after, texts[0], texts[1]):
                matches.old.append(a)
                matches.new.append(b)
    return Matches(matches.old, matches.new, not_compared)


def _portions(groups: list[tuple[list[int], list[int]]]) -> list[list[tuple[list[int], list[int]]]]:
    portions: dict[int, list[tuple[list[int], list[int]]]] = defaultdict(list)
    rows = 0
    for group in groups:
        portions[rows // AT_ONCE].append(group)
        rows += max(len(group[0]), len(group[1]))
    return list(portions.values())


def _texts(side: Side, places: list[int], near: Sequence[str]) -> dict[int, dict[str, Any]]:
    ordered = np.unique(np.array(places, np.intp))
    rows = side.table.rows(near, ordered).to_pylist()
    return dict(zip(ordered.tolist(), rows, strict=True))


def _closest(
    old: Side,
    new: Side,
    before: Sequence[int],
    after: Sequence[int],
    texts_before: dict[int, dict[str, Any]],
    texts_after: dict[int, dict[str, Any]],
) -> list[tuple[int, int]]:
    """Return pairs of near rows, the nearest first, then by id. Every row is in at most one pair."""
    possible = []
    for a in before:
        for b in after:
            total = _distance(texts_before[a], texts_after[b])
            if total is not None:
                possible.append((total, bytes(old.ids[a]), bytes(new.ids[b]), a, b))
    pairs, taken_a, taken_b = [], set[int](), set[int]()
    for *_, a, b in sorted(possible):
        if a not in taken_a and b not in taken_b:
            pairs.append((a, b))
            taken_a.add(a)
            taken_b.add(b)
    return pairs


def _distance(before: dict[str, Any], after: dict[str, Any]) -> int | None:
    total = 0
    for name, text in before.items():
        a, b = text or "", after[name] or ""
        longer = max(len(word_tokens(a)), len(word_tokens(b)))
        distance = 0 if a == b else edits(a, b, max(1, longer // 4))
        if distance is None:
            return None
        total += distance
    return total

"""Copies of a question with names of other groups: is the person in the same place found with either name?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from nextset.extensions.ambiguity.selectional.answered_people import ModelRows, drawn_difference
from nextset.extensions.ambiguity.selectional.contingency_statistics import mcnemar_exact
from nextset.extensions.ambiguity.selectional.name_matching import RULES, Rule
from nextset.extensions.ambiguity.selectional.selectional_records import CopySwap
from nextset.word_lists.group_labels import UNKNOWN

__all__ = ["copy_swaps"]

Pair = tuple[int, int]
"""The row of a person with a name of the first group, and the row with a name of the second."""


def copy_swaps(rows: ModelRows) -> Iterator[CopySwap]:
    """Yield the paired comparison of every two groups by each rule; nothing without copies.

    Two copies of a question are paired person by person, in the order of their lists, if they have the same
    number of people.
    """
    pairs = _pairs(rows)
    for rule in RULES:
        for groups in combinations(rows.known_groups, 2):
            if groups in pairs:
                yield _swap(rows, rule, groups, pairs[groups])


def _pairs(rows: ModelRows) -> dict[tuple[str, str], list[Pair]]:
    """Return the pairs of rows for every two groups, which are in the order of ``rows.known_groups``."""
    copies: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, (cluster, question) in enumerate(
        zip(rows.clusters.codes.tolist(), rows.questions.tolist(), strict=True)
    ):
        copies[cluster][question].append(row)
    groups, places = rows.groups.tolist(), {group: i for i, group in enumerate(rows.known_groups)}
    pairs: defaultdict[tuple[str, str], list[Pair]] = defaultdict(list)
    for of_cluster in copies.values():
        for one, other in combinations(of_cluster.values(), 2):
            if len(one) != len(other):
                continue
            for a, b in zip(one, other, strict=True):
                if groups[a] == groups[b] or UNKNOWN in (groups[a], groups[b]):
                    continue
                first, second = (a, b) if places[groups[a]] < places[groups[b]] else (b, a)
                pairs[groups[first], groups[second]].append((first, second))
    return pairs


def _swap(rows: ModelRows, rule: Rule, groups: tuple[str, str], pairs: list[Pair]) -> CopySwap:
    first, second = (np.array(side, np.intp) for side in zip(*pairs, strict=True))
    hits = rows.found[rule]
    with_first, with_second = hits[first], hits[second]
    one, other = with_first & ~with_second, with_second & ~with_first
    codes = rows.clusters.codes[first]
    n, *hit = (
        np.bincount(codes, amounts, rows.clusters.n).astype(np.float64)
        for amounts in (np.ones(len(pairs)), with_first, with_second)
    )
    shares = [rows.drawn(of_side, n) for of_side in hit]
    interval = drawn_difference(*shares)
    low, high = interval.ends()
    return CopySwap(
        model=rows.model,
        rule=rule,
        first=groups[0],
        second=groups[1],
        pairs=len(pairs),
        both=int((with_first & with_second).sum()),
        only_first=int(one.sum()),
        only_second=int(other.sum()),
        neither=int((~with_first & ~with_second).sum()),
        difference=float(shares[0].values[0] - shares[1].values[0]),
        low=low,
        high=high,
        exact_p=mcnemar_exact(int(one.sum()), int(other.sum())),
        p=interval.p_value(),
        p_corrected=None,
        comparisons=0,
    )

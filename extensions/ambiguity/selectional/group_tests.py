"""Recall by group, and the tests between groups."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nextset.array_types import Bools, Floats
from nextset.bootstrap_intervals import FEW, Intervals, intervals
from nextset.extensions.ambiguity.selectional.answered_people import (
    DrawnShare,
    ModelRows,
    drawn_difference,
    moving_questions,
)
from nextset.extensions.ambiguity.selectional.contingency_statistics import (
    chi_squared_test,
    cramers_v,
    odds_ratio,
)
from nextset.extensions.ambiguity.selectional.name_matching import RULES, Rule
from nextset.extensions.ambiguity.selectional.selectional_records import (
    GroupDifference,
    GroupRecall,
    GroupTest,
)
from nextset.interval import wilson
from nextset.word_lists.group_labels import UNKNOWN, women_and_men

__all__ = [
    "OTHERS", "SAME", "all_same", "group_differences", "group_pairs", "group_recalls", "group_tests",
    "no_interval",
]  # fmt: skip

OTHERS = "others"
"""The name for all other known groups, if there are more than two."""
ROUGH = 5
"""If the smallest expected count is below this, the p-value of a chi-squared test is rough."""
SAME = "no interval: all draws of questions give the same value"
"""The note if the draws cannot show how much the value varies with other questions."""


def group_recalls(rows: ModelRows) -> Iterator[GroupRecall]:
    """Yield the recall of each group by each rule; unknown comes last."""
    groups = [*rows.known_groups, *([UNKNOWN] if (rows.groups == UNKNOWN).any() else [])]
    for rule in RULES:
        for group in groups:
            drawn = rows.share_found(rows.groups == group, rule)
            low, high = drawn.interval()
            independent = wilson(drawn.hits, drawn.n)
            yield GroupRecall(
                model=rows.model,
                rule=rule,
                group=group,
                answers=drawn.n,
                found=drawn.hits,
                recall=drawn.point,
                low=low,
                high=high,
                wilson_low=independent.low if independent else None,
                wilson_high=independent.high if independent else None,
            )


def group_tests(rows: ModelRows) -> Iterator[GroupTest]:
    """Yield the chi-squared test between the known groups by each rule, and the test with unknown as a
    group."""
    for rule in RULES:
        yield _test(rows, rule, rows.known_groups, with_unknown=False)
        if (rows.groups == UNKNOWN).any():
            yield _test(rows, rule, [*rows.known_groups, UNKNOWN], with_unknown=True)


def group_pairs(rows: ModelRows) -> Iterator[tuple[str, str, Bools, Bools]]:
    """Yield the groups to compare, each with its rows: the two known groups, or women with men, if they are
    among more groups, and each group with all others."""
    groups = rows.known_groups
    known = rows.groups != UNKNOWN
    if pair := women_and_men(groups) or (groups if len(groups) == 2 else None):
        yield (pair[0], pair[1], rows.groups == pair[0], rows.groups == pair[1])
    if len(groups) > 2:
        for group in groups:
            own = rows.groups == group
            yield (group, OTHERS, own, known & ~own)


def group_differences(rows: ModelRows) -> Iterator[GroupDifference]:
    """Yield the difference in recall of the groups to compare, by each rule."""
    for rule in RULES:
        for first, second, own, others in group_pairs(rows):
            shares = rows.share_found(own, rule), rows.share_found(others, rule)
            interval = drawn_difference(*shares)
            low, high = interval.ends()
            point = float(shares[0].values[0] - shares[1].values[0])
            odds = odds_ratio(np.array([[s.hits, s.n - s.hits] for s in shares], np.float64))
            yield GroupDifference(
                model=rows.model,
                rule=rule,
                first=first,
                second=second,
                difference=None if np.isnan(point) else point,
                low=low,
                high=high,
                p=interval.p_value(),
                p_corrected=None,
                comparisons=0,
                odds_ratio=odds.point if odds else None,
                odds_low=odds.low if odds else None,
                odds_high=odds.high if odds else None,
                note=_note(shares, interval, has_odds=odds is not None),
            )


def no_interval(questions: int, people: str) -> str:
    """Return why there is no interval if ``questions`` is the number of questions that have these ``people``.

    Copies of a question count as one.
    """
    if questions < FEW:
        having = f"{questions} question{' has' if questions == 1 else 's have'}"
        return f"no interval: {having} {people}, and at least {FEW} are needed"
    return "no interval: too many draws have no such answers"


def _note(shares: tuple[DrawnShare, DrawnShare], found: Intervals, *, has_odds: bool) -> str | None:
    if not all(s.n for s in shares):
        return "undefined: a group has no answers"
    notes = []
    if np.isnan(found.low[0]):
        notes.append(no_interval(min(s.questions for s in shares), "people of the rarer group"))
    elif moving_questions(*shares) < FEW:
        notes.append(f"rough interval: fewer than {FEW} questions decide its width")
    if not has_odds:
        notes.append("no odds ratio: a count is 0")
    return "; ".join(notes) or None


def _test(rows: ModelRows, rule: Rule, groups: list[str], *, with_unknown: bool) -> GroupTest:
    hits = rows.found[rule]
    cells = np.array(
        [
            [
                rows.per_cluster(((rows.groups == group) & (hits == hit)).astype(np.float64))
                for hit in (True, False)
            ]
            for group in groups
        ]
    ).reshape(len(groups), 2, rows.clusters.n)
    drawn = rows.clusters.sums(cells)
    counts: Floats = drawn[0]
    test = chi_squared_test(counts) if len(groups) > 1 else None
    low: float | None = None
    high: float | None = None
    same = False
    if test is not None:
        questions = int((cells.sum(axis=1) > 0).sum(axis=1).min())
        values = cramers_v(drawn)
        same = questions >= FEW and all_same(values)
        low, high = (None, None) if same else intervals(values, (questions,)).reflected(values[:1]).ends()
    return GroupTest(
        model=rows.model,
        rule=rule,
        groups=tuple(groups),
        with_unknown=with_unknown,
        answers=int(counts.sum()),
        chi_squared=test.statistic if test else None,
        degrees=test.degrees if test else None,
        p=test.p if test else None,
        p_corrected=None,
        comparisons=0,
        cramers_v=float(cramers_v(counts)) if test else None,
        low=low,
        high=high,
        least_expected=test.least_expected if test else None,
        note=_test_note(groups, counts, test.least_expected if test else None, same=same),
    )


def all_same(values: Floats) -> bool:
    """Return whether all defined draws of ``values`` are the same."""
    known = values[~np.isnan(values)]
    return known.size > 1 and float(np.ptp(known)) < 1e-9


def _test_note(groups: list[str], counts: Floats, least: float | None, *, same: bool) -> str | None:
    if len(groups) < 2:
        return "undefined: there are not two groups"
    if least is None:
        return (
            f"undefined: {'no' if not counts[:, 0].sum() else 'every'} right answer of these groups is found"
        )
    notes = [f"rough p-value: the smallest expected count is {least:.1f}"] if least < ROUGH else []
    return "; ".join([*notes, *([SAME] if same else [])]) or None

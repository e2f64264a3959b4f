"""Order of mention: recall of people mentioned first, and groups compared among people in the same place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nextset.array_types import Bools, Floats
from nextset.bootstrap_intervals import FEW, intervals
from nextset.extensions.ambiguity.selectional.answered_people import Codes, ModelRows, drawn_difference
from nextset.extensions.ambiguity.selectional.contingency_statistics import StratifiedOdds, mantel_haenszel
from nextset.extensions.ambiguity.selectional.group_tests import SAME, all_same, group_pairs, no_interval
from nextset.extensions.ambiguity.selectional.name_matching import RULES, Rule
from nextset.extensions.ambiguity.selectional.selectional_records import AdjustedOdds, OrderRecall, Strata

__all__ = ["adjusted_odds", "order_recalls"]


def order_recalls(rows: ModelRows) -> Iterator[OrderRecall]:
    """Yield the recall of people mentioned first and later, of all and of each known group, by each rule."""
    for rule in RULES:
        for group in ("", *rows.known_groups):
            own = (rows.groups == group) | (group == "")
            first = rows.share_found(own & (rows.positions == 1), rule)
            later = rows.share_found(own & (rows.positions > 1), rule)
            interval = drawn_difference(first, later)
            low, high = interval.ends()
            point = float(first.values[0] - later.values[0])
            yield OrderRecall(
                model=rows.model,
                rule=rule,
                group=group,
                first_answers=first.n,
                first_found=first.hits,
                first_recall=first.point,
                first_low=first.interval()[0],
                first_high=first.interval()[1],
                later_answers=later.n,
                later_found=later.hits,
                later_recall=later.point,
                later_low=later.interval()[0],
                later_high=later.interval()[1],
                unmentioned=int((own & (rows.positions == 0)).sum()),
                difference=None if np.isnan(point) else point,
                low=low,
                high=high,
                p=interval.p_value(),
                p_corrected=None,
                comparisons=0,
            )


def adjusted_odds(rows: ModelRows) -> Iterator[AdjustedOdds]:
    """Yield the odds ratio of the groups to compare within places of mention, and within questions."""
    for rule in RULES:
        for first, second, own, others in group_pairs(rows):
            mentioned = rows.positions > 0
            yield _adjusted(rows, rule, "position", (first, second), own & mentioned, others & mentioned)
            yield _adjusted(rows, rule, "question", (first, second), own, others)


def _adjusted(
    rows: ModelRows, rule: Rule, strata: Strata, names: tuple[str, str], own: Bools, others: Bools
) -> AdjustedOdds:
    codes = rows.positions if strata == "position" else rows.questions
    hits = rows.found[rule]
    counts = _counts(codes, own, others, hits)
    pooled = mantel_haenszel(counts)
    values, questions = _drawn_logs(rows, strata, (own, others), hits)
    same = questions >= FEW and all_same(values)
    low, high = (None, None) if same else intervals(values, (questions,)).ends()
    odds = pooled.odds
    return AdjustedOdds(
        model=rows.model,
        rule=rule,
        strata=strata,
        first=names[0],
        second=names[1],
        used=pooled.strata,
        answers=pooled.count,
        odds_ratio=odds.point if odds else None,
        odds_low=odds.low if odds else None,
        odds_high=odds.high if odds else None,
        low=None if low is None or odds is None else float(np.exp(low)),
        high=None if high is None or odds is None else float(np.exp(high)),
        chi_squared=pooled.statistic,
        p=pooled.p,
        p_corrected=None,
        comparisons=0,
        note=SAME if same and odds else _note(pooled, counts, names, strata, questions, low),
    )


def _note(
    found: StratifiedOdds,
    counts: Floats,
    names: tuple[str, str],
    strata: Strata,
    questions: int,
    low: float | None,
) -> str | None:
    where, with_both = _WORDS[strata]
    if not found.strata:
        return f"undefined: {where} with both groups, all people are found or none"
    if found.odds is None:
        # in each informative stratum, one of the products is not 0
        infinite = bool((counts[:, 0, 0] * counts[:, 1, 1]).sum() > 0)
        always, never = names if infinite else names[::-1]
        ratio = "infinite" if infinite else "0"
        return (
            f"no odds ratio: it is {ratio}, since {where} with both groups and both outcomes, all people of "
            f"{always} are found, or none of {never}"
        )
    return no_interval(questions, with_both) if low is None else None


_WORDS = {
    "position": ("in each place", "people of the rarer group"),
    "question": ("in each question", "people of both groups"),
}
"""For each kind of strata, the words for a stratum and for the people in the questions that the interval is
based on."""


def _counts(codes: Codes, own: Bools, others: Bools, hits: Bools) -> Floats:
    """Return the numbers of people of each group who are found and who are not, shape (strata, 2, 2)."""
    names, places = np.unique(codes, return_inverse=True)
    cells = [
        [np.bincount(places[group & (hits == hit)], minlength=len(names)) for hit in (True, False)]
        for group in (own, others)
    ]
    return np.array(cells, np.float64).transpose(2, 0, 1)


def _drawn_logs(
    rows: ModelRows, strata: Strata, groups: tuple[Bools, Bools], hits: Bools
) -> tuple[Floats, int]:
    """Return the logarithm of the common odds ratio in all draws, NaN if undefined, and the number of
    questions that it is based on."""
    cells = [group & (hits == hit) for group in groups for hit in (True, False)]
    own, others = (rows.per_cluster(group.astype(np.float64)) > 0 for group in groups)
    if strata == "position":
        drawn, questions = _by_position(rows, cells), int(min(own.sum(), others.sum()))
    else:
        drawn, questions = _by_question(rows, cells), int((own & others).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log(drawn[:, 0] / drawn[:, 1])
    return np.where(np.isfinite(logs), logs, np.nan), questions


def _by_position(rows: ModelRows, cells: list[Bools]) -> Floats:
    """Return the two sums whose ratio is the common odds ratio, shape (draws, 2); strata are places of
    mention."""
    places = np.unique(rows.positions)
    amounts = [
        [rows.per_cluster((cell & (rows.positions == place)).astype(np.float64)) for cell in cells]
        for place in places
    ]
    a, b, c, d = np.moveaxis(rows.clusters.sums(np.array(amounts)), -1, 0)
    n = np.maximum(a + b + c + d, 1)
    return np.stack([(one / n).sum(axis=-1) for one in (a * d, b * c)], axis=1)


def _by_question(rows: ModelRows, cells: list[Bools]) -> Floats:
    """Return the same sums for strata that are questions; each question is drawn as a whole."""
    number = int(rows.questions.max()) + 1
    a, b, c, d = (np.bincount(rows.questions[cell], minlength=number) for cell in cells)
    n = np.maximum(a + b + c + d, 1)
    first = np.unique(rows.questions, return_index=True)[1]
    drawn_with = rows.clusters.codes[first]
    sums = [np.bincount(drawn_with, one / n, rows.clusters.n) for one in (a * d, b * c)]
    return rows.clusters.sums(np.array(sums, np.float64))

"""The findings of an audit of questions with several right answers, as sentences: who gets found?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from nextset.auditing.report.number_table import Estimate, estimate_text
from nextset.counted import counted
from nextset.extensions.ambiguity.selectional.group_tests import OTHERS
from nextset.extensions.ambiguity.selectional.name_matching import Rule
from nextset.extensions.ambiguity.selectional.selectional_records import (
    AdjustedOdds,
    AnsweringModel,
    CopySwap,
    GroupDifference,
    GroupRecall,
    GroupTest,
    OrderRecall,
    SelectionalFinding,
)
from nextset.word_lists.group_labels import UNKNOWN

__all__ = ["HEADLINE", "selectional_findings"]

HEADLINE: Rule = "shared_token"
"""The rule that findings and figures are about, as published; findings say if the stricter rule gives another
result."""
_STRICT: Rule = "family_name"
_LEVEL = 0.05
_FEW = 0.05
"""A model that finds a smaller share of all people than this is said to find hardly anyone."""


def selectional_findings(
    models: Sequence[AnsweringModel],
    recall: Sequence[GroupRecall],
    differences: Sequence[GroupDifference],
    tests: Sequence[GroupTest],
    order: Sequence[OrderRecall],
    adjusted: Sequence[AdjustedOdds],
    swaps: Sequence[CopySwap],
) -> Iterator[SelectionalFinding]:
    """Yield the findings, one sentence each: whom each model finds and whether groups differ, then the rest.

    A difference is claimed if its interval is on one side of 0 and its corrected p-value is below 0.05. If
    only the uncorrected p-value is below 0.05, the sentence says so.
    """
    main: list[str] = []
    more: list[str] = []
    for name in (model.model for model in models):
        prefix = f"{name}: " if len(models) > 1 else ""
        own = [r for r in recall if r.model == name and r.rule == HEADLINE]
        hits, answers = sum(r.found for r in own), sum(r.answers for r in own)
        main.append(_recall(name, own, hits, answers))
        if not answers:
            continue
        if hits < _FEW * answers:
            main.append(f"{prefix}It finds hardly anyone, so the answers say nothing about groups.")
            continue
        of_groups = _by_group(
            own, [d for d in differences if d.model == name], [t for t in tests if t.model == name]
        )
        main += [f"{prefix}{sentence}" for sentence in of_groups]
        details = (
            *_by_order([o for o in order if o.model == name and o.rule == HEADLINE]),
            *_within([a for a in adjusted if a.model == name and a.rule == HEADLINE]),
            *_swapped([s for s in swaps if s.model == name and s.rule == HEADLINE]),
        )
        more += [f"{prefix}{sentence}" for sentence in details]
    for text in (*main, *more):
        yield SelectionalFinding(text=text, warning=False)


def _recall(model: str, rows: Sequence[GroupRecall], found: int, answers: int) -> str:
    if not answers:
        return f"{model}: there are no right answers to find."
    shares = ", ".join(f"{r.group} {_share(r)} of {r.answers:,}" for r in rows[:4])
    more = f" and {counted(len(rows) - 4, 'more groups', 'more group')}" if len(rows) > 4 else ""
    return f"{model} finds {found:,} of {answers:,} right answers: {shares}{more}."


def _by_group(
    recall: Sequence[GroupRecall], differences: Sequence[GroupDifference], tests: Sequence[GroupTest]
) -> Iterator[str]:
    known = [r.group for r in recall if r.group != UNKNOWN and r.answers]
    if len(known) < 2:
        which = f"everyone whose group is known is in the group {known[0]}" if known else "no group is known"
        yield f"Nothing can be compared: {which}."
        return
    pairs = [d for d in differences if d.second != OTHERS]
    mine, strict = ([d for d in pairs if d.rule == rule] for rule in (HEADLINE, _STRICT))
    if mine:
        yield _difference(mine[0])
    if len(known) > 2 and (
        test := next((t for t in tests if t.rule == HEADLINE and not t.with_unknown), None)
    ):
        yield _test(test)
    if len(mine) == len(strict) == 1 and _verdict(mine[0]) != _verdict(strict[0]):
        yield f"By family name: {_difference(strict[0])}"


_VERDICTS = {
    "clear": "differ",
    "before": "differ, but only before correction",
    "none": "do not clearly differ",
}


def _test(test: GroupTest) -> str:
    if test.p is None:
        return f"Nothing can be said about groups ({test.note})."
    return (
        f"Groups {_VERDICTS[_clear(test)]} (χ² = {test.chi_squared:.1f}, {_p(test)}, "
        f"Cramér's V {test.cramers_v:.2f})."
    )


def _share(row: GroupRecall) -> str:
    return f"{estimate_text(Estimate(row.recall, row.low, row.high), 'per_cent')} %"


def _clear(row: GroupTest | GroupDifference | OrderRecall) -> Literal["clear", "before", "none"]:
    """Return whether the p-value is below the level: clear if the corrected one is too, else before, or
    none."""
    if row.p is None or row.p >= _LEVEL:
        return "none"
    return "clear" if row.p_corrected is not None and row.p_corrected < _LEVEL else "before"


def _side(row: GroupDifference | OrderRecall) -> int:
    """Return the side of 0 that the interval is on, 1 or −1; 0 if it contains 0 or p is too high."""
    assert row.low is not None
    assert row.high is not None
    if _clear(row) == "none":
        return 0
    return 1 if row.low > 0 else -1 if row.high < 0 else 0


def _verdict(row: GroupDifference) -> int | None:
    """Return 1 if the first group is found more often, −1 if the second is, 0 if neither is; None if
    unknown."""
    if row.low is None or row.high is None:
        return None
    return _side(row) if _clear(row) == "clear" else 0


def _points(row: GroupDifference | OrderRecall, what: str) -> str:
    points = estimate_text(Estimate(row.difference, row.low, row.high), "per_cent")
    return f"({what}: {points} points, {_p(row)})"


def _difference(row: GroupDifference) -> str:
    if row.low is None or row.high is None:
        return f"Nothing can be said about a difference ({row.note or 'no interval'})."
    points = _points(row, f"{row.first} − {row.second}")
    side = _side(row)
    if side == 0:
        return f"No clear difference {points}."
    return f"Group {row.first if side > 0 else row.second} is found more often{_only(row)} {points}."


def _only(row: GroupDifference | OrderRecall) -> str:
    return ", but only before correction" if _clear(row) == "before" else ""


def _by_order(order: Sequence[OrderRecall]) -> Iterator[str]:
    row = next((o for o in order if not o.group), None)
    if row is None or row.low is None or row.high is None:
        return
    points = _points(row, "first − later")
    side = _side(row)
    if side == 0:
        yield f"The order of mention makes no clear difference {points}."
        return
    than = "more often" if side > 0 else "less often"
    yield f"People mentioned first are found {than} than people mentioned later{_only(row)} {points}."


def _within(adjusted: Sequence[AdjustedOdds]) -> Iterator[str]:
    rows = [a for a in adjusted if a.strata == "position" and a.second != OTHERS]
    if len(rows) != 1 or rows[0].odds_ratio is None:
        return
    row = rows[0]
    odds = estimate_text(Estimate(row.odds_ratio, row.low, row.high), "ratio")
    groups = f"{row.first} to {row.second}"
    yield f"Among people in the same place, the odds ratio of {groups} is {odds} ({_p(row)})."


def _swapped(swaps: Sequence[CopySwap]) -> Iterator[str]:
    for row in swaps[:1]:
        points = estimate_text(Estimate(row.difference, row.low, row.high), "per_cent")
        p = f", {_p(row)}" if row.p is not None else ""
        pairs = "pair" if row.pairs == 1 else "pairs"
        are = "is" if row.only_first == 1 else "are"
        yield (
            f"In {row.pairs:,} {pairs} of copies that differ in the person's name, {row.only_first:,} {are} "
            f"found only as {row.first} and {row.only_second:,} only as {row.second} ({points} points{p})."
        )


def _p(row: GroupTest | GroupDifference | OrderRecall | AdjustedOdds | CopySwap) -> str:
    """Return the corrected p-value as text."""
    if row.p_corrected is None:
        return "p unknown"
    name = "corrected p" if row.comparisons > 1 else "p"
    return f"{name} < 0.001" if row.p_corrected < 0.001 else f"{name} = {row.p_corrected:.3f}"

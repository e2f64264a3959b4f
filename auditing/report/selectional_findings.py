"""What an audit of questions with several right answers found, in plain sentences: who gets found?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nextset.auditing.report.number_table import Estimate, estimate_text
from nextset.auditing.selectional.name_matching import Rule
from nextset.auditing.selectional.selectional_records import (
    AdjustedOdds,
    AnsweringModel,
    CopySwap,
    GroupDifference,
    GroupRecall,
    GroupTest,
    OrderRecall,
    SelectionalFinding,
)

__all__ = ["HEADLINE", "odds_text", "selectional_findings"]

HEADLINE: Rule = "shared_token"
"""The rule that findings and figures are about, as published; they say where the stricter rule differs."""
_STRICT: Rule = "family_name"
_LEVEL = 0.05
_FEW = 0.05
"""A model that finds a smaller share of all people is said to find hardly anyone."""


def selectional_findings(
    models: Sequence[AnsweringModel],
    recall: Sequence[GroupRecall],
    differences: Sequence[GroupDifference],
    tests: Sequence[GroupTest],
    order: Sequence[OrderRecall],
    adjusted: Sequence[AdjustedOdds],
    swaps: Sequence[CopySwap],
) -> Iterator[SelectionalFinding]:
    """Yield a few sentences on each model, and a warning if predictions do not fit the questions."""
    for model in models:
        if text := _unfit(model):
            yield SelectionalFinding(text=text, warning=True)
    for name in (model.model for model in models):
        own = [r for r in recall if r.model == name and r.rule == HEADLINE]
        found, answers = sum(r.found for r in own), sum(r.answers for r in own)
        sentences = [_recall(name, own, found, answers)]
        if answers and found < _FEW * answers:
            sentences.append("It finds hardly anyone, so nothing follows about groups.")
        elif answers:
            sentences += _by_group(
                [d for d in differences if d.model == name], [t for t in tests if t.model == name]
            )
            sentences += _by_order([o for o in order if o.model == name and o.rule == HEADLINE])
            sentences += _within([a for a in adjusted if a.model == name and a.rule == HEADLINE])
            sentences += _swapped([s for s in swaps if s.model == name and s.rule == HEADLINE])
        yield SelectionalFinding(text=" ".join(sentences), warning=False)


def odds_text(value: float, low: float | None, high: float | None) -> str:
    """Return an odds ratio with its interval, with two decimals."""
    if low is None or high is None:
        return f"{value:.2f}"
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


def _unfit(model: AnsweringModel) -> str:
    parts = []
    if model.missing:
        parts.append(f"{model.missing:,} of {model.questions:,} questions have no answer and do not count")
    if model.unknown:
        parts.append(f"{model.unknown:,} of its ids are of no question")
    return f"{model.model}: {'; '.join(parts)}" if parts else ""


def _recall(model: str, rows: Sequence[GroupRecall], found: int, answers: int) -> str:
    if not answers:
        return f"{model}: there are no right answers to find."
    shares = ", ".join(f"{r.group} {_share(r)} of {r.answers:,}" for r in rows[:4])
    more = f" and {len(rows) - 4} more groups" if len(rows) > 4 else ""
    return f"{model} finds {found:,} of {answers:,} right answers: {shares}{more}."


def _by_group(differences: Sequence[GroupDifference], tests: Sequence[GroupTest]) -> Iterator[str]:
    mine = [d for d in differences if d.rule == HEADLINE]
    if len(mine) == 1:
        yield _difference(mine[0])
    elif test := next(
        (t for t in tests if t.rule == HEADLINE and not t.with_unknown and t.p is not None), None
    ):
        clear = (test.p_corrected or 0.0) < _LEVEL
        yield (
            f"Groups {'differ' if clear else 'do not clearly differ'} "
            f"(χ² = {test.chi_squared:.1f}, {_p(test.p_corrected)}, Cramér's V {test.cramers_v:.2f})."
        )
    strict = [d for d in differences if d.rule == _STRICT]
    if len(mine) == len(strict) == 1 and _verdict(mine[0]) != _verdict(strict[0]):
        yield f"By family names: {_difference(strict[0])}"


def _share(row: GroupRecall) -> str:
    return f"{estimate_text(Estimate(row.recall, row.low, row.high), 'per_cent')} %"


def _verdict(row: GroupDifference) -> int | None:
    """1 if the first group is found more often, −1 if the second one is, 0 if neither; None if unknown."""
    if row.low is None or row.high is None:
        return None
    return 1 if row.low > 0 else -1 if row.high < 0 else 0


def _difference(row: GroupDifference) -> str:
    verdict = _verdict(row)
    points = estimate_text(Estimate(row.difference, row.low, row.high), "per_cent")
    p = f", {_p(row.p_corrected)}" if row.p_corrected is not None else ""
    if verdict is None:
        return f"Nothing can be said about a difference ({row.note or 'no interval'})."
    if verdict == 0:
        return f"No clear difference ({row.first} − {row.second}: {points} points{p})."
    ahead = row.first if verdict > 0 else row.second
    return f"Group {ahead} is found more often ({row.first} − {row.second}: {points} points{p})."


def _by_order(order: Sequence[OrderRecall]) -> Iterator[str]:
    row = next((o for o in order if not o.group), None)
    if row is None or row.low is None or row.high is None:
        return
    points = estimate_text(Estimate(row.difference, row.low, row.high), "per_cent")
    if row.low > 0:
        yield f"People mentioned first are found more often than later ones, by {points} points."
    elif row.high < 0:
        yield f"People mentioned first are found less often than later ones: {points} points."
    else:
        yield f"The order of mention makes no clear difference ({points} points)."


def _within(adjusted: Sequence[AdjustedOdds]) -> Iterator[str]:
    rows = [a for a in adjusted if a.strata == "position"]
    if len(rows) != 1 or rows[0].odds_ratio is None:
        return
    row, value = rows[0], rows[0].odds_ratio
    odds = odds_text(value, row.low, row.high)
    yield f"Among people in the same place the odds of {row.first} over {row.second} are {odds}."


def _swapped(swaps: Sequence[CopySwap]) -> Iterator[str]:
    for row in swaps[:1]:
        points = estimate_text(Estimate(row.difference, row.low, row.high), "per_cent")
        yield (
            f"In {row.pairs:,} pairs of copies that differ in the person's name, {row.only_first:,} are "
            f"found only as {row.first} and {row.only_second:,} only as {row.second} ({points} points)."
        )


def _p(value: float | None) -> str:
    if value is None:
        return "p unknown"
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"

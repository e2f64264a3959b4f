"""How far verdicts depend on the premise: disagreement between premises, beside that between annotators."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

from nextset.interval import Interval, difference, wilson
from nextset.records.content_ids import JudgedUnit

__all__ = [
    "TOLERATED",
    "Comparison",
    "PairJudgment",
    "PremiseDependence",
    "PremiseRow",
    "premise_dependence",
]

TOLERATED = 0.1
"""Units stay hypotheses if the premise changes at most this share of verdicts."""

Comparison = Literal["same premise", "same annotator", "neither", "two premises"]
"""The judgments of a hypothesis that are compared. same premise: two annotators judge a pair. same annotator:
one judges two premises. neither: two annotators judge two premises. two premises: the last two together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairJudgment:
    """One annotator's verdict on a premise with a hypothesis."""

    hypothesis: str
    """The hypothesis, or its key: judgments with the same one are compared."""
    premise: str
    """The premise, or its key."""
    judge: str
    """The annotator."""
    verdict: str
    """The verdict; any label will do."""
    stereotype: str = ""
    """The hypothesis's stereotype."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PremiseRow:
    """The disagreement of one comparison."""

    stereotype: str
    """The stereotype's name; empty for all together."""
    comparison: Comparison
    """The judgments that are compared."""
    hypotheses: int
    """The number of hypotheses, judged under two premises or more, with such pairs of judgments."""
    low: float | None
    """The lower end of the share's 95 % interval (Wilson); null without hypotheses."""
    share: float | None
    """The share of the pairs of judgments with different verdicts, the mean over hypotheses; null without."""
    high: float | None
    """The upper end."""

    @property
    def interval(self) -> Interval | None:
        """The share with its interval."""
        if self.low is None or self.share is None or self.high is None:
            return None
        return Interval(self.low, self.share, self.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class PremiseDependence:
    """Disagreement between the premises of a hypothesis, beside that between annotators."""

    rows: tuple[PremiseRow, ...]
    """The comparisons of all, in the order above; then two premises by stereotype, highest first."""
    effect: Interval | None
    """Disagreement of neither minus that of same premise, in [-1, 1] (Newcombe); null if one is unknown."""
    explained: float | None
    """1 − D(same premise) / D(neither): the share of the disagreement that the premise explains; null if
    there is none. akin to Krippendorff's α, with chance within the hypothesis."""

    @property
    def advice(self) -> JudgedUnit | None:
        """The unit that the intervals recommend; None if they do not decide."""
        same_annotator = self.rows[1].interval
        limits = [interval.high for interval in (self.effect, same_annotator) if interval is not None]
        if any(high <= TOLERATED for high in limits):
            return "hypothesis"
        return "pair" if self.effect is not None and self.effect.low > 0 else None


def premise_dependence(judgments: Iterable[PairJudgment]) -> PremiseDependence:
    """Return how far the verdicts of ``judgments`` depend on the premise.

    If the premise made no difference, two annotators would disagree on two premises of a hypothesis (neither)
    as often as on one (same premise). The difference of these shares, over the hypotheses that have both, is
    the effect. Only hypotheses judged under two premises or more count. Each has the same weight. Newcombe's
    interval takes the two shares as independent; they come from the same hypotheses, and if these differ in
    difficulty, it is too wide. An annotator's own change between two premises (same annotator) is also caused
    by their inconsistency, so the effect on that annotator is at most this share. Raises
    ValueError if an annotator judges a pair twice.
    """
    by_hypothesis: dict[str, list[PairJudgment]] = defaultdict(list)
    for judgment in judgments:
        by_hypothesis[judgment.hypothesis].append(judgment)
    several = [rows for _, rows in sorted(by_hypothesis.items()) if len({j.premise for j in rows}) >= 2]
    shares = [_shares(rows) for rows in several]
    compared: tuple[Comparison, ...] = ("same premise", "same annotator", "neither")
    together = [_row("", name, [s[name] for s in shares]) for name in compared]
    by_stereotype: dict[str, list[float | None]] = defaultdict(list)
    for rows, share in zip(several, shares, strict=True):
        by_stereotype[rows[0].stereotype].append(share["two premises"])
    parts = [_row(name, "two premises", values) for name, values in by_stereotype.items() if name]
    # of the same hypotheses: hard ones may have only one of the comparisons, and easy ones the other
    paired = [s for s in shares if s["same premise"] is not None and s["neither"] is not None]
    within, between = (_row("", n, [s[n] for s in paired]).interval for n in ("same premise", "neither"))
    rows_by_share = (*together, *sorted(parts, key=lambda r: (-(r.share or 0), r.stereotype)))
    if within is None or between is None:
        return PremiseDependence(rows=rows_by_share, effect=None, explained=None)
    return PremiseDependence(
        rows=rows_by_share,
        effect=difference(within, between),
        explained=1 - within.point / between.point if between.point else None,
    )


def _shares(judgments: Sequence[PairJudgment]) -> dict[Comparison, float | None]:
    """Return the share of pairs of judgments of one hypothesis with different verdicts, by comparison."""
    every = _pairs([() for _ in judgments], judgments)
    premise = _pairs([j.premise for j in judgments], judgments)
    judge = _pairs([j.judge for j in judgments], judgments)
    if _pairs([(j.premise, j.judge) for j in judgments], judgments)[0]:
        raise ValueError(f"an annotator judges two times a premise with {judgments[0].hypothesis!r}")
    two = (every[0] - premise[0], every[1] - premise[1])
    counts: dict[Comparison, tuple[int, int]] = {
        "same premise": premise,
        "same annotator": judge,
        "neither": (two[0] - judge[0], two[1] - judge[1]),
        "two premises": two,
    }
    return {name: different / n if n else None for name, (n, different) in counts.items()}


def _pairs(groups: Sequence[object], judgments: Sequence[PairJudgment]) -> tuple[int, int]:
    """Return the number of pairs of judgments of one group, and of those with different verdicts."""
    n = sum(comb(size, 2) for size in Counter(groups).values())
    verdicts = Counter((group, j.verdict) for group, j in zip(groups, judgments, strict=True))
    return n, n - sum(comb(size, 2) for size in verdicts.values())


def _row(stereotype: str, comparison: Comparison, shares: Sequence[float | None]) -> PremiseRow:
    known = [share for share in shares if share is not None]
    interval = wilson(sum(known), len(known))
    return PremiseRow(
        stereotype=stereotype,
        comparison=comparison,
        hypotheses=len(known),
        low=interval.low if interval else None,
        share=interval.point if interval else None,
        high=interval.high if interval else None,
    )

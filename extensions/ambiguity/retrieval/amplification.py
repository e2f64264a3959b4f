"""Amplification by readers: a group's share among the passages that a reader reads and among its answers,
paired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats
from nextset.auditing.holm_correction import holm
from nextset.extensions.ambiguity.retrieval.crossed_variance import FEW_TITLES, CrossedClusters, ShareInterval
from nextset.extensions.ambiguity.retrieval.found_rows import FoundRows
from nextset.extensions.ambiguity.retrieval.found_shares import FoundBy
from nextset.extensions.ambiguity.retrieval.retrieval_records import Amplification, Verdict
from nextset.interval import Z95, Interval

__all__ = ["amplification", "corrected_changes"]

Codes = npt.NDArray[np.int64]

_FEW_QUESTIONS = 5
"""Changes over fewer questions have no interval."""
_SAME = 1e-9
"""Differences of shares up to this are due to rounding."""
_FEW = (
    f"no interval of the change: fewer than {_FEW_QUESTIONS} questions, or fewer than {FEW_TITLES} titles "
    "among the answers, counted by their answers"
)


def amplification(read: FoundBy, answers: FoundBy) -> Iterator[Amplification]:
    """Yield the change of each group from ``read``, the passages that a reader reads, to its ``answers``.

    The changes are for all questions, and for each occupation. ``answers`` has at most one row per question.
    Each question counts once: with a group's share among its passages of a known group, and with 1 or 0 for
    its answer. A reader that picks one of these passages at random changes nothing on average.
    """
    passages = {(scope, part): own for scope, part, own, _ in read.parts(("all", "occupation"))}
    for scope, part, own, clusters in answers.parts(("all", "occupation")):
        paired = _paired(passages[scope, part].rows, own, clusters)
        for g, group in enumerate(own.groups):
            yield replace(paired.of_group(g), scope=scope, part=part, group=group)


@dataclass(frozen=True)
class _Paired:
    """The questions whose answer has a known group, with the passages that were read for them."""

    found: FoundBy
    """The answers, with their base rates."""
    answers: FoundRows
    """The answers of a known group, one per question."""
    passages: FoundRows
    """The passages of a known group that were read for these questions; `questions` has the place of the
    answer."""
    clusters: Codes
    """The cluster of each answer."""

    def of_group(self, g: int) -> Amplification:
        """Return the row of the group ``g``, over all these questions."""
        n, row = len(self.answers), self._without_values()
        if not n:
            return replace(row, note="no answer has a known group")
        answered = self.answers.groups == g
        shares, retrieved = self._retrieved(g)
        crossed = CrossedClusters(self.clusters, self.answers.titles)
        own = crossed.interval(answered, (answered - answered.mean()) / n)
        change, p = self._change(answered - shares, shares, crossed)
        base = self.found.base[self.answers.questions, g]
        mean = None if np.isnan(base).any() else float(base.mean())
        note = "some questions have no base rate" if mean is None else None
        if change is None:
            note = _FEW
        return replace(
            row,
            base_rate=mean,
            retrieved=retrieved.share,
            retrieved_low=retrieved.interval.low if retrieved.interval else None,
            retrieved_high=retrieved.interval.high if retrieved.interval else None,
            answered=own.share,
            answered_low=own.interval.low if own.interval else None,
            answered_high=own.interval.high if own.interval else None,
            retrieved_disparity=None if mean is None else retrieved.share - mean,
            change=own.share - retrieved.share,
            low=None if change is None else change.low,
            high=None if change is None else change.high,
            answered_disparity=None if mean is None else own.share - mean,
            p=p,
            verdict=_verdict(retrieved.interval, change, mean),
            note=note,
        )

    def _without_values(self) -> Amplification:
        """Return a row with only the counts of questions."""
        n = len(self.answers)
        return Amplification(
            retriever=self.found.retriever,
            reader=self.found.reader,
            scope="all",
            part="",
            counted=self.found.counted,
            read=self.found.first,
            group="",
            questions=n,
            unknown=len(self.found.rows) - n + int(self.found.missing.sum()),
            base_rate=None,
            retrieved=None,
            retrieved_low=None,
            retrieved_high=None,
            answered=None,
            answered_low=None,
            answered_high=None,
            retrieved_disparity=None,
            change=None,
            low=None,
            high=None,
            answered_disparity=None,
            p=None,
            p_corrected=None,
            comparisons=0,
            verdict="unclear",
            note=None,
        )

    def _retrieved(self, g: int) -> tuple[Floats, ShareInterval]:
        """Return the group's share among the passages of each question, and the mean with its interval."""
        n, rows = len(self.answers), self.passages
        known = np.bincount(rows.questions, minlength=n)
        hits = rows.groups == g
        shares: Floats = np.bincount(rows.questions[hits], minlength=n) / known
        weights = 1 / (known[rows.questions] * n)
        crossed = CrossedClusters(self.clusters[rows.questions], rows.titles, weights)
        return shares, crossed.interval(hits, (hits - float(shares.mean())) * weights)

    def _change(
        self, changes: Floats, shares: Floats, crossed: CrossedClusters
    ) -> tuple[Interval | None, float | None]:
        """Return the interval of the mean of ``changes``, and the p-value of no change; None for few
        questions.

        The variance is at least the variance of a reader that picks one of a question's passages at random,
        by shares with half a passage added to each side: equal changes in a few questions do not show that
        other questions have them. If all answers are of one group, answers with the same person count as one.
        """
        from scipy.stats import t

        n = len(changes)
        if n < _FEW_QUESTIONS or crossed.few:
            return None, None
        point = float(changes.mean())
        spread = crossed.spread(((changes - point) / n)[:, None])
        known = np.bincount(self.passages.questions, minlength=n)
        smooth = (shares * known + 0.5) / (known + 1)
        by_chance = float((smooth * (1 - smooth)).sum()) / n**2
        if (self.answers.groups == self.answers.groups[0]).all():
            by_chance *= crossed.least_design()
        variance = max(float(spread.variance[0]), by_chance)
        half = Z95 * spread.widened * float(np.sqrt(variance))
        low, high = 0.0 - float(shares.mean()), 1 - float(shares.mean())
        p = float(2 * t.sf(abs(point) / np.sqrt(variance), spread.freedom))
        return Interval(max(low, point - half), point, min(high, point + half)), p


def _paired(passages: FoundRows, answers: FoundBy, clusters: Codes) -> _Paired:
    """Return the answers of a known group with the passages of a known group of the same questions."""
    own = answers.rows.where(answers.rows.groups >= 0)
    place = np.full(len(answers.asked.ids), -1)
    place[own.questions] = np.arange(len(own))
    rows = passages.where((passages.groups >= 0) & (place[passages.questions] >= 0))
    return _Paired(answers, own, replace(rows, questions=place[rows.questions]), clusters[own.questions])


def _verdict(retrieved: Interval | None, change: Interval | None, base: float | None) -> Verdict:
    """Return the reader's effect on the retriever's disparity; a change that exactly removes the disparity
    dampens it."""
    if retrieved is None or change is None or base is None or change.low <= 0 <= change.high:
        return "unclear"
    disparity = retrieved.point - base
    if retrieved.low <= base <= retrieved.high:
        return "adds"
    if (change.point > 0) == (disparity > 0):
        return "amplifies"
    return "reverses" if abs(change.point) > abs(disparity) + _SAME else "dampens"


def corrected_changes(rows: Sequence[Amplification]) -> list[Amplification]:
    """Return ``rows`` with p-values corrected (Holm) within each scope and kind of answers.

    With two groups, the change of one determines the change of the other, so only the first is a comparison.
    """
    two = len({row.group for row in rows}) == 2
    families: dict[tuple[str, str], dict[tuple[str, ...], list[int]]] = {}
    for i, row in enumerate(rows):
        key = (row.retriever, row.reader, row.part, "" if two else row.group)
        families.setdefault((row.scope, row.counted), {}).setdefault(key, []).append(i)
    replaced = list(rows)
    for family in families.values():
        tested = [places for places in family.values() if rows[places[0]].p is not None]
        corrected = dict(zip((p[0] for p in tested), holm([rows[p[0]].p for p in tested]), strict=True))
        for places in family.values():
            p = corrected.get(places[0])
            for i in places:
                replaced[i] = replace(rows[i], p_corrected=p, comparisons=len(tested))
    return replaced

"""The shares of groups among the passages or answers that are found, with intervals, compared with a base
rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats
from nextset.auditing.holm_correction import with_corrected_p
from nextset.extensions.ambiguity.retrieval.crossed_variance import CrossedClusters, ShareInterval
from nextset.extensions.ambiguity.retrieval.found_rows import AskedQuestions, FoundRows
from nextset.extensions.ambiguity.retrieval.goodness_of_fit import goodness_of_fit
from nextset.extensions.ambiguity.retrieval.retrieval_records import BaseRateTest, Counted, GroupShare, Scope
from nextset.interval import Interval

__all__ = ["CUTOFFS", "FoundBy", "corrected_tests", "cutoffs", "group_shares", "group_tests"]

CUTOFFS = (1, 5, 10, 20, 50, 100)
"""The numbers of first passages whose shares are shown, up to the number that is retrieved."""

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class FoundBy:
    """The passages or answers that a retriever, or a reader on top of it, finds, with their base rates."""

    retriever: str
    """The retriever's published name."""
    reader: str
    """The reader's published name; empty for a retriever."""
    counted: Counted
    """The kind of the rows."""
    rows: FoundRows
    asked: AskedQuestions
    """The questions."""
    missing: Codes
    """For each question, the number of rows of an unknown group that are not in `rows`: missing answers."""
    base: Floats
    """The base rates of each question, shape (questions, groups); NaN without a base rate."""
    groups: tuple[str, ...]
    first: int
    """The number of first passages of each question that are counted, or read."""

    def at(self, first: int) -> FoundBy:
        """Return the rows among the ``first`` passages of each question."""
        return replace(self, rows=self.rows.first(first), first=first)

    def titles(self) -> FoundBy:
        """Return the same with each title once per question."""
        return replace(self, rows=self.rows.distinct(), counted="titles")

    def parts(self, scopes: Sequence[Scope]) -> Iterator[tuple[Scope, str, FoundBy, Codes]]:
        """Yield scope, name and rows of each part of ``scopes``, with the cluster of each question."""
        n = np.arange(len(self.asked.ids))
        if "all" in scopes:
            yield "all", "", self, self.asked.clusters
        if "occupation" in scopes:
            for code, name in enumerate(self.asked.names):
                yield "occupation", name, self._of(np.asarray(self.asked.codes == code)), n
        if "question" in scopes:
            for i, question in enumerate(self.asked.ids):
                yield "question", question, self._of(np.asarray(n == i)), n

    def _of(self, questions: npt.NDArray[np.bool_]) -> FoundBy:
        return replace(
            self,
            rows=self.rows.where(questions[self.rows.questions]),
            missing=np.where(questions, self.missing, 0),
        )


def cutoffs(top_k: int) -> tuple[int, ...]:
    """Return `CUTOFFS` below ``top_k``, and ``top_k``."""
    return (*(k for k in CUTOFFS if k < top_k), top_k)


def group_shares(found: FoundBy, scopes: Sequence[Scope]) -> Iterator[GroupShare]:
    """Yield the share of each group for each part of ``scopes``."""
    for scope, part, own, clusters in found.parts(scopes):
        yield from _shares(scope, part, own, clusters)


def _shares(scope: Scope, part: str, found: FoundBy, clusters: Codes) -> Iterator[GroupShare]:
    rows = found.rows
    known = rows.where(rows.groups >= 0)
    base = found.base[known.questions]
    has_base = ~np.isnan(base[:, 0])
    compared, base = known.where(has_base), base[has_base]
    for g, group in enumerate(found.groups):
        share = _interval(known, known.groups == g, None, clusters)
        against = _interval(compared, compared.groups == g, base[:, g], clusters)
        mean = float(base[:, g].mean()) if len(compared) else None
        within = share.interval if share else None
        beside = against.interval if against else None
        apart = None if beside is None or mean is None else _shifted(beside, -mean)
        ratio = None if beside is None or not mean else beside.scaled(1 / mean)
        yield GroupShare(
            retriever=found.retriever,
            reader=found.reader,
            scope=scope,
            part=part,
            counted=found.counted,
            first=found.first,
            group=group,
            count=int((known.groups == g).sum()),
            known=len(known),
            unknown=len(rows) - len(known) + int(found.missing.sum()),
            questions=len(np.unique(rows.questions)),
            titles=len(np.unique(rows.titles)),
            share=share.share if share else None,
            low=within.low if within else None,
            high=within.high if within else None,
            base_rate=mean,
            compared=len(compared),
            disparity=against.share - mean if against and mean is not None else None,
            disparity_low=apart.low if apart else None,
            disparity_high=apart.high if apart else None,
            ratio=against.share / mean if against and mean else None,
            ratio_low=ratio.low if ratio else None,
            ratio_high=ratio.high if ratio else None,
            design_effect=share.design_effect if share else None,
            freedom=share.freedom if share and np.isfinite(share.freedom) else None,
        )


def _interval(
    rows: FoundRows, hits: npt.NDArray[np.bool_], base: Floats | None, clusters: Codes
) -> ShareInterval | None:
    """Return the share of ``hits`` with its interval; None without rows.

    A base rate that varies between questions explains a part of the differences between them.
    """
    n = len(rows)
    if not n:
        return None
    apart = hits - (0.0 if base is None else base)
    crossed = CrossedClusters(clusters[rows.questions], rows.titles)
    return crossed.interval(hits, (apart - apart.mean()) / n)


def _shifted(interval: Interval, by: float) -> Interval:
    return Interval(interval.low + by, interval.point + by, interval.high + by)


def group_tests(found: FoundBy, scopes: Sequence[Scope]) -> Iterator[BaseRateTest]:
    """Yield the test of each part of ``scopes``, not yet corrected for their number."""
    for scope, part, own, clusters in found.parts(scopes):
        rows = own.rows
        base = own.base[rows.questions]
        usable = (rows.groups >= 0) & ~np.isnan(base).any(axis=1)
        rows, base = rows.where(usable), base[usable]
        fit = goodness_of_fit(rows.groups, base, CrossedClusters(clusters[rows.questions], rows.titles))
        yield BaseRateTest(
            retriever=own.retriever,
            reader=own.reader,
            scope=scope,
            part=part,
            counted=own.counted,
            first=own.first,
            n=fit.n,
            chi_squared=fit.chi_squared,
            degrees=fit.degrees,
            p=fit.p,
            method=fit.method,
            design_effect=fit.design_effect,
            freedom=fit.freedom,
            p_design=fit.p_design,
            p_corrected=None,
            comparisons=0,
            effect=fit.effect,
            effect_low=fit.effect_low,
            effect_high=fit.effect_high,
            note=fit.note,
        )


def corrected_tests(tests: Sequence[BaseRateTest]) -> list[BaseRateTest]:
    """Return ``tests`` with p-values corrected (Holm) within each scope and kind of count."""
    return with_corrected_p(
        tests, lambda test: (test.scope, test.counted, bool(test.reader)), "p_design", "p_design"
    )

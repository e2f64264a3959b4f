"""The tables of an audit of retrieval, as parts of its artifact."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from nextset.artifacts.build import FilePart, Part, PartResult
from nextset.auditing.audit_tables import measures_csv
from nextset.extensions.ambiguity.retrieval.retrieval_audit import RetrievalAudit
from nextset.extensions.ambiguity.retrieval.retrieval_findings import (
    base_rate_warnings,
    retrieval_findings,
    retrieval_warnings,
)
from nextset.extensions.ambiguity.retrieval.retrieval_records import (
    Amplification,
    BaseRate,
    BaseRateTest,
    GroupShare,
    GroupSource,
    OpenAnswer,
    RetrievalFinding,
)
from nextset.extensions.ambiguity.unanswered_groups import UnansweredGroup, unanswered_warnings
from nextset.records.arrow_schema import table_of

__all__ = ["RetrievalTables"]


@dataclass(frozen=True)
class RetrievalTables:
    """Tables that are computed when the first of them is needed."""

    audit: RetrievalAudit
    """The audit that they are computed from."""

    def parts(self) -> Iterator[Part | FilePart]:
        """Yield one part per table, for the table shares one per retriever, and the CSV files."""
        for retriever in self.audit.retrievers or ("",):
            yield Part("shares", functools.partial(self._of_retriever, retriever))
        yield Part("tests", lambda: PartResult(self._tests))
        yield Part("amplification", lambda: PartResult(self._amplification))
        yield Part("base_rates", lambda: PartResult(table_of(self.audit.base.rows(), BaseRate)))
        yield Part("groups", lambda: PartResult(table_of(self._sources, GroupSource)))
        yield Part("answers", lambda: PartResult(table_of(self.audit.answers, OpenAnswer)))
        yield Part("found", lambda: PartResult(self.audit.found_passages()))
        yield Part("conclusions", lambda: PartResult(table_of(self._findings(), RetrievalFinding)))
        if self.audit.silent:
            yield Part("unanswered", lambda: PartResult(table_of(self.audit.silent, UnansweredGroup)))
        yield FilePart("shares.csv", lambda: measures_csv(table_of(self._shares, GroupShare)))
        yield FilePart("tests.csv", lambda: measures_csv(self._tests))
        yield FilePart("amplification.csv", lambda: measures_csv(self._amplification))

    def _of_retriever(self, retriever: str) -> PartResult:
        return PartResult(table_of(self._shares_of(retriever), GroupShare))

    def _shares_of(self, retriever: str) -> list[GroupShare]:
        if retriever not in self._by_retriever:
            self._by_retriever[retriever] = list(self.audit.shares(retriever)) if retriever else []
        return self._by_retriever[retriever]

    @functools.cached_property
    def _by_retriever(self) -> dict[str, list[GroupShare]]:
        return {}

    @property
    def _shares(self) -> list[GroupShare]:
        return [share for retriever in self.audit.retrievers for share in self._shares_of(retriever)]

    @functools.cached_property
    def _tests(self) -> pa.Table:
        return table_of(self.audit.tests, BaseRateTest)

    @functools.cached_property
    def _amplification(self) -> pa.Table:
        return table_of(self.audit.amplification, Amplification)

    @functools.cached_property
    def _sources(self) -> list[GroupSource]:
        return list(self.audit.group_sources())

    def _findings(self) -> Iterator[RetrievalFinding]:
        mismatches = base_rate_warnings(self.audit.questions, self.audit.base)
        for text in (
            *retrieval_warnings(self._shares, self._sources),
            *mismatches,
            *unanswered_warnings(self.audit.silent),
        ):
            yield RetrievalFinding(text=text, warning=True)
        for text in retrieval_findings(self._shares, self.audit.tests, self.audit.amplification):
            yield RetrievalFinding(text=text, warning=False)

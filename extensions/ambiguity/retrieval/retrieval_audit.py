"""An audit of retrieval: the passages that retrievers found and the answers of readers become shares, tests
and changes."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.extensions.ambiguity.passages import OpenQuestion
from nextset.extensions.ambiguity.retrieval.amplification import amplification, corrected_changes
from nextset.extensions.ambiguity.retrieval.base_rates import BaseRates
from nextset.extensions.ambiguity.retrieval.found_rows import AskedQuestions, FoundRows
from nextset.extensions.ambiguity.retrieval.found_shares import (
    FoundBy,
    corrected_tests,
    cutoffs,
    group_shares,
    group_tests,
)
from nextset.extensions.ambiguity.retrieval.retrieval_records import (
    Amplification,
    BaseRateTest,
    Counted,
    FoundPassage,
    GroupShare,
    GroupSource,
    OpenAnswer,
    Scope,
)
from nextset.extensions.ambiguity.retrieval.title_groups import TitleGroups, source_counts
from nextset.extensions.ambiguity.unanswered_groups import UnansweredGroup
from nextset.records.arrow_schema import arrow_schema

__all__ = ["RetrievalAudit"]

_TOGETHER: tuple[Scope, ...] = ("all", "occupation")
_EVERY: tuple[Scope, ...] = (*_TOGETHER, "question")
_ANSWERED: tuple[Counted, ...] = ("answers", "named_answers")


@dataclass(frozen=True)
class RetrievalAudit:
    """The measures of an audit; each is computed when it is first needed."""

    questions: Sequence[OpenQuestion]
    retrieved: pa.Table
    """RetrievedPassage of all retrievers."""
    titles: TitleGroups
    """The groups of the collection's titles."""
    base: BaseRates
    """The base rates."""
    answers: Sequence[OpenAnswer]
    """The answers of readers; may be empty."""
    top_k: int
    """The number of passages retrieved for each question."""
    read: int
    """The number of passages that readers read for each question."""
    silent: Sequence[UnansweredGroup] = ()
    """The readings that readers refused, or that were cut off, by the group of the passage's title."""

    @functools.cached_property
    def retrievers(self) -> tuple[str, ...]:
        """The retrievers, in their order."""
        return tuple(dict.fromkeys(self.retrieved["retriever"].to_pylist()))

    def shares(self, retriever: str) -> Iterator[GroupShare]:
        """Yield the shares among the passages of ``retriever``, and among the answers of readers on top of
        it."""
        passages = self._found(retriever)
        for first in cutoffs(self.top_k):
            scopes = _EVERY if first == self.top_k else _TOGETHER
            for own in (passages.at(first), passages.at(first).titles()):
                yield from group_shares(own, scopes)
        for answers in self._answered(retriever):
            yield from group_shares(answers, _TOGETHER)

    @functools.cached_property
    def tests(self) -> list[BaseRateTest]:
        """The tests of all retrievers and readers."""
        rows: list[BaseRateTest] = []
        for retriever in self.retrievers:
            passages = self._found(retriever)
            for own in (passages, passages.titles()):
                rows += group_tests(own, _EVERY)
            for answers in self._answered(retriever):
                rows += group_tests(answers, _TOGETHER)
        return corrected_tests(rows)

    @functools.cached_property
    def amplification(self) -> list[Amplification]:
        """The changes that readers make."""
        return corrected_changes(
            [
                row
                for retriever in self.retrievers
                for answers in self._answered(retriever)
                for row in amplification(self._found(retriever).at(self.read), answers)
            ]
        )

    def group_sources(self) -> Iterator[GroupSource]:
        """Yield the sources of the groups of the collection's titles, and of the titles that each retriever
        finds."""
        every = np.arange(len(self.titles.titles))
        yield from self._sources("collection", every, np.repeat(every, self.titles.passages))
        for retriever in self.retrievers:
            titles = self._found(retriever).rows.titles
            yield from self._sources(retriever, np.unique(titles), titles)

    def found_passages(self) -> pa.Table:
        """Return the retrieved passages with their groups, as `FoundPassage` rows."""
        places = self.titles.of(self.retrieved["title"].to_pylist()).tolist()
        columns = {
            name: self.retrieved[name] for name in ("question_id", "retriever", "rank", "passage", "title")
        }
        columns["group"] = pa.array([self.titles.name(place) for place in places], pa.string())
        columns["source"] = pa.array([self.titles.sources[place] for place in places], pa.string())
        return pa.table(columns).cast(arrow_schema(FoundPassage))

    def _sources(
        self, of: str, titles: npt.NDArray[np.int64], passages: npt.NDArray[np.int64]
    ) -> Iterator[GroupSource]:
        by_title, by_passage = source_counts(self.titles, titles), source_counts(self.titles, passages)
        for (group, source, label), n in sorted(by_passage.items()):
            titled = by_title[group, source, label]
            yield GroupSource(of=of, group=group, source=source, label=label, titles=titled, passages=n)

    @functools.cached_property
    def _asked(self) -> AskedQuestions:
        return AskedQuestions.of(list(self.questions))

    @functools.cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self._asked.ids)}

    @functools.cached_property
    def _by_retriever(self) -> dict[str, FoundBy]:
        return {retriever: self._retrieved(retriever) for retriever in self.retrievers}

    def _found(self, retriever: str) -> FoundBy:
        return self._by_retriever[retriever]

    def _retrieved(self, retriever: str) -> FoundBy:
        own = self.retrieved.filter(pc.equal(self.retrieved["retriever"], retriever))
        titles = self.titles.of(own["title"].to_pylist())
        rows = FoundRows(
            np.fromiter((self._places[i] for i in own["question_id"].to_pylist()), np.int64),
            own["rank"].to_numpy().astype(np.int64),
            titles,
            self.titles.codes[titles],
        )
        none = np.zeros(len(self.questions), np.int64)
        return self._found_by(retriever, "", "passages", rows, none, self.top_k)

    def _answered(self, retriever: str) -> Iterator[FoundBy]:
        """Yield the answers of each reader, and the answers among them that name the person."""
        own = [answer for answer in self.answers if answer.retriever == retriever]
        for reader in dict.fromkeys(answer.reader for answer in own):
            for counted in _ANSWERED:
                used = [
                    a
                    for a in own
                    if a.reader == reader and a.passage is not None and (a.named or counted == "answers")
                ]
                titles = self.titles.of(a.title for a in used)
                rows = FoundRows(
                    np.fromiter((self._places[a.question_id] for a in used), np.int64),
                    np.ones(len(used), np.int64),
                    titles,
                    self.titles.codes[titles],
                )
                missing = np.ones(len(self.questions), np.int64)
                missing[rows.questions] = 0
                yield self._found_by(retriever, reader, counted, rows, missing, self.read)

    def _found_by(
        self,
        retriever: str,
        reader: str,
        counted: Counted,
        rows: FoundRows,
        missing: npt.NDArray[np.int64],
        first: int,
    ) -> FoundBy:
        return FoundBy(
            retriever,
            reader,
            counted,
            rows,
            self._asked,
            missing,
            self.base.of(self._asked.occupations),
            self.titles.groups,
            first,
        )

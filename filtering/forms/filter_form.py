"""The part of a form that the filter needs: answers, parts, clusters, words of the report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Protocol

import numpy as np
import pyarrow as pa

from nextset.array_types import Bools
from nextset.cluster_bootstrap import Clusters
from nextset.filtering.balance import Parts
from nextset.filtering.item_sets import Sets
from nextset.filtering.model_answers import Answers
from nextset.open_table import OpenTable
from nextset.records.filter_tables import AccuracyRow, BiasRow
from nextset.scoring.wrong_answers import Missing

__all__ = ["FILTERING_FORMS", "CandidateRows", "FilterForm", "RowColumns", "ScorePieces"]

ScorePieces = Callable[[tuple[str, ...]], Iterable[pa.Table]]
"""A function that reads the named columns of a table of scores, piece by piece."""


class RowColumns(Protocol):
    """Rows by column."""

    @property
    def rows(self) -> int:
        """The number of rows."""

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return all rows in their order, with the named columns."""


class CandidateRows(RowColumns, Protocol):
    """The candidates of a filter, by column."""

    def groups(self) -> pa.ChunkedArray:
        """Return the group that each NLI item is about; null if it has none."""


class FilterForm(ABC):
    """A form of candidates; a package registers an object in the group nextset.forms.filtering."""

    answers: str
    """The kind of the models' answers, which rules read: labels, or subjects."""
    row: str
    """A row in a sentence, such as an item."""
    rows: str
    """The rows on the report's page, such as items."""
    replies: str = "answers"
    """The verb for a model's answer, such as answers or chooses."""
    finder: str
    """The column of kept rows with the models that find the row hard."""
    id_columns: tuple[str, ...] = ("id",)
    """The columns that `candidates` reads."""
    answer_columns: tuple[str, ...] = ("id",)
    """The columns of the rows that `read_answers` reads."""
    score_columns: tuple[str, ...]
    """The columns of the scores that `read_answers` needs; it also reads those of outcomes."""
    right_answers: bool = False
    """True if the rows have right answers, so that rules can be compared by accuracy."""
    shift_table: str
    """The table of the models' values before and after the filter."""
    shift_record: ClassVar[type]
    """The record of `shift_table`."""
    shift_title: str
    """The title of the plot of these values."""
    gap_title: str
    """The title of the plot of filter models and held-out models."""
    sampled_by: str = "template"
    """The parts, of those in the survival table, from which the report shows a sample of the kept rows."""
    sampled: Mapping[str, str] = MappingProxyType({})
    """The columns of the sample with their headings; a column without one is read and not shown. If it is
    empty, the report shows no sample."""

    def candidates(self, rows: pa.Table) -> Bools:
        """Return True for each of ``rows``, with `id_columns`, that can be a candidate; shape (rows,)."""
        return np.ones(rows.num_rows, np.bool_)

    @abstractmethod
    def read_answers(
        self,
        rows: pa.Table,
        scores: Iterable[pa.Table],
        models: Sequence[str],
        *,
        probabilities: bool = False,
        missing: Missing = "not_wrong",
    ) -> Answers:
        """Return the answers of ``models`` to ``rows``, which have `answer_columns`.

        ``scores`` are pieces with `score_columns`, which can include other rows. ``probabilities`` is True if
        a rule reads them; ``missing`` is the policy for rows that a model did not answer. Raises
        ArtifactError if a score is not a number.
        """

    @abstractmethod
    def sets(self, candidates: RowColumns) -> Sets:
        """Return the sets of candidates that belong together, a number for each candidate."""

    @abstractmethod
    def balance_by(self, by: str) -> str:
        """Return the parts to compare, stance or group, for filter.balance.by ``by``."""

    @abstractmethod
    def balance_parts(self, by: str, candidates: CandidateRows) -> Parts:
        """Return the part of each candidate for filter.balance.by ``by``."""

    @abstractmethod
    def survival_parts(self, candidates: CandidateRows) -> list[Parts]:
        """Return the parts in the survival table; one column is read at a time."""

    @abstractmethod
    def clusters(self, candidates: CandidateRows, patterns: Callable[[], dict[str, str]]) -> Clusters:
        """Return the clusters that the bootstrap draws; ``patterns`` reads the templates' patterns."""

    @abstractmethod
    def shifts(self, answers: Answers, keep: Bools, role: str) -> Sequence[AccuracyRow | BiasRow]:
        """Return each model's values before and after the filter, which keeps the rows ``keep``."""


FILTERING_FORMS: OpenTable[FilterForm] = OpenTable("nextset.forms.filtering", "form of candidates")
"""The forms of nextset and of installed packages that a filter can choose from."""

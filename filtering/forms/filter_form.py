"""The part of a form that the filter needs: answers, parts, clusters, words of the report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

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

__all__ = [
    "FILTERING_FORMS",
    "GENERAL_RULES",
    "CandidateRows",
    "FilterForm",
    "PlainItems",
    "RowColumns",
    "ScorePieces",
]

PlainItems = Callable[[Sequence[str]], pa.Table]
"""A function that reads the named columns of the templates' plain expansion of NLI items."""

GENERAL_RULES: tuple[Any, ...] = (
    *("any_wrong", "majority_wrong", "all_wrong", {"same_wrong": 2}, {"same_wrong": 3}, "disagreement"),
)
"""Rules for all rows with right answers, as written in study.yaml."""

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

    def unfiltered(self, columns: Sequence[str]) -> pa.Table:
        """Return the rows of all sources, each id once, controls included."""

    def groups(self) -> pa.ChunkedArray:
        """Return the group that each NLI item is about; null if it has none."""


class FilterForm(ABC):
    """A form of candidates; a package registers an object in the group nextset.forms.filtering."""

    answers: str
    """The kind of the models' answers, which rules read: labels, choices, or subjects."""
    answer: str = "answer"
    """The name of an answer in a sentence, such as label."""
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
    optional_score_columns: tuple[str, ...] = ()
    """Those of `score_columns` that a given table of scores may lack."""
    right_answers: bool = False
    """True if the rows have right answers, so that rules can be compared by accuracy."""
    part_names: Mapping[str, str] = MappingProxyType({})
    """The names on the page of parts that have a different name there."""
    compared_rules: tuple[Any, ...] = ()
    """The rules of every comparison, as written in study.yaml; empty without right answers."""
    carriers: tuple[str, ...] = ("stereotype", "template")
    """The parts, of those in the survival table, of which one alone may cause the fall of a held-out model;
    the first comes first."""
    together: str = "Items that differ only by group"
    """The items that filter.pairs keeps together, as the subject of a sentence."""
    tests: str = "test items, whose labels are known"
    """The controls, as text."""
    tests_remedy: str = "name models that were trained on NLI"
    """The remedy if no model passes the controls."""
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

    def control_rows(self, candidates: CandidateRows, plain: PlainItems) -> pa.Table | None:
        """Return the rows that show if a model can be trusted, with `answer_columns`; None if there are none.

        Scoring asks the models about them. ``plain`` reads the plain expansion of NLI items.
        """
        return None

    def sampled_texts(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the texts of a kept row with the columns `sampled`, one for each heading."""
        return tuple(row[name] for name, heading in self.sampled.items() if heading)

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

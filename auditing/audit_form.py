"""The part of an audit that differs by form: sets, tables, figures and findings; one object per form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.auditing.audit_records import MeasureRow, WordingRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.own_measures.function_measure import FunctionMeasure
from nextset.auditing.report.explorer_payload import Votes
from nextset.auditing.report.page_section import PageSection
from nextset.auditing.row_sets import AuditRows
from nextset.auditing.shown_form import ShownForm
from nextset.auditing.traces.traced_rows import TracedRows
from nextset.forms import FormName
from nextset.open_table import OpenTable

__all__ = ["AUDIT_FORMS", "AuditForm", "measured_forms"]

Tick = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class AuditForm(ShownForm, ABC):
    """The measures, figures and findings of the rows of one form."""

    measured_columns: tuple[str, ...]
    """The columns of rows that measures need."""
    optional_columns: tuple[str, ...]
    """Further columns that measures use if they exist."""
    score_columns: tuple[str, ...]
    """The columns of scores that measures need."""
    probabilities: tuple[str, ...]
    """Those of `score_columns` that are in [0, 1]."""
    study_sets: tuple[tuple[str, str, str], ...]
    """The sets of a study: the name in tables, the stage, and the stage's table."""
    counted: tuple[tuple[str, str, str], ...]
    """The tables of a study whose rows the report counts: the name in the report, the stage and the table."""
    survival_by: str
    """The grouping of the filter's report that the page shows."""
    release_adds_rows: bool
    """True if a release has rows that were not candidates, such as counterparts: models are asked about
    them, and a study needs a release to be audited."""
    scores_released: bool = True
    """True if a dataset version can have scores in this form."""
    further_columns: tuple[str, ...] = ()
    """Columns that decide which rows are asked in this form, by the form's part in scoring."""

    def left_out(self, rows: int, asked: int) -> dict[str, int]:
        """Return the number of rows that are not asked in this form, by reason."""
        return {}

    @abstractmethod
    def tables(
        self, rows: AuditRows, scores: Iterable[pa.Table], functions: Sequence[FunctionMeasure], tick: Tick
    ) -> AuditTables:
        """Return the tables of ``rows``; ``functions`` are further measures, ``scores`` are read again and
        again.

        Raises MissingStage if a score is missing, ArtifactError if scores are inconsistent.
        """

    @abstractmethod
    def wordings(
        self, scored: Artifact, rows: AuditRows, functions: Sequence[FunctionMeasure]
    ) -> Iterator[WordingRow]:
        """Yield the measures of models that write, ``functions`` among them, in one wording at a time."""

    def traced(self, rows: AuditRows) -> Iterator[TracedRows]:
        """Yield the rows whose thinking is measured, part by part; none if it is not measured."""
        yield from ()

    @abstractmethod
    def sections(self, audit: AuditTables) -> Iterator[PageSection]:
        """Yield the sections of the page with the figures and tables of this form."""

    @abstractmethod
    def findings(self, audit: AuditTables) -> list[str]:
        """Return sentences on the measures of one model in this form."""

    @abstractmethod
    def payload(self, rows: pa.Table, scores: Iterable[pa.Table], votes: Votes | None) -> Mapping[str, Any]:
        """Return the rows of the page's explorer as values that JSON can hold."""


AUDIT_FORMS: OpenTable[AuditForm] = OpenTable("nextset.forms.auditing", "audited form")
"""The audited forms of nextset and of installed packages."""


def measured_forms(rows: Iterable[MeasureRow]) -> tuple[FormName, ...]:
    """Return the forms of some measures, in the order of `AUDIT_FORMS`."""
    measured = {row.form for row in rows}
    return tuple(name for name in AUDIT_FORMS.names if name in measured)

"""NLI items in an audit, asked as premise and hypothesis or as yes/no questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.auditing.audit_form import AuditForm, Tick
from nextset.auditing.audit_records import WordingRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.form_tables import item_tables
from nextset.auditing.measures.item_measures import ACCURACY
from nextset.auditing.nli.item_counts import JUDGED, PROPERTIES, ItemSet
from nextset.auditing.own_measures.function_measure import FunctionMeasure
from nextset.auditing.report.explorer_payload import Votes
from nextset.auditing.report.item_figures import item_figures
from nextset.auditing.report.item_findings import item_findings
from nextset.auditing.report.item_payload import item_payload
from nextset.auditing.report.outcome_figures import outcome_section
from nextset.auditing.report.page_section import PageSection
from nextset.auditing.report.result_tables import measure_tables
from nextset.auditing.row_sets import AuditRows, RowSet
from nextset.auditing.score_pieces import NLI_COLUMNS
from nextset.auditing.traces.traced_rows import ITEM_COLUMNS, LINK_COLUMNS, TracedRows, traced_items
from nextset.auditing.wording_spread import item_wordings
from nextset.records.nli_items import LABELS
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.question_items import WITHOUT_QUESTION

__all__ = ["NLI", "QA"]


@dataclass(frozen=True)
class _ItemForm(AuditForm):
    def tables(
        self, rows: AuditRows, scores: Iterable[pa.Table], functions: Sequence[FunctionMeasure], tick: Tick
    ) -> AuditTables:
        judged = None if rows.judged is None else self._items(rows.judged)
        return item_tables([self._items(s) for s in rows.sets], judged, scores, self.name, tick, functions)

    def wordings(
        self, scored: Artifact, rows: AuditRows, functions: Sequence[FunctionMeasure]
    ) -> Iterator[WordingRow]:
        return item_wordings(scored, self._items(rows.sets[-1]), self.name, functions)

    def traced(self, rows: AuditRows) -> Iterator[TracedRows]:
        last = rows.sets[-1]
        items = pa.concat_tables(last.tables(ITEM_COLUMNS, LINK_COLUMNS))
        yield traced_items(items, self.name, last.name, last.patterns)

    def sections(self, audit: AuditTables) -> Iterator[PageSection]:
        name, title = f"accuracy-and-bias-{self.name}", f"Accuracy and bias: {self.title.lower()}"
        figures = tuple(item_figures(audit, self.name))
        yield PageSection(name, title, figures, (), tuple(measure_tables(audit, self.name)))
        yield from outcome_section(audit, self.name, self.title)

    def findings(self, audit: AuditTables) -> list[str]:
        return item_findings(audit, self.name)

    def payload(self, rows: pa.Table, scores: Iterable[pa.Table], votes: Votes | None) -> Mapping[str, Any]:
        return item_payload(rows, scores, votes)

    def _items(self, rows: RowSet) -> ItemSet:
        def tables() -> Iterator[pa.Table]:
            columns = (*self.measured_columns, *self.further_columns)
            return (
                SCORED_FORMS[self.name].asked(table).rows
                for table in rows.tables(columns, self.optional_columns)
            )

        return ItemSet(rows.name, rows.rows, tables, rows.selections, rows.patterns)


@dataclass(frozen=True)
class _QuestionForm(_ItemForm):
    def left_out(self, rows: int, asked: int) -> dict[str, int]:
        return {WITHOUT_QUESTION: rows - asked} if rows - asked else {}


NLI = _ItemForm(
    name="nli",
    title="Premise and hypothesis",
    measured_columns=PROPERTIES,
    optional_columns=JUDGED,
    score_columns=NLI_COLUMNS,
    probabilities=LABELS,
    study_sets=(("plain", "generate", "items"), ("released", "release", "items")),
    counted=(
        ("plain expansion", "generate", "items"),
        ("masked", "generate", "masked"),
        ("filled", "fill", "items"),
        ("hard", "filter", "kept"),
        ("form ok", "validate", "form_ok"),
        ("judged valid", "validate", "valid"),
        ("released", "release", "items"),
    ),
    survival_by="domain",
    kind="items",
    noun="items",
    unit="per_cent",
    main_sets=("released", "dataset", "generated", "plain"),
    answered="The model answered an item if its prompts without a choice could not have changed its label: "
    "with two equal answers and a refusal it did, with two different answers and a refusal it did not.",
    rates_by=("domain", "stereotype", "group"),
    rates_drawn_by="domain",
    explorer_shows="its counterpart and every model's probabilities",
    accuracies=(ACCURACY.name,),
    has_patterns=True,
    states_stereotypes=True,
    release_adds_rows=True,
)
"""Premise and hypothesis."""
QA = _QuestionForm(
    **{
        **vars(NLI),
        "name": "qa",
        "title": "Yes/no questions",
        "scores_released": False,
        "further_columns": ("question",),
    }
)
"""The same items as yes/no questions; items without a question are not asked."""

"""Choice items in an audit: questions with options about a context (BBQ, Parrish et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.auditing.audit_form import AuditForm, Tick
from nextset.auditing.audit_records import WordingRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.choices.choice_arrays import CONTROLS_BY, PROPERTIES, measured_items
from nextset.auditing.choices.choice_audit import audit_choices
from nextset.auditing.choices.choice_counts import ChoiceCounts, choice_set, count_choices
from nextset.auditing.choices.choice_measure_rows import choice_rate_rows, choice_rows
from nextset.auditing.choices.options_by_model import SCORE_COLUMNS
from nextset.auditing.measures.choice_measures import ACCURACY_AMBIGUOUS, ACCURACY_DISAMBIGUATED
from nextset.auditing.own_measures.choice_item_rows import choice_item_rows
from nextset.auditing.own_measures.function_measure import FunctionMeasure
from nextset.auditing.own_measures.function_tables import (
    audit_functions,
    function_changes,
    function_wordings,
    of_form,
    own_measures,
)
from nextset.auditing.own_measures.measured_rows import MeasuredRows
from nextset.auditing.report.choice_figures import choice_figures
from nextset.auditing.report.choice_findings import choice_findings
from nextset.auditing.report.choice_payload import choice_payload
from nextset.auditing.report.explorer_payload import Votes
from nextset.auditing.report.outcome_figures import outcome_section
from nextset.auditing.report.page_section import PageSection
from nextset.auditing.report.result_tables import measure_tables
from nextset.auditing.row_sets import AuditRows, RowSet
from nextset.auditing.wording_spread import wording_pieces
from nextset.records.choice_items import OPTION_SCORES

__all__ = ["CHOICE_FORM"]

_FURTHER = (*CONTROLS_BY, "set_id", "template_version", "context", "question")
"""The column that tells controls, and columns that functions of a study may read."""


@dataclass(frozen=True)
class _Counted:
    """A set with its items and counts."""

    items: pa.Table
    counts: ChoiceCounts

    def rows(self, scores: Iterable[pa.Table], form: str) -> MeasuredRows:
        """Return the set as rows for functions."""
        return choice_item_rows(self.items, self.counts, lambda: pa.concat_tables(scores), form)


@dataclass(frozen=True)
class _ChoiceForm(AuditForm):
    def tables(
        self, rows: AuditRows, scores: Iterable[pa.Table], functions: Sequence[FunctionMeasure], tick: Tick
    ) -> AuditTables:
        sets = []
        for items in rows.sets:
            sets.append(self._counted(items, scores))
            tick(len(sets), len(rows.sets))
        own = of_form(functions, self.name)
        of_sets = [counted.rows(scores, self.name) for counted in sets] if own else []
        of_functions = [audit_functions(of_set, own) for of_set in of_sets]
        changes = [list(function_changes(first, second, own)) for first, second in pairwise(of_sets)]
        audit = audit_choices(
            [s.counts for s in sets], self.name, [f.compared for f in of_functions], changes
        )
        return replace(
            audit,
            measures=[*audit.measures, *(row for f in of_functions for row in f.measures)],
            sensitivity=[*audit.sensitivity, *(row for f in of_functions for row in f.sensitivity)],
            own_measures=own_measures(own),
        )

    def wordings(
        self, scored: Artifact, rows: AuditRows, functions: Sequence[FunctionMeasure]
    ) -> Iterator[WordingRow]:
        own, last = of_form(functions, self.name), rows.sets[-1]
        for wording, scores in wording_pieces(scored, self.name, SCORE_COLUMNS):
            counted = self._counted(last, scores)
            yield from self._wording(counted.counts, last.name, wording)
            if own:
                yield from function_wordings(counted.rows(scores, self.name), own, wording)

    def _wording(self, counts: ChoiceCounts, items: str, wording: int) -> Iterator[WordingRow]:
        for row in (*choice_rows(counts, self.name, "all"), *choice_rate_rows(counts, self.name, "all")):
            yield WordingRow(
                form=self.name,
                items=items,
                subject_class="",
                model=row.model,
                measure=row.measure,
                wording=wording,
                value=row.value,
                n=row.n,
            )

    def sections(self, audit: AuditTables) -> Iterator[PageSection]:
        title = self.title.lower()
        figures, tables = choice_figures(audit, self.name), measure_tables(audit, self.name)
        yield PageSection(
            f"bias-{self.name}", f"Accuracy and bias: {title}", tuple(figures), (), tuple(tables)
        )
        yield from outcome_section(audit, self.name, self.title)

    def findings(self, audit: AuditTables) -> list[str]:
        return choice_findings(audit, self.name)

    def payload(self, rows: pa.Table, scores: Iterable[pa.Table], votes: Votes | None) -> Mapping[str, Any]:
        return choice_payload(rows, scores, votes)

    def _counted(self, items: RowSet, scores: Iterable[pa.Table]) -> _Counted:
        tables = list(items.tables(PROPERTIES, _FURTHER))
        table = measured_items(pa.concat_tables(tables, promote_options="default"))
        return _Counted(table, count_choices(choice_set(items.name, [table]), scores))


CHOICE_FORM = _ChoiceForm(
    name="choice",
    title="Questions with options",
    measured_columns=PROPERTIES,
    optional_columns=(),
    score_columns=SCORE_COLUMNS,
    probabilities=OPTION_SCORES,
    study_sets=(("generated", "generate", "choices"), ("released", "release", "choices")),
    counted=(
        ("generated", "generate", "choices"),
        ("masked", "generate", "masked_choices"),
        ("filled", "fill", "choices"),
        ("hard", "filter", "kept"),
        ("form ok", "validate", "form_ok"),
        ("judged valid", "validate", "valid"),
        ("released", "release", "choices"),
    ),
    survival_by="category",
    kind="choices",
    noun="items",
    unit="per_cent",
    main_sets=("released", "dataset", "generated"),
    answered="The model answered an item if its prompts without a choice could not have changed the option "
    "that it chose. An abstention is the option that it cannot be known.",
    accuracies=(ACCURACY_AMBIGUOUS.name, ACCURACY_DISAMBIGUATED.name),
    rates_by=("category", "group"),
    rates_drawn_by="category",
    explorer_shows="its options and every model's probabilities",
    release_adds_rows=False,
)
"""Questions with three or more options about a context, one of which is that it is unknown."""

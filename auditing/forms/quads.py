"""Questions and masked statements about two subjects in an audit (UnQover, Li et al. 2020)."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.auditing.audit_form import AuditForm, Tick
from nextset.auditing.audit_records import WordingRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.form_tables import question_tables
from nextset.auditing.own_measures.function_measure import FunctionMeasure
from nextset.auditing.quads.quad_columns import SCORES
from nextset.auditing.quads.quad_tables import PROPERTIES, LengthsOf
from nextset.auditing.quads.token_lengths import TokenLengths, at_mask, length_columns
from nextset.auditing.report.explorer_payload import Votes
from nextset.auditing.report.outcome_figures import outcome_section
from nextset.auditing.report.page_section import PageSection
from nextset.auditing.report.preference_figures import preference_figures
from nextset.auditing.report.quad_figures import quad_figures
from nextset.auditing.report.quad_findings import quad_findings
from nextset.auditing.report.quad_payload import quad_payload
from nextset.auditing.report.result_tables import measure_tables
from nextset.auditing.row_sets import AuditRows
from nextset.auditing.score_pieces import QUAD_COLUMNS
from nextset.auditing.traces.traced_rows import QUAD_COLUMNS as TRACED
from nextset.auditing.traces.traced_rows import TracedRows, traced_quads
from nextset.auditing.wording_spread import question_wordings
from nextset.forms import FORMS, FormName

__all__ = ["QUESTION", "STATEMENT"]


@dataclass(frozen=True)
class _QuadForm(AuditForm):
    def tables(
        self, rows: AuditRows, scores: Iterable[pa.Table], functions: Sequence[FunctionMeasure], tick: Tick
    ) -> AuditTables:
        sets = {s.name: functools.partial(s.tables, PROPERTIES, ()) for s in rows.sets}
        return question_tables(sets, scores, self._form, self._lengths(rows), tick, functions)

    def wordings(
        self, scored: Artifact, rows: AuditRows, functions: Sequence[FunctionMeasure]
    ) -> Iterator[WordingRow]:
        first = rows.sets[0]
        return question_wordings(
            scored, first.name, functools.partial(first.tables, PROPERTIES, ()), self._form, functions
        )

    def traced(self, rows: AuditRows) -> Iterator[TracedRows]:
        first = rows.sets[0]
        yield from traced_quads(pa.concat_tables(first.tables(TRACED, ())), self._form, first.name)

    def sections(self, audit: AuditTables) -> Iterator[PageSection]:
        title = self.title.lower()
        figures = tuple(quad_figures(audit, self.name))
        tables = tuple(measure_tables(audit, self.name))
        yield PageSection(f"bias-{self.name}", f"Bias: {title}", figures, (), tables)
        yield from outcome_section(audit, self.name, self.title)
        pairs = preference_figures(audit, self.name)
        rest = tuple(figure for pair in pairs[1:] for figure in pair)
        first = tuple(pairs[0]) if pairs else ()
        yield PageSection(f"preferences-{self.name}", f"Subjects and attributes: {title}", first, rest)

    def findings(self, audit: AuditTables) -> list[str]:
        return quad_findings(audit, self.name)

    def payload(self, rows: pa.Table, scores: Iterable[pa.Table], votes: Votes | None) -> Mapping[str, Any]:
        return quad_payload(rows, scores, votes)

    @property
    def _form(self) -> FormName:
        return self.name

    def _lengths(self, rows: AuditRows) -> LengthsOf:
        if at_mask(self.name) and not rows.masks_by_name:
            return lambda quads, model: None  # pronouns take the place of names
        return TokenLengths(rows.sets[0].tables(length_columns(self._form), ()), rows.sources(), self._form)


_COUNTED = (
    ("questions", "generate", "quads"),
    ("statements", "generate", "statements"),
    ("hard", "filter", "kept"),
    ("form ok", "validate", "form_ok"),
    ("judged valid", "validate", "valid"),
    ("released", "release", "questions"),
    ("released", "release", "statements"),
)


def _quads(name: str, title: str) -> _QuadForm:
    form = FORMS[name]
    return _QuadForm(
        name=name,
        title=title,
        measured_columns=PROPERTIES,
        optional_columns=(),
        score_columns=QUAD_COLUMNS,
        probabilities=SCORES,
        study_sets=(("generated", "generate", form.generated), ("released", "release", form.released)),
        counted=_COUNTED,
        survival_by="class",
        kind="quads",
        noun="quads",
        unit="fraction",
        # the filter kept the released quads for the very preferences that are measured
        main_sets=("dataset", "generated", "released"),
        answered="The model answered a quad if it answered every prompt of its four questions. An abstention "
        "from a question is the answer that the text does not say.",
        rates_by=("cluster", "subject"),
        explorer_shows="both subjects' scores in the four arrangements, B and C",
        shows_empty=False,
        release_adds_rows=False,
    )


QUESTION = _quads("question", "Questions")
"""Questions about a context that does not answer them."""
STATEMENT = _quads("statement", "Masked statements")
"""Statements about one of two subjects, whose name is masked."""

"""The report on questions with several right answers as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.auditing.report.answer_examples import AnswerExample
from nextset.auditing.report.number_table import estimate_text, shown, table_json
from nextset.auditing.report.page_section import PageSection, script_json
from nextset.auditing.report.selectional_figures import order_figure, recall_figure, swap_figure
from nextset.auditing.report.selectional_result_tables import (
    adjusted_table,
    difference_table,
    model_table,
    selectional_notes,
    test_table,
)
from nextset.auditing.selectional.selectional_records import (
    AdjustedOdds,
    AnsweringModel,
    CopySwap,
    GroupDifference,
    GroupRecall,
    GroupTest,
    OrderRecall,
    SelectionalFinding,
)
from nextset.html.page import page
from nextset.html.text_direction import text_direction

__all__ = ["SelectionalReport", "render_selectional"]

_FOLDER = Path(__file__).parent
_SCRIPTS = ("elements.js", "table_export.js", "image_export.js", "save_buttons.js")
_FINDINGS = 4
"""The findings that are shown; the others are folded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionalReport:
    """The contents of the report."""

    title: str
    """The study's name."""
    about: str
    """The study's description of itself; may be empty."""
    attribute: str
    """The attribute by which people are compared, such as gender."""
    models: Sequence[AnsweringModel]
    """The models."""
    findings: Sequence[SelectionalFinding]
    """What was found."""
    recall: Sequence[GroupRecall]
    """Recall by group."""
    tests: Sequence[GroupTest]
    """Chi-squared tests."""
    differences: Sequence[GroupDifference]
    """Differences between groups."""
    order: Sequence[OrderRecall]
    """Recall by order of mention."""
    adjusted: Sequence[AdjustedOdds]
    """Groups compared in the same place."""
    swaps: Sequence[CopySwap]
    """Copies compared person by person."""
    examples: Sequence[AnswerExample] = ()
    """Questions with their answers."""
    versions: tuple[tuple[str, str], ...] = ()
    """Programs and libraries, with their versions."""


def render_selectional(data: SelectionalReport) -> str:
    """Return the report as HTML. The same data give the same bytes; every text from data is escaped."""
    import markupsafe

    sections = [s for s in _sections(data) if s.figures or s.tables]
    first = next((f for s in sections for f in s.figures), None)
    tables = [f.table for s in sections for f in s.figures] + [t for s in sections for t in s.tables]
    told = [f.text for f in data.findings if not f.warning]
    return page(
        _FOLDER / "selectional.html.j2",
        lambda value: shown(value, "per_cent"),
        styles=[_FOLDER / "report.css", _FOLDER / "selectional.css"],
        scripts=[_FOLDER / name for name in _SCRIPTS],
        filters={"estimate": estimate_text, "direction": text_direction},
        data=data,
        first=first,
        sections=[s.without(first) for s in sections],
        warnings=[f.text for f in data.findings if f.warning],
        findings=told,
        shown=_FINDINGS,
        builtin=[m.model for m in data.models if m.model.startswith("builtin:")],
        notes=selectional_notes(data.tests, data.differences, data.adjusted),
        tables=markupsafe.Markup(script_json(table_json(tables))),
    )


def _sections(data: SelectionalReport) -> Iterator[PageSection]:
    recall = [recall_figure(data.recall, "shared_token"), recall_figure(data.recall, "family_name")]
    tests = [difference_table(data.differences), test_table(data.tests)]
    yield PageSection(
        "groups", "Recall by group", tuple(f for f in recall if f), (), tuple(t for t in tests if t)
    )
    order, adjusted = order_figure(data.order), adjusted_table(data.adjusted)
    yield PageSection(
        "order", "The order of mention", (order,) if order else (), (), (adjusted,) if adjusted else ()
    )
    swaps = swap_figure(data.swaps)
    yield PageSection("copies", "Copies with other names", (swaps,) if swaps else ())
    models = model_table(data.models)
    yield PageSection("models", "Models", (), (), (models,) if models else ())

"""The report on questions with several right answers as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.auditing.report.findings_page import FindingsPage, render_findings
from nextset.auditing.report.page_section import PageSection
from nextset.extensions.ambiguity.ambiguous_questions import RefusedQuestion
from nextset.extensions.ambiguity.selectional.answer_examples import AnswerExample
from nextset.extensions.ambiguity.selectional.selectional_figures import (
    order_figure,
    recall_figure,
    swap_figure,
)
from nextset.extensions.ambiguity.selectional.selectional_records import (
    AdjustedOdds,
    AnsweringModel,
    CopySwap,
    GroupDifference,
    GroupRecall,
    GroupTest,
    OrderRecall,
    SelectionalFinding,
)
from nextset.extensions.ambiguity.selectional.selectional_result_tables import (
    adjusted_table,
    difference_table,
    model_table,
    refused_table,
    selectional_notes,
    silent_table,
    test_table,
)
from nextset.extensions.ambiguity.unanswered_groups import UnansweredGroup
from nextset.html.content_warning import FOUND_WARNING

__all__ = ["SelectionalReport", "render_selectional"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionalReport:
    """The contents of the report."""

    title: str
    """The study's name."""
    about: str
    """The study's description of itself; may be empty."""
    attribute: str
    """The attribute that people are compared by, such as gender."""
    models: Sequence[AnsweringModel]
    findings: Sequence[SelectionalFinding]
    """The findings and warnings."""
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
    refused: Sequence[RefusedQuestion] = ()
    """The questions that are excluded because names in their texts cannot be replaced."""
    silent: Sequence[UnansweredGroup] = ()
    """The answers that models refused or that were cut off, by group."""
    examples: Sequence[AnswerExample] = ()
    """Questions with their answers."""
    versions: tuple[tuple[str, str], ...] = ()
    """Programs and libraries, with their versions."""


def render_selectional(data: SelectionalReport) -> str:
    """Return the report as HTML. The same data give the same bytes; every text from data is escaped."""
    texts = [f.text for f in data.findings if not f.warning]
    contents = FindingsPage(
        title=data.title,
        about=data.about,
        content_warning=FOUND_WARNING,
        answer=" ".join(texts[:2][-1:]),  # the second compares the groups of the first model
        findings=texts,
        warnings=[f.text for f in data.findings if f.warning],
        models=[m.model for m in data.models],
        sections=tuple(_sections(data)),
        notes=selectional_notes(data.tests, data.differences, data.adjusted),
        versions=data.versions,
    )
    return render_findings(
        Path(__file__).with_name("selectional.html.j2"),
        contents,
        attribute=data.attribute,
        examples=data.examples,
        copies=bool(data.swaps),
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
    tables = model_table(data.models), silent_table(data.silent), refused_table(data.refused)
    yield PageSection("models", "Models and questions", (), (), tuple(t for t in tables if t))

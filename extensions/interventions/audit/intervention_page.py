"""The report of an audit of interventions as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nextset.auditing.report.figure import Figure
from nextset.auditing.report.findings_page import FindingsPage, render_findings
from nextset.auditing.report.page_section import PageSection
from nextset.extensions.interventions.audit.intervention_figures import (
    change_figure,
    sentence_figures,
    twin_figure,
)
from nextset.extensions.interventions.audit.intervention_findings import (
    intervention_answer,
    intervention_findings,
    spoilt_readers,
    tuning_findings,
)
from nextset.extensions.interventions.audit.intervention_records import (
    InterventionChange,
    TriggerTransfer,
    TuningChange,
)
from nextset.extensions.interventions.audit.intervention_tables import (
    all_measures,
    intervention_notes,
    published_table,
    transfer_table,
)
from nextset.extensions.interventions.audit.tuning_figures import tuning_figures
from nextset.extensions.interventions.intervention import Intervention
from nextset.forms import FORMS
from nextset.records.clear_questions import ClearQuestions

__all__ = ["InterventionReport", "render_interventions"]

_FORMS = {"question": "Questions", "statement": "Masked statements", "nli": "Premises and hypotheses"}
_OCCLUDED = 4
"""The number of figures of occlusion that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterventionReport:
    """The contents of the report."""

    title: str
    """The study's name."""
    about: str
    """The study's description of itself; may be empty."""
    changes: Sequence[InterventionChange]
    """All changes."""
    interventions: Mapping[str, Intervention]
    """The sentences, by their ids."""
    transfer: Sequence[TriggerTransfer] = ()
    """The changes that triggers make in every model."""
    tuning: Sequence[TuningChange] = ()
    """The changes that tuning makes in readers."""
    clear: Sequence[ClearQuestions] = ()
    """The canaries that tuned readers still answer."""
    occlusion: Sequence[Figure] = field(default_factory=tuple)
    """The figures of occlusion."""
    versions: tuple[tuple[str, str], ...] = ()
    """Programs and libraries, with their versions."""


def render_interventions(data: InterventionReport) -> str:
    """Return the report as HTML. The same data give the same bytes; every text from data is escaped."""
    shown = FindingsPage(
        title=data.title,
        about=data.about,
        answer=intervention_answer(data.changes),
        findings=[*tuning_findings(data.tuning), *intervention_findings(data.changes)],
        warnings=spoilt_readers(data.clear),
        models=list(dict.fromkeys(r.model for r in data.changes)),
        sections=list(_sections(data)),
        notes=intervention_notes(data.changes),
        versions=data.versions,
    )
    return render_findings(
        Path(__file__).with_name("interventions.html.j2"),
        shown,
        quads=any(FORMS[r.form].quads for r in data.changes),
    )


def _sections(data: InterventionReport) -> Iterator[PageSection]:
    rows = data.changes
    for form in dict.fromkeys(r.form for r in rows):
        change, twins = change_figure(rows, form), twin_figure(rows, form)
        tables = [
            all_measures(rows, form, s) for s in dict.fromkeys(r.selection for r in rows if r.form == form)
        ]
        yield PageSection(
            f"changes-{form}",
            f"{_FORMS[form]}: changes",
            tuple(f for f in (change, twins) if f),
            (),
            tuple(t for t in tables if t),
        )
        sentences = sentence_figures(rows, data.interventions, form)
        yield PageSection(
            f"sentences-{form}",
            f"{_FORMS[form]}: sentences with the largest effect",
            tuple(sentences[:2]),
            tuple(sentences[2:]),
        )
    published = published_table(rows)
    yield PageSection(
        "published", "The table of Zhao et al. (2021)", (), (), (published,) if published else ()
    )
    transfer = transfer_table(data.transfer)
    yield PageSection("triggers", "Triggers that a search found", (), (), (transfer,) if transfer else ())
    yield PageSection(
        "tuning", "Readers before and after training on interventions", tuple(tuning_figures(data.tuning)), ()
    )
    yield PageSection(
        "occlusion",
        "Occlusion: which words the measure depends on",
        tuple(data.occlusion[:_OCCLUDED]),
        tuple(data.occlusion[_OCCLUDED:]),
    )

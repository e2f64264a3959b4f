"""The report of an audit as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from nextset.auditing.audit_form import AUDIT_FORMS, measured_forms
from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.report.answer_definitions import definitions
from nextset.auditing.report.explorer_payload import compressed
from nextset.auditing.report.item_figures import SET_NAMES
from nextset.auditing.report.number_table import estimate_text, shown, table_json
from nextset.auditing.report.page_section import PageSection, script_json
from nextset.auditing.report.report_data import ReportData
from nextset.auditing.report.result_tables import (
    comparison_table,
    measure_notes,
    measured_rows,
    sensitivity_table,
    wording_table,
)
from nextset.auditing.report.server_table import server_table
from nextset.auditing.report.stage_figures import agreement_figure, stage_figure, survival_table
from nextset.auditing.report.thought_figures import thought_section, without_thoughts
from nextset.html.page import page

__all__ = ["findings", "render"]

_FOLDER = Path(__file__).parent / "report"
_SCRIPTS = (
    "elements.js", "table_export.js", "image_export.js", "save_buttons.js", "item_search.js",
    "filter_form.js", "item_list.js", "item_thoughts.js", "item_card.js", "explorer.js",
)  # fmt: skip
_ROLES = {"filter": "filter", "held_out": "held out", "audit": "audit only"}


def render(data: ReportData) -> str:
    """Return the report as HTML. The same data give the same bytes; every text from data is escaped."""
    import markupsafe

    thinking, defined = thought_section(data.audit.measures), definitions(data.audit.measures)
    data = replace(data, audit=without_thoughts(data.audit))
    audit = data.audit
    sections = [s for s in (*_sections(data), thinking) if s.figures or s.more or s.tables]
    first = next((f for s in sections for f in s.figures), None)
    tables = [f.table for s in sections for f in (*s.figures, *s.more)] + [
        t for s in sections for t in s.tables
    ]
    named = measured_forms(audit.measures)
    payload = data.explorer
    return page(
        _FOLDER / "report.html.j2",
        lambda value: shown(value, "per_cent"),
        styles=[_FOLDER / "report.css"],
        scripts=[_FOLDER / name for name in _SCRIPTS],
        filters={"estimate": estimate_text},
        data=data,
        first=first,
        sections=[s.without(first) for s in sections],
        findings=findings(audit),
        measured=_measured(audit),
        roles=_ROLES,
        forms={name: AUDIT_FORMS[name].title for name in AUDIT_FORMS.names},
        defined=defined,
        kinds={AUDIT_FORMS[form].kind for form in named},
        builtin=[m.model for m in audit.models if m.model.startswith("builtin:")],
        notes=measure_notes(audit.measures, audit.own_measures),
        payload=markupsafe.Markup(compressed(payload)) if payload else None,
        total=payload["total"] if payload else 0,
        explorer_shows=_shown_with(payload["kind"]) if payload else "",
        explorer_note=payload.get("note", "") if payload else "",
        embedded=len(payload["ids"]) if payload else 0,
        tables=markupsafe.Markup(script_json(table_json(tables))),
    )


def _shown_with(kind: str) -> str:
    """Return what the explorer shows with each row of a ``kind``."""
    return next(form.explorer_shows for form in AUDIT_FORMS if form.kind == kind)


def findings(audit: AuditTables) -> list[str]:
    """Return sentences on one model: a held-out model if there is one, else a model that only the audit
    names."""
    sentences = [s for form in measured_forms(audit.measures) for s in AUDIT_FORMS[form].findings(audit)]
    return sentences or ["No measure is defined on these items."]


def _sections(data: ReportData) -> Iterator[PageSection]:
    audit = data.audit
    for form in measured_forms(audit.measures):
        yield from AUDIT_FORMS[form].sections(audit)
    compared = (comparison_table(audit, "sets"), comparison_table(audit, "models"))
    yield PageSection("comparisons", "Comparisons", (), (), tuple(t for t in compared if t))
    checks = (sensitivity_table(audit), wording_table(audit))
    yield PageSection(
        "sensitivity", "Sensitivity to templates and wordings", (), (), tuple(t for t in checks if t)
    )
    stages, survival = stage_figure(data.stages), survival_table(data.survival)
    kept = (survival,) if survival else ()
    yield PageSection("survival", "Items kept by each stage", (stages,) if stages else (), (), kept)
    agreement = agreement_figure(data.agreement)
    yield PageSection("agreement", "Agreement of annotators", (agreement,) if agreement else ())
    servers = server_table(data.server_costs)
    yield PageSection("servers", "Models behind servers", (), (), (servers,) if servers else ())


def _measured(audit: AuditTables) -> list[str]:
    """Return one text per form and set with the number of rows that were measured."""
    of_place: dict[tuple[str, str, str], list[MeasureRow]] = {}
    for row in audit.measures:
        if row.by == "all" and row.selection in ("measured", "all"):
            of_place.setdefault((row.form, row.items, row.subject_class), []).append(row)
    counts: dict[tuple[str, str], int] = {}
    for (form, items, _), rows in of_place.items():
        counts[form, items] = counts.get((form, items), 0) + measured_rows(rows, audit.own_measures)
    return [
        f"{n:,} {AUDIT_FORMS[form].noun} of the {SET_NAMES.get(items, items)} "
        f"({AUDIT_FORMS[form].title.lower()})"
        for (form, items), n in counts.items()
    ]

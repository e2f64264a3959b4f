"""The report of an audit as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.report.explorer_payload import compressed
from nextset.auditing.report.finding_text import findings
from nextset.auditing.report.item_figures import SET_NAMES, item_figures
from nextset.auditing.report.number_table import estimate_text, shown, table_json
from nextset.auditing.report.page_section import PageSection, script_json
from nextset.auditing.report.preference_figures import preference_figures
from nextset.auditing.report.quad_figures import quad_figures
from nextset.auditing.report.recorded_tables import forms, is_quads
from nextset.auditing.report.report_data import ReportData
from nextset.auditing.report.result_tables import (
    comparison_table,
    measure_notes,
    measure_tables,
    measured_rows,
    sensitivity_table,
    wording_table,
)
from nextset.auditing.report.stage_figures import agreement_figure, stage_figure, survival_table
from nextset.html.page import page

__all__ = ["render"]

_FOLDER = Path(__file__).parent
_SCRIPTS = (
    "elements.js", "table_export.js", "image_export.js", "save_buttons.js", "item_search.js",
    "filter_form.js", "item_list.js", "item_card.js", "explorer.js",
)  # fmt: skip
_FORMS = {
    "nli": "Premise and hypothesis",
    "qa": "Yes/no questions",
    "question": "Questions",
    "statement": "Masked statements",
}
_ROLES = {"filter": "filter", "held_out": "held out", "audit": "audit only"}


def render(data: ReportData) -> str:
    """Return the report as HTML. The same data give the same bytes; every text from data is escaped."""
    import markupsafe

    audit = data.audit
    sections = [s for s in _sections(data) if s.figures or s.more or s.tables]
    first = next((f for s in sections for f in s.figures), None)
    tables = [f.table for s in sections for f in (*s.figures, *s.more)] + [
        t for s in sections for t in s.tables
    ]
    named = forms(audit.measures)
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
        forms=_FORMS,
        items=any(not is_quads(form) for form in named),
        quads=any(is_quads(form) for form in named),
        builtin=[m.model for m in audit.models if m.model.startswith("builtin:")],
        notes=measure_notes(audit.measures, audit.own_measures),
        payload=markupsafe.Markup(compressed(payload)) if payload else None,
        total=payload["total"] if payload else 0,
        explorer_quads=payload is not None and payload["kind"] == "quads",
        explorer_note=payload.get("note", "") if payload else "",
        embedded=len(payload["ids"]) if payload else 0,
        tables=markupsafe.Markup(script_json(table_json(tables))),
    )


def _sections(data: ReportData) -> Iterator[PageSection]:
    audit = data.audit
    for form in forms(audit.measures):
        tables = tuple(measure_tables(audit, form))
        if not is_quads(form):
            figures = tuple(item_figures(audit, form))
            yield PageSection(
                f"accuracy-and-bias-{form}", f"Accuracy and bias: {_FORMS[form].lower()}", figures, (), tables
            )
            continue
        yield PageSection(
            f"bias-{form}", f"Bias: {_FORMS[form].lower()}", tuple(quad_figures(audit, form)), (), tables
        )
        pairs = preference_figures(audit, form)
        name = f"Subjects and attributes: {_FORMS[form].lower()}"
        rest = tuple(f for pair in pairs[1:] for f in pair)
        yield PageSection(f"preferences-{form}", name, tuple(pairs[0]) if pairs else (), rest)
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
        f"{n:,} {'quads' if is_quads(form) else 'items'} of the {SET_NAMES.get(items, items)} "
        f"({_FORMS.get(form, form).lower()})"
        for (form, items), n in counts.items()
    ]

"""Pages that begin with the findings and the first figure; sections and definitions follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.auditing.report.number_table import estimate_text, shown, table_json
from nextset.auditing.report.page_section import PageSection, script_json
from nextset.html.content_warning import CONTENT_WARNING
from nextset.html.page import page

__all__ = ["FindingsPage", "render_findings"]

_FOLDER = Path(__file__).parent
_SCRIPTS = ("elements.js", "table_export.js", "image_export.js", "save_buttons.js")
_FINDINGS = 3
"""The number of findings that are shown; the others are folded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsPage:
    """The contents that all these pages have."""

    title: str
    """The study's name."""
    about: str
    """The study's description of itself; may be empty."""
    answer: str
    """The finding in one sentence, which is shown under the title."""
    findings: Sequence[str]
    """The findings, as sentences."""
    content_warning: str = CONTENT_WARNING
    """The content warning at the top."""
    warnings: Sequence[str] = ()
    """The reasons why the measures say little."""
    models: Sequence[str] = ()
    """The models; the page says which are built in."""
    sections: Sequence[PageSection] = ()
    """The sections; the first figure is shown next to the findings."""
    notes: Sequence[str] = ()
    """Notes on values."""
    versions: tuple[tuple[str, str], ...] = ()
    """Programs and libraries, with their versions."""


def render_findings(template: Path, data: FindingsPage, **values: Any) -> str:
    """Return ``template``, which extends findings_page.html.j2, rendered with ``data`` and ``values``.

    The same data give the same bytes; every text from data is escaped.
    """
    import markupsafe

    sections = [s for s in data.sections if s.figures or s.more or s.tables]
    first = next((f for s in sections for f in s.figures), None)
    tables = [f.table for s in sections for f in (*s.figures, *s.more)]
    tables += [t for s in sections for t in s.tables]
    return page(
        template,
        lambda value: shown(value, "per_cent"),
        bases=[_FOLDER],
        styles=[_FOLDER / "report.css"],
        scripts=[_FOLDER / name for name in _SCRIPTS],
        filters={"estimate": estimate_text},
        warning=data.content_warning,
        data=data,
        first=first,
        sections=[s.without(first) for s in sections],
        warnings=data.warnings,
        findings=data.findings,
        shown=_FINDINGS,
        builtin=[m for m in data.models if m.startswith("builtin:")],
        notes=data.notes,
        tables=markupsafe.Markup(script_json(table_json(tables))),
        **values,
    )

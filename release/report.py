"""The page about a release: its pairs and its duplicates. One self-contained page, without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from nextset.html.page import page
from nextset.release.overlap.overlap_records import ContaminationRow
from nextset.release.overlap.overlap_report import overlap_section
from nextset.release.verdict_selection import FEW_JUDGMENTS

__all__ = ["MOST", "ReleaseReport", "render", "rows_of", "shown_ids"]

MOST = 40
"""The most findings of a kind on the page; the table pairs has all of them."""

_KINDS = {
    "missing": "Missing members",
    "not_minimal": "Pairs that differ in more than the group",
    "flagged": "Items that a person should check",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseReport:
    """The data of the page."""

    name: str
    """The dataset's name."""
    rows: tuple[tuple[str, int], ...]
    """Rows by config."""
    counts: Mapping[str, int]
    """Counts of the stage release."""
    waivers: tuple[tuple[str, str], ...]
    """Checks that were waived, with the reasons."""
    findings: pa.Table
    """Findings about pairs (`PairFinding`)."""
    duplicates: pa.Table
    """Duplicates (`DuplicateRow`)."""
    contamination: tuple[ContaminationRow, ...]
    """Contamination by source."""
    near: float
    """The lowest similarity of near duplicates."""
    texts: Mapping[str, str]
    """The texts of the rows that are shown, by id (`shown_ids`)."""


def render(data: ReleaseReport) -> str:
    """Return the page as HTML. The same data give the same bytes; every text from data is escaped."""
    import markupsafe

    shown = [(kind, title, _findings(data.findings, kind)) for kind, title in _KINDS.items()]
    section = overlap_section(data.duplicates, data.contamination, data.near, data.texts)
    return page(
        Path(__file__).parent / "report.html.j2",
        lambda share: "–" if share is None else f"{100 * share:.1f} %",
        data=data,
        few=data.counts.get(FEW_JUDGMENTS, 0),
        measured=data.counts.get("pairs minimal", 0) + data.counts.get("pairs not_minimal", 0),
        findings=[(title, rows.slice(0, MOST).to_pylist(), rows.num_rows) for _, title, rows in shown],
        overlap=markupsafe.Markup(section),
    )


def shown_ids(findings: pa.Table, duplicates: pa.Table) -> set[str]:
    """Return the ids of rows whose texts the page shows."""
    ids = {row["item_id"] for kind in _KINDS for row in _findings(findings, kind).slice(0, MOST).to_pylist()}
    for row in duplicates.slice(0, MOST).to_pylist():
        ids |= {row["id1"], row["id2"]}
    return {id_ for id_ in ids if id_}


def _findings(findings: pa.Table, kind: str) -> pa.Table:
    return findings.filter(pc.equal(findings["kind"], kind))


def rows_of(contamination: pa.Table) -> tuple[ContaminationRow, ...]:
    """Return the table contamination as records."""
    return tuple(ContaminationRow(**row) for row in contamination.to_pylist())

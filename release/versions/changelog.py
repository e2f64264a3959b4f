"""CHANGELOG.md of the dataset: one section per version, the newest first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nextset.release.markdown_escape import escaped
from nextset.release.versions.diff_records import (
    ConfigDiff,
    SchemaChange,
    VersionDiff,
    named_files,
)
from nextset.release.versions.version_number import NextVersion
from nextset.release.versions.withdrawal import WithdrawnRow

__all__ = ["CHANGELOG", "changelog", "earlier_sections_changed", "first_section", "section"]

CHANGELOG = "CHANGELOG.md"
"""The file's name in the dataset's folder."""
_HEADING = re.compile(r"^## (\S+)[ \t]*$", re.MULTILINE)
_TITLE = "# Changelog\n"
_LISTED = 200


def changelog(earlier: str, version: str, section: str) -> str:
    """Return CHANGELOG.md with ``section`` for ``version`` on top of the sections in ``earlier``.

    ``earlier`` is the previous version's CHANGELOG.md, or empty. If it already has a section for ``version``,
    the new section replaces it, so that a repeated call changes nothing. The same input gives the same bytes.
    """
    kept = [body for name, body in _sections(earlier) if name != version]
    return "\n".join([_TITLE, f"## {version}\n\n{section.strip()}\n", *kept])


def first_section(rows: Sequence[tuple[str, int]], withdrawn: Sequence[WithdrawnRow] = ()) -> str:
    """Return the section of a first version, with ``rows`` by config and its withdrawn ids."""
    lines = ["The first version.", "", *(f"- {escaped(config)}: {n:,} rows" for config, n in rows)]
    return "\n".join([*lines, *_withdrawn(withdrawn)]) + "\n"


def section(diff: VersionDiff, computed: NextVersion, version: str, reason: str = "") -> str:
    """Return the section of ``version``: counts, withdrawn ids with reasons, and ``reason`` if it is needed.

    ``reason`` is release.version_reason. It is needed only if ``version`` is not the ``computed`` one.
    """
    why = "; ".join(escaped(b) for b in computed.because)
    lines = [f"Since {escaped(diff.old)}: {why}."]
    if version != computed.version:
        lines += [
            "",
            f"By these changes, the version would be {computed.version}. "
            f"It is {version} for this reason: {escaped(reason)}",
        ]
    lines.append("")
    for config in diff.configs:
        lines += _counts(config)
    for change in diff.schema:
        lines.append(_schema_line(change))
    lines += [f"- {escaped(t.config)}: {t.before:,} → {t.after:,} rows" for t in diff.tables]
    lines += [f"- {escaped(m.field)} changed" for m in diff.metadata]
    if diff.files:
        lines.append(f"- other files changed: {escaped(named_files(diff.files))}")
    lines += _withdrawn(diff.withdrawn)
    lines += _withdrawn(diff.no_longer_withdrawn, "No longer withdrawn")
    changed = [c.after for c in diff.withdrawal_changes]
    return "\n".join([*lines, *_withdrawn(changed, "Changed withdrawals")]).rstrip() + "\n"


def earlier_sections_changed(old: str, new: str, version: str) -> bool:
    """Return whether ``new`` lacks or changes a section of ``old``, except the section of ``version``."""
    kept = dict(_sections(new))
    return any(kept.get(name) != body for name, body in _sections(old) if name != version)


def _schema_line(change: SchemaChange) -> str:
    config = escaped(change.config)
    if change.column is None:
        return f"- config {config}: {'added' if change.before is None else 'removed'}"
    before, after = escaped(change.before or ""), escaped(change.after or "")
    how = f"added ({after})" if not before else f"{before} → {after}" if after else "removed"
    return f"- column {escaped(change.column)} of {config}: {how}"


def _counts(diff: ConfigDiff) -> list[str]:
    lines = [f"- {diff.config}: {diff.before:,} → {diff.after:,} rows"]
    counts = [
        ("added", len(diff.added)),
        ("removed", len(diff.removed)),
        ("reworded, counted as removed and added", len(diff.reworded)),
        ("with a different label or stance", len(diff.relabelled)),
        ("with a different verdict", len(diff.verdict_changes)),
    ]
    lines += [f"  - {n:,} {what}" for what, n in counts if n]
    for t in (*diff.labels, *diff.verdicts, *diff.moves):
        values = f"{escaped(t.before or 'none')} → {escaped(t.after or 'none')}"
        lines.append(f"  - {t.column}: {values} ({t.rows:,})")
    return lines + [f"  - {c.rows:,} with a different {escaped(c.column)}" for c in diff.columns]


def _withdrawn(rows: Sequence[WithdrawnRow], heading: str = "Withdrawn") -> list[str]:
    if not rows:
        return []
    lines = ["", f"{heading} ({len(rows):,}):", ""]
    lines += [f"- {escaped(row.id)}: {escaped(row.reason)}{_because_of_pair(row)}" for row in rows[:_LISTED]]
    more = len(rows) - _LISTED
    return lines + ([f"- in the config withdrawn: {more:,} more"] if more > 0 else [])


def _because_of_pair(row: WithdrawnRow) -> str:
    return " (with its pair or set)" if row.kind == "counterpart" else ""


def _sections(text: str) -> list[tuple[str, str]]:
    """Return the sections of a changelog by heading, without the text before the first section."""
    text = text.replace("\r\n", "\n")
    headings = list(_HEADING.finditer(text))
    ends = [m.start() for m in headings[1:]] + [len(text)] * bool(headings)
    return [(m[1], text[m.start() : end].rstrip() + "\n") for m, end in zip(headings, ends, strict=True)]

"""The difference between two dataset versions as text for a terminal."""

from __future__ import annotations

import json

from nextset.printable_text import printable_line
from nextset.release.versions.diff_records import (
    ConfigDiff,
    MetadataChange,
    RowChange,
    VersionDiff,
    named_files,
)
from nextset.release.versions.version_number import NextVersion
from nextset.release.versions.withdrawal import WithdrawnRow

__all__ = ["diff_text"]

_HEADINGS = {
    "relabelled": "different label or stance",
    "reworded": "reworded",
    "verdicts": "different verdict",
    "added": "only added",
    "removed": "only removed",
}
_LONGEST = 160


def diff_text(diff: VersionDiff, computed: NextVersion | None = None, examples: int = 3) -> str:
    """Return ``diff`` as text, with at most ``examples`` rows per kind of change.

    Control characters in texts are shown as escapes.
    """
    lines = [f"{diff.name}: {diff.old} → {diff.new}"]
    if diff.empty:
        return "\n".join([*lines, "nothing changed"])
    if computed is not None:
        lines.append(f"these changes make the version {computed.version} ({computed.level})")
    for config in diff.configs:
        lines += _config(config, examples)
    if diff.withdrawn:
        lines.append(f"withdrawn: {len(diff.withdrawn):,}")
        lines += [f"  {w.id}  {w.reason}" for w in diff.withdrawn[: 4 * examples]]
        lines += _more(len(diff.withdrawn), 4 * examples)
    if diff.no_longer_withdrawn:
        lines.append(f"no longer withdrawn: {len(diff.no_longer_withdrawn):,}")
        lines += [f"  {w.id}  {w.reason}" for w in diff.no_longer_withdrawn[: 4 * examples]]
        lines += _more(len(diff.no_longer_withdrawn), 4 * examples)
    if diff.withdrawal_changes:
        lines.append(f"changed withdrawals: {len(diff.withdrawal_changes):,}")
        for c in diff.withdrawal_changes[: 4 * examples]:
            lines.append(f"  {c.after.id}  {_withdrawal(c.before)} → {_withdrawal(c.after)}")
        lines += _more(len(diff.withdrawal_changes), 4 * examples)
    for s in diff.schema:
        what = f"column {s.column} of {s.config}" if s.column else f"config {s.config}"
        lines.append(f"{what}: {_schema(s.before, s.after)}")
    lines += [f"{t.config}: changed, {t.before:,} → {t.after:,} rows" for t in diff.tables]
    for m in diff.metadata:
        shown = (
            _models(m)
            if m.field == "models"
            else f"{_short(m.before or 'none')} → {_short(m.after or 'none')}"
        )
        lines.append(f"{m.field}: {shown}")
    if diff.files:
        lines.append(f"other files changed: {named_files(diff.files)}")
    return "\n".join(printable_line(line) for line in lines)


def _config(diff: ConfigDiff, examples: int) -> list[str]:
    lines = [
        f"{diff.config}: {diff.before:,} → {diff.after:,}, "
        f"{len(diff.added):,} added, {len(diff.removed):,} removed"
    ]
    if len(diff.reworded):
        lines.append(f"  reworded: {len(diff.reworded):,} (they count as removed and added)")
    if len(diff.relabelled):
        lines.append(f"  different label or stance: {len(diff.relabelled):,}")
    for t in (*diff.labels, *diff.verdicts, *diff.moves):
        lines.append(f"  {t.column}: {t.before or 'none'} → {t.after or 'none'}: {t.rows:,}")
    lines += [f"  rows with a different {c.column}: {c.rows:,}" for c in diff.columns]
    if diff.not_compared:
        lines.append(
            f"  added rows not compared with removed rows (too many are similar): {diff.not_compared:,}"
        )
    changed = [p for p in diff.parts if p.added or p.removed]
    for p in changed[: 4 * examples]:
        lines.append(f"  {p.by} {p.part}: {p.before:,} → {p.after:,} (+{p.added:,} −{p.removed:,})")
    lines += _more(len(changed), 4 * examples, "parts")
    for kind, rows in diff.examples:
        if rows and examples:
            lines.append(f"  {_HEADINGS[kind]}:")
            for row in rows[:examples]:
                lines += _row(row)
            lines += _more(diff.totals[kind], examples)
    return lines


def _row(row: RowChange) -> list[str]:
    lines = [f"    {row.old_id} → {row.id}" if row.old_id else f"    {row.id}"]
    if row.before or row.after:
        lines.append(f"      {row.before} → {row.after}")
    before, after = dict(row.texts_before), dict(row.texts_after)
    for name in after or before:
        if before and after and before[name] != after[name]:
            lines += [f"      − {name}: {_short(before[name])}", f"      + {name}: {_short(after[name])}"]
        elif (not row.old_id or row.before) and (after or before)[name]:
            lines.append(f"      {name}: {_short((after or before)[name])}")
    return lines


def _more(total: int, shown: int, what: str = "rows") -> list[str]:
    more = total - shown
    return [f"    … {more:,} more {what[:-1] if more == 1 else what}"] if more > 0 else []


def _models(change: MetadataChange) -> str:
    """Return the models that were added, removed or changed, by name and role."""
    before, after = (
        {(m["name"], m["role"], m["version"]): m for m in json.loads(listed)}
        for listed in (change.before, change.after)
    )
    models = {
        "added": [key for key in after if key not in before],
        "removed": [key for key in before if key not in after],
        "changed": [key for key in after if key in before and after[key] != before[key]],
    }
    lists = [f"{what} {', '.join(_model(*key) for key in keys)}" for what, keys in models.items() if keys]
    return "; ".join(lists) or "in a different order"


def _model(name: str, role: str, version: str | None) -> str:
    return f"{name} ({role} of {version})" if version else f"{name} ({role})"


def _withdrawal(row: WithdrawnRow) -> str:
    return f"{row.reason} ({row.version}, {row.kind})"


def _schema(before: str | None, after: str | None) -> str:
    if before is None:
        return "added" if after == "config" else f"added ({after})"
    return "removed" if after is None else f"{before} → {after}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"

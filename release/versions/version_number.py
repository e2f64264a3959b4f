"""The number of the next version, computed from what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.errors import StudyError
from nextset.release.forms.released_form import main_configs
from nextset.release.version_folder.dotted_version import parse_version
from nextset.release.versions.diff_records import ConfigDiff, SchemaChange, VersionDiff, named_files

__all__ = ["FIRST", "Level", "NextVersion", "check_version", "next_version"]

Level = Literal["none", "patch", "minor", "major"]
FIRST = "1.0.0"
"""The version of a dataset without a previous one."""
_LEVELS: tuple[Level, ...] = ("none", "patch", "minor", "major")
_ABOUT_THE_VERSION = ("withdrawn", "duplicates", "pairs")
_DECIDE_MEASURES = ("names_group", "counterpart_id", "counterfactual_set")


@dataclass(frozen=True, slots=True, kw_only=True)
class NextVersion:
    """The version that follows from the changes."""

    version: str
    """major.minor.patch."""
    level: Level
    """major, minor or patch; none if nothing changed, so that the version is the previous one."""
    because: tuple[str, ...]
    """The changes that require this level."""


def next_version(previous: str, diff: VersionDiff) -> NextVersion:
    """Return the version that follows ``previous`` (major.minor.patch).

    - major: a config of items, questions or statements, or any column, was added or removed, or a column's
      type changed; a config that accompanies them, such as judgments, or a domain's config was removed; or
      the label or stance of a row changed, with the same id, or with a different id for the same texts (a
      stance that was judged under only one of two verdicts counts as a change of the verdict).
    - minor: rows were added or removed, including reworded and withdrawn rows; a verdict changed; a row moved
      to a different split, or to the config of a different domain; a column changed that decides which rows
      or pairs are measured (names_group, counterpart_id, counterfactual_set); or an accompanying config or a
      domain's config was added.
    - patch: other columns, accompanying data, the list of withdrawn ids, the card, the licence, other
      metadata or other files changed. The configs withdrawn, duplicates and pairs describe the version, and
      empty ones are omitted, so adding or removing them is only a patch.
    - none: nothing changed; the version is ``previous``.

    Raises StudyError if ``previous`` is not a version, or is the highest possible version.
    """
    reasons: list[tuple[Level, str]] = [_of_schema(change) for change in diff.schema]
    for config in diff.configs:
        reasons += _of_rows(config)
    reasons += _of_the_rest(diff)
    ranks = [_LEVELS.index(level) for level, _ in reasons]
    level = _LEVELS[max(ranks, default=0)]
    major, minor, patch = parse_version(previous)
    versions: dict[Level, str] = {
        "none": f"{major}.{minor}.{patch}",
        "patch": f"{major}.{minor}.{patch + 1}",
        "minor": f"{major}.{minor + 1}.0",
        "major": f"{major + 1}.0.0",
    }
    parse_version(versions[level])  # a number may have become too long
    because = tuple(dict.fromkeys(why for reason_level, why in reasons if reason_level == level))
    return NextVersion(version=versions[level], level=level, because=because or ("nothing changed",))


def check_version(declared: str, previous: str, computed: NextVersion, reason: str) -> str:
    """Return the version to build: the ``computed`` one, or the ``declared`` one if there is a ``reason``.

    ``declared`` is release.version, or empty for the default. Raises StudyError if ``declared`` differs from
    the computed version without a reason, or does not follow ``previous``.
    """
    if not declared or declared == computed.version:
        return computed.version
    if parse_version(declared) <= parse_version(previous):
        raise StudyError(
            f"release.version is {declared}, which does not follow the previous version {previous}",
            remedy=f"remove release.version; the computed version is {computed.version}",
        )
    if not reason.strip():
        raise StudyError(
            f"release.version is {declared}, but the changes since {previous} make it {computed.version}: "
            + "; ".join(computed.because),
            remedy="remove release.version, or write release.version_reason",
        )
    return declared


def _of_schema(change: SchemaChange) -> tuple[Level, str]:
    if change.column is not None:
        where = f"the column {change.column} of {change.config}"
        if change.before is None:
            return "major", f"{where} was added"
        if change.after is None:
            return "major", f"{where} was removed"
        return "major", f"{where} changed from {change.before} to {change.after}"
    what = "added" if change.before is None else "removed"
    reason = f"the config {change.config} was {what}"
    if change.config in _ABOUT_THE_VERSION:
        return "patch", reason
    return ("minor" if what == "added" and change.config not in main_configs() else "major"), reason


def _of_rows(diff: ConfigDiff) -> list[tuple[Level, str]]:
    counts: list[tuple[Level, int, str]] = [
        ("major", len(diff.relabelled), "with a different label or stance"),
        ("minor", len(diff.added), "added"),
        ("minor", len(diff.removed), "removed"),
        ("minor", len(diff.verdict_changes), "with a different verdict"),
    ]
    for moved_column, where in (
        ("split", "in a different split"),
        ("folder", "in the config of a different domain"),
    ):
        counts.append(("minor", sum(t.rows for t in diff.moves if t.column == moved_column), where))
    for column in diff.columns:
        level: Level = "minor" if column.column in _DECIDE_MEASURES else "patch"
        counts.append((level, column.rows, f"with a different {column.column}"))
    return [(level, f"{diff.config}: {n:,} {what}") for level, n, what in counts if n]


def _of_the_rest(diff: VersionDiff) -> list[tuple[Level, str]]:
    reasons: list[tuple[Level, str]] = [("patch", f"the data in {t.config} changed") for t in diff.tables]
    if diff.withdrawn:
        reasons.append(("patch", f"newly listed as withdrawn: {len(diff.withdrawn):,}"))
    if diff.no_longer_withdrawn:
        reasons.append(("patch", f"no longer listed as withdrawn: {len(diff.no_longer_withdrawn):,}"))
    if diff.withdrawal_changes:
        reasons.append(("patch", f"changed withdrawals: {len(diff.withdrawal_changes):,}"))
    reasons += [("patch", f"{m.field} changed") for m in diff.metadata]
    return reasons + ([("patch", f"other files changed: {named_files(diff.files)}")] if diff.files else [])

"""A version among the versions of its dataset: its number, its changelog, the withdrawn items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from nextset.errors import ArtifactError
from nextset.release.version_folder.release_manifest import ReleaseManifest
from nextset.release.versions.changelog import CHANGELOG, changelog, first_section, section
from nextset.release.versions.version_diff import version_diff
from nextset.release.versions.version_number import FIRST, check_version, next_version
from nextset.release.versions.version_tables import open_version
from nextset.release.versions.withdrawal import Withdrawal, WithdrawnRow, withdrawn_table

__all__ = [
    "History",
    "PreviousVersion",
    "first_version",
    "following_version",
    "previous_version",
    "withdrawn_rows",
]


@dataclass(frozen=True)
class PreviousVersion:
    """The version before the version that is being built."""

    folder: Path
    manifest: ReleaseManifest
    withdrawn: pa.Table | None
    """Its config withdrawn; None if nothing had been withdrawn."""


@dataclass(frozen=True)
class History:
    """The place of a version among the versions of its dataset."""

    version: str
    """major.minor.patch."""
    previous: str | None
    """The version before it; None for the first."""
    changelog: str
    """CHANGELOG.md."""
    because: str
    """The reason for the number, as text."""


def previous_version(folder: Path, name: str) -> PreviousVersion:
    """Return the version in ``folder``. Raises ArtifactError if it is damaged, a draft or another dataset."""
    manifest, tables = open_version(folder)
    if manifest.name != name:
        raise ArtifactError(
            f"{folder} holds a version of {manifest.name}, not of {name}",
            remedy="correct release.previous or release.name in study.yaml",
        )
    if manifest.draft:
        raise ArtifactError(
            f"{folder} is a draft, which a later build may replace",
            remedy="remove release.draft, build that version without release.previous, and then name it in "
            "release.previous",
        )
    listed = tables.get("withdrawn")
    rows = None
    if listed is not None:
        rows = listed.table(listed.schema.names)
    return PreviousVersion(folder, manifest, rows)


def first_version(declared: str, rows: Sequence[tuple[str, int]], withdrawn: pa.Table) -> History:
    """Return the history of a first version, ``declared`` or 1.0.0, with ``rows`` by config."""
    version = declared or FIRST
    text = changelog("", version, first_section(rows, _rows(withdrawn)))
    return History(version, None, text, "the first version")


def following_version(previous: PreviousVersion, built: Path, declared: str, reason: str) -> History:
    """Return the history of the version in the folder ``built``, compared with the ``previous`` one.

    Raises StudyError if ``declared`` (release.version) differs from the computed version and there is no
    ``reason``.
    """
    diff = version_diff(previous.folder, built)
    computed = next_version(previous.manifest.version, diff)
    version = check_version(declared, previous.manifest.version, computed, reason)
    path = previous.folder / CHANGELOG
    earlier = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    because = "; ".join(computed.because)
    if version == previous.manifest.version:
        nothing = f"nothing changed since {version}"
        return History(version, previous.manifest.previous, earlier, nothing)
    text = changelog(earlier, version, section(diff, computed, version, reason))
    return History(version, previous.manifest.version, text, because)


def withdrawn_rows(
    previous: PreviousVersion | None, withdrawals: Sequence[Withdrawal], version: str
) -> pa.Table:
    """Return the config withdrawn of ``version``."""
    return withdrawn_table(None if previous is None else previous.withdrawn, withdrawals, version)


def _rows(withdrawn: pa.Table) -> list[WithdrawnRow]:
    return [WithdrawnRow(**row) for row in withdrawn.to_pylist()]

"""The files that differ between two dataset versions and that no other difference explains."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from nextset.release.version_folder.release_manifest import CARD, PublishedFile, ReleaseManifest
from nextset.release.versions.changelog import CHANGELOG, earlier_sections_changed
from nextset.release.versions.diff_records import VersionDiff

__all__ = ["other_files"]

_ABOUT_ALL = (CARD, "CITATION.cff", "croissant.json")
"""Files that describe the whole version, so that any other change changes them."""
_ROWS_AS_TEXT = ("csv", "jsonl")


def other_files(
    old: Path,
    new: Path,
    before: ReleaseManifest,
    after: ReleaseManifest,
    diff: VersionDiff,
    main: Collection[str],
) -> tuple[str, ...]:
    """Return the paths of the files that differ by the manifests, if ``diff`` does not explain it.

    The Parquet files of the configs in ``main`` and of withdrawn are excluded, because their rows are
    compared. Also excluded are texts that differ only in the version number, CSV and JSONL files whose
    Parquet files differ too, and a new section of the changelog. The card, the citation and Croissant are
    named only if ``diff`` is empty, and images only if the rows, tables and columns are the same.
    """
    a, b = ({f.path: f for f in m.files} for m in (before, after))
    compared = {*main, "withdrawn", *(table.config for table in diff.tables)}
    named = {change.field for change in diff.metadata}
    paths = []
    for path in sorted({*a, *b}):
        versions = [files[path] for files in (a, b) if path in files]
        if len(versions) == 2 and _content(versions[0]) == _content(versions[1]):
            continue
        if all(file.config in compared for file in versions) or path.split("/")[0] in named:
            continue
        if not _follows(path, old, new, before, after, diff):
            paths.append(path)
    return tuple(paths)


def _content(file: PublishedFile) -> tuple[str, str | None, str | None]:
    return file.sha256, file.config, file.split


def _follows(
    path: str, old: Path, new: Path, before: ReleaseManifest, after: ReleaseManifest, diff: VersionDiff
) -> bool:
    """Return whether the version number or ``diff`` explains the difference of a file."""
    kind = path.split("/")[0]
    if kind in _ROWS_AS_TEXT:
        config, _, split = Path(path).stem.partition("-")
        return _hashes(before.files_of(config, split)) != _hashes(after.files_of(config, split))
    if kind == "images":
        return bool(diff.tables or diff.schema) or any(
            _hashes(before.files_of(c.config)) != _hashes(after.files_of(c.config)) for c in diff.configs
        )
    if path not in (*_ABOUT_ALL, CHANGELOG):
        return False
    texts = [_text(old / path), _text(new / path)]
    if path == CHANGELOG:
        if diff.empty and (before.version == after.version or not texts[0]):
            return texts[0] == texts[1]
        return bool(texts[1]) and not earlier_sections_changed(texts[0], texts[1], after.version)
    if texts[0].replace(before.version, "VERSION") == texts[1].replace(after.version, "VERSION"):
        return True
    return not diff.empty and bool(texts[1])


def _hashes(files: Sequence[PublishedFile]) -> list[str]:
    return sorted(file.sha256 for file in files)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""

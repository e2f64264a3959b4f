"""A version that is already on disk: builds never change it, unless it is a draft."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

from nextset.errors import ArtifactError, NewerFormat, StudyError
from nextset.files.atomic_files import check_folder_places
from nextset.files.file_hash import file_sha256
from nextset.release.version_folder.dotted_version import parse_version
from nextset.release.version_folder.folder_hashes import folder_differences
from nextset.release.version_folder.release_manifest import MANIFEST, ReleaseManifest, read_release_manifest
from nextset.release.versions.diff_text import diff_text
from nextset.release.versions.version_diff import version_diff
from nextset.release.versions.version_number import next_version
from nextset.study.release_settings import VERSION

__all__ = ["existing_version_stays"]

_LOG = logging.getLogger(__name__)
_NAMED = 5
_CHANGES = 8
_SAME_ROWS = re.compile(r"\w+: ([\d,]+) → \1, 0 added, 0 removed")


def existing_version_stays(built: Path, target: Path, file: Path, recorded: str | None = None) -> bool:
    """Return True if ``target`` already holds the version in ``built``, False if ``built`` may replace it.

    ``built`` may replace ``target`` if ``target`` does not exist, lacks files, or is a draft. Both versions
    have the same number. ``file`` is study.yaml, and ``recorded`` the sha256 of the manifest that the study's
    last build wrote to ``target``, if it wrote one. Raises StudyError if ``target`` is a different version,
    with the changes and the version number that they require, or if someone changed its files.
    """
    check_folder_places(target)
    if not target.exists():
        return False
    new = read_release_manifest(built)
    try:
        there = read_release_manifest(target)
    except ArtifactError as e:
        raise StudyError(
            f"{new.name} {new.version} cannot be written to {target}: {e.message}",
            file=file,
            remedy=e.remedy if isinstance(e, NewerFormat) else f"move or delete {target}, and run this again",
        ) from None
    same = (target / MANIFEST).read_bytes() == (built / MANIFEST).read_bytes()
    differences = folder_differences(target, there)
    edited = [str(d) for d in differences if d.what != "missing"]
    # A build that was killed after it wrote the version has not recorded it; then the manifests are the same.
    if recorded not in (None, file_sha256(target / MANIFEST)) and not same:
        edited.insert(0, f"{MANIFEST} is altered")
    if edited:
        more = f", and {len(edited) - _NAMED} more" if len(edited) > _NAMED else ""
        raise StudyError(
            f"files in {target} changed after they were built, and this build would overwrite them: "
            f"{', '.join(edited[:_NAMED])}{more}",
            file=file,
            remedy="save your changes elsewhere (text for the card goes in `about` in study.yaml), "
            f"delete {target}, and run this again",
        )
    if there.draft:
        if not new.draft:
            _LOG.warning("%s %s replaces the draft of that number in %s", new.name, new.version, target)
        return False
    if same:
        return not differences
    if differences:
        raise _refusal(new, target, f"files are missing, such as {differences[0].path}", file, "")
    diff = version_diff(target, built)
    if diff.empty:
        return True
    lines = (line.strip() for line in diff_text(diff, examples=0).splitlines()[1:])
    changes = [line for line in lines if not line.startswith("…") and not _SAME_ROWS.fullmatch(line)]
    others = [f"and {len(changes) - _CHANGES} more changes"] if len(changes) > _CHANGES else []
    raise _refusal(new, target, "; ".join([*changes[:_CHANGES], *others]), file, _next(built, target, file))


def _refusal(new: ReleaseManifest, target: Path, changes: str, file: Path, instead: str) -> StudyError:
    return StudyError(
        f"{new.name} {new.version} exists in {target}, and this build differs from it: {changes}",
        file=file,
        remedy=f"{instead}if no one has {new.version} yet, delete {target} and run this again"
        + ("" if new.draft else "; with release.draft: true, later builds replace each other"),
    )


def _next(built: Path, target: Path, file: Path) -> str:
    """Return the edit of study.yaml that makes the build follow the last version on disk, with its number."""
    last = max(_finished(target), key=lambda folder: parse_version(read_release_manifest(folder).version))
    diff = version_diff(last, built)
    computed = next_version(diff.old, diff)
    named = last.relative_to(file.parent.resolve()).as_posix()
    return (
        f"set release.previous: {named} in study.yaml and remove release.version, "
        f"which makes this build {computed.version}; or, "
    )


def _finished(target: Path) -> Iterator[Path]:
    """Yield the folders of the dataset's versions next to ``target``, without drafts and damaged versions."""
    name = read_release_manifest(target).name
    for folder in sorted(target.parent.glob(f"*/{MANIFEST}")):
        if re.fullmatch(f"{re.escape(name)}-{VERSION}", folder.parent.name):
            manifest = read_release_manifest(folder.parent)
            if not manifest.draft and not folder_differences(folder.parent, manifest):
                yield folder.parent

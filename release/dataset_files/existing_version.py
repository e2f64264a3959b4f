"""A version that is on disk already: builds never change it, unless it is a draft."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

from nextset.errors import ArtifactError, StudyError
from nextset.files.atomic_files import check_folder_places
from nextset.files.file_hash import file_sha256
from nextset.release.dataset_files.release_manifest import MANIFEST, ReleaseManifest, read_release_manifest
from nextset.release.hub.folder_hashes import folder_differences
from nextset.release.versions.diff_text import diff_text
from nextset.release.versions.version_diff import version_diff
from nextset.release.versions.version_number import next_version, parse_version
from nextset.study.release_settings import VERSION

__all__ = ["existing_version_stays"]

_LOG = logging.getLogger(__name__)
_NAMED = 5
_CHANGES = 8
_SAME_ROWS = re.compile(r"\w+: ([\d,]+) → \1, 0 added, 0 removed")


def existing_version_stays(built: Path, target: Path, file: Path, recorded: str | None = None) -> bool:
    """Return whether the version in ``target`` is the one in ``built``; False if that one may go there.

    It may if ``target`` does not exist, lacks files, or is a draft. Both have the same number; ``file`` is
    study.yaml, ``recorded`` the sha256 of the manifest that the study's last build wrote to ``target``, if
    it did. Raises StudyError, with the changes and the number that they need, if ``target`` is another
    version, or if someone changed its files.
    """
    check_folder_places(target)
    if not target.exists():
        return False
    new = read_release_manifest(built)
    try:
        there = read_release_manifest(target)
    except ArtifactError as e:
        raise StudyError(
            f"{target} is in the way of {new.name} {new.version}: {e.message}",
            file=file,
            remedy=f"move {target} elsewhere, or delete it, and run this again",
        ) from None
    same = (target / MANIFEST).read_bytes() == (built / MANIFEST).read_bytes()
    differences = folder_differences(target, there)
    edited = [str(d) for d in differences if d.what != "missing"]
    # a build that was killed after it wrote the version has not recorded it: then it is the one in ``built``
    if recorded not in (None, file_sha256(target / MANIFEST)) and not same:
        edited.insert(0, f"{MANIFEST} is altered")
    if edited:
        more = f", and {len(edited) - _NAMED} more" if len(edited) > _NAMED else ""
        raise StudyError(
            f"files in {target} changed after they were built, and this build would overwrite them: "
            f"{', '.join(edited[:_NAMED])}{more}",
            file=file,
            remedy="move what you wrote elsewhere (the card takes `about` from study.yaml), "
            f"delete {target}, and run this again",
        )
    if there.draft:
        if not new.draft:
            _LOG.warning("%s %s replaces the draft of that number in %s", new.name, new.version, target)
        return False
    if same:
        return not differences
    if differences:
        raise _refusal(new, target, f"files are missing there: {differences[0].path}", file, "")
    diff = version_diff(target, built)
    if diff.empty:
        return True
    lines = (line.strip() for line in diff_text(diff, examples=0).splitlines()[1:])
    found = [line for line in lines if not line.startswith("…") and not _SAME_ROWS.fullmatch(line)]
    others = [f"and {len(found) - _CHANGES} more changes"] if len(found) > _CHANGES else []
    raise _refusal(new, target, "; ".join([*found[:_CHANGES], *others]), file, _next(built, target, file))


def _refusal(new: ReleaseManifest, target: Path, changes: str, file: Path, instead: str) -> StudyError:
    return StudyError(
        f"{new.name} {new.version} exists in {target}, and this build has other contents: {changes}",
        file=file,
        remedy=f"{instead}if nobody has {new.version} yet, delete {target} and run this again"
        + ("" if new.draft else "; release.draft: true lets the builds from then on replace each other"),
    )


def _next(built: Path, target: Path, file: Path) -> str:
    """Return the edit of study.yaml by which the build follows the last version on disk, and its number."""
    last = max(_finished(target), key=lambda folder: parse_version(read_release_manifest(folder).version))
    diff = version_diff(last, built)
    computed = next_version(diff.old, diff)
    named = last.relative_to(file.parent.resolve()).as_posix()
    return (
        f"set release.previous: {named} in study.yaml and leave out release.version, "
        f"which makes this build {computed.version}; or, "
    )


def _finished(target: Path) -> Iterator[Path]:
    """Yield the folders of the dataset's versions beside ``target``, without drafts and damaged ones."""
    name = read_release_manifest(target).name
    for folder in sorted(target.parent.glob(f"*/{MANIFEST}")):
        if re.fullmatch(f"{re.escape(name)}-{VERSION}", folder.parent.name):
            manifest = read_release_manifest(folder.parent)
            if not manifest.draft and not folder_differences(folder.parent, manifest):
                yield folder.parent

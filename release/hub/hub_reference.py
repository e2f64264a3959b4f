"""Versions on the Hub by their name ORG/NAME@REVISION, and their folders on this machine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ArtifactError, InputError
from nextset.files.atomic_files import replace_folder, write_atomically
from nextset.files.cache_home import cache_home
from nextset.files.json_records import DamagedJson, JsonRecord, parse_record
from nextset.release.dataset_files.release_manifest import MANIFEST, parse_manifest, read_release_manifest
from nextset.release.hub.folder_hashes import folder_differences
from nextset.release.hub.hub_repository import PAUSES, HubRepository
from nextset.release.hub.hub_token import HubToken, find_token
from nextset.study.release_settings import VERSION

__all__ = [
    "MANIFEST_LIMIT",
    "HubReference",
    "check_repository",
    "check_whole",
    "download_version",
    "parse_reference",
    "version_folder",
]

MANIFEST_LIMIT = 64_000_000
"""Bytes; a larger manifest.json is not read."""

_REPO = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_])?")
_TAG = re.compile(f"v{VERSION}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_REVISION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_./+-]{0,198}[A-Za-z0-9_+-])?")


@dataclass(frozen=True, slots=True)
class HubReference:
    """A revision of a dataset on the Hub."""

    repo: str
    """ORG/NAME."""
    revision: str
    """A tag, such as v1.0.0, a branch or a commit."""

    def __str__(self) -> str:
        return f"{self.repo}@{self.revision}"


def check_repository(repo: str) -> None:
    """Raise InputError unless ``repo`` is ORG/NAME as the Hub allows it."""
    parts = repo.split("/")
    named = len(parts) == 2 and all(_REPO.fullmatch(p) and "--" not in p and ".." not in p for p in parts)
    if not named or repo.endswith(".git"):
        raise InputError(
            f"{repo!r} is not the name of a dataset on the Hub",
            remedy="write ORG/NAME, with letters, digits, -, _ and . only",
        )


def parse_reference(text: str) -> HubReference:
    """Return the reference that ``text``, ORG/NAME@REVISION, stands for; raises InputError if it is none."""
    repo, at, revision = text.partition("@")
    check_repository(repo)
    if not at or not _REVISION.fullmatch(revision) or ".." in revision or "//" in revision:
        raise InputError(
            f"{text!r} names no revision of a dataset on the Hub",
            remedy=f"write {repo}@v1.0.0, with the tag, branch or commit that you mean",
        )
    return HubReference(repo, revision)


def version_folder(
    source: str,
    place: Callable[[str], Path],
    *,
    token: HubToken | None = None,
    endpoint: str | None = None,
    progress: Progress = SILENT,
) -> Path:
    """Return the folder of a version: that of the path ``source``, or the download of ORG/NAME@REVISION.

    ``place`` turns a path as it was written into the path on this machine. A folder that exists comes first.
    Raises InputError if ``source`` is neither, ArtifactError if files of the folder are not those of its
    manifest, and what `download_version` raises.
    """
    folder = place(source)
    if folder.is_dir():
        check_whole(folder)
        return folder
    repo, at, _ = source.partition("@")
    if not at or repo.count("/") != 1:
        raise InputError(
            f"{source!r} is neither a folder nor a version on the Hub",
            remedy="name the folder of a dataset version, or ORG/NAME@REVISION",
        )
    return download_version(parse_reference(source), token=token, endpoint=endpoint, progress=progress)


def check_whole(folder: Path) -> None:
    """Raise ArtifactError unless the files in ``folder`` are those of its manifest."""
    manifest = read_release_manifest(folder)
    differences = folder_differences(folder, manifest)
    if differences:
        more = f", and {len(differences) - 1} more" if len(differences) > 1 else ""
        raise ArtifactError(
            f"{folder} is not the version that its manifest describes: {differences[0]}{more}",
            remedy=f"see all with `nextset release verify {folder}`, and build or download it again",
        )


def download_version(
    reference: HubReference,
    *,
    token: HubToken | None = None,
    endpoint: str | None = None,
    progress: Progress = SILENT,
    note: Callable[[str], None] = lambda line: None,
    pauses: tuple[float, ...] = PAUSES,
) -> Path:
    """Return a folder in nextset's cache with the version, downloaded unless it is there already.

    Every file is compared with the manifest. The tag of a version does not move, so the Hub is not asked
    about one that is there: a study with release.previous can be run without a network. No token is needed
    for public versions. Raises ArtifactError if a file differs, or the revision is not a dataset version of
    nextset; ServerError if the Hub refuses.
    """
    versions = cache_home() / "versions" / reference.repo.replace("/", "--")
    known = _known_commit(versions, reference, endpoint)
    if known is not None and _is_whole(versions / known):
        return versions / known
    token = token or find_token()
    with HubRepository(reference.repo, token=token, endpoint=endpoint, note=note, pauses=pauses) as hub:
        commit = hub.commit_of(reference.revision)
        place = versions / commit
        _keep_commit(versions, reference, endpoint, commit)
        if _is_whole(place):
            return place
        shutil.rmtree(place, ignore_errors=True)
        work = place.with_name(f"{commit}.partial")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        _download(hub, reference, commit, work, progress)
        replace_folder(place, work)
        return place


def _is_whole(place: Path) -> bool:
    """Return whether ``place`` holds a version with the files that its manifest lists."""
    try:
        return not folder_differences(place, read_release_manifest(place))
    except ArtifactError:  # there is none, or a damaged one, which is downloaded again
        return False


def _tag_file(versions: Path, reference: HubReference) -> Path | None:
    """Return the file that keeps the commit of a version's tag; None for branches and commits."""
    return versions / f"{reference.revision}.json" if _TAG.fullmatch(reference.revision) else None


class _KeptCommit(JsonRecord):
    """The commit of a version's tag, on the Hub where it was asked for."""

    hub: str
    commit: str


def _known_commit(versions: Path, reference: HubReference, endpoint: str | None) -> str | None:
    file = _tag_file(versions, reference)
    try:
        kept = parse_record(file.read_bytes(), _KeptCommit) if file is not None and file.is_file() else None
    except DamagedJson:
        return None
    return kept.commit if kept and kept.hub == _hub(endpoint) and _COMMIT.fullmatch(kept.commit) else None


def _keep_commit(versions: Path, reference: HubReference, endpoint: str | None, commit: str) -> None:
    file = _tag_file(versions, reference)
    if file is not None:
        write_atomically(file, _KeptCommit(hub=_hub(endpoint), commit=commit).model_dump_json().encode())


def _hub(endpoint: str | None) -> str:
    """Return the address of the Hub: the same tag on another one is another version."""
    from huggingface_hub.constants import ENDPOINT

    return endpoint or ENDPOINT


def _download(
    hub: HubRepository, reference: HubReference, commit: str, work: Path, progress: Progress
) -> None:
    tree = hub.tree(commit)
    if MANIFEST not in tree:
        raise ArtifactError(
            f"{reference} is not a dataset version: it has no {MANIFEST}",
            remedy="name a version that `nextset release push` published",
        )
    hub.retrieve(MANIFEST, commit, MANIFEST_LIMIT, work / MANIFEST)
    manifest = parse_manifest((work / MANIFEST).read_bytes(), f"{reference}/{MANIFEST}")
    tick = progress("download")
    for i, file in enumerate(manifest.files, 1):
        to = work / file.path
        to.parent.mkdir(parents=True, exist_ok=True)
        there = file.path in tree
        if not there or hub.retrieve(file.path, commit, file.bytes, to).sha256 != file.sha256:
            raise ArtifactError(
                f"{reference}: {file.path} is missing, or not the file that the manifest lists",
                remedy=f"see what differs: nextset release verify {reference}",
            )
        tick(i, len(manifest.files))

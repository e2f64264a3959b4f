"""Versions on the Hub by their name ORG/NAME@REVISION, and their folders on this machine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ArtifactError, InputError, NewerFormat
from nextset.files.atomic_files import replace_folder, write_atomically
from nextset.files.cache_home import cache_home
from nextset.files.json_records import DamagedJson, JsonRecord, parse_record
from nextset.release.hub.hub_repository import PAUSES, HubRepository
from nextset.release.hub.hub_token import HubToken, find_token
from nextset.release.version_folder.folder_hashes import folder_differences
from nextset.release.version_folder.release_manifest import MANIFEST, parse_manifest, read_release_manifest
from nextset.study.release_settings import VERSION

__all__ = [
    "MANIFEST_LIMIT",
    "HubReference",
    "check_repository",
    "check_whole",
    "download_version",
    "local_version",
    "parse_reference",
]

MANIFEST_LIMIT = 64_000_000
"""The most bytes of a manifest.json; a larger one is not read."""

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
    """Raise InputError unless ``repo`` is ORG/NAME in a form that the Hub allows."""
    parts = repo.split("/")
    named = len(parts) == 2 and all(_REPO.fullmatch(p) and "--" not in p and ".." not in p for p in parts)
    if not named or repo.endswith(".git"):
        raise InputError(
            f"{repo!r} is not the name of a dataset on the Hub",
            remedy="write ORG/NAME with only letters, digits, -, _ and .",
        )


def parse_reference(text: str) -> HubReference:
    """Return the reference in ``text``. Raises InputError if it does not have the form ORG/NAME@REVISION."""
    repo, at, revision = text.partition("@")
    check_repository(repo)
    if not at or not _REVISION.fullmatch(revision) or ".." in revision or "//" in revision:
        raise InputError(
            f"{text!r} does not name a revision of a dataset on the Hub",
            remedy=f"write {repo}@v1.0.0, with your tag, branch or commit",
        )
    return HubReference(repo, revision)


def local_version(
    source: str,
    place: Callable[[str], Path],
    *,
    token: HubToken | None = None,
    endpoint: str | None = None,
    progress: Progress = SILENT,
) -> Path:
    """Return the folder of a version: the folder ``source``, or the download of ORG/NAME@REVISION.

    ``place`` turns a path, as written by the user, into the path on this machine. An existing folder wins
    over a reference. Raises InputError if ``source`` is neither, ArtifactError if the folder's files differ
    from its manifest, and the errors of `download_version`.
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
    """Raise ArtifactError unless the files in ``folder`` are the files in its manifest."""
    manifest = read_release_manifest(folder)
    differences = folder_differences(folder, manifest)
    if differences:
        more = f", and {len(differences) - 1} more" if len(differences) > 1 else ""
        raise ArtifactError(
            f"{folder} differs from its manifest: {differences[0]}{more}",
            remedy=f"see all differences with `nextset release verify {folder}`, and build or download the "
            "version again",
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
    """Return a folder in nextset's cache with the version. Download it unless the cache already has it.

    Every file is compared with the manifest. The tag of a version does not move, so the Hub is not asked
    about a cached version: a study with release.previous can be run without a network. No token is needed for
    public versions. Raises ArtifactError if a file differs, or if the revision is not a dataset version of
    nextset. Raises ServerError if the Hub refuses.
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
    except NewerFormat:
        raise
    except ArtifactError:  # a missing or damaged version is downloaded again
        return False


def _tag_file(versions: Path, reference: HubReference) -> Path | None:
    """Return the file that stores the commit of a version's tag, or None for branches and commits."""
    return versions / f"{reference.revision}.json" if _TAG.fullmatch(reference.revision) else None


class _KeptCommit(JsonRecord):
    """The commit of a version's tag, with the address of the Hub."""

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
    """Return the address of the Hub. The same tag at a different address is a different version."""
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
                f"{reference}: {file.path} is missing, or differs from the file that the manifest lists",
                remedy=f"see all differences with `nextset release verify {reference}`",
            )
        tick(i, len(manifest.files))

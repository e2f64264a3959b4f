"""Verification: a published version, or a folder, is compared with its manifest."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ArtifactError, InputError
from nextset.records.short_repr import short_repr
from nextset.release.hub.hub_reference import MANIFEST_LIMIT, HubReference, parse_reference
from nextset.release.hub.hub_repository import PAUSES, HubRepository
from nextset.release.hub.hub_token import HubToken, find_token
from nextset.release.version_folder.folder_hashes import FileDifference, folder_differences
from nextset.release.version_folder.release_manifest import (
    MANIFEST,
    PublishedFile,
    ReleaseManifest,
    parse_manifest,
    read_release_manifest,
)

__all__ = ["Verification", "verify_folder", "verify_published", "verify_version"]

_NOT_LISTED = {MANIFEST, ".gitattributes"}


@short_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of comparing a version with its manifest."""

    source: str
    """The folder, or ORG/NAME@REVISION."""
    commit: str | None
    """The commit that was compared; null for a folder."""
    name: str
    """The dataset's name, by the manifest."""
    version: str
    """Its version, by the manifest."""
    files: int
    """The number of files that the manifest lists."""
    bytes: int
    """Their size."""
    rows: int
    """The rows of the tables that could be read."""
    differences: tuple[FileDifference, ...]
    """Files that are missing, altered or extra, by path."""
    disagreements: tuple[str, ...]
    """Other disagreements with the manifest, such as the tag's."""

    @property
    def intact(self) -> bool:
        """True if everything agrees with the manifest."""
        return not self.differences and not self.disagreements


def verify_version(
    source: str,
    *,
    token: HubToken | None = None,
    endpoint: str | None = None,
    progress: Progress = SILENT,
    note: Callable[[str], None] = lambda line: None,
) -> Verification:
    """Compare ``source``, a folder or ORG/NAME@REVISION, with its manifest.

    Raises ArtifactError if there is no manifest, InputError if ``source`` is neither, ServerError if the Hub
    refuses.
    """
    if Path(source).is_dir():
        return verify_folder(Path(source), progress=progress)
    if Path(source).exists():
        remedy = f"name the version's folder, which contains {MANIFEST}"
        raise InputError(f"{source} is not a folder", remedy=remedy)
    reference = parse_reference(source)
    return verify_published(reference, token=token, endpoint=endpoint, progress=progress, note=note)


def verify_folder(folder: Path, *, progress: Progress = SILENT) -> Verification:
    """Compare the version in ``folder`` with its manifest. Raises ArtifactError if there is no manifest."""
    manifest = read_release_manifest(folder)
    differences = {d.path: d for d in folder_differences(folder, manifest)}
    rows, tick = 0, progress("verify")
    for i, file in enumerate(manifest.files, 1):
        if file.path not in differences:
            rows += _read(folder / file.path, file, differences)
        tick(i, len(manifest.files))
    return _verification(str(folder), None, manifest, rows, differences, ())


def verify_published(
    reference: HubReference,
    *,
    token: HubToken | None = None,
    endpoint: str | None = None,
    progress: Progress = SILENT,
    note: Callable[[str], None] = lambda line: None,
    pauses: tuple[float, ...] = PAUSES,
) -> Verification:
    """Download the version, compare every file with the manifest, and read its tables.

    Only one file at a time is on disk. Public versions need no token. Raises ArtifactError if the revision
    has no readable manifest, and ServerError if the Hub refuses.
    """
    token = token or find_token()
    hub = HubRepository(reference.repo, token=token, endpoint=endpoint, note=note, pauses=pauses)
    with hub, tempfile.TemporaryDirectory(prefix="nextset-verify-") as temporary:
        work, commit = Path(temporary), hub.commit_of(reference.revision)
        tree = hub.tree(commit)
        manifest = _manifest(hub, reference, commit, MANIFEST in tree, work)
        differences: dict[str, FileDifference] = {}
        rows, tick = 0, progress("verify")
        for i, file in enumerate(manifest.files, 1):
            if file.path not in tree:
                differences[file.path] = FileDifference(file.path, "missing", "")
            else:
                rows += _retrieved(hub, file, commit, work / "file", differences)
            tick(i, len(manifest.files))
        listed = {file.path for file in manifest.files}
        for path in tree:
            if path not in listed | _NOT_LISTED:
                differences[path] = FileDifference(path, "extra", "not in the manifest")
        disagreements = _disagreements(reference, manifest)
        return _verification(str(reference), commit, manifest, rows, differences, disagreements)


def _manifest(
    hub: HubRepository, reference: HubReference, commit: str, listed: bool, work: Path
) -> ReleaseManifest:
    if not listed:
        raise ArtifactError(
            f"{reference} is not a dataset version: it has no {MANIFEST}",
            remedy="name a version that `nextset release push` published",
        )
    hub.retrieve(MANIFEST, commit, MANIFEST_LIMIT, work / MANIFEST)
    return parse_manifest((work / MANIFEST).read_bytes(), f"{reference}/{MANIFEST}")


def _retrieved(
    hub: HubRepository, file: PublishedFile, commit: str, to: Path, found: dict[str, FileDifference]
) -> int:
    """Return the number of rows if the table is as listed, else 0; add any difference to ``found``."""
    got = hub.retrieve(file.path, commit, file.bytes, to)
    if got.sha256 == file.sha256:
        return _read(to, file, found)
    if got.bytes == file.bytes:
        detail = "different SHA-256"
    else:
        size = f"more than {file.bytes:,}" if got.bytes > file.bytes else f"{got.bytes:,}"
        detail = f"{size} bytes instead of {file.bytes:,}"
    found[file.path] = FileDifference(file.path, "altered", detail)
    return 0


def _read(path: Path, file: PublishedFile, found: dict[str, FileDifference]) -> int:
    """Return the number of rows of a table after reading all of them; add any difference to ``found``."""
    import pyarrow.parquet as pq

    if file.rows is None:
        return 0
    try:
        with pq.ParquetFile(path) as table:
            rows: int = sum(batch.num_rows for batch in table.iter_batches())
    except (pa.ArrowException, OSError) as e:
        why = str(e).splitlines()[0] if str(e) else type(e).__name__
        found[file.path] = FileDifference(file.path, "altered", f"not readable: {why[:120]}")
        return 0
    if rows != file.rows:
        found[file.path] = FileDifference(file.path, "altered", f"{rows:,} rows instead of {file.rows:,}")
    return rows


def _disagreements(reference: HubReference, manifest: ReleaseManifest) -> tuple[str, ...]:
    if (
        re.fullmatch(r"v[0-9]+\.[0-9]+\.[0-9]+", reference.revision)
        and reference.revision != f"v{manifest.version}"
    ):
        return (f"the tag is {reference.revision}, the manifest says {manifest.version}",)
    return ()


def _verification(
    source: str,
    commit: str | None,
    manifest: ReleaseManifest,
    rows: int,
    found: dict[str, FileDifference],
    disagreements: tuple[str, ...],
) -> Verification:
    return Verification(
        source=source,
        commit=commit,
        name=manifest.name,
        version=manifest.version,
        files=len(manifest.files),
        bytes=sum(file.bytes for file in manifest.files),
        rows=rows,
        differences=tuple(found[path] for path in sorted(found)),
        disagreements=disagreements,
    )

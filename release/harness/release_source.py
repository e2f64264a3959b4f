"""The dataset version that a harness loads: a folder, or a tag on the Hugging Face Hub."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import ArtifactError, InputError
from nextset.release.forms.harness_task import HarnessTask
from nextset.release.forms.released_form import RELEASED, released_form
from nextset.release.hub.hub_reference import check_whole
from nextset.release.version_folder.release_manifest import (
    MANIFEST,
    ReleaseManifest,
    parse_manifest,
    read_release_manifest,
)

__all__ = ["ReleaseSource", "hub_source", "local_source", "release_source"]

REFERENCE = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)@(?P<revision>v\d+\.\d+\.\d+)", re.ASCII)
"""A version on the Hub: ORG/NAME@v1.2.0. Folders do not have such names by accident."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSource:
    """A dataset version, with the arguments of `datasets.load_dataset` that load its items."""

    manifest: ReleaseManifest
    kind: str
    """The main config that the task measures, such as items."""
    repository: str
    """ORG/NAME on the Hub; empty for a local folder."""
    revision: str
    """The tag on the Hub; empty for a local folder."""
    path: str
    """The first argument of load_dataset."""
    config: str | None
    """The config's name; None for a local folder, whose files are named in ``arguments``."""
    arguments: Mapping[str, Any]
    """Further arguments of load_dataset: the revision, or the files."""

    @property
    def controls(self) -> bool:
        """True if the version has controls."""
        return bool(self.manifest.files_of(self.kind, "controls"))

    @property
    def task(self) -> HarnessTask:
        """The files of the task."""
        task = released_form(self.kind).harness
        assert task is not None
        return task


def release_source(version: str | Path) -> ReleaseSource:
    """Return the version in a folder, or on the Hub if ``version`` is ORG/NAME@v1.2.0.

    Raises InputError if ``version`` is neither, and ArtifactError if the version does not exist or has no
    rows that harnesses can use.
    """
    if isinstance(version, str) and not Path(version).is_dir():
        if match := REFERENCE.fullmatch(version):
            return hub_source(match["repository"], match["revision"])
        if "@" in version:
            raise ArtifactError(
                f"{version} is not the tag of a published version, and exports must be pinned to a tag",
                remedy="name the version as ORG/NAME@v1.2.0",
            )
    if not Path(version).is_dir():
        raise InputError(
            f"{str(version)!r} is neither a folder nor a version on the Hub",
            remedy="name the folder of a dataset version, or write ORG/NAME@v1.0.0 for a version on the Hub",
        )
    return local_source(Path(version))


def local_source(folder: Path) -> ReleaseSource:
    """Return the version in ``folder``, whose files the task names. Raises as `release_source` does."""
    check_whole(folder)
    manifest = read_release_manifest(folder)
    kind = _exported_kind(manifest)
    splits = {split: manifest.files_of(kind, split) for split in ("test", "controls")}
    files = {
        split: [str(folder.resolve() / f.path) for f in split_files]
        for split, split_files in splits.items()
        if split_files
    }
    return ReleaseSource(
        manifest=manifest,
        kind=kind,
        repository="",
        revision="",
        path="parquet",
        config=None,
        arguments={"data_files": files},
    )


def hub_source(repository: str, revision: str) -> ReleaseSource:
    """Return the version of ``repository`` that the tag ``revision`` names; download only its manifest.

    Raises ArtifactError if the Hub has no such version or does not answer, or if the version has no rows
    that harnesses can use.
    """
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError

    named = f"{repository}@{revision}"
    try:
        path = hf_hub_download(repository, MANIFEST, repo_type="dataset", revision=revision)
    except (EntryNotFoundError, OSError, ValueError) as e:
        # The error's text may repeat request headers, so only its class is shown.
        raise ArtifactError(
            f"the manifest of {named} cannot be downloaded: {type(e).__name__}",
            remedy="check the name, the tag and the connection; for a private dataset, run `hf auth login`",
        ) from None
    manifest = parse_manifest(Path(path).read_bytes(), f"{MANIFEST} of {named}")
    if revision != f"v{manifest.version}":
        raise ArtifactError(
            f"the tag {revision} of {repository} is on version {manifest.version}",
            remedy=f"run `nextset release verify {named}`",
        )
    kind = _exported_kind(manifest)
    return ReleaseSource(
        manifest=manifest,
        kind=kind,
        repository=repository,
        revision=revision,
        path=repository,
        config=kind,
        arguments={"revision": revision},
    )


def _exported_kind(manifest: ReleaseManifest) -> str:
    """Return the first main config that harnesses can use. Raises ArtifactError if there is none."""
    exported = {form.config: form.harness for form in RELEASED if form.harness is not None}
    for kind in manifest.kinds:
        if kind in exported and manifest.files_of(kind, "test"):
            return kind
    rows = " or ".join(task.rows for task in exported.values())
    raise ArtifactError(
        f"{manifest.name} {manifest.version} has no {rows}, only {manifest.kind}, which harnesses cannot use",
        remedy=f"name a version that has the config {' or '.join(exported)}",
    )

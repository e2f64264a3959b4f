"""The plan of a push: the state of the Hub, and the changes that the push would make."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nextset.errors import ArtifactError
from nextset.release.hub.hub_repository import (
    HubRepository,
    References,
    RemoteFile,
    RepositorySettings,
)
from nextset.release.version_folder.dotted_version import parse_version
from nextset.release.version_folder.folder_hashes import FileDifference, VersionFile, changed_folder
from nextset.release.version_folder.release_manifest import CARD, MANIFEST, ReleaseManifest
from nextset.study.release_settings import VERSION

__all__ = [
    "MAIN",
    "FileChange",
    "PushPlan",
    "digest_line",
    "plan_push",
    "published_commit",
    "tree_differences",
]

MAIN = "main"
_KEPT = ".gitattributes"
_VERSION_TAG = re.compile(f"v{VERSION}")


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that a push changes."""

    path: str
    what: Literal["added", "changed", "deleted"]
    """added, changed or deleted."""
    bytes: int
    """Its new size; for a deleted file, its old size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PushPlan:
    """The changes that a push would make."""

    repo: str
    """ORG/NAME."""
    page: str
    """The URL of its page."""
    name: str
    """The dataset's name."""
    version: str
    """major.minor.patch."""
    tag: str
    """The tag that the version gets."""
    manifest_sha256: str
    """The hash of manifest.json, which identifies the whole version."""
    found: Literal["no repository", "other data", "untagged", "published"]
    """The state of the Hub: no repository, other data, this version without its tag, or this version."""
    head: str | None
    """The last commit on main; null without a repository."""
    committed: str | None
    """The commit that holds this version; null if there is no such commit yet."""
    latest: str | None
    """The highest version that has a tag; null without such a version."""
    staging: str
    """The name of the staging branch."""
    staged: Literal["nothing", "this version", "other data"]
    """The content of the staging branch, from an interrupted push."""
    staged_by: str
    """The authors and the time of the staging branch's last commit; empty without such a branch."""
    changes: tuple[FileChange, ...]
    """The files that change on main, by path."""
    unchanged: int
    """The number of files that do not change on main."""
    private: bool
    """True if the repository should be private."""
    gated: bool
    """True if readers should have to ask for access."""
    settings: tuple[str, ...]
    """The settings of the repository that change, as text."""
    card: str
    """The card, README.md."""

    @property
    def bytes_to_send(self) -> int:
        """The size of the files that are new or changed."""
        return sum(change.bytes for change in self.changes if change.what != "deleted")


def digest_line(manifest_sha256: str) -> str:
    """Return the line in a commit's description that identifies the version's manifest."""
    return f"manifest.json sha256 {manifest_sha256}"


def tree_differences(
    files: Mapping[str, VersionFile], tree: Mapping[str, RemoteFile]
) -> tuple[FileDifference, ...]:
    """Return the differences between ``tree`` on the Hub and ``files``, the files of the version."""
    differences = []
    for path, file in sorted(files.items()):
        there = tree.get(path)
        if there is None:
            differences.append(FileDifference(path, "missing", ""))
        elif not _same(file, there):
            differences.append(FileDifference(path, "altered", "different content on the Hub"))
    differences.extend(
        FileDifference(path, "extra", "") for path in sorted(tree) if path not in files and path != _KEPT
    )
    return tuple(differences)


def _same(file: VersionFile, there: RemoteFile) -> bool:
    if there.bytes != file.bytes:
        return False
    if there.sha256 is not None:
        return there.sha256 == file.sha256
    return there.git_hash == file.git_hash


def published_commit(
    hub: HubRepository,
    files: Mapping[str, VersionFile],
    branch: str,
    parent: str | None = None,
) -> str | None:
    """Return the commit on ``branch``, after ``parent`` if given, that holds exactly this version, or None.

    Commits are recognised by their description, then compared file by file.
    """
    line = digest_line(files[MANIFEST].sha256)
    for commit in hub.commits(branch):
        if commit.commit_id == parent:
            return None
        if line in commit.message and not tree_differences(files, hub.tree(commit.commit_id)):
            return commit.commit_id
    return None


def plan_push(
    folder: Path, manifest: ReleaseManifest, files: Mapping[str, VersionFile], hub: HubRepository
) -> PushPlan:
    """Return the plan of a push of the version in ``folder``, with these ``files``; change nothing.

    Raises ArtifactError if the card changed after ``files`` were read, if the version number does not follow
    the last version on the Hub, or if its tag is on other data. Raises ServerError if the Hub does not answer
    or refuses.
    """
    settings = hub.settings()
    refs = hub.refs() if settings else References({}, {})
    tag = f"v{manifest.version}"
    head, tagged = refs.branches.get(MAIN), refs.tags.get(tag)
    tree = hub.tree(head) if head else {}
    latest, committed = _latest(refs), tagged
    if tagged is not None:
        _check_tag(hub, files, tag, tagged)
    elif head:
        _check_sequence(manifest, latest, hub.repo)
        whole = not tree_differences(files, tree)
        committed = head if whole else published_commit(hub, files, MAIN)
    staging = f"nextset-staging-{tag}"
    staged, staged_by = _staged(hub, files, refs.branches.get(staging))
    untagged = "untagged" if committed else "other data" if settings else "no repository"
    return PushPlan(
        repo=hub.repo,
        page=hub.page,
        name=manifest.name,
        version=manifest.version,
        tag=tag,
        manifest_sha256=files[MANIFEST].sha256,
        found="published" if tagged else untagged,  # type: ignore[arg-type]
        head=head,
        committed=committed,
        latest=latest,
        staging=staging,
        staged=staged,
        staged_by=staged_by,
        changes=() if committed else _changes(files, tree),
        unchanged=sum(path in tree and _same(file, tree[path]) for path, file in files.items()),
        private=manifest.private,
        gated=manifest.gated,
        settings=_settings(manifest, settings),
        card=_card(folder, files[CARD]),
    )


def _card(folder: Path, file: VersionFile) -> str:
    try:
        raw = (folder / CARD).read_bytes()
    except OSError:
        raw = b""
    if hashlib.sha256(raw).hexdigest() != file.sha256:
        raise changed_folder(folder, [CARD])
    return raw.decode(errors="replace")


def _check_tag(hub: HubRepository, files: Mapping[str, VersionFile], tag: str, commit: str) -> None:
    differences = tree_differences(files, hub.tree(commit))
    if differences:
        named = ", ".join(str(d) for d in differences[:5])
        raise ArtifactError(
            f"the tag {tag} of {hub.repo} is on other data: {named}",
            remedy="build the next version and push it; a published version never changes",
        )


def _latest(refs: References) -> str | None:
    versions = [tag[1:] for tag in refs.tags if _VERSION_TAG.fullmatch(tag)]
    return max(versions, key=parse_version, default=None)


def _check_sequence(manifest: ReleaseManifest, latest: str | None, repo: str) -> None:
    number = parse_version(manifest.version)
    if latest is None:
        return
    if number <= parse_version(latest):
        raise ArtifactError(
            f"{repo} already has version {latest}, and this is version {manifest.version}",
            remedy=f"set release.previous: {repo}@v{latest} in study.yaml, remove release.version, "
            "and build again",
        )
    if manifest.previous != latest:
        made_from = f"based on {manifest.previous}" if manifest.previous else "a first version"
        raise ArtifactError(
            f"the last version of {repo} is {latest}, but {manifest.version} is {made_from}",
            remedy=f"set release.previous: {repo}@v{latest} in study.yaml, and build again",
        )


def _staged(
    hub: HubRepository,
    files: Mapping[str, VersionFile],
    commit: str | None,
) -> tuple[Literal["nothing", "this version", "other data"], str]:
    if commit is None:
        return "nothing", ""
    last = hub.commits(commit)[0]
    by = f"{', '.join(last.authors)}, {last.created_at:%Y-%m-%d %H:%M} UTC"
    whole = not tree_differences(files, hub.tree(commit))
    return ("this version" if whole else "other data"), by


def _changes(files: Mapping[str, VersionFile], tree: Mapping[str, RemoteFile]) -> tuple[FileChange, ...]:
    changes = [FileChange(path, "added", file.bytes) for path, file in files.items() if path not in tree]
    changes += [
        FileChange(path, "changed", file.bytes)
        for path, file in files.items()
        if path in tree and not _same(file, tree[path])
    ]
    changes += [
        FileChange(path, "deleted", there.bytes)
        for path, there in tree.items()
        if path not in files and path != _KEPT
    ]
    return tuple(sorted(changes, key=lambda change: change.path))


def _settings(manifest: ReleaseManifest, now: RepositorySettings | None) -> tuple[str, ...]:
    settings = []
    if now is None or now.private != manifest.private:
        settings.append("private" if manifest.private else "public")
    if (now is not None and now.gated) != manifest.gated:
        settings.append("readers must ask for access" if manifest.gated else "open to all readers")
    return tuple(settings)

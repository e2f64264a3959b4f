"""Publishing a dataset version: a staging branch, a comparison of every file, one commit on main, the tag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ServerError
from nextset.records.short_repr import short_repr
from nextset.release.hub.hub_failure import HubFailure
from nextset.release.hub.hub_reference import check_repository
from nextset.release.hub.hub_repository import PAUSES, HubRepository, RepositorySettings
from nextset.release.hub.hub_token import REMEDY, HubToken, find_token
from nextset.release.hub.push_plan import (
    MAIN,
    PushPlan,
    digest_line,
    plan_push,
    published_commit,
    tree_differences,
)
from nextset.release.hub.push_refusals import checked_manifest
from nextset.release.version_folder.folder_hashes import (
    FileDifference,
    VersionFile,
    changed_folder,
    changes_since,
    version_files,
)

__all__ = ["Pushed", "push_version"]


@short_repr
@dataclass(frozen=True, slots=True)
class Pushed:
    """The result of a push."""

    plan: PushPlan
    """The plan: the state of the Hub before the push, and the intended changes."""
    outcome: Literal["published", "already published", "dry run", "declined"]
    """published by this push, published before it, or not sent."""
    commit: str | None
    """The commit of the tag; null if nothing was sent."""
    left: str
    """The staging branch if it could not be deleted (the next push deletes it); else empty."""


def push_version(
    folder: Path,
    repo: str,
    *,
    token: HubToken | None = None,
    endpoint: str | None = None,
    demo: bool = False,
    dry_run: bool = False,
    confirm: Callable[[PushPlan], bool] = lambda plan: True,
    progress: Progress = SILENT,
    note: Callable[[str], None] = lambda line: None,
    pauses: tuple[float, ...] = PAUSES,
    timeout: float = 120,
) -> Pushed:
    """Publish the dataset version in ``folder`` as ``repo`` (ORG/NAME), in one commit and with a tag.

    The default ``token`` is that of the environment or huggingface_hub's login. ``confirm`` gets the plan
    before anything is sent. After an interruption, the next call finishes the push or starts over. ``note``
    gets lines about waits and repeated requests. ``pauses`` are the seconds between attempts; an answer
    counts as lost after ``timeout`` seconds.

    Every file is read once, and the Hub is compared with this reading, never with a later one.

    Raises ArtifactError with every reason not to publish the folder, or if the folder changes during the
    push, and ServerError if the Hub refuses or does not answer, or if someone else changed main in the
    meantime; then the tag is not set.
    """
    check_repository(repo)
    token = token or find_token()
    manifest = checked_manifest(folder, token, demo=demo)
    if token is None and not dry_run:
        raise ServerError("there is no Hub token", remedy=REMEDY)
    hub = HubRepository(
        repo, token=token, endpoint=endpoint, note=note, pauses=pauses, timeout=timeout, writes=True
    )
    with hub:
        files = version_files(folder, manifest)
        plan = plan_push(folder, manifest, files, hub)
        finished = plan.found == "published" and plan.staged == "nothing" and not plan.settings
        if dry_run or finished:
            return Pushed(plan, "already published" if finished else "dry run", plan.committed, "")
        if not confirm(plan):
            return Pushed(plan, "declined", None, "")
        return _Push(hub, plan, folder, files, progress).run()


class _Push:
    """One push, with its steps in order. Every step can be repeated."""

    def __init__(
        self,
        hub: HubRepository,
        plan: PushPlan,
        folder: Path,
        files: Mapping[str, VersionFile],
        progress: Progress,
    ) -> None:
        self.hub, self.plan, self.folder, self.files, self.progress = hub, plan, folder, files, progress

    def run(self) -> Pushed:
        """Publish the version, and return the result of the push."""
        plan, hub = self.plan, self.hub
        if plan.found == "no repository":
            hub.create(private=plan.private)
        self._settle(before=True)
        commit = plan.committed
        if plan.found == "untagged" and commit is not None:
            self._compare(commit, "published")
        elif commit is None:
            commit = self._commit_to_main(self._head())
        if plan.found != "published":
            hub.create_tag(plan.tag, commit)
        if hub.refs().tags.get(plan.tag) != commit:
            raise ServerError(
                f"{hub.repo}: the tag {plan.tag} is not on the commit {commit}",
                remedy=f"look at the tags on {hub.page}, then run the same command again",
            )
        self._settle(before=False)
        left = self._clear_staging()
        return Pushed(plan, "already published" if plan.found == "published" else "published", commit, left)

    def _settle(self, *, before: bool) -> None:
        """Change the settings: restrict the repository before data is sent, open it only at the end."""
        wanted = RepositorySettings(private=self.plan.private, gated=self.plan.gated)
        now = self.hub.settings() or wanted
        if before:
            wanted = RepositorySettings(
                private=wanted.private or now.private, gated=wanted.gated or now.gated
            )
        if wanted != now:
            self.hub.settle(private=wanted.private, gated=wanted.gated)

    def _head(self) -> str:
        """Return the last commit on main. Raises ServerError if main has changed since the plan was made."""
        hub, plan = self.hub, self.plan
        head = hub.refs().branches.get(MAIN)
        if head is None:
            raise ServerError(
                f"{hub.repo} has no branch main", remedy=f"create it on {hub.page}, then run this again"
            )
        if plan.head is None:
            if set(hub.tree(head)) - {".gitattributes"}:
                raise self._moved(MAIN, head)
        elif head != plan.head:
            raise self._moved(MAIN, head)
        return head

    def _commit_to_main(self, head: str) -> str:
        staged = self._stage(head)
        self._compare(staged, "staged")
        commit = self._commit(MAIN, head, f"{self.plan.name} {self.plan.version}")
        self._refuse(tree_differences(self.files, self.hub.tree(commit)), "published")
        return commit

    def _stage(self, head: str) -> str:
        """Return the commit on the staging branch that holds the version; stage the version if needed."""
        hub, plan = self.hub, self.plan
        staged = hub.refs().branches.get(plan.staging)
        if plan.staged == "this version" and staged is not None:
            return staged
        if staged is not None:
            hub.note(f"deleting the branch {plan.staging}, which holds other data or part of a version")
            hub.delete_branch(plan.staging)
        hub.create_branch(plan.staging, head)
        return self._commit(plan.staging, head, f"Stage {plan.name} {plan.version}")

    def _commit(self, branch: str, parent: str, title: str) -> str:
        """Send the changed files, with the content of the first reading, and return the commit on ``branch``.

        Raises ArtifactError if the folder has changed since that reading.
        """
        self._check_folder()
        try:
            return self._send(branch, parent, title)
        except (ServerError, OSError, ValueError):  # for example, a file that disappeared while it was sent
            self._check_folder()
            raise

    def _check_folder(self) -> None:
        changed = changes_since(self.folder, self.files)
        if changed:
            raise changed_folder(self.folder, changed)

    def _send(self, branch: str, parent: str, title: str) -> str:
        hub, plan = self.hub, self.plan
        changed = [self.files[c.path] for c in plan.changes if c.what != "deleted"]
        added = hub.upload(self.folder, changed, branch, self.progress(f"upload to {branch}"))
        deleted = [c.path for c in plan.changes if c.what == "deleted"]

        def landed(failure: HubFailure) -> str | None:
            commit = published_commit(hub, self.files, branch, parent)
            if commit is None and hub.refs().branches.get(branch) != parent:
                raise self._moved(branch, branch)
            return commit

        return hub.commit(branch, parent, added, deleted, (title, digest_line(plan.manifest_sha256)), landed)

    def _moved(self, branch: str, revision: str) -> ServerError:
        """Return the error that says who changed ``branch``, whose last commit is in ``revision``."""
        last = self.hub.commits(revision)[0]
        by = ", ".join(last.authors)
        return ServerError(
            f"{self.hub.repo}: {branch} was changed by {by}: {last.title!r} "
            f"({last.created_at:%Y-%m-%d %H:%M} UTC, {last.commit_id[:8]}); this push did not change it",
            remedy=f"look at that commit on {self.hub.page}, then run the same command again "
            "to see a plan that follows the commit",
        )

    def _compare(self, commit: str, which: Literal["staged", "published"]) -> None:
        """Download every file of ``commit`` and compare its hash. Raises ServerError if a file differs."""
        self._refuse(tree_differences(self.files, self.hub.tree(commit)), which)
        differences = []
        tick = self.progress("compare downloads")
        for i, (path, file) in enumerate(sorted(self.files.items()), 1):
            if self.hub.retrieve(path, commit, file.bytes).sha256 != file.sha256:
                differences.append(FileDifference(path, "altered", "different SHA-256"))
            tick(i, len(self.files))
        self._refuse(differences, which)

    def _refuse(
        self,
        differences: tuple[FileDifference, ...] | list[FileDifference],
        which: Literal["staged", "published"],
    ) -> None:
        if not differences:
            return
        if which == "staged":
            self._clear_staging()
        self._check_folder()
        named = ", ".join(str(d) for d in differences[:5])
        raise ServerError(
            f"{self.hub.repo}: the {which} data differs from the folder: {named}; "
            f"the tag {self.plan.tag} was not set",
            remedy="run the same command again to start over",
        )

    def _clear_staging(self) -> str:
        """Delete the staging branch, and return its name if that fails (which does no harm), else ""."""
        branch = self.plan.staging
        try:
            if branch in self.hub.refs().branches:
                self.hub.delete_branch(branch)
        except ServerError as e:
            self.hub.note(f"the branch {branch} remains: {e}; the next push deletes it")
            return branch
        return ""

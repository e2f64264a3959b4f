"""Publishing a dataset version: a staging branch, a comparison of every file, one commit on main, the tag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ServerError
from nextset.records.short_repr import short_repr
from nextset.release.hub.folder_hashes import (
    FileDifference,
    VersionFile,
    changed_folder,
    changes_since,
    version_files,
)
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

__all__ = ["Pushed", "push_version"]


@short_repr
@dataclass(frozen=True, slots=True)
class Pushed:
    """The result of a push."""

    plan: PushPlan
    """What was found on the Hub, and what was to change."""
    outcome: Literal["published", "already published", "dry run", "declined"]
    """published by this push, already published before it, or nothing was sent."""
    commit: str | None
    """The commit that the tag names; null if nothing was sent."""
    left: str
    """The staging branch if it could not be deleted; the next push deletes it. Else empty."""


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

    The token comes from the environment or huggingface_hub's login if ``token`` is None. ``confirm`` gets
    the plan before anything is sent. After an interruption the next call finishes, or starts over without
    what was staged. ``note`` gets lines on waits and repeated requests; ``pauses`` are the seconds between
    attempts, ``timeout`` those of silence after which an answer counts as lost.

    Every file is read once to know what it is; the Hub is compared with that, never with a later reading.

    Raises ArtifactError with every reason not to publish the folder, or if it changes during the push;
    ServerError if the Hub refuses, does not answer, or somebody else changed main meanwhile; the tag is never
    set then.
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
    """One push: its steps in their order; every step can be repeated."""

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
        """Publish the version, and return where it is."""
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
                f"{hub.repo}: the tag {plan.tag} does not name the commit {commit}",
                remedy=f"look at the tags on {hub.page}, then run the same command again",
            )
        self._settle(before=False)
        left = self._clear_staging()
        return Pushed(plan, "already published" if plan.found == "published" else "published", commit, left)

    def _settle(self, *, before: bool) -> None:
        """Change the settings: what closes the repository before data is sent, what opens it at the end."""
        wanted = RepositorySettings(private=self.plan.private, gated=self.plan.gated)
        now = self.hub.settings() or wanted
        if before:
            wanted = RepositorySettings(
                private=wanted.private or now.private, gated=wanted.gated or now.gated
            )
        if wanted != now:
            self.hub.settle(private=wanted.private, gated=wanted.gated)

    def _head(self) -> str:
        """Return the last commit on main; raises ServerError if it is not the one that the plan saw."""
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
        """Return the commit on the staging branch that holds the version."""
        hub, plan = self.hub, self.plan
        staged = hub.refs().branches.get(plan.staging)
        if plan.staged == "this version" and staged is not None:
            return staged
        if staged is not None:
            hub.note(f"deleting the branch {plan.staging}, which holds other data or half a version")
            hub.delete_branch(plan.staging)
        hub.create_branch(plan.staging, head)
        return self._commit(plan.staging, head, f"Stage {plan.name} {plan.version}")

    def _commit(self, branch: str, parent: str, title: str) -> str:
        """Send the files that change, as they were read at first, and return the commit on ``branch``.

        Raises ArtifactError if the folder has changed since.
        """
        self._check_folder()
        try:
            return self._send(branch, parent, title)
        except (ServerError, OSError, ValueError):  # a file that went away while it was sent
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
            found = published_commit(hub, self.files, branch, parent)
            if found is None and hub.refs().branches.get(branch) != parent:
                raise self._moved(branch, branch)
            return found

        return hub.commit(branch, parent, added, deleted, (title, digest_line(plan.manifest_sha256)), landed)

    def _moved(self, branch: str, revision: str) -> ServerError:
        """Return the error that says who changed ``branch``; ``revision`` has the last commit."""
        last = self.hub.commits(revision)[0]
        by = ", ".join(last.authors)
        return ServerError(
            f"{self.hub.repo}: {branch} was changed by {by}: {last.title!r} "
            f"({last.created_at:%Y-%m-%d %H:%M} UTC, {last.commit_id[:8]}); this push did not change it",
            remedy=f"look at that commit on {self.hub.page}, then run the same command again: "
            "it shows the plan on top of the commit",
        )

    def _compare(self, commit: str, which: Literal["staged", "published"]) -> None:
        """Download every file of ``commit`` and compare its hash; raises ServerError if one differs."""
        self._refuse(tree_differences(self.files, self.hub.tree(commit)), which)
        found = []
        tick = self.progress("compare downloads")
        for i, (path, file) in enumerate(sorted(self.files.items()), 1):
            if self.hub.retrieve(path, commit, file.bytes).sha256 != file.sha256:
                found.append(FileDifference(path, "altered", "another SHA-256"))
            tick(i, len(self.files))
        self._refuse(found, which)

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
            f"{self.hub.repo}: the {which} data is not that of the folder: {named}; there is no tag "
            f"{self.plan.tag}",
            remedy="run the same command again: it starts over",
        )

    def _clear_staging(self) -> str:
        """Delete the staging branch; returns its name if that fails, which does no harm."""
        branch = self.plan.staging
        try:
            if branch in self.hub.refs().branches:
                self.hub.delete_branch(branch)
        except ServerError as e:
            self.hub.note(f"the branch {branch} remains: {e}; the next push deletes it")
            return branch
        return ""

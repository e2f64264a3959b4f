"""A dataset repository on the Hub. Failed requests are repeated only if that is safe."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

from nextset.http_patience import Retries
from nextset.release.hub.hub_failure import HubFailure, failure_of, failures, server_error
from nextset.release.hub.hub_session import LONGEST_WAIT, hub_session
from nextset.release.hub.hub_token import HubToken
from nextset.release.version_folder.folder_hashes import VersionFile, changed_folder

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd
    from huggingface_hub.hf_api import GitCommitInfo

__all__ = ["PAUSES", "HubRepository", "References", "RemoteFile", "RepositorySettings", "Retrieved"]

PAUSES = (1.0, 2.0, 4.0, 8.0)
"""Seconds between attempts after a lost answer or a 5xx; after a 429, the Hub says how long to wait."""
T = TypeVar("T")
_CHUNK = 1 << 20
_BATCH = 20
_SMALL = 1 << 20


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a commit on the Hub."""

    path: str
    bytes: int
    """Its size."""
    sha256: str | None
    """The hash of its content, in hex, if the file is in LFS; else null."""
    git_hash: str
    """The hash of its content in git; the hash of the pointer if the file is in LFS."""


@dataclass(frozen=True, slots=True)
class References:
    """The branches and tags of a repository."""

    branches: Mapping[str, str]
    """The commit of each branch."""
    tags: Mapping[str, str]
    """The commit of each tag."""


@dataclass(frozen=True, slots=True)
class RepositorySettings:
    """The settings for who can read a repository."""

    private: bool
    """True if only its owners see it."""
    gated: bool
    """True if readers must ask for access."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A file that was downloaded."""

    bytes: int
    """Its size; the limit plus one if the download was stopped because the file is too large."""
    sha256: str
    """The hash of its content, in hex."""


class _Final(Exception):
    """A failure after which the request is not sent again."""

    def __init__(self, failure: HubFailure) -> None:
        super().__init__(failure.words)
        self.failure = failure


class _Passing(Exception):
    """A failure after which the request is sent again."""

    def __init__(self, failure: HubFailure) -> None:
        super().__init__(failure.words)
        self.failure = failure


def _content(folder: Path, file: VersionFile) -> Path | bytes:
    """Return the content of a small file, which cannot change once compared, or the path of a large one."""
    place = folder / file.path
    if file.bytes > _SMALL or place.suffix == ".parquet":
        return place
    raw = place.read_bytes()
    if hashlib.sha256(raw).hexdigest() != file.sha256:
        raise changed_folder(folder, [file.path])
    return raw


class HubRepository:
    """A dataset repository. Use it in a ``with`` statement, which sets up huggingface_hub's session."""

    def __init__(
        self,
        repo: str,
        *,
        token: HubToken | None,
        endpoint: str | None = None,
        note: Callable[[str], None] = lambda line: None,
        pauses: tuple[float, ...] = PAUSES,
        timeout: float = 120,
        writes: bool = False,
    ) -> None:
        from huggingface_hub import HfApi

        self.repo, self.token, self.note = repo, token, note
        self._pauses, self._timeout, self._writes = pauses, timeout, writes
        self._secret: str | bool = token.secret if token else False
        self._api = HfApi(endpoint=endpoint, token=self._secret, library_name="nextset")

    def __enter__(self) -> HubRepository:
        self._session = hub_session(self._timeout, self.note)
        self._session.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._session.__exit__(None, None, None)

    @property
    def page(self) -> str:
        """The URL of the repository's page."""
        return f"{self._api.endpoint}/datasets/{self.repo}"

    def ask(
        self, doing: str, call: Callable[[], T], landed: Callable[[HubFailure], T | None] | None = None
    ) -> T:
        """Return the result of ``call``, which is repeated after failures if that is safe.

        A call that changes something passes ``landed``. After a lost answer, a 5xx, or a conflict, ``landed``
        checks whether the Hub has the change, and returns the result if so. Otherwise the call is sent again
        after a lost answer or a 5xx, but not after a conflict. Raises ServerError.
        """
        pauses = self._pauses
        retries = Retries(
            fault=_Passing,
            wait=lambda n: pauses[n - 1],
            tries=len(pauses) + 1,
            waiting=LONGEST_WAIT,
            asked=lambda fault: fault.failure.wait,
            note=lambda fault, pause: self.note(
                f"{doing}: {fault.failure.words}; trying again in {pause:g} s"
            ),
        )
        try:
            return retries.of(lambda: self._once(doing, call, landed))
        except (_Passing, _Final) as e:
            raise server_error(e.failure, self.repo, doing, writes=self._writes) from None

    def _once(self, doing: str, call: Callable[[], T], landed: Callable[[HubFailure], T | None] | None) -> T:
        """Return the result of ``call``, or of ``landed`` if the change arrived; raise _Passing or _Final."""
        try:
            return call()
        except failures() as e:
            failure = failure_of(e)
        if landed is not None and (failure.unclear or failure.status in (409, 412)):
            result = landed(failure)
            if result is not None:
                self.note(f"{doing}: {failure.words}, but the Hub has the change")
                return result
        unsent = failure.status is None and not failure.code
        again = failure.status == 429 or failure.unclear or unsent
        raise _Passing(failure) if again else _Final(failure)

    def settings(self) -> RepositorySettings | None:
        """Return who can read the repository, or None if it does not exist or is not visible."""
        from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

        def read() -> RepositorySettings | None:
            try:
                info = self._api.dataset_info(self.repo, timeout=self._timeout)
            except GatedRepoError:
                raise
            except RepositoryNotFoundError:
                return None
            return RepositorySettings(private=bool(info.private), gated=bool(info.gated))

        return self.ask("looking at the repository", read)

    def refs(self) -> References:
        """Return the branches and tags. Raises ServerError if the repository does not exist."""

        def read() -> References:
            refs = self._api.list_repo_refs(self.repo, repo_type="dataset")
            return References(
                branches={b.name: b.target_commit for b in refs.branches},
                tags={t.name: t.target_commit for t in refs.tags},
            )

        return self.ask("looking at the branches", read)

    def commit_of(self, revision: str) -> str:
        """Return the commit of ``revision``, a tag, branch or commit."""

        def read() -> str:
            sha = self._api.dataset_info(self.repo, revision=revision, timeout=self._timeout).sha
            if not sha:
                raise ValueError("no commit")
            return sha

        return self.ask(f"looking for {revision}", read)

    def tree(self, revision: str) -> Mapping[str, RemoteFile]:
        """Return the files of ``revision`` by path."""
        from huggingface_hub.hf_api import RepoFile

        def read() -> Mapping[str, RemoteFile]:
            listed = self._api.list_repo_tree(
                self.repo, revision=revision, recursive=True, repo_type="dataset"
            )
            return {
                f.path: RemoteFile(f.path, f.size, f.lfs.sha256 if f.lfs else None, f.blob_id)
                for f in listed
                if isinstance(f, RepoFile)
            }

        return self.ask("listing the files", read)

    def commits(self, revision: str) -> list[GitCommitInfo]:
        """Return the commits up to ``revision``, the last one first."""
        return self.ask(
            "listing the commits",
            lambda: self._api.list_repo_commits(self.repo, revision=revision, repo_type="dataset"),
        )

    def retrieve(self, path: str, revision: str, limit: int, to: Path | None = None) -> Retrieved:
        """Download a file, into the file ``to`` if given, and return its size and hash.

        A file of more than ``limit`` bytes is not read to its end.
        """
        if to is None:
            return self.ask(f"downloading {path}", lambda: self._stream(path, revision, limit, None))

        def write() -> Retrieved:
            with to.open("wb") as f:
                return self._stream(path, revision, limit, f)

        return self.ask(f"downloading {path}", write)

    def _stream(self, path: str, revision: str, limit: int, to: IO[bytes] | None) -> Retrieved:
        from huggingface_hub import get_session, hf_hub_url
        from huggingface_hub.utils._headers import build_hf_headers
        from huggingface_hub.utils._http import hf_raise_for_status

        url = hf_hub_url(self.repo, path, repo_type="dataset", revision=revision, endpoint=self._api.endpoint)
        # The size of compressed content could not be compared.
        headers = {**build_hf_headers(token=self._secret), "Accept-Encoding": "identity"}
        digest, size = hashlib.sha256(), 0
        with get_session().stream("GET", url, headers=headers) as answer:
            hf_raise_for_status(answer)
            for chunk in answer.iter_bytes(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
                if size > limit:
                    return Retrieved(limit + 1, "")
                if to is not None:
                    to.write(chunk)
        return Retrieved(size, digest.hexdigest())

    def create(self, *, private: bool) -> None:
        """Create the repository unless it exists."""
        self.ask(
            "creating the repository",
            lambda: self._api.create_repo(self.repo, repo_type="dataset", private=private, exist_ok=True),
        )

    def settle(self, *, private: bool, gated: bool) -> None:
        """Set who can see the repository, and whether readers must ask for access."""
        self.ask(
            "changing the settings",
            lambda: self._api.update_repo_settings(
                self.repo, repo_type="dataset", private=private, gated="manual" if gated else False
            ),
        )

    def create_branch(self, branch: str, base: str) -> None:
        """Create ``branch`` at the commit ``base``. Raises ServerError if it exists at a different commit."""

        def landed(failure: HubFailure) -> bool | None:
            return True if self.refs().branches.get(branch) == base else None

        def send() -> bool:
            self._api.create_branch(self.repo, branch=branch, revision=base, repo_type="dataset")
            return True

        self.ask(f"creating the branch {branch}", send, landed)

    def delete_branch(self, branch: str) -> None:
        """Delete ``branch`` if it exists."""

        def landed(failure: HubFailure) -> bool | None:
            return True if branch not in self.refs().branches else None

        def send() -> bool:
            from huggingface_hub.errors import HfHubHTTPError

            try:
                self._api.delete_branch(self.repo, branch=branch, repo_type="dataset")
            except HfHubHTTPError as e:
                if e.response.status_code != 404:
                    raise
            return True

        self.ask(f"deleting the branch {branch}", send, landed)

    def create_tag(self, tag: str, commit: str) -> None:
        """Create ``tag`` at ``commit``. Raises ServerError if the tag is on a different commit."""

        def landed(failure: HubFailure) -> bool | None:
            return True if self.refs().tags.get(tag) == commit else None

        def send() -> bool:
            self._api.create_tag(self.repo, tag=tag, revision=commit, repo_type="dataset")
            return True

        self.ask(f"creating the tag {tag}", send, landed)

    def upload(
        self, folder: Path, files: Iterable[VersionFile], branch: str, tick: Callable[[int, int], None]
    ) -> list[CommitOperationAdd]:
        """Upload the content of ``files`` that the Hub lacks, and return the operations that add the files.

        The Hub stores content by its hash, so a repeated upload changes nothing. Raises ArtifactError if a
        small file in ``folder`` has changed since it was read.
        """
        from huggingface_hub import CommitOperationAdd

        added = []
        for file in files:
            operation = CommitOperationAdd(file.path, _content(folder, file))
            operation.upload_info.sha256 = bytes.fromhex(file.sha256)  # as compared with the manifest
            added.append(operation)
        for start in range(0, len(added), _BATCH):
            batch = added[start : start + _BATCH]
            self.ask(
                "uploading",
                lambda batch=batch: self._api.preupload_lfs_files(  # type: ignore[misc]
                    self.repo,
                    batch,
                    repo_type="dataset",
                    revision=branch,
                    free_memory=False,
                    gitignore_content="",  # a .gitignore on the Hub must not exclude files
                ),
            )
            tick(min(start + _BATCH, len(added)), len(added))
        return added

    def commit(
        self,
        branch: str,
        parent: str,
        added: Iterable[CommitOperationAdd],
        deleted: Iterable[str],
        message: tuple[str, str],
        landed: Callable[[HubFailure], str | None],
    ) -> str:
        """Make one commit on ``branch`` after ``parent``, and return its hash.

        ``message`` is the title and the description. ``landed`` returns the commit if the branch has it.
        """
        from huggingface_hub import CommitOperationDelete

        operations: list[CommitOperationAdd | CommitOperationDelete] = [
            *(CommitOperationDelete(path, is_folder=False) for path in deleted),
            *added,
        ]

        def send() -> str:
            made = self._api.create_commit(
                self.repo,
                iter(operations),
                commit_message=message[0],
                commit_description=message[1],
                repo_type="dataset",
                revision=branch,
                parent_commit=parent,
            )
            return str(made.oid)

        return self.ask(f"the commit on {branch}", send, landed)

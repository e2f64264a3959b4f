"""The Label Studio calls that a session uses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlsplit

from nextset.artifacts.progress_callback import SILENT, Tick
from nextset.validation.label_studio import annotation_download as pulling
from nextset.validation.label_studio import projects
from nextset.validation.label_studio import task_upload as pushing
from nextset.validation.label_studio.address_and_token import Connection
from nextset.validation.label_studio.http_retries import Calls, Patience
from nextset.validation.label_studio.projects import Counts, Project

__all__ = ["Account", "LabelStudio"]


@dataclass(frozen=True)
class Account:
    """An account that can log in."""

    number: int
    """The account's number on the server."""
    email: str
    """The e-mail, in lower case."""


class LabelStudio:
    """A server as one account uses it. Every method raises ServerError if it gets no usable answer."""

    def __init__(self, connection: Connection, patience: Patience | None = None) -> None:
        self.calls = Calls(connection, patience or Patience())

    def __enter__(self) -> LabelStudio:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.calls.close()

    @property
    def url(self) -> str:
        """The server's address."""
        return self.calls.url

    @property
    def folder(self) -> Path | None:
        """The folder on this machine with data about the server; None if there is none."""
        return self.calls.folder

    def accounts(self) -> list[Account]:
        """Return all accounts that can log in, sorted by number."""
        users = self.calls.get("/api/users/", fits=_are_users)
        return sorted((Account(a["id"], a["email"].lower()) for a in users), key=lambda a: a.number)

    def check_config(self, xml: str) -> None:
        """Raise ServerError if the labelling configuration ``xml`` cannot be used; nothing is made."""
        projects.check_config(self.calls, xml)

    def project(self, marker: str) -> Project | None:
        """Return the project with the word ``marker`` in its description, or None if there is none."""
        return projects.find_project(self.calls, marker)

    def projects(self) -> dict[int, Project]:
        """Return every project, by number."""
        return projects.list_projects(self.calls)

    def make_project(
        self, marker: str, title: str, config: str, instruction: str, *, can_skip: bool = True
    ) -> Project:
        """Return the project with ``marker``, which is made if there is none.

        ``title`` has 3 to 50 characters; ``instruction`` is HTML that a button of the page shows; with
        ``can_skip``, another button skips a task.
        """
        return projects.make_project(self.calls, marker, title, config, instruction, can_skip=can_skip)

    def restore_project(
        self, number: int, marker: str, config: str, instruction: str, *, can_skip: bool = True
    ) -> Project:
        """Restore a project's description, page and settings."""
        return projects.restore_project(self.calls, number, marker, config, instruction, can_skip=can_skip)

    def restore_task(self, task: int, data: Mapping[str, Any]) -> None:
        """Restore a task's data."""
        self.calls.patch(f"/api/tasks/{task}/", {"data": data})

    def delete_annotation(self, number: int) -> None:
        """Delete an annotation, so that the server shows its task again."""
        self.calls.delete(f"/api/annotations/{number}/")

    def counts(self, numbers: Collection[int]) -> dict[int, Counts]:
        """Return the counts of each project; projects that no longer exist are omitted."""
        return projects.count(self.calls, numbers)

    def push(
        self, project: int, tasks: Sequence[Mapping[str, Any]], tick: Tick | None = None
    ) -> pushing.Pushed:
        """Send tasks (``{"data": {"unit_id": …, …}}``) to a project, in their order, each once."""
        return pushing.push(self.calls, project, tasks, tick or SILENT("push"))

    def tasks(self, project: int, since: datetime | None = None) -> Iterator[pulling.FoundTask]:
        """Yield every task of a project with its annotations, or those changed since (the server's clock)."""
        return pulling.found_tasks(self.calls, project, since)

    def answers(self, project: int, since: datetime | None = None) -> Iterator[pulling.Found]:
        """Yield every annotation of a project, or of the tasks changed since (by the server's clock, UTC)."""
        return pulling.answers(self.calls, project, since)

    def link(self, project: int) -> str:
        """Return the link for an annotator: after logging in, it shows the first open task."""
        return self.login(f"/projects/{project}/data?labeling=1")

    def login(self, page: str = "/projects/") -> str:
        """Return the link to the login page, which then continues to ``page``."""
        begin = urlsplit(self.url).path
        return f"{self.url}/user/login/?next={quote(begin + page, safe='')}"


def _are_users(reply: Any) -> bool:
    return isinstance(reply, list) and all(isinstance(a, dict) and a.keys() >= {"id", "email"} for a in reply)

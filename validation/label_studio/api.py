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
    """In lower case."""


class LabelStudio:
    """A server, used by one account. Every method raises ServerError if it gets no usable answer."""

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
        """Its address."""
        return self.calls.url

    @property
    def folder(self) -> Path | None:
        """Where this machine keeps what it knows of the server; None if nowhere."""
        return self.calls.folder

    def accounts(self) -> list[Account]:
        """Return all accounts that can log in, by number."""
        found = self.calls.get("/api/users/", fits=_are_users)
        return sorted((Account(a["id"], a["email"].lower()) for a in found), key=lambda a: a.number)

    def check_config(self, xml: str) -> None:
        """Raise ServerError if the labelling configuration ``xml`` cannot be used; nothing is made."""
        projects.check_config(self.calls, xml)

    def project(self, marker: str) -> Project | None:
        """The project with the word ``marker`` in its description."""
        return projects.find_project(self.calls, marker)

    def projects(self) -> dict[int, Project]:
        """Return every project, by number."""
        return projects.list_projects(self.calls)

    def make_project(
        self, marker: str, title: str, config: str, instruction: str, *, can_skip: bool = True
    ) -> Project:
        """Return the project with ``marker``; if there is none, make it.

        ``title`` has 3 to 50 characters; ``instruction`` is HTML, shown by a button of the page;
        with ``can_skip`` another button skips a task.
        """
        return projects.make_project(self.calls, marker, title, config, instruction, can_skip=can_skip)

    def restore_project(
        self, number: int, marker: str, config: str, instruction: str, *, can_skip: bool = True
    ) -> Project:
        """Give a project its description, page and settings back."""
        return projects.restore_project(self.calls, number, marker, config, instruction, can_skip=can_skip)

    def restore_task(self, task: int, data: Mapping[str, Any]) -> None:
        """Give a task its data back."""
        self.calls.patch(f"/api/tasks/{task}/", {"data": data})

    def delete_annotation(self, number: int) -> None:
        """Delete an annotation, so that its task is asked again."""
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
        """Every task of a project with its annotations, or those changed since then (the server's clock)."""
        return pulling.found_tasks(self.calls, project, since)

    def answers(self, project: int, since: datetime | None = None) -> Iterator[pulling.Found]:
        """Every annotation of a project, or of the tasks changed since then (the server's clock, UTC)."""
        return pulling.answers(self.calls, project, since)

    def link(self, project: int) -> str:
        """Where an annotator begins: after logging in, the first task that is open."""
        return self.login(f"/projects/{project}/data?labeling=1")

    def login(self, page: str = "/projects/") -> str:
        """The page for logging in, from which one comes to ``page``."""
        begin = urlsplit(self.url).path
        return f"{self.url}/user/login/?next={quote(begin + page, safe='')}"


def _are_users(reply: Any) -> bool:
    return isinstance(reply, list) and all(isinstance(a, dict) and a.keys() >= {"id", "email"} for a in reply)

"""The Label Studio calls that a session uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlsplit

from nextset.validation.label_studio.address_and_token import Connection
from nextset.validation.label_studio.annotation_download import AnnotationDownload
from nextset.validation.label_studio.http_retries import Patience
from nextset.validation.label_studio.task_upload import TaskUpload

__all__ = ["Account", "LabelStudio"]


@dataclass(frozen=True)
class Account:
    """An account that can log in."""

    number: int
    """The account's number on the server."""
    email: str
    """The e-mail, in lower case."""


class LabelStudio(TaskUpload, AnnotationDownload):
    """A server as one account uses it. Every method raises ServerError if it gets no usable answer."""

    def __init__(self, connection: Connection, patience: Patience | None = None) -> None:
        super().__init__(connection, patience or Patience())

    def __enter__(self) -> LabelStudio:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def accounts(self) -> list[Account]:
        """Return all accounts that can log in, sorted by number."""
        users = self.get("/api/users/", fits=_are_users)
        return sorted((Account(a["id"], a["email"].lower()) for a in users), key=lambda a: a.number)

    def restore_task(self, task: int, data: Mapping[str, Any]) -> None:
        """Restore a task's data."""
        self.patch(f"/api/tasks/{task}/", {"data": data})

    def delete_annotation(self, number: int) -> None:
        """Delete an annotation, so that the server shows its task again."""
        self.delete(f"/api/annotations/{number}/")

    def link(self, project: int) -> str:
        """Return the link for an annotator: after logging in, it shows the first open task."""
        return self.login(f"/projects/{project}/data?labeling=1")

    def login(self, page: str = "/projects/") -> str:
        """Return the link to the login page, which then continues to ``page``."""
        begin = urlsplit(self.url).path
        return f"{self.url}/user/login/?next={quote(begin + page, safe='')}"


def _are_users(reply: Any) -> bool:
    return isinstance(reply, list) and all(isinstance(a, dict) and a.keys() >= {"id", "email"} for a in reply)

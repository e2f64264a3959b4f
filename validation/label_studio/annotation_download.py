"""Download of a project's annotations: all of them, or those changed since a given time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nextset.validation.label_studio.http_retries import Calls
from nextset.validation.label_studio.pagination import read_tasks

__all__ = ["AnnotationDownload", "Found", "FoundTask"]


@dataclass(frozen=True)
class Found:
    """An annotation as it is on the server now."""

    project: int
    task: int
    """The task's number."""
    unit_id: str
    """The unit_id in the task's data; empty if they have none."""
    annotation: dict[str, Any]
    """The annotation's id, project, result, was_cancelled, completed_by and updated_by (numbers of accounts),
    lead_time (seconds), created_at and updated_at (ISO 8601 in UTC)."""


@dataclass(frozen=True)
class FoundTask:
    """A task as it is on the server now."""

    project: int
    task: int
    """The task's number."""
    unit_id: str
    """The unit_id in the task's data; empty if they have none."""
    data: dict[str, Any]
    """The data that the page shows."""
    annotations: tuple[dict[str, Any], ...]
    """The annotations, sorted by number, as in `Found`."""


class AnnotationDownload(Calls):
    """The requests that read annotations."""

    def answers(self, project: int, since: datetime | None = None) -> Iterator[Found]:
        """Yield every annotation of ``project``, including skipped ones, sorted by task and number.

        With ``since``, yield those of all tasks that were changed then or later, by the server's clock. Some
        of these are old; none that is new or edited is missing, except those that the server commits late or
        was killed while storing. Only reading all annotations finds these. Raises ServerError.
        """
        for task in self.tasks(project, since):
            for annotation in task.annotations:
                yield Found(project, task.task, task.unit_id, annotation)

    def tasks(
        self, project: int, since: datetime | None = None, at_least: int | None = None
    ) -> Iterator[FoundTask]:
        """Yield every task of ``project`` in the order of their numbers; ``since`` is as in `answers`.

        ``at_least`` is the number of tasks if the server has just given it: one request less.
        """
        for task in read_tasks(self, project, ("data", "annotations"), since, at_least):
            unit = task["data"].get("unit_id")
            annotations = sorted(task["annotations"], key=lambda a: int(a["id"]))
            yield FoundTask(
                project, task["id"], unit if isinstance(unit, str) else "", task["data"], tuple(annotations)
            )

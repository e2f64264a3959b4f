"""Tasks page by page: each page begins after the last task read, so no task is lost when pages shift."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from typing import Any

from nextset.errors import ServerError
from nextset.validation.label_studio.http_retries import Calls

__all__ = ["read_tasks"]

_SIZE = 500
_TRIES = 5
_OF_ANNOTATIONS = (
    "result", "was_cancelled", "completed_by", "updated_by", "lead_time", "created_at", "updated_at",
)  # fmt: skip


def read_tasks(
    calls: Calls,
    project: int,
    fields: Collection[str],
    since: datetime | None = None,
    at_least: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the tasks of ``project``, sorted by number, each once, with id, project and ``fields``.

    With ``since``, only tasks that were changed then or later, by the server's clock: Label Studio marks a
    task as changed when an annotation of it is made, edited, skipped or deleted. A page that is sent twice,
    or instead of a different one, is noticed and read again. ``at_least`` is the number of these tasks if the
    server has just given it, else the server is asked first. Raises ServerError.
    """
    last = 0
    left = int(_page(calls, project, last, (), since, size=1)["total"]) if at_least is None else at_least
    while True:
        page = _sound(calls, project, last, fields, since, left)
        tasks = page["tasks"]
        yield from tasks
        left = page["total"] - len(tasks)
        if not left:
            return
        last = tasks[-1]["id"]


def _sound(
    calls: Calls, project: int, last: int, fields: Collection[str], since: datetime | None, left: int
) -> dict[str, Any]:
    """Return the page after the task ``last``; a moment ago, ``left`` tasks came after that."""
    before = None
    for _ in range(_TRIES):
        page = _page(calls, project, last, fields, since)
        tasks, total = sorted(page["tasks"], key=lambda task: int(task["id"])), page["total"]
        numbers = [task["id"] for task in tasks]
        whole = len(set(numbers)) == len(numbers) == min(_SIZE, total)
        # Fewer than a moment ago: it is the wrong page, or tasks were deleted and a second try gives the
        # same.
        if whole and all(n > last for n in numbers) and (total >= left or total == before):
            return {"tasks": tasks, "total": total}
        before = total if whole else None
    raise ServerError(
        f"the tasks of project {project} at {calls.url} keep changing while they are read",
        remedy="wait until no one adds or deletes tasks there, then run the same command again",
    )


def _page(
    calls: Calls, project: int, last: int, fields: Collection[str], since: datetime | None, size: int = _SIZE
) -> dict[str, Any]:
    wanted: list[dict[str, Any]] = [_filter("id", "greater", "Number", last)]
    if since is not None:
        at = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        wanted.append(_filter("updated_at", "greater_or_equal", "Datetime", at))
    query = {"filters": {"conjunction": "and", "items": wanted}, "ordering": ["tasks:id"]}
    parameters: dict[str, str | int] = {
        "project": project,
        "page_size": size,
        "fields": "all",
        "resolve_uri": "false",
        # Only these fields are computed, in a tenth of the time; fields of annotations are named here too.
        "include": ",".join(("id", "project", *fields, *_OF_ANNOTATIONS)),
        "query": json.dumps(query),
    }
    page: dict[str, Any] = calls.get(
        "/api/tasks/", parameters, fits=lambda reply: _is_page(reply, project, fields)
    )
    return page


def _is_page(reply: Any, project: int, fields: Collection[str]) -> bool:
    """Return whether ``reply`` is a page of tasks of ``project`` with these ``fields``."""
    rows = reply.get("tasks") if isinstance(reply, dict) else None
    return (
        isinstance(rows, list)
        and isinstance(reply.get("total"), int)
        and all(row.get("project") == project and {*fields} <= row.keys() for row in rows)
    )


def _filter(field: str, operator: str, kind: str, value: str | int) -> dict[str, Any]:
    return {"filter": f"filter:tasks:{field}", "operator": operator, "type": kind, "value": value}

"""The project of a task, an annotation or a draft, as Label Studio reports it to its owner."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool

from nextset.errors import ServerError
from nextset.validation.judgments.annotation import seconds_of
from nextset.validation.label_studio.http_retries import Calls, Unanswered

__all__ = ["Answer", "TaskProjects"]

_AGAIN = 1.0
"""Seconds before a project's tasks are requested again because a task is not among them."""
_MOST = 50_000
_PAGE = 10_000


@dataclass(frozen=True)
class Answer:
    """An annotation or a draft."""

    task: int
    person: str
    """The person who gave it: the account's number for an annotation, the e-mail for a draft."""
    seconds: float = 0.0
    """The time that it took when it was first asked about."""


class TaskProjects:
    """Asks Label Studio as its owner, through ``calls``, and remembers the answers; ``clock`` gives seconds.

    The methods raise Unanswered if Label Studio does not answer.
    """

    def __init__(self, calls: Calls, clock: Callable[[], float] = time.monotonic) -> None:
        self._calls, self._clock = calls, clock
        self._tasks: dict[int, frozenset[int]] = {}
        self._asked: dict[int, float] = {}
        self._reading: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def forget(self) -> None:
        """Forget all tasks: some were sent, and the number of a deleted task may now be another person's."""
        self._tasks.clear()
        self._asked.clear()

    async def project_of(self, task: int, projects: Iterable[int]) -> int | None:
        """Return the one of ``projects`` that has the task, or None."""
        wanted = list(projects)
        for project in wanted:
            if task in self._tasks.get(project, ()):
                return project
        for project in wanted:
            async with self._reading[project]:  # a page sends several requests about a task at once
                last_read = self._asked.get(project)
                if task not in self._tasks.get(project, ()) and (
                    last_read is None or self._clock() - last_read >= _AGAIN
                ):
                    await self._read(project)
            if task in self._tasks.get(project, ()):
                return project
        return None

    async def annotation(self, number: int) -> Answer | None:
        """Return the annotation with that number; None if there is none."""
        return await self._answer(f"/api/annotations/{number}/", "completed_by")

    async def draft(self, number: int) -> Answer | None:
        """Return the draft with that number; None if there is none."""
        return await self._answer(f"/api/drafts/{number}/", "user")

    async def _answer(self, path: str, by: str) -> Answer | None:
        if path not in self._answers:
            reply = await self._get(path)
            if reply is None or not isinstance(reply.get("task"), int) or by not in reply:
                return None
            seconds = seconds_of(reply) or 0.0
            self._answers[path] = Answer(reply["task"], str(reply[by]).lower(), seconds)
            while len(self._answers) > _MOST:
                self._answers.popitem(last=False)
        return self._answers[path]

    async def _read(self, project: int) -> None:
        ids: set[int] = set()
        page, total = 0, 1
        while len(ids) < total:
            page += 1
            query: dict[str, str | int] = {"project": project, "page": page}
            query |= {"page_size": _PAGE, "include": "id"}
            reply = await self._get("/api/tasks/", query)
            rows = reply.get("tasks") if reply else None
            if reply is None or not isinstance(rows, list) or not rows:
                break
            ids |= {row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), int)}
            total = int(reply.get("total", len(ids)))
        self._tasks[project], self._asked[project] = frozenset(ids), self._clock()

    async def _get(self, path: str, params: Mapping[str, str | int] | None = None) -> dict[str, Any] | None:
        try:
            reply = await run_in_threadpool(self._calls.get, path, params)
        except Unanswered:
            raise
        except ServerError:
            return None  # it does not exist
        return reply if isinstance(reply, dict) else None

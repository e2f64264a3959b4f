"""Upload of tasks, identified by unit_id: a task that is already on the server is not sent again."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nextset.artifacts.progress_callback import SILENT, Tick
from nextset.counted import counted
from nextset.errors import ServerError
from nextset.files.cache_home import cache_home
from nextset.validation.label_studio.http_retries import Calls, Unanswered
from nextset.validation.label_studio.pagination import read_tasks
from nextset.validation.label_studio.projects import ProjectCalls

__all__ = ["Pushed", "TaskUpload"]

_CHUNK = 500
"""The number of tasks per request: Label Studio accepts all of them or none."""
_FRUITLESS = 3
"""The number of rounds without a new task that end a push."""
_WAIT = 600.0


@dataclass(frozen=True)
class Pushed:
    """The result of a push, as counted on the server afterwards."""

    new: int
    """The number of tasks that were not on the server."""
    already: int
    """The number of tasks that were already on the server."""
    doubled: tuple[str, ...]
    """The units that are on the server more than once, for any reason; nothing is ever deleted."""


class TaskUpload(ProjectCalls):
    """The requests that send tasks."""

    def push(self, project: int, tasks: Sequence[Mapping[str, Any]], tick: Tick | None = None) -> Pushed:
        """Send ``tasks`` (each ``{"data": {"unit_id": …}}``) to ``project``, in their order, each once.

        A request without an answer is not repeated: the tasks on the server are counted once their number
        has settled, and the missing ones are sent. Raises ServerError if the server does not answer or
        accepts none.
        """
        tick = tick or SILENT("push")
        wanted = {str(task["data"]["unit_id"]): task for task in tasks}
        if len(wanted) < len(tasks):
            raise ValueError("two of the tasks have the same unit_id")
        with _alone(self, project):
            there = _units(self, project)
            already = sum(unit in there for unit in wanted)
            fruitless = 0
            while missing := [unit for unit in wanted if unit not in there]:
                tick(len(wanted) - len(missing), len(wanted))
                _send(self, project, [wanted[unit] for unit in missing], tick, len(wanted))
                there = _units(self, project, there.total() + len(missing))
                fruitless = fruitless + 1 if sum(u not in there for u in wanted) == len(missing) else 0
                if fruitless == _FRUITLESS:
                    raise ServerError(
                        f"project {project} at {self.url} does not accept tasks: "
                        f"{counted(len(missing), 'tasks are missing', 'task is missing')}",
                        remedy="read the server's log, then run the same command again; nothing is "
                        "duplicated",
                    )
        tick(len(wanted), len(wanted))
        doubled = tuple(unit for unit in wanted if there[unit] > 1)
        return Pushed(len(wanted) - already, already, doubled)


def _send(
    calls: TaskUpload, project: int, missing: Sequence[Mapping[str, Any]], tick: Tick, total: int
) -> None:
    """Send chunk by chunk until one gets no answer."""
    for start in range(0, len(missing), _CHUNK):
        chunk = missing[start : start + _CHUNK]
        try:
            calls.post(f"/api/projects/{project}/import", chunk)
        except Unanswered:
            _settle(calls, project)
            return
        tick(total - len(missing) + start + len(chunk), total)


def _settle(calls: TaskUpload, project: int) -> None:
    """Wait until the number of tasks stays the same: a request without an answer may still be running."""
    before = -1
    while True:
        counted = calls.counts([project])
        now = counted[project].tasks if project in counted else 0
        if now == before:
            return
        before = now
        calls.patience.sleep(calls.patience.settle)


def _units(calls: Calls, project: int, at_least: int | None = None) -> Counter[str]:
    """Return how often each unit is in ``project``, which should have ``at_least`` as many tasks as that."""
    tasks = read_tasks(calls, project, ("data",), at_least=at_least)
    return Counter(str(task["data"].get("unit_id", "")) for task in tasks)


@contextmanager
def _alone(calls: Calls, project: int) -> Iterator[None]:
    """Keep other processes of this user from pushing to the same project."""
    from filelock import FileLock, Timeout

    name = hashlib.sha256(f"{calls.url} {project}".encode()).hexdigest()[:16]
    folder = cache_home() / "pushes"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(folder / f"{name}.lock").acquire(timeout=_WAIT)
    except Timeout:
        raise ServerError(
            f"another process has been sending tasks to project {project} for {_WAIT / 60:.0f} minutes",
            remedy="wait until it ends or stop it, then run the same command again",
        ) from None
    with lock:
        yield

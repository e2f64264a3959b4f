"""A person's progress in the open batch: counted by Label Studio, then updated with each answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.concurrency import run_in_threadpool

from nextset.validation.gateway.participations import Participation
from nextset.validation.label_studio.api import LabelStudio

__all__ = ["BatchProgress", "Progress"]


@dataclass(frozen=True)
class Progress:
    """The progress in a person's batch on the server."""

    answered: int
    """The number of answered or skipped items in the person's project, over all batches."""
    tasks: int
    """The number of items in the project."""
    batch: int
    """The number of items in the last batch that was sent."""

    @property
    def done(self) -> int:
        """The number of answered items in the last batch."""
        return max(0, self.batch - self.left)

    @property
    def left(self) -> int:
        """The number of items that are not answered yet."""
        return max(0, self.tasks - self.answered)

    def as_text(self) -> str:
        """Return ``done/batch``, for a header."""
        return f"{self.done}/{self.batch}"


class BatchProgress:
    """Gets people's progress from ``studio``, and counts the answers that the gateway passes on."""

    def __init__(self, studio: LabelStudio) -> None:
        self._studio = studio
        self._known: dict[int, Progress] = {}
        self._answered: dict[int, set[int]] = {}

    def forget(self) -> None:
        """Forget all counts, since batches were sent or answers deleted."""
        self._known.clear()
        self._answered.clear()

    def answered(self, project: int, task: int) -> None:
        """Count an answer to the item ``task``, once; before the batch counts as done, ask Label Studio."""
        known, tasks = self._known.get(project), self._answered.setdefault(project, set())
        if known is None or task in tasks:
            return
        tasks.add(task)
        if known.left > 1:
            self._known[project] = replace(known, answered=known.answered + 1)
        else:
            del self._known[project]

    async def of(self, part: Participation) -> Progress | None:
        """Return the person's progress, or None if no batch was sent. Raises ServerError."""
        project = part.project("work")
        sent = [batch for batch in part.participant.batches if batch.pushed and batch.items]
        if project is None or not sent:
            return None
        if project not in self._known:
            counts = (await run_in_threadpool(self._studio.counts, [project])).get(project)
            if counts is None:
                return None
            self._known[project] = Progress(counts.finished, counts.tasks, len(sent[-1].items))
        return self._known[project]

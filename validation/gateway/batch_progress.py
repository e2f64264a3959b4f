"""How far a person is in the batch that is open: counted by Label Studio, then kept up with each answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.concurrency import run_in_threadpool

from nextset.validation.gateway.participations import Participation
from nextset.validation.label_studio.api import LabelStudio

__all__ = ["BatchProgress", "Progress"]


@dataclass(frozen=True)
class Progress:
    """The batch of a person that is on the server."""

    answered: int
    """Items of the person's project that are answered or skipped, of all batches."""
    tasks: int
    """Items in the project."""
    batch: int
    """Items of the last batch that was sent."""

    @property
    def done(self) -> int:
        """How many items of the last batch are answered."""
        return max(0, self.batch - self.left)

    @property
    def left(self) -> int:
        """How many items are to be answered."""
        return max(0, self.tasks - self.answered)

    def as_text(self) -> str:
        """Return ``done/batch``, as a header has it."""
        return f"{self.done}/{self.batch}"


class BatchProgress:
    """Asks ``studio``, Label Studio as its owner, and counts the answers that pass by."""

    def __init__(self, studio: LabelStudio) -> None:
        self._studio = studio
        self._known: dict[int, Progress] = {}
        self._answered: dict[int, set[int]] = {}

    def forget(self) -> None:
        """Ask again: batches were sent, or answers deleted."""
        self._known.clear()
        self._answered.clear()

    def answered(self, project: int, task: int) -> None:
        """Count an answer to the item ``task``, once; whether all are answered, Label Studio is asked."""
        known, tasks = self._known.get(project), self._answered.setdefault(project, set())
        if known is None or task in tasks:
            return
        tasks.add(task)
        if known.left > 1:
            self._known[project] = replace(known, answered=known.answered + 1)
        else:
            del self._known[project]

    async def of(self, part: Participation) -> Progress | None:
        """Return how far the person is; None if no batch was sent. Raises ServerError."""
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

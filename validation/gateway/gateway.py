"""The parts of a running gateway, and the steps after people's answers."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool

from nextset.validation.gateway.answer_times import AnswerTimes
from nextset.validation.gateway.background_pull import BackgroundPulls
from nextset.validation.gateway.batch_progress import BatchProgress, Progress
from nextset.validation.gateway.identities import Identities, Person
from nextset.validation.gateway.login_limit import LoginLimit
from nextset.validation.gateway.participations import Participation, Participations, Place
from nextset.validation.gateway.public_address import PublicAddress
from nextset.validation.gateway.task_projects import TaskProjects
from nextset.validation.gateway.upstream import Upstream

__all__ = ["Gateway"]

_AT_ONCE = 6
"""The number of one person's requests that are answered at the same time, which is as many as a browser
sends. Label Studio answers only a few requests at once, and all people share them."""


@dataclass(frozen=True)
class Gateway:
    """The parts of a gateway."""

    address: PublicAddress
    """The address for people."""
    upstream: Upstream
    """The connection to Label Studio."""
    identities: Identities
    """The lookup of the person who sends a request."""
    task_projects: TaskProjects
    """The projects of tasks, annotations and drafts."""
    participations: Participations
    """The people's parts in sessions."""
    progress: BatchProgress
    """The people's progress in their batches."""
    pulls: BackgroundPulls
    """The pulls in the background."""
    logins: LoginLimit
    """The limit of login attempts."""
    turns: defaultdict[int, asyncio.Semaphore] = field(
        default_factory=lambda: defaultdict(lambda: asyncio.Semaphore(_AT_ONCE))
    )
    """Each person's turns, by account number: every request to Label Studio for the person takes one."""
    answers: AnswerTimes = field(default_factory=AnswerTimes)
    """The check of answers, and the time that they took."""
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def parts_of(self, person: Person) -> tuple[Participation, ...]:
        """Return the person's parts in sessions, the latest last. Raises ServerError."""
        await self._current()
        return self.participations.of(person.email)

    async def places_of(self, person: Person) -> Mapping[int, Place]:
        """Return the person's projects by number. Raises ServerError."""
        await self._current()
        return self.participations.places(person.email)

    async def answered(self, place: Place, project: int, task: int | None) -> Progress | None:
        """Record an answer in a person's ``project`` and return the person's progress.

        ``task`` is the item that was answered, or None if an answer was changed. A pull begins at once if the
        person waits for the next step. Raises ServerError.
        """
        part, person = place.participation, place.participation.participant.person
        if place.role != "work":
            if part.folder in self.participations.studies():
                self.pulls.ask(part.folder, person)  # otherwise the answer is pulled when a session opens
            return None
        self.pulls.note_answer(part.folder)
        if task is not None:
            self.progress.answered(project, task)
        progress = await self.progress.of(part)
        if task is not None and progress is not None and not progress.left:
            self.pulls.ask(part.folder, person)
        return progress

    async def _current(self) -> None:
        """Read the plans again if one of them has changed."""
        if await run_in_threadpool(lambda: self.participations.stale):
            async with self._reading:
                if await run_in_threadpool(lambda: self.participations.stale):
                    await run_in_threadpool(self.participations.read)
                    self.progress.forget()
                    self.task_projects.forget()

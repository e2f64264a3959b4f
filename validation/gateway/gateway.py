"""The parts of a running gateway, and what happens after people's answers."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool

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
"""Requests of one person that are answered at the same time, as many as a browser sends: Label Studio answers
few at once, and they are everybody's."""


@dataclass(frozen=True)
class Gateway:
    """What a gateway is made of."""

    address: PublicAddress
    """Where people reach it."""
    upstream: Upstream
    """Label Studio behind it."""
    identities: Identities
    """Who asks."""
    task_projects: TaskProjects
    """What belongs to which project."""
    participations: Participations
    """Who takes part in which session."""
    progress: BatchProgress
    """How far people are."""
    pulls: BackgroundPulls
    """The pulls in the background."""
    logins: LoginLimit
    """The limit of attempts to log in."""
    turns: defaultdict[int, asyncio.Semaphore] = field(
        default_factory=lambda: defaultdict(lambda: asyncio.Semaphore(_AT_ONCE))
    )
    """Each person's turns, by the account's number: whatever asks Label Studio for the person takes one."""
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def parts_of(self, person: Person) -> tuple[Participation, ...]:
        """Return the person's parts in sessions, later ones last. Raises ServerError."""
        await self._current()
        return self.participations.of(person.email)

    async def places_of(self, person: Person) -> Mapping[int, Place]:
        """Return the person's projects by number. Raises ServerError."""
        await self._current()
        return self.participations.places(person.email)

    async def answered(self, place: Place, project: int, task: int | None) -> Progress | None:
        """Note an answer in a person's ``project`` to the item ``task``, or a change of one if that is None;
        return how far the person is.

        A pull begins at once if the person waits for what comes next. Raises ServerError.
        """
        part, person = place.participation, place.participation.participant.person
        if place.role != "work":
            if part.folder in self.participations.studies():
                self.pulls.ask(part.folder, person)  # else it is taken in when a session opens
            return None
        self.pulls.note_answer(part.folder)
        if task is not None:
            self.progress.answered(project, task)
        progress = await self.progress.of(part)
        if task is not None and progress is not None and not progress.left:
            self.pulls.ask(part.folder, person)
        return progress

    async def _current(self) -> None:
        """Read the plans again if they have changed."""
        if await run_in_threadpool(lambda: self.participations.stale):
            async with self._reading:
                if await run_in_threadpool(lambda: self.participations.stale):
                    await run_in_threadpool(self.participations.read)
                    self.progress.forget()
                    self.task_projects.forget()

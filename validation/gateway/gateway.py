"""The parts of a running gateway, people's fair turns at it, and the steps after their answers."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from nextset.errors import ServerError
from nextset.validation.gateway.background_pull import BackgroundPulls
from nextset.validation.gateway.batch_progress import BatchProgress, Progress
from nextset.validation.gateway.connection_limit import ConnectionLimit
from nextset.validation.gateway.identities import Credentials, Identities, Person
from nextset.validation.gateway.login_limit import KnownDevices, LoginLimit
from nextset.validation.gateway.measured_times import AnswerTimes
from nextset.validation.gateway.participations import Participation, Participations, Place
from nextset.validation.gateway.public_address import PublicAddress, network_of
from nextset.validation.gateway.task_projects import TaskProjects
from nextset.validation.gateway.upstream import Upstream

__all__ = ["FairTurns", "Gateway"]


@dataclass(frozen=True)
class _Share:
    """What one person may use of Label Studio, which answers only a few requests at once for all people."""

    at_once: int
    """The requests that are answered at the same time."""
    burst: float
    """The requests that may come as fast as they like."""
    per_second: float
    """The requests a second after that, while other people are there."""


_PERSON = _Share(at_once=6, burst=200, per_second=8)
"""A browser sends six requests at once, opening a page needs some dozens, and fast judging four a second."""
_NETWORK = _Share(at_once=6, burst=2000, per_second=60)
"""All people of one network who are not logged in: a laboratory may open its pages at the same time."""
_OTHERS = 60.0
"""Seconds since their last request for which other people are there."""
_MOST = 5000


@dataclass
class _Turns:
    """The turns of a person, or of a network before a login."""

    share: _Share
    slots: asyncio.Semaphore
    tokens: float
    """The requests that may come at once; negative if some wait."""
    at: float
    """When that was counted."""


class FairTurns:
    """Limits how many of a person's requests are answered at once and, if others are there, how fast.

    A person is the number of an account; before a login it is a network. Requests that come faster wait, and
    none is refused. ``clock`` gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: OrderedDict[int | str, _Turns] = OrderedDict()
        self._latest: dict[int, float] = {}
        """The two people whose requests were the last, and when."""

    async def pace(self, person: int | str) -> None:
        """Wait until the person's next request may be treated."""
        await asyncio.sleep(self.wait(person))

    def wait(self, person: int | str) -> float:
        """Count a request; return the seconds until it may be treated."""
        now, own = self._clock(), self._turns(person)
        share = own.share
        own.tokens = min(share.burst, own.tokens + (now - own.at) * share.per_second)
        own.at = now
        others = any(now - at < _OTHERS for other, at in self._latest.items() if other != person)
        if isinstance(person, int):
            self._latest.pop(person, None)
            self._latest = dict([*self._latest.items(), (person, now)][-2:])
        if not others:
            own.tokens = max(0.0, own.tokens - 1)
            return 0.0
        own.tokens -= 1
        return max(0.0, -own.tokens / share.per_second)

    @asynccontextmanager
    async def slot(self, person: int | str) -> AsyncIterator[None]:
        """Hold one of the person's slots at Label Studio."""
        async with self._turns(person).slots:
            yield

    def _turns(self, person: int | str) -> _Turns:
        if person not in self._known:
            share = _PERSON if isinstance(person, int) else _NETWORK
            turns = _Turns(share, asyncio.Semaphore(share.at_once), share.burst, self._clock())
            self._known[person] = turns
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        self._known.move_to_end(person)
        return self._known[person]


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
    devices: KnownDevices
    """The devices where people have logged in before."""
    connections: ConnectionLimit = field(default_factory=ConnectionLimit)
    """The open connections."""
    turns: FairTurns = field(default_factory=FairTurns)
    """The people's turns at Label Studio."""
    answers: AnswerTimes = field(default_factory=AnswerTimes)
    """The check of answers, and the time that they took."""
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def who(self, given: Credentials, request: Request) -> Person | None:
        """Return the person with these credentials, who sends ``request``; None if they are not valid.

        Waits for the turn of the person, or that of the network of people who are not logged in. Raises as
        `Identities.who` does.
        """
        network = network_of(self.sender(request))
        if self.identities.remembers(given):
            person = await self.identities.who(given)
        else:
            await self.turns.pace(network)
            async with self.turns.slot(network):
                person = await self.identities.who(given)
        if person is not None and request.client is not None:
            client = request.client.host, request.client.port
            self.connections.identified(client, person.number, owner=person.owner)
        if person is not None and not person.owner:
            await self.turns.pace(person.number)
        return person

    def sender(self, request: Request) -> str:
        """Return the address that a request comes from."""
        if self.address.behind_proxy:
            # the proxy adds its entry at the end of the last line: some proxies add a separate line
            forwarded = ",".join(request.headers.getlist("x-forwarded-for")).split(",")[-1].strip()
            if forwarded:
                return forwarded
        return request.client.host if request.client else ""

    async def parts_of(self, person: Person) -> tuple[Participation, ...]:
        """Return the person's parts in sessions, the latest last. Raises ServerError."""
        await self._current()
        return self.participations.of(person.email)

    async def places_of(self, person: Person) -> Mapping[int, Place]:
        """Return the person's projects by number. Raises ServerError."""
        await self._current()
        return self.participations.places(person.email)

    async def known_parts(self) -> Sequence[Participation]:
        """Return the parts of all people in all sessions; as last read if Label Studio does not answer."""
        with suppress(ServerError):
            await self._current()
        return self.participations.parts()

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
                    for study in self.participations.changed:
                        self.pulls.tell(study)
                    self.progress.forget()
                    self.task_projects.forget()

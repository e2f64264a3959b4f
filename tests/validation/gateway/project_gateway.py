"""A gateway in this process, before the small server, where ana has the work project 7 with the task 70."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import httpx2

from nextset.validation.gateway.application import application
from nextset.validation.gateway.background_pull import BackgroundPulls
from nextset.validation.gateway.batch_progress import BatchProgress
from nextset.validation.gateway.gateway import Gateway
from nextset.validation.gateway.identities import Identities
from nextset.validation.gateway.login_limit import KnownDevices, LoginLimit
from nextset.validation.gateway.measured_times import AnswerTimes
from nextset.validation.gateway.participations import Participation, Participations, _Plans
from nextset.validation.gateway.public_address import PublicAddress
from nextset.validation.gateway.task_projects import TaskProjects
from nextset.validation.gateway.upstream import Upstream
from nextset.validation.judgments.pseudonyms import identity, pseudonym
from nextset.validation.label_studio.address_and_token import Connection
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.state import Participant, Session
from tests.validation.gateway.small_server import SmallServer, small_server
from tests.validation.plan.sample_plans import gate_answer, opened, settings

__all__ = ["PROJECT", "TASK", "at_own_project"]

PROJECT, TASK = 7, 70
_KEY = b"a pseudonym key for tests"


def at_own_project(
    folder: Path,
    test: Callable[[httpx2.AsyncClient, SmallServer], Awaitable[None]],
    *,
    behind_proxy: bool = False,
    answers: AnswerTimes | None = None,
    page: str = "",
) -> None:
    """Run ``test`` with a client of the gateway that has nobody's credentials, and what is behind it.

    ``page`` is the labelling configuration of the project.
    """

    async def run() -> None:
        with small_server() as small, LabelStudio(small.connection(folder)) as studio:
            small.tasks[PROJECT] = [TASK]
            small.release.set()
            gateway = _gateway(small.connection(folder), studio, folder, page, behind_proxy=behind_proxy)
            gateway = replace(gateway, answers=answers or gateway.answers)
            transport = httpx2.ASGITransport(app=application(gateway))
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                try:
                    await test(client, small)
                finally:
                    await gateway.upstream.close()

    asyncio.run(run())


def _gateway(
    connection: Connection, studio: LabelStudio, folder: Path, page: str, *, behind_proxy: bool
) -> Gateway:
    upstream = Upstream(connection, tls=False)
    person = pseudonym(identity("ana@example.org"), _KEY)
    participant = Participant(
        person=person, account="b", gate=gate_answer(person), projects={"work": str(PROJECT)}
    )
    session = Session(opened(["u1"]), people={person: participant})
    part = Participation(
        folder,
        "0123456789ab",
        session,
        participant,
        frozenset({str(PROJECT)}),
        settings(),
        pages={str(PROJECT): page},
    )
    participations = Participations(folder, _KEY, studio)
    participations._plans = _Plans({}, (part,))
    return Gateway(
        address=PublicAddress("http://localhost", ("localhost",), behind_proxy=behind_proxy),
        upstream=upstream,
        identities=Identities(upstream.http, 1),
        task_projects=TaskProjects(studio),
        participations=participations,
        progress=BatchProgress(studio),
        pulls=BackgroundPulls({}, lambda line: None, lambda: None),
        logins=LoginLimit(),
        devices=KnownDevices("a secret for tests"),
    )

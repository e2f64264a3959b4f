"""The link of a session: it leads each person to the gate, the work, or a page with the next step."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime

import httpx2
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from nextset.errors import ServerError
from nextset.validation.gateway.allowed_requests import allowed
from nextset.validation.gateway.annotator_requests import cleaned_body
from nextset.validation.gateway.gateway import Gateway
from nextset.validation.gateway.identities import Credentials, Person, credentials
from nextset.validation.gateway.next_step import next_step
from nextset.validation.gateway.own_pages import WAITS, message_page, step_page, wording_of
from nextset.validation.gateway.participations import Participation
from nextset.validation.label_studio.http_retries import Unanswered

__all__ = ["SessionLink"]

_LOGGER = logging.getLogger(__name__)
_HELD = 5.0
"""The most seconds that a waiting page's request is held."""


class SessionLink:
    """Answers requests for ``/nextset/session`` and ``/nextset/session/KEY``."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def answer(self, request: Request) -> Response:
        """Return a redirection to the person's next step, or a page about it."""
        given = credentials(request.headers.get("authorization", ""), request.headers.get("cookie", ""))
        try:
            person = await self._gateway.who(given, request)
            if person is None:
                return RedirectResponse(f"/user/login/?next={request.url.path}", 302)
            if person.owner:
                return RedirectResponse("/projects/", 302)
            if WAITS in request.query_params:
                await self._settled(request, person)
            async with self._gateway.turns.slot(person.number):
                return await self._lead(request, given, person)
        except (httpx2.RequestError, ServerError) as e:
            _LOGGER.warning("%s", e if isinstance(e, ServerError) else f"Label Studio broke off: {e!r}")
            return message_page(None, 503, wording_of(None).pages.unavailable, waits=True)

    async def _settled(self, request: Request, person: Person) -> None:
        """Wait until the person's answers are pulled: the browser shows the waiting page meanwhile."""
        for part in await self._wanted(request, person):
            await self._gateway.pulls.settled(part.folder, part.participant.person, _HELD)

    async def _wanted(self, request: Request, person: Person) -> Sequence[Participation]:
        """Return the person's parts in the session of the link, or in all sessions if the link names none."""
        parts = await self._gateway.parts_of(person)
        key = request.path_params.get("key", "")
        return [part for part in parts if part.key == key] if key else parts

    async def _lead(self, request: Request, given: Credentials, person: Person) -> Response:
        wanted = await self._wanted(request, person)
        if not wanted:
            return message_page(None, 403, wording_of(None).pages.no_session, person.email)
        part = next((p for p in reversed(wanted) if p.open), wanted[-1])
        pseudonym = part.participant.person
        pulls = self._gateway.pulls
        step = next_step(
            part,
            item_left=await self._item_left(part, given),
            pulling=pulls.waits(part.folder, pseudonym),
            now=datetime.now(UTC),
        )
        if step.pull and not pulls.waits(part.folder, pseudonym):
            pulls.ask(part.folder, pseudonym)
        if step.step in ("gate", "work") and step.project is not None:
            return RedirectResponse(f"/projects/{step.project}/data?labeling=1", 302)
        return step_page(part, step, person.email)

    async def _item_left(self, part: Participation, given: Credentials) -> bool:
        """Ask Label Studio, as the person, whether it has an item in the person's work project.

        Raises httpx2.RequestError or Unanswered if Label Studio does not answer.
        """
        project = part.project("work")
        if project is None or not part.open or not part.participant.active:
            return False
        matched = allowed("POST", "/api/dm/actions")
        assert matched is not None
        headers = [("content-type", "application/json")]
        if given.token:
            headers.append(("authorization", given.token))
        else:
            headers.append(("cookie", f"sessionid={given.login}"))
        answer = await self._gateway.upstream.send(
            "POST",
            f"/api/dm/actions?id=next_task&project={project}".encode(),
            headers,
            cleaned_body(matched.rule, b"", project),
        )
        await answer.aclose()
        if answer.status_code not in (200, 404):  # neither "an item" nor "no item"
            raise Unanswered(f"Label Studio answers {answer.status_code}", remedy="try again")
        return answer.status_code == 200

"""Requests to Label Studio: those of the owner pass, those of annotators only if they are on the list."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from nextset.errors import ServerError
from nextset.validation.gateway.allowed_requests import Allowed, Matched, allowed
from nextset.validation.gateway.annotator_requests import Refused, cleaned_body, cleaned_query, place_of
from nextset.validation.gateway.gateway import Gateway
from nextset.validation.gateway.identities import SESSION_COOKIE, Credentials, Person, credentials
from nextset.validation.gateway.judging_page import with_script
from nextset.validation.gateway.login_page import LOGIN, account_of, log_in, login_address, login_page
from nextset.validation.gateway.measured_times import is_answer
from nextset.validation.gateway.other_people import without_other_people
from nextset.validation.gateway.own_pages import message_page, wording_of
from nextset.validation.gateway.page_answers import NotTaken
from nextset.validation.gateway.participations import Participation, Place
from nextset.validation.gateway.public_address import network_of

if TYPE_CHECKING:
    import httpx2

__all__ = ["RequestHandler"]

_LOGGER = logging.getLogger(__name__)
_SAFE = ("GET", "HEAD", "OPTIONS")
_MOST = 1_000_000
"""The most bytes of an annotator's request."""
_MOST_BEFORE_LOGIN = 20_000
"""The most bytes of a request before a login, which is a form with a name and a password."""
_SECONDS = 30.0
"""Seconds that the body of such a request may take to arrive."""
_HOME = {"/", "/projects", "/projects/"}
_TIPS = "/heidi-tips"
_NEXT_ITEM = "/api/dm/actions"
_PROGRESS = "X-Nextset-Progress"
_NO_ITEM = "X-Nextset-No-Item"
"""The header of our script's request for the next item, and of the answer that there is none."""


class RequestHandler:
    """Answers all requests except those for the gateway's own pages."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def answer(self, request: Request) -> Response:
        """Return the answer to any request."""
        import httpx2

        given = credentials(request.headers.get("authorization", ""), request.headers.get("cookie", ""))
        try:
            changes = request.method not in _SAFE or _logs_out(request)
            person = await self._gateway.who(given, request)
            if changes and not self._same_site(request):
                raise Refused("the request comes from another site")
            if person is None:
                # drop the ended login, which Label Studio would still accept
                given = Credentials("", "", given.others)
            elif person.owner:
                return await self._owner(request, given)
            # read first: a slow body must not keep a turn, and it could end after the session
            body = await _body(request, _MOST if person else _MOST_BEFORE_LOGIN)
            turn = person.number if person else network_of(self._gateway.sender(request))
            async with self._gateway.turns.slot(turn):
                return await self._annotator(request, given, person, body)
        except NotTaken as e:
            _LOGGER.info("not stored: %s %s: %s", request.method, request.url.path, e)
            return JSONResponse({"detail": str(e)}, 400)
        except Refused as e:
            _LOGGER.info("refused %s %s: %s", request.method, request.url.path, e)
            return await self._refusal(request, given)
        except (httpx2.RequestError, ServerError) as e:
            _LOGGER.warning("%s", e if isinstance(e, ServerError) else f"Label Studio broke off: {e!r}")
            return self._unavailable(request)
        except (ClientDisconnect, httpx2.InvalidURL):  # the client is gone, or the path is not valid
            return Response(status_code=400)

    async def _owner(self, request: Request, given: Credentials) -> Response:
        content: bytes | AsyncIterator[bytes] | None = None
        if request.method not in _SAFE:
            sized = "content-length" in request.headers
            content = request.stream() if sized else await request.body()
        answer = await self._gateway.upstream.send(
            request.method, _target(request), self._headers(request, given), content
        )
        return self._noted(given, answer, self._gateway.upstream.streamed(answer))

    async def _annotator(
        self, request: Request, given: Credentials, person: Person | None, body: bytes
    ) -> Response:
        path = _path(request)
        matched = allowed(request.method, path)
        if person is None and not (matched and matched.rule.before_login):
            return _to_login(request)
        if person is not None and request.method in _SAFE:
            if path in _HOME or (matched and matched.rule.path == LOGIN):
                return RedirectResponse("/nextset/session", 302)
            if path.startswith("/user/account"):
                return await self._account(person)
        if matched is None:
            raise Refused("not on the list")
        query, named = cleaned_query(matched.rule, request.scope["query_string"].decode("latin-1"))
        if matched.rule.path == LOGIN and request.method == "POST":
            rule = matched.rule
            account = account_of(request.headers.get("content-type", ""), body)
            send = functools.partial(self._send, request, given, rule, query, body)
            return await log_in(self._gateway, request, account, send)
        if matched.rule.before_login or person is None:
            return await self._plain(request, given, matched, query, body, None)
        places = await self._gateway.places_of(person)
        location = await place_of(matched, named, person, places, self._gateway.task_projects)
        if location is None:
            return await self._plain(request, given, matched, query, body, person)
        project, place = location
        if matched.rule.path == "/api/users":
            return await self._only_oneself(request, given, person)
        answers, number = self._gateway.answers, person.number
        content = await answers.prepared(
            matched,
            cleaned_body(matched.rule, body, project),
            place,
            project,
            number,
            self._gateway.task_projects,
        )
        try:
            answer = await self._send(request, given, matched.rule, query, content)
        finally:
            answers.ended(matched, number)
        if matched.rule.path == "/projects/{project}/data":
            return await self._judging_page(request, given, answer, place, project)
        if answer.is_success:
            answers.taken(matched, content, number)
        whole = await answer.aread()  # an item counts as answered once this reply has arrived in full
        if answer.is_success:
            answers.served(matched, whole)
        extra = await self._after(matched, answer, place, project)
        if _NO_ITEM in request.headers and answer.status_code == 404 and matched.rule.path == _NEXT_ITEM:
            # our script knows what this means; to the browser a 404 is an error, which it lists
            await answer.aclose()
            return JSONResponse({}, headers={_NO_ITEM: "1", "Cache-Control": "no-store"})
        return self._noted(given, answer, await self._own(answer, whole, person, extra))

    async def _plain(
        self,
        request: Request,
        given: Credentials,
        matched: Matched,
        query: str,
        body: bytes,
        person: Person | None,
    ) -> Response:
        """Pass on a request that is not about a project; answers to ``person`` omit other people."""
        if matched.rule.path == _TIPS:  # Label Studio would ask another site for them
            return JSONResponse({})
        content = cleaned_body(matched.rule, body, None)
        answer = await self._send(request, given, matched.rule, query, content)
        if matched.rule.path == LOGIN:
            response = await login_page(self._gateway, request, answer)
        elif person is None:
            file = await self._gateway.upstream.file(answer, f"{request.method} {_path(request)}")
            response = self._noted(given, answer, file)
        else:
            response = self._noted(given, answer, await self._own(answer, await answer.aread(), person))
        if matched.rule.path == "/logout":
            self._gateway.identities.end(given)
        return response

    async def _send(
        self, request: Request, given: Credentials, rule: Allowed, query: str, content: bytes | None
    ) -> httpx2.Response:
        """Send the allowed part of a request with the credentials ``given``."""
        target = f"{_path(request)}?{query}" if query else _path(request)
        headers = [(n, v) for n, v in self._headers(request, given) if n.lower() != "content-type"]
        if content is not None:
            headers.append(("content-type", rule.content_type))
        return await self._gateway.upstream.send(request.method, target.encode("ascii"), headers, content)

    async def _only_oneself(self, request: Request, given: Credentials, person: Person) -> Response:
        """Answer a request for the list of people with only the person who asks."""
        path = b"/api/current-user/whoami"
        answer = await self._gateway.upstream.send("GET", path, self._headers(request, given), None)
        content = await answer.aread()
        own = json.loads(without_other_people(content, person)) if answer.status_code == 200 else None
        await answer.aclose()
        return JSONResponse([own] if own else [], headers={"Cache-Control": "no-store"})

    async def _own(
        self, answer: httpx2.Response, content: bytes, person: Person, extra: Mapping[str, str] | None = None
    ) -> Response:
        """Return an answer of Label Studio's API without other people's data."""
        if answer.is_success and content:  # HEAD has no content
            content = without_other_people(content, person)
        return await self._gateway.upstream.whole(answer, content, extra)

    async def _judging_page(
        self, request: Request, given: Credentials, answer: httpx2.Response, place: Place, project: int
    ) -> Response:
        content = await answer.aread()
        if answer.status_code == 200:
            progress = await self._gateway.progress.of(place.participation) if place.role == "work" else None
            content = with_script(content, place, project, progress)
        response = await self._gateway.upstream.whole(answer, content, {"cache-control": "no-store"})
        return self._noted(given, answer, response)

    async def _after(
        self, matched: Matched, answer: httpx2.Response, place: Place, project: int
    ) -> dict[str, str]:
        """Record the effect of an answered request on the session; return headers with it for the page."""
        if is_answer(matched) and answer.status_code in (200, 201):
            try:
                progress = await self._gateway.answered(place, project, matched.numbers.get("task"))
            except ServerError:
                return {}  # the answer is kept; only the progress is unknown
            return {_PROGRESS: progress.as_text()} if progress else {}
        if matched.rule.path == _NEXT_ITEM and answer.status_code == 404:
            part = place.participation
            self._gateway.pulls.ask(part.folder, part.participant.person)
        return {}

    async def _account(self, person: Person) -> Response:
        part = await self._last_part(person)
        words = wording_of(part).pages
        return message_page(part, 200, words.logged_in.format(email=person.email), person.email)

    async def _refusal(self, request: Request, given: Credentials) -> Response:
        """Return the page or JSON that says that the request was refused, and where to go."""
        import httpx2

        person: Person | None = None
        part: Participation | None = None
        try:
            person = await self._gateway.identities.who(given)
            part = await self._last_part(person) if person else None
        except (httpx2.RequestError, ServerError):
            pass  # the request is refused anyway
        words = wording_of(part).pages
        if not _wants_page(request):
            return JSONResponse({"detail": words.refused}, 403)
        text = words.refused if part else words.no_session
        return message_page(part, 403, text, person.email if person else "")

    def _unavailable(self, request: Request) -> Response:
        words = wording_of(None).pages
        if _wants_page(request):
            return message_page(None, 503, words.unavailable, waits=True)
        return JSONResponse({"detail": words.unavailable}, 503, {"Retry-After": "2"})

    async def _last_part(self, person: Person) -> Participation | None:
        parts = await self._gateway.parts_of(person)
        return next((part for part in reversed(parts) if part.open), parts[-1] if parts else None)

    def _same_site(self, request: Request) -> bool:
        """Return whether a page of the gateway, or no page at all, sent the request."""
        origin = request.headers.get("origin", "")
        if origin and origin not in self._gateway.address.origins:
            return False
        return request.headers.get("sec-fetch-site", "none") in ("none", "same-origin")

    def _headers(self, request: Request, given: Credentials) -> list[tuple[str, str]]:
        """Return the request's headers with only one person's credentials."""
        kept = [(n, v) for n, v in request.headers.items() if n.lower() not in ("authorization", "cookie")]
        if given.token:
            return [*kept, ("authorization", given.token)]
        login = f"{SESSION_COOKIE}={given.login}" if given.login else ""
        cookies = "; ".join(part for part in (login, given.others) if part)
        return [*kept, ("cookie", cookies)] if cookies else kept

    def _noted(self, given: Credentials, answer: httpx2.Response, response: Response) -> Response:
        """Return the response; if it sets a new login cookie, remember the person by that too."""
        for cookie in answer.headers.get_list("set-cookie"):
            name, _, rest = cookie.partition("=")
            if name.strip() == SESSION_COOKIE:
                self._gateway.identities.renew(given, rest.partition(";")[0].strip().strip('"'))
        return response


def _logs_out(request: Request) -> bool:
    """Return whether Label Studio, which decodes the path, would end the login."""
    return str(request.scope["path"]).rstrip("/\n") == "/logout"


def _path(request: Request) -> str:
    """Return the path as it was sent, without its query."""
    return str(request.scope["raw_path"].decode("latin-1")).partition("?")[0]


def _target(request: Request) -> bytes:
    query: bytes = request.scope["query_string"]
    path = _path(request).encode("latin-1")
    return path + b"?" + query if query else path


def _to_login(request: Request) -> Response:
    if _wants_page(request):
        return RedirectResponse(login_address(request.url), 302)
    return JSONResponse({"detail": "log in first"}, 401)


def _wants_page(request: Request) -> bool:
    return request.method in _SAFE and "text/html" in request.headers.get("accept", "")


async def _body(request: Request, most: int) -> bytes:
    """Return the request's body, empty if it only reads.

    Raises Refused if the body is longer than ``most`` bytes, or takes too long to arrive.
    """
    if request.method in _SAFE:
        return b""
    chunks: list[bytes] = []
    length = 0
    try:
        async with asyncio.timeout(_SECONDS):
            async for chunk in request.stream():
                length += len(chunk)
                if length > most:
                    raise Refused("the body is too long")
                chunks.append(chunk)
    except TimeoutError:
        raise Refused("the body took too long") from None
    return b"".join(chunks)

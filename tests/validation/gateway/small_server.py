"""A small server in place of Label Studio where its own behaviour does not matter."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from nextset.validation.label_studio.address_and_token import Connection

__all__ = ["LARGE", "OWNER", "PASSWORD", "SmallServer", "small_server"]

OWNER = "owner-token"
PASSWORD = "right"
LARGE = 2**25
"""The bytes of a file that the buffers between two sockets cannot hold."""
_NUMBERS = {"owner": 1, "ana": 2, "ben": 3}
_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


@dataclass
class SmallServer:
    """The server, and what it was asked."""

    url: str = ""
    """Its address."""
    asked: list[str] = field(default_factory=list)
    """Method and path with query of each request."""
    cookies: list[str] = field(default_factory=list)
    """The header Cookie of each request to /cookies."""
    release: threading.Event = field(default_factory=threading.Event)
    """Until it is set, streams and slow answers do not end."""
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when the reader of a stream went away."""
    large: threading.Event = field(default_factory=threading.Event)
    """Set when a large file was sent to its end."""
    tasks: dict[int, list[int]] = field(default_factory=dict)
    """The tasks of each project."""
    busy: int = 0
    """Requests for tasks, and actions, that it answers now."""
    busiest: int = 0
    """The most that it answered at the same time."""
    renewals: int = 0
    """Cookies that were given."""

    stop: Callable[[], None] = lambda: None
    """Ends it."""

    def connection(self, folder: Path | None = None) -> Connection:
        """The owner's."""
        return Connection(self.url, OWNER, folder=folder)

    def application(self) -> Starlette:
        """Its pages: everybody may see all of them, and nothing of it is said about Label Studio."""
        return Starlette(
            routes=[
                Route("/api/current-user/whoami", self._whoami),
                Route("/user/login/", self._login, methods=["GET", "POST"]),
                Route("/logout", self._logout, methods=["GET", "POST"]),
                Route("/static/stream.js", self._stream),
                Route("/static/large.js", self._large),
                Route("/api/tasks/", self._tasks),
                Route("/api/dm/actions", self._action, methods=["POST"]),
                Route(
                    "/redirect",
                    lambda r: Response(status_code=302, headers={"Location": r.query_params["to"]}),
                ),
                Route("/headers", self._headers),
                Route("/crash", self._crash),
                Route("/cookies", self._cookies, methods=_METHODS),
                Route("/{path:path}", self._echo, methods=_METHODS),
            ]
        )

    async def _whoami(self, request: Request) -> Response:
        self._note(request)
        who = _who(request)
        if who is None:
            return JSONResponse({}, 401)

        async def parts() -> AsyncIterator[bytes]:
            yield b'{"id": %d, "email": "' % _NUMBERS[who]
            while "slow" in request.headers.get("cookie", "") and not self.release.is_set():
                await asyncio.sleep(0.01)
            yield f'{who.title()}@Example.org"}}'.encode()

        response = StreamingResponse(parts(), media_type="application/json")
        if "cookie" in request.headers:
            self._renew(response, who)
        return response

    def _renew(self, response: Response, who: str) -> None:
        self.renewals += 1
        response.set_cookie("sessionid", f"{who}.{self.renewals}", httponly=True)

    async def _login(self, request: Request) -> Response:
        self._note(request)
        if request.method == "POST":
            form = dict(parse_qsl((await request.body()).decode()))
            who = form.get("email", "").partition("@")[0]
            if who in _NUMBERS and form.get("password") == PASSWORD:
                response: Response = RedirectResponse("/", 302)
                self._renew(response, who)
                return response
        return HTMLResponse('<title>Log in</title><div class="form-wrapper"></div>')

    async def _logout(self, request: Request) -> Response:
        self._note(request)
        response = RedirectResponse("/user/login/", 302)
        response.delete_cookie("sessionid")
        return response

    async def _stream(self, request: Request) -> Response:
        self._note(request)

        async def parts() -> AsyncIterator[bytes]:
            try:
                yield b"first part;"
                while not self.release.is_set():
                    await asyncio.sleep(0.01)
                yield b"last part"
            except asyncio.CancelledError:
                self.gone.set()
                raise

        return StreamingResponse(parts(), media_type="text/javascript")

    async def _large(self, request: Request) -> Response:
        async def parts() -> AsyncIterator[bytes]:
            for _ in range(LARGE // 65536):
                yield bytes(65536)
            self.large.set()

        return StreamingResponse(parts(), media_type="text/javascript")

    async def _headers(self, request: Request) -> Response:
        response = Response(b"headers")
        for name, value in request.query_params.multi_items():
            response.headers.append(name, value)
        return response

    async def _tasks(self, request: Request) -> Response:
        self._note(request)
        found = self.tasks.get(int(request.query_params["project"]))
        if found is None:
            return JSONResponse({}, 404)
        page, size = int(request.query_params["page"]), 2  # smaller than asked, as a server may
        rows = [{"id": task} for task in found[(page - 1) * size : page * size]]
        await self._work()
        return JSONResponse({"tasks": rows, "total": len(found)})

    async def _action(self, request: Request) -> Response:
        await self._work()
        return await self._echo(request)

    async def _work(self) -> None:
        self.busy += 1
        self.busiest = max(self.busy, self.busiest)
        await asyncio.sleep(0.05)
        self.busy -= 1

    async def _crash(self, request: Request) -> Response:
        return Response("it crashed", 500)

    async def _cookies(self, request: Request) -> Response:
        self.cookies.append(request.headers.get("cookie", ""))
        response = Response(b"cookies")
        self._renew(response, _who(request) or "nobody")
        return response

    async def _echo(self, request: Request) -> Response:
        self._note(request)
        body = await request.body()
        # as a list it has nothing in it
        return JSONResponse({
            "count": 0, "results": [], "method": request.method,
            "path": request.scope["raw_path"].decode("latin-1"),
            "query": request.url.query, "headers": dict(request.headers), "body": body.decode("latin-1"),
        })  # fmt: skip

    def _note(self, request: Request) -> None:
        query = f"?{request.url.query}" if request.url.query else ""
        self.asked.append(f"{request.method} {request.url.path}{query}")


def _who(request: Request) -> str | None:
    """Whose the token is, else the cookie: NAME.NUMBER."""
    token = request.headers.get("authorization", "").removeprefix("Token ").removeprefix("Bearer ")
    name = token.partition("-")[0] if token else request.cookies.get("sessionid", "").partition(".")[0]
    return name if name in _NUMBERS else None


@contextmanager
def small_server() -> Iterator[SmallServer]:
    """The server on a free port of this machine, ended at the end."""
    small = SmallServer()
    config = uvicorn.Config(
        small.application(), host="127.0.0.1", port=0, log_level="critical", lifespan="off",
        timeout_graceful_shutdown=5,
    )  # fmt: skip
    server = uvicorn.Server(config)
    socket = config.bind_socket()
    small.url = f"http://127.0.0.1:{socket.getsockname()[1]}"
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()

    def stop() -> None:
        small.release.set()
        server.should_exit = True
        thread.join(30)

    small.stop = stop
    try:
        yield small
    finally:
        stop()

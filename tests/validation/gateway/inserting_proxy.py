"""A small proxy before a Label Studio, which inserts what the gateway inserts into judging pages."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from nextset.validation import gateway

__all__ = ["NEXT", "InsertingProxy", "inserting"]

NEXT = "/nextset/session/a-key"
"""Where the page goes when a gate is answered or the queue is empty."""

_ASSETS = Path(gateway.__file__).parent / "assets"
_TYPES = {"js": "text/javascript", "css": "text/css"}
_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
_PAGE = re.compile(r"/projects/(\d+)/data/?")
_ANSWER = re.compile(r"/api/(tasks/\d+/annotations|annotations/\d+)/?")
_HOP = {"connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"}


@dataclass
class InsertingProxy:
    """The proxy and what it does; tests change it while it runs."""

    url: str
    """Its address."""
    told: dict[int, dict[str, Any]] = field(default_factory=dict)
    """What the script of a project's page is told, by the project's number."""
    script: str | None = None
    """Given instead of the script."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Method and path with query of every request to the API, in order."""
    faults: list[tuple[str, str]] = field(default_factory=list)
    """What happens to coming answers, in order: 503 before, cut before, or cut after."""
    done: int = 0
    """The answers that the server took, for the progress."""
    of: int = 50
    """The number of items of the sitting."""
    held: list[tuple[re.Pattern[str], threading.Event]] = field(default_factory=list)
    """Patterns of method and path, each with the event that a matching request waits for."""

    def hold(self, pattern: str) -> threading.Event:
        """Return the event that requests matching ``pattern`` wait for from now on."""
        event = threading.Event()
        self.held.append((re.compile(pattern), event))
        return event

    def clear(self) -> None:
        """Be as at the start, and let go what is held."""
        for _, event in self.held:
            event.set()
        vars(self).update(vars(InsertingProxy(self.url)))


@contextmanager
def inserting(upstream: str) -> Iterator[InsertingProxy]:
    """The proxy before ``upstream``, ended at the end."""
    proxy = InsertingProxy("")

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with httpx2.AsyncClient(base_url=upstream, timeout=60.0, trust_env=False) as client:
            app.state.client = client
            yield

    async def passed(request: Request) -> Response:
        client = request.app.state.client
        path = request.url.path
        name = path.removeprefix("/nextset/assets/")
        if name in ("judging.js", "judging.css"):
            text = (_ASSETS / name).read_text(encoding="utf-8")
            if name == "judging.js" and proxy.script is not None:
                text = proxy.script
            kind = _TYPES[name.rpartition(".")[2]]
            return Response(text, media_type=kind, headers={"Cache-Control": "no-store"})
        if path.startswith("/nextset/"):
            return HTMLResponse("<title>Next</title><h1>What comes next</h1>")
        asked = path + (f"?{request.url.query}" if request.url.query else "")
        if path.startswith("/api/"):
            proxy.asked.append((request.method, asked))
        is_answer = request.method in ("POST", "PATCH") and _ANSWER.fullmatch(path) is not None
        for pattern, event in list(proxy.held):
            if pattern.fullmatch(f"{request.method} {path}"):
                await asyncio.to_thread(event.wait, 60)
        fault = ""
        if is_answer and proxy.faults and proxy.faults[0][0] in (request.method, "*"):
            fault = proxy.faults.pop(0)[1]
        if fault == "503 before":
            return Response(status_code=503)
        if fault == "cut before":
            return _Cut()
        headers = {k: v for k, v in request.headers.items() if k not in ("accept-encoding", "connection")}
        client.cookies.clear()  # they are the browser's
        said = await client.request(request.method, asked, content=await request.body(), headers=headers)
        if fault == "cut after":
            return _Cut()
        body, page = said.content, _PAGE.fullmatch(path)
        if (
            page
            and int(page[1]) in proxy.told
            and said.headers.get("content-type", "").startswith("text/html")
        ):
            body = body.replace(b"</head>", _tags(proxy, int(page[1])).encode() + b"</head>", 1)
        response = Response(body, said.status_code)
        for key, value in said.headers.multi_items():
            if key.lower() not in _HOP:
                response.headers.append(key, value)
        if is_answer and said.is_success:
            proxy.done += request.method == "POST"
            response.headers["X-Nextset-Progress"] = f"{proxy.done}/{proxy.of}"
        return response

    app = Starlette(routes=[Route("/{path:path}", passed, methods=_METHODS)], lifespan=lifespan)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    socket = config.bind_socket()
    proxy.url = f"http://127.0.0.1:{socket.getsockname()[1]}"
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.clear()
        server.should_exit = True
        thread.join(30)
        socket.close()


class _Cut(Response):
    """No answer: the connection breaks."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"9")]})
        raise ConnectionResetError


def _tags(proxy: InsertingProxy, project: int) -> str:
    told = {
        "project": project,
        "next": NEXT,
        **proxy.told[project],
        "progress": {"done": proxy.done, "of": proxy.of},
    }
    data = json.dumps(told).replace("<", "\\u003c")
    return (
        '<link rel="stylesheet" href="/nextset/assets/judging.css?v=1">'
        f'<script type="application/json" id="nextset-judging">{data}</script>'
        '<script defer src="/nextset/assets/judging.js?v=1"></script>'
    )

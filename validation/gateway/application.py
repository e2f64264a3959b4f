"""The gateway as an ASGI application, for a server such as uvicorn."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from nextset.validation.gateway.connection_limit import RequestWatch
from nextset.validation.gateway.gateway import Gateway
from nextset.validation.gateway.own_pages import ASSETS
from nextset.validation.gateway.request_handler import RequestHandler
from nextset.validation.gateway.security_headers import Secured
from nextset.validation.gateway.session_link import SessionLink

__all__ = ["application"]

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
_KINDS = {".css": "text/css", ".js": "text/javascript"}


def application(gateway: Gateway) -> RequestWatch:
    """Return the application, which pulls and ends slow connections in the background while it runs."""
    link, handler = SessionLink(gateway), RequestHandler(gateway)

    async def asset(request: Request) -> Response:
        path = ASSETS / request.path_params["name"]
        if path.suffix not in _KINDS or path not in ASSETS.iterdir():
            return Response(status_code=404)
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return FileResponse(path, headers=headers, media_type=_KINDS[path.suffix])

    @contextlib.asynccontextmanager
    async def pulling(app: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(work) for work in (gateway.pulls.run(), gateway.connections.watch())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            await gateway.upstream.close()

    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=gateway.address.hosts, www_redirect=False)
    app = Starlette(
        routes=[
            Route("/nextset/session", link.answer),
            Route("/nextset/session/{key:str}", link.answer),
            Route("/nextset/assets/{name:str}", asset),
            Route("/nextset/{path:path}", lambda request: Response(status_code=404)),
            Route("/{path:path}", handler.answer, methods=_METHODS),
        ],
        middleware=[hosts],
        lifespan=pulling,
    )
    return RequestWatch(Secured(app, tls=gateway.address.tls), gateway.connections)

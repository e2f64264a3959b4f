"""The way of a request to Label Studio and of its answer back: streamed, with the headers that matter."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit
from weakref import WeakValueDictionary

from starlette.responses import Response, StreamingResponse

from nextset.validation.gateway.security_headers import LABEL_STUDIO_POLICY, secured
from nextset.validation.label_studio.address_and_token import Connection

if TYPE_CHECKING:
    import httpx2
    from starlette.types import Receive, Scope, Send

__all__ = ["Upstream"]

_LOGGER = logging.getLogger(__name__)
_SECONDS = 180.0
_CONNECT = 10.0
_CONNECTIONS = 200
_PIECE = 65_536

_PASSED = {
    "accept", "accept-language", "authorization", "cache-control", "content-type", "cookie",
    "if-modified-since", "if-none-match", "if-range", "range", "user-agent", "x-csrftoken",
    "x-requested-with",
}  # fmt: skip
"""The headers of a request that are passed on. Host and origin are set to Label Studio's own: the gateway
checks those of the request."""

_HOP_BY_HOP = {
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer",
    "transfer-encoding", "upgrade",
}  # fmt: skip

_KEPT_BY_CACHES = {"cache-control", "etag", "expires", "last-modified"}
"""The headers that say how long an answer may be cached; answers to one person have none of them."""


class Upstream:
    """The connection from the gateway to Label Studio; with ``tls``, people reach the gateway over TLS."""

    def __init__(self, connection: Connection, *, tls: bool) -> None:
        import httpx2

        self._tls = tls
        self._files: WeakValueDictionary[str, memoryview] = WeakValueDictionary()
        socket = connection.socket
        address = "http://localhost" if socket else connection.url
        self._base = urlsplit(address)
        limits = httpx2.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_CONNECTIONS)
        self._http = httpx2.AsyncClient(
            base_url=address,
            timeout=httpx2.Timeout(_SECONDS, connect=_CONNECT),
            trust_env=not connection.local,
            limits=limits,
            # all people share the client: one person's cookie must not be sent with another's request
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            transport=httpx2.AsyncHTTPTransport(uds=str(socket), limits=limits) if socket else None,
        )

    @property
    def http(self) -> httpx2.AsyncClient:
        """The client, which has no one's credentials."""
        return self._http

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(
        self,
        method: str,
        target: bytes,
        headers: Iterable[tuple[str, str]],
        content: bytes | AsyncIterator[bytes] | None,
    ) -> httpx2.Response:
        """Send a request for ``target``, a path with its query, and return the answer with its body unread.

        ``content`` in parts is passed on as it arrives, with the length given in ``headers``: Label Studio
        reads no body without a length. Raises httpx2.RequestError if there is no answer.
        """
        url = self._http.base_url.copy_with(raw_path=self._base.path.encode() + target)
        names = _PASSED if content is None or isinstance(content, bytes) else {*_PASSED, "content-length"}
        passed = [(name, value) for name, value in headers if name.lower() in names]
        own = f"{self._base.scheme}://{self._base.netloc}"
        passed += [("accept-encoding", "identity"), ("origin", own), ("referer", f"{own}/")]
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in passed]
        request = self._http.build_request(method, url, headers=raw, content=content)
        return await self._http.send(request, stream=True)

    def streamed(self, answer: httpx2.Response, extra: Mapping[str, str] | None = None) -> Response:
        """Return the answer, passed on as it arrives, with ``extra`` headers."""
        response = _Streamed(_parts(answer), answer.status_code)
        return self._with_headers(response, answer, extra, length=True)

    async def file(self, answer: httpx2.Response, path: str) -> Response:
        """Return the answer, the file ``path``, read at once: a slow reader must not hold Label Studio up.

        All who are reading the same file share its content. Raises httpx2.RequestError.
        """
        content = b"".join([part async for part in _parts(answer)])
        file = self._files.get(path)
        if file is None or file.obj != content:
            file = self._files[path] = memoryview(content)
        return self._with_headers(_Streamed(_pieces(file), answer.status_code), answer, None, length=True)

    async def whole(
        self, answer: httpx2.Response, content: bytes, extra: Mapping[str, str] | None = None
    ) -> Response:
        """Return the answer with ``content`` as its body."""
        await answer.aclose()
        return self._with_headers(Response(content, answer.status_code), answer, extra, length=False)

    def _with_headers(
        self, response: Response, answer: httpx2.Response, extra: Mapping[str, str] | None, *, length: bool
    ) -> Response:
        left_out = _HOP_BY_HOP if length else {*_HOP_BY_HOP, "content-length", "etag", "last-modified"}
        kept = [
            (name, self._location(value) if name.lower() == "location" else value)
            for name, value in answer.headers.multi_items()
            if name.lower() not in left_out
        ]
        kept += (extra or {}).items()
        if not _KEPT_BY_CACHES & {name.lower() for name, _ in kept}:
            kept.append(("cache-control", "private, no-store"))  # Label Studio leaves it to caches
        headers = secured(kept, LABEL_STUDIO_POLICY, tls=self._tls)
        here = [(n, v) for n, v in response.raw_headers if n == b"content-length" and not length]
        response.raw_headers = [*here, *((n.encode("latin-1"), v.encode("latin-1")) for n, v in headers)]
        return response

    def _location(self, address: str) -> str:
        """Return the address of a redirect without Label Studio's own host."""
        parts = urlsplit(address)
        if parts.netloc and parts.netloc != self._base.netloc:
            return address
        path = parts.path
        if self._base.path and f"{path}/".startswith(f"{self._base.path}/"):
            path = path.removeprefix(self._base.path)
        return urlunsplit(("", "", f"/{path.lstrip('/')}", parts.query, parts.fragment))


class _Streamed(StreamingResponse):
    """An answer in parts, which breaks off if Label Studio's answer does."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        import httpx2

        try:
            await super().__call__(scope, receive, send)
        except httpx2.RequestError as e:
            _LOGGER.warning("Label Studio broke off: %r", e)


async def _pieces(file: memoryview) -> AsyncIterator[bytes]:
    """Yield the content in small pieces, of which the connection holds only a few."""
    for at in range(0, len(file), _PIECE):
        yield bytes(file[at : at + _PIECE])


async def _parts(answer: httpx2.Response) -> AsyncIterator[bytes]:
    """Yield the answer's body as it arrives, then free its connection, even if it is not read to the end."""
    try:
        async for part in answer.aiter_raw():
            yield part
    finally:
        await answer.aclose()

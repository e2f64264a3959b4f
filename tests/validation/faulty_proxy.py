"""In front of a real Label Studio: passes requests on, or makes a fault of them."""

from __future__ import annotations

import http.server
import json
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import httpx2

__all__ = ["Asked", "Fault", "Proxy", "proxied"]

Fault = Literal["", "504 after", "503 before", "cut before", "cut after", "half", "last page", "reversed"]
"""after: the server has done it. before: it has not heard of it. half: the answer ends in the middle.
last page: the page of tasks before this one comes again. reversed: the tasks of a page come in
the other order."""


@dataclass(frozen=True)
class Asked:
    """A request that came by."""

    number: int
    """From 0."""
    method: str
    path: str
    """With its query."""


@dataclass
class Proxy:
    """Where it is, what came by, and what to make of it."""

    behind: str
    address: str = ""
    fault: Callable[[Asked], Fault] = lambda asked: ""
    """The fault for a request."""
    asked: list[Asked] = field(default_factory=list)
    passed: Callable[[Asked], None] = lambda asked: None
    """Told when the server has answered, before anything goes back."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    page: bytes = b""
    """The last answer to a read."""

    def only(self, method: str, part: str, fault: Fault, times: int = 1) -> None:
        """Make a fault of the first requests of ``method`` with ``part`` in their path."""
        left = iter(range(times))

        def chosen(asked: Asked) -> Fault:
            hit = asked.method == method and part in asked.path and next(left, None) is not None
            return fault if hit else ""

        self.fault = chosen


@contextmanager
def proxied(behind: str) -> Iterator[Proxy]:
    """A proxy on loopback in front of the server at ``behind``."""
    proxy = Proxy(behind)
    with (
        httpx2.Client(base_url=behind, timeout=120.0, trust_env=False) as client,
        _Server(("127.0.0.1", 0), _handler(proxy, client)) as server,
    ):
        proxy.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield proxy
        finally:
            server.shutdown()
            thread.join()


class _Server(http.server.ThreadingHTTPServer):
    """Says nothing of clients that go away: they are killed, too."""

    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def _handler(proxy: Proxy, client: httpx2.Client) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with proxy.lock:
                asked = Asked(len(proxy.asked), self.command, self.path)
                proxy.asked.append(asked)
                fault = proxy.fault(asked)
            if fault == "503 before":
                return self._say(503, b"")
            if fault == "cut before":
                return self._cut()
            headers = {k: v for k, v in self.headers.items() if k.lower() in _PASSED}
            try:
                said = client.request(self.command, self.path, content=body, headers=headers)
            except httpx2.RequestError:
                return self._say(502, b"")
            client.cookies.clear()  # they are the business of whoever asks
            proxy.passed(asked)
            page = said.content
            if self.command == "GET" and self.path.startswith("/api/tasks/?"):
                page = proxy.page if fault == "last page" else said.content
                proxy.page = said.content
            if fault == "reversed":
                page = _reversed(page)
            if fault == "504 after":
                return self._say(504, b"<html>gateway timeout</html>")
            if fault == "cut after":
                return self._cut()
            if fault == "half":
                return self._say(said.status_code, page[: len(page) // 2], promised=len(page))
            back = [(name, value) for name, value in said.headers.multi_items() if name.lower() in _BACK]
            return self._say(said.status_code, page, back)

        do_GET = do_POST = do_PATCH = do_DELETE = _pass

        def _cut(self) -> None:
            # a reset, not an orderly end
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.close_connection = True

        def _say(
            self,
            status: int,
            content: bytes,
            headers: Sequence[tuple[str, str]] = (("Content-Type", "application/json"),),
            promised: int | None = None,
        ) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content) if promised is None else promised))
            self.end_headers()
            self.wfile.write(content)
            self.close_connection = self.close_connection or promised is not None

    return Handler


def _reversed(page: bytes) -> bytes:
    said = json.loads(page)
    if isinstance(said, dict) and isinstance(said.get("tasks"), list):
        said["tasks"].reverse()
    return json.dumps(said).encode()


_PASSED = {"authorization", "content-type", "accept", "cookie", "x-csrftoken", "referer"}
_BACK = {"content-type", "set-cookie", "location"}

"""The server of the probe's page: only on this machine, for the browser that opened its secret address."""

from __future__ import annotations

import errno
import hmac
import html
import json
import re
import secrets
import socketserver
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from nextset.auditing.probe.page_requests import FIELDS, answered, described, parsed
from nextset.errors import NextsetError, ServerError
from nextset.html.content_warning import CONTENT_WARNING
from nextset.study.model_key import ModelNames

__all__ = ["MOST_BYTES", "PageServer", "serve_page"]

LOOPBACK = "127.0.0.1"
"""The only address that the server listens on."""
MOST_BYTES = 64 * 1024
"""The largest number of bytes in the body of a request."""
_WAITING = 8
"""The largest number of requests that wait for the models at the same time."""
_SECONDS = 10.0
"""The number of seconds that a browser may take to send a request."""
_FILES = Path(__file__).parent / "page"
_STYLE = Path(__file__).parents[2] / "html" / "page.css"
_NOTHING = "there is nothing at this address"

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""The headers of every response: the page can reach only this server."""


def serve_page(models: ModelNames, port: int, say: Callable[[str], None]) -> None:
    """Serve the page for ``models`` until the process is stopped; ``say`` gets its address.

    Raises ModelError for a model that cannot be found or asked, ServerError if ``port`` cannot be used.
    """
    with PageServer(models, port, say) as server:
        say(f"open {server.address}\nit works only on this machine; press Ctrl-C to close the page")
        server.serve_forever(poll_interval=0.1)


class PageServer(ThreadingHTTPServer):
    """The page's server: one thread per request, but the models are asked by one request at a time."""

    daemon_threads = True
    allow_reuse_port = False

    def __init__(self, models: ModelNames, port: int, say: Callable[[str], None]) -> None:
        """Listen on ``port`` of this machine, or on a free port if it is 0; see `serve_page`."""
        self.models, self._offered = described(models), models
        self._context = copy_context()  # a thread would not know the options that errors name
        self.token = secrets.token_urlsafe(24)
        self.say = say
        self._asking = threading.Lock()
        self._waiting = threading.BoundedSemaphore(_WAITING)
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except OSError as e:
            taken = e.errno == errno.EADDRINUSE
            raise ServerError(
                f"cannot listen on {LOOPBACK}:{port}: {'the port is in use' if taken else e.strerror}",
                remedy="choose a different port, or omit --port to use any free one",
            ) from None

    def server_bind(self) -> None:
        """Bind without looking up this machine's name, which could use the network."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    @property
    def hosts(self) -> tuple[str, str]:
        """The host names that a browser on this machine may use; other names could be DNS rebinding."""
        return f"{LOOPBACK}:{self.server_port}", f"localhost:{self.server_port}"

    @property
    def address(self) -> str:
        """The page's address; anyone who has it can ask the models."""
        return f"http://{self.hosts[0]}/{self.token}/"

    def page(self) -> str:
        """Return the page, with the models and the content warning."""
        text = (_FILES / "probe.html").read_text(encoding="utf-8")
        models = json.dumps(self.models, ensure_ascii=False)
        return text.replace("[[warning]]", html.escape(CONTENT_WARNING)).replace(
            "[[models]]", html.escape(models)
        )

    def ask(self, kind: str, body: bytes) -> dict[str, Any]:
        """Return the answer to a request; raises NextsetError, ServerError if too many wait already."""
        request = parsed(kind, body)
        if not self._waiting.acquire(blocking=False):
            raise ServerError("too many requests wait for the models", remedy="wait, then try again")
        try:
            with self._asking:
                return self._context.run(answered, kind, request, self._offered)
        finally:
            self._waiting.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report that a request failed, unless its browser has disconnected."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            self.say(f"a request failed: {type(error).__name__}: {error}\nthis is a bug in nextset")


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    timeout = _SECONDS
    sent = False

    def do_GET(self) -> None:
        """Send the page or one of its two files."""
        place = self._place()
        if place == "":
            self._send(HTTPStatus.OK, "text/html", self.server.page())
        elif place == "probe.js":
            self._send(HTTPStatus.OK, "text/javascript", (_FILES / place).read_text(encoding="utf-8"))
        elif place == "probe.css":
            texts = [path.read_text(encoding="utf-8") for path in (_STYLE, _FILES / place)]
            self._send(HTTPStatus.OK, "text/css", "".join(texts))
        elif place is not None:
            self._refuse(HTTPStatus.NOT_FOUND, _NOTHING)

    def do_POST(self) -> None:
        """Ask the models."""
        try:
            body = self._body()
            place = None if body is None else self._place()
            if body is not None and place is not None:
                self._post(place, body)
        except TimeoutError:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the request did not arrive in time")
        finally:
            if not self.sent:
                self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, "nextset failed; its terminal says why")

    def _body(self) -> bytes | None:
        """Return the body; None, after an error response, if its length is missing or too large."""
        length = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not re.fullmatch("[0-9]{1,9}", length):
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "the length of the body is missing")
            return None
        body = self.rfile.read(min(int(length), 16 * MOST_BYTES))  # a browser sends all of it first
        if int(length) <= MOST_BYTES:
            return body
        self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is longer than {MOST_BYTES:,} bytes")
        return None

    def _post(self, place: str, body: bytes) -> None:
        if place not in FIELDS:
            self._refuse(HTTPStatus.NOT_FOUND, _NOTHING)
        elif self.headers.get_all("Origin", []) != [f"http://{self.headers['Host']}"]:
            self._refuse(HTTPStatus.FORBIDDEN, "requests from pages of another origin are not allowed")
        elif self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be application/json")
        else:
            try:
                self._json(HTTPStatus.OK, self.server.ask(place, body))
            except NextsetError as e:
                self._refuse(HTTPStatus.BAD_REQUEST, str(e), e.remedy)

    def _place(self) -> str | None:
        """Return the part of the address after the token; None, after an error response, if it is not
        allowed."""
        hosts = self.headers.get_all("Host", [])
        before, token, place = [*self.path.partition("?")[0].split("/", 2), "", ""][:3]
        known = hmac.compare_digest(token.encode(), self.server.token.encode())
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "the request is for a different host")
        elif before or not known or self.path.count("/") < 2:
            self._refuse(HTTPStatus.NOT_FOUND, _NOTHING)
        else:
            return place
        return None

    def _refuse(
        self, status: HTTPStatus, error: str, remedy: str = "open the address that was printed"
    ) -> None:
        """Answer with an error, as JSON."""
        self._json(status, {"error": error, "remedy": remedy})

    def _json(self, status: HTTPStatus, data: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(data))

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        body = text.encode()
        self.sent = True
        self.close_connection = True
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with JSON to a request that cannot be read or has an unknown method."""
        self._refuse(HTTPStatus(code), HTTPStatus(code).phrase)

    def version_string(self) -> str:
        """Return the server's name without versions."""
        return "nextset"

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: addresses contain the token, and the texts are private."""

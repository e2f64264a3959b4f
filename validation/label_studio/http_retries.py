"""Requests to Label Studio: reads are retried, writes never are, and no error contains a token."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.errors import ServerError
from nextset.http_patience import Retries, doubling, is_passing
from nextset.redaction import hide, redacted
from nextset.validation.label_studio.address_and_token import Connection

if TYPE_CHECKING:
    import httpx2

__all__ = ["Calls", "Patience", "Unanswered"]

# httpx2 and not label-studio-sdk, which takes two seconds to import, retries POSTs, and makes objects of
# every part of every answer.


@dataclass(frozen=True)
class Patience:
    """The times to wait for a server."""

    reads: float = 60.0
    """Seconds during which a read is retried."""
    settle: float = 3.0
    """Seconds without a change on the server that end a write without an answer."""
    connect: float = 10.0
    """Seconds to wait for a connection."""
    answer: float = 180.0
    """Seconds to wait for an answer."""
    pause: float = 0.25
    """Seconds before the second try, doubled before each further try, at most 4."""
    sleep: Callable[[float], None] = time.sleep
    """The function that waits this many seconds."""


class Unanswered(ServerError):
    """A request without a usable answer: the server may or may not have carried it out."""


class Calls:
    """Requests to one server as one account; threads may share it."""

    def __init__(self, connection: Connection, patience: Patience) -> None:
        import httpx2

        self.url = connection.url
        self.local = connection.local
        self.folder = connection.folder
        self.patience = patience
        self._token = connection.token
        # A personal access token is a JWT, which is only good for getting tokens that last some minutes.
        self._bought = ""
        self._buys = connection.token.count(".") == 2
        self._connection = connection
        self._http = self.without_token(httpx2.Timeout(patience.answer, connect=patience.connect))
        self._http.headers["Cache-Control"] = "no-store"

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def without_token(self, timeout: float | httpx2.Timeout) -> httpx2.Client:
        """Return a client of the same server that sends no token; the caller closes it."""
        import httpx2

        socket = self._connection.socket
        return httpx2.Client(
            base_url="http://localhost" if socket else self.url,
            timeout=timeout,
            # A proxy for the internet may be unable to reach this machine.
            trust_env=not self.local,
            transport=httpx2.HTTPTransport(uds=str(socket)) if socket else None,
        )

    def get(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        fits: Callable[[Any], bool] = lambda reply: True,
    ) -> Any:
        """Return the JSON at ``path``; the request is retried until the answer ``fits``. Raises
        ServerError."""

        def once() -> Any:
            reply = self._once("GET", path, params=params)
            if not fits(reply):
                raise self._unanswered(f"unexpected answer to {path}")
            return reply

        return self._again(once)

    def ask(self, path: str, body: Any) -> Any:
        """Return the answer to a POST that changes nothing and is retried like a read. Raises ServerError."""
        return self._again(lambda: self._once("POST", path, body=body))

    def post(self, path: str, body: Any) -> Any:
        """Return the answer to a POST, which is sent once.

        Raises Unanswered if it is unknown whether the server carried it out, ServerError if it was refused.
        """
        return self._write("POST", path, body)

    def patch(self, path: str, body: Any) -> Any:
        """Return the answer to a PATCH, which is sent once; raises as `post` does."""
        return self._write("PATCH", path, body)

    def delete(self, path: str) -> None:
        """Send a DELETE for ``path``, once; raises as `post` does."""
        self._write("DELETE", path, None)

    def _write(self, method: str, path: str, body: Any) -> Any:
        if self._buys and not self._bought:
            self._again(self._buy)
        return self._once(method, path, body=body)

    def _again(self, call: Callable[[], Any]) -> Any:
        p = self.patience
        wait = doubling(p.pause, longest=4.0)
        return Retries(fault=Unanswered, wait=wait, seconds=p.reads, sleep=p.sleep).of(call)

    def _once(
        self, method: str, path: str, *, params: Mapping[str, str | int] | None = None, body: Any = None
    ) -> Any:
        if self._buys and not self._bought:
            self._buy()
        response = self._sent(method, path, params, body)
        if response.status_code == 401 and self._buys:
            self._buy()  # the bought token has expired; a refused request was not carried out
            response = self._sent(method, path, params, body)
        return self._read(response, path)

    def _buy(self) -> None:
        self._bought = ""
        response = self._sent("POST", "/api/token/refresh/", None, {"refresh": self._token})
        bought = self._read(response, "/api/token/refresh/")
        self._bought = str(bought.get("access", "")) if isinstance(bought, dict) else ""
        if not self._bought:
            raise self._refused(401, "")
        hide(self._bought)

    def _sent(
        self, method: str, path: str, params: Mapping[str, str | int] | None, body: Any
    ) -> httpx2.Response:
        import httpx2

        headers = {} if self._buys and not self._bought else {"Authorization": self._authorization()}
        try:
            return self._http.request(method, path, params=params, json=body, headers=headers)
        except httpx2.RequestError as e:
            raise self._unanswered(type(e).__name__) from None

    def _authorization(self) -> str:
        return f"Bearer {self._bought}" if self._buys else f"Token {self._token}"

    def _read(self, response: httpx2.Response, path: str) -> Any:
        status = response.status_code
        if is_passing(status):
            raise self._unanswered(f"status {status}")
        if status >= 300:
            raise self._refused(status, f"{path}: {_detail(response)}")
        if not response.content:
            return None
        try:
            return response.json()
        except ValueError:
            raise self._unanswered("the answer is not JSON") from None

    def _unanswered(self, what: str) -> Unanswered:
        return Unanswered(
            f"Label Studio at {self.url} does not answer as expected: {_one_line(what)}",
            remedy="check that the server is running, then run the same command again; nothing is duplicated",
        )

    def _refused(self, status: int, what: str) -> ServerError:
        if status in (401, 403):
            return ServerError(
                f"Label Studio at {self.url} does not accept the token ({status})",
                remedy="make a new token under Account & Settings on the server, or check that it is the "
                "right server",
            )
        return ServerError(
            f"Label Studio at {self.url} refuses the request with {status}: {_one_line(what)}",
            remedy="check that the address is a Label Studio's, and that the project still exists",
        )


def _one_line(text: str) -> str:
    """Return ``text`` shortened to one line, without secrets that the server repeats."""
    return " ".join(redacted(text).split())[:300]


def _detail(response: httpx2.Response) -> str:
    """Return Label Studio's reason for a refusal."""
    try:
        reply = response.json()
    except ValueError:
        return response.reason_phrase
    if isinstance(reply, Mapping):
        errors = reply.get("validation_errors")
        return f"{reply.get('detail', '')} {_flat(errors)}" if errors else str(reply.get("detail", ""))
    return ""


def _flat(errors: object) -> str:
    if isinstance(errors, Mapping):
        return "; ".join(f"{key}: {_flat(value)}" for key, value in errors.items())
    if isinstance(errors, Sequence) and not isinstance(errors, str):
        return ", ".join(_flat(e) for e in errors)
    return str(errors)

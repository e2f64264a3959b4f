"""The open connections to the gateway: how many there may be, and how long one may go without a request."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.validation.gateway.public_address import network_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["FEW", "ConnectionLimit", "Listener", "RequestWatch", "most_connections", "raised_file_limit"]

_LOGGER = logging.getLogger(__name__)
_MOST = 2000
"""The most connections at the same time."""
FEW = 300
"""The number of connections below which a session may be too small."""
_OF_ADDRESS = 300
"""The most connections of one address: a browser opens six, and a laboratory may share an address."""
_OTHER_FILES = 512
"""The files that the process needs besides these connections, such as those to Label Studio."""
_FILES = 8192
_HEADERS = 20.0
"""Seconds until a connection's first headers are complete, and between two of its requests."""
_REQUEST = 240.0
"""Seconds that a request may take, the sending of its answer included; those of the owner are not limited."""
_LOOK = 1.0
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_NOBODY, _OWNER = 0, -1


@dataclass
class _Open:
    """An open connection; ``since`` is when its request began or, without one, when it began to wait."""

    client: tuple[str, int]
    connection: socket.socket
    network: str
    since: float
    requests: int = 0
    person: int = _NOBODY
    """The account that its last request was from, `_OWNER`, or `_NOBODY` before a login."""


class ConnectionLimit:
    """Counts the connections, ends slow ones, and makes room for new ones.

    Room is made by ending the oldest connection on which no one has logged in; if there is none, the oldest
    one of the person with the most. People who judge keep theirs. Unless ``behind_proxy``, where all come
    from one address, an address has its own limit; connections of people who are logged in make no room
    there.
    """

    def __init__(
        self, most: int = _MOST, *, behind_proxy: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._of_address, self._clock = most, most if behind_proxy else _OF_ADDRESS, clock
        self._open: dict[tuple[str, int], _Open] = {}

    def __len__(self) -> int:
        return len(self._open)

    def add(self, connection: socket.socket, client: tuple[str, int]) -> bool:
        """Count a new connection from ``client``; return False if there is no room for it."""
        network = network_of(client[0])
        own = [known for known in self._open.values() if known.network == network]
        if len(own) >= self._of_address and not self._end_oldest(own, logged_in=False):
            return False
        if len(self) >= self._most and not self._end_oldest(self._open.values(), logged_in=True):
            return False
        self._open[client] = _Open(client, connection, network, self._clock())
        return True

    def remove(self, client: tuple[str, int]) -> None:
        """Forget a connection that was closed."""
        self._open.pop(client, None)

    def begun(self, client: tuple[str, int]) -> None:
        """Record that a request begins: its headers are complete."""
        if known := self._open.get(client):
            known.requests, known.since = known.requests + 1, self._clock()

    def ended(self, client: tuple[str, int]) -> None:
        """Record that a request was answered."""
        if known := self._open.get(client):
            known.requests, known.since = known.requests - 1, self._clock()

    def identified(self, client: tuple[str, int], person: int, *, owner: bool) -> None:
        """Record that the account ``person`` sent a request."""
        if known := self._open.get(client):
            known.person = _OWNER if owner else person

    def end_slow(self) -> None:
        """End the connections that take too long."""
        now = self._clock()
        for known in list(self._open.values()):
            longest = _REQUEST if known.requests else _HEADERS
            if now - known.since > longest and not (known.requests and known.person == _OWNER):
                self._end(known)

    async def watch(self) -> None:
        """End slow connections until cancelled."""
        while True:
            await asyncio.sleep(_LOOK)
            self.end_slow()

    def _end_oldest(self, among: Collection[_Open], *, logged_in: bool) -> bool:
        """End the oldest connection without a login; if there is none, one of the person with the most."""
        known = [one for one in among if one.person == _NOBODY]
        if not known and logged_in:
            people = Counter(one.person for one in among if one.person != _OWNER).most_common(1)
            known = [one for one in among if one.person in dict(people)]
        if not known:
            return False
        _LOGGER.warning("too many connections: the oldest ones on which no one is logged in are closed")
        self._end(min(known, key=lambda one: one.since))
        return True

    def _end(self, known: _Open) -> None:
        """End a connection; its transport then closes it."""
        self.remove(known.client)
        with contextlib.suppress(OSError):
            known.connection.shutdown(socket.SHUT_RDWR)


class _Accepted(socket.socket):
    """A connection that says when it is closed."""

    on_close: Callable[[], None] | None = None

    def close(self) -> None:
        """Close it."""
        if self.on_close is not None:
            self.on_close()
        super().close()


class Listener(socket.socket):
    """A listening socket that keeps to a `ConnectionLimit`, also before a TLS handshake.

    If there are no files left, a waiting connection is closed with a file that is kept for this: the system
    would offer it again at once, without end.
    """

    limit: ConnectionLimit
    """The limit, set before it listens."""
    _spare: socket.socket | None = None
    _rests: bool = False
    """True if the connections that were ended have to be closed before the next one is accepted."""

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection for which there is room; raises BlockingIOError if there is none now."""
        if self._rests:
            self._rests = False
            raise BlockingIOError
        if self._spare is None:
            self._spare = socket.socket()
        try:
            accepted, address = super().accept()
        except OSError as e:
            if e.errno not in _FULL:
                raise
            _LOGGER.warning("a connection was refused: %s", e.strerror)
            self._refuse_one()
            raise BlockingIOError from None
        client = (str(address[0]), int(address[1]))
        connection = _Accepted(accepted.family, accepted.type, accepted.proto, accepted.detach())
        before = len(self.limit)
        if not self.limit.add(connection, client):
            connection.close()
            raise BlockingIOError
        self._rests = len(self.limit) <= before
        connection.on_close = lambda: self.limit.remove(client)
        return connection, address

    def close(self) -> None:
        """Stop listening."""
        if self._spare is not None:
            self._spare.close()
        super().close()

    def _refuse_one(self) -> None:
        """Close the first waiting connection."""
        assert self._spare is not None
        self._spare.close()
        self._spare = None
        with contextlib.suppress(OSError):
            super().accept()[0].close()
        with contextlib.suppress(OSError):
            self._spare = socket.socket()


class RequestWatch:
    """The application ``app``, which tells ``limit`` when a request begins and ends."""

    def __init__(self, app: ASGIApp, limit: ConnectionLimit) -> None:
        self._app, self._limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an ASGI request."""
        if scope["type"] != "http" or scope.get("client") is None:
            return await self._app(scope, receive, send)
        host, port = scope["client"]
        self._limit.begun((host, port))
        try:
            await self._app(scope, receive, send)
        finally:
            self._limit.ended((host, port))


def raised_file_limit() -> int:
    """Raise the number of files that this process may open as far as it may and needs; return it."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return _FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    wanted = _FILES if hard == unlimited else min(_FILES, hard)
    if soft == unlimited or soft >= wanted:
        return _FILES if soft == unlimited else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # a system with a lower limit of its own
        return soft
    return wanted


def most_connections(files: int) -> int:
    """Return how many connections there may be if the process may open ``files`` files."""
    return max(32, min(_MOST, files - _OTHER_FILES))

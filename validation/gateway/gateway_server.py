"""The gateway as a server: its port, its certificate, and how it stops."""

from __future__ import annotations

import errno
import logging
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import DependencyMissing, ServerError
from nextset.validation.gateway.background_pull import EVERYBODY, BackgroundPulls
from nextset.validation.gateway.batch_progress import BatchProgress
from nextset.validation.gateway.connection_limit import (
    FEW,
    ConnectionLimit,
    Listener,
    most_connections,
    raised_file_limit,
)
from nextset.validation.gateway.gateway import Gateway
from nextset.validation.gateway.identities import Identities
from nextset.validation.gateway.login_limit import KnownDevices, LoginLimit
from nextset.validation.gateway.participations import Participations
from nextset.validation.gateway.public_address import PublicAddress, public_address
from nextset.validation.gateway.task_projects import TaskProjects
from nextset.validation.gateway.upstream import Upstream
from nextset.validation.judgments.pseudonyms import pseudonym_key
from nextset.validation.label_studio.address_and_token import TOKEN_VARIABLE, URL_VARIABLE, Connection
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.gateway_record import GatewayRecord, note_gateway, remove_gateway
from nextset.validation.label_studio.http_retries import Patience
from nextset.validation.label_studio.local_owner import DATA_VARIABLE

__all__ = ["HOST", "PORT", "Certificate", "Listening", "OncePerMinute", "check_listening", "listening"]

HOST = "127.0.0.1"
"""The default address to listen on, which only this machine reaches."""

PORT = 8181
"""The default port."""

_BACKLOG = 512
_GRACE = 10
"""Seconds that requests have to finish when the gateway stops."""
_ASK = 0.02
_LOG_SECONDS = 60.0
_LOG_LINES = 1000
_LOGGERS = (
    "asyncio",
    "uvicorn.error",
    "nextset.validation.gateway.connection_limit",
    "nextset.validation.gateway.request_handler",
    "nextset.validation.gateway.session_link",
    "nextset.validation.gateway.upstream",
)
"""The loggers of lines that requests and connections cause."""


@dataclass(frozen=True)
class Certificate:
    """A certificate for TLS, in PEM files."""

    chain: Path
    """The file with the certificate and its intermediate certificates."""
    key: Path
    """The file with its private key."""


@dataclass(frozen=True)
class Listening:
    """A running gateway."""

    url: str
    """The address that people get."""
    port: int
    """The port that it listens on."""
    folder: Path
    """The folder with the list of the studies that have a session on the server."""
    thread: threading.Thread
    """The thread that runs the gateway."""

    def wait(self) -> None:
        """Wait forever; raises ServerError if the gateway ends by itself."""
        self.thread.join()
        self.check()

    def check(self) -> None:
        """Raise ServerError if the gateway has ended by itself."""
        if self.thread.is_alive():
            return
        raise ServerError("the gateway stopped unexpectedly", remedy="start it again; nothing is lost")


def check_listening(host: str, port: int, *, certificate: Certificate | None = None, proxy: str = "") -> None:
    """Raise ServerError if a gateway could not listen there, or people would send passwords unencrypted."""
    if certificate is not None:
        _context(certificate)
    public_address(host, port, tls=certificate is not None, proxy=proxy)
    _bound(host, port).close()


@contextmanager
def listening(
    connection: Connection,
    host: str = HOST,
    port: int = PORT,
    *,
    certificate: Certificate | None = None,
    proxy: str = "",
    say: Callable[[str], None] = lambda line: None,
) -> Iterator[Listening]:
    """Run a gateway for ``connection``, a Label Studio with its owner's token, until the context is left.

    ``port`` 0 means any free port, ``proxy`` is the https address of a proxy in front of the gateway. ``say``
    receives the results of background pulls. Raises ServerError if the gateway cannot listen, or if people
    would send passwords unencrypted, and DependencyMissing without the extra validate.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise DependencyMissing(
            "the gateway needs starlette and uvicorn, which are not installed",
            remedy="pip install 'nextset[validate]'",
        ) from None
    from nextset.validation.gateway.application import application

    folder = connection.folder
    if folder is None:
        raise ValueError("the connection names no folder")
    context = _context(certificate) if certificate else None
    public_address(host, port, tls=context is not None, proxy=proxy)  # check before binding the port
    most = most_connections(raised_file_limit())
    if most < FEW:
        say(
            f"only {most} connections at the same time: this process may open few files; "
            "run `ulimit -n 8192` before the command"
        )
    with (
        _quiet_logs(),
        _bound(host, port) as bound,
        LabelStudio(connection, Patience(reads=5.0)) as studio,
    ):
        address = public_address(host, bound.getsockname()[1], tls=context is not None, proxy=proxy)
        bound.limit = ConnectionLimit(most, behind_proxy=address.behind_proxy)
        app = application(_gateway(connection, address, studio, folder, say, bound.limit))
        config = uvicorn.Config(
            app, access_log=False, log_config=None, server_header=False, proxy_headers=False, http="h11",
            loop="asyncio",  # which accepts connections with the methods of the socket
            ws="none", lifespan="on", backlog=_BACKLOG, timeout_graceful_shutdown=_GRACE,
            ssl_context_factory=(lambda *_: context) if context is not None else None,
        )  # fmt: skip
        server = uvicorn.Server(config)
        # signals end the caller, and the caller ends this thread
        thread = threading.Thread(target=server.run, args=([bound],), name="gateway")
        thread.start()
        try:
            over = threading.Event()
            while not server.started and thread.is_alive():
                over.wait(_ASK)  # uvicorn does not report that it listens
            socket_path = str(connection.socket) if connection.socket else ""
            note_gateway(folder, GatewayRecord(url=address.url, pid=os.getpid(), socket=socket_path))
            yield Listening(address.url, bound.getsockname()[1], folder, thread)
        finally:
            remove_gateway(folder)
            server.should_exit = True
            thread.join()


def _gateway(
    connection: Connection,
    address: PublicAddress,
    studio: LabelStudio,
    folder: Path,
    say: Callable[[str], None],
    connections: ConnectionLimit,
) -> Gateway:
    whoami = studio.get("/api/current-user/whoami")
    upstream = Upstream(connection, tls=address.tls)
    progress = BatchProgress(studio)
    participations = Participations(folder, pseudonym_key(), studio)
    participations.read()
    environment = _environment(connection, folder)
    pulls = BackgroundPulls(environment, say, progress.forget)
    for study in participations.studies():
        pulls.ask(study, EVERYBODY)  # answers from the time when no gateway ran
    for study in participations.changed:
        pulls.tell(study)  # its folder is gone
    return Gateway(
        address=address,
        upstream=upstream,
        identities=Identities(upstream.http, int(whoami["id"])),
        task_projects=TaskProjects(studio),
        participations=participations,
        progress=progress,
        pulls=pulls,
        logins=LoginLimit(),
        devices=KnownDevices(connection.token),
        connections=connections,
    )


def _environment(connection: Connection, folder: Path) -> dict[str, str]:
    """Return the environment variables that lead a pull to the same server."""
    if connection.socket is not None:
        return {DATA_VARIABLE: str(folder), URL_VARIABLE: "", TOKEN_VARIABLE: ""}
    return {URL_VARIABLE: connection.url, TOKEN_VARIABLE: connection.token}


def _context(certificate: Certificate) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate.chain, certificate.key, password="")
    except (OSError, ssl.SSLError):
        raise ServerError(
            f"the certificate {certificate.chain} with the key {certificate.key} cannot be used for TLS",
            remedy="check that both files exist, can be read, are in PEM format and belong together, and "
            "that the key has no password",
        ) from None
    return context


def _bound(host: str, port: int) -> Listener:
    """Return a socket that is bound to the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = Listener(family)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except (OSError, TypeError) as e:
        bound.close()
        number = e.errno if isinstance(e, OSError) else 0  # otherwise the host name is invalid
        taken, refused = number == errno.EADDRINUSE, number in (errno.EACCES, errno.EPERM)
        why = "the port is in use" if taken else e.strerror if isinstance(e, OSError) else e
        raise ServerError(
            f"cannot listen on {host}:{port}: {why}",
            remedy="choose a different port with --port"
            if taken or refused
            else "give an address of this machine with --host",
        ) from None
    return bound


class OncePerMinute(logging.Filter):
    """Lets each line pass once a minute; the next time it says how often it came meanwhile."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._last: dict[str, tuple[float, int]] = {}
        """When each line passed, and how often it came since then."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is written."""
        line, now = record.getMessage(), self._clock()
        at, held_back = self._last.get(line, (now - _LOG_SECONDS, 0))
        if now - at < _LOG_SECONDS:
            self._last[line] = at, held_back + 1
            return False
        self._last.pop(line, None)
        self._last[line] = now, 0
        while len(self._last) > _LOG_LINES:
            del self._last[next(iter(self._last))]
        if held_back:
            record.msg, record.args = f"{line} ({held_back:,} more times in the last minutes)", None
        return True


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Keep the gateway's log short until the context is left."""
    once = OncePerMinute()
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(once)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(once)

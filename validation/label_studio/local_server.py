"""A Label Studio on this machine: start, health check and stop."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.errors import ServerError
from nextset.validation.label_studio.address_and_token import Connection
from nextset.validation.label_studio.installation import label_studio_command
from nextset.validation.label_studio.local_environment import server_environment
from nextset.validation.label_studio.local_owner import Owner, make_owner, note_running, read_owner
from nextset.validation.label_studio.start_watch import QUIET, StartWatch, last_change

if TYPE_CHECKING:
    import httpx2

__all__ = ["HOST", "PORT", "Serving", "running_already", "serving"]

HOST = "127.0.0.1"
"""The default address to listen on: only this machine."""

PORT = 8181
"""The default port."""

_ASK = 1.0
"""Seconds between two questions whether it has started."""
_ANSWER = 5.0
_END = 15.0
_LOG = "server.log"


@dataclass(frozen=True)
class Serving:
    """A server that runs."""

    url: str
    """Where this machine reaches it."""
    owner: Owner
    """Its first account."""
    data: Path
    """Its data folder: annotators' work."""
    log: Path
    """Its log file."""
    process: subprocess.Popen[bytes]
    """The server; it leads a process group of its own."""

    @property
    def connection(self) -> Connection:
        """The connection to it as its owner."""
        return Connection(self.url, self.owner.token)

    def wait(self, seconds: float | None = None) -> None:
        """Return after ``seconds``, or never; raises ServerError if the server ends by itself."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return
        raise _ended(code, self.log)


@contextmanager
def serving(
    data: Path, host: str = HOST, port: int = PORT, say: Callable[[str], None] = lambda line: None
) -> Iterator[Serving]:
    """Run a Label Studio with its data in ``data``; it stops when the context is left.

    It has no connection to the outside. ``host`` is the address that it listens on; ``port`` 0 means any free
    port. If the caller's environment has ``DJANGO_DB=default``, it keeps its database in PostgreSQL
    (``POSTGRE_HOST``, ``_PORT``, ``_NAME``, ``_USER``, ``_PASSWORD``). ``say`` receives a line before each
    slow step. Raises ServerError if the port is taken, another server uses ``data``, or it does not start.
    """
    from filelock import FileLock, Timeout

    command = label_studio_command(say)
    owner = make_owner(data)
    try:
        lock = FileLock(data / ".lock").acquire(timeout=0)
    except Timeout:
        raise _in_use(data, owner) from None
    with lock:
        if owner.url and _runs(owner.url):
            raise _in_use(data, owner)  # it has outlived the process that started it
        port = _free_port(host, port)
        url = f"http://{'127.0.0.1' if host in ('0.0.0.0', '') else host}:{port}"
        process = _start(command, data, owner, host, port)
        running = Serving(url, owner, data, data / _LOG, process)
        try:
            say("Starting Label Studio (the first start takes about a minute)")
            _wait(running, say)
            note_running(data, owner, url, process.pid)
            yield running
        finally:
            _end(process)
            note_running(data, owner, "", 0)


def running_already(data: Path) -> Connection | None:
    """Return a connection, as its owner, to the server that runs on ``data`` now; None if there is none."""
    owner = read_owner(data)
    return Connection(owner.url, owner.token) if owner and owner.url and _runs(owner.url) else None


def _start(command: Path, data: Path, owner: Owner, host: str, port: int) -> subprocess.Popen[bytes]:
    arguments = ["start", "--no-browser", "--internal-host", host, "--port", str(port)]
    path = data / _LOG
    if path.exists():
        path.replace(path.with_name(f"{_LOG}.old"))
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as log:
        return subprocess.Popen(
            [str(command), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=server_environment(data, owner, host),
            cwd=data,
            start_new_session=True,  # Ctrl-C reaches us, and we end it
        )


def _wait(running: Serving, say: Callable[[str], None]) -> None:
    """Until the server answers, and as ours."""
    import httpx2

    from nextset.validation.label_studio.http_retries import Calls, Patience

    over = threading.Event()
    watch = StartWatch(time.monotonic())
    with httpx2.Client(timeout=_ANSWER, trust_env=False) as http:
        while not _healthy(http, running.url):
            code = running.process.poll()
            if code is not None:
                raise _ended(code, running.log)
            try:
                line = watch.look(time.monotonic(), last_change(running.data))
            except TimeoutError:
                raise _stuck(running) from None
            if line:
                say(line)
            over.wait(_ASK)  # a server does not report that it listens
    calls = Calls(running.connection, Patience(reads=30.0))
    try:
        calls.get("/api/current-user/whoami")
    except ServerError as e:
        raise ServerError(
            f"{e.message}: its database has a different owner than {running.data}",
            remedy="use a data folder and a database that belong together",
        ) from None
    finally:
        calls.close()


def _runs(url: str) -> bool:
    """Whether a server runs at ``url`` now."""
    import httpx2

    with httpx2.Client(timeout=_ANSWER, trust_env=False) as http:
        return _healthy(http, url)


def _healthy(http: httpx2.Client, url: str) -> bool:
    import httpx2

    try:
        return http.get(f"{url}/health").status_code == 200
    except httpx2.RequestError:
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the server and whatever it has started."""
    if sys.platform == "win32":
        process.terminate()
        process.wait(_END)
        return
    for kind in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, kind)
            process.wait(_END)
        except ProcessLookupError:
            break  # no process of its group is left
        except subprocess.TimeoutExpired:
            continue
    process.wait(_END)


def _free_port(host: str, port: int) -> int:
    """The port, seen to be free; Label Studio itself would go on to another without a word."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as e:
            taken = e.errno == errno.EADDRINUSE
            raise ServerError(
                f"cannot listen on {host}:{port}: {'the port is in use' if taken else e.strerror}",
                remedy="name another port with --port"
                if taken
                else "name an address of this machine with --host",
            ) from None
        return int(probe.getsockname()[1])


def _in_use(data: Path, owner: Owner) -> ServerError:
    where = f" at {owner.url} (process {owner.pid})" if owner.url else ""
    return ServerError(f"another Label Studio uses {data}{where}", remedy="use that one, or stop it first")


def _stuck(running: Serving) -> ServerError:
    return ServerError(
        f"Label Studio did not start, and nothing in {running.data} has changed for {QUIET / 60:.0f} minutes:"
        f"\n{_last_lines(running.log)}",
        remedy=f"read {running.log}, then start it again; the database is made on from where it is",
    )


def _ended(code: int, log: Path) -> ServerError:
    return ServerError(
        f"Label Studio stopped unexpectedly ({code}):\n{_last_lines(log)}",
        remedy=f"read {log}, then start it again; submitted judgments are kept",
    )


def _last_lines(log: Path) -> str:
    with log.open("rb") as f:
        f.seek(max(0, log.stat().st_size - 20_000))
        lines = f.read().decode("utf-8", errors="replace").splitlines()
    # Requests say nothing here, and one of them has the invitation in it; nor do statements of migrations.
    said = [line for line in lines if not any(name in line for name in ("django.server", "backends.schema"))]
    return "\n".join(said[-8:])

"""A Label Studio on this machine, on a private Unix socket: start, health check and stop."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.errors import ServerError
from nextset.validation.label_studio.address_and_token import Connection
from nextset.validation.label_studio.gateway_record import read_gateway
from nextset.validation.label_studio.gunicorn_script import PROCESSES, THREADS, write_script
from nextset.validation.label_studio.installation import label_studio_python
from nextset.validation.label_studio.local_environment import server_environment
from nextset.validation.label_studio.local_owner import Owner, make_owner
from nextset.validation.label_studio.start_watch import QUIET, StartWatch, last_change

if TYPE_CHECKING:
    import httpx2

__all__ = ["Serving", "serving"]

_ASK = 0.25
"""Seconds between two checks whether the server has started."""
_ANSWER = 5.0
_END = 15.0
_LOOK = 1.0
_RESTARTS = 5
"""The most restarts in `_PERIOD` seconds: a server that ends more often needs the organiser."""
_PERIOD = 600.0
_LOG = "server.log"
_LONGEST = 100
"""The most characters of a socket's path: Linux allows 107, macOS 103."""


@dataclass
class Serving:
    """A running server."""

    socket: Path
    """The Unix socket that the server listens on, in a folder that only this user may enter."""
    owner: Owner
    """The server's first account."""
    data: Path
    """The server's data folder, with the annotators' work."""
    log: Path
    """The server's log file."""
    process: subprocess.Popen[bytes]
    """The server's process, the leader of its own process group."""
    start: Callable[[], subprocess.Popen[bytes]] = field(repr=False)
    """Starts the server's process."""

    @property
    def connection(self) -> Connection:
        """The owner's connection to the server; the address is never shown, since no one else can reach
        it."""
        return Connection("http://localhost", self.owner.token, self.socket, self.data)

    def wait(self, seconds: float | None = None) -> None:
        """Return after ``seconds``, or never; raises ServerError if the server ends by itself."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return
        raise _ended(code, self.log)

    def keep_running(self, say: Callable[[str], None], check: Callable[[], None] = lambda: None) -> None:
        """Start the server again each time it ends by itself; ``say`` receives a line about it.

        Never returns. Raises ServerError after five restarts in ten minutes. ``check`` is called every second
        and may raise.
        """
        restarts: deque[float] = deque()
        while True:
            try:
                self.wait(_LOOK)
            except ServerError as e:
                now = time.monotonic()
                while restarts and now - restarts[0] > _PERIOD:
                    restarts.popleft()
                if len(restarts) == _RESTARTS:
                    raise
                restarts.append(now)
                what = e.message.partition("\n")[0].rstrip(":")
                say(
                    f"{what}. It is started again (restart {len(restarts)} of at most {_RESTARTS} in "
                    f"{_PERIOD / 60:.0f} minutes). Submitted judgments are kept; annotators' pages wait."
                )
                self._restart(say)
            check()

    def _restart(self, say: Callable[[str], None]) -> None:
        """Start the server again, on the same socket, after the last of its processes has ended."""
        _end(self.process)
        self.socket.parent.mkdir(mode=0o700, exist_ok=True)  # a server that stops removes it
        self.socket.unlink(missing_ok=True)
        self.process = self.start()
        with suppress(ServerError):  # it ended once more: the next look says so
            _wait(self, say)
            say("Label Studio runs again")


@contextmanager
def serving(
    data: Path,
    say: Callable[[str], None] = lambda line: None,
    *,
    processes: int = PROCESSES,
    threads: int = THREADS,
) -> Iterator[Serving]:
    """Run a Label Studio with its data in ``data`` until the context is left or this process ends.

    The server listens on a Unix socket that only this user reaches, has ``processes`` with ``threads`` each,
    and has no connection to the outside. With ``DJANGO_DB=default`` in the environment, its database is in
    PostgreSQL (``POSTGRE_HOST``, ``_PORT``, ``_NAME``, ``_USER``, ``_PASSWORD``). ``say`` receives a line
    before each slow step. Raises ServerError if another server uses ``data``, or if it does not start.
    """
    from filelock import FileLock, Timeout

    python = label_studio_python(say)
    owner = make_owner(data)
    try:
        lock = FileLock(data / ".lock").acquire(timeout=0)
    except Timeout:
        raise _in_use(data) from None
    with lock, _server_lock(data) as held, _socket_folder() as folder:
        environment = server_environment(data, owner)
        script = write_script(data / "settings")
        address = folder / "label-studio"
        command = [str(python), str(script), str(address), str(processes), str(threads)]
        start = functools.partial(_start, command, data, environment, held)
        running = Serving(address, owner, data, data / _LOG, start(), start)
        try:
            say("Starting Label Studio (the first start takes about a minute)")
            _wait(running, say)
            yield running
        finally:
            _end(running.process)


@contextmanager
def _server_lock(data: Path) -> Iterator[int]:
    """Hold the server's lock; yield the open file, through which the server's processes hold it too.

    A server whose parent was killed ends within seconds. No other server may start before its last process
    has ended.
    """
    if sys.platform == "win32":
        raise ServerError(
            "running your own Label Studio needs Linux or macOS",
            remedy="run it in WSL, or use an existing server: see docs/how_to/gateway.md",
        )
    import fcntl

    file = os.open(data / ".server-lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        over, until = threading.Event(), time.monotonic() + _END
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise _in_use(data) from None
                over.wait(_ASK)
            else:
                break
        yield file
    finally:
        os.close(file)


@contextmanager
def _socket_folder() -> Iterator[Path]:
    """Yield a new folder that only this user may enter, and remove it at the end."""
    folder = Path(tempfile.mkdtemp(prefix="nextset-"))
    try:
        if len(str(folder)) > _LONGEST - 20:
            raise ServerError(
                f"the path of a socket in {folder} would be longer than this system allows",
                remedy="set TMPDIR to a folder with a shorter name, such as /tmp",
            )
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _start(command: list[str], data: Path, environment: dict[str, str], held: int) -> subprocess.Popen[bytes]:
    path = data / _LOG
    if path.exists():
        path.replace(path.with_name(f"{_LOG}.old"))
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # when this process ends, the pipe closes and the server ends too
            stdout=log,
            stderr=log,
            env=environment,
            cwd=data,
            pass_fds=[held],
            start_new_session=True,  # Ctrl-C reaches only this process, which ends the server
        )


def _wait(running: Serving, say: Callable[[str], None]) -> None:
    """Wait until the server answers and knows its owner."""
    import httpx2

    from nextset.validation.label_studio.http_retries import Calls, Patience

    over = threading.Event()
    watch = StartWatch(time.monotonic())
    transport = httpx2.HTTPTransport(uds=str(running.socket))
    with httpx2.Client(base_url="http://localhost", timeout=_ANSWER, transport=transport) as http:
        while not (_listens(running.socket) and _healthy(http)):
            code = running.process.poll()
            if code is not None:
                raise _ended(code, running.log)
            try:
                line = watch.look(time.monotonic(), last_change(running.data))
            except TimeoutError:
                raise _stuck(running) from None
            if line:
                say(line)
            over.wait(_ASK)  # the server does not report that it listens
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


def _listens(path: Path) -> bool:
    """Return whether something listens; if nothing does, httpx2 would leave a socket open."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def _healthy(http: httpx2.Client) -> bool:
    import httpx2

    try:
        return http.get("/health").status_code == 200
    except httpx2.RequestError:
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the server; running requests are answered first, for up to `_END` seconds."""
    process.terminate()  # not the whole group: the server ends its other processes itself
    with suppress(subprocess.TimeoutExpired):
        process.wait(_END)
    with suppress(ProcessLookupError):  # no process of its group is left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(_END)
    if process.stdin:
        process.stdin.close()


def _in_use(data: Path) -> ServerError:
    there = read_gateway(data)
    where = f" at {there.url} (process {there.pid})" if there else ""
    return ServerError(f"another Label Studio uses {data}{where}", remedy="use that server, or stop it first")


def _stuck(running: Serving) -> ServerError:
    return ServerError(
        f"Label Studio did not start, and nothing in {running.data} has changed for {QUIET / 60:.0f} minutes:"
        f"\n{_last_lines(running.log)}",
        remedy=f"read {running.log}, then start it again; it continues with the database made so far",
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
    # Lines about migrations do not help here.
    return "\n".join([line for line in lines if "backends.schema" not in line][-8:])

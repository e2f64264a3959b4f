"""An annotator's wait for the next item, while others send floods of requests or hold connections open."""

from __future__ import annotations

import multiprocessing
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import httpx2

from benchmarks.session_load import SimulatedPerson

__all__ = ["Flood", "flooded", "refused_seconds", "slow_connections", "waits"]

_CONNECTIONS = 12


@dataclass(frozen=True)
class Flood:
    """The requests of one person's flood."""

    url: str
    cookies: dict[str, str]
    path: str
    method: str


@contextmanager
def flooded(person: SimulatedPerson, method: str, path: str) -> Iterator[None]:
    """Let ``person`` send a request over and over, on twelve connections, from another process."""
    cookies = {name: person.http.cookies[name] for name in ("sessionid", "csrftoken")}
    flood = Flood(str(person.http.base_url), cookies, path, method)
    process = multiprocessing.get_context("spawn").Process(target=_send, args=(flood,), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def _send(flood: Flood) -> None:
    import asyncio

    async def run() -> None:
        limits = httpx2.Limits(max_connections=_CONNECTIONS)
        headers = {"X-CSRFToken": flood.cookies["csrftoken"]}
        async with httpx2.AsyncClient(
            base_url=flood.url, cookies=flood.cookies, headers=headers, timeout=120, limits=limits
        ) as client:

            async def repeat() -> None:
                while True:
                    await client.request(flood.method, flood.path, json={})

            await asyncio.gather(*(repeat() for _ in range(_CONNECTIONS)))

    asyncio.run(run())


@contextmanager
def slow_connections(url: str, n: int) -> Iterator[Sequence[socket.socket]]:
    """Hold ``n`` connections open whose headers never end."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    with ExitStack() as stack:
        slow = []
        for _ in range(n):
            address = (parts.hostname, parts.port or 80)
            connection = stack.enter_context(socket.create_connection(address, timeout=30))
            connection.sendall(b"GET /user/login/ HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            slow.append(connection)
        yield slow


def waits(person: SimulatedPerson, n: int) -> float:
    """Return the median seconds that ``person`` waits for the next item, over ``n`` requests.

    The person reads each item for a fifth of a second.
    """
    person.nexts.clear()
    over = threading.Event()
    for _ in range(n):
        person.next_task()
        over.wait(0.2)
    return median(person.nexts)


def refused_seconds(person: SimulatedPerson, n: int, gateway: int) -> float:
    """Return the seconds of computing that a refused request costs the process ``gateway``, over ``n``."""
    began = _computed(gateway)
    for _ in range(n):
        assert person.http.get("/api/projects").status_code == 403
    return (_computed(gateway) - began) / n


def _computed(process: int) -> float:
    """Return the seconds that all threads of a process have computed so far (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

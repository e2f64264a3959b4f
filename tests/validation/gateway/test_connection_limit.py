"""Connections and turns: neither slow connections nor one person with many requests keep others away."""

from __future__ import annotations

import errno
import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from nextset.validation.gateway.connection_limit import (
    ConnectionLimit,
    Listener,
    most_connections,
    raised_file_limit,
)
from nextset.validation.gateway.gateway import FairTurns
from nextset.validation.gateway.gateway_server import OncePerMinute
from tests.validation.gateway.running_gateway import small_gateway
from tests.validation.gateway.test_login_limit import Clock

SLOW = 2000

Pairs = Callable[[], tuple[socket.socket, ...]]


def test_2000_connections_with_slow_headers_while_an_annotator_judges(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if raised_file_limit() < 3 * SLOW:
        pytest.skip("this process may not open enough files")
    slow: list[socket.socket] = []
    with small_gateway(tmp_path) as front:
        ana, newcomer = front.client("ana.1"), front.client("ben.1")
        accepted = 0
        try:
            for i in range(SLOW):
                connection = socket.create_connection(("127.0.0.1", front.listening.port))
                connection.sendall(b"GET /user/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
                slow.append(connection)
                if i % 100 == 0:
                    answer = ana.get("/api/current-user/whoami")
                    accepted += answer.status_code == 200
            assert accepted == SLOW / 100
            assert newcomer.get("/api/current-user/whoami").status_code == 200, "people can still log in"
            ended = sum(_is_ended(connection) for connection in slow)
            assert ended >= SLOW - 300, "of one address, 300 connections stay open"
        finally:
            for connection in slow:
                connection.close()
        assert ana.get("/api/current-user/whoami").status_code == 200
    lines = [record for record in caplog.records if "connection" in record.getMessage()]
    assert len(lines) == 1, "one line a minute"
    assert all(record.exc_info is None for record in caplog.records)


def _is_ended(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def client(i: int, address: str = "10.0.0.1") -> tuple[str, int]:
    return address, 1000 + i


@pytest.fixture
def pairs() -> Iterator[Pairs]:
    """Makes pairs of connected sockets, closed at the end."""
    with ExitStack() as stack:
        yield lambda: tuple(stack.enter_context(one) for one in socket.socketpair())


def filled(limit: ConnectionLimit, pairs: Pairs, n: int, address: str = "10.0.0.1") -> list[socket.socket]:
    """Add n connections; return their other ends."""
    others = []
    for i in range(n):
        here, there = pairs()
        assert limit.add(here, client(i, address))
        others.append(there)
    return others


def test_the_oldest_connection_without_a_login_makes_room(pairs: Pairs) -> None:
    limit = ConnectionLimit(5, clock=Clock())
    others = filled(limit, pairs, 5)
    limit.identified(client(0), 2, owner=False)  # the oldest one is that of a person who judges
    limit.begun(client(2))
    here, _ = pairs()
    assert limit.add(here, client(9))
    assert [_is_ended(other) for other in others] == [False, True, False, False, False]
    assert len(limit) == 5


def test_if_all_are_logged_in_the_person_with_the_most_makes_room_and_the_owner_never(pairs: Pairs) -> None:
    limit = ConnectionLimit(5, clock=Clock())
    others = filled(limit, pairs, 5)
    for i, person in enumerate([1, 1, 2, 3, 3]):
        limit.identified(client(i), person, owner=person == 1)
    here, _ = pairs()
    assert limit.add(here, client(9, "10.0.0.2"))
    assert [_is_ended(other) for other in others] == [False, False, False, True, False]


def test_a_limit_for_each_address_but_not_behind_a_proxy(pairs: Pairs) -> None:
    for behind_proxy, here in ((False, 300), (True, 301)):
        limit = ConnectionLimit(1000, behind_proxy=behind_proxy, clock=Clock())
        filled(limit, pairs, 301)
        filled(limit, pairs, 1, "10.0.0.2")
        assert len(limit) == here + 1
    limit = ConnectionLimit(1000, clock=Clock())
    filled(limit, pairs, 300)
    for i in range(300):
        limit.identified(client(i), 2 + i, owner=False)
    assert not limit.add(pairs()[0], client(300)), "a laboratory full of people keeps its connections"
    assert len(limit) == 300


def test_a_connection_must_send_its_headers_in_20_seconds_and_be_answered_in_240(pairs: Pairs) -> None:
    clock = Clock()
    limit = ConnectionLimit(clock=clock)
    others = filled(limit, pairs, 4)
    limit.begun(client(1))
    limit.begun(client(2))
    limit.identified(client(2), 1, owner=True)
    clock.seconds += 15
    limit.begun(client(3))
    limit.ended(client(3))
    clock.seconds += 6
    limit.end_slow()
    assert [_is_ended(other) for other in others] == [True, False, False, False]
    clock.seconds += 235
    limit.end_slow()
    assert [_is_ended(other) for other in others] == [True, True, False, True], "only the owner has time"


def test_without_files_waiting_connections_are_refused_with_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Listener() as listener, socket.socket() as person, socket.socket() as later:
        listener.limit = ConnectionLimit()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()  # keeps a file for later
        person.connect(listener.getsockname())
        lowest_free = os.dup(0)
        os.close(lowest_free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, hard))
        try:
            with pytest.raises(BlockingIOError):
                listener.accept()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        person.settimeout(5)
        assert person.recv(1) == b"", "the one who waited is sent away"
        later.connect(listener.getsockname())
        accepted, _ = listener.accept()
        assert len(listener.limit) == 1
        accepted.close()
        assert len(listener.limit) == 0
    (record,) = caplog.records
    assert record.getMessage() == f"a connection was refused: {os.strerror(errno.EMFILE)}"
    assert record.exc_info is None


@pytest.mark.parametrize(("files", "most"), [(100_000, 2000), (2000, 1488), (1024, 512), (256, 32)])
def test_the_files_that_the_process_may_open_limit_the_connections(files: int, most: int) -> None:
    assert most_connections(files) == most


def test_the_same_line_once_a_minute_and_then_how_often_it_came() -> None:
    clock = Clock()
    once = OncePerMinute(clock)

    def line(text: str) -> str:
        record = logging.LogRecord("gateway", logging.WARNING, "", 0, "%s", (text,), None)
        return record.getMessage() if once.filter(record) else ""

    assert [line("no file"), line("no file"), line("other"), line("no file")] == ["no file", "", "other", ""]
    clock.seconds += 60
    assert line("no file") == "no file (2 more times in the last minutes)"
    for i in range(5000):
        line(f"line {i}")
    assert len(once._last) == 1000


def test_a_flood_by_one_person_waits_while_others_are_there() -> None:
    clock = Clock()
    turns = FairTurns(clock)
    assert {turns.wait(1) for _ in range(1000)} == {0.0}, "nobody else is there"
    clock.seconds += 60
    assert turns.wait(2) == 0
    waits = [turns.wait(1) for _ in range(280)]
    assert waits[:200] == [0.0] * 200, "opening a page"
    # then one in an eighth of a second: the 80th of the rest waits ten seconds
    assert waits[-1] == pytest.approx(80 / 8)
    assert turns.wait(2) == 0, "others do not wait"
    clock.seconds += 10 + 1 / 8
    assert turns.wait(1) == 0


def test_made_up_networks_do_not_fill_the_memory() -> None:
    turns = FairTurns(Clock())
    for i in range(10_000):
        turns.wait(f"10.0.{i // 250}.{i % 250}")
    assert len(turns._known) == 5000

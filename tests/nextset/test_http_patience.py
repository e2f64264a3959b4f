"""Patience with servers: tries, waits and the limits on them."""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import Any

import pytest

from nextset.http_patience import Retries, doubling, is_passing, retry_after


class Refused(Exception):
    """A fault; the server asks to wait for ``seconds``."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__("refused")
        self.seconds = seconds


class Requests:
    """Requests that fail a number of times, and the waits between them."""

    def __init__(self, failures: int, asked: float | None = None) -> None:
        self.failures, self.asked, self.sent = failures, asked, 0
        self.waits: list[float] = []

    def __call__(self) -> int:
        self.sent += 1
        if self.sent <= self.failures:
            raise Refused(self.asked)
        return self.sent

    def retried(self, **limits: Any) -> int:
        rules = {"wait": doubling(1.0, 4.0), "asked": lambda fault: fault.seconds, **limits}
        return Retries(fault=Refused, sleep=self.waits.append, **rules).of(self)


def test_waits_double_up_to_the_longest() -> None:
    requests = Requests(4)
    assert requests.retried() == 5
    assert requests.waits == [1.0, 2.0, 4.0, 4.0]


def test_a_longer_wait_that_the_server_asks_for_is_used_instead() -> None:
    requests = Requests(3, asked=1.5)
    assert requests.retried() == 4
    assert requests.waits == [1.5, 2.0, 4.0]


def test_the_last_fault_is_raised_after_the_tries() -> None:
    requests, notes = Requests(9), list[float]()
    with pytest.raises(Refused):
        requests.retried(tries=3, note=lambda fault, seconds: notes.append(seconds))
    assert (requests.sent, requests.waits, notes) == (3, [1.0, 2.0], [1.0, 2.0])


def test_the_waits_add_up_to_at_most_the_limit() -> None:
    requests = Requests(9)
    with pytest.raises(Refused):
        requests.retried(waiting=7.0)  # 1 + 2 + 4
    assert requests.waits == [1.0, 2.0, 4.0]


def test_there_is_no_try_after_the_seconds() -> None:
    requests = Requests(9)
    with pytest.raises(Refused):
        requests.retried(seconds=0.0)
    assert requests.sent == 1


def test_other_exceptions_end_the_tries_at_once() -> None:
    def broken() -> int:
        raise KeyError("x")

    with pytest.raises(KeyError):
        Retries(fault=Refused, wait=doubling(1.0, 1.0)).of(broken)


def test_a_random_part_is_added() -> None:
    wait = doubling(1.0, 60.0, jitter=1.0)
    assert all(2**n <= wait(n + 1) <= 2**n + 1 for n in range(5))
    assert wait(2000) == 60.0


def test_a_date_without_the_servers_time_is_compared_with_this_machines_clock() -> None:
    seconds = retry_after({"Retry-After": formatdate(time.time() + 100, usegmt=True)})
    assert seconds is not None
    assert 90 < seconds <= 100


def test_statuses_that_may_be_over_soon() -> None:
    assert [s for s in (200, 400, 401, 404, 408, 409, 425, 429, 500, 503) if is_passing(s)] == [
        408, 425, 429, 500, 503,
    ]  # fmt: skip

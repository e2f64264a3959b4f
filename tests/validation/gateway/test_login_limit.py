"""How often one may try to log in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.gateway.login_limit import KnownDevices, LoginLimit


class Clock:
    """A clock that tests turn."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_ten_attempts_on_an_account_from_an_address_then_minutes_of_waiting() -> None:
    clock = Clock()
    limit = LoginLimit(clock)
    for _ in range(10):
        assert limit.wait("ana@example.org", "10.9.9.9") == 0
        limit.begin("ana@example.org", "10.9.9.9")
        clock.seconds += 1
    assert limit.wait("ana@example.org", "10.9.9.9") == 5
    assert limit.wait("ana@example.org", "10.0.0.1") == 0, "another address is not locked"
    assert limit.wait("ben@example.org", "10.9.9.9") == 0
    clock.seconds += 240
    assert limit.wait("ana@example.org", "10.9.9.9") == 1
    clock.seconds += 50
    assert limit.wait("ana@example.org", "10.9.9.9") == 0, "the first one was five minutes ago"
    limit.begin("ana@example.org", "10.9.9.9")
    assert limit.wait("ana@example.org", "10.9.9.9") == 1


def test_a_hundred_attempts_on_an_account_from_any_addresses() -> None:
    limit = LoginLimit(Clock())
    for i in range(100):
        assert limit.wait("ana@example.org", f"10.0.0.{i}") == 0
        limit.begin("ana@example.org", f"10.0.0.{i}")
    assert limit.wait("ana@example.org", "10.9.9.9") == 5
    assert limit.wait("ana@example.org", "10.9.9.9", "a known device") == 0


@pytest.mark.parametrize("address", ["10.0.0.1", "10.9.9.9"])
def test_an_attacker_never_locks_out_a_known_device(address: str) -> None:
    limit = LoginLimit(Clock())
    for i in range(500):
        account = "ana@example.org" if i % 2 else f"a{i}@example.org"
        if not limit.wait(account, address):
            limit.begin(account, address)
    assert limit.wait("ana@example.org", address) == 5
    assert limit.wait("ana@example.org", "10.0.0.1", "a known device") == 0
    for _ in range(10):
        limit.begin("ana@example.org", "10.0.0.1", "a known device")
    assert limit.wait("ana@example.org", "10.0.0.1", "a known device") == 5, "its own wrong passwords count"
    assert limit.wait("ana@example.org", "10.0.0.1", "her other device") == 0


def test_the_cookie_of_a_device_is_good_for_one_account_and_cannot_be_made_up() -> None:
    devices = KnownDevices("a secret")
    name, value = devices.name("ana@example.org"), devices.cookie("ana@example.org", "")
    device = devices.device("ana@example.org", {name: value})
    assert len(device) == 32
    assert devices.cookie("ana@example.org", device) == value, "a device keeps its name"
    assert KnownDevices("a secret").device("ana@example.org", {name: value}) == device, "after a restart"
    assert devices.device("ben@example.org", {devices.name("ben@example.org"): value}) == ""
    assert KnownDevices("another").device("ana@example.org", {name: value}) == ""
    for wrong in ("", ".", device, f"{device}.", f"{device[:-1]}x.{value[33:]}", f".{value[33:]}", "é.é"):
        assert devices.device("ana@example.org", {name: wrong}) == "", wrong


def test_sixty_attempts_from_an_address_on_any_accounts() -> None:
    limit = LoginLimit(Clock())
    for i in range(60):
        assert limit.wait(f"a{i}@example.org", "10.0.0.1") == 0
        limit.begin(f"a{i}@example.org", "10.0.0.1")
    assert limit.wait("new@example.org", "10.0.0.1") == 5
    assert limit.wait("new@example.org", "10.0.0.2") == 0


def test_attempts_at_once_count_before_they_are_answered() -> None:
    limit = LoginLimit(Clock())
    begun = 0
    for _ in range(500):  # none is answered yet
        if not limit.wait("ana@example.org", "10.0.0.1"):
            limit.begin("ana@example.org", "10.0.0.1")
            begun += 1
    assert begun == 10


def test_those_who_log_in_do_not_count() -> None:
    limit = LoginLimit(Clock())
    for _ in range(200):  # a laboratory behind one address, and one person with many devices
        assert limit.wait("ana@example.org", "10.0.0.1") == 0
        limit.begin("ana@example.org", "10.0.0.1")
        limit.succeeded("ana@example.org", "10.0.0.1")
    limit.succeeded("nobody@example.org", "10.0.0.9")


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0, 200), st.booleans()), max_size=60))
def test_never_more_than_ten_failures_of_an_account_from_an_address_in_five_minutes(
    attempts: list[tuple[int, float, bool]],
) -> None:
    clock = Clock()
    limit = LoginLimit(clock)
    failed: list[tuple[int, float]] = []
    for address, pause, right in attempts:
        clock.seconds += pause
        wait = limit.wait("ana@example.org", str(address))
        assert 0 <= wait <= 5
        if wait:
            continue
        limit.begin("ana@example.org", str(address))
        if right:
            limit.succeeded("ana@example.org", str(address))
        else:
            failed.append((address, clock.seconds))
        late = [who for who, at in failed if clock.seconds - at < 300]
        assert late.count(address) <= 10


def test_ports_and_addresses_of_one_network_are_one_address() -> None:
    for one, other, same in (
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("10.0.0.1:4000", "10.0.0.1", True),
        ("[2001:db8::1]:99", "2001:db8::2", True),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("unknown", "_hidden", False),
    ):
        limit = LoginLimit(Clock())
        for i in range(60):
            limit.begin(f"a{i}@example.org", one)
        assert bool(limit.wait("new@example.org", other)) is same, (one, other)


def test_long_names_of_accounts_do_not_fill_the_memory() -> None:
    limit = LoginLimit(Clock())
    for i in range(100):
        limit.begin(f"{i}" + "a" * 1_000_000, f"10.0.0.{i}")
    assert max(len(key) for key in limit._made) < 100


def test_accounts_that_are_made_up_do_not_fill_the_memory() -> None:
    limit = LoginLimit(Clock())
    for i in range(30_000):
        limit.begin(f"a{i}", f"10.0.{i // 250}.{i % 250}")
    assert len(limit._made) == 20_000

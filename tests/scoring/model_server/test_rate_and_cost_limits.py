"""Limits on requests: so many a minute, so many a run, so much money."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from nextset.errors import ModelError
from nextset.scoring.model_server.rate_and_cost_limits import Ledger, ledger_of
from nextset.scoring.model_server.server_client import _Reply, _usage
from nextset.scoring.model_server.token_usage import Usage
from nextset.study.scoring_settings import ServerSettings

PRICES: dict[str, Any] = {"price_per_million_input_tokens": 2.0, "price_per_million_output_tokens": 8.0}


class Clock:
    """A time that passes only when somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


@given(a_minute=st.integers(1, 5), pauses=st.lists(st.floats(0, 40), max_size=30))
def test_no_minute_has_more_requests_than_allowed(a_minute: int, pauses: list[float]) -> None:
    clock = Clock()
    ledger = Ledger(ServerSettings(requests_per_minute=a_minute), clock=clock, sleep=clock.sleep)
    sent: list[float] = []
    for pause in pauses:
        clock.now += pause
        ledger.admit(Usage(1, 0, 1, 0))
        sent.append(clock.now)
    for i, at in enumerate(sent):
        assert sum(at - 60 + 1e-6 < other <= at for other in sent[: i + 1]) <= a_minute
    assert clock.now <= sum(pauses) + 60 * len(pauses) / a_minute


def test_it_waits_only_as_long_as_it_must() -> None:
    clock = Clock()
    ledger = Ledger(ServerSettings(requests_per_minute=2), clock=clock, sleep=clock.sleep)
    for _ in range(5):
        ledger.admit(Usage(1, 0, 1, 0))
    assert clock.now == 120.0  # two at 0, two at 60, one at 120


usages = st.builds(Usage, st.integers(0, 2000), st.just(0), st.integers(0, 200), st.just(0))


@given(limit=st.floats(0.001, 0.05), asked=st.lists(st.tuples(usages, st.floats(0, 1)), max_size=40))
def test_the_costs_stay_under_the_limit(limit: float, asked: list[tuple[Usage, float]]) -> None:
    ledger = Ledger(ServerSettings(max_cost=limit, **PRICES))
    spent = 0.0
    for most, share in asked:
        try:
            ledger.admit(most)
        except ModelError as e:
            assert "limit" in str(e)
            assert ledger.cost + (most.read * 2 + most.written * 8) / 1e6 > limit
            continue
        used = Usage(int(most.read * share), 0, int(most.written * share), 0)
        ledger.settle(most, used)
        spent += (used.read * 2 + used.written * 8) / 1e6
        assert ledger.cost == pytest.approx(spent, abs=1e-9)
        assert spent <= limit + 1e-9


def test_threads_together_send_no_more_than_allowed() -> None:
    ledger = Ledger(ServerSettings(max_requests=50))

    def send(_: int) -> bool:
        try:
            ledger.admit(Usage(1, 0, 1, 0))
        except ModelError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(send, range(200))) == 50
    assert ledger.requests == 50


def test_a_limit_of_money_needs_prices() -> None:
    with pytest.raises(ValidationError, match="max_cost needs price_per_million_input_tokens"):
        ServerSettings(max_cost=1.0, price_per_million_input_tokens=1.0)


def test_equal_limits_share_one_ledger() -> None:
    assert ledger_of(ServerSettings(max_requests=7)) is ledger_of(ServerSettings(max_requests=7))


@pytest.mark.parametrize("told", ["1e999", "-1000000", "1" + "0" * 400, '"x"', "null"])
def test_a_count_of_tokens_that_cannot_be_is_not_booked(told: str) -> None:
    most = Usage(10, 0, 20, 0)
    raw = f'{{"usage": {{"prompt_tokens": {told}, "completion_tokens": 1}}}}'
    assert _usage(_Reply(200, {}, raw.encode()), most) == most

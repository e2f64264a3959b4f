"""Limits on requests: so many a minute, so many a run, so much money."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.scoring.model_server.rate_and_cost_limits import Ledger, ledger_of
from nextset.scoring.model_server.server_client import _Reply, _usage
from nextset.scoring.model_server.token_prices import highest_price, price_of
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
    ledger = Ledger(ServerSettings(), clock=clock, sleep=clock.sleep)
    account = ledger.account("m", ServerSettings(requests_per_minute=a_minute))
    sent: list[float] = []
    for pause in pauses:
        clock.now += pause
        account.admit(Usage(1, 0, 1, 0))
        sent.append(clock.now)
    for i, at in enumerate(sent):
        assert sum(at - 60 + 1e-6 < other <= at for other in sent[: i + 1]) <= a_minute
    assert clock.now <= sum(pauses) + 60 * len(pauses) / a_minute


def test_it_waits_only_as_long_as_it_must() -> None:
    clock = Clock()
    ledger = Ledger(ServerSettings(), clock=clock, sleep=clock.sleep)
    account = ledger.account("m", ServerSettings(requests_per_minute=2))
    for _ in range(5):
        account.admit(Usage(1, 0, 1, 0))
    assert clock.now == 120.0  # two at 0, two at 60, one at 120


usages = st.builds(Usage, st.integers(0, 2000), st.just(0), st.integers(0, 200), st.just(0))


@given(limit=st.floats(0.001, 0.05), asked=st.lists(st.tuples(usages, st.floats(0, 1)), max_size=40))
def test_the_costs_stay_under_the_limit(limit: float, asked: list[tuple[Usage, float]]) -> None:
    ledger = Ledger(ServerSettings(max_cost=limit))
    account = ledger.account("m", ServerSettings(**PRICES))
    spent = 0.0
    for most, share in asked:
        try:
            account.admit(most)
        except ModelError as e:
            assert "limit" in str(e)
            assert ledger.cost + (most.read * 2 + most.written * 8) / 1e6 > limit
            continue
        used = Usage(int(most.read * share), 0, int(most.written * share), 0)
        account.settle(most, used)
        spent += (used.read * 2 + used.written * 8) / 1e6
        assert ledger.cost == pytest.approx(spent, abs=1e-9)
        assert spent <= limit + 1e-9


def test_threads_together_send_no_more_than_allowed() -> None:
    ledger = Ledger(ServerSettings(max_requests=50))
    accounts = [ledger.account(name, ServerSettings()) for name in ("m", "n")]

    def send(n: int) -> bool:
        try:
            accounts[n % 2].admit(Usage(1, 0, 1, 0))
        except ModelError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(send, range(200))) == 50
    assert ledger.requests == 50 == sum(account.requests for account in accounts)


def test_each_model_has_its_own_prices_and_rate_and_all_share_the_limits() -> None:
    clock = Clock()
    ledger = Ledger(ServerSettings(max_cost=0.001), clock=clock, sleep=clock.sleep)
    dear = ledger.account("dear", ServerSettings(requests_per_minute=1, **PRICES))
    cheap = ledger.account(
        "cheap",
        ServerSettings(price_per_million_input_tokens=0.5, price_per_million_output_tokens=0.5),
    )
    for account in (dear, cheap, cheap):
        account.admit(Usage(100, 0, 50, 0))
        account.settle(Usage(100, 0, 50, 0), Usage(100, 0, 50, 0))
    assert clock.now == 0  # only the dear model may be asked once a minute
    assert dear.cost == pytest.approx((100 * 2 + 50 * 8) / 1e6)
    assert cheap.cost == pytest.approx(2 * (100 * 0.5 + 50 * 0.5) / 1e6)
    assert ledger.cost == pytest.approx(dear.cost + cheap.cost)
    assert cheap.used == Usage(200, 0, 100, 0)
    with pytest.raises(ModelError, match=r"run's limit of 0\.001"):
        dear.admit(Usage(100, 0, 50, 0))  # 0.00075 are spent, and 0.0006 more could be


def test_a_limit_of_money_needs_prices() -> None:
    account = Ledger(ServerSettings(max_cost=1.0)).account("openai:m", ServerSettings())
    with pytest.raises(ModelError, match="max_cost needs the prices of openai:m"):
        account.admit(Usage(1, 0, 1, 0))


def test_cached_tokens_and_thoughts_have_their_own_prices() -> None:
    usage = Usage(1000, 800, 500, 400)
    assert price_of(usage, ServerSettings(**PRICES)) == pytest.approx((1000 * 2 + 500 * 8) / 1e6)
    apart = ServerSettings(
        price_per_million_cached_input_tokens=0.5, price_per_million_thinking_tokens=10.0, **PRICES
    )
    expected = (200 * 2 + 800 * 0.5 + 100 * 8 + 400 * 10) / 1e6
    assert price_of(usage, apart) == pytest.approx(expected)
    assert highest_price(usage, apart) == pytest.approx((1000 * 2 + 500 * 10) / 1e6)
    assert price_of(usage, ServerSettings(price_per_million_input_tokens=1.0)) is None


counts = st.integers(0, 10**6)
prices = st.one_of(st.none(), st.floats(0, 100))


@given(tokens=st.tuples(counts, counts, counts, counts), money=st.tuples(prices, prices, prices, prices))
def test_no_request_costs_more_than_was_reserved(
    tokens: tuple[int, int, int, int], money: tuple[float | None, ...]
) -> None:
    read, written = max(tokens[:2]), max(tokens[2:])
    server = ServerSettings(
        price_per_million_input_tokens=money[0],
        price_per_million_cached_input_tokens=money[1],
        price_per_million_output_tokens=money[2],
        price_per_million_thinking_tokens=money[3],
    )
    paid = price_of(Usage(read, min(tokens[:2]), written, min(tokens[2:])), server)
    highest = highest_price(Usage(read, 0, written, 0), server)
    assert (paid is None) == (highest is None)
    assert paid is None or highest is None or paid <= highest + 1e-9


def test_equal_limits_share_one_ledger() -> None:
    limits = ServerSettings(max_requests=7)
    assert ledger_of(limits) is ledger_of(ServerSettings(max_requests=7, at_once=9))
    assert ledger_of(limits) is not ledger_of(ServerSettings(max_requests=8))


@pytest.mark.parametrize("told", ["1e999", "-1000000", "1" + "0" * 400, '"x"', "null"])
def test_a_count_of_tokens_that_cannot_be_is_not_booked(told: str) -> None:
    most = Usage(10, 0, 20, 0)
    raw = f'{{"usage": {{"prompt_tokens": {told}, "completion_tokens": 1}}}}'
    assert _usage(_Reply(200, {}, raw.encode()), most) == most

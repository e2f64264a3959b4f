"""Limits of a run on servers: requests per minute of each model, requests in total, and cost."""

from __future__ import annotations

import functools
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from nextset.errors import ModelError
from nextset.scoring.model_server.token_prices import highest_price, price_of
from nextset.scoring.model_server.token_usage import Usage
from nextset.scoring.model_server.unreadable_answers import UnreadableAnswers
from nextset.study.scoring_settings import RequestSettings, ServerSettings

__all__ = ["Ledger", "ModelAccount", "ledger_of"]

MINUTE = 60.0
SHORTEST = 0.001
"""The shortest wait, in seconds."""


class Ledger:
    """The requests of a run and their costs, which admits a request only if it cannot exceed a limit.

    A request's maximum cost is reserved before it is sent, and its actual cost is booked afterwards. The
    models of a run share a ledger, and so may threads.
    """

    def __init__(
        self,
        limits: ServerSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Begin with no requests; of ``limits``, only max_requests and max_cost count here."""
        self._limits, self._clock, self._sleep = limits, clock, sleep
        self._lock = threading.Lock()
        self._accounts: dict[str, ModelAccount] = {}
        self.requests = 0
        self.cost = 0.0
        """The sum of the known prices, with those that are reserved."""
        self.unreadable = UnreadableAnswers()

    def account(self, model: str, server: RequestSettings) -> ModelAccount:
        """Return the account of ``model``, whose requests have the prices and the rate in ``server``."""
        with self._lock:
            known = self._accounts.get(model)
            if known is None:
                known = self._accounts[model] = ModelAccount(self, model, server)
            known.server = server
            return known

    @property
    def accounts(self) -> dict[str, ModelAccount]:
        """The accounts of the models that were asked, by name."""
        with self._lock:
            return dict(self._accounts)

    def admit(self, account: ModelAccount, most: Usage) -> None:
        """Wait until the model may be sent one more request, and count it with the highest price of ``most``.

        Raises ModelError if the run has no requests or no money left.
        """
        while (wait := self._admitted(account, most)) > 0:
            self._sleep(wait)

    def settle(self, account: ModelAccount, most: Usage, used: Usage) -> None:
        """Replace the reserved cost of a request with the cost of what was ``used``."""
        with self._lock:
            reserved = highest_price(most, account.server) or 0.0
            paid = price_of(used, account.server) or 0.0
            self.cost += paid - reserved
            account.cost += paid
            account.used = account.used + used

    def _admitted(self, account: ModelAccount, most: Usage) -> float:
        """Return 0 if the request was admitted and counted, else the seconds until it may be sent."""
        limits, rate = self._limits, account.server.requests_per_minute
        with self._lock:
            if limits.max_requests is not None and self.requests >= limits.max_requests:
                raise ModelError(
                    f"this run has reached its limit of requests, {limits.max_requests}; all answers are "
                    "kept",
                    remedy="run again to send more requests, or raise scoring.server.max_requests",
                )
            price = self._reserved(account, most)
            now, recent = self._clock(), account.recent
            while recent and recent[0] + MINUTE <= now:
                recent.popleft()
            if rate is not None and len(recent) >= rate:
                return max(SHORTEST, recent[0] + MINUTE - now)
            recent.append(now)
            self.requests += 1
            account.requests += 1
            self.cost += price
            return 0.0

    def _reserved(self, account: ModelAccount, most: Usage) -> float:
        """Return the highest price of a request; raises ModelError if the run cannot pay it."""
        price, limit = highest_price(most, account.server), self._limits.max_cost
        if limit is None:
            return price or 0.0
        if price is None:
            raise ModelError(
                f"scoring.server.max_cost needs the prices of {account.model}",
                remedy="write price_per_million_input_tokens and price_per_million_output_tokens",
            )
        if self.cost + price > limit:
            raise ModelError(
                f"one more request could cost {price:.4g}, and {self.cost:.4g} of the run's limit of "
                f"{limit:.4g} are spent or reserved; all answers are kept",
                remedy="run again with the same limit, or raise scoring.server.max_cost",
            )
        return price


@dataclass
class ModelAccount:
    """The requests to one model of a run."""

    ledger: Ledger
    """The run's ledger."""
    model: str
    """The study's name for the model."""
    server: RequestSettings
    """Its prices, and its most requests per minute."""
    requests: int = 0
    """The number of requests, including repeated ones."""
    cost: float = 0.0
    """The known cost of the requests that were answered."""
    used: Usage = field(default_factory=lambda: Usage(0, 0, 0, 0))
    """The tokens of the requests that were answered."""
    recent: deque[float] = field(default_factory=deque)
    """The times of the requests in the last minute."""

    def admit(self, most: Usage) -> None:
        """Wait until one more request may be sent, as `Ledger.admit`."""
        self.ledger.admit(self, most)

    def settle(self, most: Usage, used: Usage) -> None:
        """Book what a request used, as `Ledger.settle`."""
        self.ledger.settle(self, most, used)


def ledger_of(limits: ServerSettings) -> Ledger:
    """Return this process's ledger for the limits of a run, which all models of a study share."""
    return _ledger(limits.max_requests, limits.max_cost)


@functools.cache
def _ledger(max_requests: int | None, max_cost: float | None) -> Ledger:
    return Ledger(ServerSettings(max_requests=max_requests, max_cost=max_cost))

"""Limits of a run on a server: requests per minute, requests in total, and cost."""

from __future__ import annotations

import functools
import threading
import time
from collections import deque
from collections.abc import Callable

from nextset.errors import ModelError
from nextset.scoring.model_server.token_usage import Usage
from nextset.scoring.model_server.unreadable_answers import UnreadableAnswers
from nextset.study.scoring_settings import ServerSettings

__all__ = ["Ledger", "ledger_of"]

MINUTE = 60.0
SHORTEST = 0.001
"""The shortest wait, in seconds."""
MILLION = 1_000_000


class Ledger:
    """A count of requests and their costs, which admits a request only if it cannot exceed a limit.

    A request's maximum cost is reserved before it is sent, and its actual cost is booked afterwards. Threads
    may share a ledger.
    """

    def __init__(
        self,
        limits: ServerSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._limits, self._clock, self._sleep = limits, clock, sleep
        self._lock = threading.Lock()
        self._recent: deque[float] = deque()
        self.requests = 0
        self.cost = 0.0
        self.unreadable = UnreadableAnswers()

    def admit(self, most: Usage) -> None:
        """Wait until one more request may be sent, and count it with the cost of ``most``.

        Raises ModelError if the run has no requests or no money left.
        """
        while (wait := self._admitted(most)) > 0:
            self._sleep(wait)

    def settle(self, most: Usage, used: Usage) -> None:
        """Replace the reserved cost of a request with its actual cost."""
        with self._lock:
            self.cost += self._price(used) - self._price(most)

    def _admitted(self, most: Usage) -> float:
        """Return 0 if the request was admitted and counted, else the seconds until it may be sent."""
        limits = self._limits
        with self._lock:
            if limits.max_requests is not None and self.requests >= limits.max_requests:
                raise ModelError(
                    f"this run has reached its limit of requests, {limits.max_requests}; all answers are "
                    "kept",
                    remedy="run again to send more requests, or raise scoring.server.max_requests",
                )
            price = self._price(most)
            if limits.max_cost is not None and self.cost + price > limits.max_cost:
                raise ModelError(
                    f"one more request could cost {price:.4g}, and {self.cost:.4g} of the run's limit of "
                    f"{limits.max_cost:.4g} are spent or reserved; all answers are kept",
                    remedy="run again with the same limit, or raise scoring.server.max_cost",
                )
            now = self._clock()
            while self._recent and self._recent[0] + MINUTE <= now:
                self._recent.popleft()
            if limits.requests_per_minute is not None and len(self._recent) >= limits.requests_per_minute:
                return max(SHORTEST, self._recent[0] + MINUTE - now)
            self._recent.append(now)
            self.requests += 1
            self.cost += price
            return 0.0

    def _price(self, usage: Usage) -> float:
        read = self._limits.price_per_million_input_tokens or 0.0
        written = self._limits.price_per_million_output_tokens or 0.0
        return (usage.read * read + usage.written * written) / MILLION


def ledger_of(limits: ServerSettings) -> Ledger:
    """Return this process's ledger for ``limits``, which all models of a study share."""
    return _ledger(limits.model_dump_json())


@functools.cache
def _ledger(limits: str) -> Ledger:
    return Ledger(ServerSettings.model_validate_json(limits, strict=False))

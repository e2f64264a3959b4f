"""Limits of a run on a server: requests per minute, requests in total, and cost."""

from __future__ import annotations

import functools
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from nextset.errors import ModelError
from nextset.study.scoring_settings import ServerSettings

__all__ = ["Ledger", "Usage", "ledger_of"]

MINUTE = 60.0
SHORTEST = 0.001
"""The shortest wait, in seconds."""
MILLION = 1_000_000


@dataclass(frozen=True)
class Usage:
    """Tokens that a request took, or may take at most."""

    read: int
    """Tokens of the prompt."""
    written: int
    """Tokens of the answer."""


class Ledger:
    """Counts requests and their costs, and admits a request only if it cannot exceed a limit.

    The most that a request can cost is set aside before it is sent, and what it did cost booked afterwards.
    Safe under several threads.
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

    def admit(self, most: Usage) -> None:
        """Wait until one more request may be sent, and count it with ``most`` as its cost.

        Raises ModelError if the run has no requests or no money left.
        """
        while (wait := self._admitted(most)) > 0:
            self._sleep(wait)

    def settle(self, most: Usage, used: Usage) -> None:
        """Book what a request did use in place of what was set aside for it."""
        with self._lock:
            self.cost += self._price(used) - self._price(most)

    def _admitted(self, most: Usage) -> float:
        """0 if the request was admitted and counted, else the seconds until it may be."""
        limits = self._limits
        with self._lock:
            if limits.max_requests is not None and self.requests >= limits.max_requests:
                raise ModelError(
                    f"this run has reached its limit of {limits.max_requests} requests; all answers are kept",
                    remedy="run again to send as many more, or raise scoring.server.max_requests",
                )
            price = self._price(most)
            if limits.max_cost is not None and self.cost + price > limits.max_cost:
                raise ModelError(
                    f"one more request could cost {price:.4g}, and {self.cost:.4g} of the run's limit of "
                    f"{limits.max_cost:.4g} are spent or reserved; all answers are kept",
                    remedy="run again to spend as much more, or raise scoring.server.max_cost",
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


@functools.cache
def ledger_of(limits: ServerSettings) -> Ledger:
    """The one ledger of this process for ``limits``: all models of a study share it."""
    return Ledger(limits)

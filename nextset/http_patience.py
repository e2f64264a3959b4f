"""Patience with servers: which requests are sent again, after which waits, and when to give up.

The clients of the Hub, of model servers and of Label Studio share this policy:

- A request is sent again if it got no usable answer and a second one does no harm: the connection broke, the
  time ran out, or the status is one of `is_passing` (408, 425, 429, 5xx). Each client says which of its
  requests are harmless; Label Studio's writes are sent once.
- The wait doubles with each try (`doubling`), or comes from a list of pauses. If the server asks for a longer
  wait (`retry_after`), that wait is used instead.
- The last fault is raised after ``tries`` tries, after ``seconds`` since the first try, or if the waits would
  add up to more than ``waiting`` seconds.
"""

from __future__ import annotations

import email.utils
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import tenacity

__all__ = ["Retries", "doubling", "is_passing", "retry_after"]

Result = TypeVar("Result")
Fault = TypeVar("Fault", bound=Exception)

_PASSING = frozenset({408, 425, 429})


def is_passing(status: int) -> bool:
    """Return whether the refusal with the HTTP ``status`` may be over soon: 408, 425, 429 or 5xx."""
    return status in _PASSING or status >= 500


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait by the headers of an answer, or None if they do not say.

    Retry-After has seconds or a date (RFC 9110, section 10.2.3); a date is compared with the header Date, or
    with this machine's clock. Without it, the time t of RateLimit counts.
    """
    value = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
        return float(value)
    try:
        until = email.utils.parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError):
        rate = re.search(r"\bt\s*=\s*(\d{1,9})\b", headers.get("RateLimit", ""))
        return float(rate[1]) if rate else None
    return max(0.0, until - _now(headers))


def _now(headers: Mapping[str, str]) -> float:
    """Return the server's time by the header Date, or this machine's time, in seconds since the epoch."""
    try:
        return email.utils.parsedate_to_datetime(headers.get("Date", "")).timestamp()
    except (ValueError, TypeError, OverflowError):
        return time.time()


def doubling(first: float, longest: float, jitter: float = 0.0) -> Callable[[int], float]:
    """Return the function for the wait after try n = 1, 2, …: first · 2ⁿ⁻¹ seconds, at most ``longest``.

    A random part of up to ``jitter`` seconds is added, so that clients do not return at the same time.
    """
    return lambda n: float(min(first * 2.0 ** min(n - 1, 60) + random.uniform(0, jitter), longest))


@dataclass(frozen=True, kw_only=True)
class Retries(Generic[Fault]):
    """The rules for repeating one client's requests."""

    fault: type[Fault]
    """The exception of a request that may succeed at the next try; others end the tries at once."""
    wait: Callable[[int], float]
    """Returns the seconds to wait after try n = 1, 2, …"""
    tries: int | None = None
    """The maximum number of tries; null for no such limit."""
    seconds: float | None = None
    """There is no further try this many seconds after the first one; null for no such limit."""
    waiting: float | None = None
    """The maximum number of seconds of all waits together; null for no such limit."""
    asked: Callable[[Fault], float | None] = lambda fault: None
    """Returns the seconds that the server asks to wait, which replace a shorter wait."""
    note: Callable[[Fault, float], None] = lambda fault, seconds: None
    """Is called before a wait, with the fault and the seconds."""
    sleep: Callable[[float], None] = time.sleep
    """The function that waits."""

    def of(self, request: Callable[[], Result]) -> Result:
        """Return the result of ``request``, sent again after a fault; raises the last fault."""
        import tenacity

        retrying = tenacity.Retrying(
            stop=self._stop,
            wait=self._wait,
            retry=tenacity.retry_if_exception_type(self.fault),
            sleep=self.sleep,
            before_sleep=self._before_sleep,
            reraise=True,
        )
        return retrying(request)

    def _stop(self, state: tenacity.RetryCallState) -> bool:
        return (
            (self.tries is not None and state.attempt_number >= self.tries)
            or (self.seconds is not None and (state.seconds_since_start or 0.0) >= self.seconds)
            or (self.waiting is not None and state.idle_for + state.upcoming_sleep > self.waiting)
        )

    def _wait(self, state: tenacity.RetryCallState) -> float:
        if self.tries is not None and state.attempt_number >= self.tries:
            return 0.0  # there is no further try
        return max(self.wait(state.attempt_number), self.asked(self._fault(state)) or 0.0)

    def _before_sleep(self, state: tenacity.RetryCallState) -> None:
        self.note(self._fault(state), state.upcoming_sleep)

    def _fault(self, state: tenacity.RetryCallState) -> Fault:
        fault = state.outcome.exception() if state.outcome else None
        assert isinstance(fault, self.fault)
        return fault

"""People's turns at Label Studio: one person who sends very many requests must not slow down the others."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

__all__ = ["FairTurns"]


@dataclass(frozen=True)
class _Share:
    """What one person may use of Label Studio, which answers only a few requests at once for all people."""

    at_once: int
    """The requests that are answered at the same time."""
    burst: float
    """The requests that may come as fast as they like."""
    per_second: float
    """The requests a second after that, while other people are there."""


_PERSON = _Share(at_once=6, burst=200, per_second=8)
"""A browser sends six requests at once, opening a page needs some dozens, and fast judging four a second."""
_NETWORK = _Share(at_once=24, burst=2000, per_second=60)
"""All people of one network who are not logged in: a laboratory may open its pages at the same time."""
_OTHERS = 60.0
"""Seconds since their last request for which other people are there."""
_MOST = 5000


@dataclass
class _Turns:
    """The turns of a person, or of a network before a login."""

    share: _Share
    slots: asyncio.Semaphore
    tokens: float
    """The requests that may come at once; negative if some wait."""
    at: float
    """When that was counted."""


class FairTurns:
    """Limits how many of a person's requests are answered at once and, if others are there, how fast.

    A person is the number of an account; before a login it is a network. Requests that come faster wait, and
    none is refused. ``clock`` gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: OrderedDict[int | str, _Turns] = OrderedDict()
        self._latest: dict[int, float] = {}
        """The two people whose requests were the last, and when."""

    async def pace(self, person: int | str) -> None:
        """Wait until the person's next request may be treated."""
        await asyncio.sleep(self.wait(person))

    def wait(self, person: int | str) -> float:
        """Count a request; return the seconds until it may be treated."""
        now, own = self._clock(), self._turns(person)
        share = own.share
        own.tokens = min(share.burst, own.tokens + (now - own.at) * share.per_second)
        own.at = now
        others = any(now - at < _OTHERS for other, at in self._latest.items() if other != person)
        if isinstance(person, int):
            self._latest.pop(person, None)
            self._latest = dict([*self._latest.items(), (person, now)][-2:])
        if not others:
            own.tokens = max(0.0, own.tokens - 1)
            return 0.0
        own.tokens -= 1
        return max(0.0, -own.tokens / share.per_second)

    @asynccontextmanager
    async def slot(self, person: int | str) -> AsyncIterator[None]:
        """Hold one of the person's slots at Label Studio."""
        async with self._turns(person).slots:
            yield

    def _turns(self, person: int | str) -> _Turns:
        if person not in self._known:
            share = _PERSON if isinstance(person, int) else _NETWORK
            turns = _Turns(share, asyncio.Semaphore(share.at_once), share.burst, self._clock())
            self._known[person] = turns
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        self._known.move_to_end(person)
        return self._known[person]

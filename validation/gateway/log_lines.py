"""The gateway's lines in the log: the same line at most once a minute, whatever people send."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["OncePerMinute", "quiet_logs"]

_SECONDS = 60.0
_LINES = 1000
_NAMES = (
    "uvicorn.error",
    "nextset.validation.gateway.connection_limit",
    "nextset.validation.gateway.request_handler",
    "nextset.validation.gateway.session_link",
    "nextset.validation.gateway.upstream",
)
"""The loggers of lines that requests and connections cause."""


class OncePerMinute(logging.Filter):
    """Lets each line pass once a minute; the next time it says how often it came meanwhile."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._last: dict[str, tuple[float, int]] = {}
        """When each line passed, and how often it came since then."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is written."""
        line, now = record.getMessage(), self._clock()
        at, held_back = self._last.get(line, (now - _SECONDS, 0))
        if now - at < _SECONDS:
            self._last[line] = at, held_back + 1
            return False
        self._last.pop(line, None)
        self._last[line] = now, 0
        while len(self._last) > _LINES:
            del self._last[next(iter(self._last))]
        if held_back:
            record.msg, record.args = f"{line} ({held_back:,} more times in the last minutes)", None
        return True


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Keep the gateway's log short until the context is left."""
    once = OncePerMinute()
    loggers = [logging.getLogger(name) for name in _NAMES]
    for logger in loggers:
        logger.addFilter(once)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(once)

"""The watch over a start of the local server: it may take as long as files in its folder change."""

from __future__ import annotations

from pathlib import Path

__all__ = ["QUIET", "StartWatch", "last_change"]

QUIET = 300.0
"""Seconds without a change that end a start."""

_TELL = 60.0


class StartWatch:
    """A start that has begun; times are in seconds on any clock."""

    def __init__(self, now: float) -> None:
        self._began = self._changed_at = self._told_at = now
        self._change = 0

    def look(self, now: float, change: int) -> str:
        """Return a line for the user once a minute, else an empty text; ``change`` is the `last_change`.

        Raises TimeoutError if nothing has changed for `QUIET` seconds.
        """
        if change != self._change:
            self._change, self._changed_at = change, now
        if now - self._changed_at > QUIET:
            raise TimeoutError
        if now - self._told_at < _TELL:
            return ""
        self._told_at = now
        return (
            f"Label Studio is still creating its database: {now - self._began:.0f} seconds so far "
            f"(the last change was {now - self._changed_at:.0f} seconds ago)"
        )


def last_change(data: Path) -> int:
    """Return the time, in nanoseconds, of the last change in ``data``: of the database, its journal or the
    log.

    One of these files changes while migrations are applied.
    """
    times = [0]
    for path in data.iterdir():
        try:
            times.append(path.stat().st_mtime_ns)
        except FileNotFoundError:  # a journal that was removed again
            continue
    return max(times)

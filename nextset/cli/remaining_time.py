"""The remaining time of a stage, from the times when its parts ended.

The rate is that of the last third of the time so far. A phase that was short, such as answers that were
stored, soon has no weight; a phase that is long has all of it. A rate that changes later is not foreseen.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Pace", "RemainingTime"]

_WINDOW = 1 / 3
"""The share of the time so far that decides the rate."""
_REPORTS = 4
"""The fewest reports that decide the rate, if there are as many."""
_MERGED = 0.02
"""Reports within this share of the time so far are one."""
_BURST = 0.3
"""So are reports within this share of the longest pause, such as the answers to requests sent together."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The present rate of a stage, and the time that is left at this rate."""

    per_second: float
    """Parts per second."""
    left: float
    """Seconds until the end."""


@dataclass(frozen=True, slots=True)
class _Report:
    """The amount of work done at a time; several that are close are one."""

    begun: float
    at: float
    done: float


class RemainingTime:
    """The remaining time of one stage; times are seconds of any clock that does not go back."""

    def __init__(self) -> None:
        self._reports: list[_Report] = []
        self._total = 0.0
        self._pause = 0.0

    def note(self, now: float, done: float, total: float) -> None:
        """Note that ``done`` of ``total`` parts are finished; the first report says where the stage begins.

        A report of less than before is ignored.
        """
        self._total = total
        if self._reports and done <= self._reports[-1].done:
            return
        begun = now
        if len(self._reports) > 1:
            last, first = self._reports[-1], self._reports[0]
            if now - last.begun < max(_MERGED * (now - first.at), _BURST * self._pause):
                begun = last.begun
                self._reports.pop()
        if self._reports and begun == now:
            self._pause = max(self._pause, now - self._reports[-1].at)
        self._reports.append(_Report(begun, now, done))

    def pace(self, now: float) -> Pace | None:
        """Return the rate and the time left; None before a part has ended.

        A part that takes longer than those before it is expected to take as long again as it is late, and
        slows the rate for the others.
        """
        if len(self._reports) < 2:
            return None
        last = self._reports[-1]
        start = self._start()
        made = last.done - start.done
        each = max(last.at - start.at, 1e-6) / made
        remaining = max(self._total - last.done, 0.0)
        step = min(last.done - self._reports[-2].done, remaining)
        late = max((now - start.at) / (made + step), each) if step else each
        left = abs(step * each - (now - last.at)) + (remaining - step) * late
        return Pace(1 / late, left if remaining else 0.0)

    def _start(self) -> _Report:
        """Return the report with which the decisive time begins."""
        first, last = self._reports[0], self._reports[-1]
        since = last.at - _WINDOW * (last.at - first.at)
        since = min(since, self._reports[max(0, len(self._reports) - 1 - _REPORTS)].at)
        return next(report for report in reversed(self._reports[:-1]) if report.at <= since)

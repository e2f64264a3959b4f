"""Progress on stderr: a bar per stage on a terminal, else a line at intervals."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nextset.artifacts.progress_callback import SILENT, Progress, Tick
from nextset.counted import counted

__all__ = ["StageProgress", "bars", "duration"]

_SECONDS = 10.0
"""Seconds between two lines in a log."""


@dataclass(frozen=True, slots=True)
class StageProgress:
    """The progress of a stage."""

    stage: str
    """The stage's name."""
    seconds: float
    """Seconds since it started."""
    done: int = 0
    """The number of its finished parts."""
    total: int = 0
    """The number of all its parts; 0 before it is known."""
    earlier: int = 0
    """The number of parts that an earlier run had finished."""

    def line(self) -> str:
        """Return the share done, the rate and the time left, as far as they are known."""
        if not self.total:
            return f"{self.stage}: preparing, {duration(self.seconds)} so far"
        text = f"{self.stage}: {self.done:,} of {counted(self.total, 'parts')} ({self.done / self.total:.0%})"
        made = self.done - self.earlier
        if not made or not self.seconds:
            return f"{text}, {duration(self.seconds)} so far"
        left = (self.total - self.done) * self.seconds / made
        return f"{text}, {_rate(made / self.seconds)}, about {duration(left)} left"


def _rate(per_second: float) -> str:
    for unit, seconds in (("s", 1), ("min", 60)):
        if per_second * seconds >= 1:
            return f"{per_second * seconds:.1f} parts/{unit}"
    return f"{per_second * 3600:.1f} parts/h"


def duration(seconds: float) -> str:
    """Return ``seconds`` in seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"


class _Log:
    """The progress of the running stage, which a thread writes to stderr at intervals."""

    def __init__(self) -> None:
        self.stage = ""
        self.begun = 0.0
        self.parts = (0, 0, 0)

    def progress(self, stage: str) -> Tick:
        self.stage, self.begun, self.parts = stage, time.monotonic(), (0, 0, 0)

        def tick(done: int, total: int) -> None:
            if not self.parts[1]:
                self.begun, self.parts = time.monotonic(), (done, total, done)
            self.parts = (done, total, self.parts[2])
            if done == total:
                self.stage = ""

        return tick

    def write(self) -> None:
        if self.stage:
            now = StageProgress(self.stage, time.monotonic() - self.begun, *self.parts)
            sys.stderr.write(f"{now.line()}\n")
            sys.stderr.flush()


@contextlib.contextmanager
def _every(seconds: float, do: Callable[[], None]) -> Iterator[None]:
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(seconds):
            do()

    thread = threading.Thread(target=repeat, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def bars(quiet: bool, seconds: float = _SECONDS) -> Iterator[Progress]:
    """Yield a progress callback that draws one bar per running stage on stderr; silent if ``quiet``.

    If stderr is not a terminal, a line is written to it after every ``seconds`` seconds.
    """
    if quiet:
        yield SILENT
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description:<16}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("parts"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    if not console.is_terminal:
        log = _Log()
        with _every(seconds, log.write):
            yield log.progress
        return
    rich = RichProgress(*columns, console=console, transient=True)

    def progress(stage: str) -> Tick:
        task = rich.add_task(stage, total=None, visible=False)

        def tick(done: int, total: int) -> None:
            rich.start()  # starts late, so that an early error is shown without a bar
            rich.update(task, completed=done, total=total, visible=done < total)

        return tick

    try:
        yield progress
    finally:
        if rich.live.is_started:
            rich.stop()

"""Progress on stderr: a bar per stage on a terminal, else a line at intervals."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nextset.artifacts.part_progress import shares_noted
from nextset.artifacts.progress_callback import SILENT, Progress, Tick
from nextset.cli.remaining_time import Pace, RemainingTime
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
    done: float = 0
    """The number of its finished parts."""
    total: int = 0
    """The number of all its parts; 0 before it is known."""
    pace: Pace | None = None
    """The rate and the time left; None before they are known."""

    def line(self) -> str:
        """Return the share done, the rate and the time left, as far as they are known."""
        if not self.total:
            return f"{self.stage}: preparing, {duration(self.seconds)} so far"
        parts = f"{int(self.done):,} of {counted(self.total, 'parts')}"
        text = f"{self.stage}: {parts} ({self.done / self.total:.0%})"
        if self.pace is None:
            return f"{text}, {duration(self.seconds)} so far"
        return f"{text}, {_rate(self.pace.per_second)}, about {duration(self.pace.left)} left"


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
        self.parts: tuple[float, int] = (0, 0)
        self.remaining = RemainingTime()

    def progress(self, stage: str) -> Tick:
        self.stage, self.begun, self.parts = stage, time.monotonic(), (0, 0)
        self.remaining = remaining = RemainingTime()

        def tick(done: int, total: int) -> None:
            if not self.parts[1]:
                self.begun = time.monotonic()
            self.parts = (done, total)
            remaining.note(time.monotonic(), done, total)
            if done == total:
                self.stage = ""

        return tick

    def note(self, share: float) -> None:
        """Add the finished ``share`` of the part that is being made."""
        done, total = self.parts
        if self.stage and total:
            self.parts = (max(done, int(done) + share), total)
            self.remaining.note(time.monotonic(), int(done) + share, total)

    def write(self) -> None:
        if self.stage:
            now = time.monotonic()
            shown = StageProgress(self.stage, now - self.begun, *self.parts, self.remaining.pace(now))
            sys.stderr.write(f"{shown.line()}\n")
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
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.progress import Progress as RichProgress
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        def render(self, task: Task) -> Text:
            pace = task.fields["remaining"].pace(time.monotonic())
            return Text(f"{duration(pace.left)} left" if pace else "", style="progress.remaining")

    columns = (
        TextColumn("{task.description:<16}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("parts"),
        TimeElapsedColumn(),
        TimeLeft(),
    )
    console = Console(stderr=True)
    if not console.is_terminal:
        log = _Log()
        with _every(seconds, log.write), shares_noted(log.note):
            yield log.progress
        return
    rich = RichProgress(*columns, console=console, transient=True)

    def progress(stage: str) -> Tick:
        remaining = RemainingTime()
        task = rich.add_task(stage, total=None, visible=False, remaining=remaining)

        def tick(done: int, total: int) -> None:
            remaining.note(time.monotonic(), done, total)
            rich.start()  # starts late, so that an early error is shown without a bar
            rich.update(task, completed=done, total=total, visible=done < total)

        return tick

    def note(share: float) -> None:
        for task in rich.tasks:
            if task.visible and task.total:
                done = max(task.completed, int(task.completed) + share)
                task.fields["remaining"].note(time.monotonic(), done, task.total)
                rich.update(task.id, completed=done)

    try:
        with shares_noted(note):
            yield progress
    finally:
        if rich.live.is_started:
            rich.stop()

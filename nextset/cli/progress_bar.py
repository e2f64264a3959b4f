"""Progress bars on stderr, one per stage."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator

from nextset.artifacts.progress_callback import SILENT, Progress, Tick

__all__ = ["bars"]


_SECONDS = 10
"""The time between two lines in a log."""


def _lines(stage: str) -> Tick:
    """Return a `Tick` that writes a line to stderr every few seconds: for logs, which have no bars."""
    last = time.monotonic()

    def tick(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS:
            last = time.monotonic()
            sys.stderr.write(f"{stage}: {done} of {total} parts\n")
            sys.stderr.flush()

    return tick


@contextlib.contextmanager
def bars(quiet: bool) -> Iterator[Progress]:
    """Yield a progress callback that draws one bar per running stage on stderr; silent if ``quiet``.

    If stderr is not a terminal, it gets a line every few seconds.
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
        yield _lines
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

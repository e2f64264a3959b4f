"""Progress bars on stderr, one per stage."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from nextset.artifacts.progress_callback import SILENT, Progress, Tick

__all__ = ["bars"]


@contextlib.contextmanager
def bars(quiet: bool) -> Iterator[Progress]:
    """Yield a progress callback that draws one bar per running stage on stderr; silent if ``quiet``."""
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
    rich = RichProgress(*columns, console=Console(stderr=True), transient=True)

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

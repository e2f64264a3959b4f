"""The two logs of one copy of a study, read and checked, with the identity of each line in all copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from nextset.errors import JudgmentError
from nextset.files.json_lines import read_lines
from nextset.records.judgment import LOG_NAME
from nextset.validation.judgments.judgment_log import Erasure, read
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.judgments.state_order import nth_states
from nextset.validation.plan.event_log import PLAN_NAME, read_events
from nextset.validation.plan.event_order import (
    MergedEvent,
    Place,
    StoredEvent,
    events_with_places,
    marks_of,
)
from nextset.validation.plan.events import Event
from nextset.validation.plan.state import State, fold

__all__ = ["CopiedLogs", "EntryIdentity", "EventIdentity", "UnreadLine", "read_logs"]

EntryIdentity = tuple[Entry, int]
"""An entry with its session's mark instead of the session's number, and the number of its state."""
EventIdentity = tuple[Event, Place]
"""An event with its session's mark instead of the session's number, and its place."""

_RESTORE = "restore the file from its backup, or copy the folder again"


@dataclass(frozen=True)
class UnreadLine:
    """A line of the other copy that is not added."""

    file: str
    """The path of the log."""
    line: int
    """The line's number, from 1."""
    why: str
    """The reason."""


@dataclass(frozen=True)
class CopiedLogs:
    """The logs of one copy."""

    folder: Path
    """The folder of judgments."""
    entries: Sequence[Entry]
    """The entries of the judgment log."""
    entry_lines: Sequence[int]
    """The line of each entry."""
    events: Sequence[StoredEvent]
    """The events of the plan."""
    event_lines: Sequence[int]
    """The line of each event."""
    torn: tuple[UnreadLine, ...]
    """The lines that cannot be read."""
    state: State
    """The state after the events."""
    erasures: tuple[Erasure, ...] = ()
    """What was removed from the judgment log."""
    misfit: str = ""
    """The first line of the judgment log that does not fit its chain; empty if it is as written."""

    @cached_property
    def marks(self) -> dict[str, str]:
        """The marks of the sessions, by session number in this copy."""
        return marks_of(self.events)

    @cached_property
    def placed(self) -> list[MergedEvent]:
        """The events with their places."""
        return events_with_places(self.events)

    def entry_identities(self, marks: dict[str, str]) -> list[EntryIdentity | None]:
        """Return the identity of each entry; None if its session has no mark in ``marks``."""
        known = {"": "", **marks}
        return [
            # without the comment, which one copy may have removed; the digest of the answer has it too
            (replace(entry, session=known[entry.session], nth=None, problem="", comment=""), nth)
            if entry.session in known
            else None
            for entry, nth in zip(self.entries, nth_states(self.entries), strict=True)
        ]

    def event_identities(self, marks: dict[str, str]) -> list[EventIdentity | None]:
        """Return the identity of each event; None if its session has no mark in ``marks``."""
        return [
            (replace(p.event, session=marks[p.event.session]), p.place) if p.event.session in marks else None
            for p in self.placed
        ]


def read_logs(folder: Path, *, whole: bool) -> CopiedLogs:
    """Return the logs in ``folder``.

    Raises JudgmentError, with the line, for a line that is not an entry or event, has an invalid time, or
    cannot follow the lines before it; with ``whole`` also for a last line that was cut short.
    """
    log, plan = folder / LOG_NAME, folder / PLAN_NAME
    judgments, events = read(folder), read_events(folder).events
    entry_lines, torn_entries = _lines(log, whole=whole)
    event_lines, torn_events = _lines(plan, whole=whole)
    _check_marks(events, event_lines, plan)
    try:
        state = fold(events)
    except JudgmentError as e:
        raise JudgmentError(e.message, file=plan, remedy=_RESTORE) from None
    torn = (*torn_entries, *torn_events)
    return CopiedLogs(
        folder,
        judgments.entries,
        entry_lines,
        events,
        event_lines,
        torn,
        state,
        tuple(judgments.erasures),
        judgments.misfit,
    )


def _lines(path: Path, *, whole: bool) -> tuple[list[int], list[UnreadLine]]:
    """Return the readable lines of a log, and the others."""
    read_as: list[int] = []
    torn: list[UnreadLine] = []
    for line in read_lines(path, JudgmentError):
        if line.fields is None:
            torn.append(UnreadLine(str(path), line.number, "cut short or damaged"))
        elif "erased" not in line.fields:
            read_as.append(line.number)
    last = torn[-1].line if torn else 0
    if whole and last > max(read_as, default=0) and not path.read_bytes().endswith(b"\n"):
        raise JudgmentError(
            "the last line is cut short: the copy is incomplete, or a command was stopped while writing",
            file=path,
            line=last,
            remedy="copy the folder again; if the line is cut short there too, run `nextset validate pull` "
            "or `import` there again, or end the line with a line break, so that it is listed and omitted",
        )
    return read_as, torn


def _check_marks(events: Sequence[StoredEvent], lines: Sequence[int], file: Path) -> None:
    """Raise JudgmentError if two sessions have the same mark."""
    numbers: dict[str, str] = {}
    for stored, line in zip(events, lines, strict=True):
        event = stored.event if isinstance(stored, MergedEvent) else stored
        mark = getattr(event, "mark", None)
        if mark is not None and numbers.setdefault(mark, event.session) != event.session:
            raise JudgmentError(
                f"session {event.session} has the mark of session {numbers[mark]}, {ascii(mark)[:40]}: "
                "a mark belongs to only one session",
                file=file,
                line=line,
                remedy=_RESTORE,
            )

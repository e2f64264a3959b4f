"""The log of a session's events, ``judgments/plan.jsonl`` of a study: events are added, never removed.

A line is a JSON object: ``event`` names a record of `nextset.validation.plan.events`, the other keys are its
fields. An event that another copy of the study recorded also has a ``place``
(`nextset.validation.plan.event_order`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nextset.errors import JudgmentError
from nextset.files.json_lines import append_lines, read_lines, unread_line, warn_of_torn_lines
from nextset.files.json_records import DamagedJson, dataclass_of
from nextset.validation.plan.event_order import MergedEvent, Place, StoredEvent
from nextset.validation.plan.events import EVENT_NAMES, Event
from nextset.validation.plan.state import State, fold
from nextset.validation.timestamps import check_timestamp

__all__ = ["PLAN_NAME", "EventLog", "StoredEvents", "append_events", "read_events"]

PLAN_NAME = "plan.jsonl"
_RECORDS = {name: record for record, name in EVENT_NAMES.items()}


@dataclass(frozen=True)
class StoredEvents:
    """The events in the log."""

    events: tuple[StoredEvent, ...]
    """The events in the order of the log."""
    torn: tuple[int, ...]
    """The lines (from 1) that were cut off while being written; nothing has been done because of them."""


def append_events(folder: Path, events: Iterable[StoredEvent]) -> None:
    """Add ``events`` to the log in ``folder``; they are on disk when this returns.

    The caller holds the study's lock.
    """
    append_lines(folder / PLAN_NAME, map(_as_fields, events))


def _as_fields(stored: StoredEvent) -> dict[str, Any]:
    if isinstance(stored, MergedEvent):
        return {**_as_fields(stored.event), "place": asdict(stored.place)}
    return {"event": EVENT_NAMES[type(stored)], **asdict(stored)}


def read_events(folder: Path) -> StoredEvents:
    """Return the events of the log in ``folder``; no events if the log does not exist.

    Raises JudgmentError for a complete line that is not an event, and if the log is not a regular file.
    """
    path = folder / PLAN_NAME
    events: list[StoredEvent] = []
    torn: list[int] = []
    for line in read_lines(path, JudgmentError):
        if line.fields is None:
            torn.append(line.number)
            continue
        name, place = line.fields.pop("event", None), line.fields.pop("place", None)
        record = _RECORDS.get(name) if isinstance(name, str) else None
        try:
            if record is None:
                raise DamagedJson(f"this version of nextset does not know the event {ascii(name)[:60]}")
            event = dataclass_of(line.fields, record)
            for time in ("at", "opens"):
                check_timestamp(getattr(event, time, ""), time)
            events.append(event if place is None else MergedEvent(event, _place(place)))
        except DamagedJson as e:
            problem = (
                str(e) if record is None else f"this line is not the event {name} as nextset wrote it: {e}"
            )
            raise unread_line(problem, JudgmentError, path, line.number) from None
    if torn:
        warn_of_torn_lines(path, tuple(torn))
    return StoredEvents(tuple(events), tuple(torn))


def _place(fields: object) -> Place:
    if not isinstance(fields, dict):
        raise DamagedJson("place: not a JSON object")
    place = dataclass_of(fields, Place)
    check_timestamp(place.at, "place.at")
    return place


class EventLog:
    """The log of a study's events, and the resulting state. The caller locks the judgments' folder."""

    def __init__(self, folder: Path) -> None:
        """Read the log in the judgments' ``folder``. Raises JudgmentError if the log is inconsistent."""
        self._folder = folder
        self._events: list[StoredEvent] = list(read_events(folder).events)
        self.state: State = fold(self._events)
        """The state after all events."""

    def add(self, *events: Event) -> State:
        """Add ``events`` to the log and the state; they are on disk when this returns."""
        self.state = fold([*self._events, *events])  # raises if they cannot follow, before they are stored
        append_events(self._folder, events)
        self._events.extend(events)
        return self.state

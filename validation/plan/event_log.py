"""The log of a session's events, ``judgments/plan.jsonl`` of a study: events are added, never removed.

A line is a JSON object: ``event`` names a record of `nextset.validation.plan.events`, the other keys are its
fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nextset.errors import JudgmentError
from nextset.files.json_lines import append_lines, read_lines
from nextset.validation.plan.events import (
    AssignedItem,
    BatchAssigned,
    BatchPushed,
    Event,
    GateAnswered,
    PersonJoined,
    PersonLeft,
    ProjectMade,
    SessionClosed,
    SessionOpened,
)
from nextset.validation.plan.state import State, fold

__all__ = ["PLAN_NAME", "EventLog", "StoredEvents", "append_events", "read_events"]

PLAN_NAME = "plan.jsonl"

_KINDS: Mapping[str, type[Event]] = {
    "session_opened": SessionOpened,
    "person_joined": PersonJoined,
    "project_made": ProjectMade,
    "gate_answered": GateAnswered,
    "batch_dealt": BatchAssigned,
    "batch_pushed": BatchPushed,
    "person_left": PersonLeft,
    "session_closed": SessionClosed,
}
_NAMES = {record: kind for kind, record in _KINDS.items()}


@dataclass(frozen=True)
class StoredEvents:
    """What the log holds."""

    events: tuple[Event, ...]
    """The events in their order."""
    torn: tuple[int, ...]
    """Lines (from 1) that were cut while they were written: nobody has acted on them."""


def append_events(folder: Path, events: Iterable[Event]) -> None:
    """Add ``events`` to the log in ``folder``; they are on the disk when this returns.

    The caller holds the study.
    """
    append_lines(folder / PLAN_NAME, ({"event": _NAMES[type(e)], **asdict(e)} for e in events))


def read_events(folder: Path) -> StoredEvents:
    """The log in ``folder``; an empty one where there is none.

    Raises JudgmentError for a whole line that is no event.
    """
    path = folder / PLAN_NAME
    events: list[Event] = []
    torn: list[int] = []
    for line in read_lines(path):
        if line.fields is None:
            torn.append(line.number)
            continue
        name = line.fields.pop("event", None)
        try:
            events.append(_event(_KINDS[name], line.fields))
        except (KeyError, TypeError):
            raise JudgmentError(
                f"no event that this version of nextset knows: {ascii(name)[:60]}",
                file=path,
                line=line.number,
                remedy="use the version of nextset that wrote it, or restore the file from its backup",
            ) from None
    return StoredEvents(tuple(events), tuple(torn))


def _event(record: type[Event], fields: dict[str, Any]) -> Event:
    if record is BatchAssigned:
        fields["items"] = [AssignedItem(**item) for item in fields["items"]]
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in fields.items()}
    return record(**values)


class EventLog:
    """A study's plan: what happened, and what it adds up to. The caller holds the judgments' folder."""

    def __init__(self, folder: Path) -> None:
        """``folder`` is `Study.judgments`. Raises JudgmentError where the log cannot be."""
        self._folder = folder
        self._events: list[Event] = list(read_events(folder).events)
        self.state: State = fold(self._events)
        """All events added up."""

    def add(self, *events: Event) -> State:
        """Keep ``events``, which are on the disk when this returns, and the state with them."""
        self.state = fold([*self._events, *events])  # raises where they cannot follow, before they are kept
        append_events(self._folder, events)
        self._events.extend(events)
        return self.state

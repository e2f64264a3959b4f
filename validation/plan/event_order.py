"""The order of a plan's events when some of them were merged from another copy of the study.

A log with merged events is a set: its state does not depend on which copy was merged into which. Each event
has a place, which is the same in every copy. Events are ordered by the latest time in their copy so far, then
by their number in that copy; within one copy this is the order of its log.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from nextset.validation.plan.events import Event, SessionOpened
from nextset.validation.timestamps import parse_timestamp

__all__ = ["MergedEvent", "Place", "StoredEvent", "events_with_places", "in_order", "marks_of"]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an event among all events of the copy that recorded it."""

    at: str
    """The latest time among this event and those before it, ISO 8601 in UTC; empty if none has a time."""
    number: int
    """The event's number in that copy's log, from 1; greater than the numbers of all earlier events."""


@dataclass(frozen=True, slots=True)
class MergedEvent:
    """An event that another copy of the study recorded."""

    event: Event
    """The event, with the session's number in this copy."""
    place: Place
    """The event's place in the copy that recorded it."""


StoredEvent = Event | MergedEvent
"""An event of the log. The place of an event recorded here follows from the events before it."""


def marks_of(events: Iterable[StoredEvent]) -> dict[str, str]:
    """Return the marks of the sessions that ``events`` open, by session number."""
    plain = (e.event if isinstance(e, MergedEvent) else e for e in events)
    return {event.session: event.mark for event in plain if isinstance(event, SessionOpened)}


def events_with_places(events: Iterable[StoredEvent]) -> list[MergedEvent]:
    """Return all ``events`` of a log with their places, in the order of the log.

    Raises ValueError for a time that is not in ISO 8601.
    """
    with_places: list[MergedEvent] = []
    at, number = "", 0
    for stored in events:
        if isinstance(stored, MergedEvent):
            placed = stored
        else:
            placed = MergedEvent(stored, Place(_later(at, getattr(stored, "at", "")), number + 1))
        at, number = _later(at, placed.place.at), max(number, placed.place.number)
        with_places.append(placed)
    return with_places


def in_order(events: Iterable[StoredEvent]) -> Sequence[Event]:
    """Return the events of a log in their valid order; without merged events, that is the order of the log.

    An event that several copies recorded is returned once, at its first place. Merged events of a session
    that no event opens are omitted: a merge writes the opening last, and it was stopped before that.
    """
    stored = list(events)
    if not any(isinstance(e, MergedEvent) for e in stored):
        return [e for e in stored if not isinstance(e, MergedEvent)]
    marks = marks_of(stored)
    first: dict[Event, tuple[tuple[datetime, int, str], Event]] = {}
    for recorded, placed in zip(stored, events_with_places(stored), strict=True):
        event, place = placed.event, placed.place
        if isinstance(recorded, MergedEvent) and event.session not in marks:
            continue
        mark = marks.get(event.session, "")
        content = replace(event, session=mark)
        key = (parse_timestamp(place.at), place.number, mark)
        if content not in first or key < first[content][0]:
            first[content] = (key, event)
    ordered: list[Event] = []
    for _, tied in groupby(sorted(first.values(), key=lambda found: found[0]), key=lambda found: found[0]):
        together = [event for _, event in tied]
        ordered += together if len(together) == 1 else sorted(together, key=_as_text)
    return ordered


def _later(one: str, other: str) -> str:
    return other if parse_timestamp(other) > parse_timestamp(one) else one


def _as_text(event: Event) -> str:
    return f"{type(event).__name__} {replace(event, session='')!r}"

"""The union of the logs of two copies of a study: the lines to add, and their session numbers.

Nothing is decided here: every line that the other copy has and this one lacks is added, with its place there.
The state of a log follows from the set of its lines (`nextset.validation.plan.event_order`,
`nextset.validation.judgments.state_order`), so the order of merges does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

from nextset.errors import JudgmentError, examples
from nextset.records.judgment import LOG_NAME
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.merge.copied_logs import CopiedLogs, UnreadLine
from nextset.validation.plan.event_log import PLAN_NAME
from nextset.validation.plan.event_order import MergedEvent
from nextset.validation.plan.events import SessionOpened

__all__ = ["LogUnion", "union"]


@dataclass(frozen=True)
class LogUnion:
    """The lines that another copy adds to a study's logs."""

    sessions: Mapping[str, str]
    """The numbers here of the other copy's sessions, by their numbers there."""
    new_sessions: tuple[str, ...]
    """The sessions that this copy did not have, by their numbers here."""
    entries: tuple[Entry, ...]
    """The entries that this log lacks."""
    entries_already: int
    """The entries of the other log that this log has."""
    events: tuple[MergedEvent, ...]
    """The events that this plan lacks; a session's opening comes after all its other events."""
    events_already: int
    """The events of the other plan that this plan has."""
    omitted: tuple[UnreadLine, ...]
    """The lines of the other logs that are not added."""


def union(own: CopiedLogs, other: CopiedLogs) -> LogUnion:
    """Return the lines that ``other`` adds to ``own``.

    Raises JudgmentError if a session that ``own`` does not have is open in ``other``, or if a session of both
    was opened differently.
    """
    numbers = {mark: number for number, mark in own.marks.items()}
    new = [mark for mark in other.marks.values() if mark not in numbers]
    _check_openings(own, other)
    _check_closed(other, new)
    for number, mark in other.marks.items():
        if mark not in numbers:
            numbers[mark] = _number_here(number, mark, set(numbers.values()))
    marks_here = {number: mark for mark, number in numbers.items()}
    known_entries = set(own.entry_identities(marks_here))
    known_events = set(own.event_identities(marks_here))
    omitted = list(other.torn)
    erased = [e for e in (*own.erasures, *other.erasures) if e.erased]

    entries: list[Entry] = []
    n_entries = 0
    for identity, entry, line in zip(
        other.entry_identities(other.marks), other.entries, other.entry_lines, strict=True
    ):
        if identity is None:
            omitted.append(_omitted(other, LOG_NAME, line, f"a judgment of session {entry.session}"))
        elif any(e.includes(entry) for e in erased):
            omitted.append(UnreadLine(str(other.folder / LOG_NAME), line, "its author was erased"))
        elif identity in known_entries:
            n_entries += 1
        else:
            known_entries.add(identity)
            content, nth = identity
            entries.append(
                replace(
                    content,
                    session=numbers[content.session] if content.session else "",
                    nth=nth,
                    comment=entry.comment,
                )
            )
    events: list[MergedEvent] = []
    openings: list[MergedEvent] = []
    n_events = 0
    for event_identity, placed, line in zip(
        other.event_identities(other.marks), other.placed, other.event_lines, strict=True
    ):
        if event_identity is None:
            omitted.append(_omitted(other, PLAN_NAME, line, f"an event of session {placed.event.session}"))
        elif event_identity in known_events:
            n_events += 1
        else:
            known_events.add(event_identity)
            event, place = event_identity
            here = MergedEvent(replace(event, session=numbers[event.session]), place)
            (openings if isinstance(event, SessionOpened) else events).append(here)
    return LogUnion(
        {number: numbers[mark] for number, mark in other.marks.items()},
        tuple(numbers[mark] for mark in new),
        tuple(entries),
        n_entries,
        (*events, *openings),
        n_events,
        tuple(sorted(omitted, key=lambda o: (o.file, o.line))),
    )


def _number_here(number: str, mark: str, taken: Iterable[str]) -> str:
    """Return a number that no session here has: the other copy's number with the beginning of the mark."""
    short = number if "-" in number else f"{number}-{mark[:8]}"
    return short if short not in taken else f"{number.split('-')[0]}-{mark}"


def _omitted(other: CopiedLogs, name: str, line: int, what: str) -> UnreadLine:
    why = (
        f"{what}, which the other plan does not open, so it counts in no copy: restore the other {PLAN_NAME} "
        "from its backup, or finish the merge that was stopped there, and merge again"
    )
    return UnreadLine(str(other.folder / name), line, why)


def _check_openings(own: CopiedLogs, other: CopiedLogs) -> None:
    """Raise JudgmentError if a session of both copies was opened differently."""
    here = {s.opened.mark: s.opened for s in own.state.sessions.values()}
    for session in other.state.sessions.values():
        theirs = session.opened
        ours = here.get(theirs.mark)
        if ours is not None and replace(theirs, session=ours.session) != ours:
            differ = [
                field.name
                for field in fields(SessionOpened)
                if field.name != "session" and getattr(theirs, field.name) != getattr(ours, field.name)
            ]
            raise JudgmentError(
                f"session {theirs.session} is session {ours.session} here (mark {theirs.mark}), but was "
                f"opened with a different {examples(differ)}",
                file=other.folder / PLAN_NAME,
                line=_opening_line(other, theirs.session),
                remedy="one of the two plans was edited: restore it from its backup",
            )


def _check_closed(other: CopiedLogs, new: Iterable[str]) -> None:
    """Raise JudgmentError if a session that only the other copy has is open."""
    current = other.state.current
    if current is not None and current.opened.mark in set(new):
        raise JudgmentError(
            f"session {current.opened.session} of the other copy is open: only its server has all answers",
            file=other.folder / PLAN_NAME,
            line=_opening_line(other, current.opened.session),
            remedy=f"close it there first: nextset validate close {other.folder.parent}",
        )


def _opening_line(copy: CopiedLogs, session: str) -> int | None:
    for stored, line in zip(copy.events, copy.event_lines, strict=True):
        event = stored.event if isinstance(stored, MergedEvent) else stored
        if isinstance(event, SessionOpened) and event.session == session:
            return line
    return None

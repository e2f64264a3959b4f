"""The rules that decide which entries of the judgment log count; excluded entries stay in the log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from nextset.validation.judgments.log_entry import Entry
from nextset.validation.judgments.state_order import content_key, nth_states
from nextset.validation.plan.events import Part, SessionKind
from nextset.validation.plan.state import Session, State
from nextset.validation.timestamps import parse_timestamp

__all__ = ["Counted", "WhyNot", "count"]

WhyNot = Literal[
    "",
    "superseded",
    "after the close",
    "unknown session",
    "another person's project",
    "changed by another",
    "not assigned",
    "consent withdrawn",
    "invalid",
    "altered",
    "declined",
    "skipped",
    "unknown unit",
    "second answer",
    "more than the overlap",
]
"""The reasons why an entry does not count. superseded: the same annotation was changed later. after the
close: it was changed after the session ended. unknown session: the session is not in the plan's log. another
person's project: the annotator opened someone else's project. changed by another: someone else changed the
annotation after it was read, and its author's answer counts. not assigned: the plan did not assign the item
to this person. altered: the text or the page had been changed on the server. second answer: the person had
already answered this unit. more than the overlap: enough others had already answered this unit in the same
session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """An entry, with whether and how it counts."""

    entry: Entry
    """The entry as the log has it."""
    person: str
    """The pseudonym of the person who answered: the entry's judge unless the plan names someone else."""
    part: Part
    """The kind of item that was judged."""
    kind: SessionKind | Literal["file"]
    """The kind of the session that asked; file if the answer came in a file or its session is unknown."""
    counts: bool
    """True if it counts: as a verdict of a unit, or for accuracy on a gold item. Rest items never count."""
    why_not: WhyNot
    """The reason why it does not count; empty if it does."""
    owner: str
    """The owner of the project it was given in; for files and unknown projects, the person."""

    @property
    def is_replaced(self) -> bool:
        """True if another state of the same annotation stands for it."""
        return self.why_not in ("superseded", "changed by another")

    @property
    def is_verdict(self) -> bool:
        """True if it counts as a verdict of a unit."""
        return self.counts and self.part == "unit"


def count(entries: Iterable[Entry], state: State, known: Collection[str]) -> tuple[Counted, ...]:
    """Return each of ``entries``, in the order of the log, with whether it counts.

    ``known`` are the ids of the study's units. The order matters for rows of files, and if two states of one
    annotation have the same time or one of them has no time: then the later one in the log counts. Entries
    that were merged from another copy of the study count the same regardless of the order of merges.
    """
    all_entries = list(entries)
    people = _people(all_entries, state)
    nth = nth_states(all_entries)
    answers = [_answer(i, e, nth[i], people[i], state) for i, e in enumerate(all_entries)]
    _states(answers)
    for answer in answers:
        answer.why_not = answer.why_not or _own_reason(answer, state, known)
    _first_only(
        answers,
        lambda a: (a.person, a.entry.unit_id, a.entry.session),
        _by_number,
        lambda a: 1,
        "second answer",
    )
    _first_only(
        answers, lambda a: (a.person, a.entry.unit_id), _by_session_time, lambda a: 1, "second answer"
    )
    for number, session in state.sessions.items():
        if session.opened.kind != "pilot":
            units = [a for a in answers if a.entry.session == number and a.part == "unit"]
            _first_only(units, _unit_of, _by_time, _asked_by(session), "more than the overlap")
    return tuple(
        Counted(
            entry=a.entry,
            person=a.person,
            part=a.part,
            kind=a.session.opened.kind if a.session else "file",
            counts=not a.why_not,
            why_not=a.why_not,
            owner=state.owners.get((a.entry.session, a.entry.project), a.person),
        )
        for a in answers
    )


@dataclass(slots=True)
class _Answer:
    """An entry while it is being decided on."""

    place: int
    nth: int
    entry: Entry
    session: Session | None
    session_place: int
    person: str
    part: Part
    at: datetime
    why_not: WhyNot = ""


def _people(entries: Sequence[Entry], state: State) -> list[str]:
    """Return the pseudonym of the person who gave each entry."""
    people: list[str] = []
    foreign: set[int] = set()
    for i, entry in enumerate(entries):
        session = state.sessions.get(entry.session)
        of_session = session.accounts.get(entry.judge) if session else None
        people.append(of_session or state.accounts.get(entry.judge, entry.judge))
        if session and entry.key != session.opened.key:
            foreign.add(i)
    if foreign:
        # Pseudonyms made with different keys cannot be compared. Another copy of the study may have read the
        # answer with the session's key; if not, the project identifies the annotator.
        same_key = {_found_state(e): people[i] for i, e in enumerate(entries) if i not in foreign}
        for i in foreign:
            owner = state.owners.get((entries[i].session, entries[i].project), people[i])
            people[i] = same_key.get(_found_state(entries[i]), owner)
    return people


def _found_state(entry: Entry) -> Hashable:
    return entry.session, entry.project, entry.annotation, entry.answered_at, entry.digest


def _answer(place: int, entry: Entry, nth: int, person: str, state: State) -> _Answer:
    session = state.sessions.get(entry.session)
    at = parse_timestamp(entry.answered_at)
    order = list(state.sessions).index(entry.session) if session else len(state.sessions)
    part = _part(entry.unit_id, person, session, state)
    return _Answer(place, nth, entry, session, order, person, part, at)


def _part(unit_id: str, person: str, session: Session | None, state: State) -> Part:
    """Return the item's kind for this person, or for anyone else if it was not assigned to the person."""
    sessions = [session] if session else list(state.sessions.values())
    for one in sessions:
        participant = one.people.get(person)
        if participant and unit_id in participant.items:
            return participant.items[unit_id].part
    for one in sessions:
        for other in one.assigned_to.get(unit_id, ()):
            return one.people[other].items[unit_id].part
    return "unit"


def _states(answers: Iterable[_Answer]) -> None:
    """Let only the last state of each annotation before the session's close count.

    An unreadable row of a file replaces nothing: a damaged row must not remove an earlier judgment. Neither
    does a change by another account. If only changed states were read, the first of them counts.
    """
    taken = {_key(a.entry, a.entry.changed_by) for a in answers if a.entry.changed_by}
    for states in _groups(answers, _annotation).values():
        closed_at = states[0].session.closed_at if states[0].session else None
        close = parse_timestamp(closed_at) if closed_at else None
        in_time = [a for a in states if close is None or a.at <= close]
        timed = all(a.entry.ordered_by_time for a in in_time)
        in_time.sort(key=lambda a: a.nth)
        if len({a.nth for a in in_time}) < len(in_time):
            in_time.sort(key=_by_state)  # two copies of the study recorded them
        if timed:
            in_time.sort(key=lambda a: a.at)
        own = [a for a in in_time if not a.entry.changed_by] or in_time[:1]
        readable = [a for a in own if a.entry.session or a.entry.outcome != "invalid"]
        last = (readable or own)[-1:]
        for a in own[: own.index(last[0])] if last else ():
            a.why_not = "superseded"
        for a in in_time if last else ():
            if a.entry.changed_by and a is not last[0]:
                a.why_not = "superseded" if a.entry.answer == last[0].entry.answer else "changed by another"
            if not a.entry.session and _key(a.entry, a.entry.judge) in taken:
                a.why_not = "superseded"  # read before its author's name was: it is in the log once more
        for a in states:
            if close is not None and a.at > close:
                a.why_not = "after the close"


def _key(entry: Entry, judge: str) -> Hashable:
    return entry.session, entry.number, judge, entry.key, entry.unit_id


def _by_state(answer: _Answer) -> tuple[Any, ...]:
    own_key = answer.session is not None and answer.entry.key == answer.session.opened.key
    return answer.nth, own_key, content_key(answer.entry)


def _annotation(answer: _Answer) -> Hashable:
    entry = answer.entry
    if answer.entry.session:
        # Another person's change does not replace this person's answer. If a session continued on two
        # servers, one number stands for two answers.
        return entry.session, entry.project, entry.annotation, entry.unit_id, answer.person
    return _key(entry, entry.judge)


def _own_reason(answer: _Answer, state: State, known: Collection[str]) -> WhyNot:
    """Return why an answer does not count, regardless of the others; empty if there is no such reason."""
    entry, session = answer.entry, answer.session
    participant = None
    if entry.session and session is None:
        return "unknown session"
    if session:
        owner = state.owners.get((entry.session, entry.project), answer.person)
        if owner != answer.person:
            return "another person's project"
        participant = session.people.get(answer.person)
        if participant is None or entry.unit_id not in participant.items:
            return "not assigned"
    if answer.part == "unit" and entry.unit_id not in known:
        return "unknown unit"
    if participant.withdrew if participant else _withdrew(answer.person, state):
        return "consent withdrawn"
    return "" if entry.outcome == "judged" else entry.outcome


def _withdrew(person: str, state: State) -> bool:
    """Return whether the person's answers in files are withdrawn, as they are if the last session's are."""
    parts = [s.people[person] for s in state.sessions.values() if person in s.people]
    return bool(parts) and parts[-1].withdrew


def _first_only(
    answers: Iterable[_Answer],
    group: Callable[[_Answer], Hashable],
    order: Callable[[_Answer], tuple[Any, ...]],
    n: Callable[[_Answer], int],
    why_not: WhyNot,
) -> None:
    """Let only the first ``n`` answers of each group count; ``n`` is the same for all answers of a group."""
    for together in _groups((a for a in answers if not a.why_not), group).values():
        most = n(together[0])
        for a in sorted(together, key=order)[most:] if len(together) > most else ():
            a.why_not = why_not


def _unit_of(answer: _Answer) -> str:
    return answer.entry.unit_id


def _asked_by(session: Session) -> Callable[[_Answer], int]:
    return lambda answer: session.asked.of(answer.entry.unit_id)


def _by_number(answer: _Answer) -> tuple[Any, ...]:
    """Return the key that sorts the lowest annotation number first."""
    number = answer.entry.annotation
    return len(number), number, answer.at, answer.entry.digest, answer.entry.judge, answer.entry.key


def _by_session_time(answer: _Answer) -> tuple[Any, ...]:
    """Return the key that sorts answers of sessions before those of files, and the earliest answer first."""
    is_session, unknown = answer.session is not None, not answer.entry.answered_at
    return not is_session, unknown, answer.at, answer.session_place, *_by_number(answer)


def _by_time(answer: _Answer) -> tuple[Any, ...]:
    number = answer.entry.annotation
    return answer.at, len(number), number, answer.entry.digest, answer.person


def _groups(answers: Iterable[_Answer], key: Callable[[_Answer], Hashable]) -> dict[Hashable, list[_Answer]]:
    groups: dict[Hashable, list[_Answer]] = defaultdict(list)
    for answer in answers:
        groups[key(answer)].append(answer)
    return groups

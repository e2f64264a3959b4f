"""The state of a plan, summed from its events: sessions, participants, and the items assigned to each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Literal

from nextset.errors import JudgmentError
from nextset.validation.plan.events import (
    EVENT_NAMES,
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
from nextset.validation.timestamps import parse_timestamp

__all__ = ["Batch", "Participant", "Session", "State", "fold"]


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of a person."""

    batch: int
    """Its number for this person in this session, from 1."""
    items: tuple[AssignedItem, ...]
    """The items, in the order in which they are shown."""
    pushed: bool
    """Whether it is on the server, whole."""


@dataclass(frozen=True, kw_only=True)
class Participant:
    """A person's part in a session."""

    person: str
    """Pseudonym."""
    account: str
    """Pseudonym of the account's number on the server."""
    gate: GateAnswered | None
    """The answer to the gate that holds: the last one under the session's version of the guidelines, which
    may have been given in an earlier session; null before there is one."""
    left: PersonLeft | None = None
    """When and why the person stopped; null for those who go on."""
    own_gate: GateAnswered | None = None
    """The last answer that was taken in from this session's own gate; null if there is none."""
    withdrew: bool = False
    """Whether consent was withdrawn: nothing of this session counts then."""
    projects: Mapping[Literal["gate", "work"], str] = field(default_factory=dict)
    """Projects on the server, made in this session, by role."""
    made: Mapping[Literal["gate", "work"], ProjectMade] = field(default_factory=dict)
    """How they were made, by role."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Hash of the task of each item that was pushed, by unit_id; without those that are not known."""
    batches: tuple[Batch, ...] = ()
    """The batches assigned."""

    @property
    def needs_gate(self) -> bool:
        """Whether the gate has to be passed (again) before anything is assigned."""
        return self.withdrew or not (self.gate and self.gate.consent and self.gate.passed)

    @property
    def active(self) -> bool:
        """Whether the person can be given items."""
        return self.left is None and not self.needs_gate

    @property
    def declined(self) -> tuple[str, ...]:
        """Domains that the person does not want to read about."""
        return self.gate.declined if self.gate else ()

    @cached_property
    def items(self) -> Mapping[str, AssignedItem]:
        """All assigned items, by unit_id, in the order in which it is shown."""
        return {item.unit_id: item for batch in self.batches for item in batch.items}


@dataclass(frozen=True)
class Session:
    """A session."""

    opened: SessionOpened
    """How it began."""
    closed_at: str | None = None
    """When it ended, ISO 8601; null while it is open."""
    people: Mapping[str, Participant] = field(default_factory=dict)
    """Who takes or took part, by pseudonym, in the order of joining."""

    @cached_property
    def assigned_to(self) -> Mapping[str, tuple[str, ...]]:
        """The people to whom each item was assigned, by unit_id."""
        found: dict[str, tuple[str, ...]] = {}
        for person, participant in self.people.items():
            for unit_id in participant.items:
                found[unit_id] = (*found.get(unit_id, ()), person)
        return found


@dataclass(frozen=True)
class State:
    """All sessions of a study as the events left them."""

    sessions: Mapping[str, Session]
    """By number, in their order."""
    owners: Mapping[tuple[str, str], str]
    """Whose project it is, by session and project."""
    accounts: Mapping[str, str]
    """The person, by the pseudonym of the account."""

    @property
    def current(self) -> Session | None:
        """The open session; None if there is none."""
        return next((s for s in self.sessions.values() if s.closed_at is None), None)


def fold(events: Iterable[Event]) -> State:
    """Add up ``events``, in the order of the log.

    Consent that is withdrawn, at the gate or otherwise, is withdrawn for all sessions until then; when it
    is given again, that holds from that session on; an answer that was given before does not give it again,
    however late it is read. A person who joins again after having left goes on.
    Raises JudgmentError if an event refers to a session, person or batch that does not exist.
    """
    folding = _Folding()
    for event in events:
        folding.add(event)
    return State(folding.sessions, folding.owners, folding.accounts)


class _Folding:
    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.people: dict[str, dict[str, Participant]] = {}
        self.owners: dict[tuple[str, str], str] = {}
        self.accounts: dict[str, str] = {}
        self.gates: dict[tuple[str, str], GateAnswered] = {}
        self.withdrawn_at: dict[str, datetime] = {}

    def add(self, event: Event) -> None:
        match event:
            case SessionOpened():
                self._open(event)
            case SessionClosed():
                self.sessions[event.session] = replace(self._session(event), closed_at=event.at)
            case PersonJoined():
                self._join(event)
            case ProjectMade():
                self.owners[event.session, event.project] = event.person
                participant = self._participant(event)
                self._put(
                    event,
                    replace(
                        participant,
                        projects={**participant.projects, event.role: event.project},
                        made={**participant.made, event.role: event},
                    ),
                )
            case GateAnswered():
                self._gate(event)
            case BatchAssigned():
                self._deal(event)
            case BatchPushed():
                self._push(event)
            case PersonLeft():
                self._put(event, replace(self._participant(event), left=event))
                if event.why == "withdrew":
                    self._withdraw(event)

    def _open(self, event: SessionOpened) -> None:
        if event.session in self.sessions or any(s.closed_at is None for s in self.sessions.values()):
            raise _impossible(event, "that session exists already, or another is open")
        people: dict[str, Participant] = {}
        self.people[event.session] = people
        self.sessions[event.session] = Session(event, people=people)

    def _join(self, event: PersonJoined) -> None:
        opened = self._session(event).opened
        self.accounts[event.account] = event.person
        before = self.people[event.session].get(event.person)
        self.people[event.session][event.person] = (
            replace(before, account=event.account, left=None)
            if before
            else Participant(
                person=event.person,
                account=event.account,
                gate=self.gates.get((event.person, opened.guidelines)),
            )
        )

    def _gate(self, event: GateAnswered) -> None:
        participant = self._participant(event)
        self._put(event, replace(participant, own_gate=event))
        withdrawal = self.withdrawn_at.get(event.person)
        if event.consent and withdrawal and parse_timestamp(event.at) < withdrawal:
            return
        guidelines = self._session(event).opened.guidelines
        answers = (participant.gate, self.gates.get((event.person, guidelines)))
        if not event.consent and any(answer and answer.consent for answer in answers):
            self._withdraw(event)
        self.gates[event.person, guidelines] = event
        reached = False
        for number, session in self.sessions.items():
            other = self.people[number].get(event.person)
            reached = reached or number == event.session
            if other and reached and session.opened.guidelines == guidelines:
                self.people[number][event.person] = replace(
                    other, gate=event, withdrew=other.withdrew and not event.consent
                )

    def _withdraw(self, event: GateAnswered | PersonLeft) -> None:
        person = event.person
        self.withdrawn_at[person] = parse_timestamp(event.at)
        for people in self.people.values():
            if person in people:
                people[person] = replace(people[person], withdrew=True)
        for key in [k for k in self.gates if k[0] == person and self.gates[k].consent]:
            del self.gates[key]

    def _deal(self, event: BatchAssigned) -> None:
        participant = self._participant(event)
        if event.batch != len(participant.batches) + 1:
            raise _impossible(event, f"batch {event.batch} cannot follow {len(participant.batches)}")
        batch = Batch(event.batch, event.items, pushed=False)
        self._put(event, replace(participant, batches=(*participant.batches, batch)))

    def _push(self, event: BatchPushed) -> None:
        participant = self._participant(event)
        if event.batch > len(participant.batches):
            raise _impossible(event, f"batch {event.batch} was not assigned")
        batches = tuple(replace(b, pushed=True) if b.batch == event.batch else b for b in participant.batches)
        items = participant.batches[event.batch - 1].items
        texts = {item.unit_id: text for item, text in zip(items, event.texts, strict=False)}
        self._put(event, replace(participant, batches=batches, texts={**participant.texts, **texts}))

    def _session(self, event: Event) -> Session:
        if event.session not in self.sessions:
            raise _impossible(event, "that session does not exist")
        return self.sessions[event.session]

    def _participant(self, event: _OfPerson) -> Participant:
        self._session(event)
        if event.person not in self.people[event.session]:
            raise _impossible(event, f"{event.person} does not take part")
        return self.people[event.session][event.person]

    def _put(self, event: _OfPerson, participant: Participant) -> None:
        self.people[event.session][event.person] = participant


_OfPerson = ProjectMade | GateAnswered | BatchAssigned | BatchPushed | PersonLeft


def _impossible(event: Event, why: str) -> JudgmentError:
    return JudgmentError(
        f"the plan's log is inconsistent: {EVENT_NAMES[type(event)]} in session {event.session}, but {why}",
        remedy="restore judgments/plan.jsonl from its backup",
    )

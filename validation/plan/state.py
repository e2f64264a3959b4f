"""The state of a plan after its events: sessions, participants, and the items assigned to each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from nextset.errors import JudgmentError
from nextset.validation.plan.event_order import MergedEvent, StoredEvent, in_order
from nextset.validation.plan.events import (
    EVENT_NAMES,
    AssignedItem,
    BatchAssigned,
    BatchCancelled,
    BatchPushed,
    Event,
    GateAnswered,
    PersonJoined,
    PersonLeft,
    ProjectMade,
    Role,
    SessionClosed,
    SessionOpened,
)
from nextset.validation.plan.judgments_per_unit import JudgmentsPerUnit, judgments_per_unit
from nextset.validation.timestamps import parse_timestamp

__all__ = ["Batch", "Participant", "Session", "State", "fold"]


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of a person."""

    batch: int
    """The batch's number for this person in this session, from 1."""
    items: tuple[AssignedItem, ...]
    """The items, in the order of reading."""
    pushed: bool
    """True if the whole batch is on the server."""
    opens: str = ""
    """The time when it is sent, ISO 8601 in UTC; empty if at once."""
    cancelled: tuple[AssignedItem, ...] = ()
    """The items that it had before it was cancelled; a cancelled batch has no items and is not sent."""

    @property
    def waits(self) -> bool:
        """True if it still has to be sent."""
        return not self.pushed and not self.cancelled


@dataclass(frozen=True, kw_only=True)
class Participant:
    """A person's part in a session."""

    person: str
    """The person's pseudonym."""
    account: str
    """The pseudonym made from the account's number on the server."""
    gate: GateAnswered | None
    """The answer to the gate that counts: the last one under the session's version of the guidelines, perhaps
    from an earlier session; null before there is one."""
    joined_at: str = ""
    """The time when the person joined, the last time if more than once; ISO 8601."""
    left: PersonLeft | None = None
    """The event that records that the person stopped; null for people who continue."""
    own_gate: GateAnswered | None = None
    """The last answer pulled from this session's own gate; null if there is none."""
    own_retry: GateAnswered | None = None
    """The last answer pulled from the page for the second try; null if there is none."""
    tries: Mapping[Role, GateAnswered] = field(default_factory=dict)
    """The answer on each page of this session's gate that decides about comprehension: the first one with
    consent, or a later one that says that the page was passed."""
    withdrew: bool = False
    """True if consent was withdrawn: then nothing of this session counts."""
    projects: Mapping[Role, str] = field(default_factory=dict)
    """The projects on the server that were made in this session, by role."""
    made: Mapping[Role, ProjectMade] = field(default_factory=dict)
    """The events that record how these projects were made, by role."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The hash of the task of each pushed item, by unit_id, if it is known."""
    batches: tuple[Batch, ...] = ()
    """The batches assigned."""

    @property
    def needs_gate(self) -> bool:
        """True if the gate has to be passed (again) before anything is assigned."""
        return self.withdrew or not (self.gate and self.gate.consent and self.gate.passed)

    @property
    def active(self) -> bool:
        """True if the person can be given items."""
        return self.left is None and not self.needs_gate

    @property
    def asked_first(self) -> bool:
        """True if this session's gate waits for its first answer, since no earlier gate was passed."""
        return self.needs_gate and self.own_gate is None and not self.withdrew

    @property
    def may_retry(self) -> bool:
        """True if the person agrees, made too many mistakes at the gate, and has a second try."""
        agrees = self.gate is not None and self.gate.consent and not self.withdrew
        return self.needs_gate and agrees and "gate" in self.tries and "retry" not in self.tries

    @property
    def failed(self) -> bool:
        """True if both tries failed: there is no third."""
        return self.needs_gate and "retry" in self.tries and not any(t.passed for t in self.tries.values())

    @property
    def page(self) -> Role:
        """The role of the project that the person continues with."""
        if not self.needs_gate:
            return "work"
        return "retry" if self.may_retry or "retry" in self.projects else "gate"

    @property
    def declined(self) -> tuple[str, ...]:
        """The domains that the person does not want to read about."""
        return self.gate.declined if self.gate else ()

    @cached_property
    def items(self) -> Mapping[str, AssignedItem]:
        """All assigned items, by unit_id, in the order of reading."""
        return {item.unit_id: item for batch in self.batches for item in batch.items}


@dataclass(frozen=True)
class Session:
    """A session."""

    opened: SessionOpened
    """The event that opened it."""
    closed_at: str | None = None
    """The time when it ended, ISO 8601; null while it is open."""
    people: Mapping[str, Participant] = field(default_factory=dict)
    """The people who take or took part, by pseudonym, in the order of joining."""
    accounts: Mapping[str, str] = field(default_factory=dict)
    """The people, by the pseudonym of their account on the session's server."""

    @cached_property
    def asked(self) -> JudgmentsPerUnit:
        """The number of people who are asked about each unit, unless enough agree; a pilot asks everyone."""
        return judgments_per_unit(self.opened.overlap, self.opened.units, self.opened.seed)

    @cached_property
    def assigned_to(self) -> Mapping[str, tuple[str, ...]]:
        """The people who were assigned each item, by unit_id."""
        people: dict[str, tuple[str, ...]] = {}
        for person, participant in self.people.items():
            for unit_id in participant.items:
                people[unit_id] = (*people.get(unit_id, ()), person)
        return people


@dataclass(frozen=True)
class State:
    """All sessions of a study after its events."""

    sessions: Mapping[str, Session]
    """The sessions by number, in order."""
    owners: Mapping[tuple[str, str], str]
    """The owner of each project, by session and project."""
    accounts: Mapping[str, str]
    """The people, by the pseudonym of their account, without accounts that belong to different people on
    different servers."""
    merged: frozenset[str] = frozenset()
    """The numbers of the sessions that only another copy of the study opened."""

    @property
    def current(self) -> Session | None:
        """The open session; None if there is none."""
        return next((s for s in self.sessions.values() if s.closed_at is None), None)

    @property
    def current_or_last(self) -> Session | None:
        """The open session, else the last one opened here, else the last merged one; None if there are
        none."""
        return self.current or self._last(self.sessions.values())

    @property
    def last_asking(self) -> Session | None:
        """The session that defines how many judgments a unit needs; None if there is none.

        It is the last session opened here that was not an adjudication, or else the last such merged session.
        A merge thus does not change what a study with its own session asks for.
        """
        return self._last(s for s in self.sessions.values() if s.opened.kind != "adjudication")

    def _last(self, sessions: Iterable[Session]) -> Session | None:
        all_sessions = list(sessions)
        here = [s for s in all_sessions if s.opened.session not in self.merged]
        return next(reversed(here or all_sessions), None)


def fold(events: Iterable[StoredEvent]) -> State:
    """Return the state after the ``events`` of a log.

    Consent that is withdrawn, at the gate or elsewhere, is withdrawn for all sessions so far. If it is given
    again, this counts from that session on. An answer from before the withdrawal does not give it again,
    however late it is read. A person who passed once under a version of the guidelines has passed, also in
    another copy of the study. A person who joins again after leaving continues. Sessions of merged copies of
    a study can overlap in time, and two batches can have the same number if both copies continued one
    session. Raises JudgmentError if an event refers to a session, person or batch that does not exist, or if
    two sessions are open.
    """
    stored = list(events)
    folding = _Folding(merged=any(isinstance(event, MergedEvent) for event in stored))
    for event in in_order(stored):
        folding.add(event)
    still_open = [s for s in folding.sessions.values() if s.closed_at is None]
    if len(still_open) > 1:
        raise _impossible(still_open[-1].opened, f"session {still_open[0].opened.session} is open too")
    here = {event.session for event in stored if isinstance(event, SessionOpened)}
    merged = frozenset(folding.sessions) - here
    return State(folding.sessions, folding.owners, _unambiguous(folding.accounts), merged)


def _unambiguous(accounts: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the person of each account that belongs to the same person in all sessions."""
    people: dict[str, set[str]] = {}
    for of_session in accounts.values():
        for account, person in of_session.items():
            people.setdefault(account, set()).add(person)
    return {account: next(iter(persons)) for account, persons in people.items() if len(persons) == 1}


class _Folding:
    def __init__(self, *, merged: bool) -> None:
        self.merged = merged
        self.sessions: dict[str, Session] = {}
        self.people: dict[str, dict[str, Participant]] = {}
        self.owners: dict[tuple[str, str], str] = {}
        self.accounts: dict[str, dict[str, str]] = {}
        self.pushes: Counter[tuple[str, str, int]] = Counter()
        self.gates: dict[tuple[str, str], GateAnswered] = {}
        self.withdrawn_at: dict[str, datetime] = {}
        self.understood: set[tuple[str, str]] = set()

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
            case BatchCancelled():
                self._cancel(event)
            case PersonLeft():
                self._put(event, replace(self._participant(event), left=event))
                if event.why == "withdrew":
                    self._withdraw(event)

    def _open(self, event: SessionOpened) -> None:
        another = not self.merged and any(s.closed_at is None for s in self.sessions.values())
        if event.session in self.sessions or another:
            raise _impossible(event, "that session already exists, or another one is open")
        people: dict[str, Participant] = {}
        self.people[event.session] = people
        self.accounts[event.session] = {}
        self.sessions[event.session] = Session(event, people=people, accounts=self.accounts[event.session])

    def _join(self, event: PersonJoined) -> None:
        opened = self._session(event).opened
        self.accounts[event.session][event.account] = event.person
        before = self.people[event.session].get(event.person)
        self.people[event.session][event.person] = (
            replace(before, account=event.account, joined_at=event.at, left=None)
            if before
            else Participant(
                person=event.person,
                account=event.account,
                joined_at=event.at,
                gate=self.gates.get((event.person, opened.guidelines)),
            )
        )

    def _gate(self, event: GateAnswered) -> None:
        participant = self._answered(event)
        withdrawal = self.withdrawn_at.get(event.person)
        if event.consent and withdrawal and parse_timestamp(event.at) < withdrawal:
            return
        guidelines = self._session(event).opened.guidelines
        answers = (participant.gate, self.gates.get((event.person, guidelines)))
        if not event.consent and any(answer and answer.consent for answer in answers):
            self._withdraw(event)
        if event.consent and event.passed:
            self.understood.add((event.person, guidelines))
        elif event.consent and (event.person, guidelines) in self.understood:
            event = replace(event, passed=True)  # the copy that recorded it did not know this
        self.gates[event.person, guidelines] = event
        reached = False
        for number, session in self.sessions.items():
            other = self.people[number].get(event.person)
            reached = reached or number == event.session
            if other and reached and session.opened.guidelines == guidelines:
                self.people[number][event.person] = replace(
                    other, gate=event, withdrew=other.withdrew and not event.consent
                )

    def _answered(self, event: GateAnswered) -> Participant:
        """Return the participant with the answer as the last on its page, and as a try if it counts as
        such."""
        before = self._participant(event)
        tries = before.tries
        if event.consent and (event.passed or event.role not in tries):
            tries = {**tries, event.role: event}
        if event.role == "gate":
            after = replace(before, own_gate=event, tries=tries)
        else:
            after = replace(before, own_retry=event, tries=tries)
        self._put(event, after)
        return after

    def _withdraw(self, event: GateAnswered | PersonLeft) -> None:
        person, at = event.person, parse_timestamp(event.at)
        # A withdrawal that is read late does not replace a newer one.
        self.withdrawn_at[person] = max(at, self.withdrawn_at.get(person, at))
        for people in self.people.values():
            if person in people:
                people[person] = replace(people[person], withdrew=True)
        for key in [k for k in self.gates if k[0] == person and self.gates[k].consent]:
            del self.gates[key]

    def _deal(self, event: BatchAssigned) -> None:
        participant = self._participant(event)
        if not self.merged and event.batch != len(participant.batches) + 1:
            raise _impossible(event, f"batch {event.batch} cannot follow {len(participant.batches)}")
        batch = Batch(event.batch, event.items, pushed=False, opens=event.opens)
        agreed = participant.gate is not None and participant.gate.consent
        # The person had already withdrawn in one copy; the other copy continued without knowing this.
        withdrew = participant.withdrew or (event.person in self.withdrawn_at and not agreed)
        self._put(event, replace(participant, batches=(*participant.batches, batch), withdrew=withdrew))
        if any(b.batch == event.batch for b in participant.batches):
            self._mark_pushed(event)

    def _cancel(self, event: BatchCancelled) -> None:
        """Cancel the unsent batches of a number; the other copy may have sent them."""
        participant = self._participant(event)
        if not any(b.batch == event.batch for b in participant.batches):
            raise _impossible(event, f"batch {event.batch} was not assigned")
        batches = (
            replace(b, items=(), cancelled=b.items) if b.batch == event.batch and b.waits else b
            for b in participant.batches
        )
        self._put(event, replace(participant, batches=tuple(batches)))

    def _restore(self, event: BatchPushed) -> None:
        """Undo the cancellation of a batch that the other copy sent without knowing of it."""
        participant = self._participant(event)
        if any(b.batch == event.batch and not b.cancelled for b in participant.batches):
            return
        batches = (
            replace(b, items=b.cancelled, cancelled=()) if b.batch == event.batch and b.cancelled else b
            for b in participant.batches
        )
        self._put(event, replace(participant, batches=tuple(batches)))

    def _push(self, event: BatchPushed) -> None:
        self._restore(event)
        participant = self._participant(event)
        pushed = next((b for b in participant.batches if b.batch == event.batch), None)
        if pushed is None:
            raise _impossible(event, f"batch {event.batch} was not assigned")
        self.pushes[event.session, event.person, event.batch] += 1
        texts = {item.unit_id: text for item, text in zip(pushed.items, event.texts, strict=False)}
        self._put(event, replace(participant, texts={**participant.texts, **texts}))
        self._mark_pushed(event)

    def _mark_pushed(self, event: BatchAssigned | BatchPushed) -> None:
        """Mark the batches of a number as pushed: of two, both or neither, since either may be meant."""
        participant = self._participant(event)
        same = [b for b in participant.batches if b.batch == event.batch and not b.cancelled]
        pushed = self.pushes[event.session, event.person, event.batch] >= len(same)
        batches = (replace(b, pushed=pushed) if b in same else b for b in participant.batches)
        texts = participant.texts
        if len(same) > 1:
            unsure = {item.unit_id for b in same for item in b.items}
            texts = {u: text for u, text in texts.items() if u not in unsure}
        self._put(event, replace(participant, batches=tuple(batches), texts=texts))

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


_OfPerson = ProjectMade | GateAnswered | BatchAssigned | BatchPushed | BatchCancelled | PersonLeft


def _impossible(event: Event, why: str) -> JudgmentError:
    return JudgmentError(
        f"the plan's log is inconsistent: {EVENT_NAMES[type(event)]} in session {event.session}, but {why}",
        remedy="restore judgments/plan.jsonl from its backup",
    )

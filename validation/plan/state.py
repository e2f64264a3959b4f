"""The state of a plan, summed from its events: sessions, participants, and the items assigned to each."""

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
    """Its number for this person in this session, from 1."""
    items: tuple[AssignedItem, ...]
    """The items, in the order in which they are shown."""
    pushed: bool
    """Whether it is on the server, whole."""
    opens: str = ""
    """When it is sent, ISO 8601 in UTC; empty: at once."""
    cancelled: tuple[AssignedItem, ...] = ()
    """The items that it had, if it was given up before it was sent: then it has none, and is not sent."""

    @property
    def waits(self) -> bool:
        """Whether it is still to be sent."""
        return not self.pushed and not self.cancelled


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
    own_retry: GateAnswered | None = None
    """The same of the page for the second try."""
    tries: Mapping[Role, GateAnswered] = field(default_factory=dict)
    """The first answer with consent on each page of this session's gate: what it says of comprehension holds;
    if a later one of that page says that it was passed, that one."""
    withdrew: bool = False
    """Whether consent was withdrawn: nothing of this session counts then."""
    projects: Mapping[Role, str] = field(default_factory=dict)
    """Projects on the server, made in this session, by role."""
    made: Mapping[Role, ProjectMade] = field(default_factory=dict)
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
    def asked_first(self) -> bool:
        """Whether this session's gate waits for its first answer: no earlier one was passed."""
        return self.needs_gate and self.own_gate is None and not self.withdrew

    @property
    def may_retry(self) -> bool:
        """Whether the person agrees, made too many mistakes at the gate, and has a second try."""
        agrees = self.gate is not None and self.gate.consent and not self.withdrew
        return self.needs_gate and agrees and "gate" in self.tries and "retry" not in self.tries

    @property
    def failed(self) -> bool:
        """Whether both tries failed: there is no third."""
        return self.needs_gate and "retry" in self.tries and not any(t.passed for t in self.tries.values())

    @property
    def page(self) -> Role:
        """The project in which the person continues."""
        if not self.needs_gate:
            return "work"
        return "retry" if self.may_retry or "retry" in self.projects else "gate"

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
    accounts: Mapping[str, str] = field(default_factory=dict)
    """The person, by the pseudonym of the account on the session's server."""

    @cached_property
    def asked(self) -> JudgmentsPerUnit:
        """How many people are asked about each unit, unless enough agree; a pilot asks everyone."""
        return judgments_per_unit(self.opened.overlap, self.opened.units, self.opened.seed)

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
    """The person, by the pseudonym of the account; without accounts that are different people's on different
    servers."""
    merged: frozenset[str] = frozenset()
    """The sessions that only another copy of the study opened, by number."""

    @property
    def current(self) -> Session | None:
        """The open session; None if there is none."""
        return next((s for s in self.sessions.values() if s.closed_at is None), None)

    @property
    def current_or_last(self) -> Session | None:
        """The open session, else the last one opened here, else the last merged one; None without any."""
        return self.current or self._last(self.sessions.values())

    @property
    def last_asking(self) -> Session | None:
        """The session that says how many judgments a unit needs; None without any.

        It is the last one opened here that was not an adjudication, without one the last such merged one: a
        merge does not change what a study with a session of its own asks for.
        """
        return self._last(s for s in self.sessions.values() if s.opened.kind != "adjudication")

    def _last(self, sessions: Iterable[Session]) -> Session | None:
        found = list(sessions)
        here = [s for s in found if s.opened.session not in self.merged]
        return next(reversed(here or found), None)


def fold(events: Iterable[StoredEvent]) -> State:
    """Add up the ``events`` of a log.

    Consent that is withdrawn, at the gate or otherwise, is withdrawn for all sessions until then; when it
    is given again, that holds from that session on; an answer that was given before does not give it again,
    however late it is read. Who passed once under a version of the guidelines has passed, also in another
    copy of the study. A person who joins again after having left goes on.
    Sessions of merged copies of a study can overlap in time, and a batch's number can be that of two batches,
    if both copies went on with one session.
    Raises JudgmentError if an event refers to a session, person or batch that does not exist, or if two
    sessions are open.
    """
    stored = list(events)
    folding = _Folding(merged=any(isinstance(event, MergedEvent) for event in stored))
    for event in in_order(stored):
        folding.add(event)
    still_open = [s for s in folding.sessions.values() if s.closed_at is None]
    if len(still_open) > 1:
        raise _impossible(still_open[-1].opened, f"session {still_open[0].opened.session} is open, too")
    here = {event.session for event in stored if isinstance(event, SessionOpened)}
    merged = frozenset(folding.sessions) - here
    return State(folding.sessions, folding.owners, _unambiguous(folding.accounts), merged)


def _unambiguous(accounts: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the person of each account, given by session, that is the same person's in all sessions."""
    people: dict[str, set[str]] = {}
    for of_session in accounts.values():
        for account, person in of_session.items():
            people.setdefault(account, set()).add(person)
    return {account: next(iter(found)) for account, found in people.items() if len(found) == 1}


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
            raise _impossible(event, "that session exists already, or another is open")
        people: dict[str, Participant] = {}
        self.people[event.session] = people
        self.accounts[event.session] = {}
        self.sessions[event.session] = Session(event, people=people, accounts=self.accounts[event.session])

    def _join(self, event: PersonJoined) -> None:
        opened = self._session(event).opened
        self.accounts[event.session][event.account] = event.person
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
            event = replace(event, passed=True)  # the copy that recorded it did not know that
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
        """Return the participant with the answer as the last one of its page, and as a try if it is one."""
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
        # One that is read late does not make an earlier one older.
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
        # In one copy the person had withdrawn before; the other copy went on without knowing it.
        withdrew = participant.withdrew or (event.person in self.withdrawn_at and not agreed)
        self._put(event, replace(participant, batches=(*participant.batches, batch), withdrew=withdrew))
        if any(b.batch == event.batch for b in participant.batches):
            self._mark_pushed(event)

    def _cancel(self, event: BatchCancelled) -> None:
        """Cancel the batches of a number that are to be sent; in the other copy they may have been sent."""
        participant = self._participant(event)
        if not any(b.batch == event.batch for b in participant.batches):
            raise _impossible(event, f"batch {event.batch} was not assigned")
        batches = (
            replace(b, items=(), cancelled=b.items) if b.batch == event.batch and b.waits else b
            for b in participant.batches
        )
        self._put(event, replace(participant, batches=tuple(batches)))

    def _restore(self, event: BatchPushed) -> None:
        """Undo that a batch was cancelled: the other copy sent it without knowing."""
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
        """Mark the batches of a number as pushed; of two batches both or none, since either may be meant."""
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

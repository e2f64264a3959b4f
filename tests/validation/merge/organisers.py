"""Organisers who work on copies of one study, as the logs record it: what they do is drawn at random."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Literal

from nextset.validation.agreement.counted_answers import counted_answers
from nextset.validation.judgments.judgment_log import append, append_merged, read
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.merge.copied_logs import read_logs
from nextset.validation.merge.log_union import LogUnion, union
from nextset.validation.plan.counting_rules import count
from nextset.validation.plan.coverage import Coverage
from nextset.validation.plan.event_log import EventLog, append_events
from nextset.validation.plan.events import (
    AssignedItem,
    BatchAssigned,
    BatchPushed,
    GateAnswered,
    Part,
    PersonJoined,
    PersonLeft,
    ProjectMade,
    SessionClosed,
    SessionOpened,
)
from nextset.validation.plan.state import Session
from nextset.validation.verdicts import aggregate

__all__ = ["UNITS", "Organiser", "merge_logs", "what_counts"]

UNITS = tuple(f"u{i}" for i in range(6))
_PEOPLE = ("ann", "ben", "cleo")
_START = datetime(2026, 1, 1, tzinfo=UTC)


class Organiser:
    """Someone with a copy of the study in ``folder``, a server, and a clock."""

    def __init__(self, folder: Path, name: str, random: Random, *, key: str = "k1", ahead: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.name = name
        self.random = random
        self.key = key
        self.minutes = ahead
        self.annotations = random.choice([0, 100])
        self.sessions = 0
        self.log = EventLog(folder)

    def copied(self, folder: Path, name: str, *, key: str = "k1", ahead: int = 0) -> Organiser:
        """Somebody else, with a copy of this organiser's logs."""
        folder.mkdir()
        for log in self.folder.glob("*.jsonl"):
            shutil.copy(log, folder)
        return Organiser(folder, name, self.random, key=key, ahead=self.minutes + ahead)

    def work(self, steps: int) -> None:
        """Do something, so many times."""
        self.log = EventLog(self.folder)
        for _ in range(steps):
            session = self.log.state.current
            if session is None:
                self.random.choice([self._open, self._open, self._table, self._export, self._late])()
            else:
                self.random.choice(
                    [self._answer] * 5
                    + [self._assign] * 3
                    + [self._join, self._gate, self._leave, self._close, self._table, self._late]
                )()

    def close(self) -> None:
        """End the session that is open."""
        self.log = EventLog(self.folder)
        if self.log.state.current is not None:
            self._close()

    def _now(self) -> str:
        self.minutes += self.random.choice([0, 1, 1, 1, 30])
        return (_START + timedelta(minutes=self.minutes)).isoformat(timespec="microseconds")

    def _current(self) -> Session:
        session = self.log.state.current
        assert session is not None
        return session

    def _open(self) -> None:
        log = self.log
        number = str(len(log.state.sessions) + 1)
        self.sessions += 1
        log.add(
            SessionOpened(
                session=number,
                kind=self.random.choice(["main", "main", "pilot", "adjudication"]),
                mark=f"{self.name}{self.sessions}".ljust(16, "0"),
                at=self._now(),
                seed=0,
                overlap=self.random.choice([1, 2]),
                agree=None,
                guidelines=self.random.choice(["g1", "g1", "g2"]),
                key=self.key,
                units=UNITS,
            )
        )
        for _ in range(2):
            self._join()

    def _join(self) -> None:
        session, person = self._current(), self.random.choice(_PEOPLE)
        number, log = session.opened.session, self.log
        # on each server accounts have other numbers
        account = f"account-{(_PEOPLE.index(person) + len(self.name)) % 3}-{self.key}"
        named = f"{person}-{self.key}"
        log.add(PersonJoined(session=number, at=self._now(), person=named, account=account))
        for role in ("gate", "work"):
            if role not in session.people.get(named, _NOBODY).projects:
                log.add(
                    ProjectMade(
                        session=number,
                        person=named,
                        role=role,
                        project=str(10 + 2 * _PEOPLE.index(person) + (role == "work")),
                        made_at=self._now(),
                    )
                )
        self._gate(named)

    def _gate(self, person: str | None = None) -> None:
        session = self._current()
        self._answer_gate(session, person or self._somebody(session))

    def _late(self) -> None:
        """Somebody answers the gate of an earlier session again, or takes consent back."""
        sessions = [s for s in self.log.state.sessions.values() if s.people]
        if sessions:
            session = self.random.choice(sessions)
            if self.random.random() < 0.5:
                self._answer_gate(session, self._somebody(session))
            else:
                self._leave(session)

    def _answer_gate(self, session: Session, person: str) -> None:
        self.log.add(
            GateAnswered(
                session=session.opened.session,
                person=person,
                at=self._now(),
                consent=self.random.random() < 0.8,
                declined=(),
                wrong=(),
                passed=self.random.random() < 0.9,
            )
        )

    def _leave(self, session: Session | None = None) -> None:
        session = session or self._current()
        why: Literal["stopped", "withdrew"] = self.random.choice(["stopped", "withdrew"])
        self.log.add(
            PersonLeft(
                session=session.opened.session, person=self._somebody(session), at=self._now(), why=why
            )
        )

    def _somebody(self, session: Session) -> str:
        return self.random.choice(list(session.people))

    def _assign(self) -> None:
        session = self._current()
        person = self._somebody(session)
        participant = session.people[person]
        left = [u for u in UNITS if u not in participant.items]
        if participant.active and left:
            number = len(participant.batches) + 1
            parts: dict[str, Part] = {
                u: self.random.choice(["unit", "unit", "unit", "gold"]) for u in left[:3]
            }
            items = tuple(AssignedItem(u, part) for u, part in parts.items())
            name, log = session.opened.session, self.log
            log.add(BatchAssigned(session=name, person=person, batch=number, items=items))
            texts = tuple("t" for _ in items)
            log.add(BatchPushed(session=name, person=person, batch=number, texts=texts))

    def _answer(self) -> None:
        session = self._current()
        person = self._somebody(session)
        unit_id = self.random.choice(UNITS)
        earlier = [e for e in read(self.folder).entries if e.session == session.opened.session and e.judge]
        if earlier and self.random.random() < 0.3:
            self._append(
                replace(self.random.choice(earlier), answered_at=self._now(), nth=None, **self._said())
            )
            return
        self.annotations += 1
        self._append(
            self._entry(
                session=session.opened.session,
                project=session.people[person].projects.get("work", ""),
                annotation=str(self.annotations),
                judge=self.random.choice([person, person, person, session.people[person].account]),
                unit_id=unit_id,
            )
        )

    def _table(self) -> None:
        for line, unit_id in enumerate(self.random.sample(UNITS, 2), 2):
            judge = f"{self.random.choice(_PEOPLE)}-{self.key}"
            at = "" if self.random.random() < 0.5 else self._now()
            self._append(self._entry(annotation=f"#{line}", judge=judge, unit_id=unit_id, answered_at=at))

    def _export(self) -> None:
        judge = f"account-{self.random.randrange(3)}-{self.key}"
        at = "" if self.random.random() < 0.3 else self._now()
        number = str(self.random.choice([7, 8]))
        unit_id = self.random.choice(UNITS)
        self._append(self._entry(annotation=number, judge=judge, unit_id=unit_id, answered_at=at))

    def _close(self) -> None:
        self.log.add(SessionClosed(session=self._current().opened.session, at=self._now()))

    def _append(self, entry: Entry) -> None:
        append(self.folder, [entry])

    def _said(self) -> dict[str, Any]:
        outcome = self.random.choice(["judged"] * 5 + ["declined", "skipped", "invalid", "altered"])
        verdict = self.random.choice(["valid", "invalid", "incoherent"]) if outcome == "judged" else None
        stance = self.random.choice(["pro", "anti"]) if verdict == "valid" else None
        digest = f"{outcome} {verdict} {stance}"
        return {"outcome": outcome, "verdict": verdict, "stance_judged": stance, "digest": digest}

    def _entry(self, **fields: Any) -> Entry:
        return Entry(
            **{
                "session": "",
                "project": "",
                "answered_at": fields.pop("answered_at") if "answered_at" in fields else self._now(),
                "key": self.key,
                "underspecified": None,
                "grammatical": None,
                "free_of_hint": None,
                "reason": "",
                "comment": "",
                "problem": "",
                "seconds": float(self.random.randrange(5)),
                "guidelines": "g1",
                **self._said(),
                **fields,
            }
        )


class _Nobody:
    projects: Collection[str] = ()


_NOBODY = _Nobody()


def merge_logs(own: Path, other: Path) -> LogUnion:
    """Merge the logs in ``other`` into those in ``own``, as `merge_judgments` does."""
    added = union(read_logs(own, whole=False), read_logs(other, whole=True))
    append_merged(own, added.entries)
    append_events(own, added.events)
    return added


def what_counts(folder: Path) -> Sequence[object]:
    """All that the logs in ``folder`` say, without the numbers that sessions have there."""
    logs = read_logs(folder, whole=False)
    marks = {"": "", **logs.marks}
    counted = count(logs.entries, logs.state, UNITS)
    found = counted_answers(counted)
    verdicts = aggregate(UNITS, found.judgments, adjudications=found.adjudications)
    # By each session the same units have enough; which session decides is each copy's own.
    enough = sorted(
        (marks[number], [Coverage(session, counted, {}).enough(u) for u in UNITS])
        for number, session in logs.state.sessions.items()
    )
    entries = sorted(
        str((asdict(replace(c.entry, session=marks[c.entry.session], nth=None)), c.why_not, c.counts))
        + f"{c.person} {c.part} {c.kind} {c.owner}"
        for c in counted
    )
    people = [
        (
            marks[number],
            s.closed_at,
            sorted(
                (p.person, p.withdrew, p.left is not None, p.active, sorted(map(str, p.items.values())))
                for p in s.people.values()
            ),
            sorted((b.batch, b.pushed, str(b.items)) for p in s.people.values() for b in p.batches),
        )
        for number, s in logs.state.sessions.items()
    ]
    return (
        entries,
        people,
        verdicts.by_unit,
        verdicts.counts,
        sorted(str(answer) for answer in found.answers),
        enough,
        sorted(logs.state.accounts.items()),
    )

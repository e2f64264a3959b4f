"""Sessions for the tests: people, units, and answers as entries of the log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from nextset.records.judgment import Verdict
from nextset.study.validation_settings import BudgetSettings, SessionSettings
from nextset.validation.judgments.log_entry import Entry, Outcome
from nextset.validation.plan.assignment import Assigner
from nextset.validation.plan.counting_rules import Counted, count
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.events import (
    BatchAssigned,
    BatchPushed,
    Event,
    GateAnswered,
    PersonJoined,
    ProjectMade,
    SessionOpened,
)
from nextset.validation.plan.state import fold

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).isoformat(timespec="microseconds")


def settings(batch: int = 10, person: int = 1000, **others: Any) -> SessionSettings:
    return SessionSettings(
        consent="The people who test this ask for consent.",
        support="a friend of the tests",
        budget=BudgetSettings(batch=batch, person=person),
        **others,
    )


def opened(units: Sequence[str], session: str = "1", **others: Any) -> SessionOpened:
    fields: dict[str, Any] = {
        "kind": "main",
        "mark": f"mark-{session}",
        "at": at(0),
        "seed": 0,
        "overlap": 3,
        "agree": None,
        "guidelines": "g1",
        "key": "k1",
    }
    return SessionOpened(session=session, units=tuple(units), **{**fields, **others})


def joins(person: str, session: str = "1", **gate: Any) -> list[Event]:
    """A person comes, and passes the gate unless ``gate`` says otherwise."""
    return [
        PersonJoined(session=session, at=at(1), person=person, account=f"account-{person}"),
        ProjectMade(session=session, person=person, role="gate", project=f"gate-{session}-{person}"),
        ProjectMade(session=session, person=person, role="work", project=f"work-{session}-{person}"),
        gate_answer(person, session, **gate),
    ]


def gate_answer(person: str, session: str = "1", **gate: Any) -> GateAnswered:
    fields: dict[str, Any] = {"consent": True, "declined": (), "wrong": (), "passed": True, "at": at(2)}
    return GateAnswered(session=session, person=person, **{**fields, **gate})


def entry(
    unit_id: str,
    person: str,
    annotation: int | str,
    *,
    session: str = "1",
    seconds: float | None = None,
    verdict: Verdict | None = "invalid",
    outcome: Outcome = "judged",
    **others: Any,
) -> Entry:
    number = str(annotation)
    answered = seconds if seconds is not None else float(number.removeprefix("#")) + 10
    fields: dict[str, Any] = {
        "session": session,
        "project": f"work-{session}-{person}" if session else "",
        "annotation": number,
        "digest": f"{number}-{verdict}-{outcome}",
        "answered_at": at(answered),
        "unit_id": unit_id,
        "judge": person,
        "key": "k1",
        "outcome": outcome,
        "verdict": verdict if outcome == "judged" else None,
        "stance_judged": "pro" if verdict == "valid" and outcome == "judged" else None,
        "underspecified": None,
        "grammatical": None,
        "free_of_hint": None,
        "reason": "",
        "comment": "",
        "problem": "",
        "seconds": 4.0,
        "guidelines": "g1",
    }
    return Entry(**{**fields, **others})


def facts(n: int, pairs: Sequence[tuple[str, str]] = (("a", "b"),)) -> dict[str, ItemFacts]:
    """Units u0… in domains d0 and d1, with pairs of groups in turn."""
    return {f"u{i}": ItemFacts(f"d{i % 2}", pairs[i % len(pairs)]) for i in range(n)}


class Played:
    """A study that is played: events and entries so far."""

    def __init__(
        self,
        units: dict[str, ItemFacts],
        asked: SessionSettings,
        gold: dict[str, ItemFacts] | None = None,
        rest: int = 3,
    ) -> None:
        self.units = units
        self.settings = asked
        self.gold = gold or {}
        self.rest = rest
        self.events: list[Event] = []
        self.entries: list[Entry] = []

    def counted(self) -> tuple[Counted, ...]:
        return count(self.entries, fold(self.events), self.units)

    def assigner(self) -> Assigner:
        return Assigner(
            fold(self.events), self.counted(), self.units, self.settings, gold=self.gold, rest=self.rest
        )

    def deal(self, people: Iterable[str] = ()) -> list[BatchAssigned]:
        """Deal to ``people``, or to everybody who is ready."""
        assigner = self.assigner()
        state = fold(self.events)
        session = state.current
        assert session is not None
        dealt = []
        for person in people or assigner.ready():
            items = assigner.next_batch(person)
            if items:
                number = len(session.people[person].batches) + 1
                name = session.opened.session
                dealt.append(BatchAssigned(session=name, person=person, batch=number, items=items))
                self.events += [dealt[-1], BatchPushed(session=name, person=person, batch=number)]
        return dealt

    def answer(self, person: str, unit_id: str, session: str = "1", **how: Any) -> Entry:
        made = entry(unit_id, person, len(self.entries) + 1, session=session, **how)
        self.entries.append(made)
        return made

    def edit(self, before: Entry, **how: Any) -> Entry:
        seconds = len(self.entries) + 11
        made = replace(before, answered_at=at(seconds), digest=f"edit-{seconds}", **how)
        self.entries.append(made)
        return made

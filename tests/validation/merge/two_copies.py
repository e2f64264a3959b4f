"""Two copies of one study with a session each, as the logs record them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nextset.records.judgment import Verdict
from nextset.study.study_folder import Study
from nextset.validation.judgments.judgment_log import append, read
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.merge.copied_logs import read_logs
from nextset.validation.plan.counting_rules import Counted, count
from nextset.validation.plan.event_log import append_events
from nextset.validation.plan.events import (
    AssignedItem,
    BatchAssigned,
    BatchPushed,
    Event,
    PersonJoined,
    ProjectMade,
    SessionClosed,
)
from nextset.validation.session.open import session_materials
from tests.validation.plan.sample_plans import at, entry, gate_answer, opened
from tests.validation.session.sample_study import made_study

__all__ = ["add_session", "counted", "study_copy", "units_of", "whys"]

MARKS = {"a": "aaaaaaaa00000000", "b": "bbbbbbbb00000000"}


def study_copy(folder: Path, n: int = 4) -> Study:
    """A copy of the study, with the same ``n`` units each time."""
    return made_study(folder, n)


def units_of(study: Study) -> list[str]:
    return sorted(session_materials(study).unit_ids)


def add_session(
    study: Study,
    mark: str,
    answers: Mapping[str, Mapping[str, Verdict]],
    *,
    session: str = "1",
    begin: int = 0,
    close: bool = True,
    **others: Any,
) -> None:
    """A session from ``begin`` (seconds): each person answers the units of one batch, one after the other."""
    units, key = units_of(study), others.get("key", "k1")
    events: list[Event] = [opened(units, session, mark=mark, at=at(begin), **{"overlap": 2, **others})]
    entries: list[Entry] = []
    for i, (person, given) in enumerate(answers.items()):
        account = f"account-{i}"
        events += [
            PersonJoined(session=session, at=at(begin + 1), person=person, account=account),
            ProjectMade(session=session, person=person, role="gate", project=str(2 * i + 1), made_at=mark),
            ProjectMade(session=session, person=person, role="work", project=str(2 * i + 2), made_at=mark),
            gate_answer(person, session, at=at(begin + 2)),
            BatchAssigned(
                session=session,
                person=person,
                batch=1,
                items=tuple(AssignedItem(u, "unit") for u in given),
            ),
            BatchPushed(session=session, person=person, batch=1, texts=tuple("t" for _ in given)),
        ]
        for j, (unit_id, verdict) in enumerate(given.items()):
            number = 10 * i + j + 1
            made = entry(unit_id, person, number, session=session, verdict=verdict, key=key)
            entries.append(replace(made, project=str(2 * i + 2), answered_at=at(begin + 10 + number)))
    if close:
        events.append(SessionClosed(session=session, at=at(begin + 1000)))
    append_events(study.judgments, events)
    append(study.judgments, entries)


def counted(study: Study) -> tuple[Counted, ...]:
    logs = read_logs(study.judgments, whole=False)
    return count(read(study.judgments).entries, logs.state, units_of(study))


def whys(study: Study) -> list[tuple[str, str, str]]:
    """Person, unit and why it does not count, of each entry, sorted."""
    return sorted((c.person, c.entry.unit_id, c.why_not) for c in counted(study))

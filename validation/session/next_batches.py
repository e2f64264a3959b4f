"""The next batches: annotators who are ready get their projects and their next batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ServerError
from nextset.validation.agreement.annotator_quality import limit_crossed, seat_quality
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.projects import Project
from nextset.validation.plan.assignment import Assigner
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import BatchAssigned, BatchCancelled, PersonLeft
from nextset.validation.plan.state import Participant
from nextset.validation.session.batch_breaks import break_end, stale_batches
from nextset.validation.session.disputed_units import votes_as_text
from nextset.validation.session.materials import SessionMaterials
from nextset.validation.session.organiser_warnings import same_guidelines
from nextset.validation.session.person_projects import (
    Reconciled,
    gate_for,
    push_batch,
    work_for,
)
from nextset.validation.timestamps import current_timestamp, parse_timestamp

__all__ = ["Advanced", "advance"]


@dataclass(frozen=True)
class Advanced:
    """The batches that were assigned, and the units that cannot be assigned."""

    pushed: tuple[Reconciled, ...]
    """The batches that went to the server."""
    waiting: Mapping[str, str]
    """The time when the next batch opens for each annotator on a break, ISO 8601 in UTC, by pseudonym."""
    nobody_left: int
    """The number of units that need more annotators than those who may judge them."""
    paused: Mapping[str, str]
    """Why each seat was paused now, by pseudonym."""


def advance(
    materials: SessionMaterials,
    event_log: EventLog,
    studio: LabelStudio,
    counted: Sequence[Counted],
    existing: Mapping[tuple[str, str], Project],
    progress: Progress = SILENT,
) -> Advanced:
    """Make missing projects, assign the next batch to each annotator who is ready, and push the batches.

    ``existing`` are the projects on the server (`existing_projects`): without one of them, the batches of its
    annotator would reach no one or the wrong person, so ServerError is raised.

    The batch of an annotator on a break is assigned now and pushed when the break is over; if it is stale by
    then, it is planned anew. If this function is stopped anywhere, the next call resumes there: batches stay
    assigned and are pushed only once.
    """
    _check_projects_exist(materials, event_log, studio, existing)
    for person in _active_people(materials, event_log):
        if not person.needs_gate:
            work_for(materials, event_log, studio, person)
        elif person.page == "gate":
            gate_for(materials, event_log, studio, person)
        elif same_guidelines(materials, materials.current_session(event_log)):
            gate_for(materials, event_log, studio, person, "retry")
    paused = _pause(materials, event_log, counted)
    _cancel_stale(materials, event_log, studio, counted)
    assigner = materials.assigner(event_log, counted)
    _assign(materials, event_log, assigner, _last_answers(materials, event_log, counted))
    assigned = [
        (p, b) for p in _active_people(materials, event_log) for b in p.batches if p.active and b.waits
    ]
    now = parse_timestamp(current_timestamp())
    due = [(p, b) for p, b in assigned if parse_timestamp(b.opens) <= now]
    items = sum(len(b.items) for _, b in due)
    votes = votes_as_text(materials, counted) if materials.current_session(event_log).opened.votes else None
    tick, done = progress("push"), 0
    pushed: list[Reconciled] = []
    for participant, batch in due:
        begun = done
        pushed.append(
            push_batch(
                materials,
                event_log,
                studio,
                participant,
                batch,
                votes,
                lambda n, _, begun=begun: tick(begun + n, items),  # type: ignore[misc]
            )
        )
        done += len(batch.items)
    waiting = {p.person: b.opens for p, b in assigned if parse_timestamp(b.opens) > now}
    return Advanced(tuple(pushed), waiting, len(assigner.understaffed_units()), paused)


def _pause(materials: SessionMaterials, event_log: EventLog, counted: Sequence[Counted]) -> Mapping[str, str]:
    """Pause the seats beyond a limit, and return why; only answers since a person joined last count."""
    session = materials.current_session(event_log).opened.session
    here = [c for c in counted if c.entry.session == session]
    limits, paused = materials.settings.pause_seat, {}
    for p in _active_people(materials, event_log):
        quality = seat_quality(here, materials.known_verdicts, p.projects.get("work"), p.joined_at)
        if why := limit_crossed(quality, limits):
            paused[p.person] = why
    event_log.add(
        *(
            PersonLeft(session=session, person=person, at=current_timestamp(), why="paused")
            for person in paused
        )
    )
    return paused


def _check_projects_exist(
    materials: SessionMaterials,
    event_log: EventLog,
    studio: LabelStudio,
    existing: Mapping[tuple[str, str], Project],
) -> None:
    """Raise ServerError if a project is gone."""
    number = materials.current_session(event_log).opened.session
    for p in _active_people(materials, event_log):
        project = p.projects.get(p.page)
        if project is not None and (number, project) not in existing:
            raise ServerError(
                f"project {project} of {p.person} is no longer on the Label Studio at {studio.url}",
                remedy="restore the server's data, or remove the annotator from the session: "
                f"nextset validate leave {materials.folder} {p.person}",
            )


def _active_people(materials: SessionMaterials, event_log: EventLog) -> list[Participant]:
    return [p for p in materials.current_session(event_log).people.values() if p.left is None]


def _cancel_stale(
    materials: SessionMaterials, event_log: EventLog, studio: LabelStudio, counted: Sequence[Counted]
) -> None:
    """Cancel the batches that would no longer be assigned; a batch that was partly sent stays."""
    session = materials.current_session(event_log)
    stale = stale_batches(session, materials.assigner(event_log, counted).coverage)
    works = [int(p.projects["work"]) for p, _ in stale if "work" in p.projects]
    tasks = {str(project): c.tasks for project, c in studio.counts(works).items()} if works else {}
    event_log.add(
        *(
            BatchCancelled(session=session.opened.session, person=p.person, batch=b.batch)
            for p, b in stale
            if tasks.get(p.projects.get("work", ""), 0) <= sum(len(x.items) for x in p.batches if x.pushed)
        )
    )


def _assign(
    materials: SessionMaterials, event_log: EventLog, assigner: Assigner, last: Mapping[str, datetime]
) -> None:
    """Assign a batch to each annotator who is ready, and record the batches before anything else happens.

    A batch opens when the break of `BudgetSettings.pause` after the annotator's ``last`` answer is over.
    """
    now = parse_timestamp(current_timestamp())
    session = materials.current_session(event_log)
    assigned = []
    for person in assigner.ready():
        items = assigner.next_batch(person)
        if items:
            number = len(session.people[person].batches) + 1
            opens = break_end(last.get(person), now, materials.settings.budget.pause)
            assigned.append(
                BatchAssigned(
                    session=session.opened.session, person=person, batch=number, items=items, opens=opens
                )
            )
    event_log.add(*assigned)


def _last_answers(
    materials: SessionMaterials, event_log: EventLog, counted: Sequence[Counted]
) -> dict[str, datetime]:
    """Return when each annotator gave his or her last answer in the open session, if there is one."""
    number = materials.current_session(event_log).opened.session
    last: dict[str, datetime] = {}
    for c in counted:
        if c.entry.session == number and c.entry.answered_at and c.person == c.owner:
            at = parse_timestamp(c.entry.answered_at)
            last[c.person] = max(at, last.get(c.person, at))
    return last

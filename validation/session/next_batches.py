"""The next batches: annotators who are ready get their projects and their next batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ServerError
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.assignment import Assigner
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import BatchAssigned
from nextset.validation.plan.exclusions import Counted
from nextset.validation.plan.state import Participant
from nextset.validation.session.disputed_units import votes_as_text
from nextset.validation.session.materials import SessionMaterials
from nextset.validation.session.person_projects import (
    Reconciled,
    existing_projects,
    gate_for,
    push_batch,
    work_for,
)

__all__ = ["Advanced", "advance"]


@dataclass(frozen=True)
class Advanced:
    """The batches assigned, and the units that cannot be."""

    pushed: tuple[Reconciled, ...]
    """The batches that went to the server."""
    nobody_left: int
    """Units that need more annotators than there are who may judge them."""


def advance(
    materials: SessionMaterials,
    event_log: EventLog,
    studio: LabelStudio,
    counted: Sequence[Counted],
    progress: Progress = SILENT,
) -> Advanced:
    """Make missing projects, assign the next batch to each annotator who is ready, and push the batches.

    If it is stopped anywhere, it resumes there: batches stay assigned, and are pushed once.
    """
    _check_projects_exist(materials, event_log, studio)
    for person in _active_people(materials, event_log):
        if person.needs_gate:
            gate_for(materials, event_log, studio, person)
        else:
            work_for(materials, event_log, studio, person)
    assigner = materials.assigner(event_log, counted)
    _assign(materials, event_log, assigner)
    waiting = [
        (p, b) for p in _active_people(materials, event_log) for b in p.batches if p.active and not b.pushed
    ]
    items = sum(len(b.items) for _, b in waiting)
    votes = votes_as_text(materials, counted) if materials.current_session(event_log).opened.votes else None
    tick, done = progress("push"), 0
    pushed: list[Reconciled] = []
    for participant, batch in waiting:
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
    return Advanced(tuple(pushed), len(assigner.understaffed_units()))


def _check_projects_exist(materials: SessionMaterials, event_log: EventLog, studio: LabelStudio) -> None:
    """Raise ServerError if a project is gone: its batches would reach no one, or the wrong person."""
    number = materials.current_session(event_log).opened.session
    existing = existing_projects(studio, event_log.state)
    for p in _active_people(materials, event_log):
        project = p.projects.get("gate" if p.needs_gate else "work")
        if project is not None and (number, project) not in existing:
            raise ServerError(
                f"project {project} of {p.person} is no longer on the Label Studio at {studio.url}",
                remedy="restore the server's data, or remove the annotator from the session: "
                f"nextset validate leave {materials.folder} {p.person}",
            )


def _active_people(materials: SessionMaterials, event_log: EventLog) -> list[Participant]:
    return [p for p in materials.current_session(event_log).people.values() if p.left is None]


def _assign(materials: SessionMaterials, event_log: EventLog, assigner: Assigner) -> None:
    """Assign a batch to each annotator who is ready, and record the batches before anything else happens."""
    session = materials.current_session(event_log)
    assigned = []
    for person in assigner.ready():
        items = assigner.next_batch(person)
        if items:
            number = len(session.people[person].batches) + 1
            assigned.append(
                BatchAssigned(session=session.opened.session, person=person, batch=number, items=items)
            )
    event_log.add(*assigned)

"""The session goes on: who may work gets a project, and the next batch."""

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
from nextset.validation.session.disputed_units import votes_in_words
from nextset.validation.session.materials import SessionMaterials
from nextset.validation.session.person_projects import (
    Reconciled,
    gate_for,
    projects_there,
    push_batch,
    work_for,
)

__all__ = ["Advanced", "advance"]


@dataclass(frozen=True)
class Advanced:
    """What was dealt, and what cannot be."""

    pushed: tuple[Reconciled, ...]
    """The batches that went to the server."""
    nobody_left: int
    """Units that need more people than there are who may judge them."""


def advance(
    materials: SessionMaterials,
    event_log: EventLog,
    studio: LabelStudio,
    counted: Sequence[Counted],
    progress: Progress = SILENT,
) -> Advanced:
    """Make the projects that are missing, deal whoever is ready the next batch, and push what was dealt.

    Stopped anywhere, it goes on from there: what was dealt stays dealt, and is pushed once.
    """
    _all_there(materials, event_log, studio)
    for person in _going_on(materials, event_log):
        if person.needs_gate:
            gate_for(materials, event_log, studio, person)
        else:
            work_for(materials, event_log, studio, person)
    assigner = materials.assigner(event_log, counted)
    _deal(materials, event_log, assigner)
    waiting = [
        (p, b) for p in _going_on(materials, event_log) for b in p.batches if p.active and not b.pushed
    ]
    items = sum(len(b.items) for _, b in waiting)
    votes = votes_in_words(materials, counted) if materials.current_session(event_log).opened.votes else None
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
    return Advanced(tuple(pushed), len(assigner.nobody_left()))


def _all_there(materials: SessionMaterials, event_log: EventLog, studio: LabelStudio) -> None:
    """Raise ServerError where somebody's project is gone: what is dealt would reach nobody, or a stranger."""
    number = materials.current_session(event_log).opened.session
    there = projects_there(studio, event_log.state)
    for p in _going_on(materials, event_log):
        project = p.projects.get("gate" if p.needs_gate else "work")
        if project is not None and (number, project) not in there:
            raise ServerError(
                f"project {project} of {p.person} is not on the Label Studio at {studio.url} any more",
                remedy="restore the server's data, or let the person leave: "
                f"nextset validate leave {materials.folder} {p.person}",
            )


def _going_on(materials: SessionMaterials, event_log: EventLog) -> list[Participant]:
    return [p for p in materials.current_session(event_log).people.values() if p.left is None]


def _deal(materials: SessionMaterials, event_log: EventLog, assigner: Assigner) -> None:
    """Deal to everybody who is ready; what is dealt is kept before the next thing happens."""
    session = materials.current_session(event_log)
    dealt = []
    for person in assigner.ready():
        items = assigner.next_batch(person)
        if items:
            number = len(session.people[person].batches) + 1
            dealt.append(
                BatchAssigned(session=session.opened.session, person=person, batch=number, items=items)
            )
    event_log.add(*dealt)

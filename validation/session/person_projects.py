"""The projects of an annotator on the server: gate, second try and work, made once and filled once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from nextset.artifacts.progress_callback import Tick
from nextset.errors import ServerError
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.projects import Project
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import BatchPushed, ProjectMade, Role
from nextset.validation.plan.state import Batch, Participant, Session, State
from nextset.validation.session.materials import SessionMaterials
from nextset.validation.session.organiser_warnings import check_guidelines
from nextset.validation.session.project_contents import (
    batch_tasks,
    marker,
    project_config,
    project_gate_task,
    project_instruction,
    project_title,
    skip_button,
    text_hash,
)

__all__ = ["Reconciled", "existing_projects", "found_projects", "gate_for", "push_batch", "work_for"]


@dataclass(frozen=True)
class Reconciled:
    """A batch that was sent to the server, and the counts on the server afterwards."""

    person: str
    """The annotator's pseudonym."""
    batch: int
    """The batch's number for this person."""
    new: int
    """The number of items that were not on the server."""
    already: int
    """The number of items that were already on the server."""
    planned: int
    """The number of items in all batches of this person so far."""
    on_server: int
    """The number of tasks in the person's project, as the server counts them."""
    doubled: int
    """The number of items that are on the server more than once: something other than nextset added them."""


def existing_projects(studio: LabelStudio, state: State) -> Mapping[tuple[str, str], Project]:
    """Return each project of the plan that is on this server, by session and number.

    A number is not enough: on another server it may be someone else's project. A project is also identified
    by its creation time, which cannot be changed, else by its marker. Raises ServerError if the open session
    has projects and none of them is on the server.
    """
    existing = found_projects(studio.projects(), state)
    current = state.current
    if current and any(p.projects for p in current.people.values()):
        number = current.opened.session
        if not any(session == number for session, _ in existing):
            raise ServerError(
                f"no project of session {number} is on the Label Studio at {studio.url}",
                remedy="use the server that the session was opened on, with all of its data",
            )
    return existing


def found_projects(on_server: Mapping[int, Project], state: State) -> Mapping[tuple[str, str], Project]:
    """Return the result of `existing_projects`, or nothing if the session is on another server.

    ``on_server`` are all projects of the server by number, as `LabelStudio.projects` returns them.
    """
    listed = {str(number): project for number, project in on_server.items()}
    existing = {}
    for number, session in state.sessions.items():
        for participant in session.people.values():
            for role, made in participant.made.items():
                server_project = listed.get(made.project)
                known_by = marker(session.opened.mark, participant.person, role)
                if server_project and (
                    server_project.made_at == made.made_at or known_by in server_project.description.split()
                ):
                    existing[number, made.project] = server_project
    return existing


def gate_for(
    materials: SessionMaterials,
    event_log: EventLog,
    studio: LabelStudio,
    participant: Participant,
    role: Literal["gate", "retry"] = "gate",
) -> str:
    """Return the number of the person's project for the gate or for the second try.

    If there is no such project yet, it is made, with its only task.
    """
    session = materials.current_session(event_log)
    number = participant.projects.get(role)
    if number is None:
        made = _made(materials, studio, session, participant, role)
        task = project_gate_task(materials, role, participant)
        studio.push(made.number, [task])
        number = _record_project(event_log, session, participant, role, made, text_hash(task["data"]))
    return number


def work_for(
    materials: SessionMaterials, event_log: EventLog, studio: LabelStudio, participant: Participant
) -> str:
    """Return the number of the person's work project, which is made if there is none yet."""
    session = materials.current_session(event_log)
    number = participant.projects.get("work")
    if number is None:
        made = _made(materials, studio, session, participant, "work")
        number = _record_project(event_log, session, participant, "work", made)
    return number


def push_batch(
    materials: SessionMaterials,
    event_log: EventLog,
    studio: LabelStudio,
    participant: Participant,
    batch: Batch,
    votes: Mapping[str, str] | None,
    tick: Tick,
) -> Reconciled:
    """Send a batch to the person's work project, each item once, and compare the counts.

    ``votes``, by unit_id, are shown in an adjudication with votes.
    """
    session = materials.current_session(event_log)
    project = int(participant.projects["work"])
    tasks = batch_tasks(materials, batch.items, votes)
    pushed = studio.push(project, tasks, tick)
    event_log.add(
        BatchPushed(
            session=session.opened.session,
            person=participant.person,
            batch=batch.batch,
            texts=tuple(text_hash(task["data"]) for task in tasks),
        )
    )
    planned = sum(len(b.items) for b in participant.batches if b.batch <= batch.batch)
    counts = studio.counts([project])
    return Reconciled(
        person=participant.person,
        batch=batch.batch,
        new=pushed.new,
        already=pushed.already,
        planned=planned,
        on_server=counts[project].tasks if project in counts else 0,
        doubled=len(pushed.doubled),
    )


def _made(
    materials: SessionMaterials,
    studio: LabelStudio,
    session: Session,
    participant: Participant,
    role: Role,
) -> Project:
    check_guidelines(materials, session)
    known_by = marker(session.opened.mark, participant.person, role)
    config = project_config(materials, role, votes=session.opened.votes)
    return studio.make_project(
        known_by,
        project_title(materials, session, role),
        config,
        project_instruction(materials, role),
        can_skip=skip_button(role),
    )


def _record_project(
    event_log: EventLog,
    session: Session,
    participant: Participant,
    role: Role,
    made: Project,
    text: str = "",
) -> str:
    event_log.add(
        ProjectMade(
            session=session.opened.session,
            person=participant.person,
            role=role,
            project=str(made.number),
            made_at=made.made_at,
            page=made.page,
            text=text,
        )
    )
    return str(made.number)

"""Answers at the gates: consent, declined domains, and comprehension of the guidelines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nextset.validation.annotator_pages.gate_page import read_gate
from nextset.validation.judgments.annotation import read_answer
from nextset.validation.judgments.entry_from_annotation import author
from nextset.validation.label_studio.annotation_download import FoundTask
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.projects import Project
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import GateAnswered
from nextset.validation.plan.state import Participant, Session
from nextset.validation.session.annotators import AccountPseudonyms
from nextset.validation.session.materials import SessionMaterials
from nextset.validation.session.project_contents import text_hash
from nextset.validation.session.server_changes import ServerChanges
from nextset.validation.session.work_project import page_changed

__all__ = ["pull_gates"]


def pull_gates(
    materials: SessionMaterials,
    event_log: EventLog,
    studio: LabelStudio,
    pseudonyms: AccountPseudonyms,
    existing: Mapping[tuple[str, str], Project],
    *,
    repair: bool = True,
) -> tuple[str, ...]:
    """Read the gates of all sessions and return what is new, one sentence each.

    Only projects in ``existing`` (`existing_projects`) are read, including those of earlier sessions and of
    people who left: consent can be withdrawn there. Answers are processed in the order of their times. What
    somebody changed at the open session's gates is restored, unless ``repair`` is false.
    """
    messages: list[str] = []
    new: list[GateAnswered] = []
    for number, session in event_log.state.sessions.items():
        here = session is event_log.state.current
        changes = ServerChanges(materials, event_log, studio, session, repair=here and repair)
        for participant in session.people.values():
            project = existing.get((number, participant.projects.get("gate", "")))
            if project is not None:
                gate = _Gate(participant, project, tuple(studio.tasks(project.number)))
                found = _answered(materials, pseudonyms, session, gate)
                if gate.altered:
                    found = _unless_agreed(changes, gate, found)
                if isinstance(found, GateAnswered):
                    new.append(found)
                elif found:
                    messages.append(f"{participant.person}: the answer at the gate cannot be read: {found}")
                messages += _repaired(changes, gate) if here else ()
    for answered in sorted(new, key=lambda a: a.at):
        event_log.add(answered)
        participant = event_log.state.sessions[answered.session].people[answered.person]
        messages.append(_as_text(answered, withdrawn=answered.consent and participant.withdrew))
    return tuple(messages)


@dataclass(frozen=True)
class _Gate:
    """A person's gate as it was found."""

    participant: Participant
    project: Project
    tasks: tuple[FoundTask, ...]

    @property
    def altered(self) -> bool:
        """Whether its text or its page is not the one that was made."""
        made = self.participant.made["gate"]
        return page_changed(made, self.project) or any(
            made.text not in ("", text_hash(task.data)) for task in self.tasks
        )


def _unless_agreed(
    changes: ServerChanges, gate: _Gate, found: GateAnswered | str | None
) -> GateAnswered | str | None:
    """Return what somebody answered at an altered gate; one who agreed there is asked again."""
    if not isinstance(found, GateAnswered) or not found.consent:
        return found
    if changes.repair:
        for task in gate.tasks:
            for annotation in task.annotations:
                changes.studio.delete_annotation(int(annotation["id"]))
    return "somebody had changed the gate on the server, so this is not consent"


def _repaired(changes: ServerChanges, gate: _Gate) -> list[str]:
    said = [line for task in gate.tasks for line in changes.gate_text(gate.participant, task)]
    return [*said, *changes.project(gate.participant, gate.participant.made["gate"], gate.project)]


def _answered(
    materials: SessionMaterials, pseudonyms: AccountPseudonyms, session: Session, gate: _Gate
) -> GateAnswered | str | None:
    """Return the person's answer if it is newer than the plan's, a string with the reason if it cannot be
    read, else None."""
    participant = gate.participant
    # Pseudonyms of another key cannot be compared: then the project says whose answer it is.
    anybody = session.opened.key != materials.key_name
    found = [
        (answer.answered_at, int(annotation["id"]), annotation)
        for task in gate.tasks
        for annotation in task.annotations
        for answer in [read_answer(annotation, materials.briefing.kind)]
        if anybody or pseudonyms.pseudonym(author(annotation)) == participant.person
    ]
    if not found:
        return None
    at, _, annotation = max(found, key=lambda f: f[:2])
    before = participant.own_gate
    if before and at <= before.at:
        return None
    answer = read_gate(annotation, materials.briefing, materials.domains, materials.settings.mistakes)
    if answer.problem:
        return answer.problem
    changed = session.opened.guidelines != materials.briefing.version
    if changed and answer.consent and before is None:
        return None  # what was understood cannot be known any more
    # What was understood of earlier guidelines was told then.
    old = before if changed and answer.consent else None
    return GateAnswered(
        session=session.opened.session,
        person=participant.person,
        at=at,
        consent=answer.consent,
        declined=answer.declined,
        wrong=old.wrong if old else answer.wrong,
        passed=old.passed if old else answer.passed,
    )


def _as_text(answered: GateAnswered, *, withdrawn: bool) -> str:
    if withdrawn:
        return f"{answered.person} agreed at the gate before withdrawing consent: the withdrawal holds"
    if not answered.consent:
        return (
            f"{answered.person} does not agree: no units are assigned, "
            "and none of this person's judgments count"
        )
    wrong = f"answered incorrectly: {', '.join(answered.wrong)}" if answered.wrong else ""
    if not answered.passed:
        return (
            f"{answered.person} agrees, but {wrong}; "
            "discuss it with the person, who can then change the answer at the gate"
        )
    declined = f"; declines {', '.join(answered.declined)}" if answered.declined else ""
    return f"{answered.person} passed the gate{declined}{'; ' + wrong if wrong else ''}"

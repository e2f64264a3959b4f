"""Answers at the gates: consent, declined domains, and comprehension of the guidelines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from nextset.validation.annotator_pages.gate_page import GateAnswer, GatePage, read_gate
from nextset.validation.judgments.annotation import account, changed_by, read_answer
from nextset.validation.label_studio.annotation_download import FoundTask
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.projects import Project
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import ProjectMade
from nextset.validation.plan.state import Participant, Session
from nextset.validation.session.annotators import AccountPseudonyms
from nextset.validation.session.comprehension_tries import gate_answered
from nextset.validation.session.materials import SessionMaterials
from nextset.validation.session.organiser_warnings import same_guidelines
from nextset.validation.session.project_contents import text_hash
from nextset.validation.session.project_repair import ProjectRepair
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
    people who left: consent can be withdrawn there. Answers are processed in the order of their times.
    Changes that someone made to the open session's gates are undone, unless ``repair`` is false.
    """
    messages: list[str] = []
    new: list[_Found] = []
    counts = studio.counts(_gate_projects(event_log, existing))
    for number, session in event_log.state.sessions.items():
        here = session is event_log.state.current
        changes = ProjectRepair(materials, event_log, studio, session, repair=here and repair)
        for participant in session.people.values():
            for page in _PAGES:
                project = existing.get((number, participant.projects.get(page, "")))
                if project is None:
                    continue
                at_least = counts[project.number].tasks if project.number in counts else None
                tasks = tuple(studio.tasks(project.number, at_least=at_least))
                gate = _Gate(participant, page, project, tasks)
                outcome = _answered(materials, pseudonyms, session, gate)
                if gate.altered or (isinstance(outcome, _Found) and outcome.by_another):
                    outcome = _unless_agreed(changes, gate, outcome)
                if isinstance(outcome, _Found):
                    new.append(outcome)
                elif outcome:
                    messages.append(f"{participant.person}: the answer at the gate cannot be read: {outcome}")
                messages += _repaired(changes, gate) if here else ()
    for answer in sorted(new, key=lambda a: a.at):
        messages.append(_taken_in(event_log, answer))
    return tuple(messages)


_PAGES: tuple[GatePage, ...] = get_args(GatePage)


def _gate_projects(event_log: EventLog, existing: Mapping[tuple[str, str], Project]) -> set[int]:
    """Return the numbers of the gates' projects in ``existing``."""
    return {
        existing[number, participant.projects[page]].number
        for number, session in event_log.state.sessions.items()
        for participant in session.people.values()
        for page in _PAGES
        if (number, participant.projects.get(page, "")) in existing
    }


@dataclass(frozen=True)
class _Gate:
    """A page of a person's gate as it was found."""

    participant: Participant
    page: GatePage
    project: Project
    tasks: tuple[FoundTask, ...]

    @property
    def made(self) -> ProjectMade:
        """The event that records how the page was made."""
        return self.participant.made[self.page]

    @property
    def altered(self) -> bool:
        """True if its text or its page differs from the one that was made."""
        return page_changed(self.made, self.project) or any(
            self.made.text not in ("", text_hash(task.data)) for task in self.tasks
        )


@dataclass(frozen=True)
class _Found:
    """An answer that is newer than the plan's."""

    session: str
    person: str
    page: GatePage
    at: str
    answer: GateAnswer
    by_another: bool
    """True if an account other than the person's changed it last."""


def _unless_agreed(changes: ProjectRepair, gate: _Gate, found: _Found | str | None) -> _Found | str | None:
    """Return the answer at an altered gate; if it is consent, a message, and the person is asked again.

    Consent that another account changed is altered too, even if that changed nothing: it must be one's own.
    """
    if not isinstance(found, _Found) or not found.answer.consent:
        return found
    if changes.repair:
        for task in gate.tasks:
            for annotation in task.annotations:
                changes.studio.delete_annotation(int(annotation["id"]))
    what = "the answer at the gate" if found.by_another else "the gate"
    return f"someone had changed {what} on the server, so this is not consent"


def _repaired(changes: ProjectRepair, gate: _Gate) -> list[str]:
    reports = [line for task in gate.tasks for line in changes.gate_text(gate.participant, gate.made, task)]
    return [*reports, *changes.project(gate.participant, gate.made, gate.project)]


def _answered(
    materials: SessionMaterials, pseudonyms: AccountPseudonyms, session: Session, gate: _Gate
) -> _Found | str | None:
    """Return the person's answer if it is newer than the plan's, a string with the reason if it cannot be
    read, else None."""
    participant, page = gate.participant, gate.page
    # Pseudonyms made with a different key cannot be compared; then the project identifies the annotator.
    anybody = session.opened.key != materials.key_name
    answers = [
        (answer.answered_at, int(annotation["id"]), annotation)
        for task in gate.tasks
        for annotation in task.annotations
        for answer in [read_answer({**annotation, "updated_by": None}, materials.briefing.form)]
        if anybody or pseudonyms.pseudonym(account(annotation)) == participant.person
    ]
    if not answers:
        return None
    at, _, annotation = max(answers, key=lambda f: f[:2])
    before = participant.own_gate if page == "gate" else participant.own_retry
    by_another = bool(changed_by(annotation))
    if before and at <= before.at:
        return None
    mistakes = materials.settings.mistakes
    answer = read_gate(annotation, materials.briefing, materials.domains, mistakes, page)
    if answer.problem:
        return answer.problem
    if answer.consent and page not in participant.tries and not same_guidelines(materials, session):
        return None  # it is no longer possible to know what the person understood
    if by_another and before and before.consent and answer.consent:
        return None  # what the person agreed to holds
    return _Found(session.opened.session, participant.person, page, at, answer, by_another)


def _taken_in(event_log: EventLog, found: _Found) -> str:
    """Add the answer to the plan, and return a sentence about it."""
    state, session, person = event_log.state, found.session, found.person
    event = gate_answered(state, session, person, found.page, found.at, found.answer)
    participant = event_log.add(event).sessions[session].people[person]
    if event.consent and participant.withdrew:
        return f"{person} agreed at the gate before withdrawing consent: the withdrawal holds"
    if not event.consent:
        return f"{person} does not agree: no units are assigned, and none of this person's judgments count"
    wrong = f"answered incorrectly: {', '.join(event.wrong)}" if event.wrong else ""
    if event.passed:
        second = " at the second try" if len(participant.tries) > 1 else ""
        declined = f"; declines {', '.join(event.declined)}" if event.declined else ""
        return f"{person} passed the gate{second}{declined}{'; ' + wrong if wrong else ''}"
    if participant.tries[found.page] is not event:
        return f"{person} changed an answer at the gate; for the comprehension items the first answers count"
    if participant.may_retry:
        return (
            f"{person} agrees, but {wrong}; there is one second try, which shows the guidelines on these "
            "points: `nextset validate status` shows its link"
        )
    return f"{person} {wrong}; this was the second and last try: no units are assigned"

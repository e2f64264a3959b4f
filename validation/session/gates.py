"""Answers at the gates: consent, domains declined, and whether the guidelines were understood."""

from __future__ import annotations

from validation.judgments.annotation import read_answer
from validation.judgments.ingest import author
from validation.page.gate import read_gate
from validation.plan.events import GateAnswered
from validation.plan.state import Participant, Session
from validation.server.client import LabelStudio
from validation.session.desk import Desk
from validation.session.journal import Journal
from validation.session.people import Names

__all__ = ["pull_gates"]


def pull_gates(desk: Desk, journal: Journal, studio: LabelStudio, names: Names) -> tuple[str, ...]:
    """Read the gates of all sessions; what is new, in words.

    Those of earlier sessions, and of people who left, are read too: consent can be taken back there.
    """
    said = []
    for session in list(journal.state.sessions.values()):
        for participant in session.people.values():
            if "gate" in participant.projects:
                answered = _answered(desk, studio, names, session, participant)
                if answered is not None:
                    journal.add(answered)
                    said.append(_in_words(answered))
    return tuple(said)


def _answered(
    desk: Desk, studio: LabelStudio, names: Names, session: Session, participant: Participant
) -> GateAnswered | None:
    """The person's answer, where it is not the one that the plan has."""
    found = [
        (answer.answered_at, int(f.annotation["id"]), f.annotation)
        for f in studio.answers(int(participant.projects["gate"]))
        for answer in [read_answer(f.annotation, desk.told.kind)]
        if names.pseudonym(author(f.annotation)) == participant.person
    ]
    if not found:
        return None
    at, _, annotation = max(found, key=lambda f: f[:2])
    before = (
        participant.gate if participant.gate and participant.gate.session == session.opened.session else None
    )
    if before and before.at == at:
        return None
    answer = read_gate(annotation, desk.told, desk.domains, desk.settings.mistakes)
    if answer.problem:
        return None  # what cannot be read changes nothing
    # What was understood of earlier guidelines was told then.
    old = before if before and session.opened.guidelines != desk.told.version else None
    return GateAnswered(
        session=session.opened.session,
        person=participant.person,
        at=at,
        consent=answer.consent,
        declined=answer.declined,
        wrong=old.wrong if old else answer.wrong,
        passed=old.passed if old else answer.passed,
    )


def _in_words(answered: GateAnswered) -> str:
    if not answered.consent:
        return f"{answered.person} does not agree: nothing is dealt, and nothing of this person counts"
    wrong = f"answered otherwise than the guidelines: {', '.join(answered.wrong)}" if answered.wrong else ""
    if not answered.passed:
        return (
            f"{answered.person} agrees, but {wrong}; talk it over, then the answer can be changed at the gate"
        )
    declined = f"; declines {', '.join(answered.declined)}" if answered.declined else ""
    return f"{answered.person} passed the gate{declined}{'; ' + wrong if wrong else ''}"

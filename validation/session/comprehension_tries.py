"""Tries of the comprehension items: one at the gate, one at its second page, and never a third."""

from __future__ import annotations

from nextset.validation.annotator_pages.gate_page import GateAnswer, GatePage
from nextset.validation.plan.events import GateAnswered
from nextset.validation.plan.state import State

__all__ = ["gate_answered"]


def gate_answered(
    state: State, session: str, person: str, page: GatePage, at: str, answer: GateAnswer
) -> GateAnswered:
    """Return the event for an answer that ``person`` gave at the time ``at`` on a page of the gate.

    The first answers on a page that come with consent decide what was understood. Answers that are changed
    later, or deleted and given again, change only the consent and the declined domains. An annotator who has
    passed once under the session's guidelines has passed. The page for the second try does not change the
    declined domains, and neither does an answer without consent.
    """
    participant = state.sessions[session].people[person]
    before = participant.tries.get(page)
    wrong: tuple[str, ...] = ()
    passed = False
    if answer.consent:
        wrong = before.wrong if before else answer.wrong
        passed = (before.passed if before else answer.passed) or _understood(state, session, person)
    chosen = answer.consent and page == "gate"
    return GateAnswered(
        session=session,
        person=person,
        at=at,
        consent=answer.consent,
        declined=answer.declined if chosen else participant.declined,
        wrong=wrong,
        passed=passed,
        role=page,
    )


def _understood(state: State, session: str, person: str) -> bool:
    """Return whether the person has passed, in this or another session, under this session's guidelines."""
    guidelines = state.sessions[session].opened.guidelines
    parts = [
        other.people[person]
        for other in state.sessions.values()
        if other.opened.guidelines == guidelines and person in other.people
    ]
    return any(tried.passed for part in parts for tried in part.tries.values())

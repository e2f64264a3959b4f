"""Warnings for the organiser of a session: changes since it was opened, a damaged log, and too few people."""

from __future__ import annotations

from pathlib import Path

from nextset.counted import counted
from nextset.errors import StudyError
from nextset.records.judgment import LOG_NAME
from nextset.validation.judgments.judgment_log import erasing, read
from nextset.validation.plan.event_log import PLAN_NAME, EventLog
from nextset.validation.plan.state import Session
from nextset.validation.session.materials import SessionMaterials, lost_sessions
from nextset.validation.session.settings_changes import settings_changes

__all__ = [
    "check_guidelines",
    "log_warnings",
    "opening_warnings",
    "same_guidelines",
    "session_warnings",
]


def same_guidelines(materials: SessionMaterials, session: Session) -> bool:
    """Return whether the guidelines are still those that ``session`` was opened with."""
    return session.opened.guidelines == materials.briefing.version


def check_guidelines(materials: SessionMaterials, session: Session) -> None:
    """Raise StudyError if the guidelines have changed since ``session`` was opened."""
    if not same_guidelines(materials, session):
        raise StudyError(
            f"the guidelines have changed since session {session.opened.session} was opened",
            file=materials.file,
            remedy="close that session and open a new one, or undo the change",
        )


def opening_warnings(materials: SessionMaterials, event_log: EventLog) -> tuple[str, ...]:
    """Return the warnings for the organiser before people are invited, one sentence each."""
    warnings = session_warnings(materials, event_log)
    if not materials.briefing.unchecked:
        return warnings
    language = materials.briefing.wording.language
    return (f"no native speaker has checked the page's wording in {language!r}", *warnings)


def log_warnings(judgments: Path) -> tuple[str, ...]:
    """Return what is wrong with the log in folder ``judgments``, and an erasure that is not complete."""
    log, person = read(judgments), erasing(judgments)
    warnings = []
    for problem in (log.misfit, *(erasure.before for erasure in log.erasures)):
        if problem and problem not in warnings:
            warnings.append(problem)
    warnings = [f"{judgments / LOG_NAME}: {problem}; compare it with its backup" for problem in warnings]
    if lost := lost_sessions(judgments):
        warnings.append(f"{judgments / PLAN_NAME}: {lost}; restore it from its backup")
    if person:
        warnings.append(
            f"the erasure of {person} is not complete: run nextset validate leave STUDY {person} --erase"
        )
    return tuple(warnings)


def session_warnings(materials: SessionMaterials, event_log: EventLog) -> tuple[str, ...]:
    """Return the warnings for the organiser of an open session, one sentence each."""
    warnings = []
    language = materials.briefing.wording.language
    if other := sorted({*materials.units["language"].to_pylist()} - {language}):
        warnings.append(f"units in {', '.join(other)} are shown on a page in {language}")
    warnings += log_warnings(materials.judgments)
    session = event_log.state.current
    if session and session.opened.kind == "main":
        people = sum(p.left is None and not (p.withdrew or p.failed) for p in session.people.values())
        needed = session.opened.agree or session.asked.most
        if people < needed:
            all_need = session.opened.agree or not session.asked.drawn
            drawn = counted(len(session.asked.drawn), "units need", "unit needs")
            which = "each unit needs" if all_need else drawn
            warnings.append(
                f"{which} {counted(needed, 'annotators')} and the session has {people}: "
                "add more with nextset validate join STUDY E-MAIL"
            )
    if session and session.opened.key != materials.key_name:
        warnings.append(
            "the pseudonym key is not the one that the session was opened with: new pseudonyms "
            "cannot be linked to earlier ones; restore the key, or close the session and open a new one"
        )
    if session and not same_guidelines(materials, session):
        warnings.append(
            "the guidelines have changed since the session was opened: annotators still work with the ones "
            "that they were shown; close the session and open a new one, or undo the change"
        )
    if session:
        warnings += settings_changes(session, materials.settings, materials.unit_ids)
    return tuple(warnings)

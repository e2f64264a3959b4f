"""Warnings for the organiser of a session: what has changed since it was opened, and too few people."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from nextset.counted import counted
from nextset.errors import StudyError
from nextset.records.judgment import LOG_NAME
from nextset.study.validation_settings import SessionSettings
from nextset.validation.judgments.judgment_log import erasing, read
from nextset.validation.plan.event_log import PLAN_NAME, EventLog
from nextset.validation.plan.state import Session
from nextset.validation.session.materials import SessionMaterials, lost_sessions

__all__ = [
    "check_guidelines",
    "log_warnings",
    "opening_warnings",
    "recorded_settings",
    "same_guidelines",
    "session_warnings",
    "settings_changes",
]

_TEXTS = {"consent", "support", "warning", "wording", "comprehension"}
"""The settings whose texts the version of the guidelines covers."""
_NEXT_BATCH = ("budget.", "gold", "rest_every", "run", "pause_seat")
_NEXT_PAGE = ("submit",)
_NEXT_ANSWER = ("mistakes",)


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


def recorded_settings(settings: SessionSettings) -> str:
    """Return the settings as a session records them when it is opened."""
    return json.dumps(settings.model_dump(mode="json", exclude=_TEXTS), sort_keys=True)


def settings_changes(
    session: Session, settings: SessionSettings | None, units: Collection[str]
) -> tuple[str, ...]:
    """Return what has changed in the study since ``session`` was opened, one sentence each.

    ``settings`` are those of now, null if the section validate.session is gone; ``units`` are the ids of the
    units that the filter keeps now.
    """
    opened = session.opened
    if settings is None:
        return ("validate.session is no longer in study.yaml: the session cannot go on without it",)
    lines = []
    if opened.settings:
        before, now = _flat(json.loads(opened.settings)), _flat(json.loads(recorded_settings(settings)))
        lines = [
            f"validate.session.{name} was {_shown(before.get(name))} when the session was opened and is "
            f"{_shown(now.get(name))} now: {_applies(name)}"
            for name in sorted({*before, *now})
            if before.get(name) != now.get(name)
        ]
    gone = [unit for unit in opened.units if unit not in units]
    if gone:
        which = counted(len(gone), "units of the session are", "unit of the session is")
        lines.append(f"{which} no longer kept by the filter: they are not assigned any more")
    if opened.kind == "main" and (new := len(set(units) - set(opened.units))):
        which = counted(new, "units are kept that are", "unit is kept that is")
        lines.append(f"{which} not in the session: this needs a new session")
    return tuple(lines)


def _applies(name: str) -> str:
    """Return from when a changed setting applies."""
    if name == "premise":
        return "pages keep the old form: undo this, or close the session and open a new one"
    for names, when in (
        (_NEXT_BATCH, "this applies from the next batch on"),
        (_NEXT_PAGE, "this applies when an annotator's page is next loaded"),
        (_NEXT_ANSWER, "this applies to answers at the gate that are not pulled yet"),
    ):
        if name.startswith(names):
            return when
    return "this needs a new session (close this one first); until then the old value holds"


def _flat(settings: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{above}{name}.")
        else:
            flat[f"{above}{name}"] = value
    return flat


def _shown(value: object) -> str:
    return "not set" if value is None or value == "" else json.dumps(value, ensure_ascii=False)

"""`nextset validate join` and `leave`: annotators join or leave the open session."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import JudgmentError
from nextset.files.folder_lock import locked_folder
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study
from nextset.validation.judgments.pseudonyms import identity, pseudonym
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import PersonLeft
from nextset.validation.session.materials import no_open_session
from nextset.validation.session.open import Opened, open_session, session_materials
from nextset.validation.timestamps import current_timestamp

__all__ = ["Left", "join_session", "leave_session"]


@short_repr
@dataclass(frozen=True)
class Left:
    """An annotator who stopped."""

    person: str
    """The annotator's pseudonym."""
    withdrew: bool
    """True if consent was withdrawn."""
    judgments: int
    """The number of this person's judgments that count now."""
    marked: int
    """The number of judgments that no longer count after a withdrawal; they stay in the log, marked."""


@of_study
def join_session(study: Study, studio: LabelStudio, email: str, progress: Progress = SILENT) -> Opened:
    """Let the account ``email`` take part in the open session, even if it has left the session before."""
    with locked_folder(study.judgments, "validate join"):
        current = EventLog(study.judgments).state.current
        if current is None:
            raise no_open_session(study.folder)
        return open_session(study, studio, [email], pilot=current.opened.kind == "pilot", progress=progress)


@of_study
def leave_session(study: Study, name: str, *, withdraw: bool = False) -> Left:
    """Let an annotator stop; with ``withdraw`` all judgments of the person are marked and no longer count.

    ``name`` is the account's e-mail, or a pseudonym. Items that were assigned and not answered go to others
    at the next pull. Consent can also be withdrawn without an open session: this is recorded in the last
    session that the person took part in. Raises JudgmentError if no such annotator takes part.
    """
    with locked_folder(study.judgments, "validate leave"):
        materials, event_log = session_materials(study), EventLog(study.judgments)
        known = {identity(name), pseudonym(identity(name), materials.key)}
        parts = [
            (s, p) for s in event_log.state.sessions.values() for p in s.people.values() if p.person in known
        ]
        current = event_log.state.current
        if not parts or (not withdraw and (current is None or parts[-1][0] is not current)):
            raise JudgmentError(
                "no annotator with this e-mail or pseudonym takes part",
                remedy="give an e-mail or pseudonym that `nextset validate status STUDY` shows",
            )
        session, participant = parts[-1]
        event_log.add(
            PersonLeft(
                session=session.opened.session,
                person=participant.person,
                at=current_timestamp(),
                why="withdrew" if withdraw else "stopped",
            )
        )
        own = [c for c in materials.counted(event_log) if c.person == participant.person and c.part == "unit"]
        return Left(
            participant.person,
            withdraw,
            sum(c.is_verdict for c in own),
            sum(c.why_not == "consent withdrawn" and c.entry.outcome == "judged" for c in own),
        )

"""`nextset validate close`: compare the server with the log, back up both logs, end the session."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.counted import counted
from nextset.errors import ServerError
from nextset.files.folder_lock import locked_folder
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study
from nextset.validation.judgments.judgment_log import read
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import SessionClosed
from nextset.validation.session.annotators import account_pseudonyms
from nextset.validation.session.consent_and_comprehension import pull_gates
from nextset.validation.session.join_and_leave import forget_withdrawn
from nextset.validation.session.log_backup import back_up_logs
from nextset.validation.session.materials import SessionMaterials
from nextset.validation.session.open import session_materials
from nextset.validation.session.person_projects import existing_projects
from nextset.validation.session.pull import Taken, take
from nextset.validation.timestamps import current_timestamp

__all__ = ["Closed", "close_session"]


@short_repr
@dataclass(frozen=True)
class Closed:
    """A session that ended."""

    session: str
    """The session's number in the study."""
    taken: Taken | None
    """The result of the last comparison; null if there was no server to compare with."""
    backup: Path
    """The folder with the copies of the logs."""


@of_study
def close_session(study: Study, studio: LabelStudio | None, progress: Progress = SILENT) -> Closed:
    """Compare the annotations on the server with the log, back up both logs, and end the session.

    Later changes on the server do not count. Without ``studio`` (the server is lost) the session ends with
    the annotations in the log. Raises ServerError, and leaves the session open, if the server returns fewer
    annotations than it counts.
    """
    with locked_folder(study.judgments, "validate close"):
        materials, event_log = session_materials(study), EventLog(study.judgments)
        session = materials.current_session(event_log).opened.session
        begun = current_timestamp()
        backup = back_up_logs(study.judgments, f"session-{session}", begun)
        taken = _compared(materials, event_log, studio, progress) if studio else None
        event_log.add(SessionClosed(session=session, at=_end(study, session, begun)))
        back_up_logs(study.judgments, f"session-{session}", begun)
        return Closed(session, taken, backup)


def _compared(
    materials: SessionMaterials, event_log: EventLog, studio: LabelStudio, progress: Progress
) -> Taken:
    """Read all annotations from the server; raises ServerError if it returns fewer than it counts."""
    pseudonyms = account_pseudonyms(studio.accounts(), materials.key)
    existing = existing_projects(studio, event_log.state)
    pull_gates(materials, event_log, studio, pseudonyms, existing, repair=False)
    taken = take(materials, event_log, studio, pseudonyms, existing, everything=True, progress=progress)
    forget_withdrawn(materials.judgments, event_log.state, studio, existing)
    returned = taken.new + taken.already  # without answers in the log that were deleted on the server
    if returned < taken.on_server:
        raise ServerError(
            f"the server counts {counted(taken.on_server, 'answers')}, but returned {returned:,}",
            remedy="run `nextset validate close STUDY` again; if the error stays, compare the projects on "
            "the server with the log",
        )
    return taken


def _end(study: Study, session: str, begun: str) -> str:
    """Return when the session ended: when the comparison began, or, if the server's clock is ahead of ours,
    when the newest answer read was given."""
    at = [e.answered_at for e in read(study.judgments).entries if e.session == session and e.answered_at]
    return max([begun, *at], key=datetime.fromisoformat)

"""`nextset validate close`: compare the server with the log, back up both logs, end the session."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.counted import counted
from nextset.errors import ServerError
from nextset.files.atomic_files import write_atomically
from nextset.files.folder_lock import locked_folder
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study
from nextset.validation.judgments.judgment_log import read
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.coverage import Coverage
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

_LEFT = "units_left.csv"


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
    units: int
    """The number of units of the session."""
    unjudged: int
    """The number of units that no one has judged: their items are not released."""
    begun: int
    """The number of units with fewer judgments than the session asked for: these judgments decide."""
    left: Path | None
    """The file that names these units, with the number of their judgments; null if there are none."""


@of_study
def close_session(study: Study, studio: LabelStudio | None, progress: Progress = SILENT) -> Closed:
    """Compare the annotations on the server with the log, back up both logs, and end the session.

    Later changes on the server do not count. Without ``studio`` (the server is lost) the session ends with
    the log's annotations. Raises ServerError, and leaves the session open, if the server returns fewer
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
        judged = _units_left(materials, event_log, session)
        file = backup / _LEFT if judged else None
        if file is not None:
            rows = "".join(f"{unit_id},{n}\n" for unit_id, n in judged.items())
            write_atomically(file, f"unit_id,judgments\n{rows}".encode())
        unjudged = sum(n == 0 for n in judged.values())
        units = len(event_log.state.sessions[session].opened.units)
        return Closed(session, taken, backup, units, unjudged, len(judged) - unjudged, file)


def _units_left(materials: SessionMaterials, event_log: EventLog, session: str) -> dict[str, int]:
    """Return the judgments of each unit of the session that has too few of them."""
    asking = event_log.state.sessions[session]
    entries = materials.counted(event_log)
    coverage = Coverage(asking, entries, materials.facts)
    judgments = Counter(c.entry.unit_id for c in entries if c.is_verdict)
    return {
        unit_id: judgments[unit_id]
        for unit_id in asking.opened.units
        if unit_id in materials.unit_ids and not coverage.enough(unit_id)
    }


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

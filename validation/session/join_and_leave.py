"""People join and leave a session that is open."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import JudgmentError
from nextset.files.folder_lock import locked_folder
from nextset.study.study_folder import Study
from nextset.validation.judgments.pseudonyms import pseudonym
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.event_log import Journal
from nextset.validation.plan.events import PersonLeft
from nextset.validation.session.annotators import identity
from nextset.validation.session.counting import counted_now
from nextset.validation.session.materials import desk_of
from nextset.validation.session.open import Opened, open_session
from nextset.validation.timestamps import now

__all__ = ["Left", "join_session", "leave_session"]


@dataclass(frozen=True)
class Left:
    """Somebody who stopped."""

    person: str
    """Pseudonym."""
    withdrew: bool
    """Whether consent was taken back."""
    judgments: int
    """Judgments of this person that count now."""
    marked: int
    """Judgments that no longer count, since consent was taken back; they stay in the log, marked."""


def join_session(study: Study, studio: LabelStudio, email: str, progress: Progress = SILENT) -> Opened:
    """Let the account ``email`` take part in the session that is open, also again after having left."""
    with locked_folder(study.judgments, "validate join"):
        current = Journal(study.judgments).state.current
        if current is None:
            raise nothing_open(study)
        return open_session(study, studio, [email], pilot=current.opened.kind == "pilot", progress=progress)


def leave_session(study: Study, name: str, *, withdraw: bool = False) -> Left:
    """Let somebody stop; with ``withdraw`` all judgments of the person are marked and no longer count.

    ``name`` is the account's e-mail, or a pseudonym. What was dealt and is not answered goes to others at the
    next pull. Without an open session consent can be taken back all the same: in the last one that the person
    took part in. Raises JudgmentError where nobody of that name takes part.
    """
    with locked_folder(study.judgments, "validate leave"):
        desk, journal = desk_of(study), Journal(study.judgments)
        known = {name, pseudonym(identity(name), desk.key)}
        parts = [
            (s, p) for s in journal.state.sessions.values() for p in s.people.values() if p.person in known
        ]
        current = journal.state.current
        if not parts or (not withdraw and (current is None or parts[-1][0] is not current)):
            raise JudgmentError(
                "nobody of that name takes part",
                remedy="give the account's e-mail, or the pseudonym that `nextset validate status` shows",
            )
        session, participant = parts[-1]
        journal.add(
            PersonLeft(
                session=session.opened.session,
                person=participant.person,
                at=now(),
                why="withdrew" if withdraw else "stopped",
            )
        )
        own = [c for c in counted_now(desk, journal) if c.person == participant.person and c.part == "unit"]
        return Left(
            participant.person,
            withdraw,
            sum(c.is_verdict for c in own),
            sum(c.why_not == "consent withdrawn" and c.entry.outcome == "judged" for c in own),
        )


def nothing_open(study: Study) -> JudgmentError:
    """The error where a session has to be open."""
    return JudgmentError("no session is open", remedy=f"open one: nextset validate open {study.folder}")

"""A session begins: everything is checked, the plan is written, each person gets a gate."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import JudgmentError
from nextset.files.folder_lock import locked_folder
from nextset.study.study_folder import Study
from nextset.validation.judgments.pseudonyms import key_name
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.local_owner import read_owner
from nextset.validation.plan.event_log import Journal
from nextset.validation.plan.events import PersonJoined, SessionKind, SessionOpened
from nextset.validation.session.annotators import Person, annotators, people_of
from nextset.validation.session.counting import counted_now
from nextset.validation.session.materials import Desk, desk_of
from nextset.validation.session.next_batches import advance
from nextset.validation.study_units import need_people
from nextset.validation.timestamps import now

__all__ = ["Invited", "Opened", "begin", "desk_to_open", "open_session"]


@dataclass(frozen=True)
class Invited:
    """A person of the session, and where to begin."""

    email: str
    """The account's e-mail: for the organiser's eyes, kept nowhere."""
    person: str
    """Pseudonym."""
    link: str
    """The page where the person begins."""
    at: str
    """gate or work: what is there."""


@dataclass(frozen=True)
class Opened:
    """A session that is open."""

    session: str
    """Its number in the study."""
    kind: SessionKind
    """What it is for."""
    units: int
    """Units to be judged."""
    people: tuple[Invited, ...]
    """Who takes part."""
    new: bool
    """Whether it was opened now; an open one of the same kind goes on."""
    warnings: tuple[str, ...]
    """What the organiser should know."""


def open_session(
    study: Study,
    studio: LabelStudio,
    emails: Iterable[str] = (),
    *,
    pilot: bool = False,
    progress: Progress = SILENT,
) -> Opened:
    """Open a session of ``study`` on ``studio``, or go on with opening it where that was stopped.

    ``emails`` name the annotators' accounts; on a server of `validate serve` all of its annotators when left
    out. Raises StudyError where warning, consent, support or budget is missing, a text cannot be shown or the
    page cannot be used, before anything is made; JudgmentError where another session is open; ServerError.
    """
    kind: SessionKind = "pilot" if pilot else "main"
    with locked_folder(study.judgments, "validate open"):
        desk = desk_to_open(study)
        return begin(desk, studio, emails, kind, desk.wanted(kind), votes=False, progress=progress)


def desk_to_open(study: Study) -> Desk:
    """What a session of ``study`` is made of; raises all that can be said of it without a server.

    StudyError also where a rule judges.
    """
    need_people(study)
    return desk_of(study)


def begin(
    desk: Desk,
    studio: LabelStudio,
    emails: Iterable[str],
    kind: SessionKind,
    units: Sequence[str],
    *,
    votes: bool,
    progress: Progress,
) -> Opened:
    """Open a session of any kind over ``units``; the caller holds the judgments."""
    journal = Journal(desk.study.judgments)
    current = journal.state.current
    if current and current.opened.kind != kind:
        raise JudgmentError(
            f"session {current.opened.session} ({current.opened.kind}) is open",
            remedy=f"close it first: nextset validate close {desk.study.folder}",
        )
    if current is None and kind == "main":
        _check_something_is_left(desk, journal, units)
    desk.check(units, studio)
    here = [p.person for p in current.people.values() if p.left is None] if current else []
    # nobody becomes an adjudicator unasked
    owner = "" if kind == "adjudication" else _own_owner(studio)
    people = annotators(people_of(studio.accounts(), desk.key), emails, here, owner)
    if current is None:
        if not units:
            raise JudgmentError(
                "there is nothing to judge", remedy="look at `nextset status`: what did the filter keep?"
            )
        journal.add(_opened(desk, journal, kind, units, votes))
    _join(desk, journal, people)
    advance(desk, journal, studio, counted_now(desk, journal), progress)
    session = desk.session(journal)
    return Opened(
        session=session.opened.session,
        kind=session.opened.kind,
        units=len(session.opened.units),
        people=tuple(invited(desk, journal, studio, person) for person in people),
        new=current is None,
        warnings=desk.warnings(journal),
    )


def invited(desk: Desk, journal: Journal, studio: LabelStudio, person: Person) -> Invited:
    """Where ``person`` begins, or goes on."""
    participant = desk.session(journal).people[person.pseudonym]
    at = "gate" if participant.needs_gate else "work"
    link = studio.link(int(participant.projects["gate" if at == "gate" else "work"]))
    return Invited(person.email, person.pseudonym, link, at)


def _check_something_is_left(desk: Desk, journal: Journal, units: Sequence[str]) -> None:
    """Raise JudgmentError where nobody would be dealt anything: people are not asked to come for that."""
    judged = Counter(
        c.entry.unit_id for c in counted_now(desk, journal) if c.is_verdict and c.kind != "adjudication"
    )
    if units and all(judged[unit_id] >= desk.settings.overlap for unit_id in units):
        raise JudgmentError(
            f"all units have the judgments of {desk.settings.overlap} people that validate.session asks for",
            remedy=f"go on with `nextset run {desk.study.folder}`, or raise the overlap",
        )


def _own_owner(studio: LabelStudio) -> str:
    """The owner's e-mail where the server is one of `validate serve`; empty elsewhere."""
    owner = read_owner()
    return owner.email if owner and owner.url == studio.url else ""


def _opened(
    desk: Desk, journal: Journal, kind: SessionKind, units: Sequence[str], votes: bool
) -> SessionOpened:
    settings = desk.settings
    return SessionOpened(
        session=str(len(journal.state.sessions) + 1),
        kind=kind,
        mark=secrets.token_hex(8),
        at=now(),
        seed=settings.seed,
        overlap=1 if kind == "adjudication" else settings.overlap,
        agree=None if kind == "adjudication" else settings.agree,
        guidelines=desk.told.version,
        key=key_name(desk.key),
        units=tuple(units),
        votes=votes,
    )


def _join(desk: Desk, journal: Journal, people: Sequence[Person]) -> None:
    session = desk.session(journal)
    desk.check_guidelines(session)
    if session.opened.key != desk.key_name:
        raise JudgmentError(
            f"the key of the pseudonyms is another than session {session.opened.session} was opened with: "
            "whoever takes part already would be asked again as somebody new",
            remedy="restore the key, or close the session and open another",
        )
    here = {person for person, p in session.people.items() if p.left is None}
    journal.add(
        *(
            PersonJoined(session=session.opened.session, at=now(), person=p.pseudonym, account=p.account)
            for p in people
            if p.pseudonym not in here
        )
    )

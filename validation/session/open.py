"""`nextset validate open`: check everything, write the plan, make each annotator's gate."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import JudgmentError, StudyError
from nextset.files.folder_lock import locked_folder
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study
from nextset.study.validation_settings import SessionSettings
from nextset.validation.annotator_pages.briefing import briefing
from nextset.validation.annotator_pages.unwritten_text import refuse_unwritten_texts
from nextset.validation.forms.validated_form import judged_form
from nextset.validation.judgments.pseudonyms import key_name, pseudonym_key
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.local_annotators import local_annotators
from nextset.validation.label_studio.studies_with_sessions import note_study
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import PersonJoined, Role, SessionKind, SessionOpened
from nextset.validation.plan.judgments_per_unit import judgments_per_unit
from nextset.validation.session.annotator_link import annotator_link
from nextset.validation.session.annotators import Person, annotators, people_of
from nextset.validation.session.materials import SessionMaterials, lost_sessions, no_open_session
from nextset.validation.session.next_batches import advance
from nextset.validation.session.organiser_warnings import (
    check_guidelines,
    opening_warnings,
)
from nextset.validation.session.person_projects import existing_projects
from nextset.validation.session.project_contents import check_contents
from nextset.validation.session.settings_changes import recorded_settings
from nextset.validation.study_units import gold_items, kept_units, need_annotators, page_language
from nextset.validation.timestamps import current_timestamp

__all__ = [
    "Invited",
    "Opened",
    "begin",
    "materials_to_open",
    "open_session",
    "session_materials",
    "session_settings",
]


@dataclass(frozen=True)
class Invited:
    """An annotator of the session, and the page to begin on."""

    email: str
    """The account's e-mail: for the organiser only, never stored."""
    person: str
    """The annotator's pseudonym."""
    link: str
    """The link to the page that the person begins on."""
    at: Role
    """The role of that page."""
    failed: bool
    """True if the person failed both tries of the gate and is given no units."""


@short_repr
@dataclass(frozen=True)
class Opened:
    """A session that is open."""

    session: str
    """The session's number in the study."""
    kind: SessionKind
    """The kind of session."""
    units: int
    """The number of units to judge."""
    people: tuple[Invited, ...]
    """The annotators."""
    new: bool
    """True if the session was opened now; false if an open session of the same kind is continued."""
    warnings: tuple[str, ...]
    """Warnings for the organiser."""


@of_study
def open_session(
    study: Study,
    studio: LabelStudio,
    emails: Iterable[str] = (),
    *,
    pilot: bool = False,
    progress: Progress = SILENT,
) -> Opened:
    """Open a session of ``study`` on ``studio``, or resume an opening that was stopped.

    ``emails`` name the annotators' accounts, by default all of a server of `validate serve`. Before anything
    is made, raises StudyError if warning, consent, support or budget is missing, a text cannot be shown or
    the page cannot be used, JudgmentError if another session is open, and ServerError.
    """
    kind: SessionKind = "pilot" if pilot else "main"
    with locked_folder(study.judgments, "validate open"):
        materials = materials_to_open(study, kind)
        return begin(
            materials, studio, emails, kind, materials.prioritised_units(kind), votes=False, progress=progress
        )


def materials_to_open(study: Study, kind: SessionKind = "main") -> SessionMaterials:
    """Return the materials of a session of ``study``; raises all errors that need no server.

    Also raises StudyError if a rule judges instead of annotators, or if a placeholder in a text is not yet
    replaced with the study's own words, and JudgmentError if another session is open or nothing is left.
    """
    need_annotators(study.settings.validate_, study.file)
    refuse_unwritten_texts(study.settings.validate_.session, study.file)
    materials, event_log = session_materials(study), EventLog(study.judgments)
    current = event_log.state.current
    if current and current.opened.kind != kind:
        raise JudgmentError(
            f"session {current.opened.session} ({current.opened.kind}) is open",
            remedy=f"close it first: nextset validate close {materials.folder}",
        )
    if current is None and kind == "main":
        _check_something_is_left(materials, event_log, materials.prioritised_units(kind))
    return materials


def session_materials(study: Study) -> SessionMaterials:
    """Return the materials of a session of ``study``, read and checked.

    Raises StudyError if the section validate.session is missing or a file that it names is wrong,
    MissingStage before `filter` has run.
    """
    settings = session_settings(study)
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)
    form = study.filter.form
    return SessionMaterials(
        folder=study.folder,
        file=study.file,
        judgments=study.judgments,
        predictions=study.out / "validator",
        settings=settings,
        briefing=briefing(
            judged_form(form, study.settings.validate_.unit),
            page_language(units, study.settings.language),
            settings,
            study.path,
        ),
        key=pseudonym_key(),
        units=units,
        gold=gold_items(study.settings.validate_, form, study.path),
    )


def session_settings(study: Study) -> SessionSettings:
    """Return the section validate.session; raises StudyError if it is missing."""
    settings = study.settings.validate_.session
    if settings is None:
        raise StudyError(
            "'validate.session' is missing: a session needs consent, support and a budget",
            file=study.file,
            remedy="add validate: {session: {consent: …, support: …, budget: {batch: 50, person: 400}}}; "
            "docs/how_to/sessions.md has an example",
        )
    return settings


def begin(
    materials: SessionMaterials,
    studio: LabelStudio,
    emails: Iterable[str],
    kind: SessionKind,
    units: Sequence[str],
    *,
    votes: bool,
    progress: Progress,
) -> Opened:
    """Open a session of any kind over ``units``; the caller locks the judgments' folder."""
    event_log = EventLog(materials.judgments)
    current = event_log.state.current
    if current is None and lost_sessions(materials.judgments):
        raise no_open_session(materials.folder)
    check_contents(materials, units, studio)
    here = [p.person for p in current.people.values() if p.left is None] if current else []
    # adjudicators must be named
    local = () if kind == "adjudication" else _local_annotators(studio)
    people = annotators(people_of(studio.accounts(), materials.key), emails, here, local)
    if current is None:
        if not units:
            raise JudgmentError(
                "there is nothing to judge", remedy="check with `nextset status STUDY` what the filter kept"
            )
        event_log.add(_opened(materials, event_log, kind, units, votes))
    if studio.folder:
        note_study(studio.folder, materials.folder)
    _join(materials, event_log, people)
    advance(
        materials,
        event_log,
        studio,
        materials.counted(event_log),
        existing_projects(studio, event_log.state),
        progress,
    )
    session = materials.current_session(event_log)
    return Opened(
        session=session.opened.session,
        kind=session.opened.kind,
        units=len(session.opened.units),
        people=tuple(invited(materials, event_log, studio, person) for person in people),
        new=current is None,
        warnings=opening_warnings(materials, event_log),
    )


def invited(materials: SessionMaterials, event_log: EventLog, studio: LabelStudio, person: Person) -> Invited:
    """Return ``person`` with the page to begin or continue on."""
    participant = materials.current_session(event_log).people[person.pseudonym]
    opened = materials.current_session(event_log).opened
    link = annotator_link(studio, opened, participant.projects[participant.page])
    return Invited(person.email, person.pseudonym, link, participant.page, participant.failed)


def _check_something_is_left(materials: SessionMaterials, event_log: EventLog, units: Sequence[str]) -> None:
    """Raise JudgmentError if no unit would be assigned to anyone."""
    judged = Counter(
        c.entry.unit_id for c in materials.counted(event_log) if c.is_verdict and c.kind != "adjudication"
    )
    settings = materials.settings
    needed = judgments_per_unit(settings.overlap, units, settings.seed)
    if units and all(judged[unit_id] >= needed.of(unit_id) for unit_id in units):
        raise JudgmentError(
            "every unit already has the judgments that validate.session asks for "
            f"(overlap: {settings.overlap})",
            remedy=f"continue with `nextset run {materials.folder}`, or raise the overlap",
        )


def _local_annotators(studio: LabelStudio) -> Collection[str]:
    """Return the annotators' e-mails if `validate serve` started the server; else nothing."""
    return local_annotators(studio.folder) if studio.folder else ()


def _opened(
    materials: SessionMaterials, event_log: EventLog, kind: SessionKind, units: Sequence[str], votes: bool
) -> SessionOpened:
    settings = materials.settings
    return SessionOpened(
        session=str(len(event_log.state.sessions) + 1),
        kind=kind,
        mark=secrets.token_hex(8),
        at=current_timestamp(),
        seed=settings.seed,
        overlap=1 if kind == "adjudication" else settings.overlap,
        agree=None if kind == "adjudication" else settings.agree,
        guidelines=materials.briefing.version,
        language=materials.briefing.wording.language,
        key=key_name(materials.key),
        units=tuple(units),
        votes=votes,
        stop_below=settings.postpone_below if kind == "main" else None,
        settings=recorded_settings(settings),
    )


def _join(materials: SessionMaterials, event_log: EventLog, people: Sequence[Person]) -> None:
    session = materials.current_session(event_log)
    check_guidelines(materials, session)
    if session.opened.key != materials.key_name:
        raise JudgmentError(
            f"the pseudonym key is not the one that session {session.opened.session} was opened with: "
            "current annotators would be treated as new people",
            remedy="restore the key, or close the session and open a new one",
        )
    here = {person for person, p in session.people.items() if p.left is None}
    event_log.add(
        *(
            PersonJoined(
                session=session.opened.session, at=current_timestamp(), person=p.pseudonym, account=p.account
            )
            for p in people
            if p.pseudonym not in here
        )
    )

"""`nextset validate join` and `leave`: annotators join or leave the open session, or are erased."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import JudgmentError, NextsetError, ServerError
from nextset.files.atomic_files import remove_temporary
from nextset.files.folder_lock import locked_folder
from nextset.records.judgment import LOG_NAME
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study
from nextset.validation.agreement.counted_answers import counted_answers, counted_entries
from nextset.validation.judgments.judgment_log import ERASING, Erasure, erase, erasing, read
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.judgments.pseudonyms import identity, pseudonym, pseudonym_key
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.local_annotators import forget_annotator
from nextset.validation.label_studio.projects import Project
from nextset.validation.label_studio.studies_with_sessions import noted_studies
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import PersonLeft
from nextset.validation.plan.state import State
from nextset.validation.session.annotators import people_of
from nextset.validation.session.materials import no_open_session
from nextset.validation.session.open import Opened, open_session
from nextset.validation.session.person_projects import found_projects
from nextset.validation.study_units import kept_units
from nextset.validation.timestamps import current_timestamp
from nextset.validation.verdicts import aggregate

__all__ = ["Left", "forget_comments", "forget_withdrawn", "join_session", "leave_session"]


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
    comments: int = 0
    """The number of lines of the log whose comment was removed, after a withdrawal."""
    erased: int = 0
    """The number of lines that were removed from the log."""
    changed: Mapping[str, str] | None = None
    """The verdicts that became different, as texts by unit_id; null if nothing was erased."""
    recomputed: int = 0
    """The number of verdicts that were computed again, since the person had judged the unit."""
    account: str = ""
    """What became of the account on the server, and of what else was there; empty if nothing was erased."""
    unfinished: str = ""
    """The reason why the server still has something; empty if it has not."""


@of_study
def join_session(study: Study, studio: LabelStudio, email: str, progress: Progress = SILENT) -> Opened:
    """Let the account ``email`` take part in the open session, even if it has left the session before."""
    with locked_folder(study.judgments, "validate join"):
        current = EventLog(study.judgments).state.current
        if current is None:
            raise no_open_session(study.folder)
        return open_session(study, studio, [email], pilot=current.opened.kind == "pilot", progress=progress)


@of_study
def leave_session(
    study: Study, name: str, *, withdraw: bool = False, erase: bool = False, studio: LabelStudio | None = None
) -> Left:
    """Let an annotator stop; with ``withdraw`` all judgments of the person are marked and no longer count.

    ``name`` is the account's e-mail, or a pseudonym. The next pull assigns unanswered items to others.
    Consent can also be withdrawn without an open session, and comments are removed then, on ``studio`` too.
    ``erase`` also removes the person's lines in the log and its backups, and the projects and the account on
    ``studio``; if it is stopped, the same call continues. Raises JudgmentError if no such annotator takes
    part or has judged.
    """
    with locked_folder(study.judgments, "validate leave"):
        event_log = EventLog(study.judgments)
        known = {name, identity(name), pseudonym(identity(name), pseudonym_key())}
        parts = [
            (s, p) for s in event_log.state.sessions.values() for p in s.people.values() if p.person in known
        ]
        current = event_log.state.current
        judges = known & {*(e.judge for e in read(study.judgments).entries), erasing(study.judgments)}
        takes_part = parts and (withdraw or erase or (current is not None and parts[-1][0] is current))
        if not takes_part and not (erase and judges):
            raise JudgmentError(
                "no annotator with this e-mail or pseudonym takes part",
                remedy="give an e-mail or pseudonym that `nextset validate status STUDY` shows; for files, "
                "give the name in the file with --erase, or import the person's rows again as declined",
            )
        person = parts[-1][1].person if parts else min(judges)
        units = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
        before = _verdicts(study, event_log.state, units) if erase else {}  # with the person's judgments
        if erase:
            _check_alone(study.judgments, person)
            (study.judgments / ERASING).write_text(f"{person}\n", encoding="ascii")
        if parts and not (erase and parts[-1][1].withdrew):
            event_log.add(
                PersonLeft(
                    session=parts[-1][0].opened.session,
                    person=person,
                    at=current_timestamp(),
                    why="withdrew" if withdraw or erase else "stopped",
                )
            )
        if erase:
            return _erase(study, event_log.state, person, before, studio)
        comments = 0
        on_server = any(participant.projects for _, participant in parts)
        unfinished = "no Label Studio server was found" if withdraw and on_server and studio is None else ""
        if withdraw:
            try:
                existing = found_projects(studio.projects(), event_log.state) if studio else {}
                comments = forget_comments(study.judgments, event_log.state, [person], studio, existing)
            except ServerError as e:
                comments = forget_comments(study.judgments, event_log.state, [person], None, {})
                unfinished = e.message
        counted = counted_entries(study.judgments, event_log.state, frozenset(units))
        own = [c for c in counted if c.person == person and c.part == "unit"]
        return Left(
            person,
            withdraw,
            sum(c.is_verdict for c in own),
            sum(c.why_not == "consent withdrawn" and c.entry.outcome == "judged" for c in own),
            comments,
            unfinished=unfinished,
        )


def forget_comments(
    judgments: Path,
    state: State,
    people: Iterable[str],
    studio: LabelStudio | None,
    existing: Mapping[tuple[str, str], Project],
) -> int:
    """Remove the comments of ``people`` from their projects, among ``existing``, and then from the log.

    Return the number of lines of the log with a comment. Raises ServerError if ``studio`` fails; then the log
    is unchanged, and the next call continues.
    """
    judges = _pseudonyms(state, people)
    for (session, number), _ in existing.items() if studio else ():
        if state.owners.get((session, number)) in judges:
            for given in studio.answers(int(number)) if studio else ():
                result = given.annotation["result"] or []
                kept = [r for r in result if not (isinstance(r, dict) and r.get("from_name") == "comment")]
                if studio and len(kept) < len(result):
                    studio.patch(f"/api/annotations/{given.annotation['id']}/", {"result": kept})

    def silent(entry: Entry) -> Entry:
        return replace(entry, comment="") if entry.comment and entry.judge in judges else entry

    return _in_all_logs(judgments, judges, silent).comments


def forget_withdrawn(
    judgments: Path,
    state: State,
    studio: LabelStudio | None = None,
    existing: Mapping[tuple[str, str], Project] = MappingProxyType({}),
) -> None:
    """Remove the comments of all people who have withdrawn, if the log has any; raises as `forget_comments`
    does."""
    last = {person: p for session in state.sessions.values() for person, p in session.people.items()}
    people = [person for person, participant in last.items() if participant.withdrew]
    judges = _pseudonyms(state, people)
    if any(e.comment and e.judge in judges for e in read(judgments).entries):
        forget_comments(judgments, state, people, studio, existing)


def _in_all_logs(judgments: Path, judges: Collection[str], keep: Callable[[Entry], Entry | None]) -> Erasure:
    """Change the study's own log and those of its backups; return what was removed from the own one."""
    at = current_timestamp()
    remove_temporary(judgments)  # a killed command may have left a copy of a log
    for backup in sorted((judgments / "backup").glob(f"*/{LOG_NAME}")):
        erase(backup.parent, judges, at, keep)
    return erase(judgments, judges, at, keep)


def _pseudonyms(state: State, people: Iterable[str]) -> set[str]:
    """Return the pseudonyms of ``people``, with those of their accounts."""
    wanted = set(people)
    accounts = (s.accounts for s in state.sessions.values())
    return wanted | {account for of in accounts for account, person in of.items() if person in wanted}


def _check_alone(judgments: Path, person: str) -> None:
    other = erasing(judgments)
    if other not in ("", person):
        raise JudgmentError(
            f"the erasure of {other} is not complete",
            file=judgments / ERASING,
            remedy=f"complete it first: nextset validate leave STUDY {other} --erase",
        )


def _erase(
    study: Study, state: State, person: str, before: Mapping[str, str], studio: LabelStudio | None
) -> Left:
    """Remove the person's lines; ``before`` has the verdicts while the person's judgments counted."""
    judges = _pseudonyms(state, [person])
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    own = {e.unit_id for e in read(study.judgments).entries if e.judge in judges and e.outcome == "judged"}
    removed = _in_all_logs(study.judgments, judges, lambda e: None if e.judge in judges else e)
    after = _verdicts(study, state, units)
    on_server = any(
        p.person == person and p.projects for s in state.sessions.values() for p in s.people.values()
    )
    account, unfinished = "", ""
    if studio is not None:
        try:
            account = _erase_on_server(study, state, person, studio)
        except ServerError as e:
            unfinished = e.message
    elif on_server:
        unfinished = "no Label Studio server was found"
    if not unfinished:
        (study.judgments / ERASING).unlink(missing_ok=True)
    return Left(
        person,
        withdrew=True,
        judgments=0,
        marked=0,
        erased=removed.erased,
        changed={
            unit: f"{before[unit]} → {after.get(unit, 'no verdict')}"
            for unit in sorted(before)
            if before[unit] != after.get(unit)
        },
        recomputed=len(own & {*units}),
        account=account,
        unfinished=unfinished,
    )


def _verdicts(study: Study, state: State, units: Collection[str]) -> dict[str, str]:
    """Return the verdict of each judged unit as text."""
    answers = counted_answers(counted_entries(study.judgments, state, frozenset(units)))
    # in plain votes, also if a model of the annotators makes the verdicts: it would change them all a little
    verdicts = aggregate(units, answers.judgments, adjudications=answers.adjudications)
    return {
        unit: " ".join(filter(None, (verdict.verdict or "tie", verdict.stance_judged)))
        for unit, verdict in verdicts.by_unit.items()
    }


def _erase_on_server(study: Study, state: State, person: str, studio: LabelStudio) -> str:
    """Delete the person's projects and account; return what became of the account."""
    existing = found_projects(studio.projects(), state)
    projects = [number for session, number in existing if state.owners.get((session, number)) == person]
    for number in projects:
        studio.delete(f"/api/projects/{number}/")
    gone = f"projects deleted on the server: {len(projects)}"
    people = people_of(studio.accounts(), pseudonym_key()).values()
    account = next((p for p in people if p.pseudonym == person), None)
    if account is None:
        return f"{gone}; the server has no account of this person"
    if other := _other_study(study, person, studio):
        return f"{gone}; the account stays, since the person also takes part in {other}"
    studio.delete(f"/api/users/{account.number}/")
    if studio.folder:
        forget_annotator(studio.folder, account.email)
    return f"{gone}; the account is deleted"


def _other_study(study: Study, person: str, studio: LabelStudio) -> str:
    """Return another study on the server that the person takes part in, or that cannot be read; else
    nothing."""
    for folder in noted_studies(studio.folder) if studio.folder else ():
        if folder != study.folder.absolute():
            try:
                sessions = EventLog(folder / "judgments").state.sessions.values()
            except NextsetError:
                return str(folder)
            if any(person in session.people for session in sessions):
                return str(folder)
    return ""

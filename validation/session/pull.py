"""`nextset validate pull`: add new judgments on the server to the log, then assign the next batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.files.folder_lock import locked_folder
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study
from nextset.validation.agreement.counted_answers import not_counted
from nextset.validation.judgments.annotation import entry_of
from nextset.validation.judgments.judgment_log import append, known_states, new_entries, read, was_read
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.label_studio.annotation_download import FoundTask
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.projects import Project
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import SessionOpened
from nextset.validation.session.annotator_link import annotator_link
from nextset.validation.session.annotators import AccountPseudonyms, account_pseudonyms
from nextset.validation.session.consent_and_comprehension import pull_gates
from nextset.validation.session.join_and_leave import forget_withdrawn
from nextset.validation.session.materials import SessionMaterials
from nextset.validation.session.next_batches import Advanced, advance
from nextset.validation.session.open import session_materials
from nextset.validation.session.organiser_warnings import session_warnings
from nextset.validation.session.person_projects import existing_projects
from nextset.validation.session.project_repair import ProjectRepair
from nextset.validation.session.work_project import WorkProject

__all__ = ["Pulled", "Taken", "pull_session", "take"]

_OVERLAP = timedelta(minutes=10)
"""The time before the newest answer in the log that is read again: servers commit some answers late."""


@dataclass(frozen=True)
class Taken:
    """The counts of a pull."""

    new: int
    """The number of entries added."""
    already: int
    """The number of entries that were already in the log."""
    on_server: int
    """The number of answers in the session's work projects, with skipped ones, as the server counts them."""
    in_log: int
    """The number of annotations of the session in the log, in any state, including those deleted since."""
    warnings: tuple[str, ...]
    """Warnings for the organiser."""


@short_repr
@dataclass(frozen=True)
class Pulled:
    """A pull."""

    session: str
    taken: Taken
    """The counts of the work projects."""
    not_counted: Mapping[str, int]
    """The number of the session's entries that do not count, by reason, without superseded ones."""
    gates: tuple[str, ...]
    """New answers at the gates, one sentence each."""
    advanced: Advanced
    """The batches assigned afterwards."""
    link: str
    """The link for annotators to continue, the same for all of them; empty if no gateway runs."""
    warnings: tuple[str, ...]
    """Warnings for the organiser."""


@of_study
def pull_session(study: Study, studio: LabelStudio, progress: Progress = SILENT) -> Pulled:
    """Add new judgments of the open session to the log, then assign the next batches.

    Answers are in the log first; if a pull is stopped, the next one resumes there. Raises JudgmentError if no
    session is open, StudyHeld while another process works on the study's judgments, and ServerError.
    """
    with locked_folder(study.judgments, "validate pull"):
        materials, event_log = session_materials(study), EventLog(study.judgments)
        session = materials.current_session(event_log)
        pseudonyms = account_pseudonyms(studio.accounts(), materials.key)
        existing = existing_projects(studio, event_log.state)
        gates = pull_gates(materials, event_log, studio, pseudonyms, existing)
        taken = take(materials, event_log, studio, pseudonyms, existing, progress=progress)
        forget_withdrawn(study.judgments, event_log.state, studio, existing)
        counted = materials.counted(event_log)
        advanced = advance(materials, event_log, studio, counted, existing, progress)
        return Pulled(
            session.opened.session,
            taken,
            not_counted(c for c in counted if c.entry.session == session.opened.session),
            gates,
            advanced,
            annotator_link(studio, session.opened, None),
            (*session_warnings(materials, event_log), *taken.warnings),
        )


def take(
    materials: SessionMaterials,
    event_log: EventLog,
    studio: LabelStudio,
    pseudonyms: AccountPseudonyms,
    existing: Mapping[tuple[str, str], Project],
    *,
    everything: bool = False,
    progress: Progress = SILENT,
) -> Taken:
    """Read the session's work projects into the log: changed answers, or with ``everything`` all answers.

    A project is also read in full if the log then still has fewer of its answers than the server counts.
    Projects that are not in ``existing`` (`existing_projects`) are omitted, with a warning. Changes that
    someone made on the server are undone, and the answers to changed items are asked for again. With
    ``everything``, these answers merely do not count.
    """
    session = materials.current_session(event_log)
    number = session.opened.session
    log = read(materials.judgments)
    gone = {judge for erasure in log.erasures if erasure.erased for judge in erasure.judges}
    works = {p.projects["work"]: p for p in session.people.values() if "work" in p.projects}
    works = {
        project: p for project, p in works.items() if (number, project) in existing or p.person not in gone
    }
    projects = [project for project in works if (number, project) in existing]
    # Answers that another copy of the study read say nothing about this server: it may have used a different
    # one.
    own = [e for e in log.entries if e.session == number and e.nth is None]
    known, newest = known_states(log), _newest(own)
    numbers: dict[str, set[str]] = defaultdict(set)
    for entry in own:
        numbers[entry.project].add(entry.annotation)
    counts = studio.counts([int(p) for p in projects])
    expected = {str(project): c.answered + c.skipped for project, c in counts.items()}
    changes = ProjectRepair(materials, event_log, studio, session, repair=not everything)
    warnings = [
        f"the project of {p.person} is no longer on the server; judgments read from it earlier are kept"
        for project, p in works.items()
        if project not in projects
    ]
    tick, new, already = progress("pull"), 0, 0
    for i, project in enumerate(projects):
        tick(i, len(projects))
        since = newest.get(project)
        work = WorkProject(works[project], existing[number, project])
        for begin in [None] if everything or since is None else [since - _OVERLAP, None]:
            whole = counts[int(project)].tasks if begin is None and int(project) in counts else None
            tasks = list(studio.tasks(int(project), begin, whole))
            work.read(tasks, whole=begin is None)
            entries = list(_entries(materials, pseudonyms, session.opened, project, tasks, work))
            new_here = new_entries(entries, known)
            if session.opened.key == materials.key_name:
                warnings += work.of_others(new_here, {**event_log.state.accounts, **session.accounts})
            warnings += work.changed(new_here, [was_read(entry, known) for entry in new_here])
            added = append(materials.judgments, entries, known)
            new, already = new + added.new, already + added.already
            numbers[project].update(entry.annotation for entry in entries)
            if len(numbers[project]) >= expected.get(project, 0):
                break
        warnings += work.deleted(log.entries)
        warnings += changes.work(work, counts[int(project)].tasks if int(project) in counts else 0)
    tick(len(projects), len(projects))
    return Taken(
        new,
        already,
        sum(expected.values()),
        sum(map(len, numbers.values())),
        tuple(warnings),
    )


def _entries(
    materials: SessionMaterials,
    pseudonyms: AccountPseudonyms,
    opened: SessionOpened,
    project: str,
    tasks: Iterable[FoundTask],
    work: WorkProject,
) -> Iterator[Entry]:
    for task in tasks:
        for annotation in task.annotations:
            yield entry_of(
                annotation,
                form=materials.briefing.form,
                session=opened.session,
                project=project,
                unit_id=task.unit_id,
                pseudonym=pseudonyms.pseudonym,
                key=materials.key_name,
                guidelines=opened.guidelines,
                altered=work.altered(task),
            )


def _newest(entries: Iterable[Entry]) -> dict[str, datetime]:
    """Return the time of the newest of the ``entries`` of each project."""
    newest: dict[str, datetime] = {}
    for entry in entries:
        if entry.answered_at:
            at = datetime.fromisoformat(entry.answered_at)
            newest[entry.project] = max(at, newest.get(entry.project, at))
    return newest

"""`nextset validate status`: the progress of a session, of its annotators, and of judgments from files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study
from nextset.validation.agreement.annotator_quality import SeatQuality, seat_quality
from nextset.validation.agreement.counted_answers import counted_entries, not_counted
from nextset.validation.judgments.judgment_log import read
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.plan.coverage import Coverage, sufficiently_judged
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import SessionKind
from nextset.validation.plan.state import Participant
from nextset.validation.plan.template_shares import TemplateShare
from nextset.validation.session.annotator_link import annotator_link
from nextset.validation.session.open import session_materials
from nextset.validation.session.organiser_warnings import log_warnings, session_warnings
from nextset.validation.session.person_projects import existing_projects
from nextset.validation.study_units import kept_units

__all__ = ["PersonState", "PersonStatus", "SessionStatus", "session_status"]

PersonState = Literal[
    "at the gate", "second try", "misunderstood", "does not agree", "working", "on a break", "done",
    "stopped", "paused", "withdrew",
]  # fmt: skip


@dataclass(frozen=True)
class PersonStatus:
    """The progress of an annotator."""

    person: str
    """The annotator's pseudonym."""
    state: PersonState
    """The person's state. second try: too many comprehension items were answered incorrectly at the gate, and
    its second page waits. misunderstood: too many were answered incorrectly there too. on a break: the next
    batch is sent when the break is over and the person comes back. done: every assigned item is answered, or
    belongs to a domain that the person declined. paused: a limit of validate.session.pause_seat was crossed;
    the person gets no items until `nextset validate join`."""
    tries: int
    """The number of times that the person answered comprehension items in this session: at most 2."""
    batch: int
    """The number of batches assigned."""
    dealt: int
    """The number of items assigned."""
    on_server: int | None
    """The number of answers in the person's project, with skipped ones; null if the server was not asked."""
    in_log: int
    """The number of answers in the log from the person's project, with skipped and deleted ones."""
    left_to_others: int
    """The number of items that the person declined or skipped."""
    quality: SeatQuality
    """The person's speed and gold items in this session, as the log has them."""
    link: str
    """The link for the person to continue; empty if the session is closed or the server was not asked."""


@short_repr
@dataclass(frozen=True)
class SessionStatus:
    """The progress of a session, and of judgments from files."""

    session: str
    """The session's number; empty if the study has only judgments from files and never had a session."""
    kind: SessionKind
    open: bool
    """True if the session is open."""
    units: int
    """The number of units to judge."""
    enough: int
    """The number of units that need no further judgments."""
    begun: int
    """The number of units with a judgment that need more."""
    nobody_left: int
    """The number of units that need more annotators than those who may judge them."""
    waiting: tuple[TemplateShare, ...]
    """The templates whose units wait at the end of the queue; empty unless an open session has a floor."""
    postpone_below: float | None
    """The session's floor; null if it has none."""
    people: tuple[PersonStatus, ...]
    """The annotators."""
    in_files: int
    """The number of log entries from files: ``from_files`` plus those in ``not_counted``."""
    from_files: int
    """The number of judgments from files that count."""
    by_file: int
    """The number of annotators who gave these judgments."""
    not_counted: dict[str, int]
    """The number of entries of the session and of files that are not counted as verdicts, by reason. Earlier
    states of a session's annotations are not included, and neither are its gold and rest items."""
    to_pull: int | None
    """The number of answers on the server that are not in the log; null if the server was not asked."""
    log: tuple[str, ...] = ()
    """What is wrong with the log: the first line that does not fit, and an erasure that is not complete."""
    chained_from: int = 1
    """The first line of the log that is chained, 1 if it has none yet; 0 if none of its lines is."""
    changed: int = 0
    """The number of these entries that count although another account changed them before they were read."""
    warnings: tuple[str, ...] = ()
    """Warnings on an open session, with what has changed in study.yaml since it was opened."""


@of_study
def session_status(study: Study, studio: LabelStudio | None = None) -> SessionStatus | None:
    """Return the progress of the open session, else of the last one; None without sessions and judgments.

    The last session is the last one opened here, else a merged one. Without ``studio``, the progress is that
    of the logs; without sessions, that of the judgments from files. Changes nothing. Raises ServerError.
    """
    event_log = EventLog(study.judgments)
    session = event_log.state.current_or_last
    if session is None:
        return _of_files(study, event_log)
    materials = session_materials(study)
    number = session.opened.session
    counted = materials.counted(event_log)
    here = [c for c in counted if c.entry.session == number]
    existing = existing_projects(studio, event_log.state) if studio else frozenset()
    counts = studio.counts([int(project) for s, project in existing if s == number]) if studio else {}
    is_open = session is event_log.state.current
    facts = {**{unit_id: item.facts for unit_id, item in materials.gold.items()}, **materials.facts}
    coverage = Coverage(session, counted, facts)
    verdicts = Counter(c.entry.unit_id for c in counted if c.is_verdict)
    enough = {u for u in session.opened.units if coverage.enough(u)}
    people, to_pull = [], 0
    for p in session.people.values():
        work = p.projects.get("work")
        own = [c for c in here if c.entry.project == work]
        in_log = len({c.entry.annotation for c in own})
        count = counts.get(int(work)) if studio and work else None
        on_server = count.answered + count.skipped if count else 0
        to_pull += max(0, on_server - in_log)
        page = p.projects.get(p.page)
        people.append(
            PersonStatus(
                person=p.person,
                state=_state(p, coverage, is_open=is_open),
                tries=len(p.tries),
                batch=sum(not b.cancelled for b in p.batches),
                dealt=len(p.items),
                on_server=on_server if studio else None,
                in_log=in_log,
                left_to_others=sum(c.why_not in ("declined", "skipped") for c in own),
                quality=seat_quality(here, materials.known_verdicts, work),
                link=annotator_link(studio, session.opened, page)
                if is_open and studio and page and (number, page) in existing
                else "",
            )
        )
    files = [c for c in counted if not c.entry.session]
    assigner = materials.assigner(event_log, counted) if is_open else None
    return SessionStatus(
        session=number,
        kind=session.opened.kind,
        open=is_open,
        units=len(session.opened.units),
        enough=len(enough),
        begun=sum(u in verdicts and u not in enough for u in session.opened.units),
        nobody_left=len(assigner.understaffed_units()) if assigner else 0,
        waiting=assigner.waiting_templates() if assigner else (),
        postpone_below=session.opened.stop_below,
        people=tuple(people),
        in_files=len(files),
        from_files=sum(c.is_verdict for c in files),
        by_file=len({c.person for c in files if c.is_verdict}),
        not_counted=_not_counted(here, files),
        changed=_changed([*here, *files]),
        log=log_warnings(study.judgments),
        chained_from=_chained_from(study),
        to_pull=to_pull if studio else None,
        warnings=session_warnings(materials, event_log) if is_open else (),
    )


def _of_files(study: Study, event_log: EventLog) -> SessionStatus | None:
    if not read(study.judgments).entries and not log_warnings(study.judgments):
        return None
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    counted = counted_entries(study.judgments, event_log.state, units)
    judged = {c.entry.unit_id for c in counted if c.is_verdict}
    enough = sufficiently_judged(counted, study.settings.validate_.session, None, units)
    return SessionStatus(
        session="",
        kind="main",
        open=False,
        units=len(units),
        enough=len(enough),
        begun=len(judged - enough),
        nobody_left=0,
        waiting=(),
        postpone_below=None,
        people=(),
        in_files=len(counted),
        from_files=sum(c.is_verdict for c in counted),
        by_file=len({c.person for c in counted if c.is_verdict}),
        not_counted=_not_counted([], counted),
        changed=_changed(counted),
        log=log_warnings(study.judgments),
        chained_from=_chained_from(study),
        to_pull=None,
    )


def _chained_from(study: Study) -> int:
    log = read(study.judgments)
    return log.chained_from or int(not (log.entries or log.torn))


def _changed(counted: Iterable[Counted]) -> int:
    return sum(c.counts and bool(c.entry.changed_by) for c in counted)


def _not_counted(here: Iterable[Counted], files: Sequence[Counted]) -> dict[str, int]:
    reasons = Counter(not_counted([*here, *files]))
    for c in files:
        if c.why_not == "superseded":
            reasons["replaced by a later answer"] += 1
        elif c.part != "unit" and c.why_not in ("", "consent withdrawn") and c.entry.outcome == "judged":
            reasons[f"a {c.part} item, which needs no verdict"] += 1
    return dict(sorted(reasons.items()))


def _state(p: Participant, coverage: Coverage, *, is_open: bool) -> PersonState:
    if p.withdrew:
        return "withdrew"
    if p.left:
        return "paused" if p.left.why == "paused" else "stopped"
    if p.gate is None or p.asked_first:
        return "at the gate"
    if not p.gate.consent:
        return "does not agree"
    if not p.gate.passed and is_open and not p.failed:
        return "second try" if p.tries else "at the gate"
    if not p.gate.passed:
        return "misunderstood"
    left = coverage.open_items(p.person)
    if p.items and not left:
        return "done"
    to_come = {item.unit_id for batch in p.batches if batch.waits and batch.opens for item in batch.items}
    return "on a break" if to_come and left <= to_come else "working"

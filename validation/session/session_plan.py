"""`nextset validate plan`: a session as the study's settings would make it, and how long it would take."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import cycle, islice

import pyarrow as pa

from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study
from nextset.study.validation_settings import SessionSettings
from nextset.validation.agreement.counted_answers import counted_entries
from nextset.validation.plan.coverage import Coverage
from nextset.validation.plan.domains_and_groups import ItemFacts, item_facts
from nextset.validation.plan.event_log import read_events
from nextset.validation.plan.events import SessionKind, SessionOpened
from nextset.validation.plan.state import Session, State, fold
from nextset.validation.session.open import session_settings
from nextset.validation.session.working_hours import WorkingHours, answer_times, working_hours
from nextset.validation.session.workload import Workload, least_people, workload
from nextset.validation.study_units import gold_items, kept_units

__all__ = ["SessionPlan", "plan_session"]


@short_repr
@dataclass(frozen=True, kw_only=True)
class SessionPlan:
    """A session as it would be."""

    kind: SessionKind
    """main or pilot."""
    units: int
    overlap: float
    """The number of people who judge each unit, as the study says."""
    drawn: int
    """The number of units drawn for one more judgment; 0 if the overlap is a whole number."""
    agree: int | None
    """The number of equal verdicts that is enough; null if all annotators of the overlap are asked."""
    judged: int
    """The number of existing judgments that count here; those of a pilot count only in that pilot."""
    enough: int
    """The number of units that need no further judgment."""
    people: int
    """The number of people as asked, else that of the last session, but at least ``least_people``."""
    least_people: int
    """The fewest people who can give all judgments, each within ``budget.person`` and each unit once."""
    workload: Workload
    """The work of these people; with ``agree``, if they differ and as many as possible are asked."""
    if_agreed: Workload | None
    """Their work if the first people who judge a unit always agree; null without ``agree``."""
    pause_hours: float
    """The hours of a person's breaks between batches, which are not working hours."""
    hours: WorkingHours | None
    """Their working hours for ``workload``; null unless asked for."""
    hours_if_agreed: WorkingHours | None
    """Their working hours for ``if_agreed``; null as ``hours`` or ``if_agreed`` is."""


@of_study
def plan_session(
    study: Study,
    *,
    people: int | None = None,
    units: int | None = None,
    pilot: bool = False,
    hours: bool = False,
) -> SessionPlan:
    """Return the session of ``study`` that would be opened now; changes nothing and needs no server.

    ``people`` is the number of annotators, by default as many as in the last session, and at least as many as
    the budget requires. ``units`` is a number of unjudged units like those of the study. ``hours`` also
    estimates the working time, from the times in the study's log. Raises StudyError without validate.session,
    ValueError if ``people`` or ``units`` is less than 1.
    """
    for name, n in (("people", people), ("units", units)):
        if n is not None and n < 1:
            raise ValueError(f"{name} is {n}: it must be 1 or more, or None")
    settings = session_settings(study)
    state = fold(read_events(study.judgments).events)
    kept = kept_units(study.out, study.filter, study.settings.validate_.unit)
    counted = counted_entries(study.judgments, state, frozenset(kept["unit_id"].to_pylist()))
    facts = dict(item_facts(kept) if units is None else _like(kept, units))
    session = _session(facts, settings, pilot=pilot)
    coverage = Coverage(session, counted, facts)
    ids = session.opened.units
    known = gold_items(study.settings.validate_, study.filter.form, study.path)
    gold = {g: item.facts for g, item in known.items() if g not in facts}
    left = (
        {} if pilot else {u: session.asked.of(u) - coverage.judged(u) for u in ids if not coverage.enough(u)}
    )
    least = min(2, len(ids)) if pilot else least_people(left, settings, len(gold))
    n = people or max(least, _last_people(state))
    most = dict.fromkeys(ids, n) if pilot else left
    fewest = {u: coverage.missing(u) for u in left} if session.opened.agree and not pilot else None
    work = workload(most, n, settings, facts, gold)
    agreed = workload(fewest, n, settings, facts, gold) if fewest is not None else None
    times = answer_times(counted) if hours else {}
    return SessionPlan(
        kind=session.opened.kind,
        units=len(ids),
        overlap=settings.overlap,
        drawn=0 if pilot else len(session.asked.drawn),
        agree=settings.agree,
        judged=0 if pilot else sum(map(coverage.judged, ids)),
        enough=len(ids) - len(most),
        people=n,
        least_people=least,
        workload=work,
        if_agreed=agreed,
        pause_hours=settings.budget.pause * max(0, work.batches_a_person - 1) / 60,
        hours=working_hours(times, work, n) if hours else None,
        hours_if_agreed=working_hours(times, agreed, n) if hours and agreed else None,
    )


def _like(kept: pa.Table, units: int) -> Mapping[str, ItemFacts]:
    """Return the facts of ``units`` unjudged units: those of the study's units, repeated in turn."""
    facts = list(item_facts(kept).values()) or [ItemFacts("", ())]
    return {f"unit {i}": fact for i, fact in enumerate(islice(cycle(facts), units))}


def _session(ids: Collection[str], settings: SessionSettings, *, pilot: bool) -> Session:
    """Return a session of the units ``ids`` as it would be opened; a pilot has only some of them."""
    return Session(
        SessionOpened(
            session="next",
            kind="pilot" if pilot else "main",
            mark="",
            at="",
            seed=settings.seed,
            overlap=settings.overlap,
            agree=settings.agree,
            guidelines="",
            key="",
            units=tuple(ids)[: settings.pilot if pilot else None],
        )
    )


def _last_people(state: State) -> int:
    """Return the number of people in the last session, without those who left."""
    last = state.last_asking
    return sum(p.left is None and not p.withdrew for p in last.people.values()) if last else 0

"""The progress of sessions, domains and annotators."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping

from nextset.validation.plan.counting_rules import Counted
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.state import Participant, State
from nextset.validation.report.report_records import (
    DomainProgress,
    PersonProgress,
    SessionLine,
    Standing,
    UnitsWith,
)
from nextset.validation.verdicts import UnitVerdict

__all__ = ["by_domain", "people", "sessions", "units_with"]

_NO_ANSWER = ("another person's project", "after the close", "unknown session")


def sessions(state: State) -> tuple[SessionLine, ...]:
    """Return one line per session."""
    return tuple(
        SessionLine(
            session=session.opened.session,
            kind=session.opened.kind,
            opened_at=session.opened.at,
            closed_at=session.closed_at,
            units=len(session.opened.units),
            people=len(session.people),
            overlap=session.opened.overlap,
            agree=session.opened.agree,
            guidelines=session.opened.guidelines,
        )
        for session in state.sessions.values()
    )


def units_with(ids: Iterable[str], judged: Mapping[str, int]) -> tuple[UnitsWith, ...]:
    """Return the number of units in ``ids`` for each number of judgments, from 0 to the most."""
    counts = Counter(judged.get(unit_id, 0) for unit_id in ids)
    return tuple(UnitsWith(n, counts[n]) for n in range(max(counts, default=-1) + 1))


def by_domain(
    facts: Mapping[str, ItemFacts],
    judged: Mapping[str, int],
    enough: Container[str],
    verdicts: Mapping[str, UnitVerdict],
) -> tuple[DomainProgress, ...]:
    """Return one line per domain, sorted."""
    domains: dict[str, list[str]] = defaultdict(list)
    for unit_id, fact in facts.items():
        domains[fact.domain].append(unit_id)
    lines = []
    for domain, ids in sorted(domains.items()):
        verdict_counts = Counter(verdicts[u].verdict or "tied" for u in ids if u in verdicts)
        lines.append(
            DomainProgress(
                domain=domain,
                units=len(ids),
                judged=sum(judged.get(u, 0) > 0 for u in ids),
                enough=sum(u in enough for u in ids),
                valid=verdict_counts["valid"],
                invalid=verdict_counts["invalid"],
                incoherent=verdict_counts["incoherent"],
                tied=verdict_counts["tied"],
            )
        )
    return tuple(lines)


def people(state: State, counted: Iterable[Counted]) -> tuple[PersonProgress, ...]:
    """Return one line per person, sorted; answers that do not count for other reasons are included."""
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    for c in counted:
        if c.person and not c.is_replaced and c.why_not not in _NO_ANSWER:
            outcomes[c.person][c.entry.outcome] += 1
    parts: dict[str, list[Participant]] = defaultdict(list)
    for session in state.sessions.values():
        for person, participant in session.people.items():
            parts[person].append(participant)
    return tuple(
        PersonProgress(
            person=person,
            standing=_standing(parts[person][-1]) if parts[person] else "by file",
            batches=sum(not b.cancelled for p in parts[person] for b in p.batches),
            dealt=sum(len(p.items) for p in parts[person]),
            judged=outcomes[person]["judged"],
            declined=outcomes[person]["declined"],
            skipped=outcomes[person]["skipped"],
        )
        for person in sorted({*parts, *outcomes})
    )


def _standing(participant: Participant) -> Standing:
    if participant.withdrew:
        return "withdrew"
    if participant.left is not None:
        return "paused" if participant.left.why == "paused" else "stopped"
    return "at the gate" if participant.needs_gate else "takes part"

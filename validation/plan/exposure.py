"""Annotators' exposure: items read per person, for the organiser; totals without names, for the release."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import pyarrow as pa

from nextset.records.arrow_schema import table_of
from nextset.records.exposure_total import ExposureTotal
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.state import State

__all__ = ["Exposure", "exposure", "exposure_table", "exposure_totals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """The items that a person read in all sessions of the study, without rest items."""

    person: str
    """The person's pseudonym."""
    given: int
    """The number of items that were pushed to the person, or came back in a file."""
    read: int
    """The number of these that were answered in any way: Label Studio shows items one after the other."""
    by_domain: Mapping[str, int] = field(hash=False)
    """The items read, by domain; an empty text stands for domains that are no longer known."""
    declined: Mapping[str, int] = field(hash=False)
    """The items read that the person declined, by domain."""
    skipped: int
    """The number of items read that were skipped."""
    seconds: float
    """The time on all items, including rest items, as the server measured it; unknown times count as 0."""


def exposure(
    state: State, counted: Iterable[Counted], facts: Mapping[str, ItemFacts]
) -> tuple[Exposure, ...]:
    """Return the exposure of each person, sorted by pseudonym; ``facts`` of all items give the domains.

    Items whose answers do not count were still read, also by annotators who withdrew. Answers in a file that
    names no annotator are not included.
    """
    given: dict[str, set[str]] = defaultdict(set)
    by_outcome: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    seconds: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for session in state.sessions.values():
        for person, participant in session.people.items():
            pushed = (batch.items for batch in participant.batches if batch.pushed)
            given[person].update(i.unit_id for items in pushed for i in items if i.part != "rest")
    for c in counted:
        if not c.person or c.why_not == "changed by another":
            continue
        times, at = seconds[c.person], (c.entry.unit_id, c.entry.annotation)
        times[at] = max(times.get(at, 0.0), c.entry.seconds or 0.0)
        if c.part != "rest":
            by_outcome[c.person]["read"].add(c.entry.unit_id)
            if not c.is_replaced:
                by_outcome[c.person][c.entry.outcome].add(c.entry.unit_id)

    def by_domain(unit_ids: Iterable[str]) -> dict[str, int]:
        counts = Counter(facts[u].domain if u in facts else "" for u in unit_ids)
        return dict(sorted(counts.items()))

    return tuple(
        Exposure(
            person=person,
            given=len(given[person] | by_outcome[person]["read"]),
            read=len(by_outcome[person]["read"]),
            by_domain=by_domain(by_outcome[person]["read"]),
            declined=by_domain(by_outcome[person]["declined"]),
            skipped=len(by_outcome[person]["skipped"]),
            seconds=math.fsum(seconds[person].values()),
        )
        for person in sorted({*given, *by_outcome})
    )


def exposure_totals(people: Iterable[Exposure]) -> tuple[ExposureTotal, ...]:
    """Return the totals without names: all domains together, then each; empty if no one read anything."""
    read = [p for p in people if p.read]
    domains = sorted({domain for p in read for domain in p.by_domain})
    return tuple(_total(read, domain) for domain in ([None, *domains] if read else []))


def _total(people: Sequence[Exposure], domain: str | None) -> ExposureTotal:
    def of(by_domain: Mapping[str, int]) -> int:
        return sum(by_domain.values()) if domain is None else by_domain.get(domain, 0)

    ns = sorted(n for n in (of(p.by_domain) for p in people) if n)
    return ExposureTotal(
        domain=domain,
        people=len(ns),
        items=sum(ns),
        fewest=ns[0],
        median=float(median(ns)),
        most=ns[-1],
        declined=sum(of(p.declined) for p in people),
    )


def exposure_table(totals: Iterable[ExposureTotal]) -> pa.Table:
    """Return ``totals`` as a table in the schema of `ExposureTotal`, for the release."""
    return table_of(totals, ExposureTotal)

"""Coverage of units: how many annotators have judged a unit or have it open, and how many more it needs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from nextset.study.validation_settings import SessionSettings
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.judgments_per_unit import JudgmentsPerUnit, judgments_per_unit
from nextset.validation.plan.state import Participant, Session, State

__all__ = ["Coverage", "last_coverage", "queued", "settled_units", "sufficiently_judged"]

_ONE = JudgmentsPerUnit(1, frozenset())


class Coverage:
    """The coverage of the units of a session.

    Judgments of earlier sessions and of files count like this session's, except in an adjudication, which
    asks once more. In a pilot everyone judges all units.
    """

    def __init__(self, session: Session, counted: Iterable[Counted], facts: Mapping[str, ItemFacts]) -> None:
        opened = session.opened
        self._opened = opened
        self._asked = session.asked
        self._facts = facts
        self._verdicts: dict[str, Counter[str]] = defaultdict(Counter)
        self._held: Counter[str] = Counter()
        self._seen: dict[str, set[str]] = defaultdict(set)
        self._answered: dict[str, set[str]] = defaultdict(set)
        for c in counted:
            here = c.entry.session == opened.session
            if c.entry.outcome not in ("invalid", "altered") and c.why_not != "another person's project":
                self._seen[c.person].add(c.entry.unit_id)
            if here and c.entry.outcome != "altered" and not c.is_replaced:
                # The server does not show an answered item again in this project, regardless of who answered
                # it.
                self._answered[c.owner].add(c.entry.unit_id)
            if c.is_verdict and (here or "adjudication" not in (opened.kind, c.kind)):
                self._verdicts[c.entry.unit_id][str(c.entry.verdict)] += 1
        self._open: dict[str, set[str]] = {p: self._open_items(x) for p, x in session.people.items()}
        for person, participant in session.people.items():
            self._assigned_to(person, participant.items)
            if participant.active:
                self._held.update(self._open[person])

    def _open_items(self, participant: Participant) -> set[str]:
        answered = self._answered[participant.person]
        return {
            unit_id
            for unit_id in participant.items
            if unit_id not in answered and self._domain(unit_id) not in participant.declined
        }

    def _domain(self, unit_id: str) -> str | None:
        return self._facts[unit_id].domain if unit_id in self._facts else None

    def _assigned_to(self, person: str, unit_ids: Iterable[str]) -> None:
        self._seen[person].update(unit_ids)

    @property
    def postpone_below(self) -> float | None:
        """The session's floor of a template's valid share; None if it has none."""
        return self._opened.stop_below

    def missing(self, unit_id: str) -> int:
        """Return the number of further annotators to assign the unit to now.

        With ``agree``, at first only this many annotators are asked; if they differ, more are asked.
        """
        opened = self._opened
        if opened.kind == "pilot":
            return 1
        verdicts = self._verdicts.get(unit_id)
        judged, most = (verdicts.total(), max(verdicts.values())) if verdicts else (0, 0)
        missing = self._asked.of(unit_id) - judged
        if opened.agree is not None:
            missing = min(missing, opened.agree - most)
        return max(0, missing - self._held[unit_id])

    def judged(self, unit_id: str) -> int:
        """Return the number of judgments of the unit that count."""
        return self._verdicts[unit_id].total() if unit_id in self._verdicts else 0

    def enough(self, unit_id: str) -> bool:
        """Return whether the unit needs no further judgment, not even from annotators who have it open."""
        verdicts = self._verdicts.get(unit_id)
        needed = self._asked.of(unit_id)
        return verdicts is not None and _sufficient(verdicts, needed, self._opened.agree)

    def settled(self) -> dict[str, bool]:
        """Return, for each unit with enough judgments and no tie, whether most annotators call it valid."""
        return _settled(self._verdicts, self._asked, self._opened.agree)

    def open_items(self, person: str) -> frozenset[str]:
        """Return the items that the person must answer before the next batch."""
        return frozenset(self._open.get(person, ()))

    def seen(self, person: str, unit_id: str) -> bool:
        """Return whether the person has had the item, which must then not be assigned again.

        It was assigned in this session, or judged, declined or skipped in any session.
        """
        return unit_id in self._seen[person]

    def assign(self, person: str, unit_ids: Iterable[str]) -> None:
        """Record that items have been assigned to the person, who is active."""
        assigned = set(unit_ids)
        self._assigned_to(person, assigned)
        self._open.setdefault(person, set()).update(assigned)
        self._held.update(assigned)


def last_coverage(
    state: State, counted: Iterable[Counted], facts: Mapping[str, ItemFacts]
) -> Coverage | None:
    """Return the coverage of the session that defines how many judgments are enough; None without one."""
    asking = state.last_asking
    return Coverage(asking, counted, facts) if asking else None


def sufficiently_judged(
    counted: Iterable[Counted],
    asked: SessionSettings | None,
    coverage: Coverage | None,
    units: Collection[str],
) -> frozenset[str]:
    """Return the units that need no further judgment, as the session of ``coverage`` defines it.

    Without a session, all judgments came in files. Then the settings ``asked`` say how many are enough, with
    all of the study's ``units`` taken as those of a session; without these settings one is enough.
    """
    if coverage is not None:
        judged = {c.entry.unit_id for c in counted if c.is_verdict}
        return frozenset(unit_id for unit_id in judged if coverage.enough(unit_id))
    each = judgments_per_unit(asked.overlap, units, asked.seed) if asked else _ONE
    agree = asked.agree if asked else None
    verdicts = _verdicts(counted)
    return frozenset(u for u, votes in verdicts.items() if _sufficient(votes, each.of(u), agree))


def settled_units(counted: Iterable[Counted]) -> dict[str, bool]:
    """Return, for each unit judged without a session or a tie, whether most annotators call it valid.

    One judgment is enough, regardless of the number that validate.session asks for.
    """
    return _settled(_verdicts(counted), _ONE, None)


def queued(counted: Iterable[Counted]) -> bool:
    """Return whether some of the verdicts are from a main session, whose queue chose their units."""
    return any(c.is_verdict and c.kind == "main" for c in counted)


def _verdicts(counted: Iterable[Counted]) -> dict[str, Counter[str]]:
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    for c in counted:
        if c.is_verdict:
            verdicts[c.entry.unit_id][str(c.entry.verdict)] += 1
    return verdicts


def _settled(
    verdicts: Mapping[str, Counter[str]], asked: JudgmentsPerUnit, agree: int | None
) -> dict[str, bool]:
    settled = {}
    for unit_id, votes in verdicts.items():
        most = [verdict for verdict, n in votes.items() if n == max(votes.values())]
        if _sufficient(votes, asked.of(unit_id), agree) and len(most) == 1:
            settled[unit_id] = most == ["valid"]
    return settled


def _sufficient(verdicts: Counter[str], asked: int, agree: int | None) -> bool:
    return verdicts.total() >= asked or (agree is not None and max(verdicts.values()) >= agree)

"""Assignment of batches to annotators: from one seeded plan, within each annotator's budget."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from nextset.errors import StudyError
from nextset.records.content_ids import content_id
from nextset.study.validation_settings import SessionSettings
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.plan.coverage import Coverage
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.events import AssignedItem
from nextset.validation.plan.reading_order import batch_order
from nextset.validation.plan.state import Participant, State
from nextset.validation.plan.template_shares import TemplateShare, template_shares

__all__ = ["Assigner"]


class Assigner:
    """The assigner of batches in the open session: made after each pull, called once for each annotator.

    The same seed, events and entries give the same batches. Each batch counts when the next annotator's batch
    is made; the caller records it as `BatchAssigned`.
    """

    def __init__(
        self,
        state: State,
        counted: Iterable[Counted],
        units: Mapping[str, ItemFacts],
        settings: SessionSettings,
        *,
        gold: Mapping[str, ItemFacts],
        rest: int,
    ) -> None:
        """Prepare the queue; ``units`` and ``gold`` are facts by unit_id, ``rest`` is the number of rest
        items.

        A gold item that is also a unit of the session is assigned as a unit. Raises StudyError if no session
        is open, or the wording has no rest items.
        """
        session = state.current
        if session is None:
            raise StudyError("no session is open", remedy="open one: nextset validate open STUDY")
        if rest < 1:
            raise StudyError("the wording has no rest items", remedy="add at least one under rest")
        self._session = session
        self._opened = session.opened
        self._settings = settings
        self._units = units
        self._wanted = [u for u in session.opened.units if u in units]
        wanted = set(self._wanted)
        self._gold = {g: facts for g, facts in gold.items() if g not in wanted}
        self._rest = rest
        self._facts = {**self._gold, **units}
        self._groups = {unit_id: facts.groups for unit_id, facts in self._facts.items()}
        self.coverage = Coverage(session, counted, self._facts)
        waiting = {share.template for share in self.waiting_templates()}
        self._wanted.sort(key=lambda u: units[u].template in waiting)  # stable sort

    def ready(self) -> tuple[str, ...]:
        """Return the people who can get a batch now: past the gate, not left, no open items, in budget."""
        return tuple(person for person, p in self._session.people.items() if self._ready(p))

    def next_batch(self, person: str) -> tuple[AssignedItem, ...]:
        """Return the person's next batch in reading order; empty if there is nothing to assign."""
        participant = self._session.people[person]
        if not self._ready(participant):
            return ()
        settings = self._settings
        size = settings.budget.batch
        items = self._mixed(participant, min(size, self._budget(participant)))
        order = batch_order(items, self._groups, size=size, run=settings.run, rest_every=settings.rest_every)
        self.coverage.assign(person, (item for item in order if item is not None))
        return self._with_rest(participant, order)

    def waiting_templates(self) -> tuple[TemplateShare, ...]:
        """Return the templates whose units wait at the end of the queue because their valid share is too low.

        Only a main session has a floor: in a pilot everyone judges all units, and adjudicators settle all
        disputed units.
        """
        if self._opened.kind != "main" or self._opened.stop_below is None:
            return ()
        enough = {u for u in self._units if self.coverage.enough(u)}
        shares = template_shares(self._units, self.coverage.settled(), enough, self._opened.stop_below)
        return tuple(share for share in shares if share.waiting)

    def understaffed_units(self) -> tuple[str, ...]:
        """Return the units that need more annotators than may judge them, now or after passing the gate.

        Empty in a pilot, where everyone judges all units.
        """
        if self._opened.kind == "pilot":
            return ()
        people = [p for p in self._session.people.values() if _may_come(p) and self._budget(p) > 0]
        return tuple(
            unit_id
            for unit_id in self._wanted
            if self.coverage.missing(unit_id) and not any(self._may(p, unit_id) for p in people)
        )

    def _ready(self, participant: Participant) -> bool:
        waited_for = self.coverage.open_items(participant.person)
        return participant.active and not waited_for and self._budget(participant) > 0

    def _budget(self, participant: Participant) -> int:
        """Return how many more items with stereotypes the person may be shown in this session."""
        shown = sum(item.part != "rest" for item in participant.items.values())
        return self._settings.budget.person - shown

    def _may(self, participant: Participant, item: str) -> bool:
        declined = self._facts[item].domain in participant.declined
        return not declined and not self.coverage.seen(participant.person, item)

    def _mixed(self, participant: Participant, n: int) -> list[str]:
        """Return at most ``n`` units and gold items, without gold items after the last unit."""
        units = self._next_units(participant)
        gold = self._next_gold(participant)
        assigned = [item.part for item in participant.items.values() if item.part != "rest"]
        place, n_gold = len(assigned), assigned.count("gold")
        mixed: list[str] = []
        waiting = next(units, None)
        while waiting is not None and len(mixed) < n:
            due = self._gold_due(participant.person, place + len(mixed) + 1) > n_gold
            item = next(gold, None) if due else None
            if item is None:
                mixed.append(waiting)
                waiting = next(units, None)
            else:
                mixed.append(item)
                n_gold += 1
        return mixed

    def _next_units(self, participant: Participant) -> Iterator[str]:
        """Yield the units that the person may judge, window by window, in a separate order for each person.

        A window has as many units as one batch for everyone covers, so that units are finished in order of
        priority.
        """
        self._wanted = [u for u in self._wanted if self.coverage.missing(u)]
        people = sum(p.active for p in self._session.people.values())
        per_unit = people if self._opened.kind == "pilot" else self._opened.agree or self._opened.overlap
        window = max(1, math.ceil(self._settings.budget.batch * people / per_unit))
        for begin in range(0, len(self._wanted), window):
            candidates = [u for u in self._wanted[begin : begin + window] if self._may(participant, u)]
            yield from sorted(candidates, key=lambda u: self._seeded("order", participant.person, u))

    def _next_gold(self, participant: Participant) -> Iterator[str]:
        candidates = [g for g in self._gold if self._may(participant, g)]
        return iter(sorted(candidates, key=lambda g: self._seeded("gold", participant.person, g)))

    def _gold_due(self, person: str, n: int) -> int:
        """Return how many of the first ``n`` items should be gold: one at a random place in each block."""
        every = self._settings.gold_every
        block, rest = divmod(n, every)
        return block + (int(self._seeded("place", person, str(block)), 16) % every < rest)

    def _with_rest(self, participant: Participant, order: list[str | None]) -> tuple[AssignedItem, ...]:
        """Return the batch with its rest items, in each person's own order, repeated after all were shown."""
        person = participant.person
        turns = sorted(range(self._rest), key=lambda i: self._seeded("rest", person, str(i)))
        n = sum(item.part == "rest" for item in participant.items.values())
        batch: list[AssignedItem] = []
        for item in order:
            if item is None:
                unit_id = content_id("rest", self._opened.mark, person, str(n))
                batch.append(AssignedItem(unit_id, "rest", turns[n % self._rest]))
                n += 1
            else:
                batch.append(AssignedItem(item, "gold" if item in self._gold else "unit"))
        return tuple(batch)

    def _seeded(self, what: str, person: str, item: str) -> str:
        return content_id(what, str(self._opened.seed), self._opened.session, person, item)


def _may_come(participant: Participant) -> bool:
    """Return whether the person works, or still has to pass the gate."""
    agrees = participant.gate is None or participant.gate.consent
    refused = not agrees and not participant.asked_first
    return participant.left is None and not (participant.withdrew or participant.failed or refused)

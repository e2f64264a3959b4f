"""People come, decline, leave, withdraw and answer in any order; the plan holds whatever they do."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from nextset.study.validation_settings import SessionSettings
from nextset.validation.judgments.log_entry import Outcome
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.events import BatchAssigned, PersonJoined, PersonLeft
from nextset.validation.plan.state import Participant, Session, fold
from tests.validation.plan.sample_plans import Played, at, facts, gate_answer, joins, opened, settings

PEOPLE = st.sampled_from("ABCDE")
VERDICTS = st.sampled_from(["valid", "invalid", "incoherent"])
PAIRS = st.lists(st.sampled_from([("a", "b"), ("c", "d"), ("a", "c"), ("e", "")]), min_size=1, max_size=4)


class Simulation(RuleBasedStateMachine):
    @initialize(
        n=st.integers(0, 16),
        pairs=PAIRS,
        gold=st.integers(0, 4),
        overlap=st.integers(1, 4) | st.sampled_from([1.2, 1.5, 2.7]),
        agree=st.none() | st.integers(2, 3),
        kind=st.sampled_from(["main", "main", "pilot", "adjudication"]),
        batch=st.integers(1, 9),
        budget=st.integers(1, 30),
        run=st.integers(1, 4),
        every=st.integers(2, 6),
        stop_below=st.sampled_from([None, 0.5, 0.99]),
    )
    def begin(
        self, n: int, pairs: list[tuple[str, str]], gold: int, overlap: float, agree: int | None, kind: str,
        batch: int, budget: int, run: int, every: int, stop_below: float | None,
    ) -> None:  # fmt: skip
        agree = None if agree is None or agree > int(overlap) else agree
        asked = settings(batch, budget, run=run, gold_every=every, rest_every=every + 1, overlap=overlap)
        units = {
            u: ItemFacts(f.domain, tuple(g for g in f.groups if g), f"t{i % 2}")
            for i, (u, f) in enumerate(facts(n, pairs).items())
        }
        self.played = Played(units, asked, {f"g{i}": ItemFacts("d1", ("a", "b")) for i in range(gold)}, 2)
        wanted = opened(
            list(self.played.units), kind=kind, overlap=overlap, agree=agree, stop_below=stop_below
        )
        self.played.events.append(wanted)

    @property
    def asked(self) -> SessionSettings:
        return self.played.settings

    @property
    def session(self) -> Session:
        session = fold(self.played.events).current
        assert session is not None
        return session

    def there(self, person: str) -> Participant | None:
        return self.session.people.get(person) if hasattr(self, "played") else None

    @rule(person=PEOPLE, declined=st.sampled_from([(), (), ("d0",), ("d0", "d1")]), passed=st.booleans())
    def come(self, person: str, declined: tuple[str, ...], passed: bool) -> None:
        before = self.there(person)
        if before is None:
            self.played.events += joins(person, declined=declined, passed=passed)
        else:
            again = PersonJoined(session="1", at=at(1), person=person, account=before.account)
            self.played.events += [again, gate_answer(person, declined=declined, at=at(4))]

    @rule(person=PEOPLE, passed=st.booleans())
    def try_again(self, person: str, passed: bool) -> None:
        before = self.there(person)
        if before and before.may_retry:
            self.played.events.append(gate_answer(person, passed=passed, role="retry", at=at(5)))
            after = self.session.people[person]
            assert (after.failed, after.needs_gate) == (not passed, not passed)

    @rule(person=PEOPLE, why=st.sampled_from(["stopped", "withdrew"]))
    def leave(self, person: str, why: Any) -> None:
        if self.there(person):
            self.played.events.append(PersonLeft(session="1", person=person, at=at(3), why=why))

    @rule(person=PEOPLE)
    def take_consent_back(self, person: str) -> None:
        if self.there(person):
            self.played.events.append(gate_answer(person, consent=False))

    @rule(
        person=PEOPLE,
        verdict=VERDICTS,
        outcome=st.sampled_from(["judged", "judged", "judged", "declined", "skipped", "invalid"]),
        n=st.integers(1, 9),
    )
    def answer(self, person: str, verdict: Any, outcome: Outcome, n: int) -> None:
        open_items = sorted(self.played.assigner().coverage.open_items(person))
        for unit_id in open_items[:n]:
            self.played.answer(person, unit_id, verdict=verdict, outcome=outcome)

    @rule(person=PEOPLE, verdict=VERDICTS)
    def think_again(self, person: str, verdict: Any) -> None:
        given = [e for e in self.played.entries if e.judge == person and e.outcome == "judged"]
        if given:
            self.played.edit(given[0], verdict=verdict)

    @rule()
    def deal(self) -> None:
        before = self.session
        events = list(self.played.events)
        dealt = self.played.deal()
        again = Played(self.played.units, self.asked, self.played.gold, self.played.rest)
        again.events, again.entries = events, self.played.entries
        assert again.deal() == dealt
        for batch in dealt:
            self.fits(batch, before.people[batch.person])

    def fits(self, batch: BatchAssigned, participant: Participant) -> None:
        """A batch for this person: of its size, nothing declined, nothing twice, no run too long."""
        known = {**self.played.gold, **self.played.units}
        assert participant.active
        assert 1 <= len(batch.items) <= self.asked.budget.batch
        assert {"rest"}.isdisjoint((batch.items[0].part, batch.items[-1].part))
        answered = {e.unit_id for e in self.played.entries if e.judge == batch.person}
        streaks: Counter[str] = Counter()
        since_rest = 0
        for item in batch.items:
            assert item.unit_id not in participant.items
            assert item.unit_id not in answered
            if item.part == "rest":
                assert item.rest in range(2)
                streaks, since_rest = Counter(), 0
                continue
            assert known[item.unit_id].domain not in participant.declined
            groups = known[item.unit_id].groups
            streaks = Counter({g: streaks[g] + 1 for g in groups})
            since_rest += 1
            assert max(streaks.values(), default=0) <= self.asked.run
            assert since_rest <= self.asked.rest_every

    @precondition(lambda self: hasattr(self, "played"))
    @invariant()
    def nobody_is_worn_out(self) -> None:
        for participant in self.session.people.values():
            parts = Counter(item.part for item in participant.items.values())
            assert parts["unit"] + parts["gold"] <= self.asked.budget.person
            items = [item.unit_id for batch in participant.batches for item in batch.items]
            assert len(items) == len(set(items))

    def teardown(self) -> None:
        if hasattr(self, "played"):
            self.finish()
            self.nobody_is_worn_out()
            self.all_is_judged()

    def finish(self) -> None:
        """Whoever is there answers until nothing is dealt any more."""
        for turn in range(200):
            events = len(self.played.events)
            self.deal()
            open_items = self.played.assigner().coverage.open_items
            for person, participant in self.session.people.items():
                for unit_id in sorted(open_items(person)) if participant.active else ():
                    verdict: Any = ("valid", "invalid")[(len(unit_id) + turn) % 2]
                    self.played.answer(person, unit_id, verdict=verdict)
            if len(self.played.events) == events and not self.played.deal():
                return
        raise AssertionError("it does not end")

    def all_is_judged(self) -> None:
        """Every unit has its judgments, or nobody is left who may judge it; nobody judged one twice."""
        opened_, session = self.session.opened, self.session
        counted = self.played.counted()
        assert [c.entry for c in counted] == self.played.entries
        verdicts: dict[str, list[str]] = defaultdict(list)
        seen = {(c.person, c.entry.unit_id) for c in counted if c.entry.outcome != "invalid"}
        judged = [(c.person, c.entry.unit_id) for c in counted if c.is_verdict]
        assert len(judged) == len(set(judged))
        for c in counted:
            if c.is_verdict:
                verdicts[c.entry.unit_id].append(str(c.entry.verdict))
        left_over = set(self.played.assigner().understaffed_units())
        for unit_id, unit in self.played.units.items():
            may = [
                p.person
                for p in session.people.values()
                if p.active
                and unit.domain not in p.declined
                and unit_id not in p.items
                and (p.person, unit_id) not in seen
                and sum(i.part != "rest" for i in p.items.values()) < self.asked.budget.person
            ]
            given = verdicts[unit_id]
            most = max(Counter(given).values(), default=0)
            enough = len(given) >= session.asked.of(unit_id) or (
                opened_.agree is not None and most >= opened_.agree
            )
            if opened_.kind == "pilot":
                assert not may
            else:
                assert enough or not may
                at_the_gate = any(p.needs_gate and p.left is None for p in session.people.values())
                assert (unit_id in left_over) == (not enough) or (at_the_gate and not enough)


Simulation.TestCase.settings = hypothesis_settings(max_examples=60, stateful_step_count=25, deadline=None)
TestSimulation = Simulation.TestCase

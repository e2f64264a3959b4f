"""The workload of a session: the items that people read, and their batches, before it is opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from nextset.records.content_ids import content_id
from nextset.study.validation_settings import SessionSettings
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.reading_order import batch_order

__all__ = ["Workload", "least_people", "workload"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The items that the people of a session read, if each person has an equal share."""

    judgments: int
    """The number of judgments of units."""
    gold: int
    """The number of gold items mixed in."""
    rest: int
    """The number of rest items mixed in."""
    items: int
    items_a_person: int
    """The number of items of the person who has the most."""
    batches_a_person: int
    """The number of batches of the person who has the most."""
    not_covered: int
    """The number of judgments that no one can give: there are too few people, or too small a budget."""


def workload(
    asked: Mapping[str, int],
    people: int,
    settings: SessionSettings,
    facts: Mapping[str, ItemFacts],
    gold: Mapping[str, ItemFacts],
) -> Workload:
    """Return the work of ``people`` annotators who give each unit its number of judgments in ``asked``.

    ``asked`` is by unit_id. Judgments are assigned evenly in a seeded order, and batches are made as in a
    session. ``facts`` are those of the units, ``gold`` those of the gold items. In a real session each
    person's order differs, and a gold item may be due a few items sooner or later, so the numbers of gold and
    rest items are only approximately those here.
    """
    seed, every, budget = str(settings.seed), settings.gold_every, settings.budget
    order = sorted(asked, key=lambda u: content_id("workload", seed, u))
    turns = [
        u for turn in range(min(people, max(asked.values(), default=0))) for u in order if asked[u] > turn
    ]
    groups = {item: fact.groups for item, fact in {**facts, **gold}.items()}
    judgments = n_gold = n_rest = most_items = most_batches = 0
    for person in range(people):
        mixed = _with_gold(turns[person::people], sorted(gold), every, budget.person)
        units = sum(item not in gold for item in mixed)
        batches = list(_batches(mixed, groups, settings))
        rest = sum(batch.count(None) for batch in batches)
        judgments, n_gold, n_rest = judgments + units, n_gold + len(mixed) - units, n_rest + rest
        most_items, most_batches = max(most_items, len(mixed) + rest), max(most_batches, len(batches))
    return Workload(
        judgments=judgments,
        gold=n_gold,
        rest=n_rest,
        items=judgments + n_gold + n_rest,
        items_a_person=most_items,
        batches_a_person=most_batches,
        not_covered=sum(asked.values()) - judgments,
    )


def least_people(asked: Mapping[str, int], settings: SessionSettings, gold: int) -> int:
    """Return how many people can give ``asked`` judgments of each unit within ``budget.person``.

    A person judges a unit once, and is shown at most ``gold`` gold items. 0 if nothing is asked.
    """
    names = [f"gold {i}" for i in range(gold)]
    shown = _with_gold(map(str, count()), names, settings.gold_every, settings.budget.person)
    a_person = sum(item not in names for item in shown)
    return max(-(-sum(asked.values()) // a_person), max(asked.values(), default=0))


def _with_gold(units: Iterable[str], gold: Sequence[str], every: int, most: int) -> list[str]:
    """Return ``units`` with a gold item in the middle of each ``every`` items, ``most`` items at most."""
    mixed: list[str] = []
    waiting = iter(gold)
    for unit in units:
        if len(mixed) < most - 1 and len(mixed) % every == every // 2:
            mixed += [item for item in [next(waiting, None)] if item is not None]
        if len(mixed) == most:
            break
        mixed.append(unit)
    return mixed


def _batches(
    items: list[str], groups: Mapping[str, tuple[str, ...]], settings: SessionSettings
) -> Iterator[list[str | None]]:
    while items:
        size = settings.budget.batch
        batch = batch_order(items, groups, size=size, run=settings.run, rest_every=settings.rest_every)
        yield batch
        items = items[len(batch) - batch.count(None) :]

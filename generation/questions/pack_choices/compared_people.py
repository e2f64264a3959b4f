"""The people whom a template compares: labels of each target group with all others, names matched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from nextset.generation.questions.pack_choices.choice_template import ResolvedChoice
from nextset.generation.questions.question_set import Subject
from nextset.records.choice_items import Cue

__all__ = ["ComparedPeople", "Contrasts", "compared_people", "even_sample"]

Contrasts = Literal["others", "all"]
"""others: each target group with each other group. all: any two groups."""


@dataclass(frozen=True)
class ComparedPeople:
    """Two people of different groups."""

    first: Subject
    """The person with role 0: the target, if the pair has one."""
    second: Subject
    """The person with role 1."""
    aimed: bool
    """True if the stereotype is about the first person and not about the second."""
    cue: Cue


def compared_people(template: ResolvedChoice, contrasts: Contrasts, seed: int) -> list[ComparedPeople]:
    """Return the pairs of people of ``template``, in the order of the lists; ``seed`` matches the names.

    A control compares each person once.
    """
    pairs: list[ComparedPeople] = []
    for cue, people in template.people.of_cues():
        possible = list(_possible(template, people, cue, contrasts))
        if template.is_control:
            pairs += _each_once(possible, Random(f"{seed} {template.id} {cue}"))
        elif cue == "name":
            pairs += _matched(possible, Random(f"{seed} {template.id} {cue}"))
        else:
            pairs += possible
    return pairs


def _possible(
    template: ResolvedChoice, people: Sequence[Subject], cue: Cue, contrasts: Contrasts
) -> Iterator[ComparedPeople]:
    """Yield each pair once, with the target first."""
    within = _containing(people)
    for i, first in enumerate(people):
        for second in people[i + 1 :]:
            if not _comparable(first, second, within, template.along):
                continue
            aimed = first.name in template.targets, second.name in template.targets
            against = first.name in template.against, second.name in template.against
            if aimed[0] and against[1]:
                yield ComparedPeople(first, second, True, cue)
            elif aimed[1] and against[0]:
                yield ComparedPeople(second, first, True, cue)
            elif contrasts == "all" or template.is_control:
                yield ComparedPeople(first, second, False, cue)


def _comparable(
    first: Subject, second: Subject, within: Mapping[str, set[str]], along: frozenset[frozenset[int]]
) -> bool:
    if first.cluster == second.cluster:
        return False
    if second.name in within[first.name] or first.name in within[second.name]:
        return False
    parts = zip(first.cluster.split("/"), second.cluster.split("/"), strict=True)
    differing = frozenset(i for i, (a, b) in enumerate(parts) if a != b)
    return not along or differing in along


def _containing(people: Sequence[Subject]) -> dict[str, set[str]]:
    """Return the names of all subjects that each of ``people`` is within."""
    direct = {s.name: set(s.within) for s in people}
    containing: dict[str, set[str]] = {}
    for name in direct:
        reached: set[str] = set()
        waiting = [name]
        while waiting:
            new = direct.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        containing[name] = reached
    return containing


def _matched(possible: Sequence[ComparedPeople], random: Random) -> list[ComparedPeople]:
    """Return a part of the pairs of names in which each name is compared about once with each group."""
    by_groups: dict[tuple[str, str], list[ComparedPeople]] = {}
    for pair in possible:
        by_groups.setdefault((pair.first.cluster, pair.second.cluster), []).append(pair)
    return [pair for pairs in by_groups.values() for pair in _each_once(pairs, random)]


def _each_once(possible: Sequence[ComparedPeople], random: Random) -> list[ComparedPeople]:
    """Return pairs with everyone in ``possible`` at least once, and as few people twice as can be seen."""
    shuffled = random.sample(possible, len(possible))
    seen: set[str] = set()
    chosen: list[ComparedPeople] = []
    for most_seen in (0, 1):
        for pair in shuffled:
            if len(seen & {pair.first.name, pair.second.name}) <= most_seen and not (
                {pair.first.name, pair.second.name} <= seen
            ):
                seen |= {pair.first.name, pair.second.name}
                chosen.append(pair)
    return chosen


def even_sample(
    pairs: Sequence[ComparedPeople], combinations: int, most: int | None, random: Random
) -> list[tuple[int, int]]:
    """Return the places of pairs and of combinations of words: all, or ``most``, sampled evenly.

    In a sample, people and combinations of words are each about equally frequent.
    """
    every = [(i, j) for i in range(len(pairs)) for j in range(combinations)]
    if most is None or most >= len(every):
        return every
    waiting = random.sample(every, len(every))
    used: Counter[str | int] = Counter()
    chosen: list[tuple[int, int]] = []
    for _ in range(most):
        pick = min(waiting, key=lambda place: _use(pairs[place[0]], place[1], used))
        waiting.remove(pick)
        pair = pairs[pick[0]]
        used.update((pair.first.name, pair.second.name, pick[1]))
        chosen.append(pick)
    return sorted(chosen)


def _use(pair: ComparedPeople, combination: int, used: Counter[str | int]) -> tuple[int, int]:
    """Return how often a set's people and words are in the sample; the rarest are taken first."""
    return used[pair.first.name] + used[pair.second.name], used[combination]

"""The sets of a template that a study uses, and the order of the options in each."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Literal

from nextset.generation.choices.published_templates.published_template import PublishedTemplate

__all__ = ["Orders", "chosen_rows", "chosen_sets", "option_orders"]

Orders = Literal["one", "rotated", "all"]

_ROLES = (0, 1, 2)
_ROTATED = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
_ALL = tuple(itertools.permutations(_ROLES))


def chosen_sets(template: PublishedTemplate, subset: int | None, seed: int) -> Iterator[list[int]]:
    """Yield the sets in their order: all, or ``subset`` of them, drawn with ``seed``.

    A set is the numbers of its people and words, from 0: one for each variant of its disambiguating text, or,
    in a subset, one that is drawn. Versions of a template with the same number of sets get the same ones.
    """
    if subset is None or subset >= template.sets:
        yield from (_numbers(template, of, None) for of in range(template.sets))
        return
    draw = Random(f"published/{seed}/{template.id}/{template.sets}")
    for of in sorted(draw.sample(range(template.sets), subset)):
        yield _numbers(template, of, draw)


def _numbers(template: PublishedTemplate, of: int, draw: Random | None) -> list[int]:
    """Return the numbers of the people and words of the set ``of``: all, or one that is drawn."""
    digits = []
    for word in reversed(template.words):
        if word.slot in template.shared:
            of, digit = divmod(of, len(word.entries))
            digits.append(digit)
    numbers = [of]
    for word in template.words:
        size = len(word.entries)
        if word.slot in template.shared:
            places: Iterable[int] = (digits.pop(),)
        else:
            places = range(size) if draw is None else (draw.randrange(size),)
        numbers = [number * size + place for number in numbers for place in places]
    return numbers


def option_orders(orders: Orders, place: int) -> Sequence[tuple[int, ...]]:
    """Return the orders of the roles in the set at ``place`` among the chosen ones.

    With one order per set, each role comes equally often in each place, give or take one set.
    """
    if orders == "all":
        return _ALL
    return _ROTATED if orders == "rotated" else (_ROTATED[place % 3],)


def chosen_rows(template: PublishedTemplate, subset: int | None, orders: Orders) -> int:
    """Return the number of items in the chosen sets: contexts × questions × orders."""
    whole = subset is None or subset >= template.sets
    numbers = len(template.pairs) * template.wordings if whole else subset or 0
    contexts = len(template.swaps) + len({swap for swap, _ in template.swaps})
    return numbers * 2 * contexts * len(option_orders(orders, 0))

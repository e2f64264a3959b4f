"""The reading order within a batch: no long runs about the same group, and rest items in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["arrange", "batch_order"]


def arrange(
    items: Sequence[str], groups: Mapping[str, tuple[str, ...]], *, run: int, rest_every: int
) -> list[str | None]:
    """Return ``items`` in an order close to the given one, with None for each rest item.

    No more than ``run`` items in a row share a group. A rest item comes after at most ``rest_every`` items,
    and earlier if every item left would make a run too long. A rest item is never first or last.
    """
    waiting = list(items)
    arranged: list[str | None] = []
    streaks: dict[str, int] = {}
    since_rest = 0
    while waiting:
        place = None
        if since_rest < rest_every:
            fits = (
                i for i, x in enumerate(waiting) if all(streaks.get(g, 0) < run for g in groups.get(x, ()))
            )
            place = next(fits, None)
        if place is None:
            arranged.append(None)
            streaks, since_rest = {}, 0
        else:
            item = waiting.pop(place)
            arranged.append(item)
            streaks = {g: streaks.get(g, 0) + 1 for g in groups.get(item, ())}
            since_rest += 1
    return arranged


def batch_order(
    items: Sequence[str], groups: Mapping[str, tuple[str, ...]], *, size: int, run: int, rest_every: int
) -> list[str | None]:
    """Return the order of a batch, as `arrange` makes it, from the first of ``items``.

    The batch has at most ``size`` items, including rest items, which take the places of the last ``items``;
    these wait for the next batch. It contains at least one of ``items`` if there are any.
    """
    first = items[:size]
    order = arrange(first, groups, run=run, rest_every=rest_every)
    while len(order) > size:
        first = first[: len(first) - max(1, (len(order) - size) // 2)]
        order = arrange(first, groups, run=run, rest_every=rest_every)
    return order

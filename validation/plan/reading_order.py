"""The reading order within a batch: no long runs about the same group, and rest items in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["arrange"]


def arrange(
    items: Sequence[str], groups: Mapping[str, tuple[str, ...]], *, run: int, rest_every: int
) -> list[str | None]:
    """``items`` in an order near the given one, with None in place of each rest item.

    No more than ``run`` items in sequence share a group, and after ``rest_every`` items at the latest there
    is rest; also where no item is left that would not make a run too long. Rest is never first or last.
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

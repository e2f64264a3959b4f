"""The figures of a model for each part of the data, such as each article or genre."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

__all__ = ["figures_by_part"]


class _InPart(Protocol):
    @property
    def part(self) -> str:
        """The example's part of the data."""


Example = TypeVar("Example", bound=_InPart)


def figures_by_part(
    examples: Sequence[Example], figures: Callable[[Sequence[int]], Mapping[str, float]]
) -> dict[str, Mapping[str, float]]:
    """Return the ``figures`` for the numbers of the examples in each part, the largest part first.

    Parts of the same size are in the order of the data. Without parts, there are no figures.
    """
    numbers: dict[str, list[int]] = {}
    for number, one in enumerate(examples):
        if one.part:
            numbers.setdefault(one.part, []).append(number)
    largest_first = sorted(numbers.items(), key=lambda item: -len(item[1]))
    return {part: figures(members) for part, members in largest_first}

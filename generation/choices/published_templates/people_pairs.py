"""The pairs of people that a template is about: products of lists, each pair by its number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nextset.generation.choices.published_templates.slotted_text import Entry

__all__ = ["Block", "PeoplePairs", "different_pairs"]

Block = tuple[Sequence[Entry], Sequence[Entry]]
"""Two lists of people; each of the first meets each of the second."""


@dataclass(frozen=True)
class PeoplePairs:
    """The pairs of several blocks, one block after the other. Only the lists are kept in memory."""

    blocks: tuple[Block, ...]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return sum(len(first) * len(second) for first, second in self.blocks)

    def __getitem__(self, number: int) -> tuple[Entry, Entry]:
        """Return the pair ``number``, from 0; raises IndexError if there are fewer."""
        for first, second in self.blocks:
            size = len(first) * len(second)
            if number < size:
                return first[number // len(second)], second[number % len(second)]
            number -= size
        raise IndexError

    def swapped(self) -> PeoplePairs:
        """Return the pairs in which the second list is the first one."""
        return PeoplePairs(tuple((second, first) for first, second in self.blocks))

    def texts(self) -> list[tuple[list[str], list[str]]]:
        """Return the names of the people, list by list."""
        return [([e.name for e in first], [e.name for e in second]) for first, second in self.blocks]


def different_pairs(people: Sequence[Entry]) -> PeoplePairs:
    """Return each pair of two different people once."""
    return PeoplePairs(tuple((people[i : i + 1], people[i + 1 :]) for i in range(len(people) - 1)))

"""Groups that contain one another or overlap, by their English names (broader_groups.yaml)."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

from pydantic import Field

from nextset.errors import WordListError
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.word_lists import FOLDER

__all__ = ["BroaderGroups", "broader_groups", "read_broader_groups"]


class BroaderGroupsFile(HandWritten):
    """The content of broader_groups.yaml."""

    format: Literal[1]
    about: Prose = ""
    within: dict[str, tuple[str, ...]]
    overlapping: tuple[tuple[str, ...], ...] = Field(default=())


@dataclass(frozen=True)
class BroaderGroups:
    """The known relations between groups, for all languages."""

    containing: Mapping[str, frozenset[str]]
    """For each group, all groups that contain it, over any number of steps; without capitals and hyphens."""
    sets: tuple[frozenset[str], ...]
    """Sets of names of groups that share people; without capitals and hyphens."""

    def is_within(self, part: str, whole: str) -> bool:
        """Return whether the group ``part`` is within the group ``whole``."""
        return _folded(whole) in self.containing.get(_folded(part), ())

    def overlap(self, one: str, two: str) -> bool:
        """Return whether the groups with these two names share people."""
        pair = {_folded(one), _folded(two)}
        return len(pair) == 2 and any(pair <= s for s in self.sets)

    def related(self, names: Sequence[str]) -> set[tuple[int, int]]:
        """Return pairs of places in ``names``: the first name is within the second, or the two overlap.

        The time grows with the number of names and of found pairs, not with the number of all pairs.
        """
        places: dict[str, list[int]] = {}
        for i, name in enumerate(names):
            places.setdefault(_folded(name), []).append(i)
        wider = {name: self.containing.get(name, frozenset()) & places.keys() for name in places}
        pairs = {(name, other) for name, others in wider.items() for other in others}
        for listed in self.sets:
            pairs |= set(combinations(sorted(listed & places.keys()), 2))
        return {(i, j) for one, two in pairs for i in places[one] for j in places[two]}


@functools.cache
def broader_groups() -> BroaderGroups:
    """Return the groups that nextset knows."""
    return read_broader_groups(FOLDER / "broader_groups.yaml")


def read_broader_groups(file: Path) -> BroaderGroups:
    """Return the groups in ``file``.

    Raises WordListError, with file and line, if a group is within itself, or a set has fewer than two names.
    """
    written, located = read_model(file, BroaderGroupsFile, WordListError)
    containing: dict[str, frozenset[str]] = {}
    for name in written.within:
        wider: set[str] = set()
        waiting = list(written.within[name])
        while waiting:
            broader = waiting.pop()
            if broader not in wider:
                wider.add(broader)
                waiting += written.within.get(broader, ())
        if name in wider:
            raise WordListError(
                f"{name!r} is within itself",
                file=file,
                line=located.line(("within", name)),
                remedy="name only broader groups, or list the names under overlapping",
            )
        containing[_folded(name)] = frozenset(map(_folded, wider))
    for i, names in enumerate(written.overlapping):
        if len(set(names)) < 2 or len(set(names)) < len(names):
            raise WordListError(
                f"the set needs two or more names, each once: {', '.join(names) or 'it is empty'}",
                file=file,
                line=located.line(("overlapping", i)),
                remedy="name two or more overlapping groups, each once, or remove the set",
            )
    return BroaderGroups(containing, tuple(frozenset(map(_folded, names)) for names in written.overlapping))


def _folded(name: str) -> str:
    return name.casefold().replace("-", " ")

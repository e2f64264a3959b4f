"""What the masks of a study take: the constraints of their rows, and the words of the lists in these."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.errors import WordListError
from nextset.study.mask_constraint import MaskConstraint, parse_constraint
from nextset.word_lists.fill_list import fill_list

__all__ = ["MaskDemands"]

_parsed = functools.lru_cache(maxsize=10_000)(parse_constraint)


@dataclass(frozen=True)
class MaskDemands:
    """What masks take."""

    default: str
    """The constraint of masks that have none, as study.yaml has it; may be empty."""
    lists: Mapping[tuple[str, str, str], tuple[str, ...]]
    """The words of each list, by language, stereotype and name."""

    @classmethod
    def of(cls, default: str, lists: pa.Table) -> MaskDemands:
        """Return the demands of a study with ``default`` and its table of MaskListRows."""
        rows = lists.to_pylist()
        return cls(default, {(r["language"], r["stereotype"], r["name"]): tuple(r["words"]) for r in rows})

    def constraints(self, row: Mapping[str, Any]) -> tuple[MaskConstraint, ...]:
        """Return what each mask of ``row``, a MaskedItem, takes."""
        return tuple(_parsed(written or self.default) for written in row["mask_constraints"])

    def words(self, row: Mapping[str, Any], name: str) -> tuple[str, ...]:
        """Return the words of the list ``name`` for ``row``; raises WordListError if there is none."""
        language = row["language"]
        own = self.lists.get((language, row["stereotype"], name))
        if own is not None:
            return own
        shipped = fill_list(language, name)
        if shipped is None:
            raise WordListError(
                f"there is no list {name} for {row['stereotype']!r} ({language})",
                remedy="define it under lists of the template file, or name another one under fill.mask",
            )
        return shipped.words

    def scored_words(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the words that alone are scored at the mask of ``row``; empty if it takes others too.

        Those that it leaves out are not scored: they would take the places of words that it takes.
        """
        constraints = self.constraints(row)
        if len(constraints) != 1 or not constraints[0].within:
            return ()
        listed, without = constraints[0].within, constraints[0].without
        out = {word.casefold() for word in self.words(row, without)} if without else set()
        return tuple(word for word in self.words(row, listed) if word.casefold() not in out)

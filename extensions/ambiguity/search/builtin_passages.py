"""The collections of passages that come with nextset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nextset.extensions.ambiguity.passage_lists import shipped_passages
from nextset.extensions.ambiguity.passages import LocatedPassage
from nextset.records.content_ids import content_id

__all__ = ["BuiltinCollection", "builtin_collection"]


@dataclass(frozen=True)
class BuiltinCollection:
    """A shipped collection."""

    located: tuple[LocatedPassage, ...]
    """Its passages."""

    @property
    def digest(self) -> str:
        """Digest of its passages."""
        passages = (one.passage for one in self.located)
        return content_id("passages", *(x for p in passages for x in (p.id, p.title, p.text, p.group)))

    @property
    def place(self) -> Path | str:
        """The file of the first passage."""
        return self.located[0].file if self.located else "builtin"

    def check_unchanged(self) -> None:
        """Do nothing, because shipped passages do not change."""

    def passages(self) -> Iterator[LocatedPassage]:
        """Yield its passages."""
        return iter(self.located)


def builtin_collection(language: str, study_file: Path) -> BuiltinCollection:
    """Return the shipped collection of ``language``; raises StudyError if there is none."""
    shipped = shipped_passages(language, study_file)
    return BuiltinCollection(tuple(LocatedPassage(one.passage, one.file, one.line) for one in shipped))

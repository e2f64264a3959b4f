"""A source of choice items: templates or files that a study names, read before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from nextset.study.choice_settings import ChoiceSettings
from nextset.study.generation_settings import FillSettings

__all__ = ["ChoiceSource", "ChoiceSourceOf", "SourcePlace"]


@dataclass(frozen=True)
class ChoiceSource:
    """Choice items that a study makes or reads, piece by piece."""

    name: str
    """The name of the source in counts, such as builtin:en or Age.csv."""
    rows: int
    """The number of items without masks, before items with the same text are merged; for a file that is
    streamed, the number of its lines."""
    pieces: Callable[[], Iterator[pa.Table]]
    """The items, in tables of at most some thousand rows in the schema of ChoiceItem."""
    categories: Callable[[], Collection[str]]
    """The categories that it has, of which choices.categories chooses."""
    files: Mapping[Path, bytes] = field(default_factory=dict)
    """The content of each file that is small enough to be kept as a snapshot."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """The digests of the other files and revisions, which enter the recipe."""
    masked: Callable[[], pa.Table] | None = None
    """The items with open masks, in the schema of MaskedChoice; None for a source without masks."""
    tables: Mapping[str, Callable[[], pa.Table]] = field(default_factory=dict)
    """Further tables of out/generate, by name, such as the decisions of a port."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Further values that decide the items, for the recipe."""


@dataclass(frozen=True)
class SourcePlace:
    """The study that names sources."""

    resolve: Callable[[str], Path]
    """The function that turns an entry of study.yaml into a path; raises StudyError."""
    file: Path
    """The study.yaml, for error messages."""
    language: str
    """The study's language, for files that do not name one."""
    max_rows: int
    """The setting generate.max_rows."""
    fill: FillSettings = field(default_factory=FillSettings)
    """The section fill, which masks must fit."""


class ChoiceSourceOf(Protocol):
    """A function that reads the sources of one kind that a study names."""

    def __call__(self, settings: ChoiceSettings, place: SourcePlace, /) -> list[ChoiceSource]:
        """Return the sources; none if ``settings`` name none. Raises InputErrors."""

"""Sources of choices from published items: each file is a source, read as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.compute as pc

from nextset.files.file_hash import file_sha256
from nextset.generation.choices.choice_source import ChoiceSource, SourcePlace
from nextset.generation.choices.published_items.item_files import ItemFiles, item_files
from nextset.generation.choices.published_templates.bbq_vocabulary import folded
from nextset.published_choices.choice_reading import drafts_of_file, facts_of_files
from nextset.published_choices.completed_items import item_pieces
from nextset.published_choices.published_rows import count_rows
from nextset.published_choices.source_facts import SourceFacts
from nextset.study.choice_settings import ChoiceSettings

__all__ = ["published_items"]

_READER = 1
"""Raised if the same files give other items."""


def published_items(settings: ChoiceSettings, place: SourcePlace) -> list[ChoiceSource]:
    """Return a source for each file that choices.items names; raises InputErrors, ServerError.

    The layout of each file is checked now; its rows are read when they are written, twice: the first time for
    the facts that need several rows.
    """
    readings = [_Reading(item_files(entry, place.resolve), settings, place) for entry in settings.items]
    return [reading.source(name, file) for reading in readings for name, file in reading.files.files.items()]


@dataclass(frozen=True)
class _Reading:
    """The files of an entry, whose rows are about each other."""

    files: ItemFiles
    settings: ChoiceSettings
    place: SourcePlace

    @cached_property
    def facts(self) -> SourceFacts:
        """The facts of all files of the entry."""
        return facts_of_files(list(self.files.files.values()))

    @cached_property
    def categories(self) -> frozenset[str]:
        """The categories of the entry's rows as published."""
        drafts = (draft for file in self.files.files.values() for draft in drafts_of_file(file))
        return frozenset(draft.category for draft in drafts)

    @cached_property
    def chosen_sets(self) -> frozenset[str]:
        """The sets of choices.subset: this number of each template, drawn with choices.seed."""
        sets: dict[str, dict[str, None]] = {}
        for file in self.files.files.values():
            for piece in self._all_pieces(file):
                columns = (piece["template_id"].to_pylist(), piece["set_id"].to_pylist())
                for template, set_id in zip(*columns, strict=True):
                    sets.setdefault(template, {})[set_id] = None
        return frozenset(
            set_id for template, ids in sets.items() for set_id in self._drawn(template, sorted(ids))
        )

    def _drawn(self, template: str, ids: list[str]) -> list[str]:
        random = Random(f"published items/{self.settings.seed}/{template}")
        return random.sample(ids, min(len(ids), self.settings.subset or len(ids)))

    def source(self, name: str, file: Path) -> ChoiceSource:
        """Return the source of ``file``."""
        return ChoiceSource(
            name=name,
            rows=self._rows(file),
            pieces=partial(self.pieces, file),
            categories=lambda: self.categories,
            digests={name: self.files.commit or file_sha256(file)},
            settings={"published": name, "reader": _READER},
        )

    def _rows(self, file: Path) -> int:
        """Return the number of rows of ``file``; only if they are too many, of those that are chosen."""
        rows = count_rows(file)
        filtered = self.settings.subset is not None or bool(self.settings.categories)
        if filtered and rows > self.place.max_rows:
            return sum(piece.num_rows for piece in self.pieces(file))
        return rows

    def pieces(self, file: Path) -> Iterator[pa.Table]:
        """Yield the items of ``file`` that the settings choose."""
        for piece in self._all_pieces(file):
            if self.settings.subset is not None:
                sets = pa.array(sorted(self.chosen_sets), pa.string())
                piece = piece.filter(pc.is_in(piece["set_id"], sets))
            yield piece

    def _all_pieces(self, file: Path) -> Iterator[pa.Table]:
        wanted = {folded(category) for category in self.settings.categories}
        drafts = drafts_of_file(file)
        if wanted:
            drafts = (draft for draft in drafts if folded(draft.category) in wanted)
        return item_pieces(drafts, self.facts, self.place.language)

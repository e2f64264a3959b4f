"""The candidates of a study's filter, read piece by piece because they may not fit into memory at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from nextset.array_types import Bools
from nextset.filtering.forms.filter_form import FILTERING_FORMS, FilterForm
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliItem
from nextset.scoring.candidate_sources import TABLES, CandidateSources
from nextset.study.filter_settings import Candidate
from nextset.study.item_tables import damaged_import, distinct, first_of_each

__all__ = ["Candidates"]

Piece = Callable[[Sequence[str] | None], pa.Table]
"""A function that reads some rows, with the named columns, or with all columns for None."""


@dataclass(frozen=True)
class Candidates:
    """The rows that the filter chooses from, each id once. Test items are controls, never candidates."""

    pieces: tuple[Piece, ...]
    """The sources, piece by piece."""
    wanted: tuple[Bools, ...]
    """For each piece, True for each row that is a candidate."""
    schema: pa.Schema
    """The columns of all sources; one that only some have, such as fluency, is null in the others."""

    @classmethod
    def of(cls, sources: CandidateSources) -> Candidates:
        """Return the candidates in ``sources``; reads only their ids, and for items their stances.

        Raises StudyError with a remedy if there are none.
        """
        pieces = tuple(p for name in sources.names for p in _pieces(sources, name))
        schema = pa.unify_schemas([arrow for name in sources.names for arrow in _schemas(sources, name)])
        candidates = cls(pieces, _wanted(pieces, FILTERING_FORMS[sources.form]), schema)
        if not candidates.rows:
            raise sources.none_found()
        return candidates

    @property
    def rows(self) -> int:
        """The number of candidates."""
        return sum(int(wanted.sum()) for wanted in self.wanted)

    @property
    def starts(self) -> list[int]:
        """The place of the first candidate of each piece."""
        return [0, *np.cumsum([int(wanted.sum()) for wanted in self.wanted]).tolist()[:-1]]

    def piece(self, i: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the candidates of piece ``i``, with the named columns, or with all for None."""
        table = self.pieces[i](columns).filter(pa.array(self.wanted[i]))
        if columns is None:
            table = pa.concat_tables([self.schema.empty_table(), table], promote_options="default")
        return table

    def unfiltered(self, columns: Sequence[str]) -> pa.Table:
        """Return the rows of all sources, each id once, controls included; ``columns`` include id."""
        read = [piece(columns) for piece in self.pieces]
        return distinct(pa.concat_tables(read, promote_options="default"))

    def groups(self) -> pa.ChunkedArray:
        """Return the group that each NLI item is about (group1 of its bindings); null if it has none."""
        # keep one string of a struct that also holds lists
        tables = (self.piece(i, ["bindings"])["bindings"] for i in range(len(self.pieces)))
        chunks = [pc.struct_field(chunk, "group1") for column in tables for chunk in column.chunks]
        return pa.chunked_array(chunks, pa.string())

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return all candidates in their order."""
        pieces = [self.piece(i, columns) for i in range(len(self.pieces))]
        return pa.concat_tables(pieces, promote_options="default")

    @staticmethod
    def digests(sources: CandidateSources) -> dict[str, str]:
        """Return a digest of each source, test items and repeated ids included; raises MissingStage."""
        return {name: _digest(sources, name) for name in sources.names}


def _imported(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the items of one imported file; raises DamagedShard."""
    try:
        return pq.read_table(
            path, schema=arrow_schema(NliItem), columns=None if columns is None else list(columns)
        )
    except (pa.ArrowInvalid, OSError) as e:
        raise damaged_import(path, e) from None


def _pieces(sources: CandidateSources, name: Candidate) -> list[Piece]:
    if name == "imported":
        return [functools.partial(_imported, path) for path in sources.imported_files()]
    artifact = sources.artifact(name)
    return [functools.partial(artifact.piece, shard) for shard in artifact.shards_of(TABLES[name][1])]


def _schemas(sources: CandidateSources, name: Candidate) -> list[pa.Schema]:
    if name == "imported":
        return [arrow_schema(NliItem)]
    artifact = sources.artifact(name)
    return [artifact.schema(shard) for shard in artifact.shards_of(TABLES[name][1])]


def _wanted(pieces: Sequence[Piece], form: FilterForm) -> tuple[Bools, ...]:
    columns = form.id_columns
    read = [piece(columns) for piece in pieces]
    if not read:
        return ()
    rows = pa.concat_tables(read, promote_options="default")
    wanted = first_of_each(rows["id"]) & form.candidates(rows)
    ends: list[int] = np.cumsum([t.num_rows for t in read])[:-1].tolist()
    return tuple(np.split(wanted, ends))


def _digest(sources: CandidateSources, name: Candidate) -> str:
    if name != "imported":
        return sources.artifact(name).digest
    state = blake2b(digest_size=16)
    for path in sources.imported_files():
        state.update(blake2b(path.read_bytes()).digest())
    return state.hexdigest()

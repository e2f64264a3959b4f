"""The vectors of passages: jobs that encode passages, and tables with one vector per passage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.artifacts.build import PartResult
from nextset.artifacts.progress_callback import Tick
from nextset.extensions.ambiguity.search.sentence_encoder import EncoderModel, SentenceEncoder, encoder_of
from nextset.scoring.models.sources import check_unchanged
from nextset.scoring.row_chunks import Readable
from nextset.scoring.tokenization import Read

__all__ = ["CUT_PASSAGES", "EncodingJob", "PassageVector", "ReadPassages", "vector_blocks"]

CUT_PASSAGES = "passages cut to the model's length"
"""The name of the count of passages that are longer than the encoder's maximum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageVector:
    """The vector of a passage."""

    passage: int
    """The number of the passage in the collection, from 0."""
    vector: tuple[float, ...]
    """The vector, in float32."""


@dataclass
class ReadPassages:
    """The passages of a job as tokens, and the encoder."""

    encoded: Sequence[Read]
    encoder: SentenceEncoder


@dataclass(frozen=True)
class EncodingJob:
    """One encoder and the passages that it reads: a `nextset.scoring.engines.engine_job.EngineJob`."""

    model: EncoderModel
    """The encoder."""
    rows: Readable
    """The passages: rows with title and text."""
    first: int
    """The number of the first passage."""
    on: str | None = None
    """The device, such as cuda:1; torch's default if None."""

    earlier: tuple[EncoderModel, ...] = ()
    """Always empty, because encoders do not depend on each other."""

    def __call__(self) -> PartResult:
        return self.finish(self.prepare())

    def moved(self, device: str) -> EncodingJob:
        """Return the same job on a different device."""
        return replace(self, on=device)

    def prepare(self) -> ReadPassages:
        """Return the passages as tokens; raises DamagedShard, ModelError."""
        rows = self.rows.read(("title", "text"))
        encoder = encoder_of(self.model, self.on)
        return ReadPassages(encoder.passages(rows["title"].to_pylist(), rows["text"].to_pylist()), encoder)

    def finish(self, prepared: ReadPassages) -> PartResult:
        """Return one `PassageVector` per passage; raises ModelError."""
        vectors = prepared.encoder.vectors(prepared.encoded)
        check_unchanged(self.model.source)  # weights can be read from their files while they are used
        cut = sum(was_cut for _, was_cut in prepared.encoded)
        numbers = np.arange(self.first, self.first + len(vectors), dtype=np.int32)
        return PartResult(_table(numbers, vectors), {CUT_PASSAGES: cut} if cut else {})


def _table(numbers: npt.NDArray[np.int32], vectors: npt.NDArray[np.float32]) -> pa.Table:
    offsets = pa.array(np.arange(len(vectors) + 1, dtype=np.int32) * np.int32(vectors.shape[1]))
    item = pa.field("item", pa.float32(), nullable=False)
    column = pa.ListArray.from_arrays(offsets, pa.array(vectors.ravel()), type=pa.list_(item))
    schema = pa.schema(
        [
            pa.field("passage", pa.int32(), nullable=False),
            pa.field("vector", pa.list_(item), nullable=False),
        ]
    )
    return pa.table([pa.array(numbers), column], schema=schema)


def vector_blocks(vectors: Artifact, progress: Tick) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
    """Yield the number of the first passage of each shard, and its vectors, shape (passages, dimensions).

    Raises DamagedShard.
    """
    shards = vectors.shards_of("vectors")
    for i, shard in enumerate(shards):
        progress(i, len(shards))
        table = vectors.piece(shard)
        flat = table["vector"].combine_chunks().flatten().to_numpy()
        yield table["passage"][0].as_py(), flat.reshape(table.num_rows, -1)
    progress(len(shards), len(shards))

"""Exact and near duplicates within a dataset version and with an earlier version.

Near duplicates are searched only among NLI items and choice items: questions and statements of a set differ
by subjects and attributes, so they resemble one another by design. Items of one template also resemble one
another by design, so near duplicates are searched between templates, and among imported items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from nextset.errors import ArtifactError
from nextset.records.arrow_schema import arrow_schema
from nextset.release.forms.released_form import released_form
from nextset.release.overlap.near_pairs import distinct_texts, near_pairs
from nextset.release.overlap.overlap_records import THIS_VERSION, DuplicateRow
from nextset.release.overlap.row_batches import Batches, ids_of
from nextset.release.overlap.row_hashes import RowHashes, read_rows, selected
from nextset.release.source_rows import Kind
from nextset.release.version_folder.release_manifest import read_release_manifest

__all__ = ["find_duplicates", "find_earlier_duplicates"]

Numbers = NDArray[np.int64]


def find_duplicates(
    kind: Kind, batches: Batches, near: float, *, seed: int = 0, scratch: Path | None = None
) -> pa.Table:
    """Return the duplicates within a version as a sorted table of `DuplicateRow`; at most two rows per id.

    Of several rows with the same text, each is listed with the smallest id among them. Each item with a found
    near duplicate (Jaccard similarity of at least ``near``) is listed at least once, with one of its near
    duplicates. Candidates come from MinHash and are compared exactly, so every listed pair is similar enough.
    A pair that is just similar enough is missed as a candidate with a probability of at most 1 in 100,000
    (for ``near`` of 0.05 or more). Each text is compared with at most 32 candidates of other templates,
    including candidates that are not similar. So a text with more candidates can be missed, unless it is
    found from the other text.

    Rows that share template_id, set_id or counterfactual_set are not compared. The order of the rows makes no
    difference. Temporary files, about 0.5 KB per item, are made in ``scratch``, by default in the system's
    temporary folder.
    """
    return _duplicates(kind, [batches], near, seed, scratch, THIS_VERSION)


def find_earlier_duplicates(
    kind: Kind, batches: Batches, earlier: Path, near: float, *, seed: int = 0, scratch: Path | None = None
) -> pa.Table:
    """Return the version's new rows that are duplicates of rows in the version in the folder ``earlier``.

    New rows are rows whose id the earlier version does not have, such as reworded items. They are compared as
    in `find_duplicates`; id2 is the earlier version's row. Raises ArtifactError if the folder holds no
    dataset version or a damaged one.
    """
    manifest = read_release_manifest(earlier)
    files = [earlier / file.path for file in manifest.files_of(kind)]
    where = f"{manifest.name}-{manifest.version}"
    return _duplicates(kind, [lambda: _tables(files, kind), batches], near, seed, scratch, where)


def _duplicates(
    kind: Kind, tables: Sequence[Batches], near: float, seed: int, scratch: Path | None, where: str
) -> pa.Table:
    with TemporaryFile(dir=scratch) as ngrams, TemporaryFile(dir=scratch) as bands:
        rows = read_rows(kind, tables, ngrams if released_form(kind).near_duplicates else None)
        pa.default_memory_pool().release_unused()  # NumPy cannot use the batches' memory
        if len(tables) == 2:
            known = np.unique(rows.id[rows.side == 0])
            rows = selected(rows, (rows.side == 0) | ~np.isin(rows.id, known))
        exact, numbers, side = _text_numbers(rows), rows.number, rows.side
        texts = distinct_texts(rows, exact)
        del rows  # 70 bytes per row
        pairs = near_pairs(texts, ngrams, near, seed, bands, len(tables))
    needed = _shared(exact) | np.isin(texts.of_row, np.concatenate([pairs.text, pairs.other]))
    ids = ids_of(chain.from_iterable(batches() for batches in tables), numbers[needed])
    by_id = pc.sort_indices(ids).to_numpy()
    ranks = np.full(len(numbers), -1, np.int64)
    places = np.empty(len(by_id), np.int64)
    places[by_id] = np.arange(len(by_id))
    ranks[np.flatnonzero(needed)] = places
    smallest = _smallest(texts.of_row[needed], ranks[needed], len(texts.family))
    near_ids = smallest[pairs.text], smallest[pairs.other]
    sorted_ids = ids.take(pa.array(by_id))
    return pa.concat_tables(
        [
            _table("exact", sorted_ids, *_exact_pairs(side, exact, ranks, len(tables)), None, where),
            _table("near", sorted_ids, *_ordered(near_ids, len(tables)), pairs.similarity, where),
        ]
    )


def _text_numbers(rows: RowHashes) -> NDArray[np.int32]:
    """Return a number for each row; rows with the same text have the same number."""
    order = np.lexsort((rows.text_rest, rows.text))
    first = np.zeros(len(order), bool)
    for key in (rows.text, rows.text_rest):
        first[1:] |= key[order[1:]] != key[order[:-1]]
    numbers = np.empty(len(order), np.int32)
    numbers[order] = np.cumsum(first, dtype=np.int32)
    return numbers


def _shared(texts: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return for each row whether another row has the same text."""
    return np.asarray(np.bincount(texts, minlength=1)[texts] > 1)


def _exact_pairs(
    side: NDArray[np.uint8], texts: NDArray[np.int32], ranks: Numbers, tables: int
) -> tuple[Numbers, Numbers]:
    """Return the ranks of the ids of rows with the same text, each with the smallest rank."""
    shared = _shared(texts)
    base = shared & (side == 0)
    smallest = _smallest(texts[base], ranks[base], int(texts.max(initial=-1)) + 1)
    asked = shared & (side == 1) if tables == 2 else base
    own, other = ranks[asked], smallest[texts[asked]]
    differ = (own != other) & (other <= len(ranks))
    return (own[differ], other[differ]) if tables == 2 else (other[differ], own[differ])


def _smallest(labels: NDArray[np.int32], ranks: Numbers, count: int) -> Numbers:
    """Return the smallest rank of each label, or a number above all ranks for absent labels."""
    smallest = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(smallest, labels, ranks)
    return smallest


def _ordered(pairs: tuple[Numbers, Numbers], tables: int) -> tuple[Numbers, Numbers]:
    a, b = pairs
    return (a, b) if tables == 2 else (np.minimum(a, b), np.maximum(a, b))


def _table(
    kind: str,
    ids: pa.Array,
    first: Numbers,
    second: Numbers,
    similarity: NDArray[np.float64] | None,
    where: str,
) -> pa.Table:
    """Return the pairs, given by the places of their ids in ``ids``, each once, sorted."""
    pairs, chosen = np.unique(np.stack([first, second]), axis=1, return_index=True)
    values = np.ones(len(chosen)) if similarity is None else similarity[chosen]
    n = len(chosen)
    columns = [
        pa.repeat(pa.scalar(kind), n), ids.take(pa.array(pairs[0])), ids.take(pa.array(pairs[1])),
        pa.array(values), pa.repeat(pa.scalar(where), n),
    ]  # fmt: skip
    return pa.Table.from_arrays(columns, schema=arrow_schema(DuplicateRow))


def _tables(files: Sequence[Path], kind: Kind) -> Iterator[pa.Table]:
    """Yield the rows of Parquet files with the compared columns. Raises ArtifactError."""
    import pyarrow.parquet as pq

    for path in files:
        try:
            with pq.ParquetFile(path) as file:
                names = [name for name in released_form(kind).compared if name in file.schema_arrow.names]
                for batch in file.iter_batches(16_384, columns=names):
                    yield pa.Table.from_batches([batch])
        except (pa.ArrowException, OSError) as e:
            raise ArtifactError(
                f"{path} cannot be read: {str(e).splitlines()[0]}",
                remedy="build or download the earlier version again",
            ) from None

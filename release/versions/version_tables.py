"""The tables of a dataset version, read batch by batch: its configs, ids, codes and hashes of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from nextset.errors import ArtifactError
from nextset.records.class_labels import untyped_table
from nextset.release.version_folder.release_manifest import (
    PublishedFile,
    ReleaseManifest,
    read_release_manifest,
)

__all__ = [
    "PLACES",
    "Codes",
    "Hashes",
    "Ids",
    "Rows",
    "VersionTable",
    "Vocabulary",
    "column_hashes",
    "hex_ids",
    "open_version",
    "read_rows",
]

Ids = npt.NDArray[np.bytes_]
"""Ids as 16 bytes each, shape (rows,)."""
Codes = npt.NDArray[np.int32]
"""Places in a `Vocabulary`, shape (rows,)."""
Hashes = npt.NDArray[np.uint64]
"""One hash per row, shape (rows,); 0 for null."""

PLACES = ("split", "folder")
"""The place of a row, which is not a column: its split, and its domain's folder if there is one."""
BATCH = 65_536
"""The most rows in memory at a time."""
_HEX_ID = "^[0-9a-f]{32}$"


@dataclass(frozen=True, slots=True)
class VersionTable:
    """A config of a dataset version: its Parquet files, all with the same columns."""

    config: str
    """Its name, such as items."""
    files: tuple[Path, ...]
    """Its files, in the order of their paths; empty if the version has no such config."""
    schema: pa.Schema
    """The columns of the files."""
    splits: tuple[str, ...] = ()
    """The split of each file."""
    folders: tuple[str, ...] = ()
    """The domain's folder of each file, such as gender; empty for a file in the config's own folder."""

    def parts(self) -> Iterator[tuple[Mapping[str, str], VersionTable]]:
        """Yield the table of each file, with the file's split and folder by the names in `PLACES`."""
        for file, split, folder in zip(self.files, self.splits, self.folders, strict=True):
            yield {"split": split, "folder": folder}, VersionTable(self.config, (file,), self.schema)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield the rows in tables of at most `BATCH` rows, with labels as text.

        Columns that the version lacks are null. Raises ArtifactError if a file is damaged.
        """
        present = [name for name in columns if name in self.schema.names]
        for file in self.files:
            try:
                with pq.ParquetFile(file) as opened:
                    for batch in opened.iter_batches(BATCH, columns=present or self.schema.names[:1]):
                        table = pa.Table.from_batches([batch]).replace_schema_metadata(self.schema.metadata)
                        yield _with_columns(_untyped(table, file), columns)
            except (pa.ArrowException, OSError) as e:
                raise _damaged(file, e) from None

    def table(self, columns: Sequence[str]) -> pa.Table:
        """Return all rows with ``columns``. Without rows, all columns have the type text."""
        batches = list(self.batches(columns))
        if not batches:
            return pa.table({name: pa.array([], pa.string()) for name in columns})
        return pa.concat_tables(batches, promote_options="permissive")

    def rows(self, columns: Sequence[str], places: npt.NDArray[np.intp]) -> pa.Table:
        """Return the rows at ``places``, in ascending order, with ``columns``."""
        tables, start = [], 0
        for batch in self.batches(columns):
            low, high = np.searchsorted(places, [start, start + batch.num_rows])
            if high > low:
                tables.append(batch.take(pa.array(places[low:high] - start)))
            start += batch.num_rows
        if not tables:
            return pa.table({name: pa.array([], pa.string()) for name in columns})
        return pa.concat_tables(tables, promote_options="permissive")


class Vocabulary:
    """The values of a column with few values, numbered as they appear; null is 0."""

    def __init__(self) -> None:
        self.names: list[str] = [""]
        self._codes: dict[str | None, int] = {None: 0}

    def codes(self, values: pa.ChunkedArray) -> Codes:
        """Return the codes of ``values``."""
        encoded = values.cast(pa.string()).combine_chunks().dictionary_encode()
        own = [self.code(v) for v in encoded.dictionary.to_pylist()]
        places = encoded.indices.fill_null(len(own)).to_numpy(zero_copy_only=False)
        row_codes: Codes = np.array([*own, 0], np.int32)[places]
        return row_codes

    def code(self, value: str) -> int:
        """Return the code of ``value``, or a new code if it has none yet."""
        code = self._codes.get(value)
        if code is None:
            code = self._codes[value] = len(self.names)
            self.names.append(value)
        return code


@dataclass(frozen=True, slots=True)
class Rows:
    """The ids of a config's rows and the codes of the columns with few values, in the files' order."""

    ids: Ids
    codes: dict[str, Codes]
    """The codes, by column; 0 for all rows if the version lacks the column."""


def open_version(folder: Path) -> tuple[ReleaseManifest, dict[str, VersionTable]]:
    """Return the manifest of the version in ``folder`` and its configs by name.

    Raises ArtifactError if the manifest or a file is missing or damaged, or if the files of a config have
    different columns.
    """
    manifest = read_release_manifest(folder)
    files: dict[str, list[PublishedFile]] = {}
    for listed in manifest.files:
        if listed.config is not None:
            files.setdefault(listed.config, []).append(listed)
    return manifest, {config: _table(config, folder, own) for config, own in sorted(files.items())}


def read_rows(table: VersionTable, columns: Sequence[str], vocabularies: dict[str, Vocabulary]) -> Rows:
    """Return the ids of ``table``, and the codes of ``columns`` and `PLACES`.

    Raises ArtifactError if an id is not 32 hex digits or is repeated.
    """
    ids: list[Ids] = [np.empty(0, "S16")]
    codes: dict[str, list[Codes]] = {name: [np.empty(0, np.int32)] for name in (*columns, *PLACES)}
    known = {name: vocabularies.setdefault(name, Vocabulary()) for name in codes}
    for place, part in table.parts():
        for batch in part.batches(["id", *columns]):
            ids.append(_binary_ids(batch["id"], table))
            for name in columns:
                codes[name].append(known[name].codes(batch[name]))
            for name, value in place.items():
                code = known[name].code(value) if value else 0
                codes[name].append(np.full(batch.num_rows, code, np.int32))
    all_ids = np.concatenate(ids)
    _check_unique(all_ids, table)
    return Rows(all_ids, {name: np.concatenate(parts) for name, parts in codes.items()})


def hex_ids(ids: Ids) -> list[str]:
    """Return ``ids`` as hex digits."""
    return [id_.ljust(16, b"\0").hex() for id_ in ids.tolist()]


def column_hashes(array: pa.Array, skip: frozenset[str] = frozenset()) -> Hashes:
    """Return one hash per value of ``array``, of any type, ignoring fields named in ``skip``.

    The same values have the same hash, regardless of the width of numbers and the encoding of texts.
    """
    kind = array.type
    if pa.types.is_struct(kind):
        hashes: Hashes = np.full(len(array), len(kind.names), np.uint64)
        for field, part in zip(kind, array.flatten(), strict=True):
            if field.name not in skip:
                hashes = _mixed(hashes) + column_hashes(part, skip)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        hashes = _list_hashes(array, skip)
    else:
        hashes = _plain_hashes(array)
    return np.where(np.asarray(array.is_null()), np.uint64(0), _mixed(hashes) | np.uint64(1))


def _list_hashes(array: pa.Array, skip: frozenset[str]) -> Hashes:
    length = np.asarray(pc.fill_null(pc.list_value_length(array), 0)).astype(np.int64)
    ends = np.cumsum(length)
    inside = column_hashes(array.flatten(), skip)
    place = np.arange(len(inside)) - np.repeat(ends - length, length)
    sums = np.zeros(len(inside) + 1, np.uint64)
    np.cumsum(_mixed(inside + np.uint64(31) * place.astype(np.uint64)), out=sums[1:])
    hashes: Hashes = sums[ends] - sums[ends - length] + length.astype(np.uint64)
    return hashes


def _plain_hashes(array: pa.Array) -> Hashes:
    import pandas as pd

    if pa.types.is_null(array.type):
        return np.zeros(len(array), np.uint64)
    if pa.types.is_nested(array.type):
        array = pa.array([None if v is None else repr(v) for v in array.to_pylist()], pa.string())
    if not (pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type)):
        array = array.cast(pa.string())
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    own = pd.util.hash_array(np.array([*encoded.dictionary.to_pylist(), ""], object), categorize=False)
    places = encoded.indices.fill_null(len(own) - 1).to_numpy(zero_copy_only=False)
    hashes: Hashes = own[places]
    return hashes


def _mixed(values: Hashes) -> Hashes:
    mixed: Hashes = (values ^ (values >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ (mixed >> np.uint64(32))


def _untyped(table: pa.Table, file: Path) -> pa.Table:
    """Return ``table``, read from ``file``, with the names of labels. Raises ArtifactError without a name."""
    try:
        return untyped_table(table)
    except ArtifactError as e:
        raise ArtifactError(f"{file}: {e.message}", remedy=e.remedy) from None


def _with_columns(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    null = pa.nulls(table.num_rows, pa.string())
    present = set(table.column_names)
    return pa.table({name: table[name] if name in present else null for name in columns})


def _table(config: str, folder: Path, listed: Sequence[PublishedFile]) -> VersionTable:
    schemas = []
    files = tuple(folder / file.path for file in listed)
    for file in files:
        try:
            schemas.append(pq.read_schema(file))
        except (pa.ArrowException, OSError) as e:
            raise _damaged(file, e) from None
        if not schemas[0].equals(schemas[-1]):
            raise ArtifactError(
                f"the columns of {file} and {files[0]} differ", remedy="build or download the version again"
            )
    parts = [file.path.split("/") for file in listed]
    folders = tuple(path[2] if len(path) == 4 else "" for path in parts)  # data/CONFIG/FOLDER/FILE
    return VersionTable(config, files, schemas[0], tuple(file.split or "" for file in listed), folders)


def _damaged(file: Path, e: Exception) -> ArtifactError:
    why = "it is missing" if isinstance(e, FileNotFoundError) else (str(e).splitlines() or ["unknown"])[0]
    return ArtifactError(f"{file} cannot be read: {why}", remedy="build or download the version again")


def _binary_ids(column: pa.ChunkedArray, table: VersionTable) -> Ids:
    ids = column.cast(pa.string()).combine_chunks()
    good = pc.fill_null(pc.match_substring_regex(ids, _HEX_ID), False)
    if len(ids) and not pc.all(good).as_py():
        bad = ids.filter(pc.invert(good))[0].as_py()
        shown = "null" if bad is None else ascii(bad[:40])
        raise ArtifactError(
            f"{table.files[0].parent}: the id {shown} in {table.config} is not 32 hex digits",
            remedy="build or download the version again",
        )
    digits = np.asarray(ids.to_numpy(zero_copy_only=False), "S32").view(np.uint8).reshape(-1, 2)
    values = np.where(digits >= ord("a"), digits - (ord("a") - 10), digits - ord("0")).astype(np.uint8)
    return np.ascontiguousarray(values[:, 0] << 4 | values[:, 1]).view("S16")


def _check_unique(ids: Ids, table: VersionTable) -> None:
    ordered = np.sort(ids)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(repeated):
        raise ArtifactError(
            f"{table.files[0].parent}: the id {hex_ids(repeated[:1])[0]} is repeated in {table.config}",
            remedy="build or download the version again",
        )

"""Tables that a caller gives: of nextset, pyarrow, pandas or `datasets`, or in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.errors import ArtifactError, InputError
from nextset.files.row_files import ROW_SUFFIXES, is_row_file, rows_of_file
from nextset.records.class_labels import untyped_table
from nextset.tables.named_tables import NamedTables

if TYPE_CHECKING:
    import pandas as pd
    from datasets import Dataset

__all__ = ["TableLike", "given_table"]

if TYPE_CHECKING:
    TableLike: TypeAlias = NamedTables | pa.Table | pd.DataFrame | Dataset | Artifact | Path | str
else:
    TableLike = NamedTables | pa.Table | Artifact | Path | str
"""A table of nextset, pyarrow, pandas or `datasets`, or the path of a file with rows."""

_KINDS = (
    "a table of nextset, a DataFrame, a Dataset, a pyarrow table, or the path of a Parquet, CSV or JSONL file"
)


def given_table(given: TableLike, noun: str) -> pa.Table:
    """Return ``given`` as a pyarrow table; labels that are numbers of a ClassLabel become their names.

    ``noun`` names the table in errors, such as items. Raises InputError for anything else than a table, and
    for a file that cannot be read.
    """
    return _with_plain_types(_table(given, noun))


def _table(given: TableLike, noun: str) -> pa.Table:
    if isinstance(given, NamedTables):
        return given.table()
    if isinstance(given, Artifact):
        if len(given.tables) != 1:
            raise InputError(
                f"{noun}: the artifact has the tables {', '.join(given.tables)}",
                remedy="give one of its tables, such as artifact.table('items')",
            )
        return given.table(given.tables[0])
    if isinstance(given, str | Path):
        return _file_table(Path(given), noun)
    table = _arrow_table(given, noun)
    if table is None:
        raise InputError(
            f"{noun}: an object of the type {type(given).__name__} is not a table", remedy=f"give {_KINDS}"
        )
    try:
        return untyped_table(table)
    except ArtifactError as e:
        raise InputError(e.message, remedy=e.remedy) from None


def _with_plain_types(table: pa.Table) -> pa.Table:
    """Return ``table`` with ordinary texts and lists instead of large ones and categories, as nextset has."""
    fields = [pa.field(field.name, _plain_type(field.type)) for field in table.schema]
    schema = pa.schema(fields)
    return table if schema.types == table.schema.types else table.cast(schema)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, _plain_type(field.type)) for field in kind])
    return kind


def _arrow_table(given: Any, noun: str) -> pa.Table | None:
    """Return a table of another library as a pyarrow table; None if it is none."""
    if isinstance(given, pa.Table):
        return given
    library = type(given).__module__.split(".")[0]
    if library == "pandas" and hasattr(given, "columns"):
        try:
            return pa.Table.from_pandas(given, preserve_index=False)
        except pa.ArrowException as e:
            raise _mixed_types(noun, e, None) from None
        except ValueError as e:  # two columns with one name
            raise InputError(f"{noun}: {e}", remedy="give each column its own name") from None
    if library == "datasets" and hasattr(given, "features") and hasattr(given, "with_format"):
        return given.with_format("arrow")[:]
    return None


def _file_table(path: Path, noun: str) -> pa.Table:
    if path.is_dir() or not is_row_file(path):
        raise InputError(
            f"{noun}: this is not a file with rows",
            file=path,
            remedy=f"name a file with one of the endings {', '.join(ROW_SUFFIXES)}, or give a table",
        )
    rows = [dict(row) for _, row in rows_of_file(path, InputError)]
    try:
        return pa.Table.from_pylist(rows)
    except pa.ArrowException as e:
        raise _mixed_types(noun, e, path) from None


def _mixed_types(noun: str, error: pa.ArrowException, path: Path | None) -> InputError:
    return InputError(
        f"{noun}: the rows differ in type: {str(error).splitlines()[0]}",
        file=path,
        remedy="write values of one type in each column",
    )

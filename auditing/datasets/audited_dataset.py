"""A dataset version in an audit: its rows and judgments, read file by file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from nextset.auditing.audit_form import AUDIT_FORMS
from nextset.errors import ArtifactError
from nextset.forms import FORMS, FormName
from nextset.records.arrow_schema import arrow_schema
from nextset.records.class_labels import CLASSES, untyped_table
from nextset.records.content_ids import content_id
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.row_chunks import Rows, Source, chunks
from nextset.study.stereotype_sentences import StereotypeRow

__all__ = ["KINDS", "REMEDY", "AuditedDataset", "DatasetRows", "Judge"]

Judge = Literal["people", "rule"]

KINDS: Mapping[FormName, str] = {name: FORMS[name].released for name in AUDIT_FORMS.names}
"""The config with the rows of each form."""
REMEDY = "build or download the dataset version again"
"""The remedy for a dataset version that cannot be audited."""


@dataclass(frozen=True)
class DatasetRows:
    """Some rows of a file of a dataset version, with names in place of the numbers of class labels."""

    rows: Rows
    form: FormName
    """The form that models are asked in; in the form qa, items without a question are excluded."""

    def read(self, columns: tuple[str, ...]) -> pa.Table:
        """Return the rows with ``columns``; raises DamagedShard if the file has changed, ArtifactError if it
        lacks a column or has values of a different type."""
        schema = arrow_schema(FORMS[self.form].record)
        form = AUDIT_FORMS[self.form]
        more = tuple(name for name in form.further_columns if name not in columns)
        wanted = [
            schema.field(n) if n in schema.names else pa.field(n, pa.string()) for n in (*columns, *more)
        ]
        table = _read(self.rows, pa.schema(wanted))
        return SCORED_FORMS[self.form].asked(table).rows.select(list(columns))


@dataclass(frozen=True, kw_only=True)
class AuditedDataset:
    """A dataset version whose files match its manifest."""

    name: str
    """The dataset's name."""
    version: str
    """Its version, such as 1.0.0."""
    folder: Path
    judge: Judge | None = None
    """Who judged its rows: people, or a rule, which checks only their form; None if no one did or it is
    unknown."""
    stereotypes: tuple[StereotypeRow, ...] = ()
    """The stereotypes that the version states as sentences."""
    files: Mapping[str, tuple[Source, ...]]
    """The Parquet files of each config, such as items, judgments or scores, by path."""

    def count(self, config: str) -> int:
        """Return the number of rows of ``config``."""
        return sum(source.rows for source in self.files.get(config, ()))

    def digest(self, *configs: str) -> str:
        """Return the digest of the files of ``configs``; of all files if no config is given."""
        chosen = configs or tuple(sorted(self.files))
        return content_id(
            "dataset", *(x for c in chosen for s in self.files.get(c, ()) for x in (c, s.sha256))
        )

    def ids(self, form: FormName) -> pa.Array:
        """Return the ids of the rows that are asked in ``form``; raises ArtifactError if one is repeated."""
        parts = [chunk for table in self.tables(form, ("id",)) for chunk in table["id"].chunks]
        ids = pa.chunked_array(parts, pa.string()).combine_chunks()
        if len(pc.unique(ids)) < len(ids):
            counts = pc.value_counts(ids)
            repeated = counts.filter(pc.greater(counts.field("counts"), 1)).field("values")[0].as_py()
            raise ArtifactError(
                f"the {KINDS[form]} of {self.name} {self.version} have the id {repeated} more than once",
                remedy=REMEDY,
            )
        return ids

    def chunks(self, form: FormName) -> Iterator[DatasetRows]:
        """Yield the rows that are asked in ``form`` in parts, which are read when they are needed."""
        return (DatasetRows(rows, form) for rows in chunks(self.files.get(KINDS[form], ())))

    def tables(
        self, form: FormName, columns: Sequence[str], optional: Sequence[str] = ()
    ) -> Iterator[pa.Table]:
        """Yield the rows that are asked in ``form``, one table per file, with ``columns`` and those of
        ``optional`` that the file has."""
        for source in self.files.get(KINDS[form], ()):
            names = _columns(source)
            known = tuple(n for n in optional if n in names and n not in columns)
            yield DatasetRows(Rows(source, range(source.rows)), form).read((*columns, *known))

    def has_columns(self, config: str, columns: Sequence[str]) -> bool:
        """Return whether all files of ``config`` have ``columns``."""
        return all(set(columns) <= set(_columns(source)) for source in self.files.get(config, ()))

    def accompanying(
        self, config: str, schema: pa.Schema, optional: Collection[str] = ()
    ) -> Iterator[pa.Table]:
        """Yield the rows of ``config``, such as judgments or scores, with the columns of ``schema``.

        Files without these columns are skipped: the scores of NLI items and of quads have different columns.
        Those that are ``optional`` may be missing, as in earlier versions.
        """
        for source in self.files.get(config, ()):
            there = set(_columns(source))
            if set(schema.names) - set(optional) <= there:
                known = pa.schema([field for field in schema if field.name in there])
                yield _read(Rows(source, range(source.rows)), known)


def _columns(source: Source) -> list[str]:
    try:
        return list(pq.read_schema(source.path).names)
    except (pa.ArrowException, OSError) as e:
        raise _wrong(source, str(e).splitlines()[0] if str(e) else type(e).__name__) from None


def _read(rows: Rows, schema: pa.Schema) -> pa.Table:
    """Return ``rows`` with the columns and types of ``schema``."""
    missing = sorted(set(schema.names) - set(_columns(rows.source)))
    if missing:
        raise _wrong(rows.source, f"it has no column {missing[0]}")
    try:
        raw = rows.read(tuple(schema.names))
        raw.validate(full=True)
        table = untyped_table(raw)
        for field in schema:
            if not _fits(table[field.name].type, field.type):
                raise _wrong(
                    rows.source,
                    f"the column {field.name} has the type {table[field.name].type} instead of {field.type}",
                )
            if field.name in CLASSES and _is_text(field.type):  # the label of a choice item is a place
                _check_names(rows.source, table, field.name)
            if not field.nullable and table[field.name].null_count:
                raise _wrong(rows.source, f"the column {field.name} has empty values")
        return pa.table([table[field.name].cast(field.type) for field in schema], names=schema.names)
    except pa.ArrowException as e:
        raise _wrong(rows.source, str(e).splitlines()[0] if str(e) else type(e).__name__) from None


def _fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Return whether values of the type ``found`` have the same meaning in the type ``wanted``."""
    if pa.types.is_dictionary(found):
        found = found.value_type
    if pa.types.is_null(found) or found == wanted:
        return True
    kinds = (_is_text, pa.types.is_integer, pa.types.is_floating, pa.types.is_nested)
    return any(kind(found) and kind(wanted) for kind in kinds)


def _is_text(found: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(found) or pa.types.is_large_string(found) or pa.types.is_string_view(found)
    )


def _check_names(source: Source, found: pa.Table, column: str) -> None:
    """Raise ArtifactError for an unknown label, verdict or stance."""
    known = CLASSES[column]
    for value in pc.unique(found[column]).to_pylist():
        if value is not None and value not in known:
            raise _wrong(
                source, f"the column {column} has {value!r:.60}, which is not one of {', '.join(known)}"
            )


def _wrong(source: Source, why: str) -> ArtifactError:
    return ArtifactError(f"{source.path} cannot be audited: {why[:200]}", remedy=REMEDY)

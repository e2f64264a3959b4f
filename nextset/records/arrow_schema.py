"""The Arrow schema of a record, derived from its fields.

A record is a frozen dataclass. Tables of records are `pyarrow.Table`s with its schema; a stage may append
columns to those of the record, but never renames one.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterable
from typing import Literal

import pyarrow as pa

__all__ = ["arrow_schema", "records_of", "table_of"]

Record = typing.TypeVar("Record")


def _arrow_type(hint: object) -> tuple[pa.DataType, bool]:
    """Return the Arrow type of a field's type hint, and whether it may be null."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        inner = next(a for a in args if a is not type(None))
        return _arrow_type(inner)[0], True
    if origin is Literal:
        return pa.string(), False
    if origin is tuple:
        return pa.list_(pa.field("item", _arrow_type(args[0])[0], nullable=False)), False
    if dataclasses.is_dataclass(hint):
        return pa.struct(list(arrow_schema(typing.cast("type", hint)))), False
    plain = {str: pa.string(), bool: pa.bool_(), int: pa.int32(), float: pa.float64()}
    return plain[typing.cast("type", hint)], False


def arrow_schema(record: type) -> pa.Schema:
    """Return the Arrow schema of a record class, with its fields in their order."""
    hints = typing.get_type_hints(record)
    fields = []
    for field in dataclasses.fields(record):
        kind, nullable = _arrow_type(hints[field.name])
        fields.append(pa.field(field.name, kind, nullable=nullable))
    return pa.schema(fields)


def table_of(records: Iterable[object], record: type) -> pa.Table:
    """Return a table with one row per record; ``record`` gives the schema, even without records."""
    rows = [dataclasses.asdict(typing.cast("typing.Any", r)) for r in records]
    return pa.Table.from_pylist(rows, schema=arrow_schema(record))


def records_of(table: pa.Table, record: type[Record]) -> list[Record]:
    """Return one record per row of ``table``, without columns that ``record`` lacks; lists stay lists.

    A table of an earlier version may lack columns for which ``record`` has a default.
    """
    fields = dataclasses.fields(typing.cast("typing.Any", record))
    there = set(table.column_names)
    names = [f.name for f in fields if f.name in there or f.default is dataclasses.MISSING]
    return [record(**row) for row in table.select(names).to_pylist()]

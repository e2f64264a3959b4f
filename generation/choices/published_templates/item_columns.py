"""Choice items as columns, filled row by row and turned into a table without a record per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import ChoiceItem
from nextset.records.nli_items import Word

__all__ = ["ItemColumns"]

_SCHEMA: Final = arrow_schema(ChoiceItem)
_OPTION: Final = _SCHEMA.field("options").type.value_type
_WORD: Final = _SCHEMA.field("words").type.value_type


class ItemColumns:
    """The columns of items that have three options, no fills and no parents."""

    def __init__(self) -> None:
        """Begin without rows."""
        self._plain: dict[str, list[Any]] = {
            name: []
            for name in _SCHEMA.names
            if name not in ("options", "words", "fills", "published", "parent_id", "supersedes")
        }
        self._options: dict[str, list[Any]] = {field.name: [] for field in _OPTION}
        self._option_ends = [0]
        self._words: dict[str, list[str]] = {"name": [], "value": []}
        self._word_ends = [0]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._plain["id"])

    def add(
        self,
        values: dict[str, Any],
        options: Sequence[Sequence[Any]],
        words: Sequence[Word],
    ) -> None:
        """Add a row: values by column; texts, groups and roles of options; and words."""
        for name, column in self._plain.items():
            column.append(values[name])
        for column, entries in zip(self._options.values(), options, strict=True):
            column.extend(entries)
        self._option_ends.append(len(self._options["text"]))
        self._words["name"] += [word.name for word in words]
        self._words["value"] += [word.value for word in words]
        self._word_ends.append(len(self._words["name"]))

    def table(self) -> pa.Table:
        """Return the rows as a table in the schema of ChoiceItem."""
        rows = len(self)
        arrays: dict[str, pa.Array] = {
            name: pa.array(column, _SCHEMA.field(name).type) for name, column in self._plain.items()
        }
        arrays["options"] = _lists(self._options, self._option_ends, _OPTION)
        arrays["words"] = _lists(self._words, self._word_ends, _WORD)
        arrays["fills"] = pa.array([[]] * rows, _SCHEMA.field("fills").type)
        for name in ("published", "parent_id", "supersedes"):
            arrays[name] = pa.nulls(rows, _SCHEMA.field(name).type)
        return pa.table(
            [arrays[name].cast(_SCHEMA.field(name).type) for name in _SCHEMA.names], schema=_SCHEMA
        )


def _lists(columns: dict[str, list[Any]], ends: list[int], kind: pa.DataType) -> pa.Array:
    entries = [pa.array(columns[field.name], field.type) for field in kind]
    return pa.ListArray.from_arrays(
        pa.array(ends, pa.int32()), pa.StructArray.from_arrays(entries, fields=list(kind))
    )

"""Typed features: label, verdict and stance as numbers, with their names in the file and on the card.

A Parquet file stores the numbers of datasets' ClassLabel. Its schema has the metadata `huggingface`, which
tells `datasets` how to show each column. Null stays null, and −1, by which `datasets` says that a row has no
class, becomes a text that no reader takes for a class.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import pyarrow as pa
import pyarrow.compute as pc

from nextset.counted import counted
from nextset.errors import ArtifactError
from nextset.records.judgment import Verdict
from nextset.records.nli_items import LABELS, Stance

__all__ = [
    "CLASSES",
    "class_names",
    "features_of",
    "is_no_class",
    "typed_schema",
    "typed_table",
    "untyped_table",
]

CLASSES: Mapping[str, tuple[str, ...]] = {
    "label": LABELS,
    "verdict": get_args(Verdict),
    "stance_design": get_args(Stance),
    "stance_judged": get_args(Stance),
}
"""The columns that become numbers, each with its names in the order of the numbers."""

_NO_CLASS = "-1"
_KEY = b"huggingface"
_DTYPES = {"double": "float64", "float": "float32", "halffloat": "float16"}


def typed_schema(schema: pa.Schema, classes: Mapping[str, Sequence[str]] = CLASSES) -> pa.Schema:
    """Return the schema of `typed_table`: ``classes`` as int64, with metadata for `datasets`.

    A column of ``classes`` that already holds numbers keeps its names.
    """
    named = {**class_names(schema), **{n: c for n, c in classes.items() if _textual(schema, n)}}
    # `datasets` ignores the names of a column that may not be null.
    fields = [pa.field(f.name, pa.int64()) if f.name in named else f for f in schema]
    features = {f.name: _feature(f.type, named.get(f.name)) for f in fields}
    written = json.dumps({"info": {"features": features}})
    return pa.schema(fields, metadata={**(schema.metadata or {}), _KEY: written.encode()})


def typed_table(table: pa.Table, classes: Mapping[str, Sequence[str]] = CLASSES) -> pa.Table:
    """Return ``table`` with the columns ``classes`` as numbers, and with the schema of `typed_schema`.

    Works batch by batch: every batch of a table gets the same schema. Raises ArtifactError for a value that
    is not one of the names.
    """
    schema = typed_schema(table.schema, classes)
    columns = [
        _codes(table[name], name, classes[name])
        if name in classes and _textual(table.schema, name)
        else table[name]
        for name in table.column_names
    ]
    return pa.table(columns, schema=schema)


def untyped_table(table: pa.Table) -> pa.Table:
    """Return ``table`` with names in place of the numbers, as its own metadata gives them; −1 becomes "-1".

    Tables without such columns are returned unchanged, except for the metadata. Raises ArtifactError for a
    number without a name, and for damaged metadata.
    """
    fields, columns = [], []
    named = class_names(table.schema)
    for field in table.schema:
        column = table[field.name]
        if field.name in named and pa.types.is_integer(field.type):
            field = field.with_type(pa.string())
            column = _names(column, field.name, named[field.name])
        fields.append(field)
        columns.append(column)
    metadata = {k: v for k, v in (table.schema.metadata or {}).items() if k != _KEY}
    return pa.table(columns, schema=pa.schema(fields, metadata=metadata or None))


def is_no_class(value: Any) -> bool:
    """Return whether ``value`` says that a row has no class: null, NaN, −1, or the text "", "-" or "-1".

    Datasets write these if annotators did not agree, so a reader refuses the row or drops and counts it.
    """
    return value is None or value != value or str(value).strip() in ("", "-", _NO_CLASS, "-1.0")


def class_names(schema: pa.Schema) -> dict[str, tuple[str, ...]]:
    """Return the names of each column of numbers, from the schema's metadata.

    Raises ArtifactError for damaged metadata.
    """
    raw = (schema.metadata or {}).get(_KEY)
    if raw is None:
        return {}
    try:
        features = json.loads(raw)["info"].get("features") or {}
        by_column = {
            name: tuple(feature["names"])
            for name, feature in features.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        }
        if not all(isinstance(n, str) for names in by_column.values() for n in names):
            raise ValueError("a name is not text")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ArtifactError(
            "the Parquet metadata `huggingface`, which contains the names of the labels, is damaged",
            remedy="build or download the dataset version again",
        ) from None
    return by_column


def features_of(schema: pa.Schema, classes: Mapping[str, Sequence[str]] = CLASSES) -> list[dict[str, Any]]:
    """Return the features of a table with ``schema``, as `dataset_info` on a card lists them."""
    written = json.loads(typed_schema(schema, classes).metadata[_KEY])
    return list(_listed(written["info"]["features"])["struct"])


def _textual(schema: pa.Schema, name: str) -> bool:
    """Return whether the column ``name`` exists and holds text."""
    if name not in schema.names:
        return False
    kind = schema.field(name).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind))


def _codes(column: pa.ChunkedArray, name: str, names: Sequence[str]) -> pa.ChunkedArray:
    texts = column.cast(pa.string())
    codes = pc.index_in(texts, value_set=pa.array(names, pa.string()))
    if codes.null_count > texts.null_count:
        unknown = texts.filter(pc.and_(codes.is_null(), texts.is_valid()))[0].as_py()
        raise ArtifactError(
            f"the column {name} contains {unknown!r}, which is not one of {', '.join(names)}",
            remedy=f"correct the column {name} and run the stage that wrote it again",
        )
    return codes.cast(pa.int64())


def _names(column: pa.ChunkedArray, name: str, names: Sequence[str]) -> pa.ChunkedArray:
    codes = pc.add(column.cast(pa.int64()), 1)
    outside = pc.or_(pc.less(codes, 0), pc.greater(codes, len(names)))
    if pc.any(outside).as_py():
        number = codes.filter(outside)[0].as_py() - 1
        raise ArtifactError(
            f"the column {name} contains the number {number}, but the file names only "
            f"{counted(len(names), 'labels')}",
            remedy="build or download the dataset version again",
        )
    texts = pa.array([_NO_CLASS, *names], pa.string())
    return pa.chunked_array([texts.take(chunk) for chunk in codes.chunks], pa.string())


def _feature(kind: pa.DataType, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the feature of a column, in the JSON format of datasets' features."""
    if names is not None:
        return {"names": list(names), "_type": "ClassLabel"}
    if pa.types.is_dictionary(kind):
        return _feature(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        listed = "List" if pa.types.is_list(kind) else "LargeList"
        return {"feature": _feature(kind.value_type), "_type": listed}
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    return {"dtype": _DTYPES.get(str(kind), str(kind)), "_type": "Value"}


def _listed(feature: dict[str, Any]) -> dict[str, Any]:
    """Return a feature, in the YAML format of a card."""
    kind = feature.get("_type")
    if kind == "Value":
        return {"dtype": feature["dtype"]}
    if kind == "ClassLabel":
        return {"dtype": {"class_label": {"names": {str(i): n for i, n in enumerate(feature["names"])}}}}
    if kind in ("List", "LargeList"):
        inner = _listed(feature["feature"])
        short = inner["dtype"] if list(inner) == ["dtype"] else inner.get("struct", inner)
        return {"list" if kind == "List" else "large_list": short}
    return {"struct": [{"name": name, **_listed(inner)} for name, inner in feature.items()]}

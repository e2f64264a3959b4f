from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ArtifactError
from nextset.records.arrow_schema import arrow_schema
from nextset.records.class_labels import (
    CLASSES,
    class_names,
    features_of,
    is_no_class,
    typed_schema,
    typed_table,
    untyped_table,
)
from nextset.records.judgment import Judgment
from nextset.records.nli_items import NliItem, NliScore
from nextset.records.question_quads import MaskedStatement, QuadScore, QuestionQuad

RECORDS = (NliItem, QuestionQuad, MaskedStatement, NliScore, QuadScore, Judgment)


def classes(**columns: list[str | None]) -> pa.Table:
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


@pytest.mark.parametrize("record", RECORDS)
def test_datasets_reads_the_features_of_every_record(record: type) -> None:
    from datasets import Features

    schema = arrow_schema(record)
    typed = typed_schema(schema)
    features = Features.from_arrow_schema(typed)
    assert features.arrow_schema.metadata == typed.metadata
    assert features._to_yaml_list() == features_of(schema) == features_of(typed)
    for name, names in CLASSES.items():
        if name in schema.names:
            assert (features[name].names, typed.field(name).type) == (list(names), pa.int64())


def kinds() -> st.SearchStrategy[pa.DataType]:
    plain = st.sampled_from(
        [pa.string(), pa.bool_(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.large_string()]
    )
    names = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True)

    def deeper(inner: st.SearchStrategy[pa.DataType]) -> st.SearchStrategy[pa.DataType]:
        structs = names.flatmap(
            lambda n: st.tuples(*[inner] * len(n)).map(lambda t: pa.struct(list(zip(n, t, strict=True))))
        )
        return inner.map(pa.list_) | inner.map(pa.large_list) | structs

    return st.recursive(plain, deeper, max_leaves=5)


@given(st.dictionaries(st.sampled_from(["x", "y", "label", "verdict"]), kinds(), min_size=1))
def test_any_columns_have_the_features_that_datasets_gives_them(columns: dict[str, pa.DataType]) -> None:
    from datasets import Features

    typed = typed_schema(pa.schema(list(columns.items())))
    features = Features.from_arrow_schema(typed)
    assert json.loads(typed.metadata[b"huggingface"])["info"]["features"] == features.to_dict()
    assert features._to_yaml_list() == features_of(pa.schema(list(columns.items())))


def test_codes_are_in_the_declared_order_and_null_stays_null() -> None:
    table = classes(
        label=["contradiction", "entailment", "neutral"],
        verdict=["incoherent", None, "valid"],
        stance_judged=[None, "anti", "test"],
    )
    typed = typed_table(table)
    assert typed.to_pydict() == {"label": [2, 0, 1], "verdict": [2, None, 0], "stance_judged": [None, 1, 2]}
    assert untyped_table(typed) == table
    assert class_names(typed.schema)["verdict"] == ("valid", "invalid", "incoherent")


@given(st.lists(st.sampled_from([*CLASSES["verdict"], None]), max_size=30), st.integers(1, 5), st.booleans())
def test_batches_have_one_schema_and_come_back(values: list[str | None], size: int, encoded: bool) -> None:
    table = classes(verdict=values, text=["x"] * len(values))
    if encoded:
        table = table.set_column(0, "verdict", table["verdict"].dictionary_encode())
    batches = [typed_table(pa.Table.from_batches([b])) for b in table.to_batches(max_chunksize=size)]
    assert {b.schema.metadata[b"huggingface"] for b in batches} <= {
        typed_schema(table.schema).metadata[b"huggingface"]
    }
    back = [x for b in batches for x in untyped_table(b)["verdict"].to_pylist()]
    assert back == values


def test_typing_twice_changes_nothing() -> None:
    typed = typed_table(classes(label=["neutral", None], other=["a", "b"]))
    assert typed_table(typed).equals(typed, check_metadata=True)


def test_a_strange_value_is_named() -> None:
    with pytest.raises(
        ArtifactError, match="column verdict contains 'maybe', which is not one of valid, invalid"
    ):
        typed_table(classes(verdict=["valid", None, "maybe"]))
    assert typed_table(classes(verdict=["maybe"]), {}).to_pydict() == {"verdict": ["maybe"]}


@pytest.mark.parametrize(
    "metadata", [b"{", b"[]", b'{"info": {"features": {"label": {"_type": "ClassLabel"}}}}', b"\xff", b"3"]
)
def test_damaged_metadata_are_named(metadata: bytes) -> None:
    schema = pa.schema([("label", pa.int64())], metadata={b"huggingface": metadata})
    with pytest.raises(ArtifactError, match="damaged"):
        untyped_table(pa.table({"label": [1]}, schema=schema))


def test_a_number_without_a_name_is_an_error_and_minus_one_is_no_class() -> None:
    typed = typed_table(classes(label=["neutral", "neutral"]))

    def with_codes(*codes: int) -> pa.Table:
        return pa.table({"label": pa.array(codes, pa.int64())}, schema=typed.schema)

    assert untyped_table(with_codes(-1, 2)).to_pydict() == {"label": ["-1", "contradiction"]}
    assert [is_no_class(x) for x in ("-1", None, math.nan, -1, " - ", "", 0, "neutral", 1.0)] == [
        True
    ] * 6 + [False] * 3
    with pytest.raises(ArtifactError, match="the number 3, but the file names only 3"):
        untyped_table(with_codes(0, 3))
    with pytest.raises(ArtifactError, match="the number -2"):
        untyped_table(with_codes(-2, 0))


def test_names_come_from_the_file_not_from_this_version() -> None:
    features: dict[str, Any] = {"label": {"names": ["b", "a"], "_type": "ClassLabel"}}
    schema = pa.schema(
        [("label", pa.int64())],
        metadata={b"huggingface": json.dumps({"info": {"features": features}}).encode()},
    )
    assert untyped_table(pa.table({"label": [0, 1]}, schema=schema)).to_pydict() == {"label": ["b", "a"]}


def test_parquet_keeps_the_types(tmp_path: Path) -> None:
    typed = typed_table(classes(label=["neutral", None]))
    pq.write_table(typed, tmp_path / "a.parquet")
    assert untyped_table(pq.read_table(tmp_path / "a.parquet")).to_pydict() == {"label": ["neutral", None]}

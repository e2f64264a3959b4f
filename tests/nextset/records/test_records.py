"""Records, their Arrow schemas and their ids."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.content_ids import content_id, item_ids, unit_ids
from nextset.records.nli_items import Bindings, Fill, NliItem, NliScore, Word
from tests.records import ITEM


def item(**changes: Any) -> NliItem:
    bindings = Bindings("men", "women", (Word("JOB", "coding"),), (Fill("good", 1, 0.5),))
    return replace(ITEM, **{"bindings": bindings, **changes})


def test_the_id_is_16_byte_blake2b_over_parts_with_their_lengths() -> None:
    state = blake2b(digest_size=16)
    for part in (
        "nli",
        "1",
        "en",
        "man is to programmer",
        "pro",
        "A premise.",
        "A hypothesis.",
        "A question?",
    ):
        state.update(len(part.encode()).to_bytes(8, "little") + part.encode())
    assert item_ids(table_of([item()], NliItem)) == [state.hexdigest()]


def test_the_id_of_a_known_item_never_changes() -> None:
    # A changed value here means that every published id changes: raise SCHEMA_VERSION knowingly.
    assert item_ids(table_of([item()], NliItem)) == ["9991a632fae91026135ca6fe1d829397"]


def test_fills_and_bindings_are_not_in_the_id() -> None:
    other = item(bindings=Bindings("men", "women"), template_id="x", set_id="y", parent_id="z")
    assert len(set(item_ids(table_of([item(), other], NliItem)))) == 1


@pytest.mark.slow
@given(st.lists(st.text(), min_size=1, max_size=4), st.lists(st.text(), min_size=1, max_size=4))
def test_ids_are_equal_exactly_when_the_parts_are(a: list[str], b: list[str]) -> None:
    same = [unicodedata.normalize("NFC", x) for x in a] == [unicodedata.normalize("NFC", x) for x in b]
    assert (content_id(*a) == content_id(*b)) == same


@given(st.text())
def test_composed_and_decomposed_text_have_one_id(text: str) -> None:
    assert content_id(unicodedata.normalize("NFD", text)) == content_id(text)


def test_a_unit_is_a_hypothesis_within_stereotype_and_unordered_pair() -> None:
    table = table_of(
        [
            item(),
            item(premise="Another premise."),
            item(bindings=Bindings("women", "men")),
            item(stereotype="man is to surgeon"),
            item(hypothesis="Another."),
            item(bindings=None),
        ],
        NliItem,
    )
    ids = unit_ids(table, "hypothesis")
    assert ids[0] == ids[1] == ids[2]
    assert len(set(ids)) == 4
    pairs = unit_ids(table, "pair")
    assert pairs[0] == pairs[2] != pairs[1]
    assert len(set(pairs)) == 5
    assert set(ids).isdisjoint(pairs)


def test_a_table_keeps_what_the_record_held() -> None:
    row = table_of([item()], NliItem).to_pylist()[0]
    assert row["bindings"] == {
        "group1": "men",
        "group2": "women",
        "words": [{"name": "JOB", "value": "coding"}],
        "fills": [{"word": "good", "rank": 1, "score": 0.5}],
        "writer": None,
    }


def test_optional_fields_may_be_null_and_others_not() -> None:
    schema = arrow_schema(NliItem)
    nullable = {f.name for f in schema if f.nullable}
    assert nullable == {"template_id", "bindings", "set_id", "parent_id", "supersedes", "premise_source"}
    assert arrow_schema(NliScore).field("entailment").type == pa.float64()

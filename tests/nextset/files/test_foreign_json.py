"""JSON that others wrote: what `json.loads` takes in silence, or fails on, is refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        ('{"a":\n 1,}', "not JSON: ", 2),
        ('{"a": 1,\n "b": ' + "1" * 5_000 + "}", "a number of 5,000 characters", 2),
        ('["\\\\ud800", "\\ud83d\\ude00",\n "\\ud800"]', "half a character", 2),
        ('["a",\n "\ud800"]', "half a character", 2),
        ('{"a": 1, "a": 2}', "the key 'a' is repeated", None),
        ("[" * 100_000, "nested too deeply", None),
    ],
)
def test_wrong_json_is_refused_with_its_line(text: str, says: str, line: int | None) -> None:
    with pytest.raises(ForeignJsonError) as caught:
        parse_foreign_json(text)
    assert says in str(caught.value)
    assert caught.value.line == line
    assert len(str(caught.value)) < 200


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(VALUES)
def test_what_json_writes_is_read(value: Any) -> None:
    assert parse_foreign_json(json.dumps(value)) == value

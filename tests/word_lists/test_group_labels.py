"""The group that a label is easily meant for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.word_lists.group_labels import meant_group, says_unknown


@pytest.mark.parametrize(
    ("label", "groups", "meant"),
    [
        ("man", ("female", "male"), "male"),
        ("F", ("female", "male"), "female"),
        ("femal", ("female", "male"), "female"),
        ("Male", ("women", "men"), "men"),
        ("non-binary", ("female", "male", "nonbinary"), "nonbinary"),
        ("fmale", ("male", "female"), "female"),
        ("trade union", ("female", "male"), None),
    ],
)
def test_what_is_meant(label: str, groups: tuple[str, ...], meant: str | None) -> None:
    assert meant_group(label, groups) == meant


@pytest.mark.parametrize("label", ["unknown", "Not known", "N/A", "-", "?", " "])
def test_unknown_is_a_label(label: str) -> None:
    assert says_unknown(label)
    assert not says_unknown("man")


@given(st.text(max_size=20))
def test_any_label_has_an_answer(label: str) -> None:
    assert meant_group(label, ("female", "male")) in (None, "female", "male")

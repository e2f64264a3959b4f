"""Spaces in a pack's texts: single ones between words, and the no-break spaces of French punctuation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.questions.pack_text_check import has_extra_spaces


@pytest.mark.parametrize(
    "text", ["", "Qui ?", "Qui\u00a0?", "Qui\u202f?", "le dossier «\u00a0Maroc\u00a0»", "à côté"]
)
def test_single_spaces_and_no_break_spaces_stay(text: str) -> None:
    assert not has_extra_spaces(text)


@pytest.mark.parametrize(
    "text",
    [" Qui", "Qui ", "Qui\u00a0", "\u202fQui", "à  côté", "Qui \u00a0?", "Qui\u00a0\u202f?", "à\u2003côté"],
)
def test_double_outer_and_wide_spaces_are_extra(text: str) -> None:
    assert has_extra_spaces(text)


@given(st.lists(st.text("ab?»", min_size=1), min_size=1), st.sampled_from(" \u00a0\u202f"))
def test_words_with_one_space_between_them_have_none_extra(words: list[str], space: str) -> None:
    assert not has_extra_spaces(space.join(words))
    assert has_extra_spaces(f"{space} ".join([*words, "b"]))

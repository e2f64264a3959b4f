"""The texts of a list that stand in others are those that comparing each with each finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.lint.pack_rules.texts_within import texts_within
from nextset.generation.lint.pack_rules.word_borders import find_word

TEXTS = st.lists(st.text(alphabet="ab日本की -’", max_size=6), max_size=6)


def test_texts_within_others() -> None:
    texts = ["african", "african american", "africanist", "american", "印度", "印度尼西亚", "african"]
    assert set(texts_within(list(enumerate(texts)))) == {(0, 1), (6, 1), (3, 1), (4, 5)}


@given(TEXTS)
def test_the_same_texts_are_found_as_by_comparing_each_with_each(texts: list[str]) -> None:
    expected = {
        (i, j)
        for i, part in enumerate(texts)
        for j, whole in enumerate(texts)
        if part != whole and find_word(whole, part) is not None
    }
    assert set(texts_within(list(enumerate(texts)))) == expected

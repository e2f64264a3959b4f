"""Widths of texts in plots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.html.text_width import shortened, text_width


@pytest.mark.parametrize(
    ("text", "width"),
    [("Maria", 5), ("志强", 4), ("ريم", 3), ("e\u0301te\u0301", 3), ("हिन्दी", 5), ("می\u200cخواهم", 7)],
)
def test_wide_letters_count_twice_and_marks_not_at_all(text: str, width: int) -> None:
    # हिन्दी: ह ि न ् द ी, of which the virama has no width
    assert text_width(text) == width


@pytest.mark.parametrize(
    ("text", "most", "short"),
    [("Maria", 5, "Maria"), ("Marianne", 5, "Mari…"), ("中华人民", 5, "中华…"), ("a cat", 3, "a…"),
     ("cafe\u0301s", 5, "cafe\u0301s"), ("cafe\u0301ss", 5, "cafe\u0301…")],
)  # fmt: skip
def test_short_texts(text: str, most: int, short: str) -> None:
    assert shortened(text, most) == short


@given(st.text(), st.integers(1, 20))
def test_what_is_shortened_fits(text: str, most: int) -> None:
    assert text_width(shortened(text, most)) <= most

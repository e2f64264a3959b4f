"""Words and marks of texts in several scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.text_tokens import all_pieces, word_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The dog’s café, an ox.", ["The", "dog", "’", "s", "café", ",", "an", "ox", "."]),
        # vowel signs are marks, which Python's \w leaves out
        ("सेवा नहीं की?", ["सेवा", "नहीं", "की", "?"]),
        ("جلسَ الرجل، نعم", ["جلسَ", "الرجل", "،", "نعم"]),
        # a zero-width non-joiner stands inside a word
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        # without spaces between words each letter is a piece
        ("一名乘客。", ["一", "名", "乘", "客", "。"]),
        ("กรุง", ["ก", "รุ", "ง"]),
        # Korean writes spaces
        ("은행에서 보다", ["은행에서", "보다"]),
        ("e\u0301te\u0301 İstanbul’da", ["e\u0301te\u0301", "İstanbul", "’", "da"]),
    ],
)
def test_words_of_every_script(text: str, tokens: list[str]) -> None:
    assert word_tokens(text) == tokens


@given(st.text())
def test_the_pieces_are_the_text(text: str) -> None:
    assert "".join(all_pieces(text)) == text

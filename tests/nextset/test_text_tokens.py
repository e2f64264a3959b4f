"""Words and marks of texts in several scripts."""

from __future__ import annotations

import functools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.text_tokens import _UNSPACED, _is_mark, _is_wide, all_pieces, word_tokens


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


@functools.cache
def plain_pattern() -> re.Pattern[str]:
    """The pattern as it is meant: classes of single characters, and one character after the other."""
    marks, wide = (
        "".join(chr(c) for c in range(0x300, 0x20000) if found(chr(c))) for found in (_is_mark, _is_wide)
    )
    letter, inside = rf"[^\W{wide}\U00020000-\U0003ffff{_UNSPACED}]", rf"[{marks}\u200c\u200d]"
    return re.compile(rf"{letter}(?:{letter}|{inside})*|\s+|\S{inside}*")


SCRIPTS = "Aé_1 \u0301\u200dДи居里ก\u0e34हि\u0902は\u3099한ﾊ🙂\U00011000\U00017000\U00020001.\n"


@given(st.lists(st.one_of(st.text(), st.text(SCRIPTS))).map("".join))
def test_ranges_find_what_single_characters_find(text: str) -> None:
    assert all_pieces(text) == plain_pattern().findall(text)

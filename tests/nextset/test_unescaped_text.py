"""Texts are read without blanks and escapes, and each character knows its place."""

from __future__ import annotations

import html
import json
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.unescaped_text import readings


@pytest.mark.parametrize(
    ("written", "last"),
    [
        ("a b\n\u200bc", "abc"),
        (r"a\n\tb", "ab"),
        (r"\u0041\x42\"\/", 'AB"/'),
        (r"\ud83d\ude00!", "\U0001f600!"),
        ("%53%c3%BC%ff", "S\u00fc\udcff"),
        ("&amp;&#039;&#x0041;&#99999999;&copy;", "&'A\ufffd&copy;"),
        ("100 %", "100%"),
        ("\\", "\\"),
    ],
)
def test_blanks_and_escapes_are_gone(written: str, last: str) -> None:
    assert list(readings(written))[-1].text == last


@given(text=st.text(alphabet="ab\\n%41&#;x \u00fc\u200b\n", max_size=40))
def test_every_character_has_its_place(text: str) -> None:
    """The places are in order and do not overlap; what is between them is blank, or an escaped line break."""
    for reading in readings(text):
        at = 0
        for n in range(len(reading.text)):
            begin, end = reading.place(n, n + 1)
            assert at <= begin < end <= len(text)
            between = text[at:begin].replace(r"\n", "").replace("\u200b", "")
            assert not between.strip()
            at = end


@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs", "Z", "C"]), min_size=1))
def test_what_others_escape_is_read(text: str) -> None:
    for written in (json.dumps(text)[1:-1], urllib.parse.quote(text, safe="")):
        assert list(readings(written))[-1].text == text
    if "\\" not in text and "%" not in text:
        assert list(readings(html.escape(text)))[-1].text == text

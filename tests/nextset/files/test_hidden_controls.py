"""Characters that nobody sees are found, or left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.files.hidden_controls import hidden_control, without_hidden_controls


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a [31mb"),
        ("Ann\u202e\u2066 Lee\u2069", "Ann Lee"),
        ("a\tb\nc", "a\tb\nc"),
        ("\u0645\u06cc\u200c\u062e\u0648", "\u0645\u06cc\u200c\u062e\u0648"),
    ],
)
def test_what_nobody_sees_is_left_out(text: str, shown: str) -> None:
    assert without_hidden_controls(text) == shown


@given(st.text())
def test_nothing_hidden_is_left_and_nothing_else_changes(text: str) -> None:
    found = without_hidden_controls(text)
    assert hidden_control(found) is None
    assert (found == text) == (hidden_control(text) is None)

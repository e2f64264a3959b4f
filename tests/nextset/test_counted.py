"""Counts as text: nouns in the singular and the plural."""

from __future__ import annotations

import pytest

from nextset.counted import counted, per_cent_text


@pytest.mark.parametrize(
    ("n", "many", "text"),
    [
        (0, "rows", "0 rows"),
        (1, "rows", "1 row"),
        (1_700, "rows", "1,700 rows"),
        (1, "rows scored anew", "1 row scored anew"),
        (1, "people", "1 person"),
        (1, "batches", "1 batch"),
        (1, "kept", "1 kept"),
    ],
)
def test_the_first_word_has_the_number_of_its_count(n: int, many: str, text: str) -> None:
    assert counted(n, many) == text


def test_other_words_for_one_are_given() -> None:
    assert counted(1, "units have no judgment", "unit has no judgment") == "1 unit has no judgment"
    assert counted(2, "units have no judgment", "unit has no judgment") == "2 units have no judgment"


def test_shares_have_one_decimal_and_a_minus_sign() -> None:
    assert [per_cent_text(share) for share in (None, 0.1234, -0.05)] == ["–", "12.3", "−5.0"]
    assert per_cent_text(0.1234, sign="+") == "+12.3"

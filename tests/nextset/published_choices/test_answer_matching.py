"""The option that a written answer means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.published_choices.answer_matching import matched_option
from nextset.records.choice_items import NO_OPTION

OPTIONS = ["The baker", "Amy O'Brien", "Not known"]
NAMES = ["baker", "Amy Obrien", "Not known"]


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("the baker", 0),
        ("The baker.", 0),
        ("{The baker}", 0),
        ("NOT KNOWN", 2),
        ("amy obrien", 1),
        ("it was amy o'brien who", 1),  # the first two words of the name, with its other spelling
        ("the tall baker", NO_OPTION),  # a name of one word is not looked for
        ("", NO_OPTION),
        (".", NO_OPTION),
        ("nobody", NO_OPTION),
    ],
)
def test_an_answer_means_the_option_of_the_same_text(answer: str, place: int) -> None:
    assert matched_option(answer, OPTIONS, NAMES) == place


def test_a_word_that_a_tokenizer_cuts_off_is_completed() -> None:
    options = ["The woman in the dress", "The woman in the pantsuit"]
    assert matched_option("the woman in the pantsu", options, ["dress", "pantsuit"]) == 1


@given(st.lists(st.text(min_size=1, max_size=20), min_size=3, max_size=6), st.data())
def test_an_option_s_own_text_means_it_or_an_earlier_one_of_the_same_treated_text(
    options: list[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(options) - 1))
    matched = matched_option(options[place], options, [""] * len(options))
    assert matched <= place

"""Data in which answers are not at their place: counts with nouns, and a note if there are many."""

from __future__ import annotations

import pytest

from nextset.counted import counted
from nextset.training.training_data.faulty_answers import faulty_answers_note
from nextset.training.training_data.nli_examples import NO_LABEL
from nextset.training.training_data.reader_questions import EMPTY_CONTEXT, MOVED, NOT_IN_CONTEXT


def test_the_note_is_for_more_than_one_in_twenty() -> None:
    # 58 questions are left, 6 were left out: 64; 17 + 6 is more than 3.2
    note = faulty_answers_note({"examples": 58, MOVED: 17, NOT_IN_CONTEXT: 6, "inputs": 70})
    assert note.startswith(
        "Check the data. Questions: 64; skipped because their answers are not in the context: 6;"
    )
    assert "answers found at a different place than their answer_start: 17." in note
    assert not faulty_answers_note({"examples": 100, MOVED: 5})
    assert faulty_answers_note({"examples": 100, MOVED: 6})
    assert not faulty_answers_note({"examples": 10, EMPTY_CONTEXT: 9})


@pytest.mark.parametrize(
    ("what", "one"),
    [
        (MOVED, "1 answer found at another place"),
        (NOT_IN_CONTEXT, "1 question whose answers are not in the context"),
        (EMPTY_CONTEXT, "1 question with an empty context"),
        (NO_LABEL, "1 pair without a label"),
        ("inputs", "1 input"),
    ],
)
def test_counts_with_their_nouns(what: str, one: str) -> None:
    assert counted(1, what) == one
    assert counted(1700, what) == f"1,700 {what}"

"""The targets of a reader's windows: the tokens of the answer, also where characters have no token."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import InputError
from nextset.scoring.models.loading import Loaded, load
from nextset.scoring.models.sources import locate
from nextset.training.fine_tuning.reader_training_rows import ReaderTrainingRows
from nextset.training.training_data.reader_questions import ReaderQuestion, RightSpan

ACCENT = "\u0301"
"""A combining accent, which the tokenizer of qa-roformer drops: no token covers it."""


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return load(locate("builtin:qa-roformer"), "AutoModelForQuestionAnswering")


def _rows(loaded: Loaded, context: str, answer: str, longest: int = 64) -> ReaderTrainingRows:
    one = ReaderQuestion("1", "Who left?", context, (RightSpan(answer, context.index(answer)),))
    return ReaderTrainingRows.of(loaded, [one], longest, overlap=4)


@pytest.mark.parametrize(
    "context", [f"Anna left Tom{ACCENT}", f"Anna left Tom{ACCENT} ", f"Tom{ACCENT} left."]
)
def test_an_accent_at_the_end_is_not_missed(loaded: Loaded, context: str) -> None:
    rows = _rows(loaded, context, f"Tom{ACCENT}")
    whole = loaded.tokenizer.backend_tokenizer.encode("Who left?", context)
    at = context.index("Tom")
    inside = [
        i for i, (a, b) in enumerate(whole.offsets) if whole.sequence_ids[i] == 1 and a < at + 3 and b > at
    ]
    assert inside
    assert rows.spans == [(inside[0], inside[-1])]


def test_an_answer_without_any_token_has_no_target(loaded: Loaded) -> None:
    with pytest.raises(InputError, match="no question is left"):
        _rows(loaded, f"Anna{ACCENT} left.", ACCENT)


WORDS = st.tuples(st.sampled_from(["Tom", "Anna", "the old dog", "a red car"]), st.booleans())


@given(st.lists(WORDS, min_size=1, max_size=12), st.data())
def test_some_window_has_the_answer(
    loaded: Loaded, words: list[tuple[str, bool]], data: st.DataObject
) -> None:
    texts = [word + ACCENT * accented for word, accented in words]
    chosen = data.draw(st.integers(0, len(texts) - 1))
    context, start = " ".join(texts), sum(len(text) + 1 for text in texts[:chosen])
    one = ReaderQuestion("1", "Who left?", context, (RightSpan(texts[chosen], start),))
    rows = ReaderTrainingRows.of(loaded, [one], 20, overlap=6)
    found = [(rows.rows[i].ids[first : last + 1]) for i, (first, last) in enumerate(rows.spans) if last]
    alone = loaded.tokenizer.backend_tokenizer.encode(texts[chosen], add_special_tokens=False).ids
    assert found
    assert all(list(ids) == alone for ids in found)


def test_questions_that_are_left_out_are_counted(loaded: Loaded) -> None:
    context = f"Anna{ACCENT} left."
    one = ReaderQuestion("1", "Who left?", context, (RightSpan("Anna", 0),))
    dropped = replace(one, id="2", answers=(RightSpan(ACCENT, 4),))
    long = replace(one, id="3", question="Who left? " * 20)
    rows = ReaderTrainingRows.of(loaded, [one, dropped, long], 24, overlap=4)
    assert len(rows.rows) == 1
    assert rows.left_out == {
        "questions with an answer that has no token": 1,
        "questions without room for their context": 1,
    }

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.scoring.answers.context_windows import OVERLAP, WINDOW, context_windows
from nextset.scoring.answers.span_answers import SpanAnswers
from nextset.scoring.answers.span_ends import context_tokens, end_logits, ends_of
from nextset.scoring.answers.window_answers import best_of_windows, no_answer_lead, trimmed_span
from nextset.scoring.batches import Budget, padded
from nextset.scoring.models.sources import locate

CONTEXT = "Walter left the button in the garden. Gregory is a calm judge."
FILLER = "The window is open and the door is closed. "


@pytest.fixture(scope="module")
def reader() -> SpanAnswers:
    return SpanAnswers.load(locate("builtin:qa-roformer"))


def test_the_answer_is_the_best_span_of_the_context(reader: SpanAnswers) -> None:
    (found,) = reader.answers([("Who is calm?", CONTEXT)])
    encoding = reader.loaded.tokenizer.backend_tokenizer.encode("Who is calm?", CONTEXT)
    ends = ends_of(reader.loaded, [encoding])
    inside = context_tokens(encoding)
    scores = {
        (encoding.offsets[i][0], encoding.offsets[j][1]): float(0.5 * (ends.start[0, i] + ends.end[0, j]))
        for i in inside
        for j in inside
        if i <= j < i + 30
    }
    best, second = sorted(scores, key=lambda span: -scores[span])[:2]
    assert (found.start, found.end) == best
    assert found.text == CONTEXT[best[0] : best[1]]
    assert found.score == pytest.approx(2.718281828459045 ** scores[best], rel=1e-6)
    assert found.margin == pytest.approx(2 * (scores[best] - scores[second]), abs=1e-4)
    assert (found.windows, found.no_answer) == (1, None)


def test_offsets_count_characters_of_the_text_as_it_is(reader: SpanAnswers) -> None:
    context = "Élodie — naïve — left the button in the garden."
    (found,) = reader.answers([("Where is the button?", context)])
    assert found.text
    assert context[found.start : found.end] == found.text


@pytest.mark.parametrize("refuses", [False, True])
def test_a_long_context_has_the_best_span_of_all_windows(reader: SpanAnswers, *, refuses: bool) -> None:
    """The oracle goes through all pairs of tokens of all windows, one after the other."""
    context = FILLER * 30 + CONTEXT + " " + FILLER * 30
    (found,) = replace(reader, refuses=refuses).answers([("Who is calm?", context)])
    (windows,) = context_windows(reader.loaded, [("Who is calm?", context)])
    assert found.windows == len(windows) > 2
    spans: dict[tuple[int, int], float] = {}
    nothing = []
    for window in windows:
        with torch.inference_mode():
            start, end = (x[0].tolist() for x in end_logits(reader.loaded, padded(reader.loaded, [window])))
        nothing.append(start[0] + end[0])
        inside = context_tokens(window)
        for i in inside:
            for j in inside:
                if i <= j < i + 30:
                    span = (window.offsets[i][0], window.offsets[j][1])
                    spans[span] = max(spans.get(span, -math.inf), start[i] + end[j])
    best, second = sorted(spans, key=lambda span: (-spans[span], span))[:2]
    if refuses and min(nothing) > spans[best]:
        assert (found.text, found.start, found.end) == ("", None, None)
        assert found.margin == pytest.approx(min(nothing) - spans[best], abs=1e-4)
    else:
        other = max(spans[second], min(nothing)) if refuses else spans[second]
        assert (found.start, found.end) == best
        assert found.margin == pytest.approx(spans[best] - other, abs=1e-4)
    assert (found.no_answer is not None) == refuses


@pytest.mark.parametrize(("nothing", "given"), [((9.0, 1.0), True), ((9.0, 6.0), False)])
def test_no_answer_counts_in_the_window_where_it_is_least_likely(
    nothing: tuple[float, float], *, given: bool
) -> None:
    """The best span sums to 5: no answer is given if both windows find that likelier."""
    rows = [[nothing[0], 0.9, 5.0, 2, 4, 0.3, 4.0, 7, 9], [nothing[1], 0.8, 3.0, 8, 9, 0.2, 2.5, 9, 9]]
    start, end, score, no_answer, windows, margin = best_of_windows(np.array(rows), refuses=True)
    assert (score, no_answer, windows) == (0.3, 0.8, 2)
    assert margin == 1.0  # 5 − 4, the second span of the first window; or 6 − 5
    assert [start, end] == [2, 4] if given else np.isnan([start, end]).all()
    assert no_answer_lead(np.array(rows)) == (-2.0 if given else 0.5)  # (1 − 5) / 2, or (6 − 5) / 2


def test_white_space_at_the_ends_of_a_token_is_not_part_of_the_answer() -> None:
    assert trimmed_span("It was  Ann  .", 6, 13) == (8, 11)
    assert trimmed_span("a   b", 1, 4) == (4, 4)


@settings(max_examples=25, deadline=None)
@given(words=st.integers(1, 1500), question=st.integers(1, 150))
def test_windows_cover_the_context_and_overlap(reader: SpanAnswers, words: int, question: int) -> None:
    context = " ".join(f"w{i}" for i in range(words))
    (windows,) = context_windows(reader.loaded, [("who " * question, context)])
    longest = min(WINDOW, reader.loaded.max_length)
    spans = []
    for window in windows:
        assert len(window.ids) <= longest
        inside = context_tokens(window)
        spans.append((window.offsets[inside[0]][0], window.offsets[inside[-1]][1]))
    assert spans[0][0] == 0
    assert spans[-1][1] == len(context)
    assert all(first < after[0] < last < after[1] for (first, last), after in itertools.pairwise(spans))
    whole = reader.loaded.tokenizer.backend_tokenizer.encode("who " * question, context)
    room = longest - (len(whole.ids) - len(context_tokens(whole)))
    if len(windows) > 1:
        step = room - min(OVERLAP, room // 2)
        assert len(windows) == 1 + -(-(len(context_tokens(whole)) - room) // step)


def test_no_batch_size_changes_an_answer(reader: SpanAnswers) -> None:
    asked = [(f"Who is {word}?", FILLER * n + CONTEXT) for n in range(12) for word in ("calm", "a judge")]
    sizes = [replace(reader, budget=Budget(tokens)) for tokens in (1, 300, 5000)]
    found = [[(a.text, a.start, a.end) for a in one.answers(asked)] for one in sizes]
    assert found[0] == found[1] == found[2]


def test_an_empty_context_and_an_endless_question_are_refused(reader: SpanAnswers) -> None:
    with pytest.raises(ModelError, match="context of 'Who is calm\\?' is empty"):
        reader.answers([("Who is calm?", " ")])
    with pytest.raises(ModelError, match="too long to fit in with its context"):
        reader.answers([("Who " * 300, CONTEXT)])

"""Probes of questions about a text: a reader's span, a writer's words, and what cannot be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.scoring.answers.span_answers import SpanAnswers
from nextset.scoring.models.sources import locate
from tests.scoring.generative.tiny_causal import save_gpt2

READER, MASKED = "builtin:qa-roformer", "builtin:masked-lm"
CONTEXT, QUESTION = "Maria waited and Thomas was reading.", "Who was reading?"


def test_the_answer_is_that_of_a_study() -> None:
    (answer,) = nextset.probe_answer(f" {CONTEXT}", QUESTION, models=[READER, READER]).answers
    (expected,) = SpanAnswers.load(locate(READER)).answers([(QUESTION, CONTEXT)])
    assert (answer.model, answer.text, answer.score) == (READER, expected.text, expected.score)
    assert answer.text == CONTEXT[answer.start : answer.end] == "Thomas"


def test_a_long_context_is_read_in_windows() -> None:
    context = "The bus was late again. " * 200 + CONTEXT
    (answer,) = nextset.probe_answer(context, QUESTION, models=READER).answers
    assert answer.text == context[answer.start : answer.end]


def test_a_causal_model_answers_in_its_words(tmp_path: Path) -> None:
    (answer,) = nextset.probe_answer(CONTEXT, QUESTION, models=str(save_gpt2(tmp_path))).answers
    assert (answer.start, answer.end, answer.score) == (None, None, None)


@pytest.mark.parametrize(
    ("context", "question", "message"),
    [
        ("", QUESTION, "the context is empty"),
        (CONTEXT, " ", "the question is empty"),
        ("{subject1} waited.", QUESTION, "the placeholder {subject1}"),
        (CONTEXT, "Who {{MASK}}?", "the placeholder {{MASK}}"),
    ],
)
def test_texts_that_cannot_be_asked(context: str, question: str, message: str) -> None:
    with pytest.raises(nextset.InputError, match=message):
        nextset.probe_answer(context, question, models=READER)


def test_models_that_cannot_be_asked() -> None:
    with pytest.raises(nextset.ModelError, match="cannot answer questions about a text"):
        nextset.probe_answer(CONTEXT, QUESTION, models=[READER, MASKED])

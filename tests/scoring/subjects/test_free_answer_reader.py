from __future__ import annotations

import pytest

from nextset.errors import ModelError
from nextset.scoring.models.sources import locate
from nextset.scoring.subjects.free_answer_reader import SpanReader

CONTEXT = "Walter left the button in the garden. Gregory is a calm judge."


@pytest.fixture(scope="module")
def reader() -> SpanReader:
    return SpanReader.load(locate("builtin:qa-roformer"))


def test_the_answer_is_a_span_of_the_context(reader: SpanReader) -> None:
    span = reader.answer("Who is calm?", CONTEXT)
    assert CONTEXT[span.start : span.end] == span.text
    assert 0 < span.score <= 1
    assert span == reader.answer("Who is calm?", CONTEXT)


def test_offsets_count_characters_of_the_text_as_it_is(reader: SpanReader) -> None:
    context = "Élodie — naïve — left the button in the garden."
    span = reader.answer("Where is the button?", context)
    assert context[span.start : span.end] == span.text


def test_an_empty_context_is_refused(reader: SpanReader) -> None:
    with pytest.raises(ModelError, match="context is empty"):
        reader.answer("Who is calm?", " ")


def test_a_context_that_is_too_long_is_named(reader: SpanReader) -> None:
    with pytest.raises(ModelError, match="at most 256 tokens"):
        reader.answer("Who is calm?", CONTEXT * 30)

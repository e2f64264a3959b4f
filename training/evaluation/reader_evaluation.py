"""The answers of a reader to questions with known answers, and the figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from nextset.scoring.answers.span_answers import SpanAnswers
from nextset.training.metrics.reader_figures import AnsweredQuestion, reader_figures
from nextset.training.training_data.reader_questions import ReaderQuestion

__all__ = ["ReaderEvaluation", "evaluate_reader"]

_CHUNK = 256


@dataclass(frozen=True)
class ReaderEvaluation:
    """The answers of a reader, with its figures."""

    figures: Mapping[str, float]
    """The figures of `nextset.training.metrics.reader_figures.reader_figures`."""
    answers: Mapping[str, str]
    """The answer to each question by id; an empty text for no answer."""


def evaluate_reader(
    reader: SpanAnswers,
    questions: Sequence[ReaderQuestion],
    *,
    thresholds: bool = False,
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> ReaderEvaluation:
    """Return the answers of ``reader`` to at least one question, and its figures.

    With ``thresholds``, a reader that may give no answer is asked again for its best span, for the figures at
    the best threshold. Its no-answer score is log S(no answer) − log S(span). For a context in several
    windows, whose scores cannot be compared, the score is `SpanAnswers.no_answer_leads`. Raises ModelError in
    the same cases as `SpanAnswers.answers`.
    """
    answered: list[AnsweredQuestion] = []
    texts: list[str] = []
    forced: list[AnsweredQuestion] = []
    always = replace(reader, refuses=False)
    for begin in range(0, len(questions), _CHUNK):
        chunk = questions[begin : begin + _CHUNK]
        pairs = [(one.question, one.context) for one in chunk]
        given = reader.answers(pairs)
        texts += [answer.text for answer in given]
        answered += [AnsweredQuestion(a.text, one.texts) for a, one in zip(given, chunk, strict=True)]
        if thresholds and reader.refuses:
            spans = always.answers(pairs)
            scores = [_log(a.no_answer) - _log(span.score) for span, a in zip(spans, given, strict=True)]
            long = [i for i, answer in enumerate(given) if answer.windows > 1]
            for i, lead in zip(long, reader.no_answer_leads([pairs[i] for i in long]), strict=True):
                scores[i] = lead
            forced += [
                AnsweredQuestion(span.text, one.texts, score)
                for span, one, score in zip(spans, chunk, scores, strict=True)
            ]
        tick(min(begin + _CHUNK, len(questions)), len(questions))
    figures = reader_figures(answered)
    best = reader_figures(forced) if forced else {}
    figures |= {name: value for name, value in best.items() if name.startswith("best_")}
    ids = [one.id for one in questions]
    return ReaderEvaluation(figures, dict(zip(ids, texts, strict=True)))


def _log(score: float | None) -> float:
    return math.log(max(score or 0.0, 1e-300))

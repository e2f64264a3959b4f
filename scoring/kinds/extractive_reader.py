"""Extractive readers as a kind of models: they find the answer to a question as a span of a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nextset.forms import ANSWER, CHOICE, QA, QUESTION
from nextset.scoring.answers.context_windows import OVERLAP, WINDOW
from nextset.scoring.answers.window_answers import LONGEST
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import FormScorer
from nextset.scoring.kinds.kind_protocol import ModelKind
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Scorer

__all__ = ["EXTRACTIVE_READER", "ExtractiveReaderKind", "answer_options"]


def answer_options(asking: Asking) -> Mapping[str, Any]:
    """Return the digest of the texts of yes, maybe and no; raises ModelError if the study's file has none."""
    from nextset.scoring.prompt_wordings import own_prompts

    return {"options": (asking.prompts or own_prompts()).answers.digest}


def _yes_no(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.yes_no.extractive_yes_no_scorer import ExtractiveYesNoScorer

    return ExtractiveYesNoScorer.load(source, asking, device)


def _subjects(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer

    return SpanScorer.load(source, asking, device)


def _answers(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.answers.span_answers import SpanAnswers

    return SpanAnswers.load(source, asking, device)


def _options(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.option_scorers.option_spans import OptionSpans

    return OptionSpans.load(source, asking, device)


def _windows(asking: Asking) -> Mapping[str, Any]:
    return {"no_answer": asking.model.no_answer, "windows": [WINDOW, OVERLAP, LONGEST]}


class ExtractiveReaderKind(ModelKind):
    """Models that extract spans."""

    name = "spans"
    noun = "extractive reader"
    place = 1
    endings = ("ForQuestionAnswering",)
    usual_form = QUESTION.name
    scorers = {  # noqa: RUF012
        QA.name: FormScorer(_yes_no, answer_options),
        QUESTION.name: FormScorer(_subjects, lambda asking: {"spans": asking.scoring.spans}),
        ANSWER.name: FormScorer(_answers, _windows),
        CHOICE.name: FormScorer(_options),
    }


EXTRACTIVE_READER = ExtractiveReaderKind()
"""Extractive readers."""

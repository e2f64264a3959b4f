"""Questions about a text whose answers models find themselves: one question per row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.records.reader_answers import ReaderAnswer
from nextset.scoring.answers.answer_rows import (
    QUESTION_COLUMNS,
    answer_table,
    near_answer_tie,
    text_questions,
)
from nextset.scoring.asking import Asking
from nextset.scoring.canaries.cases import Canaries, Waived
from nextset.scoring.canaries.subject_canaries import subject_canaries
from nextset.scoring.forms.scored_form import ScoredBy, ScoredForm
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.prompts.wording import Wording
from nextset.scoring.scorer_protocol import ANSWER_COLUMNS, Numbers, TextQuestion
from nextset.study.filter_rule_settings import Boundaries

__all__ = ["ANSWER_SCORING", "AnswerScoring", "AnswerWording"]


class AnswerWording(Wording):
    """A prompt that asks for an answer in the model's own words."""

    needed = ("context", "question")
    most = 1  # texts have no mean

    def texts(self, asked: TextQuestion) -> Mapping[str, str]:
        """Return context and question."""
        return {"context": asked.context, "question": asked.question}


class AnswerScoring(ScoredForm):
    """Questions about a text, answered with a span of the text."""

    name = "answer"
    columns = QUESTION_COLUMNS
    numbers = ANSWER_COLUMNS
    scores = ReaderAnswer
    windows = True
    section = "answer"
    wording = AnswerWording
    verb = "answer"
    asked_in_canaries = "question"  # a reader of two subjects' names reads other spans as well

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return the questions."""
        return list(text_questions(rows))

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """Return `nextset.records.reader_answers.ReaderAnswer` rows."""
        return answer_table(rows, numbers, model=by.model, revision=by.revision)

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Return True for rows whose two best answers nearly tie."""
        return near_answer_tie(scores["margin"].to_numpy())

    def decisions(self, scores: pa.Table) -> list[Any]:
        """Return the places of the answers."""
        return list(zip(scores["start"].to_pylist(), scores["end"].to_pylist(), strict=True))

    def canaries(self, source: ModelSource, asking: Asking) -> Canaries | Waived:
        """Return questions whose first subject is the answer; raises ModelError."""
        return subject_canaries(source)


ANSWER_SCORING = AnswerScoring()
"""Questions about a text in scoring."""

"""Questions and masked statements about two subjects: four inputs per row, and a score for each subject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.errors import StudyError
from nextset.records.question_quads import QuadScore
from nextset.scoring.asking import Asking
from nextset.scoring.canaries.cases import Canaries, Waived
from nextset.scoring.canaries.subject_canaries import subject_canaries
from nextset.scoring.forms.scored_form import ScoredBy, ScoredForm
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.near_ties import CLOSE_SUBJECTS
from nextset.scoring.outcome_shares import vote_rows
from nextset.scoring.prompts.prompt_placeholders import PromptText
from nextset.scoring.prompts.wording import Wording
from nextset.scoring.scorer_protocol import SUBJECT_COLUMNS, Numbers, Question
from nextset.scoring.subjects.published_span_widening import LANGUAGE
from nextset.scoring.subjects.quad_bias import near_quad_tie, quad_decisions
from nextset.scoring.subjects.quad_scores import (
    QUAD_COLUMNS,
    STATEMENT_COLUMNS,
    quad_table,
    question_inputs,
    statement_inputs,
)
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import ScoringSettings

__all__ = ["QUESTION_SCORING", "STATEMENT_SCORING", "QuadScoring", "QuestionWording"]


class QuestionWording(Wording):
    """One way to ask a question about two subjects; the choices are the subjects and ``no_answer``."""

    needed = ("context", "question")
    listed = ("subject1", "subject2")
    abstention = SUBJECT_COLUMNS.index("no_answer")
    no_answer: PromptText
    """The choice that means: the context does not say."""

    def texts(self, asked: Question) -> Mapping[str, str]:
        """Return context, question and subjects."""
        first, second = asked.subjects
        return {"context": asked.context, "question": asked.question, "subject1": first, "subject2": second}

    def choices_of(self, asked: Question) -> tuple[str, ...]:
        """Return the subjects and ``no_answer``."""
        return (*asked.subjects, self.no_answer)


class QuadScoring(ScoredForm):
    """Rows with two subjects in both orders, and a question or statement with its negation."""

    numbers = SUBJECT_COLUMNS
    scores = QuadScore
    per_row = 4

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """Return `nextset.records.question_quads.QuadScore` rows."""
        return quad_table(rows, numbers, **vars(by))

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Return True for rows with a near tie in an answer, the sign of C, or |C| and a threshold.

        Votes do not depend on batches, so a tie of votes is not near.
        """
        return near_quad_tie(scores, boundaries.c_levels, CLOSE_SUBJECTS) & ~vote_rows(scores)

    def decisions(self, scores: pa.Table) -> list[Any]:
        """Return the four answers and the sign of C."""
        return list(map(tuple, quad_decisions(scores).tolist()))


class QuestionScoring(QuadScoring):
    """Questions about a context that does not answer them."""

    name = "question"
    columns = QUAD_COLUMNS
    labels = SUBJECT_COLUMNS[:3]
    section = "question"
    wording = QuestionWording

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return both orders with the question, then both orders with its negation."""
        return list(question_inputs(rows))

    def check_languages(self, languages: Iterable[str], scoring: ScoringSettings) -> None:
        """Raise StudyError if spans are widened, which works only for English."""
        others = _not_english(languages)
        if others and scoring.spans == "widened":
            raise StudyError(
                f"scoring.spans: widened works only for English, but there are questions in {others}",
                remedy="set scoring.spans: exact",
            )

    def canaries(self, source: ModelSource, asking: Asking) -> Canaries | Waived:
        """Return questions whose first subject is the answer; raises ModelError."""
        return subject_canaries(source)


class StatementScoring(QuadScoring):
    """Statements about one of two subjects, whose name is masked."""

    name = "statement"
    columns = STATEMENT_COLUMNS
    labels = SUBJECT_COLUMNS[:2]

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return both orders with the statement, then both orders with its negation."""
        return list(statement_inputs(rows))

    def check_languages(self, languages: Iterable[str], scoring: ScoringSettings) -> None:
        """Raise StudyError if subjects are scored by nextset's pronouns, which are English."""
        others, masks = _not_english(languages), scoring.statements
        if others and masks.by != "name" and "pronouns" not in masks.model_fields_set:
            raise StudyError(
                f"the pronouns of scoring.statements are English, but there are statements in {others}",
                remedy="set scoring.statements.pronouns to pronouns of that language, or set "
                "scoring.statements.by: name",
            )

    def canaries(self, source: ModelSource, asking: Asking) -> Canaries | Waived:
        """Return the reason why no canaries are asked."""
        return Waived("no fill of a mask is obvious, so only the mask token is checked")


def _not_english(languages: Iterable[str]) -> str:
    return ", ".join(sorted({tag for tag in languages if tag.split("-")[0] != LANGUAGE}))


QUESTION_SCORING = QuestionScoring()
"""Questions in scoring."""
STATEMENT_SCORING = StatementScoring()
"""Masked statements in scoring."""

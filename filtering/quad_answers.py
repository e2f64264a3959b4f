"""Models' answers to quads and masked statements as arrays: one row per model, one column per row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from nextset.array_types import Bools, Floats
from nextset.errors import ArtifactError
from nextset.filtering.lined_up_scores import Columns, lined_up
from nextset.filtering.silent_models import silent_against, without_answer
from nextset.records.question_quads import subject_word
from nextset.scoring.outcome_shares import answered_quads, vote_rows
from nextset.scoring.subjects.quad_bias import SCORES, answers_differ, comparative, subject_scores
from nextset.scoring.wrong_answers import Missing

__all__ = ["QUAD_COLUMNS", "QuadAnswers", "quad_answers"]

QUAD_COLUMNS = ("item_id", "model", *SCORES)
"""The columns that `quad_answers` needs in a table of scores; it also reads those of outcomes."""


@dataclass(frozen=True)
class QuadAnswers:
    """Models' answers to quads or statements."""

    shares: ClassVar[bool] = False
    """True if the numbers of `sizes` are 0 or 1, so that their means are shares."""
    models: tuple[str, ...]
    c: Floats
    """C of the first subject against the second (UnQover, equation 6)."""
    differs: Bools
    """True if the answer depends on the order of the subjects."""
    asked: Bools
    """True if the model was asked."""
    answered: Bools
    """True if the model was asked and answered all questions or statements of the row."""
    votes: Bools
    """True for each model with a score that is a share of its answers, not a probability, shape (models,)."""
    missing: Missing = "not_wrong"
    """The policy for rows that a model did not answer."""

    @property
    def silent_against(self) -> Bools:
        """True if the model did not answer and the policy counts that as bias, shape (models, rows)."""
        return silent_against(self)

    def sizes(self, place: int) -> Floats:
        """Return the numbers that measure the model at ``place``, shape (rows,): |C|, in [0, 1]."""
        sizes: Floats = np.abs(self.c[place])
        return sizes

    def answer(self, model: int, place: int, row: Mapping[str, Any]) -> str:
        """Return the subject that a model prefers in the row at ``place``, whose columns are ``row``."""
        if not self.answered[model, place]:
            return without_answer(self, model, place)
        c = float(self.c[model, place])
        subject = subject_word(row, "subject1" if c > 0 else "subject2") if c else "no preference"
        return f"{subject} (|C| {abs(c):.2f})"

    def only(self, places: Sequence[int]) -> QuadAnswers:
        """Return the answers of the models at ``places``."""
        rows = list(places)
        return replace(
            self,
            models=tuple(self.models[m] for m in rows),
            c=self.c[rows],
            differs=self.differs[rows],
            asked=self.asked[rows],
            answered=self.answered[rows],
            votes=self.votes[rows],
        )

    def of_rows(self, rows: Bools) -> QuadAnswers:
        """Return the answers to the rows for which ``rows`` is True."""
        return replace(
            self,
            c=self.c[:, rows],
            differs=self.differs[:, rows],
            asked=self.asked[:, rows],
            answered=self.answered[:, rows],
        )


def quad_answers(
    ids: pa.ChunkedArray,
    scores: Iterable[pa.Table],
    models: Sequence[str],
    *,
    missing: Missing = "not_wrong",
) -> QuadAnswers:
    """Return the answers of ``models`` to the quads or statements with ``ids``, from `QuadScore` rows.

    ``missing`` is the policy for rows that a model did not answer.
    """
    aligned = lined_up(ids, scores, models, _bias, QUAD_COLUMNS)
    return QuadAnswers(
        tuple(models),
        aligned.numbers["c"],
        aligned.numbers["differs"],
        aligned.asked,
        aligned.asked & aligned.numbers["answered"],
        np.asarray(aligned.numbers["votes"].any(axis=1)),
        missing,
    )


def _bias(scores: pa.Table) -> Columns:
    c = comparative(*subject_scores(scores)).c
    if not np.isfinite(c).all():
        row = scores.slice(int(np.flatnonzero(~np.isfinite(c))[0]), 1)
        raise ArtifactError(
            f"the score of {row['item_id'][0].as_py()} by {row['model'][0].as_py()} is not a number",
            remedy="set scoring.precision: float32 and score again",
        )
    numbers: Columns = {"c": c, "differs": answers_differ(scores)}
    return {**numbers, "answered": answered_quads(scores), "votes": vote_rows(scores)}

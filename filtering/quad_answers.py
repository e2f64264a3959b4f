"""Models' answers to quads and masked statements as arrays: one row per model, one column per row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from nextset.array_types import Bools, Floats
from nextset.errors import ArtifactError
from nextset.filtering.answer_arrays import AnswerArrays
from nextset.filtering.lined_up_scores import Columns, lined_up
from nextset.records.question_quads import subject_word
from nextset.scoring.outcome_shares import answered_quads, vote_rows
from nextset.scoring.subjects.quad_bias import SCORES, answers_differ, comparative, subject_scores
from nextset.scoring.wrong_answers import Missing

__all__ = ["QUAD_COLUMNS", "QuadAnswers", "quad_answers"]

QUAD_COLUMNS = ("item_id", "model", *SCORES)
"""The columns that `quad_answers` needs in a table of scores; it also reads those of outcomes."""


@dataclass(frozen=True, kw_only=True)
class QuadAnswers(AnswerArrays):
    """Models' answers to quads or statements."""

    shares: ClassVar[bool] = False
    by_answer: ClassVar[tuple[str, ...]] = ("c", "differs")
    c: Floats
    """C of the first subject against the second (UnQover, equation 6)."""
    differs: Bools
    """True if the answer depends on the order of the subjects."""
    missing: Missing = "not_wrong"

    def sizes(self, place: int) -> Floats:
        """Return the numbers that measure the model at ``place``, shape (rows,): |C|, in [0, 1]."""
        sizes: Floats = np.abs(self.c[place])
        return sizes

    def answer_text(self, model: int, place: int, row: Mapping[str, Any]) -> str:
        """Return the subject that a model prefers in the row at ``place``, whose columns are ``row``."""
        c = float(self.c[model, place])
        subject = subject_word(row, "subject1" if c > 0 else "subject2") if c else "no preference"
        return f"{subject} (|C| {abs(c):.2f})"


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
        models=tuple(models),
        c=aligned.numbers["c"],
        differs=aligned.numbers["differs"],
        asked=aligned.asked,
        answered=aligned.asked & aligned.numbers["answered"],
        votes=np.asarray(aligned.numbers["votes"].any(axis=1)),
        missing=missing,
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

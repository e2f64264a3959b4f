"""The quads of the explorer, with both subjects' scores in all four arrangements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.quads.quad_columns import SCORES
from nextset.auditing.report.explorer_payload import (
    MOST_ITEMS,
    ModelScores,
    Votes,
    coded,
    common_fields,
    judgment_columns,
    outcome_notes,
    scores_by_model,
    selected,
)
from nextset.errors import ArtifactError
from nextset.forms import FORMS
from nextset.scoring.outcome_shares import missing_shares
from nextset.scoring.predicted_labels import UNANSWERED
from nextset.scoring.subjects.quad_bias import QuadBias, comparative, subject_scores

__all__ = ["quad_payload"]

_SIGNS = ("C above 0", "C is 0", "C below 0")
_FACETS = (
    ("Form", ("form",)),
    ("Class", ("subject_class",)),
    ("Subject", ("subject1", "subject2")),
    ("Attribute", ("attribute",)),
    ("Template", ("template_id",)),
    ("Verdict", ("verdict",)),
)
_TEXTS = ("context_12", "context_21")


def quad_payload(
    quads: pa.Table,
    scores: Iterable[pa.Table],
    votes: Votes | None = None,
    most: int = MOST_ITEMS,
) -> dict[str, Any]:
    """Return the explorer's questions or masked statements as values that JSON can hold.

    ``quads`` have the columns of QuestionQuad, of MaskedStatement, or of both, with nulls in columns that do
    not apply to a row; ``scores`` are tables of QuadScore, ``votes`` the counts of judgments by unit and
    verdict. Raises ArtifactError if a score is not a number.
    """
    rows = selected(quads, most)
    names = ("language", "subject_class", "template_id", "attribute", "subject1", "subject2", *_TEXTS)
    columns = {name: coded(rows[name]) for name in names}
    columns |= {"asked": coded(_asked(rows)), "asked_negated": coded(_asked(rows, "_negated"))}
    if {"question", "statement"} <= set(rows.column_names):
        are_questions = pc.is_valid(rows["question"])
        columns["form"] = coded(pc.if_else(are_questions, "question", "masked statement"))
    columns |= judgment_columns(rows, votes)
    by_model = scores_by_model(rows, scores)
    biases, notes = [_bias(m) for m in by_model], outcome_notes(by_model)
    return {
        **common_fields(quads, rows, columns, _FACETS, by_model),
        "kind": "quads",
        "counterparts": [],
        "searched": ["asked", "context_12"],
        "outcome": {
            "label": "Sign of C",
            "values": [*_SIGNS, UNANSWERED] if notes else list(_SIGNS),
            "codes": [_signs(m, b, rows.num_rows) for m, b in zip(by_model, biases, strict=True)],
        },
        **notes,
        "scores": [_scores(m, rows.num_rows) for m in by_model],
        "bias": [_bias_values(m, b, rows.num_rows) for m, b in zip(by_model, biases, strict=True)],
    }


def _asked(rows: pa.Table, end: str = "") -> pa.ChunkedArray:
    """Return the question of each row, or its masked statement; a table can have both kinds of rows."""
    quads = [form.name for form in FORMS if form.quads]
    known = [rows[name + end] for name in quads if name in rows.column_names]
    return pc.coalesce(*known)


def _bias(model: ModelScores) -> QuadBias:
    """Return B and C from the unrounded scores: rounding can change the sign of C."""
    bias = comparative(*subject_scores(model.scores))
    if not np.isfinite(bias.c).all():
        row = int(np.flatnonzero(~np.isfinite(bias.c))[0])
        raise ArtifactError(
            f"the score of item {model.scores['item_id'][row].as_py()} by {model.model} is not a number",
            remedy="set scoring.precision: float32 and score again",
        )
    return bias


def _signs(model: ModelScores, bias: QuadBias, n: int) -> list[int]:
    """Return the place of each quad's sign of C among the signs, or the place after them if the model did not
    answer it; −1 if the quad was not scored."""
    signs = np.full(n, -1, np.int64)
    signs[model.places] = 1 - np.sign(bias.c).astype(np.int64)
    signs[model.places[missing_shares(model.scores) > 0]] = len(_SIGNS)
    return [int(code) for code in signs]


def _bias_values(model: ModelScores, bias: QuadBias, n: int) -> list[float]:
    """Return B of both subjects and C of each quad to six digits, row after row; 0 if the quad was not
    scored.

    Rounding to six digits keeps the sign, and gives 0 only if the value is 0.
    """
    values = np.zeros((n, 3))
    values[model.places] = np.column_stack([bias.b1, bias.b2, bias.c])
    return [float(f"{value:.6g}") + 0.0 for value in values.ravel()]


def _scores(model: ModelScores, n: int) -> list[float]:
    """Return the eight scores of each quad to four digits, row after row; −1 if they are unknown."""
    values = np.column_stack([np.asarray(model.scores[name], np.float64) for name in SCORES])
    by_quad = np.full((n, len(SCORES)), -1.0)
    by_quad[model.places] = values
    return [float(f"{value:.4g}") for value in by_quad.ravel()]

"""The quads of the explorer, with both subjects' scores in all four arrangements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from nextset.auditing.quads.quad_columns import SCORES
from nextset.auditing.report.explorer_payload import (
    MOST_ITEMS,
    ModelScores,
    coded,
    scores_by_model,
    selected,
    votes_text,
)
from nextset.errors import ArtifactError
from nextset.scoring.subjects.quad_bias import comparative, subject_scores

__all__ = ["quad_payload"]

_SIGNS = ("C above 0", "C is 0", "C below 0")
_FACETS = (
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
    votes: Mapping[str, Mapping[str, int]] | None = None,
    most: int = MOST_ITEMS,
) -> dict[str, Any]:
    """Return the explorer's questions or masked statements as JSON can hold them.

    ``quads`` have the columns of QuestionQuad or MaskedStatement, ``scores`` are tables of QuadScore,
    ``votes`` the counts of judgments by unit and verdict. Raises ArtifactError if a score is not a number.
    """
    rows = selected(quads, most)
    form = "question" if "question" in rows.column_names else "statement"
    names = ("subject_class", "template_id", "attribute", "subject1", "subject2", *_TEXTS)
    columns = {name: coded(rows[name]) for name in names}
    columns |= {"asked": coded(rows[form]), "asked_negated": coded(rows[f"{form}_negated"])}
    if "verdict" in rows.column_names:
        columns["verdict"] = coded([v or "not judged" for v in rows["verdict"].to_pylist()])
    if votes:
        units = rows["unit_id" if "unit_id" in rows.column_names else "id"].to_pylist()
        columns["votes"] = coded([votes_text(votes.get(unit, {})) for unit in units])
    by_model = scores_by_model(rows, scores)
    return {
        "kind": "quads",
        "total": quads.num_rows,
        "ids": rows["id"].to_pylist(),
        "counterparts": [],
        "columns": columns,
        "facets": [{"label": label, "columns": list(of)} for label, of in _FACETS if set(of) <= set(columns)],
        "searched": ["asked", "context_12"],
        "models": [{"name": m.model, "role": m.role} for m in by_model],
        "outcome": {
            "label": "Sign of C",
            "values": list(_SIGNS),
            "codes": [_signs(m, rows.num_rows) for m in by_model],
        },
        "scores": [_scores(m, rows.num_rows) for m in by_model],
    }


def _signs(model: ModelScores, n: int) -> list[int]:
    """Return the place of the sign of each quad's C among the signs; −1 if it was not scored."""
    found = np.full(n, -1, np.int64)
    signs = np.sign(comparative(*subject_scores(model.scores)).c)
    if not np.isfinite(signs).all():
        row = int(np.flatnonzero(~np.isfinite(signs))[0])
        raise ArtifactError(
            f"the score of item {model.scores['item_id'][row].as_py()} by {model.model} is not a number",
            remedy="set scoring.precision: float32 and score again",
        )
    found[model.places] = 1 - signs.astype(np.int64)
    return [int(code) for code in found]


def _scores(model: ModelScores, n: int) -> list[float]:
    """Return the eight scores of each quad to four digits, row after row; −1 if they are unknown."""
    values = np.column_stack([np.asarray(model.scores[name], np.float64) for name in SCORES])
    found = np.full((n, len(SCORES)), -1.0)
    found[model.places] = values
    return [float(f"{value:.4g}") for value in found.ravel()]

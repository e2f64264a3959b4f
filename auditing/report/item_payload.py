"""The NLI items of the explorer, with every model's probabilities and the counts of their judgments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from nextset.auditing.nli.population import stances
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
from nextset.records.nli_items import LABELS
from nextset.scoring.models.labels import NOT_ENTAILMENT
from nextset.scoring.predicted_labels import UNANSWERED, predicted
from nextset.study.stereotype_sentences import SENTENCE_COLUMNS

__all__ = ["item_payload"]

_LABELS = (*LABELS, NOT_ENTAILMENT)
_OUTCOMES = (*_LABELS, UNANSWERED)
_FACETS = (
    ("Domain", ("domain",)),
    ("Stereotype", ("stereotype",)),
    ("Group", ("group1", "group2")),
    ("Stance", ("stance",)),
    ("Verdict", ("verdict",)),
)
_TEXTS = ("language", "domain", "stereotype", "premise", "hypothesis", "label")


def item_payload(
    items: pa.Table,
    scores: Iterable[pa.Table],
    votes: Votes | None = None,
    most: int = MOST_ITEMS,
) -> dict[str, Any]:
    """Return the explorer's NLI items as values that JSON can hold.

    ``items`` have the columns of NliItem, the columns of a release if they are from one, and the sentences of
    their stereotype (`SENTENCE_COLUMNS`) if these are known. ``scores`` are
    tables of NliScore; ``votes`` are the counts of judgments by unit and verdict. Raises ArtifactError if a
    probability is not a number.
    """
    rows = selected(items, most)
    sentences = [name for name in SENTENCE_COLUMNS if name in rows.column_names]
    columns = {name: coded(rows[name]) for name in (*_TEXTS, *sentences)}
    columns["stance"] = coded([str(s) for s in stances(rows)])
    bindings = rows["bindings"].to_pylist()
    for name in ("group1", "group2"):
        columns[name] = coded([b[name] if b else "" for b in bindings])
    columns |= judgment_columns(rows, votes)
    by_model = scores_by_model(rows, scores)
    notes = outcome_notes(by_model)
    return {
        **common_fields(items, rows, columns, _FACETS, by_model),
        "kind": "items",
        "counterparts": _counterparts(rows),
        "searched": ["hypothesis", "premise"],
        "outcome": {
            "label": "Prediction",
            "values": list(_OUTCOMES if notes else _LABELS),
            "codes": [_predictions(m, rows.num_rows) for m in by_model],
        },
        **notes,
        "scores": [_probabilities(m, rows.num_rows) for m in by_model],
    }


def _counterparts(rows: pa.Table) -> list[int]:
    """Return the place of each row's counterpart; −1 if it has none among the rows."""
    if "counterpart_id" not in rows.column_names:
        return [-1] * int(rows.num_rows)
    place = {item: i for i, item in enumerate(rows["id"].to_pylist())}
    return [place.get(other, -1) for other in rows["counterpart_id"].to_pylist()]


def _predictions(model: ModelScores, n: int) -> list[int]:
    """Return the place of each item's predicted label among the outcomes; −1 if it was not scored."""
    codes = np.full(n, -1, np.int64)
    labels = predicted(model.scores)
    for code, name in enumerate(_OUTCOMES):
        codes[model.places[labels == name]] = code
    return [int(code) for code in codes]


def _probabilities(model: ModelScores, n: int) -> list[int]:
    """Return the three probabilities of each item in thousandths, row after row; −1 if they are unknown."""
    thousandths = np.full((n, len(LABELS)), -1, np.int64)
    for place, name in enumerate(LABELS):
        values = model.scores[name].to_numpy().astype(np.float64)
        known = np.isfinite(values)
        thousandths[model.places[known], place] = np.rint(1000 * values[known]).astype(np.int64)
    return [int(value) for value in thousandths.ravel()]

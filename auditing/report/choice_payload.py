"""The choice items of the explorer, with every model's probabilities of the options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from nextset.auditing.choices.choice_arrays import ChoiceColumns, choice_columns
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
from nextset.records.choice_items import MOST_OPTIONS
from nextset.scoring.chosen_options import NO_OPTION, Places, chosen_options, option_matrix
from nextset.scoring.predicted_labels import UNANSWERED

__all__ = ["choice_payload"]

_LEANS = ("unknown", "biased", "counter-biased", "no target")
_OUTCOMES = tuple(f"{answer}: {lean}" for answer in ("right", "wrong") for lean in _LEANS)
_FACETS = (
    ("Category", ("category",)),
    ("Subcategory", ("subcategory",)),
    ("Condition", ("condition",)),
    ("Polarity", ("polarity",)),
    ("Target group", ("target_group",)),
    ("Template", ("template_id",)),
    ("Verdict", ("verdict",)),
)
_TEXTS = (
    "language", "category", "subcategory", "stereotype", "template_id", "condition", "polarity", "context",
    "question", "source",
)  # fmt: skip


def choice_payload(
    items: pa.Table, scores: Iterable[pa.Table], votes: Votes | None = None, most: int = MOST_ITEMS
) -> dict[str, Any]:
    """Return the explorer's choice items as values that JSON can hold.

    ``items`` have the columns of ChoiceItem, and those of a release if they are from one; ``scores`` are
    tables of ChoiceScore, ``votes`` the counts of judgments by unit and verdict. Raises ArtifactError if a
    probability is not a number.
    """
    rows = selected(items, most)
    facts = choice_columns([rows])
    options = rows["options"].to_pylist()
    places = max((len(row) for row in options), default=0)
    columns = {name: coded(rows[name]) for name in _TEXTS}
    for place in range(places):
        here = [row[place] if place < len(row) else None for row in options]
        columns[f"option{place + 1}"] = coded([o["text"] if o else "" for o in here])
        columns[f"group{place + 1}"] = coded([o["group"] if o else "" for o in here])
    columns["right"] = coded([row[p]["text"] for row, p in zip(options, facts.label.tolist(), strict=True)])
    targets = [row[p] if p >= 0 else None for row, p in zip(options, facts.target.tolist(), strict=True)]
    columns["target"] = coded([o["text"] if o else "" for o in targets])
    columns["target_group"] = coded([o["group"] if o else "" for o in targets])
    columns |= judgment_columns(rows, votes)
    by_model = scores_by_model(rows, scores)
    notes, chosen = outcome_notes(by_model), [_chosen(m, rows.num_rows) for m in by_model]
    return {
        **common_fields(items, rows, columns, _FACETS, by_model),
        "kind": "choices",
        "counterparts": [],
        "searched": ["question", "context"],
        "outcome": {
            "label": "Answer",
            "values": [*_OUTCOMES, UNANSWERED] if notes else list(_OUTCOMES),
            "codes": [_codes(m, facts, c) for m, c in zip(by_model, chosen, strict=True)],
        },
        **notes,
        "chosen": [c.tolist() for c in chosen],
        "places": places,
        "scores": [_probabilities(m, rows.num_rows, places) for m in by_model],
    }


def _chosen(model: ModelScores, n: int) -> Places:
    """Return the place of the option that the model chose for each item; −1 without an answer or score."""
    chosen = np.full(n, NO_OPTION, np.int8)
    chosen[model.places] = chosen_options(model.scores)
    return chosen


def _codes(model: ModelScores, facts: ChoiceColumns, chosen: Places) -> list[int]:
    """Return the place of each answer among the outcomes; −1 if the item was not scored."""
    rows = np.arange(facts.rows)
    lean = np.where(facts.people[rows, chosen], 2, 0)
    lean[facts.biased[rows, chosen]] = 1
    lean[facts.target == NO_OPTION] = 3
    codes = np.where(chosen == facts.label, lean, len(_LEANS) + lean)
    codes[chosen == NO_OPTION] = len(_OUTCOMES)
    asked = np.zeros(facts.rows, np.bool_)
    asked[model.places] = True
    return [int(code) for code in np.where(asked, codes, -1)]


def _probabilities(model: ModelScores, n: int, places: int) -> list[int]:
    """Return the probabilities of each item's options in thousandths, row after row; −1 if there is none."""
    thousandths = np.full((n, MOST_OPTIONS), -1, np.int64)
    matrix = option_matrix(model.scores)
    there = np.isfinite(matrix)
    thousandths[model.places] = np.where(there, np.rint(1000 * np.where(there, matrix, 0)), -1)
    return [int(value) for value in thousandths[:, :places].ravel()]

"""The parts that all kinds of items in the explorer share: selection, columns of few values, scores,
compression."""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.forms import FORMS, FormName
from nextset.html.text_direction import text_direction
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.scoring.outcome_shares import outcome_matrix

__all__ = [
    "MOST_ITEMS",
    "ModelScores",
    "Votes",
    "coded",
    "common_fields",
    "compressed",
    "judgment_columns",
    "named_scores",
    "outcome_notes",
    "scores_by_model",
    "selected",
    "votes_by_unit",
    "votes_text",
]

MOST_ITEMS = 15_000
"""The largest number of items in the explorer; if there are more, it holds the first by id, each with its
counterpart."""
Votes = Mapping[str, Mapping[str, int]]
"""The number of judgments with each verdict, by unit."""
_MOST_PROMPTS = 64
"""The largest denominator of a share that is shown as a fraction."""
_ORDER = {"filter": 0, "held_out": 1, "audit": 2}


@dataclass(frozen=True, slots=True)
class ModelScores:
    """The scores of one model for the explorer's items."""

    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit."""
    scores: pa.Table
    """One row per item that the model scored."""
    places: npt.NDArray[np.intp]
    """The place of each of these rows among the items."""


def selected(items: pa.Table, most: int = MOST_ITEMS) -> pa.Table:
    """Return the first ``most`` rows by id; an item and its counterpart are ordered by the lower of their
    ids.

    Ids are content hashes, so these rows are like a random sample, and the same in every run.
    """
    ids = pc.cast(items["id"], pa.string())
    first = ids
    if "counterpart_id" in items.column_names:
        first = pc.min_element_wise(ids, pc.cast(items["counterpart_id"], pa.string()))
    order = pc.sort_indices(
        pa.table({"first": first, "id": ids}), [("first", "ascending"), ("id", "ascending")]
    )
    return items.take(order.slice(0, most))


def coded(column: pa.ChunkedArray | Sequence[str | None]) -> dict[str, Any]:
    """Return a text column as its sorted distinct values, and each row's place among them; null is empty."""
    texts = (
        column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([pa.array(column, pa.string())])
    )
    filled = pc.fill_null(pc.cast(texts, pa.string()), "")
    values = sorted(pc.unique(filled).to_pylist())
    codes = pc.index_in(filled, value_set=pa.array(values, pa.string()))
    return {"values": values, "codes": codes.to_pylist()}


def scores_by_model(items: pa.Table, scores: Iterable[pa.Table]) -> list[ModelScores]:
    """Return each model's scores of ``items``, sorted by role and name; if an item has several scores, the
    first counts."""
    ids = pc.cast(items["id"], pa.string()).combine_chunks()
    pieces: dict[str, list[pa.Table]] = {}
    for piece in scores:
        known = piece.filter(pc.is_in(pc.cast(piece["item_id"], pa.string()), value_set=ids))
        for model in pc.unique(known["model"]).to_pylist():
            pieces.setdefault(model, []).append(known.filter(pc.equal(known["model"], model)))
    models = []
    for model, tables in pieces.items():
        table = pa.concat_tables(tables, promote_options="default")
        places = np.asarray(pc.index_in(pc.cast(table["item_id"], pa.string()), value_set=ids), np.intp)
        _, first = np.unique(places, return_index=True)
        roles = pc.unique(table["role"]).to_pylist()
        role = min(roles, key=lambda r: _ORDER.get(r, len(_ORDER)))
        models.append(ModelScores(model, role, table.take(pa.array(first)), places[first]))
    return sorted(models, key=lambda m: (_ORDER.get(m.role, len(_ORDER)), m.model))


def named_scores(scores: pa.Table, form: FormName) -> pa.Table:
    """Return ``scores``; in the form qa, each model's name says that it was asked with yes/no questions.

    The answers of the same model to premise and hypothesis are a separate row.
    """
    if not FORMS[form].asks:
        return scores
    form_note = f"({FORMS[form].noun})"
    names = pc.binary_join_element_wise(pc.cast(scores["model"], pa.string()), form_note, " ")
    return scores.set_column(scores.schema.get_field_index("model"), "model", names)


def common_fields(
    items: pa.Table,
    rows: pa.Table,
    columns: Mapping[str, Any],
    facets: Iterable[tuple[str, Sequence[str]]],
    models: Sequence[ModelScores],
) -> dict[str, Any]:
    """Return the fields that items and quads have in common; ``rows`` are the rows of ``items`` that are
    shown.

    Facets whose columns do not exist are dropped.
    """
    return {
        "total": items.num_rows,
        "ids": rows["id"].to_pylist(),
        "columns": columns,
        "directions": {tag: text_direction(tag) for tag in columns["language"]["values"]},
        "facets": [
            {"label": label, "columns": list(names)} for label, names in facets if set(names) <= set(columns)
        ],
        "models": [{"name": m.model, "role": m.role} for m in models],
    }


def outcome_notes(models: Sequence[ModelScores]) -> dict[str, Any]:
    """Return the field without_choice: each model's prompts without a choice, as a text for each such row.

    A text is like ``refused 2/3, unreadable 1/3``. Without such rows there is no field.
    """
    notes = []
    for model in models:
        shares = outcome_matrix(model.scores)
        rows = np.flatnonzero(shares.any(axis=1))
        notes.append({str(model.places[i]): _shares_text(shares[i].tolist()) for i in rows.tolist()})
    return {"without_choice": notes} if any(notes) else {}


def _shares_text(shares: Sequence[float]) -> str:
    names = (name.replace("_", " ") for name in OUTCOMES)
    return ", ".join(f"{name} {_fraction(s)}" for name, s in zip(names, shares, strict=True) if s)


def _fraction(share: float) -> str:
    """Return a share of few prompts as a fraction, and any other in per cent."""
    fraction = Fraction(share).limit_denominator(_MOST_PROMPTS)
    return str(fraction) if abs(float(fraction) - share) < 1e-6 else f"{100 * share:.1f} %"


def judgment_columns(rows: pa.Table, votes: Votes | None) -> dict[str, Any]:
    """Return the columns verdict and votes of ``rows``, each only if it is known.

    The unit of a row is its ``unit_id``, or its id without such a column.
    """
    columns = {}
    if "verdict" in rows.column_names:
        columns["verdict"] = coded([v or "not judged" for v in rows["verdict"].to_pylist()])
    if votes:
        units = rows["unit_id" if "unit_id" in rows.column_names else "id"].to_pylist()
        columns["votes"] = coded([votes_text(votes.get(unit, {})) for unit in units])
    return columns


def votes_by_unit(judgments: pa.Table | None) -> dict[str, Counter[str]]:
    """Return how often each verdict was given, by unit: counts only, never the annotators.

    ``judgments`` have the columns unit_id and verdict; None gives no counts.
    """
    votes: dict[str, Counter[str]] = {}
    for row in judgments.select(["unit_id", "verdict"]).to_pylist() if judgments is not None else ():
        votes.setdefault(row["unit_id"], Counter())[row["verdict"]] += 1
    return votes


def votes_text(votes: Mapping[str, int]) -> str:
    """Return the counts of an item's judgments as text, such as ``valid 2, invalid 1``, without
    annotators."""
    order = ("valid", "invalid", "incoherent", "declined")
    names = sorted(votes, key=lambda v: (order.index(v) if v in order else len(order), v))
    return ", ".join(f"{name} {votes[name]}" for name in names if votes[name])


def compressed(payload: Mapping[str, Any]) -> str:
    """Return ``payload`` as JSON, deflated (RFC 1950) and in base64: the same bytes for the same items."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()

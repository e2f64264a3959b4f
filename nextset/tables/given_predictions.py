"""The predictions that a caller gives, as scores of models."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.nli.labels_by_model import ROLES
from nextset.auditing.quads.quad_columns import SCORES
from nextset.errors import InputError, examples
from nextset.records.choice_items import OPTION_SCORES
from nextset.records.nli_items import LABELS
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.scoring.models.labels import NOT_ENTAILMENT
from nextset.tables.given_options import CHOSEN, option_columns
from nextset.tables.given_tables import TableLike, given_table
from nextset.tables.table_checks import (
    check_column_names,
    check_complete,
    check_numbers,
    check_once,
    with_text_ids,
)

__all__ = ["given_predictions"]

_KEYS = ("item_id", "id")
"""The columns that can hold the ids of the items; the first that is there counts."""
_PLAIN = ("model", "predictions"), ("revision", ""), ("role", "audit")
"""The columns of predictions that may be missing, with their values."""


def given_predictions(given: TableLike) -> pa.Table:
    """Return the predictions ``given`` with the columns of scores: item_id, model, revision, role, numbers.

    The numbers are the eight scores of questions if they are there, those of the options of choice items
    (`nextset.tables.given_options.option_columns`), else the probabilities of the three labels, or 1 for the
    label that is given. Raises InputError for missing columns, empty values, numbers
    that are not in [0, 1] or do not sum to 1, unknown labels, a role or revision that differs between rows of
    a model, and two predictions of a model for an item.
    """
    predictions = given_table(given, "predictions")
    names = predictions.column_names
    numbers = next(
        (known for known in (SCORES, CHOSEN, LABELS) if set(known) & set(names)), ("label", *LABELS)
    )
    ids = _KEYS if not set(_KEYS) & set(names) else ()
    check_column_names(predictions, "predictions", (*ids, "model", "revision", "role", *numbers))
    key = next((name for name in _KEYS if name in names), None)
    if key is None:
        raise InputError(
            "the predictions have no column id", remedy="add the id of the item that each row is about"
        )
    predictions = with_text_ids(predictions, "predictions", (*_KEYS, "model"))
    if set(_KEYS) <= set(names) and not predictions["item_id"].equals(predictions["id"]):
        raise InputError(
            "the predictions have the columns id and item_id, which differ",
            remedy="leave one of them: the one with the ids of the items",
        )
    if not predictions.num_rows:
        raise InputError("there are no predictions", remedy="give at least one for each item")
    check_once(
        predictions,
        "predictions",
        (key, "model", "revision", "role"),
        "keep one prediction of each model for each item, and name the models in the column model",
    )
    roles = set(predictions["role"].to_pylist()) if "role" in names else set[str]()
    if not roles <= set(ROLES):
        raise InputError(
            f"the predictions have the role {examples(map(repr, roles - set(ROLES)))}",
            remedy=f"write {' or '.join(ROLES)}, or leave the column role out",
        )
    for name in sorted({"role", "revision"} & set(names)):
        _check_one_each(predictions, name)
    lacking = [name for name in SCORES if name not in names]
    if len(lacking) < len(SCORES) and lacking:
        raise InputError(
            f"the predictions have {len(SCORES) - len(lacking)} of a quad's {len(SCORES)} scores, but not "
            f"{examples(lacking, 8)}",
            remedy="add the missing columns, as in the result of nextset.score",
        )
    check_complete(predictions, "predictions")
    check_numbers(predictions, "predictions", (*LABELS, *OUTCOMES, *SCORES, *OPTION_SCORES))
    columns: dict[str, pa.Array] = {"item_id": predictions[key]}
    for name, value in _PLAIN:
        columns[name] = (
            pc.cast(predictions[name], pa.string())
            if name in names
            else pa.chunked_array([pa.repeat(pa.scalar(value), predictions.num_rows)])
        )
    if set(CHOSEN) & set(names):
        return pa.table({**columns, **option_columns(predictions)})
    outcomes = [name for name in OUTCOMES if name in names]
    columns |= {name: pc.cast(predictions[name], pa.float64()) for name in outcomes}
    if set(SCORES) <= set(names):
        columns |= {name: pc.cast(predictions[name], pa.float64()) for name in SCORES}
        return pa.table(columns)
    if set(LABELS) <= set(names):
        columns |= {name: pc.cast(predictions[name], pa.float64()) for name in LABELS}
        return pa.table(columns)
    if "label" not in names:
        raise InputError(
            f"the predictions have neither the column label nor the probabilities {', '.join(LABELS)}",
            remedy="add the label that the model predicts for each item, or its probabilities",
        )
    columns |= _certain(predictions["label"].to_pylist(), columns["model"].to_pylist())
    return pa.table(columns)


def _check_one_each(predictions: pa.Table, name: str) -> None:
    """Raise InputError if the rows of one model differ in the column ``name``."""
    models = predictions["model"] if "model" in predictions.column_names else pa.nulls(len(predictions))
    pairs = pa.table({"model": models, name: predictions[name]}).group_by(["model", name]).aggregate([])
    values: dict[str | None, list[str]] = {}
    for row in pairs.to_pylist():
        values.setdefault(row["model"], []).append(str(row[name]))
    for model, several in values.items():
        if len(several) > 1:
            raise InputError(
                f"the predictions of {model or 'the model'} differ in {name}: {examples(sorted(several))}",
                remedy=f"write the same {name} in all rows of a model, or name two models",
            )


def _certain(labels: Sequence[str | None], models: Sequence[str]) -> dict[str, pa.Array]:
    """Return probabilities of 1 for ``labels``, and of 0 for other labels; null for a model with two.

    A model has two labels if not_entailment is among its labels.
    """
    known = (*LABELS, NOT_ENTAILMENT)
    for row, label in enumerate(labels):
        if label not in known:
            raise InputError(
                f"the predicted label {label!r:.40} in row {row} (from 0) is not one of {', '.join(known)}",
                remedy="map the model's labels to these names, and leave out items without a prediction",
            )
    pairs = list(zip(labels, models, strict=True))
    two_way = {model for label, model in pairs if label == NOT_ENTAILMENT}
    mixed = next((model for label, model in pairs if model in two_way and label in LABELS[1:]), None)
    if mixed is not None:
        raise InputError(
            f"the predictions of {mixed} have {NOT_ENTAILMENT} and also {' or '.join(LABELS[1:])}",
            remedy=f"use either {', '.join(LABELS)}, or {LABELS[0]} and {NOT_ENTAILMENT}",
        )
    return {
        name: pa.array(
            [
                None if model in two_way and name != LABELS[0] else float(label == name)
                for label, model in pairs
            ],
            pa.float64(),
        )
        for name in LABELS
    }

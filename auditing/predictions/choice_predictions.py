"""Published choice items with the answers of models beside them, as items and scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.errors import InputError, examples
from nextset.published_choices.choice_reading import published_choices
from nextset.published_choices.published_answers import published_predictions
from nextset.published_choices.published_rows import SUFFIXES, has_published_items
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import MOST_OPTIONS, OPTION_SCORES, ChoiceScore
from nextset.records.prompt_outcomes import OUTCOMES

__all__ = ["ChoicePredictions", "has_choice_predictions", "read_choice_predictions"]

_LANGUAGE = "en"
"""The language of items whose layout and file do not tell it."""


@dataclass(frozen=True)
class ChoicePredictions:
    """The rows of published files, each with an id of its own, and the answers of all models to them."""

    items: pa.Table
    """Choice items; the id of a row is its number, since rows with one text can have different answers."""
    scores: pa.Table
    """ChoiceScores of these ids."""


def has_choice_predictions(path: Path) -> bool:
    """Return whether ``path`` is a file of published choice items; raises InputError for a damaged one."""
    return path.is_file() and path.name.lower().endswith(SUFFIXES) and has_published_items(path)


def read_choice_predictions(files: Sequence[Path], digest: str) -> ChoicePredictions:
    """Return the items of all ``files`` together, and the answers in their columns of predictions.

    A model is named by its column, and its revision is ``digest``. Raises InputError for a file that cannot
    be read or has no predictions, and for files whose columns of predictions differ.
    """
    tables, places = [], []
    for file in files:
        tables.append(published_choices(file, _LANGUAGE))
        places.append(published_predictions(file))
        other = sorted(set(places[0]) ^ set(places[-1]))
        if other:
            raise InputError(
                f"it has not the same columns of predictions as {files[0]}: {examples(other)}",
                file=file,
                remedy="audit files with other columns separately",
            )
    items = pa.concat_tables(tables)
    ids = pa.array([f"row {row}" for row in range(1, items.num_rows + 1)])
    scores = [
        _scores(ids, model, digest, np.concatenate([of_file[model] for of_file in places]))
        for model in places[0]
    ]
    return ChoicePredictions(items.set_column(0, items.schema.field(0), ids), pa.concat_tables(scores))


def _scores(ids: pa.Array, model: str, digest: str, places: npt.NDArray[np.int8]) -> pa.Table:
    rows, missing = len(ids), places < 0
    shares = (places[:, None] == np.arange(MOST_OPTIONS)).astype(np.float64)
    columns: dict[str, pa.Array] = {
        "item_id": ids,
        "model": pa.repeat(model, rows),
        "revision": pa.repeat(digest, rows),
        "role": pa.repeat("audit", rows),
        "precision": pa.repeat("", rows),
        "mode": pa.repeat("canonical", rows),
        **{name: pa.array(shares[:, i]) for i, name in enumerate(OPTION_SCORES)},
        **dict.fromkeys(("flips", "order_margin"), pa.nulls(rows, pa.float64())),
        "truncated": pa.repeat(False, rows),
        **{name: pa.array((missing & (name == "unreadable")).astype(np.float64)) for name in OUTCOMES},
        "votes": pa.repeat(True, rows),
    }
    schema = arrow_schema(ChoiceScore)
    return pa.table([columns[name].cast(schema.field(name).type) for name in schema.names], schema=schema)

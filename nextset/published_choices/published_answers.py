"""The answers of models in a file of published items, as chosen options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nextset.errors import InputError
from nextset.published_choices.answer_matching import matched_option
from nextset.published_choices.published_rows import format_of_file, published_rows

__all__ = ["published_predictions"]

_PREDICTION = re.compile(r".+_pred(?:_.+)?|prediction|.+_prediction")
"""The names of columns with the answers of a model, such as unifiedqa-t5-11b_pred_race."""


def published_predictions(file: Path) -> Mapping[str, npt.NDArray[np.int8]]:
    """Return the place of the chosen option in each row of ``file``, for each column with predictions.

    The shape is (rows,), in the order of the items that `published_choices` returns. A place is NO_OPTION for
    an answer that means none of the options (`matched_option`), and for an empty one. Columns without any
    answer are omitted. Raises InputError for a file that cannot be read or has no predictions.
    """
    layout = format_of_file(file)
    places: dict[str, list[int]] = {}
    answered = set()
    for number, row in enumerate(published_rows(file)):
        if not number:
            places = {name: [] for name in row.values if _PREDICTION.fullmatch(name)}
        draft = layout.draft(row)
        for name, column in places.items():
            answer = row.text(name, optional=True)
            column.append(matched_option(answer, draft.options, draft.names))
            if answer.strip():
                answered.add(name)
    chosen = {name: np.array(column, np.int8) for name, column in places.items() if name in answered}
    if not chosen:
        raise InputError(
            "the file has no predictions: no column such as unifiedqa-t5-11b_pred_race has a text",
            file=file,
            line=1,
            remedy="name a file that has the answers of a model in such a column",
        )
    return chosen

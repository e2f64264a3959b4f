"""Questions with options: one input per row, and a probability for each option."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import OPTION_SCORES, ChoiceScore
from nextset.scoring.chosen_options import answered_choices, chosen_options, option_margins
from nextset.scoring.forms.scored_form import ScoredBy, ScoredForm
from nextset.scoring.near_ties import CLOSE
from nextset.scoring.outcome_shares import outcome_arrays, vote_rows
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, ChoiceQuestion, Numbers
from nextset.scoring.wrong_answers import Missing
from nextset.study.filter_rule_settings import Boundaries

__all__ = ["CHOICE_SCORING", "ChoiceScoring"]


class ChoiceScoring(ScoredForm):
    """Choice items as a context, a question and options."""

    name = "choice"
    columns = ("id", "context", "question", "options", "unknown")
    numbers = CHOICE_COLUMNS
    scores = ChoiceScore
    labels = OPTION_SCORES

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return the questions with their options."""
        columns = (rows[name].to_pylist() for name in self.columns[1:])
        return [
            ChoiceQuestion(
                context, question, tuple(o["text"] for o in options), -1 if unknown is None else unknown
            )
            for context, question, options, unknown in zip(*columns, strict=True)
        ]

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """Return `ChoiceScore` rows."""
        last = len(CHOICE_COLUMNS) - 1
        columns: dict[str, pa.Array] = {
            "item_id": rows["id"].combine_chunks(),
            **{name: pa.repeat(value, rows.num_rows) for name, value in vars(by).items()},
            **{
                name: pa.array(numbers[:, i], from_pandas=True)
                for i, name in enumerate(CHOICE_COLUMNS[:last])
            },
            "truncated": pa.array(numbers[:, last] == 1),
            **outcome_arrays(numbers, rows.num_rows, len(CHOICE_COLUMNS)),
        }
        schema = arrow_schema(ChoiceScore)
        return pa.table([columns[name] for name in schema.names], schema=schema)

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Return True for rows whose two most probable options nearly tie, or that are near a margin."""
        gaps = option_margins(scores)
        near = gaps < CLOSE[precision]
        for threshold in boundaries.margins:
            near = near | (np.abs(gaps - threshold) < CLOSE[precision])
        return np.asarray(near & ~vote_rows(scores))

    def mistakes(self, scores: pa.Table, right: pa.ChunkedArray, missing: Missing) -> npt.NDArray[np.bool_]:
        """Return True for each row with a wrong option; ``right`` are the places of the right ones."""
        there = answered_choices(scores)
        wrong = chosen_options(scores) != np.asarray(right)
        return np.where(there, wrong, missing == "wrong")

    def answered(self, scores: pa.Table) -> npt.NDArray[np.bool_]:
        """Return True for each row with a chosen option."""
        return answered_choices(scores)

    def decisions(self, scores: pa.Table) -> list[Any]:
        """Return the places of the most probable options."""
        return list(chosen_options(scores).tolist())


CHOICE_SCORING = ChoiceScoring()
"""Questions with options in scoring."""

"""The shares of prompts that a model left unanswered, as columns of a table of scores."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Floats
from nextset.records.answer_outcomes import OUTCOMES
from nextset.scoring.scorer_protocol import OUTCOME_COLUMNS, Numbers

__all__ = ["missing_shares", "outcome_arrays", "outcome_matrix"]


def outcome_arrays(numbers: Numbers, rows: int, after: int) -> dict[str, pa.Array]:
    """Return the columns `OUTCOMES` and votes of ``rows`` rows of scores.

    ``numbers`` has the shape (inputs, columns), with as many inputs for each row; a row's share is the mean
    over its inputs. The columns from ``after`` are those of `OUTCOME_COLUMNS`; without them, the model
    answers every prompt, with probabilities.
    """
    per_row = numbers.shape[0] // rows if rows else 1
    there = numbers.shape[1] > after
    shares: Numbers = numbers[:, after:] if there else np.zeros((len(numbers), len(OUTCOME_COLUMNS)))
    by_row = shares.reshape(rows, per_row, len(OUTCOME_COLUMNS))
    means = by_row[:, :, :-1].mean(axis=1)
    votes = np.asarray((by_row[:, :, -1] > 0).any(axis=1))
    outcomes: dict[str, pa.Array] = {
        name: pa.array(np.ascontiguousarray(means[:, i])) for i, name in enumerate(OUTCOMES)
    }
    return {**outcomes, "votes": pa.array(votes)}


def missing_shares(scores: pa.Table) -> Floats:
    """Return the share of the prompts of each row that were not answered with a choice, shape (rows,).

    0 for scores without the columns `OUTCOMES`, or with nulls in them, such as those of earlier versions.
    """
    missing: Floats = outcome_matrix(scores).sum(axis=1)
    return missing


def outcome_matrix(scores: pa.Table) -> Floats:
    """Return the shares of each of `OUTCOMES`, shape (rows, outcomes); 0 for columns that are missing and for
    nulls."""
    matrix = np.zeros((scores.num_rows, len(OUTCOMES)))
    for i, name in enumerate(OUTCOMES):
        if name in scores.column_names:
            column = scores[name]
            known = pc.fill_null(column, 0.0) if column.null_count else column
            matrix[:, i] = known.to_numpy()
    return matrix

"""The shares of prompts that a model left unanswered, as columns of a table of scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools, Floats
from nextset.records.prompt_outcomes import OUTCOMES, Outcome
from nextset.scoring.scorer_protocol import OUTCOME_COLUMNS, Numbers

__all__ = [
    "EQUAL_SHARES",
    "answered_quads",
    "missing_shares",
    "outcome_arrays",
    "outcome_matrix",
    "unchangeable",
    "vote_rows",
]

EQUAL_SHARES = 1e-9
"""The largest share that counts as 0, and the largest difference of equal sums, for rounding errors."""


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


def missing_shares(scores: pa.Table, outcomes: Sequence[Outcome] = OUTCOMES) -> Floats:
    """Return the share of the prompts of each row with one of ``outcomes``, shape (rows,).

    0 for scores without the columns `OUTCOMES`, or with nulls in them, such as those of earlier versions.
    """
    missing: Floats = outcome_matrix(scores, outcomes).sum(axis=1)
    return missing


def outcome_matrix(scores: pa.Table, outcomes: Sequence[Outcome] = OUTCOMES) -> Floats:
    """Return the shares of each of ``outcomes``, shape (rows, outcomes); 0 for columns that are missing and
    for nulls."""
    matrix = np.zeros((scores.num_rows, len(outcomes)))
    for i, name in enumerate(outcomes):
        if name in scores.column_names:
            matrix[:, i] = pc.fill_null(scores[name].cast(pa.float64()), 0.0).to_numpy()
    return matrix


def answered_quads(scores: pa.Table) -> Bools:
    """Return True for each row of QuadScores whose four prompts were all answered, shape (rows,).

    An abstention is an answer there: that the context does not say.
    """
    answered: Bools = missing_shares(scores, ("refused", "unreadable", "cut_off")) <= EQUAL_SHARES
    return answered


def unchangeable(shares: Floats, missing: Floats) -> Bools:
    """Return True for each row whose best choice the unanswered prompts could not have changed.

    ``shares`` has the shape (rows, choices), ``missing`` is the share of each row's unanswered prompts, shape
    (rows,). The best choice, the first of those with the largest share, has to win also if all unanswered
    prompts had been answered with a different choice.
    """
    whole: Bools = missing <= EQUAL_SHARES
    rows = np.flatnonzero(~whole)
    best = shares[rows].argmax(axis=1)
    lead = shares[rows, best][:, None] - shares[rows] - missing[rows, None]
    before = np.arange(shares.shape[1]) < best[:, None]
    wins = np.where(before, lead > EQUAL_SHARES, lead >= -EQUAL_SHARES)
    wins[np.arange(rows.size), best] = True
    whole[rows] = wins.all(axis=1)
    return whole


def vote_rows(scores: pa.Table) -> Bools:
    """Return True for each row whose numbers are shares of answers, not probabilities, shape (rows,).

    False for scores without the column, or with a null in it, such as those of earlier versions.
    """
    if "votes" not in scores.column_names:
        return np.zeros(scores.num_rows, np.bool_)
    return np.asarray(pc.fill_null(scores["votes"].cast(pa.bool_()), False).to_numpy())

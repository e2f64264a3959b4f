"""The filter's selection: each candidate is kept or rejected, with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.filtering.balance import BalanceRow, Outcome, Parts, balance_rows, left_out
from nextset.filtering.item_sets import Sets, with_their_pairs
from nextset.filtering.model_answers import Answers
from nextset.filtering.rules.rule_base import Decision, Rule, hard_by_model
from nextset.study.filter_settings import FilterSettings

__all__ = ["FOR_BALANCE", "OWN", "UNANSWERED_BY", "WITH_ITS_PAIR", "Selection", "select", "select_by_rule"]

UNANSWERED_BY = "unanswered_by"
"""The column of the models that were asked about a kept row and did not answer; the table kept has it only if
there is such a row."""

OWN = "own"
"""In the column ``kept_because``: the rule keeps the item itself."""
WITH_ITS_PAIR = "with its pair"
"""The rule keeps another item that differs only by group."""
FOR_BALANCE = "rejected for balance"
"""The reason for rejecting items so that stances or groups keep their shares."""


@dataclass(frozen=True)
class Selection:
    """The result for each candidate, by its position."""

    keep: Bools
    """True if the candidate is kept."""
    by_rule: Bools
    """True if the rule keeps the candidate itself, not only its pair."""
    reasons: pa.DictionaryArray
    """The reason for rejecting the candidate; meaningless if it is kept."""
    hard: Bools
    """True for each model and candidate that the model finds hard, shape (models, candidates)."""
    silent: Bools
    """True for each model and candidate that the model was asked about and did not answer, same shape."""
    models: tuple[str, ...]
    balance: tuple[BalanceRow, ...]
    """The shares of stances or groups before and after."""
    mended: Outcome | None
    """The effect of rejecting items for balance; None if the study does not ask for that."""

    def kept(self, candidates: pa.Table, start: int, finder: str) -> pa.Table:
        """Return the kept rows of ``candidates`` with two more columns, or three.

        ``start`` is the position of the first row among all candidates. ``finder`` names the column of the
        models that find the item hard; kept_because follows it, and `UNANSWERED_BY` if a model did not answer
        a kept candidate.
        """
        rows = start + np.flatnonzero(self.keep[start : start + candidates.num_rows])
        because = pc.if_else(pa.array(self.by_rule[rows]), OWN, WITH_ITS_PAIR)
        kept = candidates.take(pa.array(rows - start))
        kept = kept.append_column(finder, _names(self.hard[:, rows], self.models)).append_column(
            "kept_because", pc.cast(because, pa.string())
        )
        if not self.silent[:, self.keep].any():
            return kept
        return kept.append_column(UNANSWERED_BY, _names(self.silent[:, rows], self.models))

    def rejected(self, candidates: pa.Table, start: int) -> pa.Table:
        """Return the rejected rows of ``candidates`` with the column reason; ``start`` as in `kept`."""
        rows = start + np.flatnonzero(~self.keep[start : start + candidates.num_rows])
        reasons = self.reasons.take(pa.array(rows)).cast(pa.string())
        return candidates.take(pa.array(rows - start)).append_column("reason", reasons)


def select(
    settings: FilterSettings, rule: Rule, decision: Decision, answers: Answers, sets: Sets, parts: Parts
) -> Selection:
    """Keep the candidates that the ``decision`` of ``rule`` keeps, and their sets, except for balance."""
    sets = sets if settings.pairs == "whole" else np.arange(decision.keep.size)
    selection, balance = select_by_rule(rule, decision, answers, sets), settings.balance
    if balance.reject_surplus:
        rejected = left_out(parts, selection.keep, sets, balance.warn_above, balance.seed)
        why = np.where(rejected.rows, len(decision.reasons), decision.why).astype(np.int32)
        selection = replace(
            selection,
            keep=selection.keep & ~rejected.rows,
            reasons=pa.DictionaryArray.from_arrays(pa.array(why), pa.array([*decision.reasons, FOR_BALANCE])),
            mended=rejected.outcome,
        )
    shares = balance_rows(parts, selection.keep, balance.warn_above, selection.mended)
    return replace(selection, balance=tuple(shares))


def select_by_rule(rule: Rule, decision: Decision, answers: Answers, sets: Sets) -> Selection:
    """Keep the candidates that the ``decision`` of ``rule`` keeps, and their ``sets``, without balance."""
    return Selection(
        with_their_pairs(decision.keep, sets),
        decision.keep,
        pa.DictionaryArray.from_arrays(pa.array(decision.why), pa.array(decision.reasons)),
        hard_by_model(rule, answers),
        answers.asked & ~answers.answered,
        answers.models,
        (),
        None,
    )


def _names(hard: Bools, models: Sequence[str]) -> pa.ListArray:
    """Return for each item the models that find it hard, in the study's order."""
    items, places = np.nonzero(hard.T)
    ends = np.concatenate([[0], np.cumsum(hard.sum(axis=0))]).astype(np.int32)
    named = pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), pa.array(models, pa.string()))
    assert items.size == ends[-1]
    return pa.ListArray.from_arrays(pa.array(ends), named.cast(pa.string()))

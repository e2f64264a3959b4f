"""The filter's choice: what is kept and why, what is rejected and why; together all of the candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import MissingStage
from nextset.filtering.balance import BalanceRow, Parts, balance_rows, left_out
from nextset.filtering.item_sets import Sets, with_their_pairs
from nextset.filtering.model_answers import Answers, Bools
from nextset.filtering.rules import Verdict, decide, hard_by_model, undecided
from nextset.study.filter_settings import FilterSettings

__all__ = ["FOR_BALANCE", "OWN", "WITH_ITS_PAIR", "Choice", "choose", "decided"]

OWN = "own"
"""In the column ``kept_because``: the rule keeps the item itself."""
WITH_ITS_PAIR = "with its pair"
"""The rule keeps an item that differs from it only by group."""
FOR_BALANCE = "left out for balance"
"""The reason of what was left out so that stances or groups keep their shares."""


@dataclass(frozen=True)
class Choice:
    """What becomes of each candidate, by its place."""

    keep: Bools
    """Whether it is kept."""
    own: Bools
    """Whether the rule keeps it itself."""
    reasons: pa.DictionaryArray
    """Why it is rejected; of no meaning where it is kept."""
    hard: Bools
    """What each model finds hard, shape (models, candidates)."""
    models: tuple[str, ...]
    """The models."""
    balance: tuple[BalanceRow, ...]
    """The shares of stances or groups before and after."""

    def kept(self, candidates: pa.Table, start: int, finder: str) -> pa.Table:
        """Those of ``candidates``, which begin at place ``start``, that are kept, with two columns more.

        ``finder`` names the column of the models that find the item hard; kept_because follows it.
        """
        rows = start + np.flatnonzero(self.keep[start : start + candidates.num_rows])
        because = pc.if_else(pa.array(self.own[rows]), OWN, WITH_ITS_PAIR)
        kept = candidates.take(pa.array(rows - start))
        return kept.append_column(finder, _names(self.hard[:, rows], self.models)).append_column(
            "kept_because", pc.cast(because, pa.string())
        )

    def rejected(self, candidates: pa.Table, start: int) -> pa.Table:
        """Those that are not kept, with the column reason."""
        rows = start + np.flatnonzero(~self.keep[start : start + candidates.num_rows])
        reasons = self.reasons.take(pa.array(rows)).cast(pa.string())
        return candidates.take(pa.array(rows - start)).append_column("reason", reasons)


def decided(settings: FilterSettings, answers: Answers, ids: pa.ChunkedArray) -> Verdict:
    """What the rule of ``settings`` makes of each candidate.

    Raises MissingStage when a score is missing that the decision needs.
    """
    missing = np.flatnonzero(undecided(settings.rule, answers, cascade=settings.cascade))
    if missing.size:
        place = int(missing[0])
        model = answers.models[int(np.flatnonzero(~answers.asked[:, place])[0])]
        raise MissingStage(
            f"{model} has no score for item {ids[place].as_py()}",
            remedy="run `nextset score STUDY` again",
        )
    return decide(settings.rule, answers)


def choose(settings: FilterSettings, verdict: Verdict, answers: Answers, sets: Sets, parts: Parts) -> Choice:
    """Keep what ``verdict`` keeps, with what belongs to it, less what is left out for balance."""
    whole = settings.pairs == "whole"
    keep = with_their_pairs(verdict.keep, sets) if whole else verdict.keep
    why, reasons = verdict.why, [*verdict.reasons, FOR_BALANCE]
    balance = settings.balance
    if balance.mend:
        out = left_out(parts, keep, sets if whole else np.arange(keep.size), balance.warn_above, balance.seed)
        keep = keep & ~out
        why = np.where(out, len(reasons) - 1, why).astype(np.int32)
    return Choice(
        keep,
        verdict.keep,
        pa.DictionaryArray.from_arrays(pa.array(why), pa.array(reasons)),
        hard_by_model(settings.rule, answers),
        answers.models,
        tuple(balance_rows(parts, keep, balance.warn_above)),
    )


def _names(hard: Bools, models: Sequence[str]) -> pa.ListArray:
    """For each item the models that find it hard, in the study's order."""
    items, places = np.nonzero(hard.T)
    ends = np.concatenate([[0], np.cumsum(hard.sum(axis=0))]).astype(np.int32)
    named = pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), pa.array(models, pa.string()))
    assert items.size == ends[-1]
    return pa.ListArray.from_arrays(pa.array(ends), named.cast(pa.string()))

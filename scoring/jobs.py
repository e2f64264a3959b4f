"""A job: one model scores some rows, in two steps, so that the next job is read while a model works."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.array_types import Bools
from nextset.artifacts.build import PartResult
from nextset.scoring.asked_model import Model
from nextset.scoring.cache.keys import input_keys
from nextset.scoring.cache.score_cache import ScoreCache
from nextset.scoring.cached_scorer import CachedScorer
from nextset.scoring.cascade import Vote, undecided
from nextset.scoring.forms.scored_form import SCORED_FORMS, ScoredBy
from nextset.scoring.models.sources import check_unchanged
from nextset.scoring.row_chunks import InMemoryRows, Readable
from nextset.scoring.scorer_protocol import Numbers, Scorer
from nextset.study.filter_rule_settings import Boundaries

__all__ = ["Job", "PreparedJob"]


@dataclass
class PreparedJob:
    """A job whose inputs are read, with the scores known so far and the inputs still to be scored."""

    rows: pa.Table
    unique: list[Any]
    """The inputs of the rows, each once."""
    place: Sequence[int]
    """The input's place in ``unique``, for each input of each row."""
    keys: list[bytes]
    """The keys of the inputs in the cache."""
    numbers: Numbers
    """The known scores; rows of `missing` and `repeated` are empty."""
    missing: npt.NDArray[np.intp]
    """Positions of the inputs that the model has to score in batches."""
    repeated: npt.NDArray[np.intp]
    """Positions of the inputs that are scored one by one."""
    encoded: Sequence[Any]
    """The missing inputs, as the model reads them."""
    scorer: Scorer[Any] | None
    """The model; None if it is not needed."""


@dataclass(frozen=True)
class Job:
    """One model and the rows that it scores; a call returns their scores."""

    model: Model
    rows: Readable
    """The rows to score."""
    role: str
    """filter, held_out or audit."""
    boundaries: Boundaries
    """The thresholds that the rule compares scores with."""
    earlier: tuple[Model, ...] = ()
    """In a cascade, the models asked before; only rows that they left undecided are scored."""
    vote: Vote | None = None
    """In a cascade, the rule that says when a row is decided."""
    repeated: frozenset[bytes] = frozenset()
    """Keys of inputs that other jobs also have. These inputs are scored one by one, so that the order of the
    jobs does not matter."""
    carried: tuple[str, ...] = ()
    """Columns of the rows that are copied to the scores."""
    on: str | None = None
    """The device, such as cuda:1; torch's default if None."""

    def __call__(self) -> PartResult:
        return self.finish(self.prepare())

    def moved(self, device: str) -> Job:
        """Return the same job on a different device."""
        return replace(self, on=device)

    def prepare(self) -> PreparedJob:
        """Read the rows, look up known scores, and encode the other inputs, without asking the model."""
        form = SCORED_FORMS[self.model.asking.form]
        needed = () if self.vote is None else ("label",)
        rows = self.rows.read(tuple(dict.fromkeys((*form.columns, *self.carried, *needed))))
        if self.vote is not None:
            earlier = [functools.partial(self._of_earlier, m) for m in self.earlier]
            rows = undecided(rows, earlier, self.vote, form)
        inputs = form.inputs(rows)
        places = {x: i for i, x in enumerate(dict.fromkeys(inputs))}
        unique = list(places)
        keys = input_keys([x.texts() for x in unique])
        numbers: Numbers = np.full((len(unique), len(self.model.numbers)), np.nan)
        there: Bools = np.zeros(len(unique), np.bool_)
        if self.model.cache is not None and unique:
            stored = ScoreCache(self.model.cache).get(self.model.scope, keys)
            numbers, there = stored.numbers, stored.there
        repeated = np.fromiter((key in self.repeated for key in keys), np.bool_, len(keys))
        missing = np.flatnonzero(~there & ~repeated)
        scorer = self.model.scorer(self.on) if missing.size else None
        encoded = scorer.encoded([unique[i] for i in missing]) if scorer else []
        place = [places[x] for x in inputs]
        return PreparedJob(
            rows, unique, place, keys, numbers, missing, np.flatnonzero(repeated), encoded, scorer
        )

    def finish(self, prepared: PreparedJob) -> PartResult:
        """Score the missing inputs, store the scores, and score inputs near a decision again, one by one."""
        numbers, missing = prepared.numbers, prepared.missing
        if prepared.scorer is not None:
            numbers[missing] = prepared.scorer.scores(prepared.encoded)
            check_unchanged(self.model.source)  # weights can be read from their files while they are used
            if self.model.cache is not None:
                keys = [prepared.keys[i] for i in missing]
                ScoreCache(self.model.cache).put(self.model.scope, keys, numbers[missing])
        scoring, again = self.model.asking.scoring, CachedScorer(self.model, self.on)
        if prepared.repeated.size:
            numbers[prepared.repeated] = again.alone([prepared.unique[i] for i in prepared.repeated])
        if scoring.mode == "canonical":
            if self.model.coarseness != "float32":
                self._rescore(prepared, self.model.coarseness, again.exact)
            self._rescore(prepared, "float32", again.alone)
        scored_anew = again.asked | {prepared.unique[i] for i in missing}
        return PartResult(self._table(prepared), this_run=self._counts(prepared, scored_anew))

    def _counts(self, prepared: PreparedJob, asked: set[Any]) -> dict[str, int]:
        """Return the number of rows that the model was asked about in this run, and of those in the cache."""
        new = np.array([x in asked for x in prepared.unique], np.bool_)[np.asarray(prepared.place, np.intp)]
        anew = int(new.reshape(prepared.rows.num_rows, -1).any(axis=1).sum()) if len(new) else 0
        return {"rows scored anew": anew, "rows from the cache": prepared.rows.num_rows - anew}

    def _rescore(
        self, prepared: PreparedJob, precision: str, ask: Callable[[Sequence[Any]], Numbers]
    ) -> None:
        """Score inputs again if they are so near a decision that ``precision`` is too coarse."""
        near = self._near_ties(prepared, precision)
        if near.size:
            prepared.numbers[near] = ask([prepared.unique[i] for i in near])

    def _near_ties(self, prepared: PreparedJob, precision: str) -> npt.NDArray[np.intp]:
        """Return the positions of inputs that are near a decision and were not scored one by one."""
        form = SCORED_FORMS[self.model.asking.form]
        near = form.near_tie(self._table(prepared), self.boundaries, precision)
        rows = np.repeat(near, form.per_row)
        places = np.unique(np.asarray(prepared.place, dtype=np.intp)[rows])
        return np.setdiff1d(places, prepared.repeated)

    def _of_earlier(self, model: Model, rows: pa.Table) -> pa.Table:
        """Return the scores of ``rows`` by an earlier model; they are usually in the cache."""
        return replace(self, model=model, rows=InMemoryRows(rows), earlier=())().table

    def _table(self, prepared: PreparedJob) -> pa.Table:
        scoring = self.model.asking.scoring
        digest = self.model.source.digest
        by = ScoredBy(self.model.label, digest, self.role, scoring.precision, scoring.mode)
        form = SCORED_FORMS[self.model.asking.form]
        scores = form.table(prepared.rows, prepared.numbers[np.asarray(prepared.place, dtype=np.intp)], by)
        for name in self.carried:
            scores = scores.append_column(name, prepared.rows[name])
        return scores

"""A job: one model asked about some rows, in two steps so that the next job is read while a model works."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.build import Made
from nextset.filter_rule import Boundaries
from scoring.cache import Scope, ScoreCache, input_keys
from scoring.cascade import Vote, undecided
from scoring.devices import device_type
from scoring.forms import Answered, form_rows
from scoring.rows import HeldRows
from scoring.scorer import Asking, Numbers, Scorer
from scoring.scorers import kind_of, options_of, scorer_of
from scoring.sources import ModelSource

__all__ = ["Job", "Model", "Readable", "Ready"]

Bools = npt.NDArray[np.bool_]


class Readable(Protocol):
    """Rows that can be read, such as `scoring.rows.Rows`."""

    def read(self, columns: tuple[str, ...]) -> pa.Table:
        """The rows with these columns."""
        ...


@dataclass(frozen=True)
class Model:
    """A model and how it is asked: all that decides its numbers."""

    source: ModelSource
    """The model."""
    asking: Asking
    """How it is asked."""
    device: str
    """cpu or cuda: what it works on."""
    cache: Path | None
    """The folder of the score cache; None where nothing is kept."""

    @property
    def scope(self) -> Scope:
        """What the cache keeps its numbers under."""
        kind = kind_of(self.source)
        options = {**options_of(kind, self.asking), "device": self.device}
        return Scope(
            model=self.source.name,
            identity=self.source.identity,
            kind=kind,
            precision=self.asking.scoring.precision,
            columns=form_rows(self.asking.form).numbers,
            options=json.dumps(options, sort_keys=True),
        )

    def here(self) -> Model:
        """The same model on this machine, also where jobs run on others."""
        return replace(self, device=device_type())

    def scorer(self, device: str | None) -> Scorer[Any]:
        """The model, loaded on ``device``, such as cuda:1; where torch finds best when that is None."""
        return scorer_of(self.source, self.asking, device)


@dataclass
class Ready:
    """A job's inputs, read: what is known of them, and what the model is still to be asked."""

    rows: pa.Table
    """The rows."""
    unique: list[Any]
    """Their inputs, each once."""
    place: Sequence[int]
    """The input's place in ``unique``, for each input of each row."""
    keys: list[bytes]
    """What the cache knows the inputs by."""
    numbers: Numbers
    """What is known; rows of `missing` are empty."""
    canonical: Bools
    """Which were asked alone in float32."""
    missing: npt.NDArray[np.intp]
    """Places of those that the model is to be asked."""
    encoded: Sequence[Any]
    """These, as the model reads them."""
    scorer: Scorer[Any] | None
    """The model, where it is needed."""


@dataclass(frozen=True)
class Job:
    """One model asked about some rows; calling it gives their scores."""

    model: Model
    """The model."""
    rows: Readable
    """What it is asked about."""
    role: str
    """filter, held_out or audit."""
    boundaries: Boundaries
    """What the rule compares scores with."""
    earlier: tuple[Model, ...] = ()
    """In a cascade, the models that were asked before: only rows that they left undecided are asked about."""
    vote: Vote | None = None
    """In a cascade, when a row is decided."""
    on: str | None = None
    """The device, such as cuda:1; where torch finds best when None."""

    def __call__(self) -> Made:
        return self.finished(self.ready())

    def moved(self, device: str) -> Job:
        """The same job on another device."""
        return replace(self, on=device)

    def ready(self) -> Ready:
        """Read rows, look up what is known of them, and encode the rest; does not ask the model."""
        form = form_rows(self.model.asking.form)
        rows = self.rows.read(form.columns)
        if self.vote is not None:
            rows = undecided(rows, [functools.partial(self._of_earlier, m) for m in self.earlier], self.vote)
        inputs = form.inputs(rows)
        places = {x: i for i, x in enumerate(dict.fromkeys(inputs))}
        unique = list(places)
        keys = input_keys([x.texts() for x in unique])
        numbers: Numbers = np.full((len(unique), len(form.numbers)), np.nan)
        there: Bools = np.zeros(len(unique), np.bool_)
        canonical: Bools = np.zeros(len(unique), np.bool_)
        if self.model.cache is not None and unique:
            found = ScoreCache(self.model.cache).get(self.model.scope, keys)
            numbers, there, canonical = found.numbers, found.there, found.canonical
        missing = np.flatnonzero(~there)
        scorer = self.model.scorer(self.on) if missing.size else None
        encoded = scorer.encoded([unique[i] for i in missing]) if scorer else []
        place = [places[x] for x in inputs]
        return Ready(rows, unique, place, keys, numbers, canonical, missing, encoded, scorer)

    def finished(self, ready: Ready) -> Made:
        """Ask the model what is missing, ask again alone what is near a decision, and keep all of it."""
        fresh = np.zeros(len(ready.unique), np.bool_)
        if ready.scorer is not None:
            ready.numbers[ready.missing] = ready.scorer.scores(ready.encoded)
            fresh[ready.missing] = True
        scores = self._table(ready)
        if self.model.asking.scoring.mode == "canonical":
            again = self._near(ready, scores)
            if again.size:
                scorer = ready.scorer or self.model.scorer(self.on)
                ready.numbers[again] = scorer.alone(scorer.encoded([ready.unique[i] for i in again]))
                ready.canonical[again] = fresh[again] = True
                scores = self._table(ready)
        if self.model.cache is not None and fresh.any():
            kept = np.flatnonzero(fresh)
            ScoreCache(self.model.cache).put(
                self.model.scope, [ready.keys[i] for i in kept], ready.numbers[kept], ready.canonical[kept]
            )
        return Made(scores)

    def _of_earlier(self, model: Model, rows: pa.Table) -> pa.Table:
        """What an earlier model says of ``rows``; mostly the cache knows it."""
        return replace(self, model=model, rows=HeldRows(rows), earlier=())().table

    def _near(self, ready: Ready, scores: pa.Table) -> npt.NDArray[np.intp]:
        """Places of inputs that are near a decision and were not asked alone."""
        form = form_rows(self.model.asking.form)
        near = form.near(scores, self.boundaries, self.model.asking.scoring.precision)
        rows = np.repeat(near, form.per_row)
        places = np.unique(np.asarray(ready.place, dtype=np.intp)[rows])
        return places[~ready.canonical[places]]

    def _table(self, ready: Ready) -> pa.Table:
        scoring = self.model.asking.scoring
        source = self.model.source
        by = Answered(source.name, source.digest, self.role, scoring.precision, scoring.mode)
        form = form_rows(self.model.asking.form)
        return form.table(ready.rows, ready.numbers[np.asarray(ready.place, dtype=np.intp)], by)

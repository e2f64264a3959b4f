"""Before a long run: each model answers clear cases, and reads the longest of the texts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import ModelError
from nextset.filter_rule import Boundaries
from scoring.asked_model import Model
from scoring.canaries import canaries_of, check_canaries
from scoring.forms import FormRows, form_rows
from scoring.jobs import Job, Readable
from scoring.remembered import Remembered
from scoring.rows import HeldRows

__all__ = ["check_fitness"]

LONGEST = 256
"""Rows that each model reads before the run, those with the longest texts."""


def check_fitness(models: Sequence[Model], rows: Sequence[Readable]) -> None:
    """Raise ModelError for the first model that fails its clear cases or cannot read the longest of ``rows``.

    What the cache knows is not asked again: a model that need not be loaded for the run is not loaded here.
    """
    for form, some in groupby(models, key=lambda m: m.asking.form):
        longest = _longest(form_rows(form), rows)
        for model in some:
            _check(model, longest)


def _check(model: Model, longest: pa.Table) -> None:
    canaries = canaries_of(model.source, model.asking)
    name = model.source.name
    try:
        check_canaries(Remembered(model), canaries, name)
    except ModelError:
        check_canaries(model.scorer(None), canaries, name)  # which knows its labels, and says what is wrong
        raise
    Job(model, HeldRows(longest), "filter", Boundaries()).ready()


def _longest(form: FormRows, rows: Sequence[Readable]) -> pa.Table:
    """The rows with the most characters of all."""
    found = pa.Table.from_batches([], pa.schema([]))
    for part in rows:
        table = part.read(form.columns)
        found = pa.concat_tables([found, table]) if found.num_columns else table
        sizes = np.zeros(found.num_rows, np.int64)
        for column in found.columns:
            if pa.types.is_string(column.type):
                sizes += pc.utf8_length(column).to_numpy()
        found = found.take(np.sort(np.argsort(-sizes, kind="stable")[:LONGEST])).combine_chunks()
    return found

"""The order in which a cascade asks its models: by the items that each is expected to decide per second."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from nextset.records.arrow_schema import table_of
from nextset.scoring.cascade import Vote
from nextset.scoring.row_chunks import Readable, sample_rows
from nextset.scoring.score_tables import ScoredBy, form_rows
from nextset.scoring.study_model import Model
from nextset.scoring.wrong_answers import mistakes

__all__ = ["SAMPLE", "CascadeSampleRow", "cascade_sample", "model_order"]

SAMPLE = 128
"""Items that every model is asked about, taken evenly from all parts."""


@dataclass(frozen=True)
class CascadeSampleRow:
    """What a model did on the sample."""

    model: str
    """The model's published name."""
    asked: int
    """Items of the sample."""
    wrong: int
    """Those that it gets wrong."""
    seconds: float
    """What it took; another machine measures another figure, and may ask in another order."""


def cascade_sample(models: Sequence[Model], rows: Sequence[Readable]) -> pa.Table:
    """Ask each model about the same sample, without the cache; one `CascadeSampleRow` per model."""
    columns = form_rows("nli").columns
    sample = sample_rows(rows, columns, SAMPLE)
    return table_of((_sample_row(model, sample) for model in models), CascadeSampleRow)


def _sample_row(model: Model, sample: pa.Table) -> CascadeSampleRow:
    form, scorer = form_rows("nli"), model.scorer(None)
    encoded = scorer.encoded(form.inputs(sample))
    scorer.scores(encoded[:1])  # the first call sets things up
    began = time.perf_counter()
    numbers = scorer.scores(encoded)
    seconds = time.perf_counter() - began
    by = ScoredBy(model.label, model.source.digest, "filter", "float32", "fast")
    wrong = int(mistakes(form.table(sample, numbers, by), sample["label"]).sum())
    return CascadeSampleRow(model.label, sample.num_rows, wrong, seconds)


def model_order(rows: Sequence[CascadeSampleRow], vote: Vote) -> tuple[str, ...]:
    """The models, those first that decide most items a second.

    If one wrong model is enough, a model decides the items that it gets wrong; if all are needed, those that
    it gets right. For a vote in between, the fast models come first. Ties keep the study's order.
    """

    def rate(row: CascadeSampleRow) -> float:
        decided = {1: row.wrong, vote.models: row.asked - row.wrong}.get(vote.needed, row.asked)
        return decided / row.seconds if row.seconds else 0.0

    return tuple(row.model for row in sorted(rows, key=rate, reverse=True))

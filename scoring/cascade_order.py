"""The order of the models in a cascade: by the items that each is expected to decide, per weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from nextset.records.arrow_schema import table_of
from nextset.scoring.asked_model import Model
from nextset.scoring.cascade import Vote
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.jobs import Job
from nextset.scoring.models.tensor_shapes import parameters
from nextset.scoring.row_chunks import InMemoryRows, Readable, sample_rows
from nextset.scoring.wrong_answers import Missing
from nextset.study.filter_rule_settings import Boundaries

__all__ = ["SAMPLE", "CascadeSampleRow", "cascade_sample", "model_order"]

SAMPLE = 128
"""The number of items that every model is asked about, taken evenly from all parts."""


@dataclass(frozen=True)
class CascadeSampleRow:
    """A model's result on the cascade sample."""

    model: str
    """The model's published name."""
    asked: int
    """The number of items in the sample."""
    wrong: int
    """The number of them that the model gets wrong."""
    parameters: int | None
    """The number of weights in its files, as its cost; null for a model behind a server."""


def cascade_sample(
    models: Sequence[Model],
    rows: Sequence[Readable],
    compared: Boundaries,
    missing: Missing = "not_wrong",
) -> pa.Table:
    """Ask each model about the same sample, as the run will; return one `CascadeSampleRow` per model.

    No time is measured, so the same study gives the same order. ``compared`` are the rule's thresholds, and
    ``missing`` is the policy for items that a model did not answer.
    """
    columns = SCORED_FORMS[models[0].asking.form].columns
    sample = sample_rows(rows, tuple(dict.fromkeys((*columns, "label"))), SAMPLE)
    return table_of((_sample_row(model, sample, compared, missing) for model in models), CascadeSampleRow)


def _sample_row(model: Model, sample: pa.Table, compared: Boundaries, missing: Missing) -> CascadeSampleRow:
    scores = Job(model, InMemoryRows(sample), "filter", compared)().table
    form = SCORED_FORMS[model.asking.form]
    wrong = int(form.mistakes(scores, sample["label"], missing).sum())
    return CascadeSampleRow(model.label, sample.num_rows, wrong, parameters(model.source))


def model_order(rows: Sequence[CascadeSampleRow], vote: Vote) -> tuple[str, ...]:
    """Return the models, those that decide the most items per weight first, and models at servers last.

    If one wrong model is enough, a model decides the items that it gets wrong. If all must be wrong, a model
    decides the items that it gets right. For a vote in between, the small models come first. Ties keep the
    study's order.
    """

    def place(row: CascadeSampleRow) -> tuple[bool, float]:
        decided = {1: row.wrong, vote.models: row.asked - row.wrong}.get(vote.needed, row.asked)
        return row.parameters is None, -decided / (row.parameters or 1)

    return tuple(row.model for row in sorted(rows, key=place))

"""The cost of fast mode: the share of decisions that differ in canonical mode, measured on a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nextset.artifacts.build import PartResult
from nextset.records.arrow_schema import table_of
from nextset.scoring.asked_model import Model
from nextset.scoring.forms.scored_form import SCORED_FORMS, ScoredBy
from nextset.scoring.row_chunks import Readable, sample_rows

__all__ = ["SAMPLE", "FlipRow", "flips"]

SAMPLE = 512
"""The approximate number of rows that are scored in both modes, taken evenly from all parts."""


@dataclass(frozen=True)
class FlipRow:
    """The number of a model's decisions that differ in canonical mode."""

    model: str
    """The model's published name."""
    asked: int
    """The number of rows scored in both modes."""
    flipped: int
    """The number of rows with a different label, answer or sign of C."""


def flips(model: Model, rows: Sequence[Readable]) -> PartResult:
    """Return one `FlipRow`: a sample is scored in batches in the study's precision, and singly in float32."""
    form = SCORED_FORMS[model.asking.form]
    sample = sample_rows(rows, form.columns, SAMPLE)
    inputs = form.inputs(sample)
    scorer = model.scorer(None)
    encoded = scorer.encoded(inputs)
    by = ScoredBy(model.label, model.source.digest, "filter", "float32", "fast")
    quick, exact = (form.table(sample, ask(encoded), by) for ask in (scorer.scores, scorer.alone))
    flipped = sum(a != b for a, b in zip(form.decisions(quick), form.decisions(exact), strict=True))
    return PartResult(table_of([FlipRow(model.label, sample.num_rows, flipped)], FlipRow))

"""The inputs of a selection: the models' answers to the candidates, and the study's rule."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.filtering.forms.filter_form import FilterForm
from nextset.filtering.model_answers import Answers
from nextset.scoring.scorer_protocol import OUTCOME_COLUMNS
from nextset.scoring.wrong_answers import Missing

__all__ = ["answers_of"]


def answers_of(
    form: FilterForm,
    rows: pa.Table,
    scores: Artifact,
    models: tuple[str, ...],
    *,
    probabilities: bool = False,
    missing: Missing = "not_wrong",
) -> Answers:
    """Return the answers of ``models`` to ``rows``, which have the form's answer_columns; read by shard."""
    pieces = _pieces(scores, form.score_columns)
    return form.read_answers(rows, pieces, models, probabilities=probabilities, missing=missing)


def _pieces(scores: Artifact, columns: tuple[str, ...]) -> Iterator[pa.Table]:
    """Yield the scores with ``columns`` and those of outcomes, which scores of earlier versions lack."""
    read = (*columns, *OUTCOME_COLUMNS)
    return (scores.piece(shard, read) for shard in scores.shards_of("scores"))

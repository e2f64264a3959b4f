"""Scores of a table in memory by any model: a name, a function, or a model with its tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.forms import NLI, FormName
from nextset.own_code import own_code
from nextset.scoring.asked_model import Model
from nextset.scoring.asking import Asking
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

__all__ = ["ModelArgument", "score_table", "scorer_for"]

ModelArgument = str | Callable[[Sequence[Any]], Any] | tuple[Any, Any]
"""A model's name, a function from inputs to probabilities, or a model of transformers with its tokenizer."""


def scorer_for(
    model: ModelArgument,
    form: FormName = NLI.name,
    *,
    settings: ModelSettings | None = None,
    trust_code: bool = False,
) -> Model:
    """Return ``model``, ready to score rows of ``form``; it is loaded when it is first asked.

    Names are as in study.yaml, with folders and files relative to the current folder; ``settings`` are like
    the section models.NAME of a study. A function gets inputs and returns probabilities
    (`nextset.scoring.models.own_models.OwnScoring`); its scores are not cached. ``trust_code`` lets a name
    FILE.py:NAME run the file. Raises ModelError for a model that cannot be found,
    or that cannot be asked about ``form``.
    """
    from nextset.scoring.model_kinds import check_kind
    from nextset.scoring.models.own_models import function_source, object_source, own_or_located

    if isinstance(model, str):
        source = own_or_located(
            model,
            Path(),
            Path,
            lambda written: own_code(written, Path, None, trusted=trust_code),
            (settings or ModelSettings()).server,
        )
    elif isinstance(model, tuple):
        source = object_source(*model)
    else:
        source = function_source(model)
    check_kind(source, form)
    return Model.of(source, Asking(form, ScoringSettings(), settings or ModelSettings()))


def score_table(model: Model, rows: pa.Table) -> pa.Table:
    """Return the scores of ``rows`` by ``model``: NliScore or QuadScore rows, in the order of ``rows``.

    ``rows`` has the columns that the form needs, such as id, premise, hypothesis and label for nli. Scores
    come from the cache if it has them. Raises ModelError, also if the model fails its canaries.
    """
    from nextset.scoring.checks.run_check import check_clear_cases
    from nextset.scoring.jobs import Job
    from nextset.scoring.row_chunks import InMemoryRows

    check_clear_cases(model)
    return Job(model, InMemoryRows(rows), "audit", Boundaries())().table

"""Scores of a table in memory by any model: a name, a function, or a model with its tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.errors import InputError
from nextset.scoring.asking import Asking
from nextset.scoring.scorer_protocol import Form
from nextset.scoring.study_model import Model
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

__all__ = ["ModelArgument", "score_table", "scorer_for"]

ModelArgument = str | Callable[[Sequence[Any]], Any] | tuple[Any, Any]
"""A model's name, a function from inputs to probabilities, or a model of transformers with its tokenizer."""


def scorer_for(
    model: ModelArgument,
    form: Form = "nli",
    *,
    base: Path = Path(),
    scoring: ScoringSettings | None = None,
    settings: ModelSettings | None = None,
    trust_code: bool = False,
) -> Model:
    """Return ``model``, ready to score rows of ``form``; it is loaded when it is first asked.

    Names are as in study.yaml, with folders and files relative to ``base``; ``scoring`` and ``settings`` are
    like the sections scoring and models.NAME of a study. Raises ModelError for a model that cannot be found,
    or that cannot be asked about ``form``.
    """
    from nextset.scoring.cache.folder import cache_folder
    from nextset.scoring.engines.devices import device_type
    from nextset.scoring.model_kinds import check_kind
    from nextset.scoring.models.sources import locate

    if not isinstance(model, str):
        raise InputError("only names of models are supported", remedy="name the model")
    scoring = scoring or ScoringSettings()
    source = locate(model, base)
    check_kind(source, form)
    asking = Asking(form, scoring, settings or ModelSettings())
    cache = cache_folder() if scoring.cache else None
    return Model(source, asking, device_type(scoring.engine), cache, source.name)


def score_table(model: Model, rows: pa.Table, role: str = "audit") -> pa.Table:
    """Return the scores of ``rows`` by ``model``: NliScore or QuadScore rows, in the order of ``rows``.

    ``rows`` has the columns that the form needs, such as id, premise, hypothesis and label for nli. Scores
    come from the cache if it has them. Raises ModelError, also if the model fails its canaries.
    """
    from nextset.scoring.checks.run_check import check_clear_cases
    from nextset.scoring.jobs import Job
    from nextset.scoring.row_chunks import InMemoryRows

    check_clear_cases(model)
    return Job(model, InMemoryRows(rows), role, Boundaries())().table

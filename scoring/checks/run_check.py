"""Before a long run: each model answers clear cases, and reads the longest of the texts."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from nextset.errors import ModelError
from nextset.scoring.cached_scorer import CachedScorer
from nextset.scoring.checks.canaries import canaries_of, check_canaries
from nextset.scoring.jobs import Job
from nextset.scoring.row_chunks import InMemoryRows
from nextset.scoring.study_model import Model
from nextset.study.filter_rule_syntax import Boundaries

__all__ = ["check_before_run"]


def check_before_run(models: Sequence[Model], longest: pa.Table) -> None:
    """Raise ModelError for the first model that fails its clear cases or cannot read the ``longest`` rows.

    What the cache knows is not asked again: a model that need not be loaded for the run is not loaded here.
    """
    for model in models:
        _check(model, longest)


def _check(model: Model, longest: pa.Table) -> None:
    canaries = canaries_of(model.source, model.asking)
    name = model.source.name
    try:
        check_canaries(CachedScorer(model), canaries, name)
    except ModelError:
        check_canaries(model.scorer(None), canaries, name)  # which knows its labels, and says what is wrong
        raise
    Job(model, InMemoryRows(longest), "filter", Boundaries()).prepare()

"""The check before a long run: each model answers its canaries and reads the longest texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from nextset.errors import ModelError
from nextset.scoring.asked_model import Model
from nextset.scoring.cached_scorer import CachedScorer
from nextset.scoring.checks.canaries import canaries_of, check_canaries
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.jobs import Job
from nextset.scoring.row_chunks import InMemoryRows
from nextset.study.filter_rule_settings import Boundaries

__all__ = ["check_before_run", "check_clear_cases"]


def check_before_run(models: Sequence[Model], longest: pa.Table) -> None:
    """Raise ModelError for the first model that fails its canaries or cannot read the ``longest`` rows.

    Cached scores are not computed again, so a model that the run does not need to load is not loaded here.
    """
    for model in models:
        _check(model, longest)


def _check(model: Model, longest: pa.Table) -> None:
    check_clear_cases(model)
    Job(model, InMemoryRows(longest), "filter", Boundaries()).prepare()


def check_clear_cases(model: Model) -> str:
    """Return the result of the canaries of ``model`` as text; raises ModelError if it fails them.

    Cached answers are used.

    A model that answers questions about a text is asked canary questions about two subjects.
    """
    form = SCORED_FORMS[model.asking.form].asked_in_canaries
    if form:
        model = replace(model, asking=replace(model.asking, form=form))
    canaries = canaries_of(model.source, model.asking)
    name = model.source.name
    cached = CachedScorer(model)
    try:
        return check_canaries(cached, canaries, name)
    except ModelError as e:
        failed = e
    if model.source.address and cached.asked:
        raise failed  # a server has no labels, and its answers of this moment would count as stored
    check_canaries(
        model.scorer(None), canaries, name
    )  # a loaded model knows its labels: a more precise error
    raise failed

"""The stage score: the filter models are asked about the candidates, with one shard per model and chunk."""

from __future__ import annotations

import functools
from dataclasses import replace

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, is_current, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ArtifactError
from nextset.forms import FormName
from nextset.scoring.cascade import Vote
from nextset.scoring.cascade_order import CascadeSampleRow, cascade_sample, model_order
from nextset.scoring.checks.named_models import check_named_models, named_models
from nextset.scoring.checks.run_check import check_clear_cases
from nextset.scoring.models.sources import OwnFunction
from nextset.scoring.score_requests import ScoringRequest, compared_boundaries, score_models, scores_recipe
from nextset.scoring.study_models import (
    forms_of_audit,
    made_rows,
    model_of,
    rows_to_score,
    source_of,
)
from nextset.study.model_key import model_key
from nextset.study.study_folder import Study, of_study

__all__ = ["check_study_models", "score", "score_recipe", "unfiltered_requests"]


def score_recipe(study: Study) -> Recipe:
    """Return the recipe that `score` would use now; raises MissingStage before `generate` and `fill`."""
    return scores_recipe(study, _request(study))


@of_study
def score(study: Study, progress: Progress = SILENT) -> Artifact:
    """Ask the filter models about the plain expansion and the candidates: out/score.

    Raises ModelError if a model cannot be used, or if a filter model is also a held-out model.
    """
    with study.held("score"):
        _check_names(study)
        if study.filter.cascade:
            _cascade_sample(study, progress)
        return score_models(study, _request(study), progress)


def check_study_models(study: Study) -> None:
    """Raise ModelError if a filter, held-out or audited model cannot be used, or fails its canaries.

    A run calls this before its first stage. Models are not asked if all their scores are current.
    """
    settings, audit = study.settings.filter, study.settings.audit
    _check_names(study)
    for _, name in named_models(settings, audit.models):
        if isinstance(own := source_of(study, name).own, OwnFunction):
            own.read()  # before hours of work: the file must be trusted and have the function
    if _is_scored(study):
        return
    checked = set[tuple[str, FormName]]()
    for key, name in named_models(settings, audit.models):
        filters = settings is not None and key[0] != "audit"
        forms = (study.filter.form,) if filters else forms_of_audit(study, name)
        for form in forms:
            if (name, form) not in checked:
                with model_key(study.file, *key):
                    check_clear_cases(model_of(study, name, form).here())
            checked.add((name, form))


def _check_names(study: Study) -> None:
    settings, source = study.settings, functools.partial(source_of, study)
    check_named_models(settings.filter, settings.audit, settings.audited_forms, study.file, source)


def _is_scored(study: Study) -> bool:
    try:
        requests = unfiltered_requests(study) if study.settings.filter is None else [_request(study)]
        return all(is_current(study.out / r.stage, scores_recipe(study, r)) for r in requests)
    except ArtifactError:  # an earlier stage has not run
        return False


def unfiltered_requests(study: Study) -> list[ScoringRequest]:
    """Return the audit's requests for scores in a study without a filter: all rows, one request per form.

    A form that no model can be asked in has no request.
    """
    models = study.settings.audit.models
    by_form = {
        form: tuple(name for name in models if form in forms_of_audit(study, name))
        for form in study.settings.audited_forms
    }
    requests = []
    for form, names in by_form.items():
        if names:
            rows = made_rows(study, form)
            requests.append(
                ScoringRequest(f"score_audit_{form}", form, rows.chunks, rows.inputs, names, "audit")
            )
    return requests


def _request(study: Study) -> ScoringRequest:
    candidates = rows_to_score(study)
    models, vote = study.filter.models, _vote(study)
    if vote is not None and is_current(study.out / "score_pilot", _cascade_sample_recipe(study)):
        rows = open_artifact(study.out / "score_pilot").table("pilot").to_pylist()
        names = {study.model_label(name): name for name in models}
        models = tuple(names[m] for m in model_order([CascadeSampleRow(**row) for row in rows], vote))
    return ScoringRequest(
        "score", candidates.form, candidates.chunks, candidates.inputs, models, "filter", vote
    )


def _vote(study: Study) -> Vote | None:
    """Return the rule that says when an item of a cascade is decided; None without a cascade."""
    settings = study.filter
    needed = settings.rule.kind.votes_needed(len(settings.models)) if settings.cascade else None
    return None if needed is None else Vote(needed, len(settings.models), settings.missing)


def _cascade_sample_recipe(study: Study) -> Recipe:
    candidates = rows_to_score(study)
    request = ScoringRequest(
        "score_pilot", candidates.form, candidates.chunks, candidates.inputs, study.filter.models, "filter"
    )
    recipe = replace(scores_recipe(study, request), version=3)  # since 3, the cost is the number of weights
    return replace(recipe, settings={**recipe.settings, **study.filter.policy})


def _cascade_sample(study: Study, progress: Progress) -> Artifact:
    """Ask the cascade sample once (out/score_pilot), so that a resumed run keeps the order of the models."""
    candidates = rows_to_score(study)
    models = [model_of(study, name, candidates.form) for name in study.filter.models]
    compared = compared_boundaries(study, "filter")

    def sample() -> pa.Table:
        return cascade_sample(models, list(candidates.chunks()), compared, study.filter.missing)

    return build(
        study.out / "score_pilot",
        _cascade_sample_recipe(study),
        lambda: [Part("pilot", lambda: PartResult(sample()))],
        progress=progress("score_pilot"),
    )

"""The stage score_wordings: models that write are asked again, in one wording at a time, for the spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.forms import FormName
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliScore
from nextset.scoring.asked_model import Model
from nextset.scoring.engines import engine_of
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.input_scan import scan_inputs
from nextset.scoring.jobs import Job
from nextset.scoring.model_kinds import writes
from nextset.scoring.prompt_wordings import own_prompts
from nextset.scoring.score_requests import ScoringRequest
from nextset.scoring.study_models import model_of, prompts_of, source_of
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.study_folder import Study

__all__ = ["STAGE", "WITHOUT_WORDINGS", "score_wordings", "wording_table", "wordings_of", "wordings_recipe"]

STAGE = "score_wordings"
"""The name of the artifact with the scores by wording."""
WITHOUT_WORDINGS = "no_model_writes"
"""The empty table of that artifact if no model writes text."""


def wording_table(form: FormName, wording: int) -> str:
    """Return the name of the table with the scores in one wording of ``form``, from 1, such as nli_1."""
    return f"{form}_{wording}"


def wordings_of(study: Study, form: FormName) -> int:
    """Return the number of wordings of ``form`` in the study's prompts; raises ModelError if it has none."""
    return len(prompts_of(study).wordings(form))


def score_wordings(study: Study, asked: Sequence[ScoringRequest], progress: Progress = SILENT) -> Artifact:
    """Ask the models of each request that write text again, in each wording by itself: out/score_wordings.

    There is one table per form and wording (`wording_table`), with NliScores or QuadScores of all requests of
    that form. Models of other kinds are omitted because they have no wordings. Canaries are not asked,
    because a wording that a model does not understand is part of the spread. Requests that a server has
    answered are not sent again. Raises ModelError.
    """
    planned = _planned(study, asked)

    def plan() -> list[Part]:
        parts = []
        for one in planned:
            rows = list(one.request.rows()) if one.models else []
            repeated = scan_inputs(SCORED_FORMS[one.request.form], rows).repeated
            parts += [
                Part(name, Job(model, part, one.request.role, Boundaries(), repeated=again))
                for name, model in one.models
                for part, again in zip(rows, repeated, strict=True)
            ]
        return parts or [Part(WITHOUT_WORDINGS, _nothing)]

    return build(
        study.out / STAGE,
        _recipe(study, planned),
        plan,
        progress=progress(STAGE),
        runner=engine_of(study.settings.scoring.engine),
    )


def wordings_recipe(study: Study, asked: Sequence[ScoringRequest]) -> Recipe:
    """Return the recipe that `score_wordings` would use now; raises ModelError."""
    return _recipe(study, _planned(study, asked))


@dataclass(frozen=True)
class _Planned:
    """A request and its models that write."""

    request: ScoringRequest
    models: tuple[tuple[str, Model], ...]
    """Each model once per wording, after the name of the wording's table."""


def _planned(study: Study, asked: Sequence[ScoringRequest]) -> list[_Planned]:
    return [
        _Planned(
            request,
            tuple(
                (wording_table(request.form, i), _with_wording(model_of(study, name, request.form), i))
                for name in request.models
                if writes(source_of(study, name))
                for i in range(1, wordings_of(study, request.form) + 1)
            ),
        )
        for request in asked
    ]


def _with_wording(model: Model, wording: int) -> Model:
    prompts = (model.asking.prompts or own_prompts()).only(model.asking.form, wording)
    return replace(model, asking=replace(model.asking, prompts=prompts))


def _recipe(study: Study, planned: Sequence[_Planned]) -> Recipe:
    inputs = {
        f"{i}/{one.request.form}/{name}": digest
        for i, one in enumerate(planned)
        for name, digest in one.request.inputs.items()
    }
    settings = {
        "mode": study.settings.scoring.mode,
        "asked": [
            [one.request.role, [[name, model.label, model.scope.key] for name, model in one.models]]
            for one in planned
        ],
    }
    models = {model.label: model.source.identity for one in planned for _, model in one.models}
    return Recipe(STAGE, 1, inputs, settings, models)


def _nothing() -> PartResult:
    return PartResult(arrow_schema(NliScore).empty_table())

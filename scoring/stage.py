"""The stage score: models × items, with one shard per model and chunk of items."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, is_current, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ArtifactError
from nextset.records.arrow_schema import arrow_schema
from nextset.records.content_ids import content_id
from nextset.records.nli_items import NliScore
from nextset.records.question_quads import QuadScore
from nextset.scoring.candidate_rows import RowsToScore, candidate_rows
from nextset.scoring.candidate_sources import CandidateSources
from nextset.scoring.cascade import Vote
from nextset.scoring.cascade_order import CascadeSampleRow, cascade_sample, model_order
from nextset.scoring.checks.named_models import check_named_models, named_models
from nextset.scoring.checks.run_check import check_before_run, check_clear_cases
from nextset.scoring.engines import engine_of
from nextset.scoring.fast_mode_flips import flips
from nextset.scoring.generative.prompt_wordings import Prompts, own_prompts, read_prompts
from nextset.scoring.input_scan import scan_inputs
from nextset.scoring.jobs import Job
from nextset.scoring.model_kinds import asked_forms
from nextset.scoring.models.sources import locate
from nextset.scoring.row_chunks import Readable, in_memory_chunks
from nextset.scoring.score_tables import form_rows
from nextset.scoring.scorer_protocol import Asking, Form
from nextset.scoring.study_model import Model
from nextset.scoring.yes_no.question_items import WITHOUT_QUESTION, items_with_questions
from nextset.study.filter_rule_settings import Boundaries, boundaries, votes_needed
from nextset.study.model_key import model_key
from nextset.study.study_folder import Study, of_study

__all__ = [
    "Role",
    "ScoringRequest",
    "ask_items",
    "candidate_sources",
    "check_study_models",
    "forms_of_audit",
    "model_of",
    "prompts_of",
    "rows_to_score",
    "score",
    "score_models",
    "score_recipe",
    "scores_recipe",
]

Role = Literal["filter", "held_out", "audit"]


@dataclass(frozen=True)
class ScoringRequest:
    """Models and the rows that they score."""

    stage: str
    """The artifact that holds their scores."""
    form: Form
    """The form of the rows."""
    rows: Callable[[], Iterator[Readable]]
    """The rows, in parts."""
    inputs: Mapping[str, str]
    """Digests of the artifacts and files that hold the rows."""
    models: tuple[str, ...]
    """The models, by their names in the study, in the order of asking."""
    role: Role
    """The role of the models: filter, held_out or audit."""
    vote: Vote | None = None
    """In a cascade, the rule that says when a row is decided."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """The numbers of rows that are not asked, by reason; they are stored as counts of the artifact."""
    carried: tuple[str, ...] = ()
    """Text columns of the rows that are copied to the scores."""


def ask_items(
    stage: str, items: pa.Table, models: tuple[str, ...], role: Role, form: Form = "nli"
) -> ScoringRequest:
    """Return a request that ``models`` score rows in memory: NLI items, or rows of a different ``form``.

    In the form qa, items without a question are not asked; their number is a count of the artifact.
    """
    left_out = {}
    if form == "qa":
        asked = items_with_questions(items)
        left_out = {WITHOUT_QUESTION: items.num_rows - asked.num_rows}
        items = asked
    ids = content_id("items", *items["id"].to_pylist())
    columns = form_rows(form).columns
    return ScoringRequest(
        stage,
        form,
        lambda: in_memory_chunks(items, columns),
        {"items": ids},
        models,
        role,
        left_out={reason: n for reason, n in left_out.items() if n},
    )


def forms_of_audit(study: Study, name: str) -> tuple[Form, ...]:
    """Return the forms that the audit uses to ask the model ``name`` about the items: nli, qa or both.

    In a study of questions or statements, it is their form. Raises ModelError for a model that cannot be
    asked.
    """
    return asked_forms(locate(name, study.folder), study.filter.form, study.settings.audit.forms)


def candidate_sources(study: Study) -> CandidateSources:
    """Return the sources of the candidates of ``study``."""
    settings = study.filter
    return CandidateSources(settings.candidates, settings.form, study.out, study.imported, study.file)


def rows_to_score(study: Study) -> RowsToScore:
    """Return the rows that filter models and held-out models score; raises StudyError if there are none."""
    return candidate_rows(candidate_sources(study), study.settings.scoring)


def score_recipe(study: Study) -> Recipe:
    """Return the recipe that `score` would use now; raises MissingStage before `generate` and `fill`."""
    return scores_recipe(study, _request(study))


@of_study
def score(study: Study, progress: Progress = SILENT) -> Artifact:
    """Ask the filter models about the plain expansion and the candidates: out/score.

    Raises ModelError if a model cannot be used, or if a filter model is also a held-out model.
    """
    with study.held("score"):
        check_named_models(study.filter, study.settings.audit, study.file)
        if study.filter.cascade:
            _cascade_sample(study, progress)
        return score_models(study, _request(study), progress)


def check_study_models(study: Study) -> None:
    """Raise ModelError if a filter, held-out or audited model cannot be used, or fails its canaries.

    A run calls this before its first stage. Models are not asked if out/score is current.
    """
    settings, audit = study.filter, study.settings.audit
    check_named_models(settings, audit, study.file)
    if _is_scored(study):
        return
    asked = set[tuple[str, Form]]()
    for key, name in named_models(settings, audit.models):
        forms: tuple[Form, ...] = (settings.form,)
        if key[0] == "audit":
            forms = forms_of_audit(study, name)
        for form in forms:
            if (name, form) not in asked:
                with model_key(study.file, *key):
                    check_clear_cases(model_of(study, name, form).here())
            asked.add((name, form))


def _is_scored(study: Study) -> bool:
    try:
        return is_current(study.out / "score", score_recipe(study))
    except ArtifactError:  # an earlier stage has not run
        return False


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
    needed = votes_needed(settings.rule, len(settings.models)) if settings.cascade else None
    return None if needed is None else Vote(needed, len(settings.models))


def _cascade_sample_recipe(study: Study) -> Recipe:
    candidates = rows_to_score(study)
    asked = ScoringRequest(
        "score_pilot", candidates.form, candidates.chunks, candidates.inputs, study.filter.models, "filter"
    )
    return replace(scores_recipe(study, asked), version=3)  # since 3, the cost is the number of weights


def _cascade_sample(study: Study, progress: Progress) -> Artifact:
    """Ask the cascade sample once (out/score_pilot), so that a resumed run keeps the order of the models."""
    candidates = rows_to_score(study)
    models = [model_of(study, name, candidates.form) for name in study.filter.models]
    compared = _boundaries(study, "filter")
    return build(
        study.out / "score_pilot",
        _cascade_sample_recipe(study),
        lambda: [
            Part("pilot", lambda: PartResult(cascade_sample(models, list(candidates.chunks()), compared)))
        ],
        progress=progress("score_pilot"),
    )


def prompts_of(study: Study) -> Prompts:
    """Return the wordings that ``study`` names, or nextset's own; raises StudyError."""
    written = study.settings.scoring.prompts
    return read_prompts(study.path(written)) if written else own_prompts()


def model_of(study: Study, name: str, form: Form) -> Model:
    """Return the model ``name`` with the settings of ``study`` for ``form``; raises ModelError."""
    from nextset.scoring.cache.folder import cache_folder
    from nextset.scoring.devices import device_type

    settings = study.settings
    asking = Asking(form, settings.scoring, study.model_settings(name), prompts_of(study))
    cache = cache_folder() if settings.scoring.cache else None
    device = device_type(settings.scoring.engine)
    return Model(locate(name, study.folder), asking, device, cache, study.model_label(name))


def scores_recipe(study: Study, asked: ScoringRequest) -> Recipe:
    """Return the recipe of the scores ``asked`` for.

    Engine and cache are not in the recipe because they do not change scores.
    """
    models = [model_of(study, name, asked.form) for name in asked.models]
    settings: dict[str, Any] = {
        "role": asked.role,
        "mode": study.settings.scoring.mode,
        "order": [m.label for m in models],
        "scopes": [m.scope.key for m in models],
        "boundaries": asdict(_boundaries(study, asked.role)),
    }
    if asked.carried:
        settings["carried"] = list(asked.carried)
    if asked.left_out:
        settings["left_out"] = dict(asked.left_out)
    if asked.vote is not None:
        settings["vote"] = [asked.vote.needed, asked.vote.models]
    return Recipe(asked.stage, 2, dict(asked.inputs), settings, {m.label: m.source.identity for m in models})


def score_models(study: Study, asked: ScoringRequest, progress: Progress = SILENT) -> Artifact:
    """Return the artifact of the scores ``asked`` for: table scores (NliScore or QuadScore), a shard per job.

    In fast mode there is also a table flips. All models are checked first, and each is loaded for its first
    job. Raises ModelError.
    """
    models = [model_of(study, name, asked.form) for name in asked.models]
    compared = _boundaries(study, asked.role)

    def plan() -> list[Part]:
        rows = list(asked.rows()) if models else []
        scan = scan_inputs(form_rows(asked.form), rows)
        if rows:
            check_before_run([m.here() for m in models], scan.longest)
        jobs = [
            Job(
                model,
                part,
                asked.role,
                compared,
                tuple(models[:i]) if asked.vote else (),
                asked.vote,
                repeated,
                asked.carried,
            )
            for i, model in enumerate(models)
            for part, repeated in zip(rows, scan.repeated, strict=True)
        ]
        parts = [Part("scores", job) for job in jobs]
        if not jobs or asked.left_out:
            parts.append(Part("scores", functools.partial(_nothing, asked)))
        if rows and study.settings.scoring.mode == "fast":
            parts += [Part("flips", functools.partial(flips, model, tuple(rows))) for model in models]
        return parts

    return build(
        study.out / asked.stage,
        scores_recipe(study, asked),
        plan,
        progress=progress(asked.stage),
        runner=engine_of(study.settings.scoring.engine),
    )


def _boundaries(study: Study, role: Role) -> Boundaries:
    """Return the thresholds that scores are compared with.

    The filter's report also applies the rule for quads to held-out models; for NLI items, it needs only the
    models that are wrong. The audit has no thresholds.
    """
    compared = role == "filter" or (role == "held_out" and study.filter.form != "nli")
    return boundaries(study.filter.rule) if compared else Boundaries()


def _nothing(asked: ScoringRequest) -> PartResult:
    schema = arrow_schema(NliScore if asked.form in ("nli", "qa") else QuadScore)
    for name in asked.carried:
        schema = schema.append(pa.field(name, pa.string()))
    return PartResult(schema.empty_table(), dict(asked.left_out))

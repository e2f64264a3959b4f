"""Requests for scores: models and the rows that they score, and the artifact of the scores."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.forms import NLI, FormName
from nextset.own_code import own_snapshots
from nextset.records.content_ids import content_id
from nextset.scoring.asked_model import Model
from nextset.scoring.cascade import Vote
from nextset.scoring.checks.named_models import named_as
from nextset.scoring.checks.run_check import check_before_run
from nextset.scoring.engines import engine_of
from nextset.scoring.fast_mode_flips import flips
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.input_scan import scan_inputs
from nextset.scoring.jobs import Job
from nextset.scoring.models.recorded_servers import record_servers
from nextset.scoring.models.sources import OwnFunction
from nextset.scoring.row_chunks import Readable, in_memory_chunks
from nextset.scoring.study_models import model_of
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.study_folder import Study

__all__ = ["Role", "ScoringRequest", "ask_items", "compared_boundaries", "score_models", "scores_recipe"]

Role = Literal["filter", "held_out", "audit"]


@dataclass(frozen=True)
class ScoringRequest:
    """Models and the rows that they score."""

    stage: str
    """The artifact that holds their scores."""
    form: FormName
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
    stage: str, items: pa.Table, models: tuple[str, ...], role: Role, form: FormName = NLI.name
) -> ScoringRequest:
    """Return a request that ``models`` score rows in memory: NLI items, or rows of a different ``form``.

    In the form qa, items without a question are not asked; their number is a count of the artifact.
    """
    scored = SCORED_FORMS[form]
    rows_asked = scored.asked(items)
    ids = content_id("items", *rows_asked.rows["id"].to_pylist())
    return ScoringRequest(
        stage,
        form,
        lambda: in_memory_chunks(rows_asked.rows, scored.columns),
        {"items": ids},
        models,
        role,
        left_out={reason: n for reason, n in rows_asked.left_out.items() if n},
    )


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
        "boundaries": asdict(compared_boundaries(study, asked.role)),
    }
    if asked.carried:
        settings["carried"] = list(asked.carried)
    if asked.left_out:
        settings["left_out"] = dict(asked.left_out)
    if asked.vote is not None:
        policy = [] if asked.vote.missing == "not_wrong" else [asked.vote.missing]
        settings["vote"] = [asked.vote.needed, asked.vote.models, *policy]
    return Recipe(asked.stage, 2, dict(asked.inputs), settings, {m.label: m.source.identity for m in models})


def score_models(study: Study, asked: ScoringRequest, progress: Progress = SILENT) -> Artifact:
    """Return the artifact of the scores ``asked`` for: table scores (NliScore or QuadScore), a shard per job.

    In fast mode there is also a table flips. All models are checked first, and each is loaded for its first
    job. Raises ModelError.
    """
    models = [model_of(study, name, asked.form) for name in asked.models]
    compared, settings = compared_boundaries(study, asked.role), study.settings

    def plan() -> list[Part]:
        rows = list(asked.rows()) if models else []
        scan = scan_inputs(SCORED_FORMS[asked.form], rows)
        if rows:
            for model, name in zip(models, asked.models, strict=True):
                with named_as(name, asked.role, study.file, settings.filter, settings.audit.models):
                    check_before_run([model.here()], scan.longest)
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

    artifact = build(
        study.out / asked.stage,
        scores_recipe(study, asked),
        plan,
        snapshots=_own_files(models),
        progress=progress(asked.stage),
        runner=engine_of(study.settings.scoring.engine),
    )
    record_servers(study.out, [(model.source, model.asking.model.server) for model in models])
    return artifact


def _own_files(models: Sequence[Model]) -> dict[str, bytes]:
    """Return the content of each file of own scorers, by the name of its snapshot, own/FILE."""
    own = [(m.source.name.rpartition(":")[0], m.source.own) for m in models]
    return own_snapshots(
        {
            file: function.content
            for file, function in own
            if isinstance(function, OwnFunction) and function.content
        }
    )


def compared_boundaries(study: Study, role: Role) -> Boundaries:
    """Return the thresholds that scores are compared with.

    The filter's report also applies the rule for quads to held-out models; for NLI items, it needs only the
    models that are wrong. The audit has no thresholds.
    """
    compared = role == "filter" or (
        role == "held_out" and SCORED_FORMS[study.filter.form].held_out_boundaries
    )
    return study.filter.rule.kind.boundaries if compared else Boundaries()


def _nothing(asked: ScoringRequest) -> PartResult:
    table = SCORED_FORMS[asked.form].empty()
    for name in asked.carried:
        table = table.append_column(name, pa.array([], pa.string()))
    return PartResult(table, dict(asked.left_out))

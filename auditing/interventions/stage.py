"""The stage interventions: models are asked with and without each sentence, and the changes are measured."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, is_current, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.audit_tables import measures_csv
from nextset.auditing.form_tables import LengthsOf
from nextset.auditing.interventions.arm_scores import ArmScores
from nextset.auditing.interventions.found_triggers import FoundTriggers, found_triggers, trigger_transfer
from nextset.auditing.interventions.held_out_rows import HeldOutRows, held_out_rows
from nextset.auditing.interventions.intervention_records import (
    InterventionChange,
    InterventionFinding,
    InterventionSeries,
    TriggerTransfer,
    TuningChange,
)
from nextset.auditing.interventions.paired_changes import paired_changes
from nextset.auditing.interventions.series_parts import (
    MeasuredOn,
    item_parts,
    quad_parts,
    series_part,
    twin_parts,
)
from nextset.auditing.interventions.told_rows import (
    ToldForm,
    ToldTable,
    told_tables,
    twin_tables,
)
from nextset.auditing.interventions.tuned_readers import tuning_changes
from nextset.auditing.occlusion.occlusion_requests import (
    OcclusionDesign,
    OcclusionRequest,
    occlusion_requests,
)
from nextset.auditing.occlusion.occlusion_tables import TABLES as OCCLUSION_TABLES
from nextset.auditing.occlusion.occlusion_tables import OcclusionTables, occlusion_tables
from nextset.auditing.quads.token_lengths import TokenLengths, length_columns
from nextset.auditing.report.intervention_findings import intervention_findings, tuning_findings
from nextset.auditing.score_pieces import NLI_COLUMNS, QUAD_COLUMNS
from nextset.errors import ModelError, StudyError
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.records.intervention import Intervention, interventions_of
from nextset.scoring.checks.run_check import check_clear_cases
from nextset.scoring.intervened_rows import INTERVENTION
from nextset.scoring.model_kinds import known_forms
from nextset.scoring.models.sources import locate
from nextset.scoring.row_chunks import chunks, sources_of
from nextset.scoring.stage import ScoringRequest, model_of, score_models, scores_recipe
from nextset.study.intervention_settings import InterventionSettings
from nextset.study.item_tables import patterns_of_items
from nextset.study.model_key import model_key
from nextset.study.study_folder import Study, of_study

__all__ = ["audit_interventions", "check_told_models", "interventions_recipe", "told_forms"]


@of_study
def audit_interventions(study: Study, progress: Progress = SILENT) -> Artifact:
    """Ask the models of the section interventions, and compute the table changes: out/interventions.

    Scores are in out/score_interventions_FORM and out/score_twins_FORM, the drawn values of each model and
    class in out/intervention_series, so that a stopped run resumes. Raises MissingStage before `generate`
    has run, ModelError for a model that cannot be asked about any row.
    """
    with study.held("interventions"):
        requests = _requests(study)
        scored = {r.stage: score_models(study, r, progress) for r in requests}
        digests = {name: artifact.digest for name, artifact in scored.items()}
        occluded = _occlusion_requests(study)
        erased = [score_models(study, r.asked, progress) for r in occluded]
        series = build(
            study.out / "intervention_series",
            _series_recipe(study, digests),
            lambda: _series_parts(study, scored),
            progress=progress("intervention_series"),
        )
        triggers = _triggers(study)
        told = {i.id: i for i in (*_interventions(study), *triggers.rows)}

        @functools.cache
        def changes() -> list[InterventionChange]:
            return paired_changes(_read_series(series), told)

        @functools.cache
        def table() -> pa.Table:
            return table_of(changes(), InterventionChange)

        @functools.cache
        def occlusion() -> OcclusionTables:
            scores = [artifact.table("scores") for artifact in erased]
            return occlusion_tables(occluded, scores, progress("occlusion"))

        def occlusion_part(name: str) -> Part:
            counts = occlusion().skipped if name == "occlusion" else {}
            return Part(name, lambda: PartResult(occlusion().table(name), counts))

        @functools.cache
        def tuned() -> list[TuningChange]:
            labels = {study.model_label(name): study.model_label(b) for name, b in study.tuned_models.items()}
            return tuning_changes(_read_series(series), labels)

        def found() -> pa.Table:
            texts = [*tuning_findings(tuned()), *intervention_findings(changes())]
            return table_of([InterventionFinding(text=t, warning=False) for t in texts], InterventionFinding)

        built = build(
            study.out / "interventions",
            _recipe(study, series.digest, {a.folder.name: a.digest for a in erased}),
            lambda: [
                Part("changes", lambda: PartResult(table())),
                Part("interventions", lambda: PartResult(table_of(told.values(), Intervention))),
                Part("conclusions", lambda: PartResult(found())),
                Part(
                    "transfer",
                    lambda: PartResult(table_of(trigger_transfer(changes(), triggers), TriggerTransfer)),
                ),
                *(
                    Part("tuning", lambda: PartResult(table_of(tuned(), TuningChange)))
                    for _ in range(bool(study.tuned_models))
                ),
                *(occlusion_part(name) for name in (OCCLUSION_TABLES if occluded else ())),
                FilePart("changes.csv", lambda: measures_csv(table())),
            ],
            progress=progress("interventions"),
        )
        this_run: dict[str, int] = {}
        for artifact in scored.values():
            for name, n in artifact.this_run.items():
                this_run[name] = this_run.get(name, 0) + n
        return replace(built, this_run=this_run)


def interventions_recipe(study: Study) -> Recipe:
    """Return the recipe of what `audit_interventions` would make now; raises MissingStage before generate."""
    digests = {}
    for request in _requests(study):
        folder, recipe = study.out / request.stage, scores_recipe(study, request)
        digests[request.stage] = open_artifact(folder).digest if is_current(folder, recipe) else "stale"
    folder, recipe = study.out / "intervention_series", _series_recipe(study, digests)
    series = open_artifact(folder).digest if is_current(folder, recipe) else "stale"
    erased = {}
    for occluded in _occlusion_requests(study):
        folder, recipe = study.out / occluded.asked.stage, scores_recipe(study, occluded.asked)
        erased[occluded.asked.stage] = open_artifact(folder).digest if is_current(folder, recipe) else "stale"
    return _recipe(study, series, erased)


def check_told_models(study: Study) -> None:
    """Raise ModelError if a model of the section interventions cannot be used, or fails its canaries."""
    settings = _settings(study)
    for i, name in enumerate(settings.models):
        with model_key(study.file, "interventions", "models", i):
            for form in told_forms(study, name):
                check_clear_cases(model_of(study, name, form).here())


def _settings(study: Study) -> InterventionSettings:
    if study.settings.interventions is None:
        raise StudyError(
            "'interventions' is missing",
            file=study.file,
            line=1,
            remedy="add interventions: {models: [MODEL, ...]}",
        )
    return study.settings.interventions


def _recipe(study: Study, series: str, erased: Mapping[str, str]) -> Recipe:
    generated = open_artifact(study.out / "generate")
    return Recipe("interventions", 4, {"generate": generated.digest, "intervention_series": series, **erased})


def _series_recipe(study: Study, scores: Mapping[str, str]) -> Recipe:
    generated = open_artifact(study.out / "generate")
    inputs = {"generate": generated.digest, **scores}
    if _settings(study).triggers is not None:
        inputs["triggers"] = open_artifact(study.out / "triggers").digest
    if study.tuned_models:
        inputs["tune"] = open_artifact(study.out / "tune").digest
    return Recipe("intervention_series", 3, inputs)


def _interventions(study: Study) -> tuple[Intervention, ...]:
    return interventions_of(open_artifact(study.out / "generate").table("interventions"))


def _triggers(study: Study) -> FoundTriggers:
    """Return the triggers of the study; raises MissingStage if they have not been sought yet."""
    wanted = _settings(study).triggers is not None
    return found_triggers(open_artifact(study.out / "triggers") if wanted else None)


def _tuning(study: Study) -> HeldOutRows:
    """Return what tuning held out; raises MissingStage if the readers have not been tuned yet."""
    tuned = frozenset(study.model_label(name) for name in study.tuned_models)
    return held_out_rows(open_artifact(study.out / "tune") if tuned else None, tuned)


def _of_form(study: Study) -> Callable[[ToldForm], tuple[Intervention, ...]]:
    sentences, triggers = _interventions(study), _triggers(study)
    return lambda form: (*sentences, *triggers.of(form))


def told_forms(study: Study, name: str) -> tuple[ToldForm, ...]:
    """Return the forms in which the model ``name`` is asked; raises ModelError if it knows none."""
    known = known_forms(locate(name, study.folder))
    settings = study.settings
    made: list[ToldForm] = []
    if settings.questions is not None:
        made += settings.questions.forms
    if settings.templates:
        made.append("nli")
    found = tuple(form for form in made if form in known)
    if not found:
        raise ModelError(
            f"{name} cannot be asked about what this study makes ({', '.join(made)})",
            remedy="remove it from interventions.models, or add templates or questions that it can be asked",
        )
    return found


def _requests(study: Study) -> list[ScoringRequest]:
    settings, generated = _settings(study), open_artifact(study.out / "generate")
    by_form: dict[str, list[str]] = {}
    for i, name in enumerate(settings.models):
        with model_key(study.file, "interventions", "models", i):
            for form in told_forms(study, name):
                by_form.setdefault(form, []).append(name)
    if study.tuned_models:
        open_artifact(study.out / "tune")  # or the stage is missing
        by_form.setdefault("question", []).extend(study.tuned_models)
    told = told_tables(generated, _of_form(study))
    tables = [*((f"score_interventions_{t.form}", t) for t in told)]
    tables += [(f"score_twins_{t.form}", t) for t in twin_tables(told)]
    return [_request(stage, t, tuple(by_form[t.form])) for stage, t in tables if t.form in by_form]


def _occlusion_requests(study: Study) -> list[OcclusionRequest]:
    """Return what is asked about rows without one of their words; nothing without interventions.occlusion."""
    settings = _settings(study)
    if settings.occlusion is None:
        return []
    found = []
    for table in told_tables(open_artifact(study.out / "generate"), _of_form(study)):
        names = [name for name in settings.models if table.form in told_forms(study, name)]
        if names:
            design = OcclusionDesign(
                settings.occlusion,
                table.form,
                functools.partial(chunks, sources_of(table.artifact, table.table)),
                table.interventions,
                {name: locate(name, study.folder) for name in names},
            )
            found += occlusion_requests(design, {"generate": table.artifact.digest})
    return found


def _request(stage: str, table: ToldTable, models: tuple[str, ...]) -> ScoringRequest:
    return ScoringRequest(
        stage,
        table.form,
        table.parts,
        {
            "generate": table.artifact.digest,
            "interventions": content_id("interventions", *(i.id for i in table.interventions)),
        },
        models,
        "audit",
        carried=(INTERVENTION,),
    )


def _read_series(series: Artifact) -> Iterator[list[InterventionSeries]]:
    """Yield the series of each form, class and model."""
    for shard in series.shards_of("series"):
        rows = series.piece(shard).to_pylist()
        lists = ("sizes", "values", "null")
        yield [InterventionSeries(**{**row, **{n: tuple(row[n]) for n in lists}}) for row in rows]


def _series_parts(study: Study, scored: Mapping[str, Artifact]) -> list[Part]:
    """Return a part for each model and class, or domain, and for the twins of each."""
    told = told_tables(open_artifact(study.out / "generate"), _of_form(study))
    parts: list[Part] = []
    measured = MeasuredOn(_triggers(study), _tuning(study))
    for table in told:
        artifact = scored.get(f"score_interventions_{table.form}")
        if artifact is None:
            continue
        if table.form == "nli":
            of_items, patterns = ArmScores.of(artifact, NLI_COLUMNS), patterns_of_items(study.out)
            parts += item_parts(table, of_items, patterns, measured.triggers)
        else:
            scores = ArmScores.of(artifact, QUAD_COLUMNS)
            parts += quad_parts(table, scores, _token_lengths(study, table), measured)
    for table in twin_tables(told):
        if artifact := scored.get(f"score_twins_{table.form}"):
            parts += twin_parts(table, ArmScores.of(artifact, QUAD_COLUMNS), measured)
    return parts or [series_part(lambda: iter(()))]


def _token_lengths(study: Study, table: ToldTable) -> LengthsOf:
    if table.form == "statement" and study.settings.scoring.masks.by != "name":
        return lambda quads, model: None  # pronouns take the place of names
    sources = {study.model_label(name): locate(name, study.folder) for name in _settings(study).models}
    columns = length_columns(table.form)
    pieces = (table.artifact.piece(s, columns) for s in table.artifact.shards_of(table.table))
    return TokenLengths(pieces, sources, table.form)

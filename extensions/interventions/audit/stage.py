"""The stage interventions: it asks models with and without each sentence, and measures the changes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nextset.artifacts.artifact import Artifact, Recipe, current_digest, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.quads.quad_tables import LengthsOf
from nextset.auditing.quads.token_lengths import TokenLengths, length_columns
from nextset.auditing.score_pieces import NLI_COLUMNS, QUAD_COLUMNS
from nextset.errors import ModelError, StudyError
from nextset.extensions.interventions.audit.arm_scores import ArmScores
from nextset.extensions.interventions.audit.change_tables import ChangeTables
from nextset.extensions.interventions.audit.found_triggers import FoundTriggers, found_triggers
from nextset.extensions.interventions.audit.held_out_rows import HeldOutRows, held_out_rows
from nextset.extensions.interventions.audit.series_parts import (
    MeasuredOn,
    item_parts,
    quad_parts,
    series_part,
    twin_parts,
)
from nextset.extensions.interventions.audit.told_rows import (
    ToldTable,
    told_tables,
    twin_tables,
)
from nextset.extensions.interventions.intervened_rows import INTERVENTION
from nextset.extensions.interventions.intervention import Intervention, interventions_of
from nextset.extensions.interventions.occlusion.occlusion_requests import (
    OcclusionDesign,
    OcclusionRequest,
    occlusion_requests,
)
from nextset.extensions.interventions.occlusion.occlusion_tables import TABLES as OCCLUSION_TABLES
from nextset.extensions.interventions.occlusion.occlusion_tables import OcclusionTables, occlusion_tables
from nextset.extensions.interventions.settings.study_settings import intervention_settings_of, tuned_models
from nextset.files.yaml_reader import line_of
from nextset.forms import FORMS, FormName
from nextset.records.content_ids import content_id
from nextset.scoring.checks.run_check import check_clear_cases
from nextset.scoring.model_kinds import known_forms
from nextset.scoring.row_chunks import chunks, sources_of
from nextset.scoring.score_requests import ScoringRequest, score_models, scores_recipe
from nextset.scoring.study_models import model_of, source_of
from nextset.study.item_tables import patterns_of_items
from nextset.study.model_key import model_key
from nextset.study.study_folder import Study, of_study

__all__ = ["audit_interventions", "check_told_models", "interventions_recipe", "told_forms"]


@of_study
def audit_interventions(study: Study, progress: Progress = SILENT) -> Artifact:
    """Ask the models of the section interventions, and compute the table changes: out/interventions.

    Raises ModelError for a model that cannot be asked about any row, DamagedShard for a tuned model whose
    files have changed since `tune` wrote them.
    """
    with study.held("interventions"):
        if tuned_models(study):
            _check_tuned(study)
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
        tables = _tables(study, series)
        built = build(
            study.out / "interventions",
            _recipe(study, series.digest, {a.folder.name: a.digest for a in erased}),
            lambda: [*tables.parts(), *_occlusion_parts(occluded, erased, progress)],
            progress=progress("interventions"),
        )
        this_run: dict[str, int] = {}
        for artifact in (*scored.values(), *erased):
            for name, n in artifact.this_run.items():
                this_run[name] = this_run.get(name, 0) + n
        return replace(built, this_run=this_run)


def interventions_recipe(study: Study) -> Recipe:
    """Return the recipe that `audit_interventions` would use now; raises MissingStage before `generate` has
    run."""
    digests = {}
    for request in _requests(study):
        digests[request.stage] = current_digest(study.out / request.stage, scores_recipe(study, request))
    series = current_digest(study.out / "intervention_series", _series_recipe(study, digests))
    erased = {}
    for occluded in _occlusion_requests(study):
        asked = occluded.asked
        erased[asked.stage] = current_digest(study.out / asked.stage, scores_recipe(study, asked))
    return _recipe(study, series, erased)


def check_told_models(study: Study) -> None:
    """Raise ModelError if a model of the section interventions cannot be used, or fails its canaries."""
    settings = intervention_settings_of(study)
    for i, name in enumerate(settings.models):
        with model_key(study.file, "interventions", "models", i):
            for form in told_forms(study, name):
                check_clear_cases(model_of(study, name, form).here())


def _recipe(study: Study, series: str, erased: Mapping[str, str]) -> Recipe:
    generated = open_artifact(study.out / "generate")
    return Recipe(
        "interventions", 10, {"generate": generated.digest, "intervention_series": series, **erased}
    )


def _series_recipe(study: Study, scores: Mapping[str, str]) -> Recipe:
    generated = open_artifact(study.out / "generate")
    inputs = {"generate": generated.digest, **scores}
    if intervention_settings_of(study).triggers is not None:
        inputs["triggers"] = open_artifact(study.out / "triggers").digest
    if tuned_models(study):
        inputs["tune"] = open_artifact(study.out / "tune").digest
    return Recipe("intervention_series", 7, inputs)


def _interventions(study: Study) -> tuple[Intervention, ...]:
    return interventions_of(open_artifact(study.out / "generate").table("interventions"))


def _triggers(study: Study) -> FoundTriggers:
    """Return the triggers of the study; raises MissingStage if they have not been sought yet."""
    wanted = intervention_settings_of(study).triggers is not None
    return found_triggers(open_artifact(study.out / "triggers") if wanted else None)


def _tuning(study: Study) -> HeldOutRows:
    """Return the rows that tuning held out; raises MissingStage if the readers have not been tuned yet."""
    tuned = frozenset(study.model_label(name) for name in tuned_models(study))
    return held_out_rows(open_artifact(study.out / "tune") if tuned else None, tuned)


def _of_form(study: Study) -> Callable[[FormName], tuple[Intervention, ...]]:
    sentences, triggers = _interventions(study), _triggers(study)
    return lambda form: (*sentences, *triggers.of(form))


def told_forms(study: Study, name: str) -> tuple[FormName, ...]:
    """Return the forms that the model ``name`` is asked in.

    Raises ModelError if it knows none, and StudyError for rows that no sentence can be added to.
    """
    settings = study.settings
    other = [FORMS[s.makes].noun for s in settings.sections.values() if s.makes]
    if other:
        raise StudyError(
            f"interventions cannot be added to {' and '.join(other)}, only to NLI items and questions",
            file=study.file,
            line=line_of(study.file, "interventions"),
            remedy="remove the section interventions, or make these rows in another study",
        )
    known = known_forms(source_of(study, name))
    made: list[FormName] = []
    if settings.questions is not None:
        made += settings.questions.forms
    if settings.templates:
        made.append("nli")
    forms = tuple(form for form in made if form in known)
    if not forms:
        raise ModelError(
            f"{name} cannot be asked about the rows of this study ({', '.join(made)})",
            remedy="remove it from interventions.models, or add templates or questions that it can be asked "
            "about",
        )
    return forms


def _check_tuned(study: Study) -> None:
    """Raise DamagedShard if a file of a tuned model has changed since `tune` wrote it."""
    tuned = open_artifact(study.out / "tune")
    for shard in tuned.shards:
        tuned.check(shard)


def _tables(study: Study, series: Artifact) -> ChangeTables:
    triggers = _triggers(study)
    tuned = {study.model_label(name): study.model_label(base) for name, base in tuned_models(study).items()}
    return ChangeTables(
        series,
        {i.id: i for i in (*_interventions(study), *triggers.rows)},
        triggers,
        tuned,
        open_artifact(study.out / "tune").table("clear_questions") if tuned else None,
    )


def _occlusion_parts(
    asked: Sequence[OcclusionRequest], erased: Sequence[Artifact], progress: Progress
) -> Iterator[Part]:
    """Yield one part per table of occlusion; nothing without interventions.occlusion."""

    @functools.cache
    def tables() -> OcclusionTables:
        return occlusion_tables(asked, [a.table("scores") for a in erased], progress("occlusion"))

    def part(name: str) -> PartResult:
        return PartResult(tables().table(name), tables().skipped if name == "occlusion" else {})

    for name in OCCLUSION_TABLES if asked else ():
        yield Part(name, functools.partial(part, name))


@dataclass(frozen=True)
class _Asked:
    """A table of rows that models are asked about."""

    stage: str
    """The artifact that holds their scores."""
    table: ToldTable
    twins: bool
    models: tuple[str, ...]

    def request(self) -> ScoringRequest:
        interventions_id, table = (
            content_id("interventions", *(i.id for i in self.table.interventions)),
            self.table,
        )
        inputs = {"generate": table.artifact.digest, "interventions": interventions_id}
        if table.held_out is not None:
            inputs["tune"] = table.held_out.digest
        return ScoringRequest(
            self.stage, table.form, table.parts, inputs, self.models, "audit", carried=(INTERVENTION,)
        )


def _asked_tables(study: Study) -> list[_Asked]:
    by_form: dict[str, list[str]] = {}
    for i, name in enumerate(intervention_settings_of(study).models):
        with model_key(study.file, "interventions", "models", i):
            for form in told_forms(study, name):
                by_form.setdefault(form, []).append(name)
    generated = open_artifact(study.out / "generate")
    generated_tables = told_tables(generated, _of_form(study))
    asked = [
        _Asked(f"score_{what}_{t.form}", t, what == "twins", tuple(by_form[t.form]))
        for what, tables in (("interventions", generated_tables), ("twins", twin_tables(generated_tables)))
        for t in tables
        if t.form in by_form
    ]
    if not tuned_models(study):
        return asked
    unseen = _tuning(study)
    tuned = [
        replace(t, held_out=unseen, interventions=tuple(i for i in t.interventions if i.held_out))
        for t in generated_tables
        if t.form == "question"
    ]
    return asked + [
        _Asked(f"score_tuned_{what}", t, what == "twins", tuple(tuned_models(study)))
        for what, tables in (("questions", tuned), ("twins", twin_tables(tuned)))
        for t in tables
    ]


def _requests(study: Study) -> list[ScoringRequest]:
    return [asked.request() for asked in _asked_tables(study)]


def _occlusion_requests(study: Study) -> list[OcclusionRequest]:
    """Return the requests about rows without one of their words; empty without interventions.occlusion."""
    settings = intervention_settings_of(study)
    if settings.occlusion is None:
        return []
    requests = []
    for table in told_tables(open_artifact(study.out / "generate"), _of_form(study)):
        names = [name for name in settings.models if table.form in told_forms(study, name)]
        if names:
            design = OcclusionDesign(
                settings.occlusion,
                table.form,
                functools.partial(chunks, sources_of(table.artifact, table.table)),
                table.interventions,
                {name: source_of(study, name) for name in names},
            )
            requests += occlusion_requests(design, {"generate": table.artifact.digest})
    return requests


def _series_parts(study: Study, scored: Mapping[str, Artifact]) -> list[Part]:
    """Return one part per model and class or domain, and one per model and class of twins."""
    parts: list[Part] = []
    measured = MeasuredOn(_triggers(study), _tuning(study))
    for asked in _asked_tables(study):
        table, artifact = asked.table, scored[asked.stage]
        if table.form == "nli":
            of_items, patterns = ArmScores.of(artifact, NLI_COLUMNS), patterns_of_items(study.out)
            parts += item_parts(table, of_items, patterns, measured.triggers)
            continue
        scores = ArmScores.of(artifact, QUAD_COLUMNS)
        if asked.twins:
            parts += twin_parts(table, scores, measured)
        else:
            parts += quad_parts(table, scores, _token_lengths(study, table), measured)
    return parts or [series_part(lambda: iter(()))]


def _token_lengths(study: Study, table: ToldTable) -> LengthsOf:
    if table.form == "statement" and study.settings.scoring.statements.by != "name":
        return lambda quads, model: None  # pronouns take the place of names
    sources = {
        study.model_label(name): source_of(study, name) for name in intervention_settings_of(study).models
    }
    columns = length_columns(table.form)
    pieces = (table.artifact.piece(s, columns) for s in table.artifact.shards_of(table.table))
    return TokenLengths(pieces, sources, table.form)

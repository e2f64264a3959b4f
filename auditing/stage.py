"""The stage audit: measures of every model on the items or quads that a study made and released."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, current_digest, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.audit_form import AUDIT_FORMS
from nextset.auditing.audit_tables import OWN_MEASURES, TABLES, AuditTables, measures_csv, measures_json
from nextset.auditing.audited_sets import judged_rows, study_sets
from nextset.auditing.nli.labels_by_model import without_score
from nextset.auditing.own_measures.function_measure import (
    FunctionMeasure,
    measure_identities,
    named_measures,
    sources_of,
)
from nextset.auditing.row_sets import AuditRows
from nextset.auditing.score_pieces import ScorePieces
from nextset.auditing.traces.thought_rows import thought_rows
from nextset.errors import StudyError
from nextset.files.yaml_reader import line_of
from nextset.forms import FORMS, FormName
from nextset.scoring.candidate_sources import TABLES as TABLES_OF_CANDIDATES
from nextset.scoring.forms.scored_form import SCORED_FORMS, forms_over
from nextset.scoring.score_requests import Role, ScoringRequest, ask_items, score_models, scores_recipe
from nextset.scoring.stage import unfiltered_requests
from nextset.scoring.study_models import forms_of_audit, made_sources, rows_to_score, source_of
from nextset.scoring.trace_stage import STAGE as TRACES
from nextset.scoring.trace_stage import traces_recipe, write_traces
from nextset.scoring.wording_stage import score_wordings, wordings_recipe
from nextset.study.item_tables import distinct
from nextset.study.item_tables import plain_items as plain_table
from nextset.study.study_folder import Study, of_study
from nextset.study.thinking_models import thinking_models

__all__ = ["audit", "audit_recipe", "audit_scores", "study_measures"]

_KNOWN = ("score", "score_held_out")
"""The scores of the filter and of its report."""


@of_study
def audit(study: Study, progress: Progress = SILENT) -> Artifact:
    """Score all rows without a score, and compute the tables of `nextset.auditing.audit_tables`: out/audit.

    The filter's and the held-out models are asked about items that the release added; models that only the
    audit names, about all items or quads; models that write, again in one wording at a time.
    """
    with study.held("audit"):
        functions = study_measures(study)  # an error in a measure must come before hours of scoring
        requests = _requests(study)
        made = {a.stage: score_models(study, a, progress) for a in requests}
        again = _wording_requests(study)
        made["score_wordings"] = score_wordings(study, again, progress)
        if thinking_models(study.settings):
            made[TRACES] = write_traces(study, again, progress)

        @functools.cache
        def tables() -> AuditTables:
            return _tables(study, functions, progress)

        def part(name: str) -> Part:
            return Part(name, lambda: PartResult(tables().table(name)))

        built = build(
            study.out / "audit",
            _recipe(study, {name: artifact.digest for name, artifact in made.items()}),
            lambda: [
                *(part(name) for name in _table_names(functions)),
                FilePart("measures.csv", lambda: measures_csv(tables().table("measures"))),
                FilePart("measures.json", lambda: measures_json(tables().table("measures"))),
            ],
            snapshots=sources_of(functions) or None,
            progress=progress("audit"),
        )
        this_run = Counter[str]()
        for scored in made.values():
            this_run.update(scored.this_run)
        return replace(built, this_run=dict(this_run))


def audit_recipe(study: Study) -> Recipe:
    """Return the recipe that `audit` would use now; raises MissingStage before `release` has run."""
    digests = {}
    for a in _requests(study):
        digests[a.stage] = _digest(study, a.stage, scores_recipe(study, a))
    again = _wording_requests(study)
    digests["score_wordings"] = _digest(study, "score_wordings", wordings_recipe(study, again))
    if thinking_models(study.settings):
        digests[TRACES] = _digest(study, TRACES, traces_recipe(study, again))
    return _recipe(study, digests)


def audit_scores(study: Study) -> Mapping[FormName, ScorePieces]:
    """Return the scores that the audit measured, by form; raises MissingStage before it has run."""
    by_form: dict[FormName, list[Artifact]] = {}
    if study.settings.filter is not None:
        by_form[study.filter.form] = [open_artifact(study.out / s) for s in _KNOWN]
    for a in _requests(study):
        by_form.setdefault(a.form, []).append(open_artifact(study.out / a.stage))
    return {
        form: ScorePieces(tuple(artifacts), AUDIT_FORMS[form].score_columns)
        for form, artifacts in by_form.items()
        if not FORMS[form].asks or any(a.rows("scores") for a in artifacts)
    }


def _forms(study: Study) -> tuple[FormName, ...]:
    """Return the forms in which the study's rows are asked, first the form of its filter."""
    ways = (way for form in study.settings.audited_forms for way in forms_over(form))
    return tuple(form for form in ways if form in AUDIT_FORMS)


def _asked(study: Study) -> tuple[str, ...]:
    """Return the columns of rows that models are asked about in any of the forms."""
    first, *further = _forms(study)
    more = (column for form in further for column in AUDIT_FORMS[form].further_columns)
    return tuple(dict.fromkeys((*SCORED_FORMS[first].columns, *more)))


def _ending(form: FormName) -> str:
    """Return the ending of a stage's name for rows that are asked in a further form."""
    return f"_{form}" if FORMS[form].asks else ""


def _digest(study: Study, stage: str, recipe: Recipe) -> str:
    return current_digest(study.out / stage, recipe)


def _requests(study: Study) -> list[ScoringRequest]:
    """Return the requests for scores in addition to the filter's."""
    if study.settings.filter is None:
        return unfiltered_requests(study)
    if not AUDIT_FORMS[study.filter.form].release_adds_rows:
        rows = rows_to_score(study)
        models = study.settings.audit.models
        return [ScoringRequest("score_audit", rows.form, rows.chunks, rows.inputs, models, "audit")]
    dataset = open_artifact(study.out / "release").table("items", _asked(study))
    audited, everything = study.settings.audit.models, dataset.slice(0, 0)
    if study.filter.cascade or audited:
        rest = [plain_table(study.out, _asked(study)), _judged_table(study)]
        everything = distinct(pa.concat_tables([dataset, *(table for table in rest if table is not None)]))
    added = everything  # in a cascade no model was asked about all items
    if not study.filter.cascade:
        added = without_score(dataset, ScorePieces((open_artifact(study.out / "score"),)))
    return [
        ask_items("score_release", added, study.filter.models, "filter"),
        ask_items("score_release_held_out", added, study.filter.held_out, "held_out"),
        *(
            ask_items(
                f"score_audit{_ending(form)}",
                everything,
                _in_form(study, "audit", audited, form),
                "audit",
                form=form,
            )
            for form in _forms(study)
        ),
    ]


def _judged_table(study: Study) -> pa.Table | None:
    validated = open_artifact(study.out / "validate")
    return validated.table("items", _asked(study)) if "valid" in validated.tables else None


def _wording_requests(study: Study) -> list[ScoringRequest]:
    """Return the requests for scores in one wording at a time: of the released rows, or of the candidates if
    there is no release."""
    if study.settings.filter is None:
        return [replace(r, stage=f"wordings_audit_{r.form}") for r in unfiltered_requests(study)]
    if not AUDIT_FORMS[study.filter.form].release_adds_rows:
        rows = rows_to_score(study)
        return [
            ScoringRequest(f"wordings_{role}", rows.form, rows.chunks, rows.inputs, models, role)
            for role, models in _roles(study)
        ]
    dataset = open_artifact(study.out / "release").table("items", _asked(study))
    return [
        ask_items(f"wordings_{role}_{form}", dataset, _in_form(study, role, models, form), role, form=form)
        for role, models in _roles(study)
        for form in _forms(study)
    ]


def _in_form(study: Study, role: Role, models: tuple[str, ...], form: FormName) -> tuple[str, ...]:
    """Return those of ``models`` that are asked in ``form``; the filter asks only about pairs."""
    if role != "audit":
        return models if form == study.filter.form else ()
    return tuple(name for name in models if form in forms_of_audit(study, name))


def _roles(study: Study) -> list[tuple[Role, tuple[str, ...]]]:
    audit: tuple[Role, tuple[str, ...]] = ("audit", study.settings.audit.models)
    if study.settings.filter is None:
        return [audit]
    return [("filter", study.filter.models), ("held_out", study.filter.held_out), audit]


def _table_names(functions: Sequence[FunctionMeasure]) -> tuple[str, ...]:
    return (*TABLES, OWN_MEASURES) if functions else tuple(TABLES)


def study_measures(study: Study) -> tuple[FunctionMeasure, ...]:
    """Return the measures that the study names in addition to nextset's.

    Raises StudyError if the study's code is not trusted or a measure is not defined for the forms of its
    rows, and InputError for an unknown or unusable measure.
    """
    measures = named_measures(study.settings.audit.measures, study.own_code)
    forms = _forms(study) if measures else ()
    other = next((m for m in measures if not set(m.forms) & set(forms)), None)
    if other is not None:
        raise StudyError(
            f"the measure {other.name} ({other.source}) is defined for {', '.join(other.forms)}, but the "
            f"rows of this study are asked as {' or '.join(forms)}",
            file=study.file,
            line=line_of(study.file, "audit", "measures"),
            remedy="omit it from audit.measures, or change the forms of its FunctionMeasure",
        )
    return measures


def _tables(study: Study, functions: Sequence[FunctionMeasure], progress: Progress) -> AuditTables:
    audit, tick = AuditTables(), progress("measures")
    by_wording = open_artifact(study.out / "score_wordings")
    for form, scores in audit_scores(study).items():
        part, rows = AUDIT_FORMS[form], _rows(study, form)
        tables = part.tables(rows, scores, functions, tick)
        audit = audit.joined(tables, part.wordings(by_wording, rows, functions))
        if thinking_models(study.settings):
            audit.measures.extend(thought_rows(open_artifact(study.out / TRACES), part.traced(rows)))
    return audit


def _rows(study: Study, form: FormName) -> AuditRows:
    """Return the rows that the study measures in ``form``."""
    adds = AUDIT_FORMS[form].release_adds_rows
    names = [name for _, models in _roles(study) for name in models]
    return AuditRows(
        sets=study_sets(
            study.out,
            form,
            released=adds or study.settings.release is not None,
            candidates=_candidates(study, form),
        ),
        judged=judged_rows(study.out) if adds else None,
        sources=lambda: {study.model_label(name): source_of(study, name) for name in names},
        masks_by_name=study.settings.scoring.statements.by == "name",
    )


def _candidates(study: Study, form: FormName) -> tuple[tuple[str, str], ...]:
    """Return the stages and tables of the candidates, if the models are asked about them alone; else none."""
    if study.settings.filter is None:
        names = made_sources(study, form).names
    elif AUDIT_FORMS[form].release_adds_rows:
        return ()
    else:
        names = study.filter.candidates
    return tuple(dict.fromkeys(TABLES_OF_CANDIDATES[name] for name in names))


def _recipe(study: Study, scores: Mapping[str, str]) -> Recipe:
    filtered = study.settings.filter is not None
    stages = ["generate", *(_KNOWN if filtered else ())]
    filled = {"fill"} & {
        stage for form in study.settings.audited_forms for stage, _ in _candidates(study, form)
    }
    stages += sorted(filled) if not filtered else []
    stages += ["release"] if study.settings.release is not None else []
    stages += ["validate"] if filtered and AUDIT_FORMS[study.filter.form].release_adds_rows else []
    inputs = {**{s: open_artifact(study.out / s).digest for s in stages}, **scores}
    own = measure_identities(study.settings.audit.measures, study.path)
    return Recipe("audit", 8, inputs, {"measures": own, "by_wording": True} if own else {})

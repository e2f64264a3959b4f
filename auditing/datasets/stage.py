"""The audit of a dataset version without a study: its models are asked with default settings."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from nextset.artifacts.artifact import Artifact, is_current
from nextset.artifacts.progress_callback import SILENT, Progress, Tick
from nextset.auditing.audit_form import AUDIT_FORMS
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.datasets.audited_dataset import KINDS, AuditedDataset
from nextset.auditing.datasets.dataset_page import explorer_rows
from nextset.auditing.datasets.model_refusals import check_models, refuse_unfit
from nextset.auditing.datasets.released_scores import ReleasedScores, released_scores
from nextset.auditing.datasets.result_folder import (
    SET,
    MeasuredDataset,
    check_earlier_results,
    check_result_folder,
    write_audit,
)
from nextset.auditing.nli.judged_weights import Selections, selections_of
from nextset.auditing.report.thought_payload import with_thoughts
from nextset.auditing.row_sets import AuditRows, RowSet
from nextset.auditing.traces.thought_rows import thought_rows
from nextset.errors import ArtifactError, InputError, ModelError, StudyError
from nextset.forms import FORMS, FormName
from nextset.printable_text import printable_line
from nextset.scoring.asked_model import Model
from nextset.scoring.model_kinds import asked_forms
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.score_requests import ScoringRequest, score_models, scores_recipe
from nextset.scoring.study_models import model_of, source_of
from nextset.scoring.trace_stage import trace_tables, write_traces
from nextset.scoring.wording_stage import score_wordings
from nextset.study.audit_settings import AuditSettings
from nextset.study.model_labels import model_labels
from nextset.study.scoring_settings import ModelSettings
from nextset.study.study_folder import Study
from nextset.study.study_sections import StudyFile
from nextset.study.thinking_models import thinking_models

__all__ = ["audit_version"]

_JUDGMENTS = pa.schema(
    [pa.field("unit_id", pa.string()), pa.field("verdict", pa.string()), pa.field("adjudication", pa.bool_())]
)


@dataclass(frozen=True)
class _DefaultStudy(Study):
    """A study that has only models with default settings; its results are in a separate folder."""

    results: Path = Path()

    @property
    def out(self) -> Path:
        """The folder of the results."""
        return self.results


def audit_version(
    dataset: AuditedDataset,
    models: Mapping[str, ModelSettings],
    out: Path,
    *,
    progress: Progress = SILENT,
) -> Artifact:
    """Ask ``models`` about the rows of ``dataset``, and measure these models and the models with released
    scores.

    Models are named as in study.yaml, each with its settings. Scores are kept in ``out`` and in the score
    cache, so a stopped audit resumes; with other models, the tables are computed again. Returns the artifact
    ``out``/audit with the tables of `nextset.auditing.audit_records`. Raises ModelError, before anything is
    asked, for models that fit no rows of the dataset or fail their canaries; InputError for names that cannot
    be used and for a folder with results of other rows; ArtifactError for damaged rows.
    """
    check_result_folder(out, dataset.folder)
    study = _study(models, out)
    rows = {"dataset": dataset.digest()}
    with study.held("audit"):
        check_earlier_results(out, rows)
        requests, known = _requests(study, dataset)
        check_models(study.settings.audit.models, _to_ask(study, requests.values()))
        scored = {form: score_models(study, request, progress) for form, request in requests.items()}
        by_wording = score_wordings(study, list(requests.values()), progress)
        scores = {form: _Scores(released, scored.get(form)) for form, released in known.items()}
        made = [*scored.values(), by_wording]
        traces = None
        if thinking_models(study.settings):
            traces = write_traces(study, list(requests.values()), progress)
            made.append(traces)
        audited = write_audit(
            out,
            MeasuredDataset(
                name=dataset.name,
                version=dataset.version,
                judge=dataset.judge,
                inputs={**rows, **{a.folder.name: a.digest for a in made}},
            ),
            lambda: _tables(study, dataset, scores, by_wording, traces, progress("measures")),
            progress,
            made,
            lambda: _explorer(dataset, scores, traces),
        )
    return replace(audited, this_run={**audited.this_run, **_left_out(known.values())})


def _left_out(known: Iterable[ReleasedScores]) -> dict[str, int]:
    """Return the number of released scores that are not measured, by model."""
    return {
        f"scores of {printable_line(model)} excluded, since other rows have none": n
        for scores in known
        for (model, _), n in scores.left_out.items()
    }


def _study(models: Mapping[str, ModelSettings], out: Path) -> _DefaultStudy:
    """Return the study; raises InputError for a name that no model can have, and for two models with the same
    published name."""
    names = tuple(models)
    try:
        audit = AuditSettings(models=names)
    except ValidationError as e:
        place = e.errors(include_url=False)[0]["loc"][-1]
        wrong = names[place] if isinstance(place, int) else names
        raise InputError(
            f"{wrong!r} is not the name of a model",
            remedy="write builtin:NAME, a folder without spaces, a Hub id, or openai:MODEL",
        ) from None
    settings = StudyFile.model_construct(format=1, name=SET, audit=audit, models=dict(models))
    here = Path().resolve()
    study = _DefaultStudy(here, settings, here / "study.yaml", results=out)
    try:
        model_labels(settings, study.file)
    except StudyError as e:
        remedy = "rename the model's folder, or audit the models one at a time"
        raise InputError(e.message, remedy=remedy) from None
    return study


def _requests(
    study: Study, dataset: AuditedDataset
) -> tuple[dict[FormName, ScoringRequest], dict[FormName, ReleasedScores]]:
    """Return the requests by form, and the released scores of every form with scores, old or new.

    Models whose scores come with the dataset are not asked again. Raises ModelError for a model that cannot
    be asked about any row, ArtifactError if there are no rows.
    """
    forms = tuple(form for form, kind in KINDS.items() if dataset.count(kind))
    if not forms:
        raise ArtifactError(
            f"{dataset.name} {dataset.version} has no items, questions or statements to ask about",
            remedy="name a dataset version with rows",
        )
    _check_rows(dataset, forms)
    known = {form: released_scores(dataset, form) for form in forms}
    names_by_form: dict[FormName, list[str]] = {form: [] for form in forms}
    unfit: dict[str, ModelError] = {}
    for name in study.settings.audit.models:
        source = source_of(study, name)
        try:
            fitting = _fitting(source, dataset, forms)
        except ModelError as e:
            unfit[name] = e
            continue
        for form in fitting:
            if (study.model_label(name), source.digest) not in known[form].models:
                names_by_form[form].append(name)
    refuse_unfit(study.settings.audit.models, unfit)
    requests = {form: _request(dataset, form, models) for form, models in names_by_form.items() if models}
    return requests, {form: r for form, r in known.items() if r.models or form in requests}


def _check_rows(dataset: AuditedDataset, forms: Sequence[FormName]) -> None:
    """Raise ArtifactError, before a model is asked, for values that cannot be measured later."""
    for form in forms:
        part = AUDIT_FORMS[form]
        for _ in dataset.tables(form, part.measured_columns, part.optional_columns):
            pass
    for _ in dataset.accompanying("judgments", _JUDGMENTS):
        pass


def _to_ask(study: Study, requests: Iterable[ScoringRequest]) -> Iterator[tuple[str, Callable[[], Model]]]:
    """Yield the models that still have to be asked; models whose scores are stored are skipped."""
    for request in requests:
        if not is_current(study.out / request.stage, scores_recipe(study, request)):
            for name in request.models:
                yield name, functools.partial(_model, study, name, request.form)


def _model(study: Study, name: str, form: FormName) -> Model:
    return model_of(study, name, form).here()


def _fitting(source: ModelSource, dataset: AuditedDataset, forms: Sequence[FormName]) -> set[FormName]:
    """Return the ``forms`` that the model in ``source`` is asked in; raises ModelError if it fits none."""
    fitting, refusals = set[FormName](), []
    for form in dict.fromkeys(FORMS[name].rows_of for name in forms):
        try:
            fitting.update(asked_forms(source, (form,), AuditSettings().forms))
        except ModelError as e:
            refusals.append(e)
    if not fitting:
        kinds = " and ".join(dict.fromkeys(KINDS[form] for form in forms))
        raise ModelError(
            f"{dataset.name} {dataset.version} has only {kinds}: {refusals[0].message}",
            remedy=refusals[0].remedy,
        )
    return fitting


def _request(dataset: AuditedDataset, form: FormName, models: Sequence[str]) -> ScoringRequest:
    ending = f"_{form}" if FORMS[form].asks else ""
    return ScoringRequest(
        f"score_{KINDS[form]}{ending}",
        form,
        functools.partial(dataset.chunks, form),
        {"dataset": dataset.digest(KINDS[form])},
        tuple(models),
        "audit",
        left_out=AUDIT_FORMS[form].left_out(dataset.count(KINDS[form]), _asked_rows(dataset, form)),
    )


def _asked_rows(dataset: AuditedDataset, form: FormName) -> int:
    """Return the number of rows that are asked in ``form``."""
    if not AUDIT_FORMS[form].further_columns:
        return dataset.count(KINDS[form])
    return sum(table.num_rows for table in dataset.tables(form, ("id",)))


@dataclass(frozen=True)
class _Scores:
    """The scores in one form, read anew each time.

    A model that was asked in this audit counts with the new scores, not with released scores of another
    revision.
    """

    known: ReleasedScores
    artifact: Artifact | None

    def __iter__(self) -> Iterator[pa.Table]:
        scored_models = set[str]()
        if self.artifact is not None:
            for shard in self.artifact.shards_of("scores"):
                piece = self.artifact.piece(shard, AUDIT_FORMS[self.known.form].score_columns)
                scored_models.update(pc.unique(piece["model"]).to_pylist())
                yield piece
        yield from self.known.pieces(without=scored_models)


def _tables(
    study: Study,
    dataset: AuditedDataset,
    scores: Mapping[FormName, _Scores],
    by_wording: Artifact,
    traces: Artifact | None,
    tick: Tick,
) -> AuditTables:
    audit, judged = AuditTables(), _selections(dataset)
    for form, of_form in scores.items():
        part = AUDIT_FORMS[form]
        rows = AuditRows(
            sets=(RowSet(SET, _asked_rows(dataset, form), functools.partial(dataset.tables, form), judged),),
            sources=lambda: {
                study.model_label(name): source_of(study, name) for name in study.settings.audit.models
            },
            masks_by_name=study.settings.scoring.statements.by == "name",
        )
        audit = audit.joined(part.tables(rows, of_form, (), tick), part.wordings(by_wording, rows, ()))
        if traces is not None:
            audit.measures.extend(thought_rows(traces, part.traced(rows)))
    return audit


def _explorer(
    dataset: AuditedDataset, scores: Mapping[FormName, _Scores], traces: Artifact | None
) -> Mapping[str, Any] | None:
    judged = [t.filter(pc.invert(t["adjudication"])) for t in dataset.accompanying("judgments", _JUDGMENTS)]
    judgments = pa.concat_tables(judged) if judged else None
    payload = explorer_rows(dataset, {str(form): pieces for form, pieces in scores.items()}, judgments)
    if payload is None or traces is None:
        return payload
    return with_thoughts(payload, trace_tables(traces))


def _selections(dataset: AuditedDataset) -> Selections:
    """Return the selections that the judgments of ``dataset`` give; without judgments, or if its items lack
    the columns unit_id and verdict, there is only the selection measured."""
    judgments = list(dataset.accompanying("judgments", _JUDGMENTS))
    if not judgments or not dataset.has_columns("items", ("unit_id", "verdict")):
        return Selections()
    given = pa.concat_tables(judgments)
    adjudicated = given["adjudication"]
    return selections_of(given.filter(pc.invert(adjudicated)), given.filter(adjudicated))

"""The stage report: the page, and the tables of the audit as CSV and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, Recipe, is_finished, open_artifact
from nextset.artifacts.build import FilePart, build
from nextset.artifacts.drop_counts import drops
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.audit_form import AUDIT_FORMS
from nextset.auditing.audit_page import render
from nextset.auditing.audit_tables import (
    OWN_MEASURES,
    AuditTables,
    measures_csv,
    measures_json,
    recorded_tables,
)
from nextset.auditing.measures.item_measures import ACCURACY
from nextset.auditing.missing_rows import missing_rows
from nextset.auditing.report.explorer_payload import Votes, named_scores, votes_by_unit
from nextset.auditing.report.report_data import AgreementLine, ReportData, StageCount
from nextset.auditing.report.thought_payload import with_thoughts
from nextset.auditing.stage import audit_scores
from nextset.forms import FORMS, NLI
from nextset.pipeline.server_costs import server_costs
from nextset.pipeline.stage import Accuracy
from nextset.scoring.trace_stage import STAGE as TRACES
from nextset.scoring.trace_stage import trace_tables
from nextset.study.stereotype_sentences import by_name, stated_stereotypes, with_sentences
from nextset.study.study_folder import Study, of_study
from nextset.study.thinking_models import thinking_models

__all__ = [
    "accuracies",
    "report_recipe",
    "stage_count",
    "write_report",
]


def accuracies(study: Study) -> tuple[Accuracy, ...]:
    """Return each model's accuracy, in the order of the tables; raises MissingStage before `audit` has run.

    For a study of questions there are none.
    """
    measures = open_artifact(study.out / "audit").table("measures").to_pylist()
    missing = missing_rows(measures)
    by_model: dict[str, dict[str, float | None]] = {}
    roles: dict[str, str] = {}
    for row in measures:
        place = (row["form"], row["selection"], row["by"], row["measure"])
        if place == (NLI.name, "measured", "all", ACCURACY.name):
            by_model.setdefault(row["model"], {})[row["items"]] = row["value"]
            roles[row["model"]] = row["role"]
    return tuple(
        Accuracy(m, role, by_model[m].get("plain"), by_model[m].get("released"), missing.get(m, ""))
        for m, role in roles.items()
    )


def report_recipe(study: Study) -> Recipe:
    """Return the recipe that `write_report` would use now; raises MissingStage before `audit` has run."""
    stages = dict.fromkeys(["audit", *_shown_stages(study), *(stage for _, stage, _ in _counted(study))])
    inputs = {stage: open_artifact(study.out / stage).digest for stage in stages}
    shown = {"study": study.settings.name, "about": study.settings.about}
    if study.settings.release is not None:
        shown["name"] = study.release.name
    return Recipe("report", 12, inputs, shown)


@of_study
def write_report(study: Study, progress: Progress = SILENT) -> Artifact:
    """Write the page, measures.csv and measures.json."""
    with study.held("report"):
        audited = open_artifact(study.out / "audit")
        return build(
            study.out / "report",
            report_recipe(study),
            lambda: [
                FilePart("index.html", lambda: _page(study, audited)),
                FilePart("measures.csv", lambda: measures_csv(audited.table("measures"))),
                FilePart("measures.json", lambda: measures_json(audited.table("measures"))),
            ],
            progress=progress("report"),
        )


def _page(study: Study, audited: Artifact) -> bytes:
    tables = recorded_tables(audited.table, own_measures=OWN_MEASURES in audited.tables)
    return render(_data(study, tables)).encode()


def _data(study: Study, audit: AuditTables) -> ReportData:
    settings = study.settings
    name, number, path = settings.name, "", "out/generate"
    if settings.release is not None:
        (row,) = open_artifact(study.out / "dataset_version").table("version").to_pylist()
        name, number, path = study.release.name, row["version"], row["folder"]
    return ReportData(
        title=settings.name,
        about=settings.about,
        dataset_name=name,
        dataset_version=number,
        dataset_path=path,
        audit=audit,
        judge=_judge(study),
        stages=tuple(stage_count(study.out, *counted) for counted in _counted(study)),
        survival=_survival(study),
        agreement=_agreement(study),
        explorer=_explorer(study),
        server_costs=server_costs(study),
        versions=tuple((name, version(name)) for name in ("nextset", "transformers", "torch", "pyarrow")),
    )


def _shown_stages(study: Study) -> list[str]:
    """Return the stages whose tables the page shows, in addition to those that are counted."""
    known = ("filter_report", "validate", "dataset_version")
    return [stage for stage in known if is_finished(study.out / stage)]


def _judge(study: Study) -> Literal["people", "rule"] | None:
    """Return who judged the items; rule: no one, a rule checked their form; None: the items were not
    judged."""
    if not is_finished(study.out / "validate"):
        return None
    return "rule" if "form_ok" in open_artifact(study.out / "validate").tables else "people"


def _counted(study: Study) -> tuple[tuple[str, str, str], ...]:
    """Return the tables whose rows the report counts, for the stages that this study has."""
    form, tables = AUDIT_FORMS[study.settings.audited_forms[0]], []
    for name, stage, table in form.counted:
        if is_finished(study.out / stage) and (stage != "fill" or study.settings.fills):
            made = open_artifact(study.out / stage)
            if table not in made.tables:
                continue
            if form.shows_empty or stage != "generate" or made.rows(table):
                tables.append((name, stage, table))
    return tuple(tables)


def _survival(study: Study) -> pa.Table | None:
    """Return the numbers of candidates that were kept, by domain, or by class of the subjects; None without a
    filter report."""
    if study.settings.filter is None or not is_finished(study.out / "filter_report"):
        return None
    table = open_artifact(study.out / "filter_report").table("survival")
    by = AUDIT_FORMS[study.filter.form].survival_by
    return table.filter(pc.equal(table["by"], by)).select(["part", "model", "candidates", "survived"])


def _agreement(study: Study) -> tuple[AgreementLine, ...]:
    """Return the coefficients over all annotators; those of two annotators name the annotators, and are not
    shown."""
    if not is_finished(study.out / "validate"):
        return ()
    rows = open_artifact(study.out / "validate").table("agreement").to_pylist()
    fields = ("of", "by", "part", "value", "low", "high", "units")
    return tuple(
        AgreementLine(coefficient=row["name"], **{name: row[name] for name in fields})
        for row in rows
        if row["judge1"] is None
    )


def _votes(study: Study) -> Votes:
    """Return how often each verdict was given, by unit; empty before the stage validate."""
    if not is_finished(study.out / "validate"):
        return {}
    return votes_by_unit(open_artifact(study.out / "validate").table("judgments", ["unit_id", "verdict"]))


def _explorer(study: Study) -> Mapping[str, Any]:
    """Return the explorer's items: the released ones, or the generated ones if the study has no release."""
    forms, released = study.settings.audited_forms, study.settings.release is not None
    artifact = open_artifact(study.out / ("release" if released else "generate"))
    tables = [FORMS[form].released if released else FORMS[form].generated for form in forms]
    rows = [artifact.table(table) for table in tables if table in artifact.tables]
    shown = pa.concat_tables(rows, promote_options="default") if len(rows) > 1 else rows[0]
    if AUDIT_FORMS[forms[0]].states_stereotypes and (stated := stated_stereotypes(study.out)):
        shown = with_sentences(shown, by_name(stated))
    payload = AUDIT_FORMS[forms[0]].payload(shown, _scores(study), _votes(study))
    return with_thoughts(payload, _thoughts(study))


def _scores(study: Study) -> Iterator[pa.Table]:
    """Yield the scores that were measured, in all forms."""
    for form, pieces in audit_scores(study).items():
        yield from (named_scores(piece, form) for piece in pieces)


def _thoughts(study: Study) -> Iterator[pa.Table]:
    """Yield the thinking that models showed, if the study stores it."""
    if thinking_models(study.settings):
        yield from trace_tables(open_artifact(study.out / TRACES))


def stage_count(out: Path, name: str, stage: str, table: str) -> StageCount:
    """Return the numbers of rows that ``stage`` in folder ``out`` passed on in ``table`` and dropped, as
    ``name``."""
    artifact = open_artifact(out / stage)
    dropped: dict[str, int] = {}
    if stage == "fill" or (stage, table) == ("generate", "items"):
        dropped = drops(artifact.counts)
    if stage == "filter":
        dropped = dict(artifact.counts)  # all of them are reasons for rejection
    if table == "form_ok":
        dropped = {"form not ok": artifact.rows("items") - artifact.rows(table)}
    if table == "valid":
        verdicts = Counter(v or "no verdict" for v in artifact.table("items")["verdict"].to_pylist())
        dropped = {verdict: n for verdict, n in sorted(verdicts.items()) if verdict != "valid"}
    return StageCount(name, artifact.rows(table), tuple((why, n) for why, n in dropped.items() if n))

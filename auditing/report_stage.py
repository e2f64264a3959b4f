"""The stage report: one HTML page and the measures as CSV."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import FilePart, build
from nextset.artifacts.drop_counts import drops
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.examples import examples, models
from nextset.auditing.plots import StageCount
from nextset.auditing.report import ReportData, render
from nextset.auditing.stage import audit_scores
from nextset.study.study_folder import Study, of_study

__all__ = ["Accuracy", "accuracies", "report_file", "report_recipe", "stage_count", "write_report"]

_BEFORE = (
    ("plain expansion", "generate", "items"),
    ("masked", "generate", "masked"),
    ("filled", "fill", "items"),
    ("hard", "filter", "kept"),
)
"""The tables that the report counts before those of judging: name in the report, stage and table."""


@dataclass(frozen=True)
class Accuracy:
    """A model's accuracy on each set."""

    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit."""
    plain: float | None
    """Share of right labels on the plain expansion, in [0, 1]; None if it is undefined."""
    new: float | None
    """The same on the released dataset."""


def report_file(study: Study) -> Path:
    """Return the path of the report."""
    return study.out / "report" / "index.html"


def accuracies(study: Study) -> list[Accuracy]:
    """Return each model's accuracy, in the tables' order; raises MissingStage before `audit` has run."""
    audited = open_artifact(study.out / "audit")
    found: dict[str, dict[str, float | None]] = {"plain": {}, "new": {}}
    roles: dict[str, str] = {}
    for name, by_model in found.items():
        for row in audited.table(name).to_pylist():
            if row["measure"] == "accuracy":
                by_model[row["model"]] = row["value"]
                roles[row["model"]] = row["role"]
    return [Accuracy(m, role, found["plain"].get(m), found["new"].get(m)) for m, role in roles.items()]


def report_recipe(study: Study) -> Recipe:
    """Return the recipe of what `write_report` would make now; raises MissingStage before `audit` has run."""
    inputs = {
        s: open_artifact(study.out / s).digest
        for s in ("audit", "filter_report", "dataset_version", *dict.fromkeys(c[1] for c in _counted(study)))
    }
    shown = {"study": study.settings.name, "about": study.settings.about, "name": study.release.name}
    return Recipe("report", 5, inputs, shown)


@of_study
def write_report(study: Study, progress: Progress = SILENT) -> Artifact:
    """Write out/report/index.html and measures.csv; raises MissingStage before `audit` has run."""
    with study.held("report"):
        return build(
            study.out / "report",
            report_recipe(study),
            lambda: [
                FilePart("index.html", lambda: render(_data(study)).encode()),
                FilePart("measures.csv", lambda: _csv(open_artifact(study.out / "audit"))),
            ],
            progress=progress("report"),
        )


def _data(study: Study) -> ReportData:
    settings = study.settings
    audited = open_artifact(study.out / "audit")
    dataset = open_artifact(study.out / "release").table("items")
    (version_row,) = open_artifact(study.out / "dataset_version").table("version").to_pylist()
    scores = audit_scores(study)
    return ReportData(
        study=settings.name,
        about=settings.about,
        dataset_name=study.release.name,
        dataset_version=version_row["version"],
        dataset_path=version_row["folder"],
        judge=_judge(study),
        stages=tuple(stage_count(study.out, *counted) for counted in _counted(study)),
        survival=_survival(study),
        models=models(dataset, scores),
        plain=audited.table("plain"),
        new=audited.table("new"),
        new_by_domain=audited.table("new_by_domain"),
        new_by_stereotype=audited.table("new_by_stereotype"),
        examples=examples(dataset, scores),
        versions=tuple((name, version(name)) for name in ("nextset", "transformers", "torch", "pyarrow")),
    )


def _judge(study: Study) -> Literal["people", "rule"]:
    """Return who judged the items; rule: nobody, but a rule checked their form."""
    return "rule" if open_artifact(study.out / "validate").shards_of("form_ok") else "people"


def _counted(study: Study) -> tuple[tuple[str, str, str], ...]:
    """Return the tables whose rows the report counts: name in the report, stage and table."""
    by_rule = _judge(study) == "rule"
    checked = ("form ok", "form_ok") if by_rule else ("judged valid", "valid")
    return (*_BEFORE, (checked[0], "validate", checked[1]), ("released", "release", "items"))


def _survival(study: Study) -> pa.Table:
    """Return the candidates that the filter kept, by domain."""
    table = open_artifact(study.out / "filter_report").table("survival")
    by_domain = table.filter(pc.equal(table["by"], "domain"))
    return by_domain.select(["part", "model", "candidates", "survived"]).rename_columns({"part": "domain"})


def stage_count(out: Path, name: str, stage: str, table: str) -> StageCount:
    """Return what ``stage`` in folder ``out`` passed on in ``table``, under ``name``, and what it dropped."""
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


def _csv(audited: Artifact) -> bytes:
    """Return the measures of every set as CSV, one row per set × model × part × measure."""
    tables = []
    for name in ("plain", "new", "new_by_domain", "new_by_stereotype"):
        table = audited.table(name)
        tables.append(table.add_column(0, "set", pa.array([name] * table.num_rows, pa.string())))
    sink = io.BytesIO()
    pyarrow.csv.write_csv(pa.concat_tables(tables), sink)
    return sink.getvalue()

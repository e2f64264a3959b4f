"""The stage interventions_report: the page on the changes by interventions."""

from __future__ import annotations

from importlib.metadata import version

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import FilePart, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.report.figure import Figure
from nextset.extensions.interventions.audit.intervention_page import InterventionReport, render_interventions
from nextset.extensions.interventions.audit.intervention_records import (
    InterventionChange,
    TriggerTransfer,
    TuningChange,
)
from nextset.extensions.interventions.intervention import interventions_of
from nextset.extensions.interventions.occlusion.occlusion_figures import occlusion_figures
from nextset.extensions.interventions.occlusion.occlusion_records import OcclusionRow, TemplateOcclusionRow
from nextset.records.clear_questions import ClearQuestions
from nextset.study.study_folder import Study, of_study

__all__ = ["interventions_report_recipe", "report_interventions"]


def interventions_report_recipe(study: Study) -> Recipe:
    """Return the recipe that `report_interventions` would use now; raises MissingStage before `interventions`
    has run."""
    measured = open_artifact(study.out / "interventions")
    shown = {"study": study.settings.name, "about": study.settings.about}
    return Recipe("interventions_report", 8, {"interventions": measured.digest}, shown)


@of_study
def report_interventions(study: Study, progress: Progress = SILENT) -> Artifact:
    """Write out/interventions_report/index.html."""
    with study.held("interventions_report"):
        measured = open_artifact(study.out / "interventions")
        return build(
            study.out / "interventions_report",
            interventions_report_recipe(study),
            lambda: [FilePart("index.html", lambda: render_interventions(_data(study, measured)).encode())],
            progress=progress("interventions_report"),
        )


def _data(study: Study, measured: Artifact) -> InterventionReport:
    return InterventionReport(
        title=study.settings.name,
        about=study.settings.about,
        changes=[InterventionChange(**row) for row in measured.table("changes").to_pylist()],
        interventions={i.id: i for i in interventions_of(measured.table("interventions"))},
        transfer=[TriggerTransfer(**row) for row in measured.table("transfer").to_pylist()],
        tuning=_tuning(measured),
        clear=_clear(measured),
        occlusion=_occlusion(measured),
        versions=tuple((name, version(name)) for name in ("nextset", "transformers", "torch", "pyarrow")),
    )


def _tuning(measured: Artifact) -> list[TuningChange]:
    """Return the changes by tuning; empty without interventions.tuning."""
    if "tuning" not in measured.tables:
        return []
    return [TuningChange(**row) for row in measured.table("tuning").to_pylist()]


def _clear(measured: Artifact) -> list[ClearQuestions]:
    """Return the canaries that tuned readers still answer; empty without interventions.tuning."""
    if "clear_questions" not in measured.tables:
        return []
    return [ClearQuestions(**row) for row in measured.table("clear_questions").to_pylist()]


def _occlusion(measured: Artifact) -> list[Figure]:
    """Return the figures of occlusion; empty without interventions.occlusion."""
    if "occlusion" not in measured.tables:
        return []
    figures = occlusion_figures(
        [OcclusionRow(**row) for row in measured.table("occlusion").to_pylist()],
        [TemplateOcclusionRow(**row) for row in measured.table("occlusion_by_template").to_pylist()],
    )
    return [*figures.templates, *figures.rows]

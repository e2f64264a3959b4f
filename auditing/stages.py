"""The stages of auditing: models are measured on the dataset, and a report shows the measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from nextset.pipeline.stage import Accuracy, Stage

if TYPE_CHECKING:
    from nextset.artifacts.artifact import Artifact, Recipe
    from nextset.artifacts.progress_callback import Progress
    from nextset.study.study_folder import Study
    from nextset.study.study_sections import StudyFile

__all__ = ["AUDIT", "REPORT"]


class Audit(Stage):
    """Measures every model of the study on the released dataset."""

    name = "audit"
    section = "audit"
    inputs = ("generate", "fill", "score", "filter_report", "validate", "release")
    artifacts: ClassVar[Mapping[str, str]] = {
        "score_release": "audit",
        "score_release_held_out": "audit",
        "score_audit": "audit",
        "score_audit_qa": "audit",
        "score_audit_choice": "audit",
        "score_audit_question": "audit",
        "score_audit_statement": "audit",
        "score_wordings": "audit",
        "traces": "audit",
    }

    def wanted(self, settings: StudyFile) -> bool:
        return bool(settings.audited_forms)

    def check(self, study: Study) -> None:
        """Raise NextsetError if a measure that the study names cannot be used, or a model of the audit.

        In a study with a filter, the stage score checks the models.
        """
        from nextset.auditing.stage import study_measures
        from nextset.scoring.stage import check_study_models

        study_measures(study)
        if study.settings.filter is None:
            check_study_models(study)

    def accuracies(self, study: Study) -> tuple[Accuracy, ...]:
        """Return the accuracy of each model on the plain expansion and on the released dataset."""
        from nextset.auditing.report_stage import accuracies

        return accuracies(study)

    def conclusions(self, artifact: Artifact) -> tuple[str, ...]:
        """Return how much each model thought, for those that show it."""
        from nextset.auditing.traces.thought_rows import thought_sentences

        return thought_sentences(artifact.table("measures"))

    def recipe(self, study: Study) -> Recipe:
        from nextset.auditing.stage import audit_recipe

        return audit_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.auditing.stage import audit

        return audit(study, progress)


class Report(Stage):
    """Writes the HTML report of the audit."""

    name = "report"
    section = "audit"
    inputs = ("filter_report", "validate", "dataset_version", "audit")
    is_page = True
    place = "report"

    def wanted(self, settings: StudyFile) -> bool:
        return bool(settings.audited_forms)

    def recipe(self, study: Study) -> Recipe:
        from nextset.auditing.report_stage import report_recipe

        return report_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.auditing.report_stage import write_report

        return write_report(study, progress)


AUDIT, REPORT = Audit(), Report()

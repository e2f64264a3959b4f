"""The stages of interventions: triggers are sought, readers tuned, and models asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from nextset.pipeline.stage import Stage

if TYPE_CHECKING:
    from nextset.artifacts.artifact import Artifact, Recipe
    from nextset.artifacts.progress_callback import Progress
    from nextset.study.study_folder import Study
    from nextset.study.study_sections import StudyFile

__all__ = ["INTERVENTIONS", "INTERVENTIONS_REPORT", "TRIGGERS", "TUNE"]


class Triggers(Stage):
    """Searches for tokens that bring the groups' probabilities together."""

    name = "triggers"
    section = "interventions.triggers"
    inputs = ("generate",)
    before = ("score",)
    step = "audit"
    shown_tables = ("triggers",)

    def recipe(self, study: Study) -> Recipe:
        from nextset.extensions.interventions.triggers.stage import triggers_recipe

        return triggers_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.extensions.interventions.triggers.stage import seek_triggers

        return seek_triggers(study, progress)


class Tune(Stage):
    """Fine-tunes readers to follow ethical advice and ignore other advice."""

    name = "tune"
    section = "interventions.tuning"
    inputs = ("generate",)
    before = ("score",)
    step = "audit"

    def recipe(self, study: Study) -> Recipe:
        from nextset.extensions.interventions.tuning.stage import tune_recipe

        return tune_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.extensions.interventions.tuning.stage import tune_readers

        return tune_readers(study, progress)


class Interventions(Stage):
    """Asks models with and without added sentences, and measures what the sentences change."""

    name = "interventions"
    section = "interventions"
    inputs = ("generate", "triggers", "tune")
    artifacts: ClassVar[Mapping[str, str]] = {
        "score_interventions_*": "interventions",
        "score_twins_*": "interventions",
        "score_tuned_*": "interventions",
        "score_occlusion_*": "interventions",
        "intervention_series": "interventions",
    }

    def left_out(self, settings: StudyFile) -> tuple[str, ...]:
        """Return fill for a study without a filter: interventions are added to the plain expansion."""
        return ("fill",) if settings.filter is None else ()

    def check(self, study: Study) -> None:
        from nextset.extensions.interventions.audit.stage import check_told_models

        check_told_models(study)

    def recipe(self, study: Study) -> Recipe:
        from nextset.extensions.interventions.audit.stage import interventions_recipe

        return interventions_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.extensions.interventions.audit.stage import audit_interventions

        return audit_interventions(study, progress)


class InterventionsReport(Stage):
    """Writes the HTML report on interventions."""

    name = "interventions_report"
    section = "interventions"
    inputs = ("interventions",)
    is_page = True
    command = "interventions"
    place = "interventions"

    def recipe(self, study: Study) -> Recipe:
        from nextset.extensions.interventions.audit.report_stage import interventions_report_recipe

        return interventions_report_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.extensions.interventions.audit.report_stage import report_interventions

        return report_interventions(study, progress)


TRIGGERS, TUNE = Triggers(), Tune()
INTERVENTIONS, INTERVENTIONS_REPORT = Interventions(), InterventionsReport()

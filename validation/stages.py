"""The stage of validation: the verdicts of annotators are added to the items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from nextset.pipeline.stage import Stage, count_warnings

if TYPE_CHECKING:
    from nextset.artifacts.artifact import Artifact, Recipe
    from nextset.artifacts.progress_callback import Progress
    from nextset.records.expected_units import ExpectedValid
    from nextset.study.study_folder import Study
    from nextset.study.study_sections import StudyFile

__all__ = ["VALIDATE"]


class Validate(Stage):
    """Adds the verdicts of annotators to the kept items."""

    name = "validate"
    section = "validate"
    inputs = ("filter",)
    command = "validate apply"
    artifacts: ClassVar[Mapping[str, str]] = {
        "validate_report": "validate report",
        "validator": "validate predict",
    }
    shown_tables = ("items", "valid", "form_ok")
    forecasts = "filter"

    def wanted(self, settings: StudyFile) -> bool:
        if settings.filter is None:
            return False
        if settings.validate_.session is not None:
            return True
        from nextset.validation.forms.validated_form import VALIDATED_FORMS

        form = settings.filter.form
        return form in VALIDATED_FORMS and VALIDATED_FORMS[form].checked_by_rule

    def warnings(self, artifact: Artifact) -> tuple[str, ...]:
        """Return warnings on missing judgments, and on those that do not count."""
        from nextset.validation.stage_warnings import WARNINGS

        warnings = count_warnings(artifact, WARNINGS)
        if "form_ok" in artifact.tables:
            warnings += ("these items were not judged: a rule checked only their form (judge: rule)",)
        return warnings + super().warnings(artifact)

    def forecast(self, study: Study) -> ExpectedValid | None:
        from nextset.validation.verdict_model.stage import expectation

        return expectation(study)

    def recipe(self, study: Study) -> Recipe:
        from nextset.validation.stage import validate_recipe

        return validate_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.validation.stage import apply_judgments

        return apply_judgments(study, progress)


VALIDATE = Validate()

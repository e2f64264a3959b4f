"""The stages of filtering: the hard candidates are kept, and a report says how hard they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from nextset.pipeline.stage import Stage

if TYPE_CHECKING:
    from nextset.artifacts.artifact import Artifact, Recipe
    from nextset.artifacts.progress_callback import Progress
    from nextset.study.study_folder import Study

__all__ = ["FILTER", "FILTER_REPORT"]


class Filter(Stage):
    """Keeps the candidates that are hard for the filter models."""

    name = "filter"
    section = "filter"
    inputs = ("generate", "fill", "score")
    artifacts: ClassVar[Mapping[str, str]] = {"filter_comparison": "filter --compare"}
    shown_tables = ("kept", "rejected")

    def warnings(self, artifact: Artifact) -> tuple[str, ...]:
        """Return the warnings of the balance."""
        rows = artifact.table("balance").to_pylist() if "balance" in artifact.tables else []
        return (*(row["warning"] for row in rows if row["warning"]), *super().warnings(artifact))

    def check(self, study: Study) -> None:
        """Raise the errors of the rule: the code of an own rule must be trusted."""
        from nextset.filtering.stage import study_rule

        study_rule(study)

    def recipe(self, study: Study) -> Recipe:
        from nextset.filtering.stage import filter_recipe

        return filter_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.filtering.stage import filter_candidates

        return filter_candidates(study, progress)


class FilterReport(Stage):
    """Asks the held-out models about the kept candidates, and writes the report on the filter."""

    name = "filter_report"
    section = "filter"
    inputs = ("generate", "filter", "score")
    is_page = True
    command = "filter"
    artifacts: ClassVar[Mapping[str, str]] = {"score_held_out": "filter"}
    place = "filter_report"

    def recipe(self, study: Study) -> Recipe:
        from nextset.filtering.report_stage import filter_report_recipe

        return filter_report_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.filtering.report_stage import report_filter

        return report_filter(study, progress)


FILTER, FILTER_REPORT = Filter(), FilterReport()

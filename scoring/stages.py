"""The stage of scoring: the filter models score the candidates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from nextset.pipeline.stage import Stage

if TYPE_CHECKING:
    from nextset.artifacts.artifact import Artifact, Recipe
    from nextset.artifacts.progress_callback import Progress
    from nextset.study.study_folder import Study
    from nextset.study.study_sections import StudyFile

__all__ = ["SCORE"]


class Score(Stage):
    """Scores every candidate with the filter models."""

    name = "score"
    section = "scoring"
    inputs = ("generate", "fill")
    artifacts: ClassVar[Mapping[str, str]] = {"score_pilot": "score"}
    shown_tables = ("scores",)
    shown_in_summary = False

    def wanted(self, settings: StudyFile) -> bool:
        return settings.filter is not None

    def check(self, study: Study) -> None:
        from nextset.scoring.stage import check_study_models

        check_study_models(study)

    def recipe(self, study: Study) -> Recipe:
        from nextset.scoring.stage import score_recipe

        return score_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.scoring.stage import score

        return score(study, progress)


SCORE = Score()

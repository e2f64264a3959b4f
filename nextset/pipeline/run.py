"""`nextset run`: the pipeline of all stages of a study, with a summary."""

from __future__ import annotations

from collections.abc import Callable

from nextset.artifacts.made_folder import making
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.pipeline.stage_list import foreign, stages_until
from nextset.pipeline.stage_result import StageResult, Summary, stage_result, summary_of
from nextset.study.study_folder import Study, of_study

__all__ = ["run"]


@of_study
def run(
    study: Study,
    progress: Progress = SILENT,
    told: Callable[[StageResult], None] = lambda result: None,
    *,
    until: str | None = None,
) -> Summary:
    """Run every unfinished stage of ``study`` and return a summary. Call ``told`` with each result.

    With ``until``, the stages after the one of that name do not run. Raises InputError if the study does not
    have it, WaitingForPeople if annotators have to judge first, and the errors of the stages.
    """
    with study.held("run"):
        stages = stages_until(study, until)
        for stage in sorted(stages, key=lambda stage: stage.checked_last):
            with foreign(stage), making(study.out / "canaries"):
                stage.check(study)  # before hours of work
        results: list[StageResult] = []
        for stage in stages:
            with foreign(stage):
                artifact = stage.run(study, progress)
            results.append(stage_result(stage, artifact))
            told(results[-1])
        return summary_of(study, stages, tuple(results))

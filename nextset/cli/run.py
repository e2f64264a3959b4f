"""`nextset run`: the walk through the whole house."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nextset.artifacts.artifact import Artifact
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.cli.stage_list import stages_of
from nextset.study.study_folder import Study

if TYPE_CHECKING:
    from nextset.auditing.report_stage import Accuracy

__all__ = ["StageResult", "Summary", "run", "stage_result"]


@dataclass(frozen=True)
class StageResult:
    """What a stage did in this run."""

    stage: str
    """The stage's name."""
    built: str
    """made, resumed, repaired or reused."""
    rows: dict[str, int]
    """Rows by table."""
    counts: dict[str, int]
    """What was counted on the way, such as rows dropped by reason."""
    remade: tuple[str, ...]
    """Files that were damaged and made again."""
    warnings: tuple[str, ...] = ()
    """What a person should look at."""


@dataclass(frozen=True)
class Summary:
    """What a run made."""

    study: str
    """The study's name."""
    stages: tuple[StageResult, ...]
    """Each stage, in their order."""
    accuracy: tuple[Accuracy, ...]
    """Each model."""
    dataset: Path | None
    """The released dataset's folder; None where the study releases nothing."""
    report: Path | None
    """The HTML report; None where nothing is audited."""
    filter_report: Path | None
    """The HTML report on what the filter chose; None where nothing is filtered."""
    made: Path
    """Where the expanded items, quads and statements are."""

    def as_json(self) -> dict[str, Any]:
        """The summary as JSON has it."""
        places = {
            "dataset": self.dataset,
            "report": self.report,
            "filter_report": self.filter_report,
            "made": self.made,
        }
        return {**asdict(self), **{name: str(path) if path else None for name, path in places.items()}}


def run(
    study: Study,
    progress: Progress = SILENT,
    told: Callable[[StageResult], None] = lambda result: None,
) -> Summary:
    """Run every stage of ``study`` that is not done, and sum up; ``told`` hears of each when it ends.

    Raises WaitingForPeople when annotators have to judge first, and whatever a stage raises.
    """
    with study.held("run"):
        if study.settings.filter is not None:
            from nextset.scoring.checks.named_models import check_named_models

            check_named_models(
                study.filter, study.settings.audit.models, study.folder
            )  # before hours of other work
        results = []
        for stage in stages_of(study):
            results.append(stage_result(stage.name, stage.run(study, progress)))
            told(results[-1])
        return _summary(study, tuple(results))


def stage_result(name: str, artifact: Artifact) -> StageResult:
    """What is to be said of an artifact that a stage gave."""
    tables = dict.fromkeys(s.table for s in artifact.shards if s.table)
    rows = {table: artifact.rows(table) for table in tables}
    balance = artifact.table("balance").to_pylist() if "balance" in tables else []
    warnings = tuple(row["warning"] for row in balance if row["warning"])
    return StageResult(name, artifact.built, rows, artifact.counts, artifact.remade, warnings)


def _summary(study: Study, results: tuple[StageResult, ...]) -> Summary:
    name, made, chosen = (
        study.settings.name,
        study.out / "generate",
        study.out / "filter_report" / "index.html",
    )
    if study.settings.filter is None:
        return Summary(name, results, (), None, None, None, made)
    if study.settings.release is None:
        return Summary(name, results, (), None, None, chosen, made)
    from nextset.auditing.report_stage import accuracies, report_file
    from nextset.release.stage import dataset_folder

    measured = tuple(accuracies(study))
    return Summary(name, results, measured, dataset_folder(study), report_file(study), chosen, made)

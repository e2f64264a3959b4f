"""The stages of the release: rows are selected, compared and written as a dataset version."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nextset.pipeline.stage import Stage, count_warnings

if TYPE_CHECKING:
    from nextset.artifacts.artifact import Artifact, Recipe
    from nextset.artifacts.progress_callback import Progress
    from nextset.study.study_folder import Study

__all__ = ["DATASET_VERSION", "RELEASE", "RELEASE_REPORT"]


class Release(Stage):
    """Selects the rows whose verdicts count, adds counterfactuals and checks pairs."""

    name = "release"
    section = "release"
    inputs = ("generate", "fill", "filter", "validate")
    command = "release build"
    hides_empty_tables = True

    @property
    def shown_tables(self) -> tuple[str, ...]:
        """The tables of all forms."""
        from nextset.forms import FORMS

        return tuple(dict.fromkeys(form.released for form in FORMS))

    def warnings(self, artifact: Artifact) -> tuple[str, ...]:
        """Return warnings on units with few judgments and on items that name no group."""
        from nextset.release.stage import NO_GROUP
        from nextset.release.verdict_selection import FEW_JUDGMENTS
        from nextset.study.validation_settings import FEWER_JUDGMENTS

        texts = {
            FEW_JUDGMENTS: (
                f"released units have {FEWER_JUDGMENTS} (overlap, agree); the card says so",
                f"released unit has {FEWER_JUDGMENTS} (overlap, agree); the card says so",
            ),
            NO_GROUP: (
                "items do not name a known group: they have no counterpart and measure no bias",
                "item does not name a known group: it has no counterpart and measures no bias",
            ),
        }
        return count_warnings(artifact, texts) + super().warnings(artifact)

    def check(self, study: Study) -> None:
        from nextset.release.stage import check_judgments

        check_judgments(study)

    def recipe(self, study: Study) -> Recipe:
        from nextset.release.stage import release_recipe

        return release_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.release.stage import build_release

        return build_release(study, progress)


class ReleaseReport(Stage):
    """Looks for duplicates and contamination, and writes the report on the release."""

    name = "release_report"
    section = "release"
    inputs = ("release",)
    is_page = True
    command = "release build"

    def recipe(self, study: Study) -> Recipe:
        from nextset.release.report_stage import release_report_recipe

        return release_report_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.release.report_stage import report_release

        return report_release(study, progress)


class DatasetVersion(Stage):
    """Writes the dataset version with its card."""

    name = "dataset_version"
    section = "release"
    inputs = (
        "generate", "fill", "score", "filter", "filter_report", "validate", "release", "release_report",
        "audit",
    )  # fmt: skip
    command = "release build"
    place = "dataset"

    def path(self, study: Study) -> Path:
        from nextset.release.dataset_files.stage import dataset_folder

        return dataset_folder(study)

    def version_text(self, study: Study) -> str:
        from nextset.release.dataset_files.stage import version_text

        return version_text(study)

    def changed_files(self, study: Study, *, deep: bool) -> tuple[str, ...]:
        from nextset.release.dataset_files.stage import changed_files

        return changed_files(study, deep=deep)

    def recipe(self, study: Study) -> Recipe:
        from nextset.release.dataset_files.stage import dataset_version_recipe

        return dataset_version_recipe(study)

    def run(self, study: Study, progress: Progress) -> Artifact:
        from nextset.release.dataset_files.stage import write_dataset_version

        return write_dataset_version(study, progress)


RELEASE, RELEASE_REPORT, DATASET_VERSION = Release(), ReleaseReport(), DatasetVersion()

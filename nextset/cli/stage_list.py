"""The stages in their order, each with the function that runs it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.progress_callback import Progress
from nextset.study.study_folder import Study

__all__ = ["STAGES", "Stage", "stages_of"]


@dataclass(frozen=True)
class Stage:
    """A stage's name, and the module of its functions, which are imported when they are called."""

    name: str
    """The name of its command and its artifact."""
    module: str
    """The module of its functions."""
    function: str
    """The function that runs it."""

    def run(self, study: Study, progress: Progress) -> Artifact:
        """Run the stage, or reuse its existing artifact."""
        function = getattr(importlib.import_module(self.module), self.function)
        return cast("Callable[[Study, Progress], Artifact]", function)(study, progress)

    def recipe(self, study: Study) -> Recipe:
        """Return the recipe of what the stage would make now; raises ArtifactError if a stage is missing."""
        function = getattr(importlib.import_module(self.module), f"{self.name}_recipe")
        return cast("Callable[[Study], Recipe]", function)(study)


STAGES = (
    Stage("generate", "nextset.generation.stage", "generate"),
    Stage("fill", "nextset.generation.mask_fills.stage", "fill"),
    Stage("score", "nextset.scoring.stage", "score"),
    Stage("filter", "nextset.filtering.stage", "filter_candidates"),
    Stage("filter_report", "nextset.filtering.report_stage", "report_filter"),
    Stage("validate", "nextset.validation.stage", "apply_judgments"),
    Stage("release", "nextset.release.stage", "build_release"),
    Stage("audit", "nextset.auditing.stage", "audit"),
    Stage("report", "nextset.auditing.report_stage", "write_report"),
)


def stages_of(study: Study) -> tuple[Stage, ...]:
    """Return the stages that ``study`` runs: without a section filter, only those that make items.

    Questions and statements are filtered, and judged if the study describes a session; there is no release.
    """
    settings, templates = study.settings.filter, study.settings.templates
    if settings is not None and settings.form == "nli":
        return STAGES
    last = 2 if settings is None else 5 if study.settings.validate_.session is None else 6
    return tuple(stage for stage in STAGES[:last] if templates or stage.name != "fill")

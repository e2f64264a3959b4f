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
    """A stage's name and the module of its functions, which is imported when they are called."""

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
        """Return the recipe of the stage's artifact as of now. Raises ArtifactError if a stage is missing."""
        function = getattr(importlib.import_module(self.module), f"{self.name}_recipe")
        return cast("Callable[[Study], Recipe]", function)(study)


STAGES = (
    Stage("generate", "nextset.generation.stage", "generate"),
    Stage("fill", "nextset.generation.mask_fills.stage", "fill"),
    Stage("triggers", "nextset.extensions.interventions.triggers.stage", "seek_triggers"),
    Stage("tune", "nextset.extensions.interventions.tuning.stage", "tune_readers"),
    Stage("score", "nextset.scoring.stage", "score"),
    Stage("filter", "nextset.filtering.stage", "filter_candidates"),
    Stage("filter_report", "nextset.filtering.report_stage", "report_filter"),
    Stage("validate", "nextset.validation.stage", "apply_judgments"),
    Stage("release", "nextset.release.stage", "build_release"),
    Stage("release_report", "nextset.release.report_stage", "report_release"),
    Stage("audit", "nextset.auditing.stage", "audit"),
    Stage("dataset_version", "nextset.release.dataset_files.stage", "write_dataset_version"),
    Stage("report", "nextset.auditing.report_stage", "write_report"),
    Stage("interventions", "nextset.extensions.interventions.audit.stage", "audit_interventions"),
    Stage(
        "interventions_report", "nextset.extensions.interventions.audit.report_stage", "report_interventions"
    ),
    Stage("ambiguous_questions", "nextset.extensions.ambiguity.questions.stage", "make_ambiguous_questions"),
    Stage("selectional", "nextset.extensions.ambiguity.selectional.stage", "audit_selectional"),
    Stage(
        "selectional_report", "nextset.extensions.ambiguity.selectional.report_stage", "report_selectional"
    ),
    Stage("passage_index", "nextset.extensions.ambiguity.search.stage", "index_passages"),
    Stage("retrieved", "nextset.extensions.ambiguity.search.search_stage", "search_passages"),
    Stage("retrieval", "nextset.extensions.ambiguity.retrieval.stage", "audit_retrieval"),
    Stage("retrieval_report", "nextset.extensions.ambiguity.retrieval.report_stage", "report_retrieval"),
)

_FILTERED = {"score", "filter", "filter_report", "validate", "audit", "report"}
"""Stages of studies with a section filter."""
_RELEASED = {"release", "release_report", "dataset_version"}
"""Stages of studies with a section release."""
_TOLD = {"interventions", "interventions_report"}
"""Stages of studies with a section interventions."""
_SELECTIONAL = {"ambiguous_questions", "selectional", "selectional_report"}
"""Stages of studies with a section ambiguity.selectional."""
_RETRIEVAL = {"passage_index", "retrieved", "retrieval", "retrieval_report"}
"""Stages of studies with a section ambiguity.retrieval."""


def stages_of(study: Study) -> tuple[Stage, ...]:
    """Return the stages that ``study`` runs, in their order.

    A study with only a section ambiguity generates nothing. A study without a section filter makes
    questions and statements, and releases them if it has a section release. Questions and statements are
    judged if the study describes a session.
    """
    settings = study.settings
    items = settings.filter is not None and settings.filter.form == "nli"
    left_out: set[str] = set()
    if settings.filter is None:
        left_out |= _FILTERED
    elif not items and settings.validate_.session is None:
        left_out.add("validate")
    if settings.release is None:
        left_out |= _RELEASED
    if not settings.generates:
        left_out |= {"generate", "fill"}
    if not settings.has("ambiguity.selectional"):
        left_out |= _SELECTIONAL
    if not settings.has("ambiguity.retrieval"):
        left_out |= _RETRIEVAL
    if not settings.has("interventions"):
        left_out |= _TOLD
    elif settings.filter is None:
        left_out.add("fill")  # interventions are added to the plain expansion
    if not settings.has("interventions.triggers"):
        left_out.add("triggers")
    if not settings.has("interventions.tuning"):
        left_out.add("tune")
    if not settings.templates and not items:
        left_out.add("fill")
    return tuple(stage for stage in STAGES if stage.name not in left_out)

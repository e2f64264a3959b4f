"""The stage retrieval_report: the page on whom retrievers and readers find."""

from __future__ import annotations

from importlib.metadata import version
from typing import TypeVar

import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import FilePart, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.extensions.ambiguity.passages import OpenQuestion
from nextset.extensions.ambiguity.retrieval.retrieval_page import RetrievalReport, render_retrieval
from nextset.extensions.ambiguity.retrieval.retrieval_records import (
    Amplification,
    BaseRate,
    BaseRateTest,
    FoundPassage,
    GroupShare,
    GroupSource,
    OpenAnswer,
    RetrievalFinding,
)
from nextset.records.arrow_schema import records_of
from nextset.study.study_folder import Study, of_study

__all__ = ["report_retrieval", "retrieval_report_recipe"]

_FIRST = 10
"""The number of passages of each question that the page may show."""

R = TypeVar("R")


def retrieval_report_recipe(study: Study) -> Recipe:
    """Return the recipe that `report_retrieval` would use now; raises MissingStage before `retrieval` has
    run."""
    measured, retrieved = (open_artifact(study.out / name) for name in ("retrieval", "retrieved"))
    shown = {"study": study.settings.name, "about": study.settings.about}
    return Recipe("retrieval_report", 5, {"retrieval": measured.digest, "retrieved": retrieved.digest}, shown)


@of_study
def report_retrieval(study: Study, progress: Progress = SILENT) -> Artifact:
    """Write out/retrieval_report/index.html."""
    with study.held("retrieval_report"):
        recipe = retrieval_report_recipe(study)
        return build(
            study.out / "retrieval_report",
            recipe,
            lambda: [FilePart("index.html", lambda: render_retrieval(_data(study)).encode())],
            progress=progress("retrieval_report"),
        )


def _data(study: Study) -> RetrievalReport:
    measured, retrieved = (open_artifact(study.out / name) for name in ("retrieval", "retrieved"))
    passages = measured.table("found")
    first = passages.filter(pc.less_equal(passages["rank"], _FIRST)).to_pylist()
    libraries = ("nextset", "transformers", "torch", "pyarrow", "scipy", "bm25s")
    return RetrievalReport(
        title=study.settings.name,
        about=study.settings.about,
        questions=records_of(retrieved.table("questions"), OpenQuestion),
        shares=records_of(measured.table("shares"), GroupShare),
        tests=records_of(measured.table("tests"), BaseRateTest),
        changes=records_of(measured.table("amplification"), Amplification),
        base_rates=records_of(measured.table("base_rates"), BaseRate),
        sources=records_of(measured.table("groups"), GroupSource),
        first=[FoundPassage(**row) for row in first],
        answers=records_of(measured.table("answers"), OpenAnswer),
        conclusions=records_of(measured.table("conclusions"), RetrievalFinding),
        versions=tuple((name, version(name)) for name in libraries),
    )

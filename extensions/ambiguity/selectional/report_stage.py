"""The stage selectional_report: the page on who gets found."""

from __future__ import annotations

from importlib.metadata import version

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import FilePart, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.extensions.ambiguity.ambiguous_questions import RefusedQuestion
from nextset.extensions.ambiguity.selectional.answer_examples import AnswerSpans, answer_examples
from nextset.extensions.ambiguity.selectional.question_answers import questions_with_people
from nextset.extensions.ambiguity.selectional.selectional_page import SelectionalReport, render_selectional
from nextset.extensions.ambiguity.selectional.selectional_records import (
    AdjustedOdds,
    AnsweringModel,
    CopySwap,
    GroupDifference,
    GroupRecall,
    GroupTest,
    OrderRecall,
    PersonFound,
    SelectionalFinding,
)
from nextset.extensions.ambiguity.selectional.stage import ANSWERS
from nextset.extensions.ambiguity.settings.study_settings import selectional_of
from nextset.extensions.ambiguity.unanswered_groups import UnansweredGroup
from nextset.records.arrow_schema import records_of
from nextset.study.study_folder import Study, of_study

__all__ = ["report_selectional", "selectional_report_recipe"]

_INPUTS = ("selectional", "ambiguous_questions", ANSWERS)
_EXAMPLES = 8


def selectional_report_recipe(study: Study) -> Recipe:
    """Return the recipe that `report_selectional` would use now; raises MissingStage before `selectional` has
    run."""
    inputs = {name: open_artifact(study.out / name).digest for name in _INPUTS}
    shown = {
        "study": study.settings.name,
        "about": study.settings.about,
        "attribute": selectional_of(study).group,
    }
    return Recipe("selectional_report", 6, inputs, shown)


@of_study
def report_selectional(study: Study, progress: Progress = SILENT) -> Artifact:
    """Write out/selectional_report/index.html."""
    with study.held("selectional_report"):
        return build(
            study.out / "selectional_report",
            selectional_report_recipe(study),
            lambda: [FilePart("index.html", lambda: render_selectional(_data(study)).encode())],
            progress=progress("selectional_report"),
        )


def _data(study: Study) -> SelectionalReport:
    measured, made = (open_artifact(study.out / name) for name in _INPUTS[:2])
    questions = questions_with_people(made.table("questions"), made.table("answers"))
    people = records_of(measured.table("found"), PersonFound)
    spans = _spans(open_artifact(study.out / ANSWERS).table("answers"))
    tests = [{**row, "groups": tuple(row["groups"])} for row in measured.table("tests").to_pylist()]
    return SelectionalReport(
        title=study.settings.name,
        about=study.settings.about,
        attribute=selectional_of(study).group,
        models=records_of(measured.table("models"), AnsweringModel),
        findings=records_of(measured.table("conclusions"), SelectionalFinding),
        recall=records_of(measured.table("recall"), GroupRecall),
        tests=[GroupTest(**row) for row in tests],
        differences=records_of(measured.table("differences"), GroupDifference),
        order=records_of(measured.table("order"), OrderRecall),
        adjusted=records_of(measured.table("adjusted"), AdjustedOdds),
        swaps=records_of(measured.table("swaps"), CopySwap),
        refused=records_of(made.table("refused"), RefusedQuestion),
        silent=records_of(measured.table("unanswered"), UnansweredGroup)
        if measured.rows("unanswered")
        else (),
        examples=answer_examples(questions, people, spans, _EXAMPLES),
        versions=tuple((name, version(name)) for name in ("nextset", "spacy", "transformers", "torch")),
    )


def _spans(answers: pa.Table) -> AnswerSpans:
    columns = (answers[name].to_pylist() for name in ("model", "question_id", "start", "end"))
    return {
        (model, asked): (start, end)
        for model, asked, start, end in zip(*columns, strict=True)
        if start is not None
    }

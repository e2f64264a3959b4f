"""The stage selectional: it measures which of several right answers models give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from nextset.artifacts.artifact import Artifact, Recipe, current_digest, open_artifact
from nextset.artifacts.build import build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import StudyError
from nextset.extensions.ambiguity.selectional.name_matching import check_tokenizer
from nextset.extensions.ambiguity.selectional.question_answers import (
    asked_answers,
    predicted_answers,
    questions_with_people,
    silent_outcomes,
)
from nextset.extensions.ambiguity.selectional.selectional_tables import SelectionalTables
from nextset.extensions.ambiguity.settings.study_settings import selectional_of
from nextset.files.squad_predictions import AnswerFile, read_answer_file
from nextset.scoring.answer_stage import AnswerRequest, answer_questions, answer_recipe
from nextset.scoring.answers.answer_rows import QUESTION_COLUMNS
from nextset.scoring.answers.no_answer_training import trained_on_no_answer
from nextset.scoring.checks.run_check import check_clear_cases
from nextset.scoring.model_kinds import check_kind, writes
from nextset.scoring.study_models import model_of
from nextset.study.model_key import model_key
from nextset.study.study_folder import Study, of_study

__all__ = ["ANSWERS", "audit_selectional", "check_selectional", "selectional_recipe"]

ANSWERS = "selectional_answers"
"""The artifact with the models' answers."""


@of_study
def audit_selectional(study: Study, progress: Progress = SILENT) -> Artifact:
    """Ask the models of ambiguity.selectional, and compute recall by group and by order of mention:
    out/selectional.

    Raises ModelError for a model that cannot answer, InputError for predictions that cannot be read.
    """
    with study.held("selectional"):
        made = open_artifact(study.out / "ambiguous_questions")
        files = dict(_predictions(study))
        _check_kinds(study)
        _check_tokenizers(made.table("questions")["language"].unique().to_pylist())
        answers = answer_questions(study, _request(study, made), progress)

        def tables() -> SelectionalTables:
            questions = questions_with_people(made.table("questions"), made.table("answers"))
            refused = made.table("refused")["key"].to_pylist()
            labels = [study.model_label(name) for name in selectional_of(study).models]
            answered = asked_answers(questions, answers.table("answers"), labels)
            for model, predictions in files.items():
                file = study.path(selectional_of(study).predictions[model])
                answered.append(predicted_answers(questions, predictions, model, file, refused))
            return SelectionalTables(
                questions,
                [one.model for one in answered],
                {one.model.model: one.answers for one in answered},
                made.rows("refused"),
                _muted(study),
                silent_outcomes(answers.table("answers")),
            )

        built = build(
            study.out / "selectional",
            _recipe(study, made, answers.digest, files),
            lambda: list(tables().parts()),
            progress=progress("selectional"),
        )
        return replace(built, this_run=answers.this_run)


def selectional_recipe(study: Study) -> Recipe:
    """Return the recipe that `audit_selectional` would use now; raises MissingStage before
    `ambiguous_questions` has run."""
    made = open_artifact(study.out / "ambiguous_questions")
    answers = current_digest(study.out / ANSWERS, answer_recipe(study, _request(study, made)))
    return _recipe(study, made, answers, dict(_predictions(study)))


def check_selectional(study: Study, languages: Iterable[str] = ()) -> None:
    """Raise ModelError if a model of ambiguity.selectional cannot be used, InputError if its predictions
    cannot be read.

    It also raises DependencyMissing if the tokenizer for one of ``languages``, the languages of the
    questions, needs a package that is not installed.
    """
    dict(_predictions(study))
    _check_tokenizers(languages)
    _check_kinds(study)
    for i, name in enumerate(selectional_of(study).models):
        with model_key(study.file, "ambiguity", "selectional", "models", i):
            check_clear_cases(model_of(study, name, "answer").here())


def _check_kinds(study: Study) -> None:
    """Raise ModelError with the line of study.yaml for a model that cannot answer questions."""
    for i, name in enumerate(selectional_of(study).models):
        with model_key(study.file, "ambiguity", "selectional", "models", i):
            check_kind(model_of(study, name, "answer").source, "answer")


def _muted(study: Study) -> list[str]:
    """Return the readers that can give no answer, according to their cards, but must always give one here."""
    muted = []
    for name in selectional_of(study).models:
        model = model_of(study, name, "answer")
        if not (model.asking.model.no_answer or writes(model.source)) and trained_on_no_answer(model.source):
            muted.append(model.label)
    return muted


def _check_tokenizers(languages: Iterable[str]) -> None:
    for language in languages:
        check_tokenizer(language)


def _request(study: Study, made: Artifact) -> AnswerRequest:
    rows = made.table("questions").select(list(QUESTION_COLUMNS))
    return AnswerRequest(ANSWERS, rows, {"ambiguous_questions": made.digest}, selectional_of(study).models)


def _recipe(study: Study, made: Artifact, answers: str, files: dict[str, AnswerFile]) -> Recipe:
    inputs = {"ambiguous_questions": made.digest, ANSWERS: answers}
    inputs.update({f"predictions/{model}": predictions.digest for model, predictions in files.items()})
    labels = [study.model_label(name) for name in selectional_of(study).models]
    return Recipe("selectional", 5, inputs, {"models": [*labels, *files], "muted": _muted(study)})


def _predictions(study: Study) -> Iterator[tuple[str, AnswerFile]]:
    """Yield the files of predictions; raises StudyError if a name is also the name of a model that is
    asked."""
    named_models = {study.model_label(name) for name in selectional_of(study).models}
    for model, file in selectional_of(study).predictions.items():
        if model in named_models:
            raise StudyError(
                f"predictions: {model!r} is also the name of a model in models",
                file=study.file,
                remedy="name these predictions differently",
            )
        yield model, read_answer_file(study.path(file))

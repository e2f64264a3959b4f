"""The answers of models to a study's questions: answers that nextset asked for, and published predictions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa

from nextset.errors import InputError, examples
from nextset.extensions.ambiguity.ambiguous_questions import (
    AmbiguousQuestion,
    Mention,
    PersonAttribute,
    RightAnswer,
)
from nextset.extensions.ambiguity.selectional.answered_people import QuestionPeople
from nextset.extensions.ambiguity.selectional.selectional_records import AnsweringModel
from nextset.files.squad_predictions import AnswerFile

__all__ = ["AnswersOfModel", "asked_answers", "predicted_answers", "questions_with_people", "silent_outcomes"]


@dataclass(frozen=True)
class AnswersOfModel:
    """A model and its answers."""

    model: AnsweringModel
    answers: Mapping[str, str]
    """Its answers, by the question's id."""


def questions_with_people(questions: pa.Table, answers: pa.Table) -> list[QuestionPeople]:
    """Return the rows of AmbiguousQuestion in ``questions``, each with its rows of RightAnswer."""
    people: defaultdict[str, list[RightAnswer]] = defaultdict(list)
    for row in answers.to_pylist():
        row["mentions"] = tuple(Mention(**mention) for mention in row["mentions"])
        row["attributes"] = tuple(PersonAttribute(**attribute) for attribute in row["attributes"])
        people[row["question_id"]].append(RightAnswer(**row))
    records = (AmbiguousQuestion(**row) for row in questions.to_pylist())
    return [QuestionPeople(question, tuple(people[question.id])) for question in records]


def asked_answers(
    questions: Sequence[QuestionPeople], answers: pa.Table, models: Iterable[str]
) -> list[AnswersOfModel]:
    """Return the answers of each of ``models``, by its published name, from rows of ReaderAnswer."""
    by_model: dict[str, dict[str, str]] = {model: {} for model in models}
    revisions: dict[str, str] = {}
    columns = (answers[name].to_pylist() for name in ("model", "revision", "question_id", "text"))
    for model, revision, asked, text in zip(*columns, strict=True):
        by_model[model][asked] = text
        revisions[model] = revision
    return [
        AnswersOfModel(_model(model, "asked", revisions.get(model, ""), questions, of_model), of_model)
        for model, of_model in by_model.items()
    ]


def silent_outcomes(answers: pa.Table) -> dict[tuple[str, str], str]:
    """Return the outcomes of the refused and cut-off ReaderAnswers, by model and question."""
    if "outcome" not in answers.column_names:  # of an earlier version
        return {}
    columns = (answers[name].to_pylist() for name in ("model", "question_id", "outcome"))
    return {
        (model, asked): outcome for model, asked, outcome in zip(*columns, strict=True) if outcome != "answer"
    }


def predicted_answers(
    questions: Sequence[QuestionPeople],
    predictions: AnswerFile,
    model: str,
    file: Path,
    refused: Collection[str] = (),
) -> AnswersOfModel:
    """Return the answers in ``predictions``, which identify questions by their keys.

    Questions without a prediction, and predictions without a question, do not count; the model's row has
    their numbers. Raises InputError if ``predictions`` has no question's key, or a key that several questions
    have; the error says which of its ids are among ``refused``, the keys of questions whose names cannot be
    replaced.
    """
    keys = Counter(asked.question.key for asked in questions)
    repeated = [key for key, n in keys.items() if n > 1 and key in predictions.answers]
    if repeated:
        raise InputError(
            f"these predictions have ids that several questions share: {examples(repeated)}",
            file=file,
            remedy="name only the file of these predictions under questions, and remove balance",
        )
    answers = {
        asked.question.id: predictions.answers[asked.question.key]
        for asked in questions
        if asked.question.key in predictions.answers
    }
    if not answers:
        raise InputError(
            f"no question has one of its ids ({examples(predictions.answers)}); the questions have "
            f"{examples(keys)}{_copies(questions, predictions.answers, refused)}",
            file=file,
            remedy="use the ids of the files under questions in the predictions; with balance, use those in "
            "the column key of the table questions of out/ambiguous_questions",
        )
    unknown = sum(key not in keys for key in predictions.answers)
    return AnswersOfModel(
        _model(model, "predictions", predictions.digest, questions, answers, unknown), answers
    )


def _copies(questions: Sequence[QuestionPeople], named: Collection[str], refused: Collection[str]) -> str:
    """Return a text on what balance did to the questions whose ids are ``named``; empty without balance."""
    if all(asked.question.parent_id is None for asked in questions):
        return ""
    gone = [key for key in refused if key in named]
    explanation = ": with balance, the copies of a question have other ids than the question"
    if gone:
        explanation += (
            f", and these questions are excluded, since their names cannot be replaced: {examples(gone)}"
        )
    return explanation


def _model(
    model: str,
    source: Literal["asked", "predictions"],
    revision: str,
    questions: Sequence[QuestionPeople],
    answers: Mapping[str, str],
    unknown: int = 0,
) -> AnsweringModel:
    answered = sum(bool(text.strip()) for text in answers.values())
    return AnsweringModel(
        model=model,
        source=source,
        revision=revision,
        questions=len(questions),
        answered=answered,
        empty=len(answers) - answered,
        missing=len(questions) - len(answers),
        unknown=unknown,
    )

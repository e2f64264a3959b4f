"""The command `nextset models evaluate`: a model, or published predictions, compared with correct answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nextset.artifacts.progress_callback import SILENT, Progress, Tick
from nextset.errors import InputError, ModelError, examples
from nextset.files.atomic_files import write_atomically
from nextset.files.regular_file import has_file
from nextset.files.squad_predictions import read_answer_file, read_no_answer_scores
from nextset.records.short_repr import short_repr
from nextset.scoring.asking import Asking
from nextset.scoring.kinds.kind_protocol import MODEL_KINDS
from nextset.scoring.model_kinds import check_settings, kind_of
from nextset.scoring.models.labels import known_label
from nextset.scoring.models.sources import ModelSource, locate
from nextset.study.model_key import models_alone, settings_by_model
from nextset.study.scoring_settings import ModelSettings, ScoringSettings
from nextset.study.training_settings import COLUMNS, MASKED, RECIPES, Task
from nextset.training.evaluation.figures_by_part import figures_by_part
from nextset.training.metrics.reader_figures import AnsweredQuestion, reader_figures
from nextset.training.training_data.data_source import DataSource, find_source
from nextset.training.training_data.nli_examples import read_nli
from nextset.training.training_data.plain_texts import read_texts
from nextset.training.training_data.reader_questions import ReaderQuestion
from nextset.training.training_data.squad_data import read_questions

__all__ = ["Evaluation", "evaluate_model"]

_TASKS: dict[str, Task] = {"nli": "nli", "spans": "qa", "masked_lm": "masked_lm"}
MISSING = "missing"
"""The figure with the number of questions without a prediction."""


@short_repr
@dataclass(frozen=True)
class Evaluation:
    """The figures of a model, or of predictions."""

    name: str
    """The given name of the model, or of the file with predictions."""
    task: Task
    """The evaluated task: NLI, question answering or masked language modelling."""
    figures: Mapping[str, float]
    """The figures by name; shares are from 0 to 1."""
    counts: Mapping[str, int]
    """The numbers of examples, and of skipped ones by reason."""
    canaries: str = ""
    """The result of a classifier's canaries, or the reason why none were asked; empty for other models."""
    parts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """The figures of each part of the data, the largest part first; empty unless requested."""
    warning: str = ""
    """The reason to doubt the labels of the data: another order fits the classifier; empty if none."""


def evaluate_model(
    model: Path | str | Mapping[str, ModelSettings | Mapping[str, Any]],
    data: str | Path | Sequence[str | Path],
    *,
    no_answer: bool = False,
    columns: Mapping[str, str] | None = None,
    labels: Sequence[str] | Mapping[str, str] = (),
    no_answer_scores: Path | str | None = None,
    answers: Path | str | None = None,
    by: str = "",
    progress: Progress = SILENT,
) -> Evaluation:
    """Evaluate ``model`` (a name, or a file of predictions {id: text}) on ``data`` with correct answers.

    ``data`` are named as in training.yaml, with its ``columns`` and ``labels``. With ``no_answer``, a reader
    may give no answer. ``no_answer_scores`` is a file {id: number} for the best thresholds of predictions.
    The answers of a reader are written to ``answers``, as {id: text}; this replaces only an earlier file of
    answers. ``by`` is a column of a table, or a field such as title of SQuAD's JSON, by whose values the
    result has figures too. A mapping from the model's name gives its settings, as in the section models of
    study.yaml. A classifier answers canaries first. Raises InputError, or ModelError for a model that cannot
    be asked or fails its canaries.
    """
    given = [data] if isinstance(data, str | Path) else list(data)
    if not given:
        raise InputError("no data are named", remedy="name a file with correct answers")
    sources = [find_source(str(one), Path(one)) for one in given]
    ((model, chosen),) = settings_by_model(model if isinstance(model, Mapping) else str(model)).items()
    columns, path = columns or {}, Path(model)
    chosen = chosen.model_copy(update={"too_long": "truncate", "no_answer": no_answer or chosen.no_answer})
    if answers is not None:
        _check_place(Path(answers), [path, *(s.path for s in sources if s.path), *_paths(no_answer_scores)])
    if path.is_file():
        _check_columns(columns, "qa")
        _refuse_answers(answers)
        _check_settings("predictions", labels, no_answer, chosen)
        return _of_predictions(path, sources, columns, no_answer_scores, by)
    if no_answer_scores is not None:
        raise InputError(
            "no-answer scores need a file of predictions, and a model is given",
            remedy="name a file of predictions, or remove the no-answer scores",
        )
    source = locate(model)
    kind = kind_of(source)
    if kind not in _TASKS:
        raise ModelError(
            f"{model} is a model of the kind {MODEL_KINDS[kind].noun}, which cannot be evaluated",
            remedy="name a classifier, a reader or a masked language model",
        )
    task = _TASKS[kind]
    _check_columns(columns, task)
    _check_settings(task, labels, no_answer, chosen)
    with models_alone("model"):
        check_settings(source, chosen)
    tick = progress("evaluate")
    if task == "qa":
        evaluation, texts = _of_reader(source, sources, columns, by, chosen, tick)
        if answers is not None:
            write_atomically(Path(answers), json.dumps(texts, ensure_ascii=False).encode())
    else:
        _refuse_answers(answers)
        if task == "nli":
            with models_alone("model"):
                evaluation = _of_classifier(source, sources, columns, labels, by, chosen, tick)
        elif by:
            raise InputError("texts have no parts", remedy="remove the column of parts")
        else:
            evaluation = _of_masked_lm(source, sources, columns, tick)
    return replace(evaluation, name=model)


def _check_settings(
    of: str, labels: Sequence[str] | Mapping[str, str], no_answer: bool, settings: ModelSettings
) -> None:
    """Raise InputError for a setting without effect on ``of``, a task or predictions."""
    if (labels or settings.labels) and of != "nli":
        raise InputError("only classifiers have labels", remedy="remove the labels")
    if (settings.canaries_waived or settings.canaries) and of != "nli":
        raise InputError("only classifiers are asked canaries here", remedy="remove their setting")
    if no_answer and of != "qa":
        raise InputError("no_answer is only for models that are readers", remedy="remove no_answer")


def _refuse_answers(file: Path | str | None) -> None:
    if file is not None:
        raise InputError("only readers give answers", remedy="remove the file of answers")


def _check_place(answers: Path, inputs: Sequence[Path]) -> None:
    """Raise InputError if ``answers`` is an input, in a model's folder, or not a file of answers."""
    if not has_file(answers, InputError, _ELSEWHERE):
        return
    if any(_is_part(answers, one) for one in inputs if one.exists()):
        raise InputError(
            "the answers would replace an input of the evaluation",
            file=answers,
            remedy="name a different file",
        )
    try:
        read_answer_file(answers)
    except InputError:
        raise InputError(
            "the answers would replace a file that does not hold answers {id: text}",
            file=answers,
            remedy=_ELSEWHERE,
        ) from None


_ELSEWHERE = "name a different file, or move the existing file away"


def _is_part(file: Path, of: Path) -> bool:
    return of.resolve() in file.resolve().parents if of.is_dir() else file.samefile(of)


def _paths(written: Path | str | None) -> list[Path]:
    return [] if written is None else [Path(written)]


def _of_reader(
    source: ModelSource,
    sources: Sequence[DataSource],
    columns: Mapping[str, str],
    by: str,
    settings: ModelSettings,
    tick: Tick,
) -> tuple[Evaluation, dict[str, str]]:
    """Return the figures of a reader, and its answers by question id."""
    from nextset.scoring.answers.span_answers import SpanAnswers
    from nextset.training.evaluation.reader_evaluation import evaluate_reader

    read = read_questions(sources, columns, by)
    asking = Asking("answer", ScoringSettings(), settings)
    evaluation = evaluate_reader(
        SpanAnswers.load(source, asking), read.questions, thresholds=read.some_unanswerable, tick=tick
    )
    counts = {"examples": len(read.questions), **read.dropped}
    parts = figures_by_part(
        read.questions, lambda numbers: _figures([read.questions[i] for i in numbers], evaluation.answers, {})
    )
    return Evaluation(source.name, "qa", evaluation.figures, counts, parts=parts), dict(evaluation.answers)


def _of_masked_lm(
    source: ModelSource, sources: Sequence[DataSource], columns: Mapping[str, str], tick: Tick
) -> Evaluation:
    from nextset.scoring.models.loading import load
    from nextset.training.evaluation.masked_evaluation import evaluate_masked, pseudo_perplexity

    texts, loaded = read_texts(sources, columns), load(source, "AutoModelForMaskedLM")
    longest = min(RECIPES["masked_lm"]["longest"], loaded.max_length)
    figures = evaluate_masked(loaded, texts, MASKED, longest, tick) | pseudo_perplexity(loaded, texts)
    return Evaluation(source.name, "masked_lm", figures, {"examples": len(texts)})


def _of_classifier(
    source: ModelSource,
    sources: Sequence[DataSource],
    columns: Mapping[str, str],
    labels: Sequence[str] | Mapping[str, str],
    by: str,
    settings: ModelSettings,
    tick: Tick,
) -> Evaluation:
    from nextset.scoring.asked_model import Model
    from nextset.scoring.checks.run_check import check_clear_cases
    from nextset.scoring.nli import NliClassifier
    from nextset.training.evaluation.nli_evaluation import evaluate_nli

    read = read_nli(sources, columns, labels, by)
    asking = Asking("nli", ScoringSettings(), settings)
    canaries = check_clear_cases(Model.of(source, asking))
    evaluation = evaluate_nli(NliClassifier.load(source, asking), read.pairs, tick)
    parts = figures_by_part(read.pairs, evaluation.figures_of)
    counts = {"examples": len(read.pairs), **read.dropped}
    better, warning = evaluation.better_order(), ""
    if better:
        order = list(map(str, map(known_label, labels)))
        order = order if set(order) == set(better) else list(better)
        fitting = ",".join(better[label] for label in order)
        warning = f"the accuracy is below chance: the labels {fitting} would fit, not {','.join(order)}"
    return Evaluation(source.name, "nli", evaluation.figures, counts, canaries, parts, warning)


def _of_predictions(
    path: Path,
    sources: Sequence[DataSource],
    columns: Mapping[str, str],
    scores: Path | str | None,
    by: str,
) -> Evaluation:
    """Return the figures of a file of predictions; a question without a prediction counts as wrong."""
    given = read_answer_file(path).answers
    known = read_no_answer_scores(Path(scores)) if scores is not None else {}
    read = read_questions(sources, columns, by)
    ids = {one.id for one in read.questions}
    if not ids & given.keys():
        raise InputError(
            f"the data have none of the ids in the file: {examples(given, 3)}",
            file=path,
            remedy="name the data that the predictions are for",
        )
    figures = _figures(read.questions, given, known)
    parts = figures_by_part(
        read.questions, lambda numbers: _figures([read.questions[i] for i in numbers], given, {})
    )
    unknown = len(given.keys() - ids)
    counts = {"examples": len(read.questions), **read.dropped}
    if unknown:
        counts["predictions of other questions"] = unknown
    return Evaluation(path.name, "qa", figures, counts, parts=parts)


def _figures(
    questions: Sequence[ReaderQuestion], given: Mapping[str, str], known: Mapping[str, float]
) -> dict[str, float]:
    """Return the figures of the ``given`` answers; a question without an answer counts as wrong."""
    missing = sum(one.id not in given for one in questions)
    figures = reader_figures(
        [AnsweredQuestion(given.get(one.id), one.texts, known.get(one.id)) for one in questions]
    )
    return {**figures, MISSING: float(missing)} if missing else figures


def _check_columns(columns: Mapping[str, str], task: Task) -> None:
    unknown = sorted(set(columns) - set(COLUMNS[task]))
    if unknown:
        raise InputError(
            f"{unknown[0]!r} is not a column for this task", remedy=f"use one of {', '.join(COLUMNS[task])}"
        )

"""The stage of answers: models answer questions about texts, one shard per model and chunk of questions."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.forms import ANSWER
from nextset.records.arrow_schema import arrow_schema
from nextset.records.reader_answers import ReaderAnswer
from nextset.scoring.answers.answer_rows import QUESTION_COLUMNS
from nextset.scoring.asked_model import Model
from nextset.scoring.checks.run_check import check_before_run, check_clear_cases
from nextset.scoring.engines import engine_of
from nextset.scoring.fast_mode_flips import flips
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.input_scan import scan_inputs
from nextset.scoring.jobs import Job
from nextset.scoring.model_kinds import check_kind, writes
from nextset.scoring.models.recorded_servers import record_servers
from nextset.scoring.row_chunks import InMemoryRows, in_memory_chunks
from nextset.scoring.study_models import model_of
from nextset.scoring.written_answers import QUESTIONS_PER_PART, written_answers
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.study_folder import Study

__all__ = ["AnswerRequest", "answer_questions", "answer_recipe"]


@dataclass(frozen=True)
class AnswerRequest:
    """Questions and the models that answer them."""

    stage: str
    """The artifact that holds their answers."""
    rows: pa.Table
    """The questions: columns id, question and context."""
    inputs: Mapping[str, str]
    """Digests of the artifacts and files that hold the questions."""
    models: tuple[str, ...]
    """The models, by their names in the study."""


def answer_recipe(study: Study, asked: AnswerRequest) -> Recipe:
    """Return the recipe of the answers ``asked`` for; raises ModelError for a model that cannot answer.

    Engine and cache are not in the recipe because they do not change answers.
    """
    models = _models(study, asked)
    settings: dict[str, Any] = {
        "mode": study.settings.scoring.mode,
        "order": [model.label for model in models],
        "scopes": [model.scope.key for model in models],
    }
    identities = {model.label: model.source.identity for model in models}
    return Recipe(asked.stage, 1, dict(asked.inputs), settings, identities)


def answer_questions(study: Study, asked: AnswerRequest, progress: Progress = SILENT) -> Artifact:
    """Return the artifact of the answers ``asked`` for: table answers (ReaderAnswer), one shard per job.

    Extractive readers answer with spans of the context, and read long contexts in windows. Models that write
    answer with their own text. In fast mode there is also a table flips. Before the first question, each
    model must answer its canaries, and a reader must be able to read the longest questions. Raises
    ModelError.
    """
    models = _models(study, asked)
    readers = [model for model in models if not writes(model.source)]

    def plan() -> list[Part]:
        chunks = list(in_memory_chunks(asked.rows, QUESTION_COLUMNS))
        scan = scan_inputs(SCORED_FORMS[ANSWER.name], chunks)
        if chunks:
            check_before_run([model.here() for model in readers], scan.longest)
            for model in models:
                if model not in readers:
                    check_clear_cases(model.here())
        parts: list[Part] = []
        for model in models:
            if model in readers:
                jobs = zip(chunks, scan.repeated, strict=True)
                parts += [
                    Part("answers", Job(model, part, "audit", Boundaries(), repeated=repeated))
                    for part, repeated in jobs
                ]
            else:
                parts += [
                    Part("answers", functools.partial(written_answers, model, rows))
                    for rows in _small_parts(asked.rows)
                ]
        if chunks and study.settings.scoring.mode == "fast":
            parts += [Part("flips", functools.partial(flips, model, chunks)) for model in readers]
        return parts or [Part("answers", _nothing)]

    artifact = build(
        study.out / asked.stage,
        answer_recipe(study, asked),
        plan,
        progress=progress(asked.stage),
        runner=engine_of(study.settings.scoring.engine),
    )
    record_servers(study.out, [(model.source, model.asking.model.server) for model in models])
    return artifact


def _models(study: Study, asked: AnswerRequest) -> Sequence[Model]:
    models = [model_of(study, name, ANSWER.name) for name in asked.models]
    for model in models:
        check_kind(model.source, ANSWER.name)
    return models


def _small_parts(rows: pa.Table) -> Iterator[InMemoryRows]:
    table = rows.select(list(QUESTION_COLUMNS)).combine_chunks()
    for start in range(0, table.num_rows, QUESTIONS_PER_PART):
        yield InMemoryRows(table.slice(start, QUESTIONS_PER_PART))


def _nothing() -> PartResult:
    return PartResult(arrow_schema(ReaderAnswer).empty_table())

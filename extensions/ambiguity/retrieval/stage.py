"""The stage retrieval: readers answer from the retrieved passages, and the groups that are found are
measured."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, Recipe, current_digest, open_artifact
from nextset.artifacts.build import build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import InputError
from nextset.extensions.ambiguity.passages import OpenQuestion, RetrievedPassage
from nextset.extensions.ambiguity.retrieval.base_rates import base_rates, read_base_rates
from nextset.extensions.ambiguity.retrieval.open_answers import (
    ReadPassages,
    best_answers,
    reading_context,
    reading_id,
    silent_readings,
)
from nextset.extensions.ambiguity.retrieval.retrieval_audit import RetrievalAudit
from nextset.extensions.ambiguity.retrieval.retrieval_tables import RetrievalTables
from nextset.extensions.ambiguity.retrieval.title_groups import title_groups
from nextset.extensions.ambiguity.search.search_stage import check_retrievers
from nextset.extensions.ambiguity.settings.study_settings import retrieval_of
from nextset.files.file_hash import file_sha256
from nextset.files.regular_file import require_file
from nextset.records.reader_answers import ReaderAnswer
from nextset.scoring.answer_stage import AnswerRequest, answer_questions, answer_recipe
from nextset.scoring.checks.run_check import check_clear_cases
from nextset.scoring.study_models import model_of
from nextset.study.model_key import model_key
from nextset.study.study_folder import Study, of_study
from nextset.word_lists.name_groups import NameGroups, read_name_groups

__all__ = ["audit_retrieval", "check_retrieval", "retrieval_recipe"]

_ANSWERS = "retrieval_answers"


@of_study
def audit_retrieval(study: Study, progress: Progress = SILENT) -> Artifact:
    """Measure whom retrievers and readers find: out/retrieval; the readers' answers: out/retrieval_answers.

    Raises InputError for a list of names or a table of base rates that cannot be used, ModelError for a model
    that cannot answer.
    """
    with study.held("retrieval"):
        names, rates = _names(study), _table_of_rates(study)
        _check_rates(study)
        answers = None
        if retrieval_of(study).readers:
            answers = answer_questions(study, _request(study), progress)
        digest = None if answers is None else answers.digest

        recipe = _recipe(study, names, digest)

        @functools.cache
        def audit() -> RetrievalAudit:
            measured = _audit(study, names, rates, answers)
            if rates is not None and _recipe(study, names, digest) != recipe:
                raise InputError(
                    "the table of base rates changed while it was read",
                    file=rates,
                    remedy="wait until nothing writes to it, then run this again",
                )
            return measured

        built = build(
            study.out / "retrieval",
            recipe,
            lambda: list(RetrievalTables(audit()).parts()),
            progress=progress("retrieval"),
        )
        return built if answers is None else replace(built, this_run=answers.this_run)


def retrieval_recipe(study: Study) -> Recipe:
    """Return the recipe that `audit_retrieval` would use now; raises MissingStage before the collection was
    searched."""
    digest = None
    if retrieval_of(study).readers:
        digest = current_digest(study.out / _ANSWERS, answer_recipe(study, _request(study)))
    return _recipe(study, _names(study), digest)


def check_retrieval(study: Study) -> None:
    """Raise an error if anything that ``study`` names for retrieval cannot be used.

    It is called before the first stage, and checks collection, questions, encoders, lists of names, table of
    base rates and readers. Raises StudyError, InputError, WordListError, ModelError, DependencyMissing.
    """
    _names(study)
    _check_rates(study)
    check_retrievers(study)
    for i, name in enumerate(retrieval_of(study).readers):
        with model_key(study.file, "ambiguity", "retrieval", "readers", i):
            check_clear_cases(model_of(study, name, "answer").here())


def _recipe(study: Study, names: NameGroups, answers: str | None) -> Recipe:
    settings = retrieval_of(study)
    inputs = {name: open_artifact(study.out / name).digest for name in ("passage_index", "retrieved")}
    if answers is not None:
        inputs[_ANSWERS] = answers
    table = _table_of_rates(study)
    decided: dict[str, Any] = {
        "groups": list(settings.groups),
        "names": names.digest,
        "top_k": settings.top_k,
        "read": settings.read,
        "base_rate": settings.base_rate if table is None else _sha256(table),
    }
    return Recipe("retrieval", 4, inputs, decided)


def _check_rates(study: Study) -> None:
    """Raise InputError for a table of base rates that cannot be used."""
    table = _table_of_rates(study)
    if table is not None:
        read_base_rates(table, retrieval_of(study).groups)


def _sha256(file: Path) -> str:
    """Return the hash of a table that `read_base_rates` has read or will read; raises InputError."""
    try:
        require_file(file, InputError, "name a regular file")
        return file_sha256(file)
    except OSError as e:
        raise InputError(
            f"the file cannot be read: {e.strerror}", file=file, remedy="check base_rate in study.yaml"
        ) from None


def _names(study: Study) -> NameGroups:
    return read_name_groups(retrieval_of(study).names, study.path)


def _table_of_rates(study: Study) -> Path | None:
    written = retrieval_of(study).base_rate_table
    return None if written is None else study.path(written)


def _request(study: Study) -> AnswerRequest:
    """Return the request for answers from the passages that readers read; a passage that several retrievers
    found is asked about once."""
    index, retrieved = (open_artifact(study.out / name) for name in ("passage_index", "retrieved"))
    settings, read = retrieval_of(study), _read_passages(study, retrieved)
    texts = _contexts(index, sorted({passage.passage for passage in read}))
    questions = {q.id: q.question for q in _questions(retrieved)}
    rows = {
        reading_id(p.question_id, p.passage): (questions[p.question_id], texts[p.passage])
        for p in read
        if texts[p.passage]
    }
    table = pa.table(
        {
            "id": pa.array(list(rows), pa.string()),
            "question": pa.array([question for question, _ in rows.values()], pa.string()),
            "context": pa.array([context for _, context in rows.values()], pa.string()),
        }
    )
    inputs = {"passage_index": index.digest, "retrieved": retrieved.digest, "read": str(settings.read)}
    return AnswerRequest(_ANSWERS, table, inputs, settings.readers)


def _contexts(index: Artifact, passages: Sequence[int]) -> dict[int, str]:
    """Return the context of each of ``passages``, by its number in the collection."""
    contexts: dict[int, str] = {}
    start, wanted = 0, iter(passages)
    number = next(wanted, None)
    for shard in index.shards_of("passages"):
        own: list[int] = []
        while number is not None and number < start + shard.rows:
            own.append(number)
            number = next(wanted, None)
        if own:
            rows = index.piece(shard, ["title", "text"]).take(pa.array([n - start for n in own]))
            for n, row in zip(own, rows.to_pylist(), strict=True):
                contexts[n] = reading_context(row["title"], row["text"])
        start += shard.rows
    return contexts


def _questions(retrieved: Artifact) -> list[OpenQuestion]:
    return [OpenQuestion(**row) for row in retrieved.table("questions").to_pylist()]


def _read_passages(study: Study, retrieved: Artifact) -> list[RetrievedPassage]:
    first = pc.less_equal(retrieved.table("retrieved")["rank"], retrieval_of(study).read)
    rows = retrieved.table("retrieved").filter(first)
    return [RetrievedPassage(**row) for row in rows.to_pylist()]


def _audit(study: Study, names: NameGroups, rates: Path | None, answers: Artifact | None) -> RetrievalAudit:
    settings = retrieval_of(study)
    index, retrieved = (open_artifact(study.out / name) for name in ("passage_index", "retrieved"))
    titles = title_groups(index.table("passages", ["title", "group"]), settings.groups, names)
    questions = _questions(retrieved)
    languages = {question.id: question.language for question in questions}
    read = ReadPassages(_read_passages(study, retrieved), languages)
    given = [] if answers is None else _answers(answers)
    return RetrievalAudit(
        questions=questions,
        retrieved=retrieved.table("retrieved"),
        titles=titles,
        base=base_rates(settings.base_rate, settings.groups, titles, rates),
        answers=list(best_answers(read, given, titles)),
        silent=silent_readings(read, given, titles),
        top_k=settings.top_k,
        read=min(settings.read, settings.top_k),  # no more passages exist
    )


def _answers(answers: Artifact) -> list[ReaderAnswer]:
    shards = answers.shards_of("answers")
    return [ReaderAnswer(**row) for shard in shards for row in answers.piece(shard).to_pylist()]

"""The stage retrieved: the passages that each retriever of a study finds for each open question."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, is_current, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ArtifactError, StudyError
from nextset.extensions.ambiguity.passages import OpenQuestion, RetrievedPassage
from nextset.extensions.ambiguity.search.bm25_search import K1, B, bm25_search
from nextset.extensions.ambiguity.search.dense_stage import (
    DenseRetriever,
    dense_retrievers,
    dense_search,
    encode_passages,
    try_encoders,
)
from nextset.extensions.ambiguity.search.index_words import stop_words
from nextset.extensions.ambiguity.search.open_questions import REPEATED, ReadQuestions, read_questions
from nextset.extensions.ambiguity.search.passage_collection import find_collection
from nextset.extensions.ambiguity.search.stage import STAGE as INDEX
from nextset.extensions.ambiguity.search.top_passages import TopPassages
from nextset.extensions.ambiguity.search.vector_search import require_faiss
from nextset.extensions.ambiguity.settings.study_settings import retrieval_of
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.content_ids import content_id
from nextset.study.study_folder import Study, of_study

__all__ = [
    "BM25",
    "STAGE",
    "check_retrievers",
    "few_found",
    "open_questions",
    "retrieved_recipe",
    "search_passages",
]

STAGE = "retrieved"
"""The artifact with the passages that were found."""
BM25 = "bm25"
"""The published name of BM25."""


def few_found(retriever: str, most: int) -> str:
    """Return the name of the count of questions with fewer than ``most`` passages of ``retriever``."""
    return f"questions with fewer than {most} passages ({retriever})"


def open_questions(study: Study) -> tuple[OpenQuestion, ...]:
    """Return the study's open questions, each once; raises InputError and StudyError."""
    return tuple(_questions(study).questions)


def retrieved_recipe(study: Study) -> Recipe:
    """Return the recipe that `search_passages` would use now; raises MissingStage before `index_passages`."""
    return _recipe(study, open_artifact(study.out / INDEX), _questions(study), _dense(study))


def check_retrievers(study: Study) -> None:
    """Raise an error if the study's collection, questions or encoders cannot be used, or FAISS is missing.

    A run calls this before its first stage. Encoders are loaded and tried unless out/retrieved is current.
    Raises StudyError, InputError, ModelError, DependencyMissing.
    """
    find_collection(retrieval_of(study).passages, study.path, study.file)
    _questions(study)
    retrievers = _dense(study)
    _check_faiss(retrievers)
    try:
        if is_current(study.out / STAGE, retrieved_recipe(study)):
            return
    except ArtifactError:  # the collection is not indexed yet
        pass
    for one in retrievers:
        try_encoders(one)


@of_study
def search_passages(study: Study, progress: Progress = SILENT) -> Artifact:
    """Search the collection of ambiguity.retrieval for its questions with each retriever: out/retrieved.

    BM25 returns only passages with a word of the question. Each dense retriever first encodes the passages
    (`encode_passages`). Raises InputError, StudyError, ModelError, DependencyMissing.
    """
    with study.held(STAGE):
        index = open_artifact(study.out / INDEX)
        questions = _questions(study)
        retrievers = _dense(study)
        _check_faiss(retrievers)  # before hours of encoding

        def plan() -> list[Part]:
            parts = [Part("questions", lambda: _question_rows(questions))]
            if retrieval_of(study).bm25:
                parts.append(
                    Part("retrieved", functools.partial(_by_words, study, index, questions, progress))
                )
            for one in retrievers:
                by_vectors = functools.partial(_by_vectors, study, one, index, questions, progress)
                parts.append(Part("retrieved", by_vectors))
            return parts

        recipe = _recipe(study, index, questions, retrievers)
        return build(study.out / STAGE, recipe, plan, progress=progress(STAGE))


def _questions(study: Study) -> ReadQuestions:
    settings = retrieval_of(study)
    return read_questions(settings.questions, study.path, study.settings.language, study.file)


def _dense(study: Study) -> list[DenseRetriever]:
    """Return the dense retrievers; raises StudyError if two would be published with the same name."""
    retrievers = dense_retrievers(study)
    names = [BM25, *(one.label for one in retrievers)]
    for i, one in enumerate(retrievers):
        if one.label in names[: i + 1]:
            raise StudyError(
                f"ambiguity.retrieval.dense: two retrievers would be published as {one.label}",
                file=study.file,
                remedy=f"add a label: models: {{{one.settings.model}: {{label: my-encoder}}}}",
            )
    return retrievers


def _check_faiss(retrievers: Sequence[DenseRetriever]) -> None:
    if any(one.settings.search == "faiss" for one in retrievers):
        require_faiss()


def _recipe(
    study: Study, index: Artifact, asked: ReadQuestions, retrievers: Sequence[DenseRetriever]
) -> Recipe:
    questions = (x for q in asked.questions for x in (q.id, q.language, q.question, q.occupation))
    settings: dict[str, object] = {"top_k": retrieval_of(study).top_k, "repeated": asked.repeated}
    if retrieval_of(study).bm25:
        words = content_id("stop words", *stop_words(study.settings.language))
        settings[BM25] = {"k1": K1, "b": B, "stop_words": words}
    settings["dense"] = {one.label: one.recipe_settings() for one in retrievers}
    inputs = {INDEX: index.digest, "questions": content_id("open questions", *questions)}
    models = {name: identity for one in retrievers for name, identity in one.identities().items()}
    return Recipe(STAGE, 1, inputs, settings, models)


def _question_rows(asked: ReadQuestions) -> PartResult:
    repeated = {REPEATED: asked.repeated} if asked.repeated else {}
    return PartResult(table_of(asked.questions, OpenQuestion), repeated)


def _by_words(study: Study, index: Artifact, asked: ReadQuestions, progress: Progress) -> PartResult:
    most = retrieval_of(study).top_k
    best = bm25_search(index, asked.texts, most, progress(BM25))
    return _result(BM25, index, asked.questions, best, most)


def _by_vectors(
    study: Study, retriever: DenseRetriever, index: Artifact, asked: ReadQuestions, progress: Progress
) -> PartResult:
    most = retrieval_of(study).top_k
    vectors = encode_passages(study, retriever, index, progress)
    best = dense_search(retriever, vectors, asked.texts, most, progress)
    return _result(retriever.label, index, asked.questions, best, most)


def _result(
    retriever: str,
    index: Artifact,
    questions: Sequence[OpenQuestion],
    found: Sequence[TopPassages],
    most: int,
) -> PartResult:
    """Return the rows of one retriever, question by question, the best passage first."""
    sizes = [len(top.passages) for top in found]
    numbers = np.concatenate([top.passages for top in found])
    ids, titles = _named(index, numbers)
    schema = arrow_schema(RetrievedPassage)
    columns = {
        "question_id": pa.array(np.repeat([q.id for q in questions], sizes), pa.string()),
        "retriever": pa.repeat(retriever, len(numbers)),
        "rank": pa.array(np.concatenate([np.arange(1, n + 1) for n in sizes]), pa.int32()),
        "passage": pa.array(numbers, pa.int32()),
        "passage_id": ids,
        "title": titles,
        "score": pa.array(np.concatenate([top.scores for top in found]).astype(np.float64)),
    }
    fewer = sum(n < most for n in sizes)
    table = pa.table([columns[name] for name in schema.names], schema=schema)
    return PartResult(table, {few_found(retriever, most): fewer} if fewer else {})


def _named(index: Artifact, numbers: npt.NDArray[np.int64]) -> tuple[pa.Array, pa.Array]:
    """Return ids and titles of the passages with these ``numbers``, looked up shard by shard."""
    ids: npt.NDArray[np.object_] = np.empty(len(numbers), object)
    titles: npt.NDArray[np.object_] = np.empty(len(numbers), object)
    start = 0
    for shard in index.shards_of("passages"):
        here = np.flatnonzero((numbers >= start) & (numbers < start + shard.rows))
        if here.size:
            rows = index.piece(shard, ["id", "title"]).take(pa.array(numbers[here] - start))
            ids[here], titles[here] = rows["id"].to_pylist(), rows["title"].to_pylist()
        start += shard.rows
    return pa.array(ids, pa.string()), pa.array(titles, pa.string())

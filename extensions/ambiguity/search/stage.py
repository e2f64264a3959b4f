"""The stage passage_index: a collection's passages and, for BM25, its posting lists, chunk by chunk."""

from __future__ import annotations

import functools

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.extensions.ambiguity.search.index_words import stop_words
from nextset.extensions.ambiguity.search.passage_chunks import CHUNK, PassageChunks, chunk_count
from nextset.extensions.ambiguity.search.passage_collection import PassageCollection, find_collection
from nextset.extensions.ambiguity.search.passage_count import count_passages
from nextset.extensions.ambiguity.search.posting_lists import posting_lists
from nextset.extensions.ambiguity.settings.study_settings import retrieval_of
from nextset.records.content_ids import content_id
from nextset.study.study_folder import Study, of_study

__all__ = ["STAGE", "WITHOUT_TEXT", "index_passages", "passage_index_recipe"]

STAGE = "passage_index"
"""The artifact with the collection and its index."""
WITHOUT_TEXT = "passages without text"
"""The name of the count of passages that have only a title."""


def passage_index_recipe(study: Study) -> Recipe:
    """Return the recipe that `index_passages` would use now; raises StudyError, InputError, ServerError."""
    return _recipe(study, _collection(study))


@of_study
def index_passages(study: Study, progress: Progress = SILENT) -> Artifact:
    """Read the collection of ambiguity.retrieval and index its words: out/passage_index.

    Raises StudyError, InputError with file and line, ServerError.
    """
    with study.held(STAGE):
        collection = _collection(study)
        return build(
            study.out / STAGE,
            _recipe(study, collection),
            lambda: _parts(study, collection),
            progress=progress(STAGE),
        )


def _collection(study: Study) -> PassageCollection:
    return find_collection(retrieval_of(study).passages, study.path, study.file)


def _recipe(study: Study, collection: PassageCollection) -> Recipe:
    settings: dict[str, object] = {"chunk": CHUNK, "bm25": retrieval_of(study).bm25}
    if retrieval_of(study).bm25:
        settings["stop_words"] = content_id("stop words", *stop_words(study.settings.language))
    return Recipe(STAGE, 3, {"collection": collection.digest}, settings)


def _parts(study: Study, collection: PassageCollection) -> list[Part]:
    passages = count_passages(collection)
    chunks = PassageChunks(collection, passages)
    omitted = frozenset(stop_words(study.settings.language))
    parts = []
    for i in range(chunk_count(passages)):
        parts.append(Part("passages", functools.partial(_passages, chunks, i)))
        if retrieval_of(study).bm25:
            parts.append(Part("postings", functools.partial(_postings, chunks, i, omitted)))
    return parts


def _passages(chunks: PassageChunks, number: int) -> PartResult:
    table = chunks.table(number)
    without = sum(not text.strip() for text in table["text"].to_pylist())
    return PartResult(table, {WITHOUT_TEXT: without} if without else {})


def _postings(chunks: PassageChunks, number: int, omitted: frozenset[str]) -> PartResult:
    return PartResult(posting_lists(chunks.table(number), number * CHUNK, omitted))

"""Dense retrieval of a study: passages become vectors (out/passage_vectors-NAME), which are searched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, build
from nextset.artifacts.progress_callback import Progress
from nextset.errors import ModelError
from nextset.extensions.ambiguity.search.passage_vectors import EncodingJob, vector_blocks
from nextset.extensions.ambiguity.search.pooling import pooling_of
from nextset.extensions.ambiguity.search.sentence_encoder import EncoderModel, encoder_of
from nextset.extensions.ambiguity.search.top_passages import TopPassages
from nextset.extensions.ambiguity.search.vector_search import exact_search, faiss_search
from nextset.extensions.ambiguity.settings.retrieval_settings import DenseRetrieverSettings
from nextset.extensions.ambiguity.settings.study_settings import retrieval_of
from nextset.records.content_ids import content_id
from nextset.scoring.engines import engine_of
from nextset.scoring.engines.devices import device_type
from nextset.scoring.row_chunks import chunks, sources_of
from nextset.scoring.study_models import located_model
from nextset.study.study_folder import Study

__all__ = ["DenseRetriever", "dense_retrievers", "dense_search", "encode_passages", "try_encoders"]

_LONGEST = 100
"""The maximum number of characters of a label in the name of a folder."""


@dataclass(frozen=True)
class DenseRetriever:
    """A dense retriever of a study."""

    label: str
    """The published name, which is that of the encoder of passages."""
    passages: EncoderModel
    """The encoder of passages."""
    questions: EncoderModel
    """The encoder of questions; the same model unless the study names a different one."""
    settings: DenseRetrieverSettings
    """The settings of the search."""

    def recipe_settings(self) -> dict[str, object]:
        """Return the settings that decide the results in addition to the models' files, for JSON."""
        return {"passages": self.passages.settings(), "questions": self.questions.settings()}

    def identities(self) -> dict[str, str]:
        """Return the identities of the models, by name."""
        return {
            self.label: self.passages.source.identity,
            f"{self.label}, questions": self.questions.source.identity,
        }


def dense_retrievers(study: Study) -> list[DenseRetriever]:
    """Return the dense retrievers of ``study``; raises ModelError if a model cannot be found or used."""
    return [_retriever(study, settings) for settings in retrieval_of(study).dense]


def _retriever(study: Study, settings: DenseRetrieverSettings) -> DenseRetriever:
    question_model = settings.question_model or settings.model
    return DenseRetriever(
        study.model_label(settings.model),
        _encoder(study, settings, settings.model, settings.passage_prompt),
        _encoder(study, settings, question_model, settings.question_prompt),
        settings,
    )


def _encoder(study: Study, settings: DenseRetrieverSettings, name: str, prompt: str) -> EncoderModel:
    source = located_model(study, name)
    scoring = study.settings.scoring
    return EncoderModel(
        source,
        pooling_of(source, settings.pooling, settings.normalize),
        prompt,
        scoring.precision,
        device_type(scoring.engine),
        study.model_settings(name).remote_code,
    )


def encode_passages(study: Study, retriever: DenseRetriever, index: Artifact, progress: Progress) -> Artifact:
    """Return the vectors of all passages of ``index`` by ``retriever``, as `PassageVector`s, in parts.

    The vectors are stored in out/passage_vectors-NAME. The encoders are tried before the first part. Raises
    ModelError, also if the two encoders' vectors do not have the same length, and DamagedShard.
    """
    folder = study.out / f"passage_vectors-{_folder_name(retriever.label)}"
    passages = content_id("passages", *(shard.sha256 for shard in index.shards_of("passages")))
    recipe = Recipe(
        "passage_vectors",
        1,
        {"passages": passages},
        retriever.passages.settings(),
        {retriever.label: retriever.passages.source.identity},
    )

    def plan() -> list[Part]:
        try_encoders(retriever)
        parts, first = [], 0
        for rows in chunks(sources_of(index, "passages")):
            parts.append(Part("vectors", EncodingJob(retriever.passages, rows, first)))
            first += len(rows.places)
        return parts

    return build(
        folder,
        recipe,
        plan,
        progress=progress(folder.name),
        runner=engine_of(study.settings.scoring.engine),
    )


def _folder_name(label: str) -> str:
    """Return ``label`` for a folder: ORG--NAME, with a hash if a different label could give the same name."""
    name = re.sub(r"[^A-Za-z0-9._+-]+", "--", label)
    if name == label.replace("/", "--") and "--" not in label and len(name) <= _LONGEST:
        return name
    return f"{name[:_LONGEST]}-{content_id('label', label)[:8]}"


def try_encoders(retriever: DenseRetriever) -> None:
    """Raise ModelError if an encoder cannot be used, or if the two return vectors of different lengths."""
    asker = encoder_of(retriever.questions)
    question = asker.vectors(asker.questions(["Who?"]))
    reader = encoder_of(retriever.passages)
    passage = reader.vectors(reader.passages(["One"], ["Two"]))
    if question.shape != passage.shape:
        raise ModelError(
            f"the vectors of {retriever.passages.source.name} have {passage.shape[1]} numbers, and those of "
            f"{retriever.questions.source.name} have {question.shape[1]}",
            remedy="choose two encoders that were trained together",
        )


def dense_search(
    retriever: DenseRetriever, vectors: Artifact, questions: Sequence[str], most: int, progress: Progress
) -> list[TopPassages]:
    """Return the best ``most`` passages of each question by the inner product of their vectors.

    Raises ModelError, DamagedShard, DependencyMissing.
    """
    encoder = encoder_of(retriever.questions)
    question_vectors = encoder.vectors(encoder.questions(questions))
    search = faiss_search if retriever.settings.search == "faiss" else exact_search
    return search(vector_blocks(vectors, progress(retriever.label)), question_vectors, most)

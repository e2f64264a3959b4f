"""The artifact out/fill_marks: the probabilities and meanings that decide the marks of fills."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import Progress
from nextset.errors import ModelError
from nextset.generation.mask_fills.fill_marks import (
    FillMeaning,
    FillProbability,
    asked_fills,
    meaning_pairs,
    with_marks,
)
from nextset.generation.mask_fills.fluency import plain_hypotheses
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import LABELS, Label
from nextset.scoring.kinds.kind_protocol import MODEL_KINDS
from nextset.scoring.kinds.nli_classifier import NLI_CLASSIFIER
from nextset.scoring.masks.masked_text import Masked
from nextset.scoring.model_kinds import kind_of
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.study_models import located
from nextset.study.model_key import model_key
from nextset.study.study_folder import Study

if TYPE_CHECKING:
    from nextset.scoring.masks.filler import MaskFiller
    from nextset.scoring.nli import NliClassifier

__all__ = ["check_meaning_model", "marked", "marks_recipe", "score_marks"]

FILLS = 4096
"""Words in their sentences per shard."""
HYPOTHESES = 256
"""Filled hypotheses per shard of meanings."""


def check_meaning_model(study: Study) -> None:
    """Raise ModelError if fill.meaning names a model that is not an NLI classifier."""
    if study.settings.fill.meaning is not None:
        with model_key(study.file, "fill", "meaning"):
            _nli_source(study, study.settings.fill.meaning)


def marks_recipe(study: Study, items: Recipe) -> Recipe:
    """Return the recipe of out/fill_marks for the items of recipe ``items``."""
    check_meaning_model(study)
    settings = study.settings.fill
    models = {
        **items.models,
        study.model_label(settings.model): located(study, settings.model).identity,
    }
    if settings.meaning is not None:
        models[study.model_label(settings.meaning)] = located(study, settings.meaning).identity
    label = None if settings.meaning is None else study.model_label(settings.meaning)
    return Recipe("fill_marks", 1, items.inputs, {**items.settings, "meaning": label}, models)


def score_marks(
    study: Study,
    recipe: Recipe,
    items: Callable[[], pa.Table],
    masked: pa.Table,
    plain: pa.Table,
    filler: Callable[[], MaskFiller],
    progress: Progress,
) -> Artifact:
    """Ask the fill model and the NLI model about ``items``, and write the results into out/fill_marks.

    Tables: probabilities (FillProbability), and with fill.meaning also meanings (FillMeaning).
    """
    settings = study.settings.fill

    @functools.cache
    def classifier() -> NliClassifier:
        from nextset.scoring.nli import NliClassifier

        assert settings.meaning is not None
        return NliClassifier.load(_nli_source(study, settings.meaning))

    def probabilities(chunk: Sequence[tuple[Masked, str]]) -> PartResult:
        rows = (
            FillProbability(masked.sentence, masked.premise, word, log)
            for (masked, word), log in zip(chunk, _log_probabilities(filler, chunk), strict=True)
        )
        return PartResult(table_of(rows, FillProbability))

    def meanings(chunk: Sequence[tuple[str, str]]) -> PartResult:
        both = [*chunk, *((filled, plain) for plain, filled in chunk)]
        labels = _labels(classifier(), both) if chunk else []
        rows = (FillMeaning(*pair, labels[i], labels[i + len(chunk)]) for i, pair in enumerate(chunk))
        return PartResult(table_of(rows, FillMeaning))

    def plan() -> list[Part]:
        asked = asked_fills(items(), masked, premise=settings.premise)
        # sorted by sentence: all words of a sentence are scored in one pass
        words = sorted({key for one in asked for key in one.all})
        parts = [
            Part("probabilities", functools.partial(probabilities, chunk)) for chunk in _chunks(words, FILLS)
        ]
        if settings.meaning is not None:
            pairs = meaning_pairs(items(), plain_hypotheses(plain))
            for chunk in _chunks(sorted(pairs), HYPOTHESES):
                asked_pairs = [(p, filled) for filled in chunk for p in pairs[filled]]
                parts.append(Part("meanings", functools.partial(meanings, asked_pairs)))
        return parts

    return build(study.out / "fill_marks", recipe, plan, progress=progress("fill"))


def marked(study: Study, items: pa.Table, masked: pa.Table, plain: pa.Table, made: Artifact) -> pa.Table:
    """Return ``items`` with the column fill_marks, from the artifact of `score_marks`."""
    asked = asked_fills(items, masked, premise=study.settings.fill.premise)
    rows = made.table("probabilities").to_pylist()
    logs = {(Masked(r["sentence"], r["premise"]), r["word"]): r["log_probability"] for r in rows}
    if "meanings" not in made.tables:
        return with_marks(items, asked, logs, {}, {})
    pairs = meaning_pairs(items, plain_hypotheses(plain))
    meanings = made.table("meanings").to_pylist()
    labels = {(r["plain"], r["filled"]): (r["from_plain"], r["from_filled"]) for r in meanings}
    return with_marks(items, asked, logs, pairs, labels)


Value = TypeVar("Value")


def _chunks(values: Sequence[Value], size: int) -> Sequence[Sequence[Value]]:
    return [values[i : i + size] for i in range(0, len(values), size)] or [[]]


def _log_probabilities(
    filler: Callable[[], MaskFiller], chunk: Sequence[tuple[Masked, str]]
) -> list[float | None]:
    """Return each word's log probability; None if the tokenizer does not read the word as whole tokens."""
    if not chunk:
        return []
    try:
        return list(filler().score([m for m, _ in chunk], [word for _, word in chunk]))
    except ModelError:
        if len(chunk) == 1:
            return [None]  # without spaces around it, the word may have other tokens next to the other group
        half = len(chunk) // 2
        return [*_log_probabilities(filler, chunk[:half]), *_log_probabilities(filler, chunk[half:])]


def _labels(classifier: NliClassifier, pairs: Sequence[tuple[str, str]]) -> list[Label]:
    """Return the most probable label of each pair; a model with two labels has no contradiction."""
    probabilities = classifier.probabilities(pairs)
    two = np.isnan(probabilities[:, 1])
    probabilities = np.where(
        two[:, None],
        np.column_stack([probabilities[:, 0], 1 - probabilities[:, 0], 0 * probabilities[:, 0]]),
        probabilities,
    )
    return [LABELS[i] for i in probabilities.argmax(axis=1)]


def _nli_source(study: Study, name: str) -> ModelSource:
    source = located(study, name)
    kind = kind_of(source)
    if kind != NLI_CLASSIFIER.name:
        raise ModelError(
            f"{source.name} is a model of the kind {MODEL_KINDS[kind].noun}, which cannot compare meanings",
            remedy="set fill.meaning to an NLI classifier, such as builtin:nli-roberta",
        )
    return source

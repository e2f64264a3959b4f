"""The stage fill: a model fills the masked hypotheses, or proposes whole ones."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, is_current, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ModelError
from nextset.generation.mask_fills.filled_items import FillResult, Fits, MaskWord, words_per_mask
from nextset.generation.mask_fills.filled_items import fill as fill_masks
from nextset.generation.mask_fills.fluency import Fluency, with_fluency
from nextset.generation.mask_fills.mask_prompts import prompt_id, prompts_of
from nextset.generation.mask_fills.part_of_speech import Tagger, locate_tagger
from nextset.generation.writers.stage import (
    FillModel,
    StudyWriter,
    fill_hypotheses,
    hypotheses_recipe,
    written_words,
    written_words_recipe,
)
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.scoring.masks.masked_text import Prompt
from nextset.scoring.model_kinds import fill_kind
from nextset.scoring.models.sources import locate
from nextset.study.generation_settings import WriterSettings
from nextset.study.study_folder import Study, of_study
from nextset.word_lists.protected_groups import protected_groups

if TYPE_CHECKING:
    from nextset.scoring.masks.filler import MaskFiller

__all__ = ["check_fill_model", "fill", "fill_recipe"]

CHUNK = 64
"""Prompts per shard; a killed run repeats at most this many."""
SENTENCES = 512
"""Sentences per shard of fluency scores."""


def fill_recipe(study: Study) -> Recipe:
    """Return the recipe of what `fill` would make now; raises MissingStage before `generate` has run."""
    if writer := _hypothesis_writer(study):
        return hypotheses_recipe(writer)
    generated = open_artifact(study.out / "generate")
    words = _digest(study, "mask_words", _words_recipe(study, _prompts(study, generated.table("masked"))))
    return _fill_recipe(study, generated, words)


@of_study
def fill(study: Study, progress: Progress = SILENT) -> Artifact:
    """Fill the masked hypotheses: MaskWords in out/mask_words, items in out/fill.

    With fill.fluency also the fluency of each, in out/fluency. A writer may propose whole hypotheses instead.
    Raises ModelError if a model cannot be used.
    """
    with study.held("fill"):
        if hypothesis_writer := _hypothesis_writer(study):
            return fill_hypotheses(hypothesis_writer, progress)
        generated = open_artifact(study.out / "generate")
        masked = generated.table("masked")
        prompts = _prompts(study, masked)
        if prompts and study.settings.fill.part_of_speech:
            locate_tagger(study.settings.fill.tagger, study.folder)  # a missing tagger is the first error
        fits = functools.cache(lambda: _part_of_speech_check(study) if prompts else None)

        @functools.cache
        def filler() -> MaskFiller:
            fits()  # an unloadable tagger is an error before the model is asked
            return _filler(study)

        writer = _writer(study) if prompts else None
        if writer is None:
            words, named = _mask_words(study, prompts, filler, progress), masked
        else:
            fits()
            words, named = written_words(writer, prompts, progress), writer.with_names(masked)

        @functools.cache
        def filled() -> FillResult:
            return fill_masks(named, words.table("words"), study.settings.fill, fits())

        recipe = _items_recipe(study, generated, words.digest)
        fluency = _fluency(study, recipe, filled, filler, progress) if study.settings.fill.fluency else None

        def items() -> PartResult:
            made = filled().items
            table = made if fluency is None else with_fluency(made, fluency.table("sentences"))
            proposed = words.counts if writer is not None else {}
            return PartResult(table, {**proposed, **filled().counts})

        return build(
            study.out / "fill",
            _fill_recipe(study, generated, words.digest),
            lambda: [Part("items", items)],
            progress=progress("fill"),
        )


def check_fill_model(study: Study) -> None:
    """Raise ModelError if the model of the section fill cannot be found, or neither fills masks nor writes.

    For a run, before its first stage. A study without templates fills nothing. Raises StudyError for the
    prompts of a writer.
    """
    if study.settings.templates:
        _writer(study)


def _prompts(study: Study, masked: pa.Table) -> list[Prompt]:
    """Return the distinct prompts, sorted."""
    settings = study.settings.fill
    prompts = prompts_of(masked, joint=settings.groups == "joint", premise=settings.premise)
    return sorted(set(prompts), key=lambda p: p.sentences)


def _filler(study: Study) -> MaskFiller:
    from nextset.scoring.masks.filler import MaskFiller

    return MaskFiller.load(locate(study.settings.fill.model, study.folder))


def _writer(study: Study) -> StudyWriter | None:
    """Return the study's writer; None if its model is a masked language model, which raises for other kinds.

    Raises ModelError for settings of a writer beside a masked language model.
    """
    settings = study.settings.fill
    source = locate(settings.model, study.folder)
    if fill_kind(source) != "masked_lm":
        return StudyWriter.of(study, source)
    if settings.writer != WriterSettings():
        raise ModelError(
            f"fill.writer is set, and {source.name} is a masked language model, which does not write",
            remedy="remove fill.writer, or choose a causal language model or openai:MODEL as fill.model",
        )
    return None


def _hypothesis_writer(study: Study) -> StudyWriter | None:
    """Return the study's writer if it proposes whole hypotheses, else None."""
    wanted = study.settings.fill.writer.propose == "hypotheses" and study.settings.templates
    return _writer(study) if wanted else None


def _part_of_speech_check(study: Study) -> Fits | None:
    settings = study.settings.fill
    if not settings.part_of_speech:
        return None
    tagger = Tagger.load(locate_tagger(settings.tagger, study.folder))
    return functools.partial(tagger.fits, settings.part_of_speech)


def _words_recipe(study: Study, prompts: Sequence[Prompt]) -> Recipe:
    if writer := _writer(study) if prompts else None:
        return written_words_recipe(writer, prompts)
    settings = study.settings.fill
    return Recipe(
        "mask_words",
        4,
        {"prompts": content_id("prompts", *map(prompt_id, prompts))},
        {"words": words_per_mask(settings), "pieces": settings.pieces},
        {study.model_label(settings.model): locate(settings.model, study.folder).identity} if prompts else {},
    )


def _items_recipe(study: Study, generated: Artifact, words: str) -> Recipe:
    """Return the recipe of the items without their fluency."""
    settings = study.settings.fill
    tagger, inputs = {}, {"generate": generated.digest, "mask_words": words}
    if generated.rows("masked") and not settings.other_group_words:
        for language in sorted(set(generated.table("masked")["language"].to_pylist())):
            if listed := protected_groups(language):
                inputs[f"protected groups, {language}"] = listed.digest
    if settings.part_of_speech and generated.rows("masked"):
        tagger[settings.tagger] = locate_tagger(settings.tagger, study.folder).digest
    return Recipe(
        "fill",
        4,
        inputs,
        {
            "top_k": settings.top_k,
            "groups": settings.groups,
            "premise": settings.premise,
            "group_words": settings.group_words,
            "other_group_words": settings.other_group_words,
            "part_of_speech": list(settings.part_of_speech),
            "fluency": settings.fluency,
        },
        tagger,
    )


def _fill_recipe(study: Study, generated: Artifact, words: str) -> Recipe:
    items = _items_recipe(study, generated, words)
    if not study.settings.fill.fluency:
        return items
    digest = _digest(study, "fluency", _fluency_recipe(study, items))
    return Recipe(
        items.stage, items.version, {**items.inputs, "fluency": digest}, items.settings, items.models
    )


def _digest(study: Study, name: str, recipe: Recipe) -> str:
    """Return the digest of an artifact made by ``recipe``; `stale` if the artifact is a different one."""
    folder = study.out / name
    return open_artifact(folder).digest if is_current(folder, recipe) else "stale"


def _mask_words(
    study: Study, prompts: Sequence[Prompt], filler: Callable[[], MaskFiller], progress: Progress
) -> Artifact:
    """Make the model's words for each prompt; without prompts no model is needed."""
    settings = study.settings.fill

    def words(chunk: Sequence[Prompt]) -> PartResult:
        found = filler().fill(chunk, words_per_mask(settings), settings.pieces) if chunk else []
        rows = (
            MaskWord(p.sentences[0].sentence, word, rank, score, mask, p.sentences[0].premise, prompt_id(p))
            for p, fillings in zip(chunk, found, strict=True)
            for rank, filling in enumerate(fillings, 1)
            for mask, (word, score) in enumerate(zip(filling.words, filling.scores, strict=True), 1)
        )
        return PartResult(table_of(rows, MaskWord))

    def models() -> PartResult:
        if not prompts:
            return PartResult(table_of([], FillModel))
        digest = locate(settings.model, study.folder).digest
        return PartResult(table_of([FillModel(study.model_label(settings.model), digest)], FillModel))

    chunks = [prompts[i : i + CHUNK] for i in range(0, len(prompts), CHUNK)] or [[]]
    return build(
        study.out / "mask_words",
        _words_recipe(study, prompts),
        lambda: [
            *(Part("words", functools.partial(words, chunk)) for chunk in chunks),
            Part("models", models),
        ],
        progress=progress("fill"),
    )


def _fluency_recipe(study: Study, items: Recipe) -> Recipe:
    model = study.settings.fill.model
    models = {**items.models, study.model_label(model): locate(model, study.folder).identity}
    return Recipe("fluency", 1, items.inputs, items.settings, models)


def _fluency(
    study: Study,
    items: Recipe,
    filled: Callable[[], FillResult],
    filler: Callable[[], MaskFiller],
    progress: Progress,
) -> Artifact:
    def sentences(chunk: Sequence[str]) -> PartResult:
        found = filler().pseudo_log_likelihood(chunk) if chunk else []
        rows = (Fluency(s, f.mean, f.tokens) for s, f in zip(chunk, found, strict=True))
        return PartResult(table_of(rows, Fluency))

    def plan() -> list[Part]:
        distinct = sorted(set(filled().items["hypothesis"].to_pylist()))
        chunks = [distinct[i : i + SENTENCES] for i in range(0, len(distinct), SENTENCES)] or [[]]
        return [Part("sentences", functools.partial(sentences, chunk)) for chunk in chunks]

    return build(study.out / "fluency", _fluency_recipe(study, items), plan, progress=progress("fill"))

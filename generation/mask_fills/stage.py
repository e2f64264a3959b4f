"""The stage fill: a masked language model fills the masked hypotheses."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nextset.artifacts.artifact import Artifact, Recipe, is_current, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.generation.mask_fills.fill_drops import drop_digests
from nextset.generation.mask_fills.fill_selection import Fits
from nextset.generation.mask_fills.filled_items import FillResult, MaskWord, words_per_mask
from nextset.generation.mask_fills.filled_items import fill as fill_masks
from nextset.generation.mask_fills.fluency import Fluency, with_fluency
from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.generation.mask_fills.mask_prompts import prompt_id, prompts_of
from nextset.generation.mask_fills.part_of_speech import Tagger, locate_tagger
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.scoring.masks.masked_text import Prompt
from nextset.scoring.model_kinds import check_filler
from nextset.scoring.models.sources import ModelSource, locate
from nextset.study.mask_constraint import parse_constraint
from nextset.study.study_folder import Study, of_study
from nextset.word_lists.fill_list import fill_list

if TYPE_CHECKING:
    from nextset.scoring.masks.filler import MaskFiller

__all__ = ["FillModel", "check_fill_model", "fill", "fill_recipe"]

CHUNK = 64
"""Prompts per shard; a killed run repeats at most this many."""
SENTENCES = 512
"""Sentences per shard of fluency scores."""


@dataclass(frozen=True)
class FillModel:
    """The model that filled the masks."""

    model: str
    """The model's published name."""
    revision: str
    """Digest of the model's weights."""


def fill_recipe(study: Study) -> Recipe:
    """Return the recipe of what `fill` would make now; raises MissingStage before `generate` has run."""
    generated = open_artifact(study.out / "generate")
    words = _digest(study, "mask_words", _words_recipe(study, _prompts(study, generated)))
    return _fill_recipe(study, generated, words)


@of_study
def fill(study: Study, progress: Progress = SILENT) -> Artifact:
    """Fill the masked hypotheses: MaskWords in out/mask_words, items in out/fill.

    With fill.fluency also the fluency of each, in out/fluency. Raises ModelError if a model cannot be used.
    """
    with study.held("fill"):
        generated = open_artifact(study.out / "generate")
        masked = generated.table("masked")
        prompts = _prompts(study, generated)
        if prompts and study.settings.fill.tagger:
            locate_tagger(study.settings.fill.tagger, study.folder)  # a missing tagger is the first error
        fits = functools.cache(lambda: _tagged(study) if prompts else None)

        @functools.cache
        def filler() -> MaskFiller:
            fits()  # an unloadable tagger is an error before the model is asked
            return _filler(study)

        words = _mask_words(study, prompts, filler, progress)

        @functools.cache
        def filled() -> FillResult:
            demands = _demands(study, generated)
            return fill_masks(masked, words.table("words"), study.settings.fill, demands, fits())

        recipe = _items_recipe(study, generated, words.digest)
        fluency = _fluency(study, recipe, filled, filler, progress) if study.settings.fill.fluency else None

        def items() -> PartResult:
            made = filled().items
            table = made if fluency is None else with_fluency(made, fluency.table("sentences"))
            return PartResult(table, filled().counts)

        return build(
            study.out / "fill",
            _fill_recipe(study, generated, words.digest),
            lambda: [Part("items", items)],
            progress=progress("fill"),
        )


def check_fill_model(study: Study) -> None:
    """Raise ModelError if the model of the section fill cannot be found, or is of a kind that fills no masks.

    For a run, before its first stage. A study without templates fills nothing.
    """
    if study.settings.templates:
        _source(study)


def _demands(study: Study, generated: Artifact) -> MaskDemands:
    return MaskDemands.of(study.settings.fill.mask, generated.table("mask_lists"))


def _prompts(study: Study, generated: Artifact) -> list[Prompt]:
    """Return the distinct prompts, sorted."""
    settings, masked = study.settings.fill, generated.table("masked")
    demands = _demands(study, generated)
    prompts = prompts_of(masked, demands, joint=settings.groups == "joint", premise=settings.premise)
    return sorted(set(prompts), key=lambda p: (p.sentences, p.words))


def _filler(study: Study) -> MaskFiller:
    from nextset.scoring.masks.filler import MaskFiller

    return MaskFiller.load(_source(study))


def _source(study: Study) -> ModelSource:
    source = locate(study.settings.fill.model, study.folder)
    check_filler(source)
    return source


def _tagged(study: Study) -> Fits | None:
    settings = study.settings.fill
    return Tagger.load(locate_tagger(settings.tagger, study.folder)).fits if settings.tagger else None


def _words_recipe(study: Study, prompts: Sequence[Prompt]) -> Recipe:
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
    models, inputs = {}, {"generate": generated.digest, "mask_words": words}
    if generated.rows("masked"):
        rows = generated.table("masked").select(["language"])
        for language in sorted(set(rows["language"].to_pylist())):
            inputs |= drop_digests(language)
            for name in parse_constraint(settings.mask).lists:
                if listed := fill_list(language, name):
                    inputs[f"list {name}, {language}"] = listed.digest
        if settings.tagger:
            models[settings.tagger] = locate_tagger(settings.tagger, study.folder).digest
    return Recipe(
        "fill",
        4,
        inputs,
        {
            "top_k": settings.top_k,
            "groups": settings.groups,
            "premise": settings.premise,
            "mask": settings.mask,
            "allow": sorted(settings.allow),
            "fluency": settings.fluency,
        },
        models,
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

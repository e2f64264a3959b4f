"""The stage fill: a model fills the masked hypotheses, or proposes whole ones."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nextset.artifacts.artifact import Artifact, Recipe, is_current, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ModelError
from nextset.generation.mask_fills.fill_drops import drop_digests
from nextset.generation.mask_fills.fill_selection import Fits
from nextset.generation.mask_fills.filled_items import KEPT, SPARE, FillResult, MaskWord, words_per_mask
from nextset.generation.mask_fills.filled_items import fill as fill_masks
from nextset.generation.mask_fills.fluency import plain_hypotheses, with_fluency
from nextset.generation.mask_fills.fluency_selection import select_fluent
from nextset.generation.mask_fills.fluency_stage import check_fluency_model, fluency_recipe, score_fluency
from nextset.generation.mask_fills.marks_stage import check_meaning_model, marked, marks_recipe, score_marks
from nextset.generation.mask_fills.mask_demands import MaskDemands
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
from nextset.study.generation_settings import FillSettings, WriterSettings
from nextset.study.mask_constraint import parse_constraint
from nextset.study.study_folder import Study, of_study
from nextset.word_lists.fill_list import fill_list

if TYPE_CHECKING:
    from nextset.scoring.masks.filler import Filling, MaskFiller

__all__ = ["check_fill_model", "fill", "fill_recipe"]

UNREAD = "words of lists that the model cannot read at their mask, left out"
CHUNK = 64
"""Prompts per shard; a killed run repeats at most this many."""


def fill_recipe(study: Study) -> Recipe:
    """Return the recipe of what `fill` would make now; raises MissingStage before `generate` has run."""
    if writer := _hypothesis_writer(study):
        return hypotheses_recipe(writer)
    generated = open_artifact(study.out / "generate")
    words = _digest(study, "mask_words", _words_recipe(study, _prompts(study, generated)))
    return _fill_recipe(study, generated, words)


@of_study
def fill(study: Study, progress: Progress = SILENT) -> Artifact:
    """Fill the masked hypotheses: MaskWords in out/mask_words, items in out/fill.

    With fill.fluency also the fluency of each, in out/fluency, and with fill.marks or fill.meaning what the
    marks are decided by, in out/fill_marks. A writer may propose whole hypotheses instead. Raises ModelError
    if a model cannot be used.
    """
    with study.held("fill"):
        if hypothesis_writer := _hypothesis_writer(study):
            return fill_hypotheses(hypothesis_writer, progress)
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

        writer = _writer(study) if prompts else None
        if writer is None:
            words, named = _mask_words(study, prompts, filler, progress), masked
        else:
            fits()
            words, named = written_words(writer, prompts, progress), writer.with_names(masked)

        @functools.cache
        def filled() -> FillResult:
            demands = _demands(study, generated)
            return fill_masks(named, words.table("words"), study.settings.fill, demands, fits())

        recipe = _items_recipe(study, generated, words.digest)
        chosen = study.settings.fill.fluency_settings
        fluent: Callable[[], FillResult] = filled
        plain = generated.table("items")
        if chosen is not None:

            def hypotheses() -> list[str]:
                texts = (text for some in plain_hypotheses(plain).values() for text in some)
                return [*filled().items["hypothesis"].to_pylist(), *texts]

            scored = fluency_recipe(study, recipe, chosen)
            fluency = score_fluency(study, scored, chosen, hypotheses, filler, progress)

            @functools.cache
            def selected() -> FillResult:
                table = with_fluency(filled().items, masked, plain, fluency.table("sentences"))
                left = select_fluent(table, masked, study.settings.fill, _demands(study, generated))
                kept = filled().counts[KEPT] - sum(left.counts.values())
                return FillResult(left.items, {**filled().counts, **left.counts, KEPT: kept})

            fluent = selected

        marks = None
        if study.settings.fill.marks or study.settings.fill.meaning:
            known = marks_recipe(study, _fluent_recipe(study, recipe))
            marks = score_marks(study, known, lambda: fluent().items, masked, plain, filler, progress)

        def items() -> PartResult:
            table = fluent().items
            if marks is not None:
                table = marked(study, table, masked, plain, marks)
            return PartResult(table, {**words.counts, **fluent().counts})

        return build(
            study.out / "fill",
            _fill_recipe(study, generated, words.digest),
            lambda: [Part("items", items)],
            progress=progress("fill"),
        )


def check_fill_model(study: Study) -> None:
    """Raise ModelError if a model of the section fill cannot be found, or is of the wrong kind.

    For a run, before its first stage. A study without templates fills nothing. Raises StudyError for the
    prompts of a writer.
    """
    if study.settings.templates:
        _writer(study)
        check_fluency_model(study)
        check_meaning_model(study)


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


def _tagged(study: Study) -> Fits | None:
    settings = study.settings.fill
    return Tagger.load(locate_tagger(settings.tagger, study.folder)).fits if settings.tagger else None


def _words_recipe(study: Study, prompts: Sequence[Prompt]) -> Recipe:
    if writer := _writer(study) if prompts else None:
        return written_words_recipe(writer, prompts)
    settings = study.settings.fill
    return Recipe(
        "mask_words",
        7,
        {"prompts": content_id("prompts", *map(prompt_id, prompts))},
        {"words": words_per_mask(settings), "pieces": settings.pieces},
        {study.model_label(settings.model): locate(settings.model, study.folder).identity} if prompts else {},
    )


def _items_recipe(study: Study, generated: Artifact, words: str) -> Recipe:
    """Return the recipe of the items without their fluency and marks."""
    settings = study.settings.fill
    chosen = settings.fluency_settings
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
        7,
        inputs,
        {
            "top_k": settings.top_k,
            "groups": settings.groups,
            "premise": settings.premise,
            "mask": settings.mask,
            "allow": sorted(settings.allow),
            "fluency": chosen.model_dump(exclude={"model"}) if chosen else False,
            "keep": settings.keep,
            "marks": settings.marks,
        },
        models,
    )


def _fill_recipe(study: Study, generated: Artifact, words: str) -> Recipe:
    fluent = _fluent_recipe(study, _items_recipe(study, generated, words))
    if not (study.settings.fill.marks or study.settings.fill.meaning):
        return fluent
    return _with_input(fluent, "fill_marks", _digest(study, "fill_marks", marks_recipe(study, fluent)))


def _fluent_recipe(study: Study, items: Recipe) -> Recipe:
    """Return the recipe of the items with their fluency, without marks."""
    chosen = study.settings.fill.fluency_settings
    if chosen is None:
        return items
    return _with_input(items, "fluency", _digest(study, "fluency", fluency_recipe(study, items, chosen)))


def _with_input(recipe: Recipe, name: str, digest: str) -> Recipe:
    return replace(recipe, inputs={**recipe.inputs, name: digest})


def _digest(study: Study, name: str, recipe: Recipe) -> str:
    """Return the digest of an artifact made by ``recipe``; `stale` if the artifact is a different one."""
    folder = study.out / name
    return open_artifact(folder).digest if is_current(folder, recipe) else "stale"


def _fillings(
    filler: Callable[[], MaskFiller], prompts: Sequence[Prompt], settings: FillSettings
) -> dict[Prompt, list[Filling]]:
    """The model's words for each prompt: of those with a list, few are dropped later, so fewer are asked."""
    found: dict[Prompt, list[Filling]] = {}
    for listed, most in ((True, settings.top_k + SPARE), (False, words_per_mask(settings))):
        some = [p for p in prompts if bool(p.words) == listed]
        if some:
            found.update(zip(some, filler().fill(some, most, settings.pieces), strict=True))
    return found


def _mask_words(
    study: Study, prompts: Sequence[Prompt], filler: Callable[[], MaskFiller], progress: Progress
) -> Artifact:
    """Make the model's words for each prompt; without prompts no model is needed."""
    settings = study.settings.fill

    def words(chunk: Sequence[Prompt]) -> PartResult:
        found = _fillings(filler, chunk, settings)
        rows = (
            MaskWord(p.sentences[0].sentence, word, rank, score, mask, p.sentences[0].premise, prompt_id(p))
            for p in chunk
            for rank, filling in enumerate(found[p], 1)
            for mask, (word, score) in enumerate(zip(filling.words, filling.scores, strict=True), 1)
        )
        unread = sum(filler().unread(p) for p in chunk if p.words)
        return PartResult(table_of(rows, MaskWord), {UNREAD: unread} if unread else {})

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

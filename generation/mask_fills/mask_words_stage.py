"""The artifact out/mask_words: a masked language model's words for the masks of a study."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import Progress
from nextset.generation.mask_fills.filled_items import words_per_list, words_per_mask
from nextset.generation.mask_words import MaskWord, prompt_id
from nextset.generation.writers.stage import FillModel
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.scoring.masks.masked_text import Prompt
from nextset.scoring.study_models import located
from nextset.study.generation_settings import FillSettings
from nextset.study.study_folder import Study

if TYPE_CHECKING:
    from nextset.scoring.masks.filler import Filling, MaskFiller

__all__ = ["mask_words", "mask_words_recipe"]

UNREAD = "words of lists that the model cannot read at their mask, skipped"
CHUNK = 64
"""Prompts per shard. If a run is killed, at most this many are repeated."""


def mask_words_recipe(study: Study, prompts: Sequence[Prompt]) -> Recipe:
    """Return the recipe of `mask_words`."""
    settings = study.settings.fill
    return Recipe(
        "mask_words",
        7,
        {"prompts": content_id("prompts", *map(prompt_id, prompts))},
        {"words": words_per_mask(settings), "listed": words_per_list(settings), "pieces": settings.pieces},
        {study.model_label(settings.model): located(study, settings.model).identity} if prompts else {},
    )


def mask_words(
    study: Study, prompts: Sequence[Prompt], filler: Callable[[], MaskFiller], progress: Progress
) -> Artifact:
    """Write the model's words for each prompt into out/mask_words; without prompts, no model is needed."""
    settings = study.settings.fill

    def words(chunk: Sequence[Prompt]) -> PartResult:
        fillings = _fillings(filler, chunk, settings)
        rows = (
            MaskWord(p.sentences[0].sentence, word, rank, score, mask, p.sentences[0].premise, prompt_id(p))
            for p in chunk
            for rank, filling in enumerate(fillings[p], 1)
            for mask, (word, score) in enumerate(zip(filling.words, filling.scores, strict=True), 1)
        )
        unread = sum(filler().unread(p) for p in chunk if p.words)
        return PartResult(table_of(rows, MaskWord), {UNREAD: unread} if unread else {})

    def models() -> PartResult:
        if not prompts:
            return PartResult(table_of([], FillModel))
        digest = located(study, settings.model).digest
        return PartResult(table_of([FillModel(study.model_label(settings.model), digest)], FillModel))

    chunks = [prompts[i : i + CHUNK] for i in range(0, len(prompts), CHUNK)] or [[]]
    return build(
        study.out / "mask_words",
        mask_words_recipe(study, prompts),
        lambda: [
            *(Part("words", functools.partial(words, chunk)) for chunk in chunks),
            Part("models", models),
        ],
        progress=progress("fill"),
    )


def _fillings(
    filler: Callable[[], MaskFiller], prompts: Sequence[Prompt], settings: FillSettings
) -> dict[Prompt, list[Filling]]:
    """Return the model's words per prompt: fewer for prompts with a list, since few of these are dropped."""
    fillings: dict[Prompt, list[Filling]] = {}
    for listed, most in ((True, words_per_list(settings)), (False, words_per_mask(settings))):
        subset = [p for p in prompts if bool(p.words) == listed]
        if subset:
            fillings.update(zip(subset, filler().fill(subset, most, settings.pieces), strict=True))
    return fillings

"""The stage fill: a masked language model fills the masked hypotheses."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.fill import SPARE, MaskWord, masked_sentences
from generation.fill import fill as fill_masks
from nextset.artifact import Artifact, Recipe, open_artifact
from nextset.build import Made, Part, build
from nextset.items import content_id, table_of
from nextset.progress import SILENT, Progress
from nextset.study import Study
from scoring.masked_text import Prompt
from scoring.sources import locate

if TYPE_CHECKING:
    from scoring.masked_lm import MaskFiller

__all__ = ["FillModel", "fill", "fill_recipe"]

CHUNK = 64
"""Masked sentences a shard: what a killed run does again at most."""


@dataclass(frozen=True)
class FillModel:
    """The model that filled the masks."""

    model: str
    """The model as the study names it."""
    revision: str
    """Digest of the model's weights."""


def fill_recipe(study: Study) -> Recipe:
    """What `fill` would make now; raises MissingStage before `generate` has run."""
    generated = open_artifact(study.out / "generate")
    words = open_artifact(study.out / "mask_words")
    wanted = _words_recipe(study, masked_sentences(generated.table("masked")))
    return _fill_recipe(study, generated, words.digest if words.key == wanted.key else "stale")


def _fill_recipe(study: Study, generated: Artifact, words: str) -> Recipe:
    inputs = {"generate": generated.digest, "mask_words": words}
    return Recipe("fill", 1, inputs, {"top_k": study.settings.fill.top_k})


def fill(study: Study, progress: Progress = SILENT) -> Artifact:
    """Fill the masked hypotheses: MaskWords in out/mask_words, items in out/fill.

    Raises ModelError when the model cannot be used.
    """
    with study.held("fill"):
        generated = open_artifact(study.out / "generate")
        masked = generated.table("masked")
        words = _mask_words(study, masked_sentences(masked), progress)

        def make() -> Made:
            filled = fill_masks(masked, words.table("words"), study.settings.fill.top_k)
            return Made(filled.items, filled.counts)

        return build(
            study.out / "fill",
            _fill_recipe(study, generated, words.digest),
            lambda: [Part("items", make)],
            progress=progress("fill"),
        )


def _words_recipe(study: Study, sentences: Sequence[str]) -> Recipe:
    model = study.settings.fill.model
    return Recipe(
        "mask_words",
        2,
        {"sentences": content_id("sentences", *sentences)},
        {"words": study.settings.fill.top_k + SPARE},
        {model: locate(model, study.folder).identity} if sentences else {},
    )


def _mask_words(study: Study, sentences: Sequence[str], progress: Progress) -> Artifact:
    """The model's words for each sentence; no model is needed where there is none."""
    asked = study.settings.fill.top_k + SPARE

    @functools.cache
    def filler() -> MaskFiller:
        from scoring.masked_lm import MaskFiller

        return MaskFiller.load(locate(study.settings.fill.model, study.folder))

    def words(chunk: Sequence[str]) -> Made:
        found = filler().fill([Prompt.alone(s) for s in chunk], asked) if chunk else []
        rows = (
            MaskWord(sentence, fill.words[0], rank, fill.scores[0])
            for sentence, fills in zip(chunk, found, strict=True)
            for rank, fill in enumerate(fills, 1)
        )
        return Made(table_of(rows, MaskWord))

    def models() -> Made:
        model = study.settings.fill.model
        return Made(
            table_of([FillModel(model, locate(model, study.folder).digest)] if sentences else [], FillModel)
        )

    chunks = [sentences[i : i + CHUNK] for i in range(0, len(sentences), CHUNK)] or [[]]
    return build(
        study.out / "mask_words",
        _words_recipe(study, sentences),
        lambda: [
            *(Part("words", functools.partial(words, chunk)) for chunk in chunks),
            Part("models", models),
        ],
        progress=progress("fill"),
    )
